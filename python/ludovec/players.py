"""Bots written in Python: functions on arrays, and objects whose ``turn`` is told what a seat sees.

A function that raises or returns nonsense stops the call that asked it, with its own exception or one that
names the bot, the game and the action: nobody trains or measures with a broken function unawares. An object
that fails, is too late or returns nonsense loses its move, and so does a function with
``on_fault="lose_move"``: the engine plays ``"pass"`` for it (nothing where the rules allow that, otherwise a
random action). The loss is counted and reported with the bot's name, and the game goes on.
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
    from .networks import Network


class ArrayBot(Protocol):
    """A function on arrays. Its rows are games in which it is to move.

    ``observations`` is uint8 ``[n, *observation_shape]``, ``action_masks`` bool ``[n, A]``; ``info`` holds
    ``"current_player"`` int32 ``[n]``, ``"games"``, a sequence of :class:`ludovec.Game`, and ``"valid"`` bool
    ``[n]``: every call has the same number of rows, so that a network that is compiled for a shape is
    compiled once; the rows that are not valid repeat the first one, and what is returned for them does not
    count. A function of two arguments gets no ``info``. Returns ``n`` integers.
    """

    def __call__(self, observations: Any, action_masks: Any, info: dict[str, Any]) -> Any: ...


class ObjectBot(Protocol):
    """An object with ``turn``, told what the environment tells (:data:`PLAIN`, :mod:`ludovec.empires`)."""

    turn: Callable[..., Any]


#: A player: a text (``"greedy"``, ``"search:500"``, ``"http://host:port"``), a function on arrays, an object,
#: a network.
Player: TypeAlias = "str | ArrayBot | Callable[[Any, Any], Any] | ObjectBot | Network"

#: Who has the other seats: a player, or tables: each a player or a tuple of one a seat.
Opponents: TypeAlias = (
    "Player | tuple[Player, ...] | Sequence[Player | tuple[Player, ...]] | Mapping[str, Player]"
)

#: What becomes of a function that raises or returns nonsense.
OnFault = Literal["raise", "lose_move"]


@dataclass(frozen=True)
class Dialect:
    """How the objects of an environment's scripted bots are spoken to."""

    ask: Callable[[Any, dict[str, Any]], Any]
    """Calls the ``turn`` of a bot with a request; returns the action as JSON has it."""
    modules: Mapping[str, ModuleType] = field(default_factory=dict)
    """What files of such bots may import although it is not installed."""


PLAIN = Dialect(ask=lambda bot, request: bot.turn(request))
"""``turn(request)`` gets the request as :meth:`ludovec.Game.bot_request` shows it, and returns an action: an
index, a label or an object."""

DIALECTS: dict[str, Dialect] = {}
"""The dialects of environments that have one of their own, by id."""


def answer(env: str, bot: Any, request: dict[str, Any]) -> dict[str, Any]:
    """What an object with ``turn`` answers to a request."""
    return {"action": DIALECTS.get(env, PLAIN).ask(bot, request)}


def encode(reply: Any) -> str:
    """An answer as JSON, NumPy's numbers and arrays and whatever has ``__index__`` included."""
    return json.dumps(reply, default=_plain)


def _plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else operator.index(value)


def load(env: str, file: str | Path) -> Any:
    """The bot in a file: an instance of its class ``BotLogic``.

    Raises:
        InvalidConfig: Says why the file cannot be run or holds none.
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
