/** Days and times in words. Gregorian calendar and Latin digits everywhere, so that every channel says the same. */
import { language } from "./labels";

const DAY_MS = 86_400_000;
export const PINNED = { calendar: "gregory", numberingSystem: "latn" } as const;

/** A date without a time: always UTC inside, so the viewer's zone cannot move it. Throws on anything else. */
export function day(iso: string): Date {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(iso);
  if (!match) throw new TypeError("not a date");
  return new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])));
}

export const isoDay = (date: Date): string => date.toISOString().slice(0, 10);
export const addDays = (iso: string, days: number): string => isoDay(new Date(day(iso).getTime() + days * DAY_MS));
export const daysBetween = (from: string, to: string): number => Math.round((day(to).getTime() - day(from).getTime()) / DAY_MS);

export const intl = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(language(), { ...PINNED, timeZone: "UTC", ...options });

/** English is day first here, as in the shop's own sentences; the browser's "en" would put the month first. */
function english(date: Date, options: Intl.DateTimeFormatOptions): string {
  const parts = intl(options).formatToParts(date);
  const get = (type: string): string => parts.find((part) => part.type === type)?.value ?? "";
  return [get("weekday"), get("day"), get("month"), get("year")].filter(Boolean).join(" ");
}

export function write(iso: string, options: Intl.DateTimeFormatOptions): string {
  return language() === "en" ? english(day(iso), options) : intl(options).format(day(iso));
}

const LONG: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long", year: "numeric" };

/** Sunday 20 June 2027 */
export const longDay = (iso: string): string => write(iso, LONG);

/** 15:52 in the office's zone; an instant, unlike the days above. */
export function clock(instant: string | number, tz: string | undefined): string {
  const options: Intl.DateTimeFormatOptions = { ...PINNED, hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: tz ?? "UTC" };
  return new Intl.DateTimeFormat("en-GB", options).format(new Date(instant));
}

/** The office's calendar day of an instant, as YYYY-MM-DD. */
export const officeDay = (instant: string | number, tz: string | undefined): string =>
  new Intl.DateTimeFormat("en-CA", { ...PINNED, timeZone: tz ?? "UTC" }).format(new Date(instant));

/** Only addresses that a person may be sent to. */
export const safeUrl = (url: unknown): string | undefined =>
  typeof url === "string" && /^(https:\/\/|tel:\+?[\d ().-]+$|mailto:[^\s]+$)/i.test(url) ? url : undefined;
