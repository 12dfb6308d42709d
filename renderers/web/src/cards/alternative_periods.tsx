import { addDays, daysBetween } from "../dates";
import { amount, moneyText, shortDay, shortRange, weekdayRange } from "../format";
import { t } from "../labels";
import type { Deps, Period, TurnOf } from "../types";
import { findAction, Icon, run } from "../ui";
import { OldNote, oldReason, Price, VehicleHead } from "./parts";

type Props = { turn: TurnOf<"alternative_periods">; deps: Deps };
type Payload = Props["turn"]["payload"];
type Option = Payload["options"][number];
type Strip = NonNullable<Payload["strip"]>;

/** Why the wish is not free, and the ways out on the same grid of days. */
export function AlternativePeriods({ turn, deps }: Props) {
  const { vehicle, requested, strip, options } = turn.payload;
  const why = oldReason(turn, deps);
  return (
    <article class={`rp-card rp-in ${why ? "rp-old" : ""}`}>
      {why && <OldNote turn={turn} why={why} />}
      <div class="rp-card__b">
        <VehicleHead vehicle={vehicle} sub={t("asked_for", { dates: weekdayRange(requested) })} />
        {strip && <DayStrip strip={strip} requested={requested} name={vehicle.name} />}
        <ul class="rp-alts">{options.map((option) => <Row key={option.ref} option={option} turn={turn} deps={deps} old={why !== ""} />)}</ul>
      </div>
    </article>
  );
}

/** Which days of the strip a rental takes; the return day is not one of them, but a same-day rental takes one. */
export function marks(strip: { start: string; taken: readonly boolean[] }, period: Pick<Period, "start" | "end">): boolean[] {
  const from = daysBetween(strip.start, period.start);
  const to = Math.max(daysBetween(strip.start, period.end), from + 1);
  return strip.taken.map((_, index) => index >= from && index < to);
}

const edge = (on: readonly boolean[], index: number): string =>
  (on[index] ? `on ${on[index - 1] ? "" : "a"} ${on[index + 1] ? "" : "z"}` : "");

function DayStrip({ strip, requested, name }: { strip: Strip; requested: Period; name: string }) {
  const wish = marks(strip, requested);
  const every = Math.ceil(strip.taken.length / 18);
  const dates = shortRange({ start: strip.start, end: addDays(strip.start, strip.taken.length - 1) });
  const taken = spans(strip).map((span) => shortRange(span, false)).join(", ");
  return (
    <div class="rp-strip" role="img" aria-label={taken ? t("strip", { name, dates, taken }) : t("strip_free", { name, dates })}>
      <div class="rp-days">{strip.taken.map((off, i) => <b key={i} class={off ? "off" : ""}>{i % every === 0 ? Number(addDays(strip.start, i).slice(8)) : ""}</b>)}</div>
      <div class="rp-days">{strip.taken.map((off, i) => <i key={i} class={off ? "t" : ""} />)}</div>
      <div class="rp-days rp-days--ask">{wish.map((_, i) => <i key={i} class={edge(wish, i)} />)}</div>
      <p class="rp-legend"><span><i class="rp-key" />{t("free")}</span><span><i class="rp-key rp-key--t" />{t("taken")}</span><span><i class="rp-key rp-key--ask" />{t("wish")}</span></p>
    </div>
  );
}

/** Runs of taken days, both ends included, for people who listen. */
function spans(strip: Strip): { start: string; end: string }[] {
  const found: { start: string; end: string }[] = [];
  strip.taken.forEach((off, index) => {
    const today = addDays(strip.start, index);
    const last = found.at(-1);
    if (off && last && addDays(last.end, 1) === today) last.end = today;
    else if (off) found.push({ start: today, end: today });
  });
  return found;
}

function Row({ option, turn, deps, old }: { option: Option; turn: Props["turn"]; deps: Deps; old: boolean }) {
  const action = findAction(turn, "select_period", option.ref);
  const busy = action && deps.taps[action.id] === "busy";
  const on = turn.payload.strip && marks(turn.payload.strip, option.period);
  const off = old || !action || busy;
  return (
    <li><button class="rp-alt" type="button" aria-disabled={off ? "true" : undefined} onClick={() => !off && run(action, deps)}>
      <span class="rp-alt__r"><b>{shortRange(option.period, false)}, {t("days", { n: option.period.days })}</b><Price money={option.total} /></span><Icon n="arrow" m="rp-i--s rp-i--fwd" />
      <span class="rp-alt__r"><span class="rp-sub">{busy ? t("busy_action") : reason(option)}</span><span class={`rp-alt__d ${option.difference.minor <= 0 ? "rp-alt__d--ok" : ""}`}>{difference(option)}</span></span>
      {on && <span class="rp-days rp-days--bar" aria-hidden="true">{on.map((_, i) => <i key={i} class={edge(on, i)} />)}</span>}
    </button></li>
  );
}

function reason(option: Option): string {
  const n = Math.abs(option.shift_days);
  const shift = n === 0 ? "" : t(option.shift_days > 0 ? "days_later" : "days_earlier", { n });
  switch (option.strategy) {
    case "shift_later": return t("shift_later", { shift });
    case "shift_earlier": return t("shift_earlier", { shift });
    case "shorter": return t("shorter", { day: shortDay(option.period.end) });
    case "gap": return shift || t("gap");
    case "other_vehicle": return t(shift ? "other_vehicle_shift" : "other_vehicle", { name: option.vehicle.name, shift });
    default: return t("another");
  }
}

function difference({ difference: money }: Option): string {
  if (money.minor === 0) return t("same_price");
  return t(money.minor > 0 ? "more_money" : "less_money", { money: money.exponent ? moneyText({ ...money, minor: Math.abs(money.minor) }) : amount(money, true) });
}
