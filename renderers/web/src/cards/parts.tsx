/** What the cards share: pictures, prices, facts, buttons, and how an old card looks. */
import { Component, type ComponentChildren } from "preact";
import type { ActionRef, Deps, Money, Period, Turn, VehicleFacts } from "../types";
import { clock, safeUrl } from "../dates";
import { amount, moneyValue, weekdayRange } from "../format";
import { t, type Key } from "../labels";
import { caption, Chips, findAction, Icon, run } from "../ui";

const BY_CATEGORY: Readonly<Record<string, string>> = {
  scooter: "scooter", motorcycle: "motorcycle", car: "car", boat: "boat", bicycle: "bicycle",
};
const DRAWN = ["scooter", "maxi-scooter", "motorcycle", "adventure", "car", "suv", "boat", "bicycle"];

/** Which drawing stands for a vehicle. */
export const drawingOf = (vehicle: VehicleFacts): string =>
  DRAWN.includes(vehicle.drawing) ? vehicle.drawing : BY_CATEGORY[vehicle.category] ?? "scooter";

/** A photo where there is one that loads, else the drawing. */
export class Picture extends Component<{ vehicle: VehicleFacts; children?: ComponentChildren }, { broken?: boolean }> {
  override render() {
    const { vehicle, children } = this.props;
    const url = !this.state.broken && safeUrl(vehicle.image?.url);
    return (
      <div class="rp-pic" data-paint={vehicle.colour || undefined}>
        {url && url.startsWith("https:")
          ? <img class="rp-photo" src={url} alt={vehicle.name} loading="lazy" referrerpolicy="no-referrer" onError={() => this.setState({ broken: true })} />
          : <svg class="rp-v" role="img" aria-label={vehicle.name}><use href={`#v-${drawingOf(vehicle)}`} /></svg>}
        {children}
      </div>
    );
  }
}

export const Thumb = ({ vehicle, small }: { vehicle: VehicleFacts; small?: boolean }) => (
  <span class={`rp-thumb ${small ? "rp-thumb--s" : ""}`} data-paint={vehicle.colour || undefined}>
    <svg class="rp-v" aria-hidden="true"><use href={`#v-${drawingOf(vehicle)}`} /></svg>
  </span>
);

export const Price = ({ money, m = "" }: { money: Money; m?: string }) => (
  <data class={`rp-money ${m}`} value={moneyValue(money)}><span class="rp-cur">{money.currency}</span> {amount(money)}</data>
);

/** Picture, name and one line. */
export const VehicleHead = ({ vehicle, sub }: { vehicle: VehicleFacts; sub: string }) => (
  <div class="rp-vhd"><Thumb vehicle={vehicle} /><div><h3 class="rp-card__t"><bdi>{vehicle.name}</bdi></h3><p class="rp-sub">{sub}</p></div></div>
);

/** Engine, gearbox, seats, helmets: whatever the shop states. */
export function Facts({ vehicle }: { vehicle: VehicleFacts }) {
  const gearbox = vehicle.gearbox === "automatic" ? t("automatic")
    : vehicle.gears ? t("gears", { n: vehicle.gears }) : vehicle.gearbox === "manual" ? t("manual") : "";
  const facts: [string, string][] = [
    ["engine", vehicle.engine_cc ? t("cc", { n: vehicle.engine_cc.toLocaleString("en") }) : vehicle.power_hp ? t("hp", { n: vehicle.power_hp }) : ""],
    ["gearbox", gearbox],
    ["seats", vehicle.seats ? t("seats", { n: vehicle.seats }) : ""],
    ["helmet", vehicle.helmets ? t("helmets", { n: vehicle.helmets }) : ""],
    ["person", vehicle.skipper ? t("skipper") : ""],
  ];
  const stated = facts.filter(([, text]) => text);
  return <ul class={`rp-facts ${stated.length > 3 ? "rp-facts--two" : ""}`}>{stated.map(([icon, text]) => <li key={icon}><Icon n={icon} m="rp-i--s" />{text}</li>)}</ul>;
}

interface ButtonProps { action: ActionRef | undefined; deps: Deps; look: string; old?: boolean; children?: ComponentChildren; done?: Key; busy?: Key }

/** One button for one action. It keeps its place while it works, and a second tap does nothing. */
export function ActionButton({ action, deps, look, old, children, done, busy }: ButtonProps) {
  if (!action) return null;
  const state = deps.taps[action.id];
  const off = old || state === "busy" || (state === "done" && done !== undefined);
  const text = state === "busy" ? t(busy ?? "busy_action") : state === "done" && done ? t(done) : children ?? caption(action);
  if (!text) return null;
  return <button class={`rp-btn ${look}`} type="button" aria-disabled={off ? "true" : undefined} onClick={() => !off && run(action, deps)}>{text}</button>;
}

export const Item = ({ head, children, m = "" }: { head: string; children: ComponentChildren; m?: string }) => (
  <div class={m}><dt>{head}</dt><dd>{children}</dd></div>
);

/** Why a card is only history now, or "" when it still counts. */
export function oldReason(turn: Turn, deps: Deps): string {
  const expires = (turn.payload as { expires_at?: string } | null)?.expires_at;
  const ended = expires !== undefined && Date.parse(expires) <= deps.now;
  if (turn.status === "superseded") return t("old_superseded");
  if (turn.status === "failed") return t("old_failed");
  if (turn.status === "expired" || ended) return expires ? t("old_expired_at", { time: clock(expires, deps.company?.tz) }) : t("old_expired");
  return "";
}

export const OldNote = ({ turn, why }: { turn: Turn; why: string }) => (
  <p class="rp-old__why"><Icon n={turn.status === "superseded" ? "info" : "clock"} m="rp-i--s" />{why}</p>
);

/** An offer that has ended: what it was, in short, and a way to a fresh one. */
export function OldOffer({ turn, deps, why, vehicle, period, total }: { turn: Turn; deps: Deps; why: string; vehicle: VehicleFacts; period: Period; total: Money }) {
  const fresh = turn.status === "superseded" ? undefined : findAction(turn, "refresh_quote");
  return (
    <>
      <article class="rp-card rp-old"><OldNote turn={turn} why={why} />
        <div class="rp-card__b"><VehicleHead vehicle={vehicle} sub={`${weekdayRange(period)}, ${t("days", { n: period.days })}`} />
          <div class="rp-row rp-row--split"><span>{t("total")}</span><Price money={total} /></div></div></article>
      {fresh && <Chips turn={turn} deps={deps} actions={[fresh]} />}
    </>
  );
}

/** How long an offer still holds. */
export function Hold({ expires, deps, full }: { expires: string; deps: Deps; full?: boolean }) {
  const minutes = Math.ceil((Date.parse(expires) - deps.now) / 60_000);
  const time = clock(expires, deps.company?.tz);
  if (minutes <= 3) return <p class="rp-hold rp-hold--warn"><Icon n="clock" m="rp-i--s" /><span>{t("held_more", { n: minutes })}</span></p>;
  const words = !full ? t("price_until", { time }) : minutes > 90 ? t("held_until", { time }) : t("held_until_left", { time, n: minutes });
  return <p class="rp-hold"><Icon n="clock" m="rp-i--s" /><span>{words}</span></p>;
}
