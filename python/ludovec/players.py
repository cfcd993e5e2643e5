"""Bots written in Python: functions on arrays, and objects whose ``turn`` is told what a seat sees.

A bot that raises, is too late or returns nonsense loses its move: the engine plays ``"pass"`` for it (nothing
where the rules allow that, otherwise a random action). The loss is reported with the bot's name, and the game
goes on.
"""

from __future__ import annotations

import importlib.util
import inspect
import json
import operator
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from . import _core
from ._errors import config_error
from .game import Game


class ArrayBot(Protocol):
    """A function on arrays. Its rows are games in which it is to move.

    ``observations`` is uint8 ``[n, *observation_shape]``, ``action_masks`` bool ``[n, A]``; ``info`` holds
    ``"current_player"`` int32 ``[n]`` and ``"games"``, a list of :class:`ludovec.Game`. A function of two
    arguments gets no ``info``. Returns ``n`` integers.
    """

    def __call__(self, observations: Any, action_masks: Any, info: dict[str, Any]) -> Any: ...


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


class OutsideBot:
    """A Python bot as the engine asks it: games in, for each an action or the reason why there is none."""

    def __init__(self, env: str, bot: Any, time_limit: float) -> None:
        self._worker = _Worker(time_limit)
        if hasattr(bot, "turn"):
            self._ask: Callable[[list[_core.SingleGame]], list[int | str]] = self._ask_object
        elif callable(bot):
            self._ask = self._ask_function
            self._takes_info = _takes(bot, 3)
        else:
            raise config_error(
                f"bot {bot!r}: a name, a function on arrays or an object with turn() is needed"
            )
        self._env, self._bot = env, bot

    def __call__(self, games: list[_core.SingleGame]) -> list[int | str]:
        return self._ask(games)

    def _ask_object(self, games: list[_core.SingleGame]) -> list[int | str]:
        return [self._ask_about(game) for game in games]

    def _ask_about(self, game: _core.SingleGame) -> int | str:
        try:
            reply = self._worker.run(answer, self._env, self._bot, json.loads(game.bot_request()))
            try:
                return game.action_from_bot_reply(encode(reply))
            except _core.LudovecError as error:
                return f"{reply['action']!r:.200}: {error}"
        except (_Lost, _core.LudovecError, TypeError, ValueError) as error:
            return str(error)

    def _ask_function(self, games: list[_core.SingleGame]) -> list[int | str]:
        shown = [Game._wrap(game) for game in games]
        players = np.array([game.current_player for game in shown], dtype=np.int32)
        shape = shown[0].spec.observation_shape
        observations = np.stack([g.observation(p).reshape(shape) for g, p in zip(shown, players)])
        masks = np.stack([game.action_mask() for game in shown]).view(np.bool_)
        info = {"current_player": players, "games": shown}
        arguments = (observations, masks, info) if self._takes_info else (observations, masks)
        try:
            chosen = self._worker.run(self._bot, *arguments)
            listed = list(chosen)
        except (_Lost, TypeError) as error:
            return [str(error)] * len(games)
        shape = chosen.shape if isinstance(chosen, np.ndarray) else (len(listed),)
        if shape != players.shape:
            return [f"integers of shape {players.shape} are needed, some of {shape} were returned"] * len(
                games
            )
        last = shown[0].spec.num_actions - 1
        return [_checked(action, last) for action in listed]


def _checked(action: Any, last: int) -> int | str:
    """The action, or why it is none."""
    try:
        number = operator.index(action)
    except TypeError:
        return f"an integer from 0 to {last} is needed, {' '.join(repr(action).split()):.100} was returned"
    return number if 0 <= number <= last else f"action {number}: actions are 0 to {last}"


class _Lost(Exception):
    """A move is lost; says why."""


class _Call:
    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None


class _Worker:
    """Runs calls in a thread of its own, each within a limit of time.

    A call that goes on past its limit cannot be stopped; until it ends, later ones are refused at once.
    """

    def __init__(self, time_limit: float) -> None:
        self._time_limit = time_limit
        self._calls: SimpleQueue[_Call] = SimpleQueue()
        self._last: _Call | None = None
        # A daemon, so that a bot that hangs does not keep the program from ending.
        threading.Thread(target=_work, args=(self._calls,), name="ludovec bot", daemon=True).start()

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._last is not None and not self._last.done.is_set():
            raise _Lost("it is still busy with an earlier move")
        call = self._last = _Call(function, arguments)
        self._calls.put(call)
        if not call.done.wait(self._time_limit):
            raise _Lost(f"no answer within {self._time_limit:g} s")
        if call.error is not None:
            raise _Lost(f"{type(call.error).__name__}: {call.error}")
        return call.result


def _work(calls: SimpleQueue[_Call]) -> None:
    while True:
        call = calls.get()
        try:
            call.result = call.function(*call.arguments)
        # Whatever a bot raises, SystemExit included, is its own loss.
        except BaseException as error:
            call.error = error
        call.done.set()


def _takes(function: Callable[..., Any], arguments: int) -> bool:
    try:
        inspect.signature(function).bind(*range(arguments))
    except TypeError:
        return False
    except ValueError:
        return True
    return True
