"""Bots of Terminal of Empires, in the original's terms.

>>> from ludovec.empires import Position, Terrain
>>> class BotLogic:
...     def turn(self, map_size, my_resources, world):
...         for position, terrain in world.items():
...             if my_resources >= 1 and terrain.owner is None and any(
...                 near in world and world[near].owner == "mine"
...                 for near in beside(position)
...             ):
...                 return "conquer", position
...         return "harvest", None

An instance is a Python bot: ``ludovec.tournament("empires", {"mine": BotLogic(), ...})``, or for other
programs
``python -m ludovec.bot_server empires my_bot.py``. The original's files run unchanged: their
``from src import Position, Terrain`` and ``from game import ...`` import from this module.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

from . import _core
from ._shared import checks
from ._shared.errors import config_error
from .players import DIALECTS, Dialect, encode
from .spec import spec


class Position(NamedTuple):
    """A cell: ``x`` to the right, ``y`` down, both from 0."""

    x: int
    y: int


class Terrain(NamedTuple):
    """Content of a cell."""

    owner: str | None
    """``"mine"``, the name of another player, or None."""
    structure: str
    """``"land"``, ``"farm"``, ``"fort"`` or ``"castle"``."""


_STRUCTURES: tuple[str, ...] = tuple(spec("empires").values["structure"])

LAND, FARM, FORT, CASTLE = _STRUCTURES
"""The possible structures of a cell."""

STRUCTURES = (FARM, FORT, CASTLE)
"""Structures to build; the names are also the actions that build them."""

DEFENDER_STRUCTURES = (FORT, CASTLE)
"""The structures that make adjacent land and farms more expensive to conquer."""

CONQUER, HARVEST = "conquer", "harvest"
"""The other types of actions."""

VALID_ACTIONS = (CONQUER, HARVEST, FARM, FORT, CASTLE)
"""All types of actions. ``None``, for no action, is also valid."""

_COSTS = _core.empires_costs()

STRUCTURE_COST = {name: _COSTS[name]["build"] for name in STRUCTURES}
"""Costs of building."""

CONQUER_COSTS: dict[str, int | tuple[int, int]] = {
    name: _COSTS[name]["conquer"]
    if name in DEFENDER_STRUCTURES
    else (_COSTS[name]["conquer"], _COSTS[name]["conquer_defended"])
    for name in _STRUCTURES
}
"""Costs of conquering. Land and farms have two: without and with an adjacent fort or castle of the owner."""

HARVEST_PRODUCTION = {name: _COSTS[name]["harvest"] for name in _STRUCTURES}
"""Yield of each structure at a harvest."""

TILES_PER_CASTLE_LIMIT = 50
"""Default of ``tiles_per_castle``: another castle requires more tiles than this per castle owned."""

MINE = "mine"
"""The owner of a bot's own cells."""

COMMS_IDLE = "idle"
COMMS_AWAITING_ACTION = "awaiting_action"
COMMS_ACTION_READY = "action_ready"
COMMS_ACTION_FAILED = "action_failed"
"""Messages between the original's processes. Unused here; defined so that files that import them load."""


def beside(position: Position) -> list[Position]:
    """The four adjacent cells, including cells outside the map."""
    x, y = position
    return [Position(x + 1, y), Position(x, y + 1), Position(x - 1, y), Position(x, y - 1)]


def _terrain(cell: list[str | None]) -> Terrain:
    """A cell of a request, ``[structure, owner]``; the reverse order is accepted too."""
    first, second = cell
    structure, owner = (first, second) if first in _STRUCTURES else (second, first)
    if structure not in _STRUCTURES:
        raise ValueError(f"a cell is [structure, owner], {cell} was given")
    return Terrain(owner=owner, structure=str(structure))


def _ask(bot: Any, request: dict[str, Any]) -> Any:
    world = {_position(place): _terrain(cell) for place, cell in request["world"].items()}
    return bot.turn(Position(*request["map_size"]), request["resources"], world)


class JournalEntry(NamedTuple):
    """An action submitted to a :class:`Referee`, and its result."""

    turn: int
    """Counted from 1."""
    player: int
    """The seat of the player."""
    name: str
    """The name of the player."""
    action: Any
    """The submitted action as a JSON value."""
    accepted: bool
    result: str
    """Its effect, or the reason of the refusal."""
    resources: int
    """Resources of the player afterwards."""

    def __str__(self) -> str:
        """The entry as a line of a log."""
        refused = "" if self.accepted else "refused: "
        asked = json.dumps(self.action, separators=(",", ":"))
        return f"turn {self.turn}, {self.name} with {self.resources}: {asked}: {refused}{self.result}"


class Referee:
    """A game with the original's protocol: the current player submits any value and gets a result.

    A refused action costs the turn. :func:`ludovec.play` plays whole matches, with a log file.

    >>> referee = Referee(["juan", "pedro"], seed=1, width=10, height=8)
    >>> map_size, my_resources, world = referee.observation()
    >>> referee.submit(("harvest", None)).result
    'harvested 5'
    >>> referee.submit(("castle", Position(99, 0))).result
    '[99,0] is not on the map'

    Args:
        names: Names of the players.
        seed: Seed of the game; ``None`` draws one.
        options: Options of the environment ``empires``.
    """

    def __init__(self, names: Sequence[str], seed: int | None = None, **options: Any) -> None:
        self.names = checks.words("names", names)
        #: Seed of the game, given or drawn.
        self.seed = checks.seed(seed)
        given = {"players": len(self.names), "names": ",".join(self.names), **options}
        self._core = _core.EmpiresReferee(given, self.seed)

    @property
    def current_player(self) -> int | None:
        """The current player; None once the game is over."""
        return self._core.current_player()

    def observation(self) -> tuple[Position, int, dict[Position, Terrain]]:
        """The arguments of ``turn()`` for the current player: ``map_size``, ``my_resources``, ``world``."""
        seen = json.loads(self._core.observation())
        world = {_position(place): Terrain(**cell) for place, cell in seen["world"].items()}
        return Position(*seen["map_size"]), seen["my_resources"], world

    def submit(self, action: Any) -> JournalEntry:
        """Plays an action, ``(type, position)`` or None, for the current player.

        Raises:
            GameOver: The game is over.
        """
        try:
            asked = encode(action)
        except (TypeError, ValueError):
            # Any value may be submitted; a value that is not JSON is not an action.
            asked = json.dumps(f"{action!r:.100}")
        return _entry(self._core.submit(asked))

    def play(self, bots: Sequence[Any]) -> list[str]:
        """Plays to the end with one bot per seat, by their ``turn()``; returns the surviving players."""
        players = checks.listed("bots", bots, "bots")
        if len(players) != len(self.names) or not all(hasattr(bot, "turn") for bot in players):
            raise config_error(f"bots: {len(self.names)} objects with turn() are needed, one per seat")
        while (player := self.current_player) is not None:
            self.submit(players[player].turn(*self.observation()))
        return self.alive

    @property
    def journal(self) -> list[JournalEntry]:
        """All submitted actions."""
        return [_entry(parts) for parts in self._core.journal()]

    @property
    def alive(self) -> list[str]:
        """The players with a castle; the winners once the game is over."""
        return [self.names[seat] for seat in self._core.alive()]

    def __str__(self) -> str:
        """The map with the original's glyphs and ANSI colours, and one status line per player."""
        return self._core.to_terminal()


def _position(place: str) -> Position:
    return Position(*map(int, place.split(",")))


def _entry(parts: tuple[int, int, str, str, bool, str, int]) -> JournalEntry:
    turn, player, name, asked, accepted, result, resources = parts
    return JournalEntry(turn, player, name, json.loads(asked), accepted, result, resources)


DIALECTS["empires"] = Dialect(ask=_ask, modules=dict.fromkeys(("src", "game"), sys.modules[__name__]))
