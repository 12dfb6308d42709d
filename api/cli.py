"""The `ridepass` command."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from api.settings import Settings

if TYPE_CHECKING:
    from datetime import datetime

    from store.sql.unit import Database

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Conversational booking for vehicle rentals.")
token_app = typer.Typer(no_args_is_help=True, help="Tokens of bots that use the business API.")
client_app = typer.Typer(no_args_is_help=True, help="Clients: find, merge, hand out their data, forget them.")
app.add_typer(token_app, name="token")
app.add_typer(client_app, name="client")

Company = Annotated[str, typer.Option(help="Slug of the company.")]


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(envvar="RIDEPASS_PORT", help="Port to listen on.")] = 8000,
    workers: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
) -> None:
    """Serve the demo page, the chat, and the business API."""
    from api.serving import serve as run

    run(Settings(), host=host, port=port, workers=workers)


@app.command()
def chat(
    company: Annotated[str | None, typer.Option(help="Slug of the company.")] = None,
    message: Annotated[list[str] | None, typer.Option(help="Say this and exit; may be given several times.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the ChatResponse of each message.")] = False,
) -> None:
    """Hold the same conversation in the terminal, cards drawn as text."""
    from api.terminal import run_chat

    settings = Settings()
    asyncio.run(run_chat(settings, company or settings.company, message or [], as_json=json))


@app.command()
def seed() -> None:
    """Load the demo companies into the database (they are there already after the first `serve`)."""
    from api.clock import parse_clock
    from api.wiring import open_database
    from store.seed import seed as load

    settings = Settings()
    clock = parse_clock(settings.now, settings.now_zone)
    database = open_database(settings.model_copy(update={"seed_demo": False}), clock)
    load(database, clock())
    typer.echo("The demo companies are loaded.")


@app.command()
def contract(
    write: Annotated[bool, typer.Option("--write", help="Write the schema from the models.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Fail when models and schema differ.")] = False,
) -> None:
    """Export or check the published JSON Schema of the render contract."""
    import json as json_module

    from frontend_contract import schema
    from frontend_contract.additive import breaking_changes

    fresh, committed = schema.render_schema(), schema.read_committed()
    if committed:
        for problem in breaking_changes(json_module.loads(committed), json_module.loads(fresh)):
            typer.echo(f"breaks readers: {problem}", err=True)
    if write:
        schema.write_schema()
        typer.echo(f"wrote {schema.SCHEMA_PATH}")
    if check and fresh != committed:
        typer.echo(
            "The models and frontend_contract/schema/contract.v1.json differ: `ridepass contract --write`.", err=True
        )
        raise typer.Exit(1)
    if check:
        typer.echo("The schema is up to date.")


@app.command()
def doctor(
    port: Annotated[
        int, typer.Option(envvar="RIDEPASS_PORT", help="Of a server here that is asked what fails now; 0 asks none.")
    ] = 8000,
) -> None:
    """Say what is configured, what is missing, whether it answers, and what fails now."""
    from api.doctor import examine

    lines, ok = asyncio.run(examine(Settings(), running_at=f"http://127.0.0.1:{port}" if port else ""))
    for line in lines:
        typer.echo(line)
    raise typer.Exit(0 if ok else 1)


@app.command("import")
def import_shop(
    company_file: Annotated[Path, typer.Argument(metavar="COMPANY.YAML")],
    fleet_file: Annotated[Path, typer.Argument(metavar="FLEET.CSV")],
    prices_file: Annotated[Path, typer.Argument(metavar="PRICES.YAML")],
    company: Annotated[str | None, typer.Option(help="Refuse a file that is of another company.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would change, and keep nothing.")] = False,
) -> None:
    """Load a shop from its own files, all or nothing. The same files again change nothing."""
    from api.shop_files.commands import run_import
    from api.shop_files.reading import ShopFiles

    with _store() as (database, now):
        files = ShopFiles(company_file, fleet_file, prices_file)
        lines, ok = run_import(database, files, now, company, dry_run=dry_run)
    for line in lines:
        typer.echo(line, err=not ok)
    raise typer.Exit(0 if ok else 1)


@app.command("export")
def export_shop(company: Company, directory: Annotated[Path, typer.Argument(metavar="DIR")]) -> None:
    """Write a company's files, and the JSON Schemas by which editors help with them."""
    from api.shop_files.writing import write_shop
    from store.crm.imports import export_company

    with _store() as (database, _now):
        files = write_shop(export_company(database, company), directory)
    for path in (files.company, files.fleet, files.prices):
        typer.echo(f"wrote {path}")


@app.command()
def schemas(
    write: Annotated[bool, typer.Option("--write", help="Write the schemas from the models.")] = False,
) -> None:
    """Check, or write, the committed JSON Schemas of the shop's files."""
    from api.shop_files.writing import outdated_schemas, write_schemas

    if write:
        write_schemas()
    outdated = outdated_schemas()
    for name in outdated:
        typer.echo(f"store/schemas/{name} and the models differ: `ridepass schemas --write`.", err=True)
    raise typer.Exit(1 if outdated else 0)


@token_app.command("create")
def token_create(company: Company, name: Annotated[str, typer.Option(help="What the token is for.")]) -> None:
    """Make a bot token and print it once."""
    from store.crm.bots import issue_bot_token

    with _store() as (database, now):
        typer.echo(issue_bot_token(database, company, name, now=now))


@token_app.command("rotate")
def token_rotate(company: Company, name: Annotated[str, typer.Option(help="Of the token to follow.")]) -> None:
    """Make the next token of that name; the one before stays good until it is revoked or rotated away."""
    from store.crm.bots import rotate_bot_token

    with _store() as (database, now):
        typer.echo(rotate_bot_token(database, company, name, now=now))


@token_app.command("revoke")
def token_revoke(
    company: Company, token: Annotated[str, typer.Argument(help="Its beginning as `list` shows it, or its name.")]
) -> None:
    """Switch tokens off; they stop at once."""
    from store.crm.bots import revoke_bot_tokens

    with _store() as (database, _now):
        for bot in revoke_bot_tokens(database, company, token):
            typer.echo(f"revoked {bot.token_prefix}… ({bot.name})")


@token_app.command("list")
def token_list(company: Company) -> None:
    """List tokens by their beginnings."""
    from store.crm.bots import list_bot_tokens

    with _store() as (database, _now):
        for bot in list_bot_tokens(database, company):
            used = f"{bot.last_used_at:%Y-%m-%d}" if bot.last_used_at else "never"
            state = "good" if bot.is_active else "revoked"
            typer.echo(f"{bot.token_prefix}…  {state}  {bot.name}  made {bot.created_at:%Y-%m-%d}  used {used}")


@client_app.command("find")
def client_find(company: Company, words: Annotated[str, typer.Argument(help="Name, phone or email.")]) -> None:
    """Find clients; marks and case of names do not matter."""
    from api import client_data

    with _store() as (database, _now):
        for line in client_data.find(database, client_data.scope_of(database, company), words):
            typer.echo(line)


@client_app.command("export")
def client_export(company: Company, phone: str = "", uuid: str = "", email: str = "", telegram_id: str = "") -> None:
    """Print everything that is kept about one client, as JSON."""
    from api import client_data
    from store.crm.privacy import Sought

    with _store() as (database, _now):
        sought = Sought(uuid, phone, email, telegram_id)
        typer.echo(client_data.export_as_json(database, client_data.scope_of(database, company), sought))


@client_app.command("erase")
def client_erase(
    company: Company,
    phone: str = "",
    uuid: str = "",
    email: str = "",
    telegram_id: str = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Make nobody of one client, everywhere. Money and dates of rentals stay. It cannot be undone."""
    from api import client_data
    from store.crm.privacy import Sought

    if not yes:
        typer.confirm("Erase this client for good?", abort=True)
    with _store() as (database, now):
        scope = client_data.scope_of(database, company)
        lines, ok = client_data.erase_and_tell(
            Settings(), database, scope, now, Sought(uuid, phone, email, telegram_id)
        )
    for line in lines:
        typer.echo(line)
    raise typer.Exit(0 if ok else 1)


@client_app.command("merge")
def client_merge(company: Company, keep_uuid: str, other_uuid: str) -> None:
    """Make two records one; prints the number by which it can be undone."""
    from api import client_data

    with _store() as (database, now):
        typer.echo(client_data.merge(database, client_data.scope_of(database, company), now, keep_uuid, other_uuid))


@client_app.command("unmerge")
def client_unmerge(company: Company, number: int) -> None:
    """Take a merge back."""
    from api import client_data

    with _store() as (database, now):
        client_data.unmerge(database, client_data.scope_of(database, company), now, number)


@contextmanager
def _store() -> Iterator[tuple[Database, datetime]]:
    """Open the database; say a refusal in one line instead of throwing it."""
    from api.clock import parse_clock
    from api.wiring import open_database
    from store.errors import StoreError

    settings = Settings()
    clock = parse_clock(settings.now, settings.now_zone)
    database = open_database(settings, clock)
    try:
        yield database, clock()
    except StoreError as error:
        typer.echo(f"{error.message[:1].upper()}{error.message[1:]}.", err=True)
        raise typer.Exit(1) from None
    finally:
        database.dispose()


def main() -> None:
    """Entry point of the `ridepass` command."""
    # The strict loader of the checkpoint library is chosen at its import; a second belt beside our own codec.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    os.environ.setdefault("LANGSMITH_TRACING", "false")
    app()
