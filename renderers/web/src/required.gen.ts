// Generated from frontend_contract/schema/contract.v1.json by `npm run types`. Do not edit.
export const REQUIRED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
 "alternative_periods": {
  "requested": "o",
  "vehicle": "o",
  "conflicts": "a",
  "options": "a"
 },
 "booking_review": {
  "quote_ref": "s",
  "vehicle": "o",
  "period": "o",
  "office": "o",
  "contact": "o",
  "total": "o",
  "expires_at": "s"
 },
 "clarifying_question": {
  "slot": "s",
  "options": "a",
  "confidence": "n"
 },
 "confirmation": {
  "rental_ref": "s",
  "order_number": "s",
  "rental_status": "s",
  "vehicle": "o",
  "period": "o",
  "office": "o",
  "contact": "o",
  "total": "o"
 },
 "conflict": {
  "requested": "o",
  "vehicle": "o",
  "conflicting_rentals": "a"
 },
 "contact_request": {
  "need": "a"
 },
 "handoff": {
  "queue": "s"
 },
 "notice": {
  "code": "s"
 },
 "office_info": {
  "offices": "a",
  "observed_local": "s"
 },
 "price_quote": {
  "quote_ref": "s",
  "vehicle": "o",
  "period": "o",
  "lines": "a",
  "seasons": "a",
  "total": "o",
  "per_day": "o",
  "expires_at": "s"
 },
 "vehicle_carousel": {
  "requested": "o",
  "vehicles": "a",
  "total_found": "n"
 },
 "vehicle_detail": {
  "vehicle": "o"
 }
};
