// Generated from frontend_contract/schema/contract.v1.json by `npm run types`. Do not edit.

/**
 * Everything that crosses the wire, in one place, so that one schema holds it all.
 */
export interface Contract {
  action_request: ActionRequest;
  chat_response: ChatResponse;
  event:
    | RunStarted
    | StatusEvent
    | TextStart
    | TextDelta
    | TextEnd
    | CardEvent
    | TurnUpdate
    | ErrorEvent
    | DoneEvent
    | ResyncRequired;
  message_request: MessageRequest;
  problem: Problem;
  session_opened: SessionOpened;
  session_request: SessionRequest;
  turn:
    | TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn;
  turn_page: TurnPage;
}
/**
 * One tap.
 */
export interface ActionRequest {
  action_id: string;
  client_key?: string;
  input?: ActionInput;
}
/**
 * What the person entered; exactly the part that the action asks for.
 */
export interface ActionInput {
  contact?: ContactInput;
  dates?: DatesInput;
  text?: string;
}
/**
 * For actions with `input: contact`.
 */
export interface ContactInput {
  name?: string;
  phone?: string;
}
/**
 * For actions with `input: dates`.
 */
export interface DatesInput {
  /**
   * Return day, exclusive.
   */
  end: string;
  start: string;
}
/**
 * The answer to one message or action.
 */
export interface ChatResponse {
  /**
   * The node that gave the answer.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * The final text: `content` of the last turn of ours.
   */
  answer: string;
  conversation_id: string;
  /**
   * True when this repeats the stored answer of an earlier, equal request.
   */
  idempotent: boolean;
  run_id: string;
  turns: (
    | TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn
  )[];
}
/**
 * Words only; also the customer's own messages.
 */
export interface TextTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: null;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "text";
}
/**
 * A thing the person may do. The caption is the client's, by `kind` and the facts of `target`.
 */
export interface ActionRef {
  expires_at?: string;
  /**
   * Opaque and unguessable; the server holds verb, arguments and owner.
   */
  id: string;
  /**
   * What has to be sent along.
   */
  input: "none" | "text" | "contact" | "dates";
  kind:
    | "select_vehicle"
    | "select_period"
    | "select_option"
    | "show_more"
    | "show_details"
    | "accept_quote"
    | "confirm_booking"
    | "change_dates"
    | "change_vehicle"
    | "change_contact"
    | "share_contact"
    | "refresh_quote"
    | "cancel"
    | "show_rentals"
    | "change_rental"
    | "confirm_change"
    | "keep_rental"
    | "call_operator"
    | "open_url"
    | "retry"
    | "ask"
    | "other";
  /**
   * Only for kinds that a client may not know.
   */
  label?: string;
  /**
   * A second use gives the same answer as the first.
   */
  once: boolean;
  style: "primary" | "plain" | "quiet" | "danger";
  /**
   * Ref of the vehicle, option or topic in the payload that it acts on.
   */
  target?: string;
  /**
   * Only for `open_url`.
   */
  url?: string;
}
/**
 * Asks one thing, with answers to tap.
 */
export interface ClarifyingQuestionTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: ClarifyingQuestionPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "clarifying_question";
}
/**
 * One question with two to eight answers that can be tapped; free text always works too.
 */
export interface ClarifyingQuestionPayload {
  /**
   * Never shown; for QA.
   */
  confidence: number;
  /**
   * @maxItems 8
   */
  options: QuestionOption[];
  slot: "dates" | "category" | "vehicle" | "contact" | "office" | "other";
}
/**
 * One possible answer; its action has the same `target`.
 */
export interface QuestionOption {
  /**
   * For options that are neither, e.g. a category ("scooter") or "other".
   */
  code?: string;
  day?: string;
  office?: OfficeRef;
  period?: Period;
  ref: string;
  vehicle?: VehicleFacts;
}
/**
 * Where a vehicle is picked up.
 */
export interface OfficeRef {
  /**
   * As the shop writes it.
   */
  name: string;
  slug: string;
}
/**
 * A rental in local days of the office; never shifted to the viewer's zone.
 */
export interface Period {
  /**
   * What is paid for.
   */
  days: number;
  /**
   * Return day; exclusive, so the last rented day is the one before (a same-day return is one day).
   */
  end: string;
  /**
   * Office-local, where known.
   */
  pickup_time?: string;
  /**
   * Office-local, latest, where known.
   */
  return_time?: string;
  /**
   * Pick-up day.
   */
  start: string;
  /**
   * IANA zone of the office.
   */
  tz: string;
}
/**
 * One vehicle, with its price for the asked period where there is one.
 */
export interface VehicleFacts {
  /**
   * How many more of this model are free at this office for this price, where there are: they stand in one line.
   */
  also_free?: number;
  available: boolean;
  brand: string;
  category: "scooter" | "motorcycle" | "car" | "boat" | "bicycle" | "other";
  /**
   * Paint key of the drawing; empty for the default.
   */
  colour: string;
  deposit?: Money;
  /**
   * Which of the product's drawings fits when there is no image.
   */
  drawing: "scooter" | "maxi-scooter" | "motorcycle" | "adventure" | "car" | "suv" | "boat" | "bicycle" | "other";
  engine_cc?: number;
  fuel: string;
  gearbox: "automatic" | "manual" | "none" | "other";
  gears?: number;
  /**
   * Included.
   */
  helmets?: number;
  image?: Image;
  is_cheapest: boolean;
  /**
   * The customer named this brand and model.
   */
  is_exact_match: boolean;
  /**
   * What the driver needs, in the shop's words.
   */
  licence: string;
  model: string;
  /**
   * Brand and model, as the shop writes them.
   */
  name: string;
  office?: OfficeRef;
  per_day?: Money;
  power_hp?: number;
  /**
   * Opaque. Actions name it as their `target`.
   */
  ref: string;
  seats?: number;
  skipper: boolean;
  total?: Money;
  year?: number;
}
/**
 * An amount: integer minor units, never a float.
 */
export interface Money {
  /**
   * ISO 4217.
   */
  currency: string;
  /**
   * How many of the digits are minor: amount = minor / 10**exponent.
   */
  exponent: number;
  /**
   * E.g. 1120000 for IDR 1,120,000 (exponent 0), 9999 for EUR 99.99 (exponent 2).
   */
  minor: number;
}
/**
 * A photo from the shop's allow-list.
 */
export interface Image {
  height: number;
  url: string;
  width: number;
}
/**
 * Free vehicles with prices.
 */
export interface VehicleCarouselTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: VehicleCarouselPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "vehicle_carousel";
}
/**
 * Free vehicles, in the order of the dialog passport ("the second one").
 */
export interface VehicleCarouselPayload {
  /**
   * Present when there are more.
   */
  page_token?: string;
  requested: Period;
  sort: "price" | "price_desc" | "other";
  total_found: number;
  /**
   * @minItems 1
   * @maxItems 10
   */
  vehicles: [VehicleFacts, ...VehicleFacts[]];
}
/**
 * One vehicle in full.
 */
export interface VehicleDetailTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: VehicleDetailPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "vehicle_detail";
}
/**
 * One vehicle, in full.
 */
export interface VehicleDetailPayload {
  /**
   * The shop's own description; plain text.
   */
  details: string;
  requested?: Period;
  vehicle: VehicleFacts;
}
/**
 * Ways out when the dates are taken.
 */
export interface AlternativePeriodsTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: AlternativePeriodsPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "alternative_periods";
}
/**
 * Why the wish is not free, and the ways out.
 */
export interface AlternativePeriodsPayload {
  /**
   * Taken periods; never whose.
   */
  conflicts: Period[];
  /**
   * @minItems 1
   * @maxItems 10
   */
  options: [AlternativeOption, ...AlternativeOption[]];
  requested: Period;
  strip?: DayStrip;
  vehicle: VehicleFacts;
}
/**
 * One way out. Everything the row says is here.
 */
export interface AlternativeOption {
  difference: Money;
  period: Period;
  ref: string;
  /**
   * Start compared with the wish, in days; negative is earlier.
   */
  shift_days: number;
  strategy: "shorter" | "shift_earlier" | "shift_later" | "gap" | "other_vehicle" | "other";
  total: Money;
  vehicle: VehicleFacts;
}
/**
 * Rental days of the wished vehicle, one flag each.
 */
export interface DayStrip {
  start: string;
  /**
   * @minItems 1
   * @maxItems 62
   */
  taken: [boolean, ...boolean[]];
}
/**
 * A price that holds for some minutes.
 */
export interface PriceQuoteTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: PriceQuotePayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "price_quote";
}
/**
 * A price, made on the server, that holds until `expires_at`.
 */
export interface PriceQuotePayload {
  /**
   * The shop's names of what comes on top, known only after the rental, e.g. "fuel"; absent when nothing does.
   */
  by_use?: string[];
  deposit?: Money;
  expires_at: string;
  /**
   * @minItems 1
   */
  lines: [PriceLine, ...PriceLine[]];
  per_day: Money;
  period: Period;
  quote_ref: string;
  seasons: SeasonSpan[];
  total: Money;
  vehicle: VehicleFacts;
}
/**
 * One line of a price. The amounts of all lines add up to the total, to the last minor unit.
 */
export interface PriceLine {
  amount: Money;
  code: "days" | "length_discount" | "package" | "extra" | "included" | "other";
  /**
   * Exclusive.
   */
  end?: string;
  /**
   * From how many days a `length_discount` applies.
   */
  min_days?: number;
  /**
   * The shop's name of an extra or an included thing, e.g. "helmet".
   */
  name?: string;
  /**
   * Percent off, positive, for `length_discount`.
   */
  percent?: number;
  quantity: number;
  season_code?: string;
  season_name?: string;
  start?: string;
  unit_amount?: Money;
}
/**
 * Consecutive days of a rental inside one season.
 */
export interface SeasonSpan {
  code: string;
  days: number;
  /**
   * Exclusive.
   */
  end: string;
  /**
   * The shop's name of the season.
   */
  name: string;
  per_day: Money;
  start: string;
}
/**
 * Asks for name or phone.
 */
export interface ContactRequestTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: ContactRequestPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "contact_request";
}
/**
 * Asks only for what is missing.
 */
export interface ContactRequestPayload {
  have?: ContactMasked;
  /**
   * @minItems 1
   */
  need: ["name" | "phone" | "other", ...("name" | "phone" | "other")[]];
  /**
   * Where a number without a country code is taken to be from.
   */
  phone_region?: string;
  reason: "booking" | "phone_invalid" | "phone_too_short" | "phone_too_long" | "other";
}
/**
 * What is known of the customer, masked: enough to recognise, useless to others.
 */
export interface ContactMasked {
  name?: string;
  /**
   * E.g. "+66 •• ••• •678".
   */
  phone?: string;
}
/**
 * Everything, before the one confirm.
 */
export interface BookingReviewTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: BookingReviewPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "booking_review";
}
/**
 * All that will be booked. Nothing is booked before `confirm_booking`.
 */
export interface BookingReviewPayload {
  contact: ContactMasked;
  deposit?: Money;
  expires_at: string;
  office: OfficeFacts;
  period: Period;
  quote_ref: string;
  total: Money;
  vehicle: VehicleFacts;
}
/**
 * One office.
 */
export interface OfficeFacts {
  address: string;
  city: string;
  /**
   * When it closes today; absent while it is closed.
   */
  closes_at?: string;
  hours: OpeningHours[];
  latitude?: number;
  longitude?: number;
  name: string;
  /**
   * When it opens next; absent while it is open.
   */
  opens_at?: string;
  phone?: string;
  slug: string;
  tz: string;
}
/**
 * Opening on one weekday; a weekday without an entry is closed.
 */
export interface OpeningHours {
  closes: string;
  opens: string;
  /**
   * 0 is Monday.
   */
  weekday: number;
}
/**
 * The booked rental.
 */
export interface ConfirmationTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: ConfirmationPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "confirmation";
}
/**
 * A rental that is in the database.
 */
export interface ConfirmationPayload {
  /**
   * What to bring, in the shop's words.
   */
  bring: string;
  contact: ContactMasked;
  deposit?: Money;
  /**
   * True when this repeats an earlier success: still one booking.
   */
  idempotent: boolean;
  office: OfficeFacts;
  order_number: string;
  period: Period;
  rental_ref: string;
  rental_status: "pending" | "confirmed" | "active" | "completed" | "cancelled" | "rejected" | "other";
  total: Money;
  vehicle: VehicleFacts;
}
/**
 * Taken a moment ago.
 */
export interface ConflictTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: ConflictPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "conflict";
}
/**
 * The vehicle was taken while the customer decided.
 */
export interface ConflictPayload {
  /**
   * Periods only.
   *
   * @minItems 1
   */
  conflicting_rentals: [Period, ...Period[]];
  requested: Period;
  suggested?: AlternativeOption;
  vehicle: VehicleFacts;
}
/**
 * Address and hours.
 */
export interface OfficeInfoTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: OfficeInfoPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "office_info";
}
/**
 * Where, and when open.
 */
export interface OfficeInfoPayload {
  /**
   * Office-local now: which weekday is today.
   */
  observed_local: string;
  /**
   * @minItems 1
   * @maxItems 10
   */
  offices: [OfficeFacts, ...OfficeFacts[]];
}
/**
 * A person takes over.
 */
export interface HandoffTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: HandoffPayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "handoff";
}
/**
 * A person takes over.
 */
export interface HandoffPayload {
  expected_wait_seconds?: number;
  /**
   * Present when nobody is there now.
   */
  opens_at?: string;
  queue: string;
  /**
   * IANA zone in which `opens_at` is to be read.
   */
  tz?: string;
}
/**
 * Something to know.
 */
export interface NoticeTurn {
  /**
   * @maxItems 24
   */
  actions: ActionRef[];
  /**
   * The node that speaks; for the customer's own turns the node that received them.
   */
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  /**
   * Plain text in `lang`. Numbers in it are backed by `evidence`.
   */
  content: string;
  /**
   * Version it was written with.
   */
  contract: string;
  conversation_id: string;
  created_at: string;
  /**
   * Ids of the tool calls behind the facts.
   */
  evidence: string[];
  /**
   * ULID, made by the server; clients upsert by it.
   */
  id: string;
  /**
   * BCP 47, of `content` only.
   */
  lang: string;
  /**
   * Never drawn; keys begin with `x-`.
   */
  meta: {
    [k: string]: unknown;
  };
  /**
   * Age of the facts.
   */
  observed_at?: string;
  payload: NoticePayload;
  role: "user" | "agent" | "operator" | "system";
  /**
   * Which run made it (one message or action, one run).
   */
  run_id: string;
  /**
   * Gap-free per conversation; the order of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  /**
   * Id of an older turn that this one replaces.
   */
  supersedes?: string;
  type: "notice";
}
/**
 * Something to know, with cause and consequence in `content`.
 */
export interface NoticePayload {
  code:
    | "empty_message"
    | "message_too_long"
    | "not_text"
    | "action_expired"
    | "quote_expired"
    | "nothing_to_confirm"
    | "price_fixed"
    | "price_changed"
    | "unavailable"
    | "period_refused"
    | "dates_refused"
    | "not_found"
    | "no_vehicles"
    | "not_supported"
    | "render_error"
    | "fresh_start"
    | "other";
  facts?: NoticeFacts;
  retryable: boolean;
  severity: "info" | "warning" | "problem" | "other";
}
/**
 * Facts behind a notice, so that a client can word it itself.
 */
export interface NoticeFacts {
  day?: string;
  max_characters?: number;
  max_days?: number;
  min_days?: number;
  new_total?: Money;
  old_total?: Money;
  /**
   * A code, e.g. a rule refusal `period_too_short`.
   */
  reason?: string;
}
/**
 * Always first, unless the run could not start (`error`).
 */
export interface RunStarted {
  contract: string;
  conversation_id: string;
  event: "run_started";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
  user_turn_id?: string;
}
/**
 * What the agent is doing now. Transient, never stored.
 */
export interface StatusEvent {
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  code: "thinking" | "searching" | "checking_dates" | "pricing" | "booking" | "other";
  event: "status";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
}
/**
 * Text of a turn begins.
 */
export interface TextStart {
  agent: "coordinator" | "search" | "alternatives" | "pricing" | "booking";
  event: "text_start";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
  turn_id: string;
}
/**
 * More text.
 */
export interface TextDelta {
  delta: string;
  event: "text_delta";
  /**
   * Where it belongs, in UTF-16 units; makes repeats harmless.
   */
  offset: number;
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
  turn_id: string;
}
/**
 * The whole turn; its `content` wins over the deltas.
 */
export interface TextEnd {
  content: string;
  event: "text_end";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
  turn:
    | TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn;
  turn_id: string;
}
/**
 * A whole turn, sent after it was stored.
 */
export interface CardEvent {
  event: "card";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
  turn:
    | TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn;
}
/**
 * An older turn changed its state.
 */
export interface TurnUpdate {
  event: "turn_update";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
  status: "streaming" | "final" | "superseded" | "expired" | "failed";
  turn?:
    | TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn;
  turn_id: string;
}
/**
 * The run failed; terminal.
 */
export interface ErrorEvent {
  code: string;
  event: "error";
  message: string;
  retry_after_ms?: number;
  retryable: boolean;
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
}
/**
 * The run is complete; terminal.
 */
export interface DoneEvent {
  event: "done";
  idempotent: boolean;
  /**
   * The last turn's `seq`.
   */
  last_seq: number;
  outcome: "success" | "input_required" | "cancelled" | "other";
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
}
/**
 * The cursor is too old: read the turns instead; terminal.
 */
export interface ResyncRequired {
  event: "resync_required";
  last_seq: number;
  run_id: string;
  /**
   * Rises by 1 inside the run; not the `seq` of turns.
   */
  seq: number;
}
/**
 * One message of the customer.
 */
export interface MessageRequest {
  /**
   * Made by the client once per message; repeats give the same answer.
   */
  client_key?: string;
  message: string;
}
/**
 * The one error form of every HTTP answer that is not a success.
 */
export interface Problem {
  code: string;
  facts: {
    [k: string]: unknown;
  };
  message: string;
  retryable: boolean;
}
/**
 * The answer: keep the token secret, it opens this conversation only.
 */
export interface SessionOpened {
  company: CompanyCard;
  contract: string;
  conversation_id: string;
  token: string;
}
/**
 * What a screen needs to introduce the shop.
 */
export interface CompanyCard {
  city: string;
  currency: string;
  locale: string;
  name: string;
  slug: string;
  tagline: string;
  tz: string;
}
/**
 * Opens a conversation.
 */
export interface SessionRequest {
  /**
   * Card types that the client can draw; absent means all.
   *
   * @maxItems 50
   */
  accepts?: string[];
  /**
   * Public slug.
   */
  company: string;
  /**
   * Contract version that the client was built with.
   */
  contract?: string;
  /**
   * BCP 47, the browser's or the customer's.
   */
  locale?: string;
}
/**
 * A page of the conversation as stored, oldest first inside the page.
 */
export interface TurnPage {
  conversation_id: string;
  /**
   * Older turns exist; ask with `before` = the smallest `seq` here.
   */
  has_more: boolean;
  last_seq: number;
  turns: (
    | TextTurn
    | ClarifyingQuestionTurn
    | VehicleCarouselTurn
    | VehicleDetailTurn
    | AlternativePeriodsTurn
    | PriceQuoteTurn
    | ContactRequestTurn
    | BookingReviewTurn
    | ConfirmationTurn
    | ConflictTurn
    | OfficeInfoTurn
    | HandoffTurn
    | NoticeTurn
  )[];
}
