"""The product itself, with the transport that the setting names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio import to_thread

from api.main import build_app
from api.settings import Settings
from api.wiring import build_services
from store.passport import choose_server


@pytest.mark.parametrize("transport", ["rest", "mcp"])
async def test_a_customer_books_over_either_transport(tmp_path: Path, transport: str) -> None:
    given: Any = {"crm_transport": transport, "now": "2027-05-31T15:30", "strict_grounding": True, "_env_file": None}
    settings = Settings(data_dir=tmp_path / "data", **given)
    server = choose_server(None, settings.data_dir)
    services = await to_thread.run_sync(lambda: build_services(settings, server))
    app = build_app(services)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://ridepass.test") as http:
        opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
        headers = {"Authorization": f"Bearer {opened['token']}"}
        said = []
        for words in ("Honda CRF 150 June 20-27", "the first one", "yes, Alex Kim, +66 812 345 678", "confirm"):
            answer = await http.post("/api/chat", json={"message": words}, headers=headers)
            said.append(answer.json()["turns"][-1]["type"])
    await services.stop()
    server.close()
    assert said[-1] == "confirmation", said


def test_a_transport_that_does_not_exist_is_refused_at_the_start(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="crm_transport"):
        Settings(data_dir=tmp_path, crm_transport="pigeon", _env_file=None)  # type: ignore[call-arg, arg-type]
