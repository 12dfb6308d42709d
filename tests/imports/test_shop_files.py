"""A shop loads its own files, all or nothing; every fault is told at once with its place."""

from __future__ import annotations

import json
import re
import time
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from jsonschema import Draft202012Validator
from sqlalchemy import text

from api.mcp import create_mcp_app
from api.shop_files.places import read_yaml
from api.shop_files.reading import read_shop
from api.shop_files.writing import SCHEMA_DIR, outdated_schemas, render_schema, write_shop
from store.crm.bots import authenticate_bot
from store.crm.clients import Claim, client_update
from store.crm.imports import export_company, import_company
from store.crm.search import SearchQuery, search_vehicles
from store.crm.vehicles import make_quote
from store.errors import Refused
from store.rules.company_checks import file_warnings
from store.rules.company_file import CompanyDocument, PricesDocument, VehicleEntry
from store.rules.spellings import WORDS
from store.seed import SEED_DATA, read_company_file, seed_company
from store.sql.scope import Scope

NOW = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
NUMBER = "Input should be a valid number, unable to parse string as a number"
INTEGER = "Input should be a valid integer, unable to parse string as an integer"
DATES = {"start": "2027-11-17", "end": "2027-11-20"}


def rows(database: Any, query: str) -> list[Any]:
    with database.read() as session:
        return list(session.connection().execute(text(query)).all())


async def test_the_example_leads_to_a_booking_in_under_a_minute(shop: Any, ridepass: Any, database: Any) -> None:
    """As the README says it: import, a token, search, price, book."""
    began = time.monotonic()
    assert "lagoon-rides is new" in ridepass("import", *shop.files).output
    token = ridepass("token", "create", "--company", "lagoon-rides", "--name", "agent").output.strip()
    headers = {"X-Bot-Token": token, "X-User-Id": "web:alex"}
    transport = httpx.ASGITransport(create_mcp_app(database, lambda: NOW))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop.test/", headers=headers) as api:
        found = (await api.get("vehicles/search_available/", params={**DATES, "text": "jeep"})).json()
        (offer,) = found["vehicles"]
        chosen = {**DATES, "vehicle_uuid": offer["vehicle"]["uuid"]}
        quote = (await api.get("vehicles/pricing/", params=chosen)).json()
        # Three days of high season at 1500 THB, 10 percent off, two decimals.
        assert quote["total"] == {"minor": 3 * 150_000 * 90 // 100, "currency": "THB", "exponent": 2}
        order = {
            "quote_uuid": quote["quote_uuid"],
            "idempotency_key": "key-of-one-request",
            "client": {"first_name": "Alex", "phone": "+66812345678"},
        }
        rental = (await api.post("vehicles/rentals/", json=order)).json()
    assert rental["order_number"].startswith("LR-")
    assert time.monotonic() - began < 60


def test_the_same_files_again_change_nothing(shop: Any, ridepass: Any, database: Any) -> None:
    ridepass("import", *shop.files)
    before = [rows(database, f"SELECT * FROM {t} ORDER BY id") for t in TABLES]  # noqa: S608
    assert "everything is as the files say" in ridepass("import", *shop.files).output
    assert [rows(database, f"SELECT * FROM {t} ORDER BY id") for t in TABLES] == before  # noqa: S608


TABLES = ("company", "office", "office_hours", "brand", "vehicle_model", "vehicle", "price_list", "price_season")


def test_an_export_is_the_import_and_its_own_export(shop: Any, ridepass: Any, tmp_path: Path) -> None:
    ridepass("import", *shop.files)
    first, second = tmp_path / "first", tmp_path / "second"
    ridepass("export", "--company", "lagoon-rides", str(first))
    exported = [str(first / name) for name in ("company.yaml", "fleet.csv", "prices.yaml")]
    assert "everything is as the files say" in ridepass("import", *exported).output
    ridepass("export", "--company", "lagoon-rides", str(second))
    assert {p.name: p.read_bytes() for p in first.iterdir()} == {p.name: p.read_bytes() for p in second.iterdir()}


@pytest.mark.parametrize("slug", ["coral-rentals", "harbour-wheels"])
def test_the_demo_companies_make_the_round_trip(slug: str, database: Any, tmp_path: Path) -> None:
    file = read_company_file(SEED_DATA / f"{slug}.json")
    import_company(database, file, NOW)
    files = write_shop(export_company(database, slug), tmp_path)
    reading = read_shop(files)
    assert reading.problems == ()
    assert reading.file is not None
    assert import_company(database, reading.file, NOW).is_same
    assert import_company(database, file, NOW).is_same


def test_a_trial_says_the_same_and_keeps_nothing(shop: Any, ridepass: Any, database: Any) -> None:
    trial = ridepass("import", *shop.files, "--dry-run").output
    assert "lagoon-rides would be new" in trial
    assert rows(database, "SELECT * FROM company") == []
    assert ridepass("import", *shop.files).output == trial.replace("would be", "is")


def test_every_fault_is_told_at_once_with_file_line_and_column(shop: Any, ridepass: Any, database: Any) -> None:
    shop.change("company.yaml", "currency: THB", "currency: BAHT")
    shop.change("company.yaml", "tagline:", "tagleine:")
    shop.change("company.yaml", "mon: [08:30-18:00]", "mon: [18:00-08:30]")
    shop.change("company.yaml", "latitude: 7.9870", "latitude: north")
    shop.change("fleet.csv", ",2026,top case", ",twenty,top case")
    shop.change("fleet.csv", "กขค-103,click-125,bang-tao", "กขค-103,click-125,")
    shop.change("prices.yaml", "percent_off: 10", "percent_off: ten")
    shop.change("prices.yaml", "base: 4500", "bass: 4500")
    output = ridepass("import", *shop.files, code=1).output
    told = [re.match(r"([a-z.]+:\d+:\d+): (.*)", line) for line in output.splitlines()]
    assert [match.groups() for match in told if match] == [
        ("company.yaml:7:3", "company.tagleine: there is no such setting"),
        ("company.yaml:8:3", "company.currency: 'BAHT' has to be written as three capital letters, as in EUR"),
        ("company.yaml:32:5", f"offices.1.latitude: {NUMBER}"),
        ("company.yaml:35:13", "offices.1.hours.mon.1: the office would close before it opens"),
        ("fleet.csv:4:3", "3.office: this is missing"),
        ("fleet.csv:5:5", f"4.year: {INTEGER}"),
        ("prices.yaml:9:32", f"tiers.2.percent_off: {INTEGER}"),
        ("prices.yaml:18:5", "price_lists.4.bass: there is no such setting"),
    ]
    assert "8 problems; nothing was loaded." in output
    assert rows(database, "SELECT * FROM company") == []


def test_no_shop_has_to_read_a_pattern() -> None:
    """Every pattern of the files has words; a new one without them fails here."""
    patterns = {
        found
        for model in (CompanyDocument, PricesDocument, VehicleEntry)
        for found in re.findall(r'"pattern": ("(?:[^"\\\\]|\\\\.)*")', json.dumps(model.model_json_schema()))
    }
    assert {json.loads(pattern) for pattern in patterns} == set(WORDS)


def test_brackets_without_end_are_refused_before_they_are_read(shop: Any, ridepass: Any) -> None:
    shop.change("company.yaml", "tagline:", f"tagline: {'[' * 100_000}\n  motto:")
    assert "company.yaml:1:1: too deeply nested" in ridepass("import", *shop.files, code=1).output


def test_what_only_the_whole_can_know_is_told_with_its_place(shop: Any, ridepass: Any) -> None:
    shop.change("fleet.csv", "กขค-102,click-125", "กขค-101,clik-125")
    shop.change("fleet.csv", "LT-08,longtail-8,pier", "LT-08,longtail-8,peer")
    shop.change("company.yaml", "brand: suzuki", "brand: suzuky")
    shop.change("prices.yaml", "model: adv-160", "model: adv-150")
    shop.change("prices.yaml", "seasons: {high: 300", "seasons: {hi: 300")
    shop.change("prices.yaml", "{min_days: 3, max_days: 6", "{min_days: 2, max_days: 6")
    lines = ridepass("import", *shop.files, code=1).output.splitlines()
    for expected in (
        "fleet.csv:3:1: 'กขค-101' is there twice",
        "fleet.csv:3:2: there is no model 'clik-125'",
        "fleet.csv:7:3: there is no office 'peer'",
        "prices.yaml:14:17: there is no model 'adv-150'",
        "prices.yaml:13:5: click: there is no season 'hi'",
    ):
        assert expected in lines
    assert any(line == "company.yaml:61:19: there is no brand 'suzuky'" for line in lines)
    assert sum("two tiers cover a stay of 2 days" in line for line in lines) == 2


def test_a_cancellation_policy_that_would_fail_later_is_told_with_its_place(
    shop: Any, ridepass: Any, database: Any
) -> None:
    """Two weeks of hours are fine; the year 117,000 is no day to be free until."""
    shop.change("company.yaml", "{hours_before: 48, fee_percent: 0}", "{hours_before: 999999999}")
    shop.change(
        "company.yaml", "{hours_before: 0, fee_days: 1}", "{hours_before: 0, fee_days: 1}\n    - {hours_before: 0}"
    )
    lines = ridepass("import", *shop.files, code=1).output.splitlines()
    policy = [line for line in lines if line.startswith("company.yaml")]
    assert [line.split(": ")[0] for line in policy] == ["company.yaml:19:7", "company.yaml:21:7", "company.yaml:21:7"]
    assert "out of range" in policy[0]
    assert rows(database, "SELECT * FROM company") == []
    shop.change("company.yaml", "{hours_before: 999999999}", "{hours_before: 336}")
    shop.change("company.yaml", "\n    - {hours_before: 0}", "")
    ridepass("import", *shop.files)


def test_the_code_of_an_extra_is_one_that_callers_can_choose_by(shop: Any, ridepass: Any) -> None:
    shop.change("prices.yaml", "price_lists:", "extras: [{code: 'child seat:2', name: Seat, price: 5}]\nprice_lists:")
    assert "extras.1.code" in ridepass("import", *shop.files, code=1).output
    shop.change("prices.yaml", "'child seat:2'", "child-seat")
    ridepass("import", *shop.files)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("company.yaml", b"company: {a: 1\n", "company.yaml:2:1: not YAML"),
        ("company.yaml", b"", "company.yaml:1:1: the file is empty"),
        ("company.yaml", b"- 1\n", "company.yaml:1:1: Input should be"),
        ("company.yaml", b"company: {slug: a, slug: b}", "company.yaml:1:20: 'slug' is there twice"),
        ("company.yaml", b"a: &a [*a]", "company.yaml:1:1: the file is too large, or its aliases repeat too much"),
        ("company.yaml", b"a: !!python/object/apply:os.system [id]", "company.yaml:1:1: a: there is no such setting"),
        ("company.yaml", b"name: caf\xe9", "company.yaml:1:1: not UTF-8"),
        ("fleet.csv", b"", "fleet.csv:1:1: the column 'plate' is missing"),
        ("fleet.csv", b"plate,model,office,color\n", "fleet.csv:1:4: there is no column 'color'"),
        ("fleet.csv", b"plate,model,office\na,b,c,d\n", "fleet.csv:2:4: more cells than the header has"),
        ("fleet.csv", b'plate,model,office\n"a,b,c\n', "fleet.csv:2:1: not CSV"),
        ("prices.yaml", None, "prices.yaml:1:1: No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_one_line(
    shop: Any, ridepass: Any, name: str, content: bytes | None, told: str
) -> None:
    path = shop.directory / name
    path.unlink() if content is None else path.write_bytes(content)
    assert told in ridepass("import", *shop.files, code=1).output


def test_a_fleet_from_a_spreadsheet_is_understood(shop: Any, ridepass: Any, database: Any) -> None:
    """Semicolons, a byte order mark, Windows line ends, columns in another order."""
    table = "Office;Plate;Model;Year\r\nbang-tao;1;click-125;2025\r\n\r\npier;02;longtail-8;\r\n"
    (shop.directory / "fleet.csv").write_bytes(b"\xef\xbb\xbf" + table.encode())
    ridepass("import", *shop.files)
    assert rows(database, "SELECT plate, year FROM vehicle ORDER BY id") == [("1", 2025), ("02", None)]


def test_numbers_stay_as_they_are_written() -> None:
    data = read_yaml("phone: 0812\nbase: 45.10\nat: 10:00\ncountry: no\nnothing: ~\nquoted: '~'", "x").data
    assert data == {
        "phone": "0812", "base": "45.10", "at": "10:00", "country": "no", "nothing": None, "quoted": "~",
    }  # fmt: skip


def test_another_companys_file_is_refused(shop: Any, ridepass: Any, database: Any) -> None:
    output = ridepass("import", *shop.files, "--company", "coral-rentals", code=1).output
    assert "company.yaml is of 'lagoon-rides', not of 'coral-rentals'" in output
    assert rows(database, "SELECT * FROM company") == []


def test_changes_are_told_and_what_is_gone_is_retired(shop: Any, ridepass: Any, database: Any) -> None:
    ridepass("import", *shop.files)
    shop.change("fleet.csv", "กขค-102,click-125,bang-tao,red,2025,\n", "")
    shop.change("fleet.csv", "white,2025", "black,2025")
    shop.change("prices.yaml", "base: 1200", "base: 1300")
    shop.change("company.yaml", "name: The pier", "name: Laem Hin")
    output = ridepass("import", *shop.files).output
    assert "offices: 0 new, 1 changed, 0 gone" in output
    assert "vehicles: 0 new, 1 changed, 1 gone" in output
    assert "price lists: 0 new, 1 changed, 0 gone" in output
    assert "everything is as the files say" in ridepass("import", *shop.files).output
    assert rows(database, "SELECT plate FROM vehicle WHERE state = 'retired'") == [("กขค-102",)]


def test_a_shop_is_told_whom_to_call_when_a_vehicle_with_a_rental_is_gone(database: Any) -> None:
    file = read_company_file(SEED_DATA / "coral-rentals.json")
    seed_company(database, file, NOW)
    (plate, number, phone), *_ = rows(
        database,
        "SELECT plate, order_number, customer_phone FROM rental r JOIN vehicle v ON v.id = r.vehicle_id"
        " WHERE r.status = 'confirmed' AND r.start_date > '2027-06-01' ORDER BY r.start_date",
    )
    left = tuple(vehicle for vehicle in file.vehicles if vehicle.plate != plate)
    told = import_company(database, file.model_copy(update={"vehicles": left}), NOW).rentals_of_gone_vehicles
    assert (told[0].plate, told[0].order_number, told[0].phone) == (plate, number, phone)


def test_an_empty_fleet_is_a_fault_and_not_a_shop_without_vehicles(shop: Any, ridepass: Any) -> None:
    ridepass("import", *shop.files)
    fleet = shop.directory / "fleet.csv"
    fleet.write_text(fleet.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert "the fleet is empty" in ridepass("import", *shop.files, code=1).output


def test_a_vehicle_is_found_by_its_colour(shop: Any, ridepass: Any, database: Any) -> None:
    ridepass("import", *shop.files)
    scope = Scope(1, actor="web:a")
    now = datetime(2027, 5, 31, 7, 30, tzinfo=UTC)
    for colour in ("red", "white"):
        found = search_vehicles(database, scope, now, SearchQuery(date(2027, 11, 17), date(2027, 11, 20), text=colour))
        assert {offer.vehicle.colour for offer in found.offers} == {colour}


def test_limits_of_a_season_that_a_list_does_not_price_are_told() -> None:
    file = read_company_file(SEED_DATA / "coral-rentals.json")
    season = file.seasons[0].model_copy(update={"min_days": 3})
    entry = file.price_lists[0].model_copy(update={"seasons": {}})
    odd = file.model_copy(
        update={"seasons": (season, *file.seasons[1:]), "price_lists": (entry, *file.price_lists[1:])}
    )
    assert [message for _, message in file_warnings(odd) if "limits of stay" in message and entry.code in message]


def test_a_quote_outlives_its_price_list(database: Any) -> None:
    """The list that a quote was made from is put aside and prices nothing more."""
    file = read_company_file(SEED_DATA / "coral-rentals.json")
    import_company(database, file, NOW)
    scope = Scope(1, actor="web:a")
    (uuid,) = rows(database, "SELECT uuid FROM vehicle v WHERE plate = (SELECT min(plate) FROM vehicle)")[0]
    make_quote(database, scope, NOW, uuid, date(2027, 9, 20), date(2027, 9, 22))
    lists = tuple(e.model_copy(update={"deposit": 1}) for e in file.price_lists)
    changed = import_company(database, file.model_copy(update={"price_lists": lists}), NOW)
    assert changed.changes["price lists"].changed == len(lists)
    assert rows(database, "SELECT count(*) FROM price_list WHERE code LIKE '-%'") == [(1,)]
    assert make_quote(database, scope, NOW, uuid, date(2027, 9, 20), date(2027, 9, 22)).price.deposit_minor == 1
    assert import_company(database, export_company(database, "coral-rentals"), NOW).is_same


def test_the_currency_of_a_shop_with_rentals_stays(database: Any) -> None:
    file = read_company_file(SEED_DATA / "coral-rentals.json")
    seed_company(database, file, NOW)
    other = file.model_copy(update={"company": file.company.model_copy(update={"currency": "USD"})})
    with pytest.raises(Refused) as caught:
        import_company(database, other, NOW)
    assert caught.value.code == "currency_in_use"
    assert rows(database, "SELECT currency FROM company") == [("IDR",)]


def test_order_numbers_never_go_back(database: Any) -> None:
    file = read_company_file(SEED_DATA / "coral-rentals.json")
    seed_company(database, file, NOW)
    before = rows(database, "SELECT next_order_number FROM company")
    assert before[0][0] > file.company.next_order_number
    import_company(database, file, NOW)
    assert rows(database, "SELECT next_order_number FROM company") == before


def test_the_committed_schemas_are_those_of_the_models() -> None:
    assert outdated_schemas() == []


def test_the_example_fits_the_schemas(shop: Any) -> None:
    """As an editor reads it: with numbers."""
    for name in ("company", "prices"):
        schema = json.loads((SCHEMA_DIR / f"{name}.schema.json").read_text(encoding="utf-8"))
        data = yaml.safe_load((shop.directory / f"{name}.yaml").read_text(encoding="utf-8"))
        Draft202012Validator(schema).validate(data)
        data["nonsense"] = 1
        assert not Draft202012Validator(schema).is_valid(data)
    assert '"number"' in render_schema("prices.schema.json")


def test_tokens_are_made_followed_listed_and_revoked(shop: Any, ridepass: Any, database: Any) -> None:
    ridepass("import", *shop.files)
    ours = ("--company", "lagoon-rides")
    first = ridepass("token", "create", *ours, "--name", "board").output.strip()
    second = ridepass("token", "rotate", *ours, "--name", "board").output.strip()
    assert all(authenticate_bot(database, token, NOW) for token in (first, second)), "two are good at a time"
    third = ridepass("token", "rotate", *ours, "--name", "board").output.strip()
    good = [authenticate_bot(database, token, NOW) is not None for token in (first, second, third)]
    assert good == [False, True, True]
    listed = ridepass("token", "list", *ours).output
    assert [line.split()[1] for line in listed.splitlines()] == ["revoked", "good", "good"]
    assert not any(token in listed for token in (first, second, third))
    ridepass("token", "revoke", *ours, second)  # as somebody with a leak pastes it
    assert authenticate_bot(database, second, NOW) is None
    fourth = ridepass("token", "create", *ours, "--name", "board").output.strip()
    ridepass("token", "revoke", *ours, f"{fourth[:12]}…")
    assert authenticate_bot(database, fourth, NOW) is None
    ridepass("token", "revoke", *ours, "board")
    assert authenticate_bot(database, third, NOW) is None
    assert "No such token." in ridepass("token", "revoke", *ours, "board", code=1).output
    assert "No such token." in ridepass("token", "rotate", *ours, "--name", "board", code=1).output
    assert "No such company." in ridepass("token", "list", "--company", "nobody", code=1).output


def test_staff_find_merge_export_and_erase_clients(shop: Any, ridepass: Any, database: Any) -> None:
    ridepass("import", *shop.files)
    ours = ("--company", "lagoon-rides")
    for n, name in enumerate(("Zoë", "Zoé")):
        client_update(database, Scope(1, actor=f"telegram:{n}"), NOW, Claim(name, "Quist", f"+6681234567{n}"))
    lines = ridepass("client", "find", *ours, "zoe quist").output.splitlines()
    one, two = (line.split()[0] for line in lines)
    number = ridepass("client", "merge", *ours, one, two).output.strip()
    assert len(ridepass("client", "find", *ours, "zoe").output.splitlines()) == 1
    ridepass("client", "unmerge", *ours, number)
    assert len(ridepass("client", "find", *ours, "zoe").output.splitlines()) == 2
    data = json.loads(ridepass("client", "export", *ours, "--phone", "081 234 5670").output)
    assert data["client"][0]["first_name"] in {"Zoë", "Zoé"}
    assert "erased client" in ridepass("client", "erase", *ours, "--phone", "081 234 5670", "--yes").output
    assert len(ridepass("client", "find", *ours, "zoe").output.splitlines()) == 1
    assert "No such client." in ridepass("client", "erase", *ours, "--uuid", "nobody", "--yes", code=1).output
