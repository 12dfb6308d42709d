import { weekdayRange, weekdayShort } from "../format";
import { t } from "../labels";
import type { Deps, TurnOf } from "../types";
import { findAction } from "../ui";
import { ActionButton, Hold, Item, OldOffer, oldReason, Price } from "./parts";

type Props = { turn: TurnOf<"booking_review">; deps: Deps };

/** Everything that will be booked, and the one confirm. */
export function BookingReview({ turn, deps }: Props) {
  const { vehicle, period, office, contact, total, deposit, expires_at } = turn.payload;
  const confirm = findAction(turn, "confirm_booking");
  // While it books, the card stays as it is, even if its time runs out meanwhile.
  const why = confirm && deps.taps[confirm.id] === "busy" ? "" : oldReason(turn, deps);
  if (why) return <OldOffer turn={turn} deps={deps} why={why} vehicle={vehicle} period={period} total={total} />;
  const working = confirm !== undefined && deps.taps[confirm.id] !== undefined;
  const pickup = `${weekdayShort(period.start)}${period.pickup_time ? `, ${period.pickup_time}` : ""}`;
  return (
    <article class="rp-card rp-in"><div class="rp-card__b">
      <h3 class="rp-card__t">{t("check_confirm")}</h3>
      <dl class="rp-dl">
        <Item head={t("vehicle")}><bdi>{vehicle.name}</bdi></Item>
        <Item head={t("dates")}>{weekdayRange(period)}<span class="rp-sub">{t("days", { n: period.days })}</span></Item>
        <Item head={t("pickup")}>{pickup}<span class="rp-sub">{office.name}</span></Item>
        {contact.name && <Item head={t("name")}><bdi>{contact.name}</bdi></Item>}
        {contact.phone && <Item head={t("phone")}><bdi dir="ltr">{contact.phone}</bdi></Item>}
        <Item head={t("total")} m="rp-dl__sum"><Price money={total} /></Item>
        {deposit && <Item head={t("deposit_pickup")}><Price money={deposit} m="rp-money--thin" /></Item>}
      </dl>
      <Hold expires={expires_at} deps={deps} full />
      <div class="rp-stack">
        <ActionButton action={confirm} deps={deps} look="rp-btn--primary rp-btn--wide" busy="busy_confirm_booking" done="done_confirm_booking" />
        <div class="rp-row rp-row--mid">
          {["change_dates", "change_vehicle", "change_contact", "cancel"].map((kind) => <ActionButton key={kind} action={findAction(turn, kind)} deps={deps} look="rp-btn--quiet" old={working} />)}
        </div>
      </div>
    </div></article>
  );
}
