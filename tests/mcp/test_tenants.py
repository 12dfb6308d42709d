"""No company ever sees another's data: foreign is missing, to the byte; every query names the company."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import event

DATES = {"start": "2027-06-20", "end": "2027-06-27"}
CLIENT = {"first_name": "Alex", "phone": "+66812345678"}
MISSING = "00000000-0000-4000-8000-000000000000"

_SOURCE = re.compile(r"\b(?:FROM|JOIN|UPDATE|INTO)\s+(\w+)(?:\s+AS\s+(\w+))?", re.IGNORECASE)
_NOT_OF_A_COMPANY = {"sqlite_master", "pragma_table_info", "json_each"}


def unscoped(sql: str) -> Iterator[str]:
    """Tables of a statement that no company predicate binds."""
    for name, alias in _SOURCE.findall(sql):
        if name in _NOT_OF_A_COMPANY:
            continue
        if alias.upper() == "SET":
            alias = ""
        called = alias or name
        if sql.lstrip().upper().startswith("INSERT"):
            bound = "company_id" in sql or name == "company"
        elif name == "company":
            bound = re.search(r"\bcompany\.(id|slug) = ", sql) is not None
        elif name == "bot" and "bot.token_prefix = " in sql:
            bound = True  # the token decides which company it is
        else:
            bound = re.search(rf"\b{called}\.company_id = |= {called}\.company_id\b", sql) is not None
            # A second look at a row that is bound under the table's own name.
            same_row = re.search(rf"\b{name}\.id = \+?{called}\.id\b", sql) is not None
            bound = bound or (called != name and f"{name}.company_id = " in sql and same_row)
        if not bound:
            yield name


@pytest.fixture
def statements(api: Any) -> Iterator[list[str]]:
    """Every statement that runs, as the database gets it."""
    seen: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    event.listen(api.world.db.engine, "before_cursor_execute", note)
    yield seen
    event.remove(api.world.db.engine, "before_cursor_execute", note)


async def use_everything(api: Any) -> None:
    """Call each endpoint with each kind of argument."""
    uuid, taken = api.world.uuid("V1"), {"start": "2027-06-10", "end": "2027-06-17"}
    words = {"text": "pcx rain", "brand": "hnoda", "office": "sanur", "gearbox": "automatic", "seats": 2}
    for query in ({}, words, {"category": "scooter", "sort": "price_desc"}, taken, {**taken, **words}):
        assert (await api.get("vehicles/search_available/", **{**DATES, **query})).status_code == 200
    for path in ("availability", "pricing", "alternatives"):
        await api.get(f"vehicles/{path}/", vehicle_uuid=uuid, **DATES)
        await api.get(f"vehicles/{path}/", vehicle_uuid=uuid, **taken)
    await api.get(f"vehicles/{uuid}/bookings/")
    quotes = [await api.quote("V1", **DATES) for _ in range(2)]
    for actor in ("web:alex", "telegram:7"):
        await api.post("client/update/", {"first_name": "Alex", "email": "a@b.example"}, actor=actor)
        await api.get("client/info/", actor=actor)
    for quote, key in zip(quotes, ("key-of-the-first-one", "key-of-the-second-one"), strict=True):
        for _ in range(2):
            await api.post("vehicles/rentals/", api.order(quote, key))
    for path in ("company_info/", "offices/", "tools/", "health/"):
        await api.get(path)
    await use_rentals(api)


async def use_rentals(api: Any) -> None:
    """Hold, see and change rentals, as the web chat that made them and as a Telegram account."""
    api.world.run("UPDATE company SET hold_minutes = 5 WHERE company.slug = 'coral-rentals'")
    for actor in ("web:alex", "telegram:7"):
        held = await api.quote("V2", "2027-07-01", "2027-07-04", actor=actor)
        await api.post("vehicles/holds/", {"quote_uuid": held.get("quote_uuid", MISSING)}, actor=actor)
        rental = await api.book("V4", "2027-07-01", "2027-07-04", actor, phone="+66812345670")
        for include_past in (False, True):
            await api.get("rentals/", actor=actor, include_past=include_past)
        await api.get(f"rentals/{rental['rental_uuid']}/", actor=actor)
        for kind, body in (("move", {"start": "2027-07-02", "end": "2027-07-05"}), ("extend", {"end": "2027-07-06"})):
            for preview in (True, False):
                assert (await api.change(rental, kind, actor, preview=preview, **body)).status_code == 200
        for preview in (True, False):
            assert (await api.change(rental, "cancel", actor, preview=preview)).status_code == 200


async def test_every_query_names_the_company(api: Any, statements: list[str]) -> None:
    statements.clear()
    await use_everything(api)
    own = "SELECT uuid FROM vehicle WHERE plate = ?"  # the test's way to a vehicle's address
    found = {(table, sql) for sql in statements if sql != own for table in unscoped(sql)}
    assert found == set()
    used = {name for sql in statements for name, _ in _SOURCE.findall(sql)}
    assert used >= {
        "company", "office", "office_hours", "bot", "brand", "vehicle_model", "vehicle", "price_list", "price_season",
        "price_tier", "client", "client_contact", "quote", "rental", "rental_status_change", "idempotency", "outbox",
        "vehicle_hold",
    }  # fmt: skip


@pytest.mark.parametrize(
    "planted",
    [
        "SELECT vehicle.id FROM vehicle WHERE vehicle.uuid = ?",
        "SELECT v.id FROM vehicle AS v JOIN office ON office.id = v.office_id WHERE v.company_id = ?",
        "UPDATE rental SET status=? WHERE rental.id = ?",
        "SELECT bot.id FROM bot",
        "SELECT v.id FROM vehicle AS v, vehicle WHERE vehicle.company_id = ? AND vehicle.uuid = v.uuid",
        "INSERT INTO outbox (kind) VALUES (?)",
        "SELECT 1 FROM vehicle WHERE vehicle.company_id = ? AND EXISTS (SELECT 1 FROM rental WHERE rental.id = 1)",
    ],
)
def test_a_query_without_the_company_would_be_seen(planted: str) -> None:
    """Negative control."""
    assert list(unscoped(planted))


async def test_a_foreign_vehicle_is_a_missing_vehicle_to_the_byte(any_api: Any) -> None:
    """BL-180."""
    api = any_api
    foreign = api.world.uuid("H1")
    for path, query in (
        ("vehicles/availability/", DATES),
        ("vehicles/pricing/", DATES),
        ("vehicles/alternatives/", DATES),
    ):
        answers = [await api.get(path, vehicle_uuid=uuid, **query) for uuid in (foreign, MISSING)]
        assert [a.status_code for a in answers] == [404, 404]
        assert answers[0].content == answers[1].content
        assert dict(answers[0].headers) == dict(answers[1].headers)
    bookings = [await api.get(f"vehicles/{uuid}/bookings/") for uuid in (foreign, MISSING)]
    assert bookings[0].content == bookings[1].content
    own = await api.get(f"vehicles/{foreign}/bookings/", "harbour-wheels")
    assert own.status_code == 200


async def test_a_foreign_quote_is_a_missing_quote_to_the_byte(api: Any) -> None:
    quote = await api.quote("H1", **DATES, company="harbour-wheels")
    orders = [api.order(quote), {**api.order(quote), "quote_uuid": MISSING}]
    answers = [await api.post("vehicles/rentals/", order) for order in orders]
    assert [a.status_code for a in answers] == [404, 404]
    assert answers[0].content == answers[1].content
    assert (await api.post("vehicles/rentals/", api.order(quote), "harbour-wheels")).status_code == 200


async def test_a_foreign_rental_is_a_missing_rental_to_the_byte(any_api: Any) -> None:
    """BL-180, BL-183: another chat's, another company's and none are one answer, to every tool that takes a rental."""
    api = any_api
    rental = await api.book("V2", **DATES)
    own = f"rentals/{rental['rental_uuid']}/"
    key = {"idempotency_key": "key-of-a-stranger"}
    posts = (("move", {"start": "2027-06-21", "end": "2027-06-24"}), ("extend", {"end": "2027-06-28"}), ("cancel", {}))
    for company, actor in (("coral-rentals", "web:mallory"), ("coral-rentals", ""), ("harbour-wheels", "web:alex")):
        answers = [await api.get(path, company, actor) for path in (own, f"rentals/{MISSING}/")]
        for kind, body in posts:
            for extra in (key, {"preview": True}):
                paths = (f"{path}{kind}/" for path in (own, f"rentals/{MISSING}/"))
                answers += [await api.post(path, {**body, **extra}, company, actor) for path in paths]
        assert {a.status_code for a in answers} == {404}
        assert len({a.content for a in answers}) == 1
        assert (await api.get("rentals/", company, actor)).json()["rentals"] == []
    assert (await api.get(own)).json()["version"] == 1


async def test_nothing_of_another_company_is_ever_named(api: Any) -> None:
    """The words, offices, vehicles, prices and clients of one company, asked for with another's token."""
    secrets = ("Harbour", "Kymco", "Agility", "Nikos", "EUR", "Piraeus", api.world.uuid("H1"))
    queries = ({}, {"text": "agility"}, {"text": "secret of harbour"}, {"office": "piraeus"}, {"text": "H1"})
    answers = [(await api.get("vehicles/search_available/", **DATES, **query)).json() for query in queries]
    # Hints repeat what the caller asked for.
    texts = [str({**answer, "hints": None}) for answer in answers]
    texts += [(await api.get(path)).text for path in ("company_info/", "offices/", "client/info/")]
    found = [secret for text in texts for secret in secrets if secret.lower() in text.lower()]
    assert found == []
    assert "Agility 125" in (await api.get("vehicles/search_available/", "harbour-wheels", **DATES)).text


async def test_the_scope_comes_from_the_token_alone(any_api: Any) -> None:
    """BL-181: a company named in body, query or header changes nothing."""
    api = any_api
    headers = {"X-Bot-Token": api.tokens["coral-rentals"], "X-Company-Id": "2", "X-User-Id": "web:alex"}
    answer = await api.client.get("company_info/", headers=headers)
    assert answer.json()["slug"] == "coral-rentals"
    body = {"quote_uuid": "q", "idempotency_key": "key-of-one-request", "client": CLIENT, "company_id": 2}
    assert (await api.post("vehicles/rentals/", body)).status_code == 422
    assert (await api.get("offices/", company_id=2)).status_code == 422
