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
unchanged: their ``from src import Position, Terrain`` and ``from game import ...`` find this module.
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


LAND, FARM, FORT, CASTLE = STRUCTURES = "land", "farm", "fort", "castle"
"""What can be on a cell. The names of all but ``LAND`` are also the actions that build them."""

DEFENDER_STRUCTURES = (FORT, CASTLE)
"""What makes the land and farms beside it costly to conquer."""

CONQUER, HARVEST = "conquer", "harvest"
"""The other types of actions."""

MINE = "mine"
"""The owner of a bot's own cells."""


def beside(position: Position) -> list[Position]:
    """The four cells beside a cell, those outside the map included."""
    x, y = position
    return [Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1)]


def _terrain(cell: list[str | None]) -> Terrain:
    """A cell of a request, ``[structure, owner]``; the other order is understood too."""
    first, second = cell
    structure, owner = (first, second) if first in STRUCTURES else (second, first)
    if structure not in STRUCTURES:
        raise ValueError(f"a cell is [structure, owner], {cell} was given")
    return Terrain(owner=owner, structure=str(structure))


def _ask(bot: Any, request: dict[str, Any]) -> Any:
    world = {
        Position(*map(int, place.split(","))): _terrain(cell) for place, cell in request["world"].items()
    }
    return bot.turn(Position(*request["map_size"]), request["resources"], world)


DIALECTS["empires"] = Dialect(ask=_ask, modules=dict.fromkeys(("src", "game"), sys.modules[__name__]))
