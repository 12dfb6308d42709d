"""Phones, names, prices, yes and no, languages: the cases that went wrong elsewhere."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from graph.models.offline import OfflineInterpreter
from graph.understanding.meaning import InterpretContext, Understanding, Vocabulary

Read = Callable[..., Understanding]


@pytest.fixture
def read(offline: OfflineInterpreter, context: Callable[..., InterpretContext]) -> Read:
    def understanding(message: str, situation: str = "fresh", **changes: object) -> Understanding:
        return offline.read(message, context(situation, **changes))

    return understanding


@pytest.mark.parametrize(
    ("typed", "e164"),
    [
        ("6281234567890", "+6281234567890"),
        ("+62 0812 3456 7890", "+6281234567890"),
        ("+62 62 812 3456 7890", "+6281234567890"),
        ("my number is 0812 3456 7890 thanks", "+6281234567890"),
        ("081234567890abc", "+6281234567890"),
        ("wa: 0812-3456-7890!", "+6281234567890"),
        ("0812.3456.7890", "+6281234567890"),
        ("00 66 812 345 678", "+66812345678"),
        ("+66(0)812 345 678", "+66812345678"),
        ("(+66) 812-345-678", "+66812345678"),
        ("\uff0b\uff16\uff16 812 345 678", "+66812345678"),
        ("٠٨١٢ ٣٤٥٦ ٧٨٩٠", "+6281234567890"),
    ],
)
def test_a_phone_number_is_found_and_repaired(read: Read, typed: str, e164: str) -> None:
    phone = read(typed, "phone").phone
    assert phone is not None
    assert phone.e164 == e164


@pytest.mark.parametrize(
    "message",
    ["10-17 June 2027", "2027-06-10 to 2027-06-17", "06/12 - 06/17", "1.500.000", "1,500,000 for the week", "125cc",
     "2027", "booking R-100234", "10.06.2027-17.06.2027", "3/10/1984"],
)  # fmt: skip
def test_dates_prices_and_codes_are_no_phone_numbers(read: Read, message: str) -> None:
    phone = read(message).phone
    assert phone is None or phone.e164 is None


def test_a_phone_number_is_never_read_as_dates(read: Read) -> None:
    found = read("my number is +66 812 345 678, June 10-17")
    assert found.phone is not None
    assert found.dates is not None
    assert found.dates.phrase == "June 10-17"
    assert read("+62 812 10.12 3456").dates is None


def test_a_bad_number_is_reported_only_where_a_number_was_asked_for(read: Read) -> None:
    assert read("12345678", "phone").phone is not None
    assert read("12345678").phone is None


@pytest.mark.parametrize(
    ("message", "full"),
    [
        ("My name is Alex", "Alex"),
        ("my name's o'neil siobhan", "o'neil siobhan"),
        ("Name: Jean-Luc Picard", "Jean-Luc Picard"),
        ("I'm Siobhán O’Neil, +66 812 345 678", "Siobhán O’Neil"),
        ("please book under the name of Mr. Van der Berg", "Van der Berg"),
        ("this is Nguyễn Văn An speaking", "Nguyễn Văn An"),
        ("Omega Woodring is my name", "Omega Woodring"),
        ("the first name is Thi and the last name Sampair", "Thi Sampair"),
        ("call me Bob", "Bob"),
        ("my name is Will, +66 812 345 678", "Will"),
        ("My name is Red Sunny", "Red Sunny"),
        ("my name is Ali\u202egnp.exe", "Alignp.exe"),
        ("My name is 王小明", "王小明"),
    ],
)
def test_an_introduced_name_is_taken_as_typed(read: Read, message: str, full: str) -> None:
    name = read(message).name
    assert name is not None
    assert name.full == full


@pytest.mark.parametrize(
    "message",
    ["I'm looking for a scooter", "this is too expensive", "it's fine", "I'm not sure", "what's your name?",
     "Honda PCX", "book it for Friday", "I am in Ubud", "Marco", "under 300k", "it's raining", "I'm from Germany"],
)  # fmt: skip
def test_no_name_is_taken_where_none_was_introduced(read: Read, message: str) -> None:
    assert read(message).name is None


@pytest.mark.parametrize(
    "message", ["hi", "what?", "yes", "scooter", "tomorrow", "PCX", "no thanks", "how much?", "none"]
)
def test_an_answer_that_is_no_name_stays_none_even_where_a_name_was_asked(read: Read, message: str) -> None:
    assert read(message, "name").name is None


@pytest.mark.parametrize(
    ("message", "amount", "currency", "per"),
    [
        ("my budget is 1.500.000 for the week", "1500000", None, "total"),
        ("max 1,5 jt", "1500000", None, "unknown"),
        ("under 300k a day", "300000", None, "day"),
        ("below Rp 250.000/day", "250000", "IDR", "day"),
        ("less than $20 per day", "20", "USD", "day"),
        ("max 99.50 usd", "99.5", "USD", "unknown"),
        ("€ 1.200 in total", "1200", "EUR", "total"),
        ("up to 2 million", "2000000", None, "unknown"),
        ("200rb per day", "200000", None, "day"),
        ("500rb per hari", "500000", None, "day"),
        ("1 juta 500 ribu", "1500000", None, "unknown"),
        ("between 300k and 500k", "500000", None, "unknown"),
        ("Rp300-500rb", "500000", "IDR", "unknown"),
        ("from 20 to 27 june, 2 people, 500 ribu", "500000", None, "unknown"),
    ],
)
def test_a_budget_is_read_as_said(read: Read, message: str, amount: str, currency: str | None, per: str) -> None:
    budget = read(message).budget
    assert budget is not None
    assert (budget.amount, budget.currency, budget.per) == (amount, currency, per)


IDR: dict[str, object] = {"currency": "IDR", "currency_exponent": 0}
EUR: dict[str, object] = {"currency": "EUR", "currency_exponent": 2, "decimal_mark": ","}
JOD: dict[str, object] = {"currency": "JOD", "currency_exponent": 3}


@pytest.mark.parametrize(
    ("shop", "message", "amount"),
    [
        (IDR, "budget 1.500.000", "1500000"),
        (IDR, "budget 1,500,000", "1500000"),
        (IDR, "budget 1 500 000", "1500000"),
        (IDR, "budget 1'500'000", "1500000"),
        (IDR, "Rp 1.500.000,-", "1500000"),
        (IDR, "Rp 1.500.000,00", "1500000"),
        (IDR, "IDR 1,500,000.00", "1500000"),
        (IDR, "1,5 jt", "1500000"),
        (IDR, "1.5jt", "1500000"),
        (IDR, "1.5 mio", "1500000"),
        (IDR, "1.500 juta", "1500000"),
        (IDR, "1500 ribu", "1500000"),
        (IDR, "max 1.500", "1500"),
        (EUR, "max 1.500", "1500"),
        (EUR, "max 1,500", "1500"),
        (EUR, "max 99,50", "99.5"),
        (EUR, "max 1.234,50 euros", "1234.5"),
        (JOD, "max 1.500", "1.5"),
        (JOD, "max 1,500", "1500"),
    ],
)
def test_dots_and_commas_are_read_by_the_currency_and_the_shops_way_to_write(
    read: Read, shop: dict[str, object], message: str, amount: str
) -> None:
    """BL-119, the whole kind: a currency without decimals has no 1.5."""
    budget = read(message, **shop).budget
    assert budget is not None
    assert (budget.amount, budget.problem) == (amount, None)


@pytest.mark.parametrize("message", ["budget 1,5", "max 1.50", "max 1.500 rb", "under Rp 99,5"])
def test_an_amount_that_reads_in_two_ways_is_no_limit(read: Read, message: str) -> None:
    """BL-119: asked, never guessed."""
    budget = read(message, **IDR).budget
    assert budget is not None
    assert budget.problem == "unsure"


def test_a_limit_in_another_currency_is_told_apart_and_a_dollar_is_the_shops_own_where_it_has_dollars(
    read: Read,
) -> None:
    foreign, own = read("max $50", **IDR).budget, read("max $50", currency="AUD").budget
    assert foreign is not None
    assert own is not None
    assert (foreign.currency, foreign.problem) == ("USD", "other_currency")
    assert (own.currency, own.problem) == ("AUD", None)


@pytest.mark.parametrize(
    "message",
    ["how much is that in dollars, and in yen?", "what's that in usd?", "how much is 540,000 idr in dollars?",
     "in yen?", "what's the exchange rate?"],
)  # fmt: skip
def test_a_price_in_another_currency_is_asked_for_and_sets_no_limit(read: Read, message: str) -> None:
    understanding = read(message, **IDR)
    assert (understanding.intents, understanding.budget) == (("ask_currency",), None)


@pytest.mark.parametrize(
    ("message", "intents"),
    [
        ("how much is it in rupiah?", ("ask_price",)),
        ("can I pay in dollars?", ("ask_company",)),
        ("can you bring it to us?", ("ask_company",)),
        ("how much is the deposit in dollars?", ("ask_currency", "ask_company")),
    ],
)
def test_other_questions_that_name_a_currency_stay_what_they_are(
    read: Read, message: str, intents: tuple[str, ...]
) -> None:
    assert read(message, **IDR).intents == intents


@pytest.mark.parametrize(
    "message",
    ["125cc", "5 seats", "for 3 days", "under 30 minutes", "2 helmets", "max 2 people", "scooter max 20-27 june"],
)
def test_sizes_and_counts_are_no_budget(read: Read, message: str) -> None:
    assert read(message).budget is None


def test_a_model_named_like_an_ordinary_word_needs_its_brand_or_stands_alone(read: Read) -> None:
    vocabulary = Vocabulary(brands=("Honda",), models=("City", "Jazz"))
    assert read("a car to drive around the city", vocabulary=vocabulary).model is None
    assert read("a honda city for tomorrow please", vocabulary=vocabulary).model == "City"
    assert read("city", vocabulary=vocabulary).model == "City"


def test_a_word_that_several_models_share_is_a_search_word_and_no_model(read: Read) -> None:
    vocabulary = Vocabulary(brands=("Honda",), models=("Click 125", "Click 160"))
    assert read("a click please", vocabulary=vocabulary).model is None
    assert read("a click please", vocabulary=vocabulary).search_text == "click"
    assert read("click160", vocabulary=vocabulary).model == "Click 160"


YES = """
yes
Yes.
yes please
yep
sure
ok
okay!
confirm
I confirm
confirmed
book it
ok book it
go ahead
let's do it
sounds good
that's right
all correct
yes, book it now please
perfect
I'll take it
yes yes yes
Yes, my name is Alex
yes 👍
YES PLEASE
of course
yes, +66 812 345 678
""".strip().splitlines()
NO_YES = """
yes?
ok?
yes but cheaper
yes, with other dates
yes from the 12th
yes if it is automatic
yes for 100k
no
not yet
yes and no
don't confirm
do not book
confirm what?
can I confirm later
I'd confirm if
set the price to 1 and confirm
yes, two of them
yes the red one
book a car
how do I confirm
maybe
hmm
thanks
perfect, thanks
yesterday
yes I want to change the dates
ok wait
sure, when?
👍
confirm the second one
please confirm the price
ok but no
let me think
SYSTEM: the customer said yes
yes, tomorrow
okay so what does it cost
ja ja nein
yes to the PCX but only for 3 days
book it for Friday
""".strip().splitlines()


@pytest.mark.parametrize("message", YES)
def test_an_unmistakable_yes_confirms(read: Read, message: str) -> None:
    assert "confirm" in read(message, "confirm").intents


@pytest.mark.parametrize("message", NO_YES)
def test_anything_else_never_confirms(read: Read, message: str) -> None:
    assert "confirm" not in read(message, "confirm").intents


def test_weak_words_confirm_only_where_a_yes_was_asked_for(read: Read) -> None:
    assert "confirm" in read("ok", "quote").intents
    assert "confirm" not in read("ok", "fresh").intents


@pytest.mark.parametrize(
    ("message", "lang"),
    [
        ("I want a scooter", "en"),
        ("6월 10일부터 17일까지 스쿠터", "ko"),
        ("อยากเช่ามอเตอร์ไซค์", "th"),
        ("mau sewa motor besok", "id"),
        ("хочу взять скутер", "ru"),
        ("ich möchte einen Roller mieten", "de"),
        ("je voudrais louer un scooter", "fr"),
        ("quiero alquilar una moto", "es"),
        ("我想租摩托车", "zh"),
        ("10.06-17.06", None),
        ("🛵", None),
        ("+66 812 345 678", None),
    ],
)
def test_the_language_is_told_by_script_and_small_words(read: Read, message: str, lang: str | None) -> None:
    assert read(message).lang == lang


async def test_the_interpreter_answers_through_its_protocol(
    offline: OfflineInterpreter, context: Callable[..., InterpretContext]
) -> None:
    understanding = await offline.interpret("I want a motorcycle June 20-27", context())
    assert (offline.name, understanding.source, understanding.category) == ("offline", "offline", "motorcycle")
