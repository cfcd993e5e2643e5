"""Bots written in Python: functions on arrays, and objects with ``turn``, which get one request per move.

Faults of a function (an exception, an invalid result) end the call with the function's exception or an error
that names bot, game and action, so that training and measurements never use a broken function. An object that
fails, is too late or returns an invalid answer loses its move, as does a function with
``on_fault="lose_move"``: the engine plays ``"pass"`` for it (the legal pass if there is one, otherwise a
random action). The lost move is counted and reported with the name of the bot, and the game continues.
"""

from __future__ import annotations

import importlib.util
import json
import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np

from . import _core
from ._errors import config_error

if TYPE_CHECKING:
    from .checkpoints import Checkpoints
    from .networks import Network


class ArrayBot(Protocol):
    """A function on arrays. The rows are games in which this bot is the current player.

    ``observations`` is uint8 ``[n, *observation_shape]``, ``action_masks`` bool ``[n, A]``. ``info`` holds
    ``"current_player"`` int32 ``[n]``, ``"games"``, a sequence of :class:`ludovec.Game`, and ``"valid"`` bool
    ``[n]``: every call has the same number of rows, so that a jitted network compiles once; invalid rows are
    padding that repeats the first row, and their results are ignored. A function with two arguments gets no
    ``info``. Returns ``n`` integers.
    """

    def __call__(self, observations: Any, action_masks: Any, info: dict[str, Any]) -> Any: ...


class ObjectBot(Protocol):
    """An object with ``turn``, called in a dialect such as :data:`PLAIN` or :mod:`ludovec.empires`."""

    turn: Callable[..., Any]


#: A player: a text (``"greedy"``, ``"search:500"``, ``"http://host:port"``), a function on arrays, an object,
#: a network.
Player: TypeAlias = "str | ArrayBot | Callable[[Any, Any], Any] | ObjectBot | Network"

#: The other seats: one opponent for all, or tables: each an opponent or a tuple with one per seat.
Opponents: TypeAlias = (
    "Player | tuple[Player, ...] | Sequence[Player | tuple[Player, ...]] | Mapping[str, Player] | Checkpoints"
)

#: Handling of a function that raises or returns an invalid result.
OnFault = Literal["raise", "lose_move"]


@dataclass(frozen=True)
class Dialect:
    """Protocol of the scripted bots of an environment."""

    ask: Callable[[Any, dict[str, Any]], Any]
    """Calls ``turn`` of a bot with a request; returns the action as a JSON value."""
    modules: Mapping[str, ModuleType] = field(default_factory=dict)
    """Modules that files with such bots may import without being installed."""


PLAIN = Dialect(ask=lambda bot, request: bot.turn(request))
"""``turn(request)`` gets the request of :meth:`ludovec.Game.bot_request` and returns an action: an index, a
label or an object."""

DIALECTS: dict[str, Dialect] = {}
"""The dialects of environments with their own protocol, by id."""


def answer(env: str, bot: Any, request: dict[str, Any]) -> dict[str, Any]:
    """The answer of an object with ``turn`` to a request."""
    return {"action": DIALECTS.get(env, PLAIN).ask(bot, request)}


def encode(reply: Any) -> str:
    """An answer as JSON; NumPy scalars and arrays and objects with ``__index__`` are converted."""
    return json.dumps(reply, default=_plain)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else operator.index(value)


def load(env: str, file: str | Path) -> Any:
    """Loads a bot from a file: an instance of its class ``BotLogic``.

    Raises:
        InvalidConfig: The file cannot be run or has no such class; the message says why.
    """
    path = Path(file)
    lent = {
        name: module for name, module in DIALECTS.get(env, PLAIN).modules.items() if name not in sys.modules
    }
    sys.modules.update(lent)
    try:
        module_spec = importlib.util.spec_from_file_location(f"ludovec_bot_{path.stem}", path)
        if module_spec is None or module_spec.loader is None:
            raise config_error(f"{path}: a Python file is needed")
        module = importlib.util.module_from_spec(module_spec)
        module_spec.loader.exec_module(module)
        return module.BotLogic()
    except _core.LudovecError:
        raise
    except Exception as error:
        raise config_error(f"{path}: {type(error).__name__}: {error}") from error
    finally:
        for name in lent:
            del sys.modules[name]
