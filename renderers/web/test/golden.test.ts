/** The golden turns that Python reads too. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { marks } from "../src/cards/alternative_periods.tsx";
import { calendarFile } from "../src/cards/confirmation.tsx";
import { judge } from "../src/cards/judge.ts";
import { rentalOf } from "../src/cards/rental.ts";
import { leftOver } from "../src/own.ts";
import { asTurn } from "../src/reduce.ts";
import type { Turn, TurnOf } from "../src/types.ts";

const HOME = `${process.cwd()}/../../frontend_contract/examples/`;
interface Example { name: string; expect: string; turn: Record<string, unknown> }
const examples: Example[] = readdirSync(HOME).filter((name) => name.endsWith(".json")).map((name) => JSON.parse(readFileSync(HOME + name, "utf8")) as Example);
const golden = (name: string): Turn => asTurn(examples.find((one) => one.name === name)!.turn)!;
const VERDICT: Readonly<Record<string, string>> = { strict: "ok", tolerant: "ok", unknown_type: "unknown", newer_major: "unknown" };

test("there are examples of every type", () => {
  assert.ok(new Set(examples.map((one) => one.turn["type"])).size >= 13);
});

for (const example of examples) {
  test(`${example.name} reads as ${example.expect}`, () => {
    const turn = asTurn(example.turn);
    assert.ok(turn);
    if (example.expect === "defect") assert.notEqual(judge(turn), "unknown");
    else assert.equal(judge(turn), VERDICT[example.expect]);
    assert.ok(leftOver(turn).length <= turn.actions.length);
  });
}

test("the rental bar follows dates, vehicle, details, booked", () => {
  const path = ["text.user", "vehicle_carousel", "price_quote", "contact_request", "booking_review", "confirmation"];
  const steps = path.map((_, index) => rentalOf(path.slice(0, index + 1).map(golden)).step);
  assert.deepEqual(steps, [0, 1, 2, 2, 3, 4]);
});

test("what was replaced does not move the rental bar", () => {
  assert.equal(rentalOf([golden("vehicle_carousel.superseded")]).step, 0);
});

test("a defect does not move the rental bar", () => {
  assert.equal(rentalOf([golden("reader.wrong_payload")]).step, 0);
});

test("the return day is not rented, a same-day rental is one day", () => {
  const strip = { start: "2027-06-10", taken: Array.from({ length: 10 }, () => false) };
  const on = (start: string, end: string): number[] => marks(strip, { start, end }).flatMap((mark, index) => (mark ? [index] : []));
  assert.deepEqual(on("2027-06-11", "2027-06-13"), [1, 2]);
  assert.deepEqual(on("2027-06-11", "2027-06-11"), [1]);
  assert.deepEqual(on("2027-06-01", "2027-06-11"), [0]);
});

test("the calendar file has whole days, the return day among them", () => {
  const text = calendarFile((golden("confirmation") as TurnOf<"confirmation">).payload);
  assert.match(text, /DTSTART;VALUE=DATE:20270620\r\nDTEND;VALUE=DATE:20270628\r\n/);
});
