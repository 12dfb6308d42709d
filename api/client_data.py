"""`ridepass client ...`: what staff and the law need, from the command line."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Final

from api.settings import Settings
from store.crm.client_merges import merge_clients, undo_merge
from store.crm.clients import find_clients
from store.crm.companies import find_company
from store.crm.privacy import Sought, erase_client, export_client
from store.passport import PassportError, PassportSaver, choose_server
from store.sql.scope import Scope
from store.sql.unit import Database

_BY_COMMAND_LINE: Final = "staff:command-line"


def scope_of(database: Database, slug: str) -> Scope:
    """Return the scope of a company for a person at the command line.

    Raises:
        NotFound: there is no such company.
    """
    return replace(Scope(find_company(database, slug).id), actor=_BY_COMMAND_LINE)


def export_as_json(database: Database, scope: Scope, sought: Sought) -> str:
    """Return a client's data as JSON.

    Raises:
        NotFound: no such client.
    """
    return json.dumps(export_client(database, scope, sought), indent=2, ensure_ascii=False)


def erase_and_tell(
    settings: Settings, database: Database, scope: Scope, now: datetime, sought: Sought
) -> tuple[list[str], bool]:
    """Erase a client in the database and the passports of their chats; return what was done, and whether that is all.

    Raises:
        NotFound: no such client.
    """
    erasure = erase_client(database, scope, now, sought)
    lines = [f"erased client {erasure.client_uuid}: {erasure.rentals} rentals, {len(erasure.conversation_ids)} chats"]
    if erasure.conversation_ids and not _drop_passports(settings, erasure.conversation_ids):
        lines.append("The passports could not be reached; they end by themselves, or repeat this.")
    lines += [f"still named in {place}: {rows} rows" for place, rows in erasure.leftovers.items()]
    if not erasure.file_is_clean:
        lines.append("Others are writing: old bytes may still lie in the file. Repeat this later.")
    return lines, len(lines) == 1


def find(database: Database, scope: Scope, words: str) -> list[str]:
    """Return one line for each client that is found."""
    return [
        f"{c.client_uuid}  {c.first_name} {c.last_name}  {' '.join(c.contacts)}".rstrip()
        for c in find_clients(database, scope, words)
    ]


def merge(database: Database, scope: Scope, now: datetime, keep_uuid: str, other_uuid: str) -> int:
    """Make two records one; return the number by which it can be undone."""
    return merge_clients(database, scope, now, keep_uuid, other_uuid)


def unmerge(database: Database, scope: Scope, now: datetime, number: int) -> None:
    """Take a merge back."""
    undo_merge(database, scope, now, number)


def _drop_passports(settings: Settings, conversation_ids: tuple[str, ...]) -> bool:
    server = choose_server(settings.redis_url or None, settings.data_dir, cluster=settings.redis_cluster)

    async def drop() -> bool:
        redis = server.connect()
        saver = PassportSaver(redis)
        try:
            for conversation_id in conversation_ids:
                await saver.adelete_thread(conversation_id)
        except PassportError:
            return False
        finally:
            with suppress(Exception):
                await redis.aclose()
        return True

    try:
        return asyncio.run(drop())
    finally:
        server.close()
