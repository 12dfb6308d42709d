/** Everything that draws facts, fetched apart from the panel. A type that is not here is shown as its text with chips. */
import type { FunctionComponent, ComponentClass } from "preact";
import type { Deps, Turn } from "../types";
import drawings from "virtual:drawings";
import labels from "../labels/en.cards.json";
import styles from "../style/cards.css";
import { AlternativePeriods } from "./alternative_periods";
import { BookingReview } from "./booking_review";
import { Calendar } from "./calendar";
import { Confirmation } from "./confirmation";
import { ContactRequest } from "./contact_request";
import { judge } from "./judge";
import { PriceQuote } from "./price_quote";
import { RentalBar } from "./rental_bar";
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

export const cardOf = (type: string): AnyCard | undefined => (Object.hasOwn(CARDS, type) ? (CARDS[type] as unknown as AnyCard) : undefined);

/** Words of the cards, their drawings and their rules come along. */
export { Calendar, drawings, judge, labels, RentalBar, styles };
