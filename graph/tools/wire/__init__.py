"""What travels between the agent and the business API under `/api/mcp`.

The same models validate the agent's arguments, are served by the endpoints, and make the published
tool descriptors, so the two ends cannot drift. Pydantic only: they can be served without an agent.

Money is integer minor units. Periods are local days of the office; `end` is the return day (exclusive).
"""

from __future__ import annotations

from graph.tools.wire.company import (
    ClientInfo,
    CompanyInfo,
    CompanyWords,
    Health,
    NoArgs,
    Office,
    Offices,
    OpeningInterval,
    UpdateClientArgs,
    VehicleArgs,
)
from graph.tools.wire.errors import ErrorCode, ToolError
from graph.tools.wire.facts import (
    Category,
    Gearbox,
    MoneyWire,
    OfficeRef,
    PeriodWire,
    RentalStatus,
    RuleRefusal,
    Source,
    VehicleOffer,
    VehicleWire,
    Wire,
)
from graph.tools.wire.rentals import ClientClaim, CreateRentalArgs, Rental
from graph.tools.wire.vehicles import (
    Alternative,
    Alternatives,
    AlternativesArgs,
    Availability,
    Bookings,
    PriceLine,
    Quote,
    SearchArgs,
    SearchHint,
    SearchResult,
    SeasonSpan,
    TakenPeriod,
    VehiclePeriodArgs,
)

__all__ = [
    "Alternative",
    "Alternatives",
    "AlternativesArgs",
    "Availability",
    "Bookings",
    "Category",
    "ClientClaim",
    "ClientInfo",
    "CompanyInfo",
    "CompanyWords",
    "CreateRentalArgs",
    "ErrorCode",
    "Gearbox",
    "Health",
    "MoneyWire",
    "NoArgs",
    "Office",
    "OfficeRef",
    "Offices",
    "OpeningInterval",
    "PeriodWire",
    "PriceLine",
    "Quote",
    "Rental",
    "RentalStatus",
    "RuleRefusal",
    "SearchArgs",
    "SearchHint",
    "SearchResult",
    "SeasonSpan",
    "Source",
    "TakenPeriod",
    "ToolError",
    "UpdateClientArgs",
    "VehicleArgs",
    "VehicleOffer",
    "VehiclePeriodArgs",
    "VehicleWire",
    "Wire",
]
