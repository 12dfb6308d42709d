/** What "Your rental" shows: a fold over the turns, so that it is right after a reload too. */
import type { Money, Period, Turn, VehicleFacts } from "../types";
import { judge } from "./judge";

export interface Rental {
  /** 0 nothing, 1 dates, 2 vehicle, 3 details, 4 booked. */
  step: 0 | 1 | 2 | 3 | 4;
  period?: Period;
  vehicle?: VehicleFacts;
  total?: Money;
  office?: string;
  heldUntil?: string;
  order?: string;
}

const NOTHING: Rental = { step: 0 };
const GONE: readonly string[] = ["failed", "superseded"];

/** The rental that the conversation is about now. */
export const rentalOf = (turns: readonly Turn[]): Rental =>
  turns.reduce<Rental>((rental, turn) => (judge(turn) === "ok" && !GONE.includes(turn.status) ? next(rental, turn) : rental), NOTHING);

function next(rental: Rental, turn: Turn): Rental {
  switch (turn.type) {
    case "vehicle_carousel":
    case "alternative_periods":
      return { step: 1, period: turn.payload.requested };
    case "price_quote": {
      const { vehicle, period, total, expires_at } = turn.payload;
      return { step: 2, vehicle, period, total, heldUntil: expires_at };
    }
    case "booking_review": {
      const { vehicle, period, total, expires_at, office } = turn.payload;
      return { step: 3, vehicle, period, total, heldUntil: expires_at, office: office.name };
    }
    case "confirmation": {
      const { vehicle, period, total, order_number, office, rental_status } = turn.payload;
      if (rental_status === "cancelled" || rental_status === "rejected") return NOTHING;
      return { step: 4, vehicle, period, total, order: order_number, office: office.name };
    }
    case "notice":
      return turn.payload.code === "fresh_start" ? NOTHING : rental;
    default:
      return rental;
  }
}
