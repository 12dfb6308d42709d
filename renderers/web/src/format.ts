/** Facts to words: money, days, times. Gregorian calendar and Latin digits everywhere, so that every channel says the same. */
import type { Money, Period } from "./contract.gen";
import { language } from "./labels";

const DAY_MS = 86_400_000;
const PINNED = { calendar: "gregory", numberingSystem: "latn" } as const;

/** A date without a time: always UTC inside, so the viewer's zone cannot move it. Throws on anything else. */
export function day(iso: string): Date {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(iso);
  if (!match) throw new TypeError("not a date");
  return new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
}

export const isoDay = (date: Date): string => date.toISOString().slice(0, 10);
export const addDays = (iso: string, days: number): string => isoDay(new Date(day(iso).getTime() + days * DAY_MS));
export const daysBetween = (from: string, to: string): number => Math.round((day(to).getTime() - day(from).getTime()) / DAY_MS);

const intl = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language(), { ...PINNED, timeZone: "UTC", ...options });

/** English is day first here, as in the shop's own sentences; the browser's "en" would put the month first. */
function english(date: Date, options: Intl.DateTimeFormatOptions): string {
  const parts = intl(options).formatToParts(date);
  const get = (type: string): string => parts.find((part) => part.type === type)?.value ?? "";
  return [get("weekday"), get("day"), get("month"), get("year")].filter(Boolean).join(" ");
}

function write(iso: string, options: Intl.DateTimeFormatOptions): string {
  return language() === "en" ? english(day(iso), options) : intl(options).format(day(iso));
}

const SHORT: Intl.DateTimeFormatOptions = { day: "numeric", month: "short" };
const LONG: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long", year: "numeric" };

/** 20 Jun */
export const shortDay = (iso: string): string => write(iso, SHORT);
/** Sun 20 Jun */
export const weekdayShort = (iso: string): string => write(iso, { ...SHORT, weekday: "short" });
/** Sunday 20 June 2027 */
export const longDay = (iso: string): string => write(iso, LONG);

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

/** 15:52 in the office's zone; an instant, unlike the days above. */
export function clock(instant: string | number, tz: string | undefined): string {
  const options: Intl.DateTimeFormatOptions = { ...PINNED, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: tz ?? "UTC" };
  return new Intl.DateTimeFormat("en-GB", options).format(new Date(instant));
}

/** The office's calendar day of an instant, as YYYY-MM-DD. */
export const officeDay = (instant: string | number, tz: string | undefined): string =>
  new Intl.DateTimeFormat("en-CA", { ...PINNED, timeZone: tz ?? "UTC" }).format(new Date(instant));

export const count = (n: number): string => new Intl.NumberFormat(language(), { numberingSystem: "latn" }).format(n);

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

/** Only addresses that a person may be sent to. */
export const safeUrl = (url: unknown): string | undefined =>
  typeof url === "string" && /^(https:\/\/|tel:\+?[\d ().-]+$|mailto:[^\s]+$)/i.test(url) ? url : undefined;
