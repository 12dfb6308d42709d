"""Cases of the fault log through the business API, each on both engines."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest


async def verdicts(api: Any, plate: str, start: str, end: str, actor: str = "web:other") -> dict[str, bool]:
    """What each path says about one vehicle and period; creating is last, since it changes the world."""
    period = {"start": f"2027-{start}", "end": f"2027-{end}"}
    query = {"vehicle_uuid": api.world.uuid(plate), **period}
    found = await api.get("vehicles/search_available/", actor=actor, text=plate, **period)
    near = await api.get("vehicles/alternatives/", actor=actor, **query)
    quote = await api.get("vehicles/pricing/", actor=actor, **query)
    verdict = {
        "search": found.json()["total_found"] == 1,
        "availability": (await api.get("vehicles/availability/", actor=actor, **query)).json()["available"],
        "alternatives": near.status_code == 200 and near.json()["available"],
        "quote": quote.status_code == 200,
    }
    if quote.status_code == 200:
        order = api.order(quote.json(), f"key-of-{plate}-{start}-{end}")
        verdict["create"] = (await api.post("vehicles/rentals/", order, actor=actor)).status_code == 200
    return verdict


async def test_every_path_gives_the_same_verdict_about_an_overlap(any_api: Any) -> None:
    """BL-005 inside; BL-006 sharing a start, an end, both, around; BL-007 touching before, BL-008 touching after."""
    for start, end in (("12", "14"), ("10", "12"), ("15", "17"), ("10", "17"), ("09", "18")):
        found = await verdicts(any_api, "V1", f"06-{start}", f"06-{end}")
        assert found == dict.fromkeys(found, False), (start, end)
    for start, end in (("07", "10"), ("17", "20")):
        found = await verdicts(any_api, "V1", f"06-{start}", f"06-{end}")
        assert found == dict.fromkeys(found, True), (start, end)
        assert "create" in found


async def test_what_is_taken_comes_with_ways_out(any_api: Any) -> None:
    """BL-005: alternatives are offered, each of them free and priced."""
    query = {"vehicle_uuid": any_api.world.uuid("V1"), "start": "2027-06-12", "end": "2027-06-14"}
    found = (await any_api.get("vehicles/alternatives/", **query)).json()
    assert not found["available"]
    assert found["options"]
    for option in found["options"]:
        asked = {"start": option["period"]["start"], "end": option["period"]["end"]}
        uuid = option["offer"]["vehicle"]["uuid"]
        quote = await any_api.get("vehicles/pricing/", vehicle_uuid=uuid, **asked)
        assert quote.json()["total"] == option["offer"]["total"]


async def test_preparation_time_keeps_a_gap_on_both_sides(any_api: Any) -> None:
    """BL-007, BL-008: four hours to prepare part the day of return from the day of pick-up; told why."""
    any_api.world.run("UPDATE company SET turnaround_hours = 4")
    await any_api.book("V2", "2027-08-25", "2027-08-26")
    for start, end in (("08-24", "08-25"), ("08-26", "08-28")):
        found = await verdicts(any_api, "V2", start, end)
        assert found == dict.fromkeys(found, False)
    query = {"vehicle_uuid": any_api.world.uuid("V2"), "start": "2027-08-26", "end": "2027-08-28"}
    conflicts = (await any_api.get("vehicles/availability/", **query)).json()["conflicts"]
    assert [(c["start"], c["end"]) for c in conflicts] == [("2027-08-25", "2027-08-26")]
    found = await verdicts(any_api, "V2", "08-27", "08-28")
    assert found == dict.fromkeys(found, True)


@pytest.mark.parametrize("blocks", [True, False])
async def test_a_request_that_waits_blocks_every_path_or_none(any_api: Any, blocks: bool) -> None:
    """BL-004: by the company's one setting."""
    any_api.world.run("UPDATE company SET pending_blocks = :blocks", blocks=blocks)
    any_api.world.put_rental("V2", "07-01", "07-04", "pending")
    found = await verdicts(any_api, "V2", "07-02", "07-03")
    assert found == dict.fromkeys(found, not blocks)


async def test_nobody_knows_of_a_booking_that_was_not_finished(any_api: Any) -> None:
    """BL-026: what fails inside leaves no key behind, and the same key books afterwards."""
    quote = await any_api.quote("V2", "2027-06-20", "2027-06-22")
    order = any_api.order(quote)
    any_api.world.run("UPDATE company SET order_prefix = 'X', next_order_number = 1")
    any_api.world.put_rental("V4", "07-01", "07-02")
    any_api.world.run("UPDATE rental SET order_number = 'X-1' WHERE start_date = '2027-07-01'")
    failed = await any_api.post("vehicles/rentals/", order)
    assert failed.status_code >= 400
    assert any_api.world.count("idempotency") == 0
    any_api.world.run("UPDATE company SET next_order_number = 500")
    made = await any_api.post("vehicles/rentals/", order)
    assert (made.status_code, made.json()["order_number"]) == (200, "X-500")


async def test_today_is_the_offices_today(any_api: Any) -> None:
    """BL-089: 10 June 07:30 in Makassar is the 9th in UTC."""
    any_api.world.now = datetime(2027, 6, 9, 23, 30, tzinfo=UTC)
    found = await verdicts(any_api, "V2", "06-10", "06-12")
    assert found == dict.fromkeys(found, True)
    found = await verdicts(any_api, "V4", "06-09", "06-12")
    assert found == dict.fromkeys(found, False)


async def test_a_price_that_moved_is_never_booked_in_silence(any_api: Any) -> None:
    """BL-113: a new price list between offer and confirm; both amounts are told and nothing is booked."""
    quote = await any_api.quote("V2", "2027-06-20", "2027-06-22")
    any_api.world.run("UPDATE price_season SET per_day_minor = per_day_minor * 2")
    any_api.world.now += timedelta(seconds=50)
    answer = await any_api.post("vehicles/rentals/", any_api.order(quote))
    assert (answer.status_code, answer.json()["code"]) == (409, "price_changed")
    facts = answer.json()["facts"]
    assert (facts["old_total"]["minor"], facts["new_total"]["minor"]) == (400_000, 800_000)
    assert (await any_api.get("rentals/")).json()["rentals"] == []


async def test_an_unchanged_offer_is_booked_without_a_word_about_prices(any_api: Any) -> None:
    """BL-116."""
    quote = await any_api.quote("V2", "2027-06-20", "2027-06-22")
    answer = await any_api.post("vehicles/rentals/", any_api.order(quote))
    assert answer.json()["total"] == quote["total"]
    assert "price_changed" not in answer.text


async def test_a_shortest_rental_is_kept_and_zero_is_no_limit(any_api: Any) -> None:
    """BL-122: the refusal names the rule."""
    any_api.world.run("UPDATE company SET min_days = 2, max_days = 30")
    found = await verdicts(any_api, "V2", "06-20", "06-21")
    assert found == dict.fromkeys(found, False)
    query = {"vehicle_uuid": any_api.world.uuid("V2"), "start": "2027-06-20", "end": "2027-06-21"}
    refusal = (await any_api.get("vehicles/availability/", **query)).json()["refusal"]
    assert (refusal["code"], refusal["facts"]["min_days"]) == ("period_too_short", 2)
    any_api.world.run("UPDATE company SET min_days = 0, max_days = 0")
    found = await verdicts(any_api, "V2", "06-20", "06-25")
    assert found == dict.fromkeys(found, True)


@pytest.mark.parametrize(("stay_by", "over_the_edge"), [("arrival", True), ("any_day", False)])
async def test_a_seasons_minimum_is_judged_alike_everywhere(any_api: Any, stay_by: str, over_the_edge: bool) -> None:
    """BL-124: by arrival or by what is touched, as the company says; one verdict in every path."""
    any_api.world.now = datetime(2027, 5, 29, 1, 0, tzinfo=UTC)
    any_api.world.run("UPDATE price_season SET min_days = 3 WHERE code = 'high'")
    any_api.world.run("UPDATE price_list SET stay_by = :by", by=stay_by)
    # 1 June is a day of return here, and the night to it is not in the season.
    for plate, start, end, is_free in (("V2", "05-30", "06-01", True), ("V4", "05-31", "06-02", over_the_edge)):
        found = await verdicts(any_api, plate, start, end)
        assert found == dict.fromkeys(found, is_free)


async def test_a_closed_day_of_pick_up_names_the_next_open_one(any_api: Any) -> None:
    """BL-125: Sunday 6 June at Kuta."""
    found = await verdicts(any_api, "V3", "06-06", "06-08")
    assert found == dict.fromkeys(found, False)
    query = {"vehicle_uuid": any_api.world.uuid("V3"), "start": "2027-06-06", "end": "2027-06-08"}
    refusal = (await any_api.get("vehicles/availability/", **query)).json()["refusal"]
    assert (refusal["code"], refusal["facts"]["next_open"]) == ("pickup_closed", "2027-06-07")


async def test_one_phone_at_two_companies_is_two_clients(any_api: Any) -> None:
    """BL-133: and neither answer knows anything of the other."""
    phone = {"first_name": "Olga", "phone": "+66812345678"}
    await any_api.post("client/update/", phone)
    await any_api.post("client/update/", {**phone, "first_name": "Pavel"}, "harbour-wheels")
    known = [(await any_api.get("client/info/", company)).json() for company in ("coral-rentals", "harbour-wheels")]
    assert [one["first_name"] for one in known] == ["Olga", "Pavel"]
    assert len({one["client_uuid"] for one in known}) == 2


async def test_a_phone_that_another_account_booked_with_opens_nothing(any_api: Any) -> None:
    """BL-134: 222 gives the phone of 111: both are booked, nothing is overwritten, 222 sees none of 111's."""
    first = await any_api.book("V1", "2027-06-20", "2027-06-22", "telegram:111", first_name="Olga")
    second = await any_api.book("V2", "2027-06-20", "2027-06-22", "telegram:222", first_name="Pavel")
    infos = [(await any_api.get("client/info/", actor=f"telegram:{n}")).json() for n in (111, 222)]
    assert [info["first_name"] for info in infos] == ["Olga", "Pavel"]
    assert not infos[1].get("phone_masked")
    seen = (await any_api.get("rentals/", actor="telegram:222")).json()["rentals"]
    assert [rental["rental_uuid"] for rental in seen] == [second["rental_uuid"]]
    foreign = await any_api.get(f"rentals/{first['rental_uuid']}/", actor="telegram:222")
    assert foreign.status_code == 404
    flag = "SELECT staff_flag FROM rental WHERE uuid = :uuid"
    assert any_api.world.value(flag, uuid=second["rental_uuid"]) == "phone_of_other_client"


async def test_a_name_is_kept_as_typed_in_every_answer(any_api: Any) -> None:
    """BL-138, BL-139, BL-141: marks, pictures, other scripts; a sign that would turn the rest of a line is no name."""
    kept_as = {"Siobhán O'Neil": "", "Маша 🛵 Иванова": "", "נועה לוי": "", "Ali\u202egnp.exe": "Alignp.exe"}
    for n, (name, kept) in enumerate(kept_as.items()):
        actor, claim = f"web:{n}", {"first_name": name, "phone": f"+6681234567{n}"}
        rental = await any_api.book("V2", f"2027-07-0{n * 2 + 1}", f"2027-07-0{n * 2 + 2}", actor, **claim)
        assert rental["client_first_name"] == (kept or name)
        assert (await any_api.get("client/info/", actor=actor)).json()["first_name"] == (kept or name)


async def test_signs_of_a_pattern_match_nothing(any_api: Any) -> None:
    """BL-143: the answer says which word was of no use."""
    for words in ("%", "_"):
        found = await searched(any_api, words)
        assert (found["total_found"], found["matching_total"]) == (0, 0)
        assert found["hints"][0]["code"] == "no_such_word"


async def test_a_model_is_found_however_it_is_spaced(any_api: Any) -> None:
    """BL-144."""
    for words in ("pcx160", "160 pcx honda", "Honda  PCX-160 "):
        vehicles = (await searched(any_api, words))["vehicles"]
        assert [offer["vehicle"]["uuid"] for offer in vehicles] == [any_api.world.uuid("V1")], words


async def searched(api: Any, words: str) -> Any:
    answer = await api.get("vehicles/search_available/", start="2027-06-20", end="2027-06-27", text=words)
    assert answer.status_code == 200
    return answer.json()
