"""Argument checks shared by several modules; each returns the argument in the form that the engine takes."""

from __future__ import annotations

import logging
import operator
import os
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from .. import _core
from . import json_text
from .errors import config_error, illegal_action, type_error

_log = logging.getLogger("ludovec")
_LARGEST = 2**64 - 1
_LARGEST_COUNT = 2**32 - 1


def integer(name: str, value: Any) -> int:
    """An integer from 0 to 2**64 - 1, such as a seed."""
    try:
        number: int = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= _LARGEST:
        raise config_error(f"{name}: an integer from 0 to 2**64 - 1 is allowed")
    return number


def integer_or_none(name: str, value: Any) -> int | None:
    """The same, or None for the engine's default."""
    return None if value is None else integer(name, value)


def drawn_seed() -> int:
    """A random seed of 63 bits: libraries that take the infos into int64 can hold it."""
    return int.from_bytes(os.urandom(8), "little") >> 1


def seed(value: Any) -> int:
    """A seed; None draws one at random."""
    return drawn_seed() if value is None else integer("seed", value)


def seat(name: str, value: Any, players: int) -> int:
    """A player index, 0 to ``players - 1``."""
    number = index(name, value)
    if not 0 <= number < players:
        raise config_error(f"{name} {number}: players are 0 to {players - 1}")
    return number


def index(name: str, value: Any) -> int:
    """An integer of any size and sign; the engine checks the range."""
    try:
        number: int = operator.index(value)
    except TypeError as error:
        raise type_error(f"{name}={value!r:.100}: an integer is needed") from error
    return number


def listed(name: str, values: Any, what: str) -> list[Any]:
    """A list from any iterable except text."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return list(values)
    except TypeError as error:
        raise config_error(f"{name}={values!r:.100}: a list of {what} is needed") from error


def words(name: str, values: Any) -> list[str]:
    """A list of strings."""
    return [word(name, value) for value in listed(name, values, "texts")]


def indices(name: str, values: Any) -> list[int]:
    """A list of integers that fit 32 bits."""
    return [count(name, value) for value in listed(name, values, "integers")]


def scripts(name: str, values: Any, games: int) -> list[list[int]]:
    """One list of chance outcomes per game."""
    lists = [indices(name, value) for value in listed(name, values, "lists of integers")]
    if len(lists) != games:
        raise config_error(f"{name}: {len(lists)} lists of chance outcomes were given, {games} are needed")
    return lists


def _whole(value: Any) -> int:
    """An integer, or -1 if the value is not one. Booleans are not counts."""
    try:
        return -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        return -1


def positive(name: str, value: Any) -> int:
    """An integer of at least 1."""
    if not 1 <= (number := _whole(value)) <= _LARGEST:
        raise config_error(f"{name}={value!r:.100}: an integer of at least 1 is needed")
    return number


def positive_or_none(name: str, value: Any) -> int | None:
    """An integer of at least 1, or None for the engine's default."""
    return None if value is None else positive(name, value)


def threads(value: Any) -> int | None:
    """A number of threads, or None for all cores. The engine starts at most 8 per core: more is noted, not
    refused, so that a program for a large machine runs on a small one."""
    number = positive_or_none("num_threads", value)
    if number is not None and number > (most := _core.most_threads()):
        _log.warning("num_threads=%d: %d threads are used, 8 for each core of this machine", number, most)
    return number


def count(name: str, value: Any) -> int:
    """An integer that fits 32 bits; the engine checks the range."""
    if not 0 <= (number := _whole(value)) <= _LARGEST_COUNT:
        raise config_error(f"{name}={value!r:.100}: an integer from 0 to 2**32 - 1 is needed")
    return number


def count_or_none(name: str, value: Any) -> int | None:
    """The same, or None for the engine's default."""
    return None if value is None else count(name, value)


def number(name: str, value: Any) -> float:
    """A float; the engine checks the range."""
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise config_error(f"{name}={value!r}: a number is needed")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise config_error(f"{name}={value!r}: a number is needed") from error


def number_or_none(name: str, value: Any) -> float | None:
    """The same, or None for the engine's default."""
    return None if value is None else number(name, value)


def switch(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise config_error(f"{name}={value!r}: True or False is needed")
    return bool(value)


def word(name: str, value: Any) -> str:
    """A string; the engine checks the value."""
    if not isinstance(value, str):
        raise type_error(f"{name}={value!r:.100}: text is needed")
    if not json_text.is_unicode(value):
        raise config_error(f"{name}={value!a:.100}: text without lone surrogates is needed")
    return value


def word_or_none(name: str, value: Any) -> str | None:
    """The same, or None for the engine's default."""
    return None if value is None else word(name, value)


def path(name: str, value: Any) -> str:
    """A file name."""
    try:
        file = os.fsdecode(value)
    except TypeError as error:
        raise type_error(f"{name}={value!r:.100}: a file name is needed") from error
    if not json_text.is_unicode(file):
        raise config_error(f"{name}={value!a:.100}: a name in UTF-8 is needed")
    return file


def octets(name: str, value: Any) -> bytes:
    """Bytes from any object with the buffer protocol."""
    try:
        return value if isinstance(value, bytes) else bytes(memoryview(value))
    except TypeError as error:
        raise config_error(f"{name}: bytes are needed, {type(value).__name__} was given") from error


def time_limit(value: Any) -> float:
    """Time limit of a bot in seconds, above 0."""
    seconds = number("time_limit", value)
    if not seconds > 0:
        raise config_error(f"time_limit={value!r}: a positive number of seconds is needed")
    return seconds


def reset_options(options: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """The ``options`` of a reset; unknown keys are refused."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise config_error(f"options={options!r:.100}: a dict is needed")
    for key in options:
        if key not in known:
            raise config_error(f"options[{key!r}]: {' and '.join(known)} are allowed")
    return dict(options)


def reset_mask(mask: Any, num_envs: int) -> npt.NDArray[np.bool_] | None:
    """The games to reset, bool [num_envs]; None for all."""
    if mask is None:
        return None
    array = _array("reset_mask", mask)
    if array.shape != (num_envs,) or array.dtype != np.bool_ or not array.any():
        raise config_error(f"reset_mask: a bool array [{num_envs}] that selects a game is needed")
    return array


_seed = seed


def batch_config(
    *,
    num_envs: Any,
    num_threads: Any,
    seed: Any,
    autoreset: Any,
    obs: Any,
    mask: Any,
    pin_threads: Any = False,
) -> dict[str, Any]:
    """Configuration of a batch. ``autoreset`` may be Gymnasium's enum."""
    words = {"autoreset": getattr(autoreset, "name", autoreset), "obs": obs, "mask": mask}
    words = {name: word(name, value) for name, value in words.items()}
    return {
        **words,
        "autoreset": words["autoreset"].lower(),
        "num_envs": positive("num_envs", num_envs),
        "num_threads": threads(num_threads),
        "pin_threads": switch("pin_threads", pin_threads),
        "seed": _seed(seed),
    }


def actions(values: Any, count: int) -> npt.NDArray[Any]:
    """One action per game: int32 or int64 ``[count]``."""
    array = _array("actions", values)
    if array.shape == (0,):
        array = array.astype(np.int32)
    if array.dtype != np.int32 and array.dtype != np.int64:
        if array.dtype.kind not in "iu":
            raise config_error(f"actions: integers are needed, {array.dtype} was given")
        largest = np.iinfo(np.int64).max
        if array.dtype == np.uint64 and (array > largest).any():
            raise illegal_action(f"action {array.max()}: no action has this index")
        array = array.astype(np.int64)
    if array.shape != (count,):
        raise config_error(f"actions: shape ({count},) is needed, {array.shape} was given")
    return array


def floats(name: str, values: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """A float32 array of this shape from any array that NumPy can read; copied only if necessary."""
    if hasattr(values, "detach"):
        # NumPy cannot read torch tensors with gradients, on another device or in half precision.
        values = values.detach().cpu().float()
    array = _array(name, values)
    # NumPy would parse text and drop imaginary parts. Half precision of other libraries has kind "V".
    if array.dtype.kind not in "buifVO":
        raise config_error(f"{name}: real numbers are needed, {array.dtype} was given")
    try:
        with np.errstate(over="ignore"):
            array = np.require(array, np.float32, ["C", "A"])
    except (TypeError, ValueError) as error:
        raise config_error(f"{name}: {error}") from error
    if array.shape != shape:
        raise config_error(f"{name}: shape {shape} is needed, {array.shape} was given")
    return array


def games(ids: Any, num_envs: int) -> npt.NDArray[np.uint32]:
    """Game indices of a batch as uint32; None for all games."""
    if ids is None:
        return np.arange(num_envs, dtype=np.uint32)
    array = np.atleast_1d(_array("games", ids))
    if array.size == 0:
        return np.empty(0, dtype=np.uint32)
    if array.dtype == np.bool_ and array.shape == (num_envs,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise config_error("games: integers, or a bool array [num_envs], are needed")
    if array.min() < 0 or array.max() >= num_envs:
        raise config_error(f"games 0 to {num_envs - 1} exist")
    return array.astype(np.uint32)


def game(id: Any, num_envs: int) -> int:
    """One game index of a batch."""
    if not 0 <= (number := _whole(id)) < num_envs:
        raise config_error(f"game {id!r:.100}: games 0 to {num_envs - 1} exist")
    return number


def reset_seed(value: Any, num_envs: int) -> tuple[int | None, list[int | None] | None]:
    """The seed of a reset: one for all games, or one per game. Games without a seed go on with their next
    episode."""
    if value is None:
        return None, None
    if not isinstance(value, (list, tuple)) and getattr(value, "ndim", 0) != 1:
        return integer("seed", value), None
    if len(value) != num_envs:
        raise config_error(f"seed: an integer, or a list of {num_envs}, one per game, is needed")
    seeds = [integer_or_none("seed", one) for one in value]
    return None, None if all(one is None for one in seeds) else seeds


def unmasked(what: str, value: Any) -> Any:
    """Unwraps a masked array without masked elements and refuses one with: the engine ignores masks."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise config_error(
                f"{what}: masked elements are neither read nor written: fill them, or give .data"
            )
        return value.data
    return value


def array(what: str, value: Any) -> npt.NDArray[Any]:
    """Converts to a NumPy array."""
    return _array(what, value)


def _array(what: str, value: Any) -> npt.NDArray[Any]:
    value = unmasked(what, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        # Rows of unequal length.
        raise config_error(f"{what}: {error}") from error


_Called = TypeVar("_Called", bound=Callable[..., Any])


def environment_first(call: _Called) -> _Called:
    """Lets a call that begins with its environment take that as a keyword, too: ``evaluate(player,
    env="chess")``."""

    @wraps(call)
    def ordered(*given: Any, **arguments: Any) -> Any:
        if given and "env" in arguments:
            given = (arguments.pop("env"), *given)
        return call(*given, **arguments)

    return ordered  # type: ignore[return-value]
