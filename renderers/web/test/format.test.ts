import assert from "node:assert/strict";
import { test } from "node:test";
import { addDays, clock, day, longDay, officeDay, safeUrl } from "../src/dates.ts";
import { amount, moneyText, moneyValue, shortRange, weekdayRange } from "../src/format.ts";
import { addWords, t } from "../src/labels.ts";
import cards from "../src/labels/en.cards.json";

const idr = (minor: number) => ({ minor, currency: "IDR", exponent: 0 });
const eur = (minor: number) => ({ minor, currency: "EUR", exponent: 2 });

test("this suite runs on Los Angeles time, where a shifted date would be seen", () => {
  assert.equal(new Date(Date.UTC(2027, 5, 10)).getDate(), 9);
});

test("money is exact, groups by thousands, and has decimals only where there are any", () => {
  assert.equal(amount(idr(1_120_000)), "1,120,000");
  assert.equal(amount(eur(9_900)), "99");
  assert.equal(amount(eur(9_990)), "99.90");
  assert.equal(amount(eur(5)), "0.05");
  assert.equal(amount(idr(-280_000)), "−280,000");
  assert.equal(amount(eur(900_719_925_474_099)), "9,007,199,254,740.99");
  assert.equal(moneyText(eur(123_456)), "EUR 1,234.56");
  assert.equal(moneyValue(eur(-5)), "-0.05");
});

test("what is not money is refused rather than shown", () => {
  for (const wrong of [{ minor: 1.5, currency: "IDR", exponent: 0 }, { minor: "12", currency: "IDR", exponent: 0 }, { minor: 1, currency: "IDR" }])
    assert.throws(() => amount(wrong as never), TypeError);
});

test("dates are days of the office, whatever the viewer's zone", () => {
  assert.equal(shortRange({ start: "2027-06-10", end: "2027-06-17" }), "10–17 Jun 2027");
  assert.equal(shortRange({ start: "2027-06-28", end: "2027-07-03" }), "28 Jun – 3 Jul 2027");
  assert.equal(shortRange({ start: "2027-12-29", end: "2028-01-02" }), "29 Dec 2027 – 2 Jan 2028");
  assert.equal(weekdayRange({ start: "2027-06-20", end: "2027-06-27" }), "Sun 20 – Sun 27 Jun 2027");
  assert.equal(weekdayRange({ start: "2027-06-20", end: "2027-06-20" }), "Sun 20 Jun 2027");
  assert.equal(longDay("2027-06-20"), "Sunday 20 June 2027");
  assert.equal(addDays("2027-10-30", 3), "2027-11-02");
});

test("what is not a date is refused", () => {
  for (const wrong of ["", "2027-6-1", "2027-06-20T00:00:00Z", "soon"]) assert.throws(() => day(wrong), TypeError);
});

test("instants are told in the office's time", () => {
  assert.equal(clock("2027-05-31T07:52:00Z", "Asia/Makassar"), "15:52");
  assert.equal(officeDay("2027-05-31T20:00:00Z", "Asia/Makassar"), "2027-06-01");
});

test("only web, phone and mail addresses are followed", () => {
  assert.equal(safeUrl("https://example.com/a"), "https://example.com/a");
  assert.equal(safeUrl("tel:+623615550142"), "tel:+623615550142");
  for (const wrong of ["javascript:alert(1)", " https://x", "http://x", "data:text/html,x", "JAVASCRIPT:x", "//x", 7, undefined]) assert.equal(safeUrl(wrong), undefined);
});

test("plurals follow the number, and a missing key is silent", () => {
  addWords(cards);
  assert.equal(t("days", { n: 1 }), "1 day");
  assert.equal(t("days", { n: 7 }), "7 days");
  assert.equal(t("zz" as never), "");
});
