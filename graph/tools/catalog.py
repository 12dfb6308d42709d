"""THE catalogue: every tool that exists, once. The gateway calls by it; the API publishes it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from graph.tools import wire
from graph.tools.descriptors import ToolSpec

_TOOLS = (
    ToolSpec(
        name="search_available",
        description=(
            "Find vehicles that are free for the dates, with the price of the whole rental. "
            "`category` is a type of vehicle: scooter, motorcycle, car, boat, bicycle. "
            "`brand` is a maker: Honda, Yamaha. "
            'Example: "a motorcycle" is category="motorcycle", never brand="motorcycle"; '
            '"Honda PCX" is brand="Honda", model="PCX"; "something like pcx160" is text="pcx160". '
            "An empty list with matching_total > 0 means taken: call alternatives with a vehicle from `taken`."
        ),
        method="GET",
        path="vehicles/search_available/",
        arguments=wire.SearchArgs,
        result=wire.SearchResult,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="availability",
        description="Is this vehicle free for this period? If not, the periods that conflict (no client data).",
        method="GET",
        path="vehicles/availability/",
        arguments=wire.VehiclePeriodArgs,
        result=wire.Availability,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="pricing",
        description=(
            "Price one vehicle for one period on the server and open a quote that holds the price for some minutes. "
            "Lines add up to the total. Never compute or change a price yourself."
        ),
        method="GET",
        path="vehicles/pricing/",
        arguments=wire.VehiclePeriodArgs,
        result=wire.Quote,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="alternatives",
        description=(
            "Ways out when the vehicle is taken: shorter before the conflict, earlier, later, gaps between bookings, "
            "then similar vehicles for the same dates. Each is bookable and priced."
        ),
        method="GET",
        path="vehicles/alternatives/",
        arguments=wire.AlternativesArgs,
        result=wire.Alternatives,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="vehicle_bookings",
        description="Taken periods of one vehicle, without client data.",
        method="GET",
        path="vehicles/{vehicle_uuid}/bookings/",
        arguments=wire.VehicleArgs,
        result=wire.Bookings,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="create_rental",
        description=(
            "Create the rental of a quote that the customer has confirmed. Needs an idempotency key; the same key and "
            "body give the same rental with idempotent=true. "
            "dates_taken carries conflicting_rentals: do not retry, offer alternatives."
        ),
        method="POST",
        path="vehicles/rentals/",
        arguments=wire.CreateRentalArgs,
        result=wire.Rental,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="company_info",
        description=(
            "Company facts and house rules: currency, zone, documents, deposit, delivery, insurance, cancellation."
        ),
        method="GET",
        path="company_info/",
        arguments=wire.NoArgs,
        result=wire.CompanyInfo,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="offices",
        description="Addresses and opening hours of the offices.",
        method="GET",
        path="offices/",
        arguments=wire.NoArgs,
        result=wire.Offices,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="client_info",
        description="The client behind this chat, if known; values are masked.",
        method="GET",
        path="client/info/",
        arguments=wire.NoArgs,
        result=wire.ClientInfo,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="client_update",
        description=(
            "Store what the customer told about themselves; fills gaps, never overwrites another person's record."
        ),
        method="POST",
        path="client/update/",
        arguments=wire.UpdateClientArgs,
        result=wire.ClientInfo,
        read_only=False,
        idempotent=True,
    ),
)

CATALOG: Final = MappingProxyType({tool.name: tool for tool in _TOOLS})
"""Tool name -> specification."""
