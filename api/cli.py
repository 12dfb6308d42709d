"""The `ridepass` command."""

from __future__ import annotations

import asyncio
import os
from typing import Annotated

import typer

from api.settings import Settings

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Conversational booking for vehicle rentals.")
token_app = typer.Typer(no_args_is_help=True, help="Tokens of bots that use the business API.")
app.add_typer(token_app, name="token")


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
def doctor() -> None:
    """Say what is configured, what is missing, and whether it answers."""
    from api.doctor import examine

    lines, ok = asyncio.run(examine(Settings()))
    for line in lines:
        typer.echo(line)
    raise typer.Exit(0 if ok else 1)


@token_app.command("create")
def token_create(
    company: Annotated[str, typer.Option(help="Slug of the company.")],
    name: Annotated[str, typer.Option(help="What the token is for.")],
) -> None:
    """Make a bot token and print it once."""
    from api.clock import parse_clock, system_now
    from api.wiring import open_database
    from store.crm.bots import issue_bot_token
    from store.errors import NotFound

    settings = Settings()
    database = open_database(settings, parse_clock(settings.now, settings.now_zone))
    try:
        typer.echo(issue_bot_token(database, company, name, now=system_now()))
    except NotFound:
        typer.echo(f"There is no company {company!r}.", err=True)
        raise typer.Exit(1) from None


def main() -> None:
    """Entry point of the `ridepass` command."""
    # The strict loader of the checkpoint library is chosen at its import; a second belt beside our own codec.
    os.environ.setdefault("LANGGRAPH_STRICT_MSGPACK", "true")
    os.environ.setdefault("LANGSMITH_TRACING", "false")
    app()
