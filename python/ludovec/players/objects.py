"""Objects with ``turn`` as players: the dialects in which they are called, and their files."""

from __future__ import annotations

import importlib.util
import json
import operator
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from .. import _core
from .._shared.errors import config_error


class ObjectBot(Protocol):
    """An object with ``turn``, called in a dialect such as :data:`PLAIN` or :mod:`ludovec.empires`."""

    turn: Callable[..., Any]


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
    return json.dumps(reply, default=_number)


def _number(value: Any) -> Any:
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
