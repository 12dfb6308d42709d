/** Facts of the cards to words: money, periods. */
import type { Money, Period } from "./contract.gen";
import { day, intl, write } from "./dates";
import { language } from "./labels";

const SHORT: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };

/** 20 Jun */
export const shortDay = (iso: string): string => write(iso, SHORT);
/** Sun 20 Jun */
export const weekdayShort = (iso: string): string => write(iso, { ...SHORT, weekday: "short" });
/** 20–27 Jun 2027, or 28 Jun – 3 Jul 2027. */
export function shortRange(period: Pick<Period, "start" | "end">, year = true): string {
  const { start, end } = period;
  const last: Intl.DateTimeFormatOptions = year ? { ...SHORT, year: "numeric" } : SHORT;
  if (start === end) return write(start, last);
  if (language() !== "en") return intl(last).formatRange(day(start), day(end));
  if (start.slice(0, 7) === end.slice(0, 7)) return `${Number(start.slice(8))}–${write(end, last)}`;
  return `${write(start, start.slice(0, 4) === end.slice(0, 4) ? SHORT : last)} – ${write(end, last)}`;
}

/** Sun 20 – Sun 27 Jun 2027 */
export function weekdayRange(period: Pick<Period, "start" | "end">): string {
  const { start, end } = period;
  const full: Intl.DateTimeFormatOptions = { ...SHORT, weekday: "short", year: "numeric" };
  if (start === end) return write(start, full);
  if (language() !== "en") return intl(full).formatRange(day(start), day(end));
  const sameYear = start.slice(0, 4) === end.slice(0, 4);
  const sameMonth = sameYear && start.slice(5, 7) === end.slice(5, 7);
  const first = sameMonth ? write(start, { weekday: "short", day: "numeric" }) : sameYear ? weekdayShort(start) : write(start, full);
  return `${first} – ${write(end, full)}`;
}

/** The number of an amount, "1,120,000" or "99.90"; no decimals when whole. Exact: digits, not floats. */
export function amount(money: Money, absolute = false): string {
  const { minor, exponent } = money;
  if (!Number.isSafeInteger(minor) || !(exponent >= 0 && exponent <= 4)) throw new TypeError("not money");
  const digits = String(Math.abs(minor)).padStart(exponent + 1, "0");
  const cut = digits.length - exponent;
  const fraction = digits.slice(cut);
  const shown = /[1-9]/.test(fraction) ? exponent : 0;
  const format = new Intl.NumberFormat(language(), { numberingSystem: "latn", minimumFractionDigits: shown, maximumFractionDigits: shown });
  const text = format.format(`${digits.slice(0, cut)}.${fraction || "0"}` as `${number}`);
  return minor < 0 && !absolute ? `−${text}` : text;
}

/** "IDR 1,120,000", for places where the code cannot be set small. */
export const moneyText = (money: Money): string => `${money.currency} ${amount(money)}`;

/** The value attribute of `<data>`: plain decimal digits. */
export const moneyValue = (money: Money): string => {
  const digits = String(Math.abs(money.minor)).padStart(money.exponent + 1, "0");
  const cut = digits.length - money.exponent;
  return `${money.minor < 0 ? "-" : ""}${digits.slice(0, cut)}${money.exponent ? `.${digits.slice(cut)}` : ""}`;
};
