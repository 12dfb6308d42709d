"""What the chat knows of each company: its tools, its facts (cached for a minute), its public card."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Final

from frontend_contract.actions import CompanyCard
from graph.errors import RunFailed
from graph.tools.attempts import Patience
from graph.tools.breaker import Breakers
from graph.tools.gateway import ToolGateway
from graph.tools.transport import Transport
from graph.tools.wire import CompanyInfo, NoArgs, Offices

_FRESH_SECONDS: Final = 60.0


@dataclass(frozen=True, slots=True)
class CompanyFacts:
    """Facts of one company with the call that gave them."""

    info: CompanyInfo
    offices: Offices
    call_id: str
    read_at: float


class CompanyDirectory:
    """Finds companies by id and keeps their facts for a minute.

    `transport_for(company_id)` gives the tools of one company; scope comes from there, never from a request.
    """

    def __init__(
        self,
        transport_for: Callable[[int], Transport],
        clock: Callable[[], datetime],
        new_call_id: Callable[[], str],
        patience: Patience | None = None,
    ) -> None:
        self._transport_for = transport_for
        self._patience = patience or Patience()
        self._clock = clock
        self._new_call_id = new_call_id
        self._breakers = Breakers()
        self._facts: dict[int, CompanyFacts] = {}
        self._locks: dict[int, asyncio.Lock] = {}

    @property
    def breakers(self) -> Breakers:
        """How each tool of the business API works, for all runs of this process."""
        return self._breakers

    def gateway(self, company_id: int, actor: str) -> ToolGateway:
        """Return a gateway for one run."""
        return ToolGateway(
            transport=self._transport_for(company_id),
            actor=actor,
            clock=self._clock,
            new_call_id=self._new_call_id,
            patience=self._patience,
            breakers=self._breakers,
        )

    async def facts(self, company_id: int, gateway: ToolGateway) -> CompanyFacts:
        """Return the company's facts, read through the given gateway when they are stale.

        Raises:
            RunFailed: the business API does not answer and nothing was read before.
        """
        known = self._facts.get(company_id)
        if known and monotonic() - known.read_at < _FRESH_SECONDS:
            return known
        async with self._locks.setdefault(company_id, asyncio.Lock()):
            known = self._facts.get(company_id)
            if known and monotonic() - known.read_at < _FRESH_SECONDS:
                return known
            return await self._read(company_id, gateway, known)

    async def _read(self, company_id: int, gateway: ToolGateway, known: CompanyFacts | None) -> CompanyFacts:
        info = await gateway.call("company_info", NoArgs(), CompanyInfo)
        offices = await gateway.call("offices", NoArgs(), Offices)
        if info.value is None or offices.value is None:
            if known:
                return known
            codes = [result.error.code for result in (info, offices) if result.error]
            raise RunFailed(f"the business API does not answer: {', '.join(codes)}")
        facts = CompanyFacts(info.value, offices.value, info.call_id, monotonic())
        self._facts[company_id] = facts
        return facts

    async def card(self, company_id: int) -> CompanyCard:
        """Return what a screen needs to introduce the company."""
        facts = await self.facts(company_id, self.gateway(company_id, "system:card"))
        info = facts.info
        return CompanyCard(
            slug=info.slug,
            name=info.name,
            tagline=info.tagline,
            locale=info.locale,
            tz=info.timezone,
            currency=info.currency,
            city=facts.offices.offices[0].city if facts.offices.offices else "",
        )
