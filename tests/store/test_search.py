"""Search is forgiving about words and strict about facts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.crm.search import SearchOutcome, SearchQuery, search_vehicles
from store.rules.matching import Vocabulary, model_words, tokens, understand


def search(world: Any, day: Any, start: str = "06-20", end: str = "06-27", **query: Any) -> SearchOutcome:
    return search_vehicles(world.db, query.pop("scope", world.a), world.now, SearchQuery(day(start), day(end), **query))


def names(outcome: SearchOutcome) -> list[str]:
    return [offer.vehicle.name for offer in outcome.offers]


@pytest.mark.parametrize(
    "words",
    [
        {"text": "pcx160"},  # BL-144
        {"text": "160 pcx honda"},
        {"text": "Honda  PCX-160 "},
        {"brand": "HONDA", "model": "pcx"},
        {"brand": "honda pcx"},
        {"model": "\uff30\uff23\uff38 \uff11\uff16\uff10"},  # full-width letters and digits
        {"text": "v1"},  # the plate
        {"text": "rain cape"},  # the details
        {"text": "hnoda pcx"},  # two letters swapped
    ],
)
def test_the_pcx_is_found_however_it_is_written(world_to_read: Any, day: Any, words: dict[str, str]) -> None:
    """BL-144."""
    assert names(search(world_to_read, day, **words)) == ["Honda PCX 160"]


@pytest.mark.parametrize("words", ["%", "_", "%%", "' UNION SELECT --", "\\", "p", "🛵"])
def test_signs_match_nothing_special(world_to_read: Any, day: Any, words: str) -> None:
    """BL-143: no match, and the hint says which word was of no use."""
    found = search(world_to_read, day, text=words)
    assert found.offers == ()
    assert found.matching_total == 0
    assert [hint.code for hint in found.hints][:1] == ["no_such_word"]


def test_blank_words_are_no_words(world: Any, day: Any) -> None:
    assert search(world, day, brand="", model="  ", text=None).matching_total == 4


def test_every_token_has_to_match(world: Any, day: Any) -> None:
    assert names(search(world, day, text="yamaha pcx")) == []
    assert names(search(world, day, text="pcx 150")) == []  # a 150 is not a 160


@pytest.mark.parametrize("where", ["brand", "model", "text"])
def test_a_type_given_as_a_brand_is_understood_as_a_type(world: Any, day: Any, where: str) -> None:
    """The fault that the seed tells of: brand="motorcycle"."""
    found = search(world, day, "06-21", "06-26", **{where: "motorcycle"})
    assert names(found) == ["Honda CRF 150"]
    assert [(h.code, h.word, h.meaning) for h in found.hints] == [("word_is_category", "motorcycle", "motorcycle")]


def test_a_type_and_a_name_may_come_together(world: Any, day: Any) -> None:
    assert names(search(world, day, text="honda scooters")) == ["Honda PCX 160"]


def test_a_small_typo_is_corrected_and_told(world: Any, day: Any) -> None:
    found = search(world, day, brand="yamha")
    assert names(found) == ["Yamaha NMAX 155"]
    assert [(h.code, h.meaning) for h in found.hints] == [("typo_corrected", "yamaha")]
    assert not search(world, day, brand="suzuki").offers


def test_taken_is_told_from_unknown(world: Any, day: Any) -> None:
    taken = search(world, day, "06-10", "06-17", text="pcx")
    assert (taken.total_found, taken.matching_total) == (0, 1)
    assert [vehicle.name for vehicle in taken.taken] == ["Honda PCX 160"]
    unknown = search(world, day, "06-10", "06-17", text="ninja")
    assert (unknown.total_found, unknown.matching_total, unknown.taken) == (0, 0, ())


def test_a_rule_that_forbids_all_is_told(world: Any, day: Any) -> None:
    found = search(world, day, "05-01", "05-03")
    assert found.refusal is not None
    assert found.refusal.code == "period_past"
    assert found.offers == ()


def test_a_closed_office_hides_its_vehicles_only(world: Any, day: Any) -> None:
    found = search(world, day, "06-06", "06-09")
    assert "Honda CRF 150" not in names(found)
    assert found.refusal is None
    kuta = search(world, day, "06-06", "06-09", office="kuta")
    assert kuta.refusal is not None
    assert kuta.refusal.code == "pickup_closed"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"office": "kuta", "end": "06-28", "start": "06-21"}, ["Honda CRF 150"]),
        ({"office": "nowhere"}, []),
        ({"gearbox": "automatic"}, ["Honda PCX 160", "Yamaha NMAX 155"]),
        ({"seats": 3}, ["Nusa 7"]),
        ({"category": "bicycle"}, []),
        ({"budget_minor": 1_119_999}, []),
        ({"budget_minor": 160_000, "budget_per": "day", "category": "boat"}, ["Nusa 7"]),
    ],
)
def test_filters_narrow(world_to_read: Any, day: Any, query: dict[str, Any], expected: list[str]) -> None:
    assert names(search(world_to_read, day, **query)) == expected


def test_prices_sort_and_pages_join(any_world: Any, day: Any) -> None:
    any_world.run(
        "INSERT INTO price_list (company_id, code, category, base_per_day_minor, version)"
        " VALUES (:company, 'boats', 'boat', 900000, 1)",
        company=any_world.a.company_id,
    )
    cheap = search(any_world, day, "06-21", "06-26")
    assert [o.is_cheapest for o in cheap.offers] == [True, False, False, False]
    assert names(cheap)[-1] == "Nusa 7"
    assert names(search(any_world, day, "06-21", "06-26", sort="price_desc"))[0] == "Nusa 7"
    pages = [search(any_world, day, "06-21", "06-26", page=n, page_size=3) for n in (1, 2, 3)]
    assert [name for page in pages for name in names(page)] == names(cheap)
    assert [page.has_more for page in pages] == [True, False, False]
    assert {page.total_found for page in pages} == {4}


def test_a_vehicle_out_of_service_is_not_offered(world: Any, day: Any) -> None:
    world.run("UPDATE vehicle SET state = 'workshop' WHERE plate = 'V1'")
    assert search(world, day, text="pcx").matching_total == 0


def test_exact_match_means_the_named_model(world: Any, day: Any) -> None:
    assert search(world, day, brand="honda", model="pcx").offers[0].is_exact_match
    assert not search(world, day, text="rain").offers[0].is_exact_match
    assert not search(world, day).offers[0].is_exact_match


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("BMW GS 1200", ("bmw", "gs", "1200")),
        ("n-max a 5", ("max",)),
        ("ฮอนด้า พีซีเอ็กซ์", ("ฮอนด้า", "พีซีเอ็กซ์")),  # vowel signs stay in their word
        ("STRASSE straße", ("strasse", "strasse")),
        ("", ()),
    ],
)
def test_words_are_split_at_what_is_neither_letter_nor_digit(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


def test_a_run_of_words_matches_from_a_words_start_only() -> None:
    """ "dax" is not in Honda XMAX, although the letters stand side by side."""
    xmax = model_words(1, ("Honda Xmax",))
    assert xmax.matches("hondax")
    assert not xmax.matches("dax")
    assert understand(["dax"], Vocabulary([xmax]), lambda _token: False).words[0].model_ids == frozenset()


@given(
    names=st.lists(st.lists(st.text("abé 1ก", max_size=8), max_size=3), max_size=5),
    token=st.text("abé1ก", min_size=2, max_size=4),
)
def test_the_models_found_at_once_are_those_that_match_one_by_one(names: list[list[str]], token: str) -> None:
    models = [model_words(n, tuple(of_model)) for n, of_model in enumerate(names)]
    expected = {entry.model_id for entry in models if entry.matches(token)}
    assert Vocabulary(models).models_with(token) == expected
