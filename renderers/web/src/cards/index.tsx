/** Which component draws which type. A type that is not here is shown as its text with chips. */
import type { FunctionComponent, ComponentClass } from "preact";
import type { Deps, Turn } from "../types";
import { AlternativePeriods } from "./alternative_periods";
import { BookingReview } from "./booking_review";
import { Confirmation } from "./confirmation";
import { ContactRequest } from "./contact_request";
import { PriceQuote } from "./price_quote";
import { VehicleCarousel } from "./vehicle_carousel";

type Card = FunctionComponent<{ turn: never; deps: Deps }> | ComponentClass<{ turn: never; deps: Deps }>;
export type AnyCard = FunctionComponent<{ turn: Turn; deps: Deps }>;

const CARDS = {
  vehicle_carousel: VehicleCarousel,
  alternative_periods: AlternativePeriods,
  price_quote: PriceQuote,
  contact_request: ContactRequest,
  booking_review: BookingReview,
  confirmation: Confirmation,
} as unknown as Readonly<Record<string, Card>>;

/** Kinds that a card shows itself; the rest are offered as quick replies. */
const OWN: Readonly<Record<string, readonly string[]>> = {
  vehicle_carousel: ["select_vehicle", "show_more"],
  alternative_periods: ["select_period"],
  price_quote: ["accept_quote", "change_dates", "refresh_quote"],
  contact_request: ["share_contact", "change_contact"],
  booking_review: ["confirm_booking", "change_dates", "change_vehicle", "change_contact", "cancel", "refresh_quote"],
  confirmation: ["change_dates"],
};

export const cardOf = (type: string): AnyCard | undefined => (Object.hasOwn(CARDS, type) ? (CARDS[type] as unknown as AnyCard) : undefined);

/** Actions of a turn that its card does not show. */
export const leftOver = (turn: Turn) =>
  turn.actions.filter((action) => !(OWN[turn.type] ?? []).includes(action.kind));
