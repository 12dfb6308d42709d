"""What a booked conversation costs: calls of the model and prompt letters, beside a usual tool-calling agent.

Both hold the same conversation over the same business API. Our model understands nothing (the rules carry the chat, so
that the measure does not hang on a model's wit); the agent's model is scripted to make the fewest calls that book: one
search, one price, one rental. Tokens are counted as four letters of what is sent, on both sides alike: messages, and
the schema of the answer or of the tools.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import httpx
from anyio import to_thread

from api.main import build_app
from api.settings import Settings
from api.wiring import Services, build_services
from graph.tools.catalog import CATALOG
from store.crm.companies import find_company
from store.passport import choose_server
from tests.eval.frame import Absent, Measure
from tests.fixtures.model_server import fake_server

NOW: Final = "2027-05-31T15:30"
MESSAGES: Final = (
    "I want a motorcycle June 20-27",
    "the second one",
    "yes, my name is Alex",
    "+66 812 345 678",
    "confirm",
)
LETTERS_PER_TOKEN: Final = 4
AGENT_PROMPT: Final = (
    "You are the booking assistant of a vehicle rental shop. Today is Monday 2027-05-31. Help the customer to find a "
    "vehicle, tell prices only as the tools give them, offer alternatives when a vehicle is taken, ask for name and "
    "phone, read the booking back, and create the rental only after the customer has confirmed it. Never invent facts. "
    "Answer in the customer's language, short and friendly."
)


@dataclass(slots=True)
class Cost:
    """What one conversation took."""

    calls: int = 0
    letters: int = 0
    booked: bool = False
    each: list[int] = field(default_factory=list)

    def add(self, sent: Any) -> None:
        """Count one request."""
        size = len(sent if isinstance(sent, str) else json.dumps(sent, ensure_ascii=False))
        self.calls += 1
        self.letters += size
        self.each.append(size)

    @property
    def tokens(self) -> int:
        """Prompt tokens, by letters."""
        return self.letters // LETTERS_PER_TOKEN


async def ours(services: Services, server: Any) -> Cost:
    """The conversation with our agent."""
    cost = Cost()
    transport = httpx.ASGITransport(build_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://ridepass.test", timeout=60) as http:
        opened = (await http.post("/api/chat/sessions", json={"company": "coral-rentals"})).json()
        headers = {"Authorization": f"Bearer {opened['token']}"}
        for message in MESSAGES:
            answer = (await http.post("/api/chat", json={"message": message}, headers=headers)).json()
    for request in server.requests:
        cost.add([request["messages"], request["response_format"]])
    cost.booked = answer["turns"][-1]["type"] == "confirmation"
    return cost


# ---- the other kind of agent -------------------------------------------------------------------------------


def _script() -> list[list[Callable[[dict[str, Any]], tuple[str, dict[str, Any]]] | str]]:
    """For each message: calls (made of the results so far), then what is said."""
    dates = {"start": "2027-06-20", "end": "2027-06-27"}

    def search(_: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        return "search_available", {**dates, "category": "motorcycle"}

    def price(known: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        chosen = known["search_available"]["vehicles"][1]["vehicle"]["uuid"]
        return "pricing", {**dates, "vehicle_uuid": chosen}

    def book(known: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        client = {"first_name": "Alex", "phone": "+66812345678"}
        quote = known["pricing"]["quote_uuid"]
        return "create_rental", {"quote_uuid": quote, "idempotency_key": "a" * 64, "client": client}

    return [
        [search, "Six motorcycles are free from 20 to 27 June. The first three are these. Which one do you like?"],
        [price, "The Honda CRF 150 is IDR 1,540,000 for seven days. Shall I book it for you?"],
        ["Thank you, Alex. What is your mobile number?"],
        ["Alex, Honda CRF 150, 20 to 27 June, IDR 1,540,000. Please confirm and I book it."],
        [book, "Booked. See you on Sunday 20 June at 10:00."],
    ]


async def theirs(services: Services) -> Cost:
    """The same conversation with `create_agent` and the same tools."""
    from langchain.agents import create_agent

    cost = Cost()
    known: dict[str, Any] = {}
    model = _scripted_model(cost, known)
    agent = create_agent(model, _tools(services, known), system_prompt=AGENT_PROMPT)
    messages: list[Any] = []
    for message, steps in zip(MESSAGES, _script(), strict=True):
        model.steps.extend(steps)
        messages.append({"role": "user", "content": message})
        messages = (await agent.ainvoke({"messages": messages}))["messages"]
    cost.booked = "order_number" in known.get("create_rental", {})
    return cost


def _scripted_model(cost: Cost, known: dict[str, Any]) -> Any:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, convert_to_openai_messages
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.utils.function_calling import convert_to_openai_tool
    from pydantic import Field

    class Scripted(BaseChatModel):
        steps: list[Any] = Field(default_factory=list)
        sent_tools: list[Any] = Field(default_factory=list)

        @property
        def _llm_type(self) -> str:
            return "scripted"

        def bind_tools(self, tools: Any, **_: Any) -> Any:
            self.sent_tools = [convert_to_openai_tool(tool) for tool in tools]
            return self

        def _generate(self, messages: Any, *_: Any, **__: Any) -> ChatResult:
            cost.add([convert_to_openai_messages(messages), self.sent_tools])
            step = self.steps.pop(0)
            if isinstance(step, str):
                return ChatResult(generations=[ChatGeneration(message=AIMessage(step))])
            name, arguments = step(known)
            call = {"id": f"call_{cost.calls}", "name": name, "args": arguments}
            return ChatResult(generations=[ChatGeneration(message=AIMessage("", tool_calls=[call]))])

    return Scripted()


def _tools(services: Services, known: dict[str, Any]) -> list[Any]:
    from langchain_core.tools import StructuredTool

    company = find_company(services.database, "coral-rentals")

    def tool(name: str) -> Any:
        spec = CATALOG[name]

        async def call(**arguments: Any) -> str:
            gateway = services.companies.gateway(company.id, "web:eval")
            answer = await gateway.call(name, spec.arguments.model_validate(arguments), spec.result)
            text = (answer.value or answer.error).model_dump_json(exclude_none=True)  # type: ignore[union-attr]
            known[name] = json.loads(text)
            return text

        return StructuredTool.from_function(
            coroutine=call, name=name, description=spec.description, args_schema=spec.arguments
        )

    return [tool(name) for name in CATALOG]


# ---- the measure -------------------------------------------------------------------------------------------


async def compare() -> tuple[Cost, Cost]:
    """(ours, theirs), each on a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        server = await to_thread.run_sync(lambda: choose_server(None, Path(folder) / "valkey"))
        try:
            async with fake_server() as fake:
                fake.otherwise = {"intents": ["unclear"]}
                mine = await _with(Path(folder) / "one", server, fake.url, lambda built: ours(built, fake))
            other = await _with(Path(folder) / "two", server, "", theirs)
        finally:
            await to_thread.run_sync(server.close)
    return mine, other


async def _with(data_dir: Path, server: Any, url: str, talk: Any) -> Cost:
    values: dict[str, Any] = {"data_dir": data_dir, "now": NOW, "model": "small" if url else "", "model_base_url": url}
    settings = Settings(**values, _env_file=None)
    services = await to_thread.run_sync(lambda: build_services(settings, server))
    try:
        cost: Cost = await talk(services)
        return cost
    finally:
        await services.stop()
        await to_thread.run_sync(shutil.rmtree, data_dir)


def measures() -> Iterator[Measure]:
    """Calls a turn, and prompt tokens beside the other agent's."""
    if find_spec("langchain") is None:
        raise Absent("langchain is not installed: pip install langchain")
    mine, other = asyncio.run(compare())
    if not (mine.booked and other.booked):
        raise AssertionError("a conversation that does not book has no cost")
    turns = len(MESSAGES)
    yield Measure("cost", "model calls a turn", mine.calls / turns, 1, "less", turns)
    yield Measure("cost", "model calls a turn, create_agent", other.calls / turns, cases=turns)
    yield Measure("cost", "prompt tokens of a booked conversation", mine.tokens, cases=1)
    yield Measure("cost", "prompt tokens of a booked conversation, create_agent", other.tokens, cases=1)
    yield Measure("cost", "prompt tokens, part of create_agent's", mine.tokens / other.tokens, 0.25, "less", 1)
