"""What an interpreter says about one message. Nothing else comes from a model.

Values are claims about the customer's words. The program resolves, checks and acts on them:
an `Understanding` never holds a vehicle id, a price, a key, a company or a client id.
"""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal, Protocol

from pydantic import BaseModel, ConfigDict, Field

Intent = Literal[
    "greet",
    "search",  # look for vehicles, with or without slots
    "select",  # picks one of what was shown, by position, name or description
    "ask_price",
    "ask_currency",  # the price in another currency than the shop's
    "ask_alternatives",  # other periods, "what else", "none of these"
    "more",  # next page of the same search
    "give_dates",
    "give_contact",
    "confirm",  # an unmistakable yes ("yes", "confirm", "book it")
    "deny",  # an unmistakable no to what is open
    "ask_company",  # opening hours, address, documents, deposit, delivery, insurance, payment
    "ask_vehicle",  # details of one vehicle
    "ask_date",  # "what day is it?"
    "show_booking",
    "cancel_booking",
    "change_booking",  # other dates for what is booked
    "extend_booking",  # a later return of what is booked
    "complain",  # something went wrong for the customer: a person's matter
    "handoff",  # wants a person
    "ask_bot",  # "are you a bot?"
    "smalltalk",  # "how are you?"
    "reset",  # start again
    "thanks",
    "goodbye",
    "help",
    "set_price",  # tries to dictate a price or a discount
    "out_of_scope",
    "unclear",
]
"""What the customer does with the message, most important first in `Understanding.intents`."""

CompanyTopic = Literal[
    "hours", "address", "documents", "deposit", "delivery", "insurance", "payment", "cancellation", "phone", "general"
]
Category = Literal["scooter", "motorcycle", "car", "boat", "bicycle"]
DateRefusal = Literal[
    "end_before_start", "past", "no_such_day", "weekday_conflict", "same_role_twice", "too_long", "unreadable"
]


class Meaning(BaseModel):
    """Base: frozen, no unknown fields, plain JSON by `model_dump(mode="json")`."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class DateRange(Meaning):
    """One rental period in local days of the office. `end` is the return day (exclusive)."""

    start: date
    end: date


class DateReading(Meaning):
    """What the message says about when.

    `range`: both ends known. `start`: only the first day. `duration`: only a length.
    `ambiguous`: two or more readings, to be offered as choices. `refused`: understood but impossible,
    with `reason`; `candidates` then holds repairs worth offering (may be empty).
    """

    status: Literal["range", "start", "duration", "ambiguous", "refused"]
    start: date | None = None
    end: date | None = None
    """Return day, exclusive. Same-day return is given as `start == end`; the server prices it as one day."""
    days: int | None = None
    """Rental days where a length was said."""
    candidates: tuple[DateRange, ...] = ()
    reason: DateRefusal | None = None
    phrase: str = ""
    """The words that were read, as typed."""
    pickup_time: str | None = None
    """`HH:MM` in office time, where one was said for the first day."""


class Reference(Meaning):
    """Which of the shown things is meant."""

    kind: Literal["ordinal", "last", "named", "cheapest", "dearest", "that", "other"]
    ordinal: int | None = None
    """1-based position for `ordinal`."""
    text: str = ""
    """The words that point, e.g. "the cheaper Honda"."""
    brand: str | None = None
    model: str | None = None
    colour: str | None = None
    confidence: float = Field(default=1.0, ge=0, le=1)


class Budget(Meaning):
    """A price limit that the customer named, as said; the program compares, the server prices."""

    amount: str
    """Plain decimal in major units, e.g. "1500000" or "99.5"."""
    currency: str | None = None
    """ISO 4217 where it was said."""
    per: Literal["day", "total", "unknown"] = "unknown"
    problem: Literal["other_currency", "unsure"] | None = None
    """Why no limit may be taken from it: not the shop's currency, or an amount that reads in two ways."""


class PhoneReading(Meaning):
    """A phone number found in the message."""

    raw: str
    e164: str | None = None
    """Set when the number is valid, `+` and digits."""
    problem: Literal["too_short", "too_long", "invalid", "unknown_country"] | None = None


class NameReading(Meaning):
    """A person's name as typed (marks, scripts and emoji kept; control and direction signs removed)."""

    full: str
    first: str
    last: str = ""
    confidence: float = Field(default=1.0, ge=0, le=1)


class Understanding(Meaning):
    """One message, understood."""

    intents: tuple[Intent, ...] = ("unclear",)
    confidence: float = Field(default=0.0, ge=0, le=1)
    """How sure the first intent is."""
    dates: DateReading | None = None
    category: Category | None = None
    brand: str | None = None
    """A brand known to the company, in its own spelling."""
    model: str | None = None
    """A model known to the company, in its own spelling."""
    search_text: str = ""
    """Other words that describe the vehicle ("pcx160", "big bike"); the server matches them."""
    budget: Budget | None = None
    gearbox: Literal["automatic", "manual"] | None = None
    seats: int | None = Field(default=None, ge=1, le=60)
    quantity: int | None = Field(default=None, ge=1, le=99)
    """How many vehicles, where said ("two bikes")."""
    office: str | None = None
    sort: Literal["price", "price_desc"] | None = None
    cheaper: bool = False
    """Cheaper than what is shown or quoted ("anything cheaper?"); "the cheapest scooter" is only `sort`."""
    reference: Reference | None = None
    name: NameReading | None = None
    phone: PhoneReading | None = None
    email: str | None = None
    topic: CompanyTopic | None = None
    lang: str | None = None
    """BCP 47 language of the message; None when the words do not tell."""
    source: Literal["offline", "live"] = "offline"


class OptionHint(Meaning):
    """One thing the customer can point at, without prices or ids: only what helps to understand."""

    position: int
    brand: str = ""
    model: str = ""
    colour: str = ""
    label: str = ""
    """For options that are not vehicles, e.g. a period "20-27 June 2027"."""


OpenQuestion = Literal[
    "none",
    "dates",
    "vehicle",
    "period",
    "category",
    "office",
    "accept_quote",
    "contact",
    "name",
    "phone",
    "confirm_booking",
    "rental",  # which of the customer's own bookings; the options are these bookings
    "rental_dates",  # the new dates of a booking; known_start and known_end are the booking's
    "confirm_change",  # a change of a booking, told and not yet done: needs a plain yes like confirm_booking
]


class Vocabulary(Meaning):
    """Words that only this company knows."""

    brands: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    categories: tuple[Category, ...] = ()
    offices: tuple[str, ...] = ()
    aliases: dict[str, str] = Field(default_factory=dict)
    """Other words for a model or brand, lower case -> the company's spelling."""


class InterpretContext(Meaning):
    """All an interpreter may know: no other person's data, no secret, no id."""

    now: datetime
    """Office-local wall time with its zone."""
    lang: str = "en"
    date_order: Literal["dmy", "mdy", "ymd"] = "dmy"
    phone_region: str = "ID"
    """ISO 3166-1 alpha-2, for numbers typed without a country code."""
    currency: str = ""
    """ISO 4217 of the shop's prices; empty where it is not known."""
    currency_exponent: int = 2
    decimal_mark: str = "."
    """As the shop's locale writes it."""
    max_days: int = 30
    """Longest rental of the company, in days."""
    open_question: OpenQuestion = "none"
    phase: Literal["searching", "quoting", "confirming", "booked"] = "searching"
    options: tuple[OptionHint, ...] = ()
    """What was last shown, in order; a bare "the second one" points here."""
    known_start: date | None = None
    """Dates already in the passport, so that "till the 23rd" or "a week later" can be read."""
    known_end: date | None = None
    chosen: str = ""
    """Name of the vehicle that is chosen, where one is."""
    vocabulary: Vocabulary = Vocabulary()


class Interpreter(Protocol):
    """Text in, meaning out. Never raises for anything a customer can type."""

    @property
    def name(self) -> Literal["offline", "live"]:
        """Which one it is; shown in health and audit."""
        ...

    async def interpret(self, message: str, context: InterpretContext) -> Understanding:
        """Understand one message (already cleaned: 1 to 4,000 characters)."""
        ...
