"""Bots of Terminal of Empires in the original's words.

>>> from ludovec.empires import Position, Terrain
>>> class BotLogic:
...     def turn(self, map_size, my_resources, world):
...         for position, terrain in world.items():
...             if my_resources >= 1 and terrain.owner is None and any(
...                 world[near].owner == "mine" for near in beside(position) if near in world
...             ):
...                 return "conquer", position
...         return "harvest", None

An instance plays wherever a Python bot does: ``ludovec.tournament("empires", {"mine": BotLogic(), ...})``, or
for other programs with ``python -m ludovec.bot_server empires my_bot.py``. The original's files run
unchanged: their ``from src import Position, Terrain`` finds this module.
"""

from __future__ import annotations

import sys
from typing import Any, NamedTuple

from .players import DIALECTS, Dialect


class Position(NamedTuple):
    """A cell: ``x`` to the right, ``y`` down, both from 0."""

    x: int
    y: int


class Terrain(NamedTuple):
    """What is on a cell."""

    owner: str | None
    """``"mine"``, another player's name, or None for nobody."""
    structure: str
    """``"land"``, ``"farm"``, ``"fort"`` or ``"castle"``."""


def beside(position: Position) -> list[Position]:
    """The four cells beside a cell, those outside the map included."""
    x, y = position
    return [Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1)]


def _ask(bot: Any, request: dict[str, Any]) -> Any:
    world = {
        Position(*map(int, place.split(","))): Terrain(*terrain)
        for place, terrain in request["world"].items()
    }
    return bot.turn(Position(*request["map_size"]), request["resources"], world)


DIALECTS["empires"] = Dialect(ask=_ask, modules={"src": sys.modules[__name__]})
