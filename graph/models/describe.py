"""Vehicles by description: which of what is free comes closest to the customer's words, in any language."""

from __future__ import annotations

import tomllib
from collections import OrderedDict
from collections.abc import Sequence
from importlib import resources
from typing import Final

from graph.models.embedding import Embed, Vector, likeness
from graph.tools.wire import VehicleWire

MIN_LIKENESS: Final = 0.15
"""Below it, nothing resembles what was said."""
NEAR_ENOUGH: Final = 0.6
"""Of the best likeness: what follows further behind is not shown."""
MOST_SHOWN: Final = 5
_MAX_REMEMBERED: Final = 2000


def load_semantics(name: str) -> dict[str, dict[str, object]]:
    """Read a file of sentences for the encoder."""
    text = resources.files("graph.models.semantics").joinpath(f"{name}.toml").read_text(encoding="utf-8")
    return {key: dict(value) for key, value in tomllib.loads(text).items() if isinstance(value, dict)}


class Describer:
    """Ranks vehicles by how near their description is to some words."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._kinds = {key: str(value) for key, value in load_semantics("vehicles")["kinds"].items()}
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    async def nearest(self, words: str, vehicles: Sequence[VehicleWire]) -> list[int]:
        """Positions of the vehicles that fit, best first; empty when none resembles it or the encoder is away."""
        if not words.strip() or not vehicles:
            return []
        texts = [self.description(vehicle) for vehicle in vehicles]
        asked = await self._embed([words])
        known = await self._known(texts)
        if not asked or known is None:
            return []
        scores = [likeness(asked[0], known[text]) for text in texts]
        best = max(scores)
        if best < MIN_LIKENESS:
            return []
        fitting = (position for position, score in enumerate(scores) if score >= best * NEAR_ENOUGH)
        return sorted(fitting, key=lambda position: -scores[position])[:MOST_SHOWN]

    def description(self, vehicle: VehicleWire) -> str:
        """What a vehicle is, in one text; no price and no id."""
        kind = self._kinds.get(vehicle.drawing) or self._kinds.get(vehicle.category, "")
        seats = f"{vehicle.seats} seats." if vehicle.seats else ""
        return " ".join(part for part in (kind, seats, vehicle.details) if part)

    async def _known(self, texts: Sequence[str]) -> dict[str, Vector] | None:
        """The vectors of these texts; a fleet says the same of many vehicles and seldom changes."""
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        found = await self._embed(new) if new else []
        if found is None or len(found) != len(new):
            return None
        self._vectors.update(zip(new, found, strict=True))
        known = {text: self._vectors[text] for text in texts}
        while len(self._vectors) > _MAX_REMEMBERED:
            self._vectors.popitem(last=False)
        return known
