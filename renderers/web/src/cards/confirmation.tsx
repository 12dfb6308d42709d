import { addDays, safeUrl } from "../dates";
import { weekdayRange, weekdayShort } from "../format";
import { t, type Key } from "../labels";
import type { Deps, OfficeFacts, TurnOf } from "../types";
import { findAction, Icon } from "../ui";
import { ActionButton, Item, Price, VehicleHead } from "./parts";

type Props = { turn: TurnOf<"confirmation">; deps: Deps };
type Payload = Props["turn"]["payload"];

const HEADS: Readonly<Record<string, Key>> = { pending: "pending", cancelled: "cancelled", rejected: "rejected" };

/** A ticket: the number, when, where, what to bring, what to pay. */
export function Confirmation({ turn, deps }: Props) {
  const { order_number, rental_status, vehicle, period, office, total, deposit, bring } = turn.payload;
  const lost = rental_status === "cancelled" || rental_status === "rejected";
  return (
    <article class={`rp-ticket rp-in ${lost ? "rp-ticket--off" : ""}`}>
      <div class="rp-ticket__a"><p class="rp-ticket__h"><span class="rp-okdisc"><Icon n={lost ? "close" : "check"} /></span>{t(HEADS[rental_status] ?? "booked")}</p>
        <p class="rp-order"><span class="rp-vh">{t("order_number")} </span>{order_number}</p>{!lost && <p class="rp-sub">{t("show_number")}</p>}</div>
      <div class="rp-ticket__b">
        <VehicleHead vehicle={vehicle} sub={`${weekdayRange(period)}, ${t("days", { n: period.days })}`} />
        <div class="rp-stack rp-stack--s">
          <p class="rp-line"><Icon n="clock" /><span>{t("pickup")} <b>{moment(period.start, period.pickup_time)}</b><br />{t("return_by", { when: moment(period.end, period.return_time) })}</span></p>
          <p class="rp-line"><Icon n="pin" /><span>{[office.name, office.address].filter(Boolean).join(", ")}<MapLink office={office} own={findAction(turn, "open_url")?.url} /></span></p>
          {bring && <p class="rp-line"><Icon n="person" /><span><span class="rp-vh">{t("bring")}: </span>{bring}</span></p>}
        </div>
        <dl class="rp-dl"><Item head={t("pay_pickup")}><Price money={total} /></Item>
          {deposit && <Item head={t("deposit_returned")}><Price money={deposit} m="rp-money--thin" /></Item>}</dl>
        {!lost && <div class="rp-row"><button class="rp-btn rp-btn--plain" type="button" onClick={() => saveCalendar(turn.payload)}><Icon n="download" m="rp-i--s" />{t("to_calendar")}</button>
          <ActionButton action={findAction(turn, "change_dates")} deps={deps} look="rp-btn--quiet">{t("change")}</ActionButton></div>}
      </div>
    </article>
  );
}

const moment = (day: string, time?: string): string => `${weekdayShort(day)}${time ? `, ${time}` : ""}`;

/** The shop's own link where it sent one, else the place on an open map. */
function MapLink({ office: { latitude, longitude }, own }: { office: OfficeFacts; own: string | undefined }) {
  const there = typeof latitude === "number" && typeof longitude === "number";
  const url = safeUrl(own) ?? (there ? `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}` : undefined);
  return url ? <><br /><a href={url} target="_blank" rel="noopener noreferrer">{t("open_map")}</a></> : null;
}

/** Whole days on purpose: a calendar must not shift them. RFC 5545; the end day is exclusive there. */
export function calendarFile({ order_number, vehicle, period, office }: Payload): string {
  const plain = (text: string): string => text.replace(/[\\;,]/g, "\\$&").replace(/\s+/g, " ");
  const compact = (day: string): string => day.replaceAll("-", "");
  return ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Ridepass//EN", "BEGIN:VEVENT", `UID:${plain(order_number)}@ridepass`, `DTSTAMP:${compact(period.start)}T000000Z`,
    `DTSTART;VALUE=DATE:${compact(period.start)}`, `DTEND;VALUE=DATE:${compact(addDays(period.end, 1))}`, `SUMMARY:${plain(`${vehicle.name}, ${order_number}`)}`,
    `LOCATION:${plain(`${office.name}, ${office.address}`)}`, "END:VEVENT", "END:VCALENDAR", ""].join("\r\n");
}

function saveCalendar(payload: Payload): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([calendarFile(payload)], { type: "text/calendar" }));
  link.download = `${payload.order_number}.ics`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1_000);
}

