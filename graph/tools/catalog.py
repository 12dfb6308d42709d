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
            "Prices are without extras to choose. "
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
            "Lines add up to the total. Never compute or change a price yourself. "
            "`extras_offered` is what the customer may have with it; `by_use` comes on top after the rental: say so. "
            'Example: "with two helmets and a GPS" is extras=["helmet:2", "gps"] with codes of extras_offered; to drop '
            "them, price again without. unknown_extra names what is on offer, and in not_to_choose what comes anyway."
        ),
        method="GET",
        path="vehicles/pricing/",
        arguments=wire.PricingArgs,
        result=wire.Quote,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="alternatives",
        description=(
            "Ways out when the vehicle is taken: shorter before the conflict, earlier, later, gaps between bookings, "
            "then similar vehicles for the same dates. Each is bookable and priced, without extras to choose."
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
            "dates_taken carries conflicting_rentals: do not retry, offer alternatives. "
            "The rental keeps the quote's extras. price_changed, extra_gone: nothing was booked, price again and ask."
        ),
        method="POST",
        path="vehicles/rentals/",
        arguments=wire.CreateRentalArgs,
        result=wire.Rental,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="hold_vehicle",
        description=(
            "Keep the vehicle of an open quote for this customer while they read the review. "
            "held=false means that this shop keeps nothing before the booking: the price is held, the vehicle is not. "
            'Example: the review is on the screen: quote_uuid="the one from pricing". Call it once; a repeat does not '
            "prolong it, and a hold on another vehicle replaces it."
        ),
        method="POST",
        path="vehicles/holds/",
        arguments=wire.HoldArgs,
        result=wire.Hold,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="list_rentals",
        description=(
            "The customer's own rentals that wait, are to come or run, by the day of pick-up. "
            'Examples: "what have I booked?" is {}; "my rental of last year" is include_past=true. '
            "Never ask for an order number or a phone to find a rental: neither proves whose it is."
        ),
        method="GET",
        path="rentals/",
        arguments=wire.ListRentalsArgs,
        result=wire.OwnRentals,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="get_rental",
        description="One rental of the customer, as it is now. Somebody else's is not_found, like a missing one.",
        method="GET",
        path="rentals/{rental_uuid}/",
        arguments=wire.RentalArgs,
        result=wire.Rental,
        read_only=True,
        idempotent=True,
    ),
    ToolSpec(
        name="move_rental",
        description=(
            "Give the customer's rental other dates; it is priced anew, and its own days are not in its way. "
            "First preview=true: tell the difference and ask. Then the same with the preview's version, "
            "expected_total_minor (its new total) and an idempotency_key. "
            'Example: "move it to 12-19 June" is start="2027-06-12", end="2027-06-19". '
            "dates_taken: offer alternatives, the old dates still hold. stale_version: look again. "
            "extra_gone: the shop has no such extra any more, so that it has to decide; the rental stays as it is."
        ),
        method="POST",
        path="rentals/{rental_uuid}/move/",
        arguments=wire.MoveRentalArgs,
        result=wire.RentalChange,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="extend_rental",
        description=(
            "A later return of the customer's rental, also of a running one; the whole stay is priced anew. "
            "First preview=true, then with version, expected_total_minor and an idempotency_key, as for move_rental. "
            'Example: "two days more" of a rental until 19 June is end="2027-06-21".'
        ),
        method="POST",
        path="rentals/{rental_uuid}/extend/",
        arguments=wire.ExtendRentalArgs,
        result=wire.RentalChange,
        read_only=False,
        idempotent=True,
    ),
    ToolSpec(
        name="cancel_rental",
        description=(
            "Cancel the customer's rental. First preview=true: tell the fee and the shop's policy, and ask. "
            "An absent fee means that the shop decides: say so, never call it free. Then the same with the preview's "
            "version, expected_fee_minor and an idempotency_key. not_changeable: it is over, or was picked up."
        ),
        method="POST",
        path="rentals/{rental_uuid}/cancel/",
        arguments=wire.CancelRentalArgs,
        result=wire.RentalChange,
        read_only=False,
        idempotent=True,
        destructive=True,
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
