/** Which actions a card shows itself; the rest are offered as quick replies. */
import type { ActionRef, Turn } from "./types";

const OWN: Readonly<Record<string, readonly string[]>> = {
  vehicle_carousel: ["select_vehicle", "show_more"],
  alternative_periods: ["select_period"],
  price_quote: ["accept_quote", "change_dates", "refresh_quote"],
  contact_request: ["share_contact", "change_contact"],
  booking_review: ["confirm_booking", "change_dates", "change_vehicle", "change_contact", "cancel", "refresh_quote"],
  confirmation: ["change_dates", "open_url"],
};

export const leftOver = (turn: Turn): ActionRef[] => turn.actions.filter((action) => !(OWN[turn.type] ?? []).includes(action.kind));
