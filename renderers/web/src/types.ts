/** Short names for the generated types. */
import type { ActionRef, Contract } from "./contract.gen";

export type Turn = Contract["turn"];
export type StreamEvent = Contract["event"];
export type TurnOf<T extends Turn["type"]> = Extract<Turn, { type: T }>;
/** The part that is fetched later. */
export type Cards = typeof import("./cards");
export type Company = Contract["session_opened"]["company"];
export type { ActionInput, ActionRef, Money, OfficeFacts, Period, VehicleFacts } from "./contract.gen";

/** What a tap needs from the app: run it, and say how far it is. */
export interface Deps {
  act(action: ActionRef, input?: import("./contract.gen").ActionInput): void;
  taps: Readonly<Record<string, "busy" | "done">>;
  /** True while any run is going on. */
  busy: boolean;
  company: Company | null;
  /** Server time, milliseconds. */
  now: number;
  pickDates(action?: ActionRef): void;
}
