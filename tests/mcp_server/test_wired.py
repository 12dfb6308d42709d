"""The product itself serves the protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
from anyio import to_thread

from api.main import build_app
from api.settings import Settings
from api.wiring import build_services
from store.crm.bots import issue_bot_token
from store.passport import choose_server


async def test_the_application_answers_the_protocol_at_one_address(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path / "data", now="2027-05-31T15:30", _env_file=None)  # type: ignore[call-arg]
    server = choose_server(None, settings.data_dir)
    services = await to_thread.run_sync(lambda: build_services(settings, server))
    token = issue_bot_token(services.database, "coral-rentals", "agent", now=services.clock())
    app = build_app(services)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "company_info", "arguments": {}}}
    headers = {"Accept": "application/json, text/event-stream", "Host": "shop.test"}
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://shop.test") as http,
    ):
        refused = await http.post("/mcp", json=call, headers=headers)
        answer: Any = (await http.post("/mcp", json=call, headers={**headers, "X-Bot-Token": token})).json()
    server.close()
    assert refused.status_code == 401
    assert answer["result"]["structuredContent"]["slug"] == "coral-rentals"
