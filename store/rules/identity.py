"""Who a customer is: phones, identities from a channel, and masks."""

from __future__ import annotations

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumberFormat

_SHOWN_DIGITS = 3


def canonical_phone(text: str, region: str) -> str | None:
    """Return the number in E.164, or None when it cannot be one.

    `region` (ISO 3166, "ID") is where a number without a country code is dialled from.
    """
    try:
        number = phonenumbers.parse(text, region)
    except NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    return str(phonenumbers.format_number(number, PhoneNumberFormat.E164))


def actor_contact(actor: str) -> tuple[str, str] | None:
    """Return (kind, value) of the identity that a channel vouches for; None for nobody."""
    if not actor:
        return None
    channel, _, name = actor.partition(":")
    if channel == "telegram" and name.isdigit():
        return ("telegram_id", name)
    return ("session", actor)


def mask_phone(phone: str) -> str:
    """Return the number with all but the country's first digits and the last three hidden."""
    if not phone:
        return ""
    hidden = "•" * max(0, len(phone) - 3 - _SHOWN_DIGITS)
    return f"{phone[:3]}{hidden}{phone[-_SHOWN_DIGITS:]}"
