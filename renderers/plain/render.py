"""A turn as plain text, for terminals, logs and notices to staff."""

from __future__ import annotations

from typing import assert_never

from frontend_contract.compat import UnknownTurn
from frontend_contract.turns import (
    AlternativePeriodsTurn,
    BookingReviewTurn,
    ClarifyingQuestionTurn,
    ConfirmationTurn,
    ConflictTurn,
    ContactRequestTurn,
    HandoffTurn,
    NoticeTurn,
    OfficeInfoTurn,
    PriceQuoteTurn,
    TextTurn,
    Turn,
    VehicleCarouselTurn,
    VehicleDetailTurn,
)
from renderers.labels import NO_BREAK_SPACE, Labels, labels_for
from renderers.plain import cards
from renderers.plain.hints import hint_lines
from renderers.plain.layout import paragraphs, wrap
from renderers.safe_text import safe_paragraphs

MIN_WIDTH = 20


def render(turn: Turn | UnknownTurn, labels: Labels | str = "en", width: int = 80) -> str:
    """Return the turn as text: its words first, then its facts, then what can be done.

    `labels` speaks the language of the reader (or is its BCP 47 tag), `width` is in terminal columns (20 at
    least). Pure, never raises for anything that `read_turn` returns; no colour, no trailing line break.
    """
    voice = labels_for(labels) if isinstance(labels, str) else labels
    width = max(MIN_WIDTH, width)
    blocks = [
        _words(turn, voice, width),
        _card(turn, voice, width),
        wrap(voice.text(f"status.{turn.status}"), width) if turn.status != "final" else [],
        hint_lines(turn, voice, width),
    ]
    lines = [line.rstrip(" ") for block in blocks if block for line in ["", *block]]
    return "\n".join(lines[1:]).replace(NO_BREAK_SPACE, " ")


def _words(turn: Turn | UnknownTurn, labels: Labels, width: int) -> list[str]:
    speaker = f"{labels.text(f'speaker.{turn.role}')}: " if turn.role != "agent" else ""
    severity = ""
    if isinstance(turn, NoticeTurn) and turn.payload.severity in ("warning", "problem"):
        severity = f"{labels.text(f'severity.{turn.payload.severity}')}: "
    return paragraphs(safe_paragraphs(turn.content), width, speaker + severity)


def _card(turn: Turn | UnknownTurn, labels: Labels, width: int) -> list[str]:  # noqa: C901 - one case a card
    held_at = (
        turn.created_at if isinstance(turn, PriceQuoteTurn | BookingReviewTurn) and turn.status == "final" else None
    )
    match turn:
        case UnknownTurn() | TextTurn():
            return []
        case ClarifyingQuestionTurn():
            return cards.clarifying_question(turn.payload, labels, width)
        case VehicleCarouselTurn():
            return cards.vehicle_carousel(turn.payload, labels, width)
        case VehicleDetailTurn():
            return cards.vehicle_detail(turn.payload, labels, width)
        case AlternativePeriodsTurn():
            return cards.alternative_periods(turn.payload, labels, width)
        case PriceQuoteTurn():
            return cards.price_quote(turn.payload, labels, width, held_at)
        case ContactRequestTurn():
            return cards.contact_request(turn.payload, labels, width)
        case BookingReviewTurn():
            return cards.booking_review(turn.payload, labels, width, held_at)
        case ConfirmationTurn():
            return cards.confirmation(turn.payload, labels, width)
        case ConflictTurn():
            return cards.conflict(turn.payload, labels, width)
        case OfficeInfoTurn():
            return cards.office_info(turn.payload, labels, width)
        case HandoffTurn():
            return cards.handoff(turn.payload, labels, width, turn.created_at)
        case NoticeTurn():
            return cards.notice(turn.payload, labels, width)
        case _:
            assert_never(turn)
