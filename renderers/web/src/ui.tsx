/** Small parts that every card uses. */
import { Component, type ComponentChildren } from "preact";
import type { ActionRef, Deps, Money, Period, Turn, VehicleFacts } from "./types";
import { amount, clock, moneyValue, safeUrl, weekdayRange } from "./format";
import { maybe, t, type Key } from "./labels";

export const Icon = ({ n, m = "" }: { n: string; m?: string }) => (
  <svg class={`rp-i ${m}`} aria-hidden="true"><use href={`#i-${n}`} /></svg>
);

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

export const findAction = (turn: Turn, kind: string, target?: string): ActionRef | undefined =>
  turn.actions.find((action) => action.kind === kind && (target === undefined || action.target === target));

/** The words for an action: by its kind and the facts of its target; an own label only for kinds that are not known. */
export function caption(action: ActionRef, turn?: Turn): string {
  if (action.kind === "ask") return maybe(`ask_${action.target}`) || action.label || "";
  const target = action.target ? nameOf(turn, action.target) : "";
  if (target) return target;
  return action.kind === "select_option" ? action.label || "" : maybe(action.kind) || action.label || "";
}

interface Target { ref?: string; name?: string; code?: string; vehicle?: { name: string }; office?: { name: string }; period?: Period; day?: string }

function nameOf(turn: Turn | undefined, ref: string): string {
  const payload = (turn?.payload ?? {}) as unknown as Record<string, unknown>;
  const things = [payload["vehicles"], payload["options"], payload["vehicle"], payload["suggested"]].flat() as (Target | undefined)[];
  const found = things.find((thing) => thing?.ref === ref);
  if (!found) return "";
  return found.name ?? found.office?.name ?? (found.period ? weekdayRange(found.period) : found.vehicle?.name ?? found.day ?? (found.code === "other" ? t("anything_else") : found.code) ?? "");
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

/** Do what an action asks for; dates are picked first. */
export function run(action: ActionRef, deps: Deps): void {
  if (action.input === "dates") deps.pickDates(action);
  else deps.act(action);
}

/** A chip, or a link for addresses. Kinds without words are left out. */
export function Chip({ action, turn, deps }: { action: ActionRef; turn?: Turn; deps: Deps }) {
  const text = caption(action, turn);
  if (!text) return null;
  const url = action.kind === "open_url" && safeUrl(action.url);
  if (url) return <a class="rp-chip" href={url} target="_blank" rel="noopener noreferrer">{text}</a>;
  if (action.kind === "open_url") return null;
  return <button class="rp-chip" type="button" aria-disabled={deps.taps[action.id] === "busy" ? "true" : undefined} onClick={() => run(action, deps)}>{text}</button>;
}

export const Chips = ({ turn, deps, actions = turn.actions }: { turn: Turn; deps: Deps; actions?: readonly ActionRef[] }) =>
  (actions.length > 0 ? <div class="rp-chips">{actions.map((action) => <Chip key={action.id} action={action} turn={turn} deps={deps} />)}</div> : null);

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
