import { clock } from "../dates";
import { shortRange, weekdayRange } from "../format";
import { t, type Key } from "../labels";
import type { Deps, Turn } from "../types";
import { Icon } from "../ui";
import { Item, Price, Thumb } from "./parts";
import { rentalOf, type Rental } from "./rental";

/** One row under the header that follows the conversation; it unfolds to what is known. */
export function RentalBar({ turns, deps }: { turns: readonly Turn[]; deps: Deps }) {
  const rental = rentalOf(turns);
  const { step, vehicle, period, total, order } = rental;
  const [head, sub] = lines(rental, deps);
  return (
    <div class="rp-rental">
      <details>
        <summary>
          {vehicle ? <Thumb vehicle={vehicle} small /> : <span class="rp-thumb rp-thumb--s"><Icon n="calendar" /></span>}
          <span class="rp-min0">{head !== t("rental") && <span class="rp-vh">{t("rental")}: </span>}<b>{head}</b><span class="rp-sub">{sub}</span></span>
          <span>{step === 4 ? <span class="rp-tag rp-tag--ok"><Icon n="check" m="rp-i--s" />{t("booked")}</span> : total && <Price money={total} />}</span>
          <Icon n="arrow" m="rp-i--down" />
        </summary>
        {step > 0 && <dl class="rp-dl rp-rental__more">
          {order && <Item head={t("order_number")}>{order}</Item>}
          {vehicle && <Item head={t("vehicle")}><bdi>{vehicle.name}</bdi></Item>}
          {period && <Item head={t("dates")}>{weekdayRange(period)}</Item>}
          {rental.office && <Item head={t("office")}>{rental.office}</Item>}
          {total && <Item head={t("total")}><Price money={total} /></Item>}
        </dl>}
      </details>
      <div class={`rp-steps ${step === 4 ? "rp-steps--done" : ""}`} role="img" aria-label={t(`step_${step}` as Key)}>
        {[1, 2, 3, 4].map((n) => <i key={n} class={n <= step ? "on" : ""} />)}
      </div>
    </div>
  );
}

function lines({ step, period, vehicle, heldUntil, order }: Rental, deps: Deps): [string, string] {
  const dates = period ? shortRange(period) : "";
  const city = deps.company?.city;
  if (step === 1 && period) return [dates, city ? t("days_in", { n: period.days, city }) : t("days", { n: period.days })];
  if (step === 4) return [order ?? "", dates];
  if (vehicle) return [vehicle.name, step === 3 && heldUntil && Date.parse(heldUntil) > deps.now ? t("held_short", { time: clock(heldUntil, deps.company?.tz) }) : dates];
  return [t("rental"), t("rental_start")];
}
