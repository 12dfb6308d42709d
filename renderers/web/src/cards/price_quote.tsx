import { amount, moneyText, shortRange, weekdayRange } from "../format";
import { t } from "../labels";
import type { Deps, TurnOf } from "../types";
import { findAction, Icon } from "../ui";
import { ActionButton, Hold, OldOffer, oldReason, Price, VehicleHead } from "./parts";

type Props = { turn: TurnOf<"price_quote">; deps: Deps };
type Line = Props["turn"]["payload"]["lines"][number];

/** The total first, how it is made on demand, the deposit apart. */
export function PriceQuote({ turn, deps }: Props) {
  const { vehicle, period, total, per_day, lines, by_use, deposit, expires_at } = turn.payload;
  const why = oldReason(turn, deps);
  if (why) return <OldOffer turn={turn} deps={deps} why={why} vehicle={vehicle} period={period} total={total} />;
  return (
    <article class="rp-card rp-in"><div class="rp-card__b">
      <VehicleHead vehicle={vehicle} sub={weekdayRange(period)} />
      <div class="rp-total"><p class="rp-sub">{t("total")}</p><p><Price money={total} /></p><p class="rp-sub">{t("days_a_day", { n: period.days, price: moneyText(per_day) })}</p></div>
      <details class="rp-fold"><summary>{t("price_made")}<Icon n="arrow" m="rp-i--s rp-i--down" /></summary>
        <table class="rp-lines"><tbody>{lines.map((line, index) => <Row key={index} line={line} />)}</tbody>
          <tfoot><tr><th scope="row">{t("total")}</th><td>{amount(total)}</td></tr></tfoot></table></details>
      {!!by_use?.length && <div class="rp-apart"><span>{t("by_use")}</span><span>{by_use.join(", ")}</span></div>}
      {deposit && <div class="rp-apart"><span>{t("deposit")}</span><Price money={deposit} /><span class="rp-sub">{t("deposit_note")}</span></div>}
      <Hold expires={expires_at} deps={deps} />
      <div class="rp-row"><ActionButton action={findAction(turn, "accept_quote")} deps={deps} look="rp-btn--primary" />
        <ActionButton action={findAction(turn, "change_dates")} deps={deps} look="rp-btn--quiet" /></div>
    </div></article>
  );
}

function Row({ line }: { line: Line }) {
  const [head, sub] = words(line);
  return <tr><th scope="row">{head}{sub && <span class="rp-sub">{sub}</span>}</th><td>{line.code === "included" && line.amount.minor === 0 ? t("included") : amount(line.amount)}</td></tr>;
}

function words(line: Line): [string, string] {
  const n = line.quantity;
  switch (line.code) {
    case "days": {
      const unit = line.unit_amount ? amount(line.unit_amount) : "";
      const sub = !unit ? t("days", { n }) : line.start && line.end ? t("line_days", { n, unit, dates: shortRange({ start: line.start, end: line.end }, false) }) : t("line_days_plain", { n, unit });
      return [line.season_name || t("line_rent"), sub];
    }
    case "length_discount":
      return [line.min_days ? t("line_discount", { n: line.min_days }) : t("line_discount_plain"), line.percent ? t("line_percent", { n: line.percent }) : ""];
    default: {
      if (line.name === "helmet") return [t("helmets", { n }), ""];
      const name = line.name || t(`line_${line.code === "other" || line.code === "package" || line.code === "extra" || line.code === "included" ? line.code : "other"}`);
      return [n > 1 ? `${n} × ${name}` : name, ""];
    }
  }
}
