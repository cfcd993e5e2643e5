"""Checks of arguments that several modules take; each returns the argument as the engine reads it."""

from __future__ import annotations

import operator
import os
import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _json
from ._errors import config_error, illegal_action, type_error

_LARGEST = 2**64 - 1
_LARGEST_COUNT = 2**32 - 1


def integer(name: str, value: Any) -> int:
    """An integer that fits 64 bits: a seed, the number of a game."""
    try:
        number: int = operator.index(value)
    except TypeError:
        number = -1
    if not 0 <= number <= _LARGEST:
        raise config_error(f"{name}: an integer from 0 to 2**64 - 1 is allowed")
    return number


def seed(value: Any) -> int:
    """A seed, where None draws one."""
    return secrets.randbits(64) if value is None else integer("seed", value)


def seat(name: str, value: Any, players: int) -> int:
    """A seat of a game."""
    number = index(name, value)
    if not 0 <= number < players:
        raise config_error(f"{name} {number}: players are 0 to {players - 1}")
    return number


def index(name: str, value: Any) -> int:
    """An integer of any size and sign; the engine says which are allowed."""
    try:
        number: int = operator.index(value)
    except TypeError as error:
        raise type_error(f"{name}={value!r:.100}: an integer is needed") from error
    return number


def listed(name: str, values: Any, what: str) -> list[Any]:
    """Whatever can be gone through once, but text."""
    try:
        if isinstance(values, (str, bytes)):
            raise TypeError
        return list(values)
    except TypeError as error:
        raise config_error(f"{name}={values!r:.100}: a list of {what} is needed") from error


def words(name: str, values: Any) -> list[str]:
    """A list of texts."""
    return [word(name, value) for value in listed(name, values, "texts")]


def indices(name: str, values: Any) -> list[int]:
    """A list of integers that fit 32 bits."""
    return [count(name, value) for value in listed(name, values, "integers")]


def scripts(name: str, values: Any, games: int) -> list[list[int]]:
    """A list of chance outcomes a game."""
    lists = [indices(name, value) for value in listed(name, values, "integers a game")]
    if len(lists) != games:
        raise config_error(f"{name}: {len(lists)} lists of chance outcomes were given, {games} are needed")
    return lists


def _whole(value: Any) -> int:
    """An integer; -1 for what is none. True is no number of things."""
    try:
        return -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        return -1


def positive(name: str, value: Any) -> int:
    """An integer of at least 1: how many of something."""
    if not 1 <= (number := _whole(value)) <= _LARGEST:
        raise config_error(f"{name}={value!r:.100}: an integer of at least 1 is needed")
    return number


def positive_or_none(name: str, value: Any) -> int | None:
    """An integer of at least 1, or None where the engine chooses."""
    return None if value is None else positive(name, value)


def count(name: str, value: Any) -> int:
    """An integer that fits 32 bits; the engine says which of them are allowed."""
    if not 0 <= (number := _whole(value)) <= _LARGEST_COUNT:
        raise config_error(f"{name}={value!r:.100}: an integer from 0 to 2**32 - 1 is needed")
    return number


def count_or_none(name: str, value: Any) -> int | None:
    """The same, or None where the engine chooses."""
    return None if value is None else count(name, value)


def number(name: str, value: Any) -> float:
    """A number; the engine says which are allowed."""
    if isinstance(value, bool) or not (hasattr(value, "__float__") or hasattr(value, "__index__")):
        raise config_error(f"{name}={value!r}: a number is needed")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise config_error(f"{name}={value!r}: a number is needed") from error


def number_or_none(name: str, value: Any) -> float | None:
    """The same, or None where the engine chooses."""
    return None if value is None else number(name, value)


def switch(name: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise config_error(f"{name}={value!r}: True or False is needed")
    return bool(value)


def word(name: str, value: Any) -> str:
    """Text; the engine says which words are allowed."""
    if not isinstance(value, str):
        raise type_error(f"{name}={value!r:.100}: text is needed")
    if not _json.is_unicode(value):
        raise config_error(f"{name}={value!a:.100}: text without lone surrogates is needed")
    return value


def path(name: str, value: Any) -> str:
    """The name of a file."""
    try:
        file = os.fsdecode(value)
    except TypeError as error:
        raise type_error(f"{name}={value!r:.100}: the name of a file is needed") from error
    if not _json.is_unicode(file):
        raise config_error(f"{name}={value!a:.100}: a name in UTF-8 is needed")
    return file


def octets(name: str, value: Any) -> bytes:
    """Bytes, from whatever holds some."""
    try:
        return value if isinstance(value, bytes) else bytes(memoryview(value))
    except TypeError as error:
        raise config_error(f"{name}: bytes are needed, {type(value).__name__} was given") from error


def time_limit(value: Any) -> float:
    """Seconds that a bot has."""
    seconds = number("time_limit", value)
    if not seconds > 0:
        raise config_error(f"time_limit={value!r}: a positive number of seconds is needed")
    return seconds


def reset_options(options: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """The ``options`` of a reset; a key that is not known is refused."""
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise config_error(f"options={options!r:.100}: a dict is needed")
    for key in options:
        if key not in known:
            raise config_error(f"options[{key!r}]: {' and '.join(known)} are allowed")
    return dict(options)


def reset_mask(mask: Any, num_envs: int) -> npt.NDArray[np.bool_] | None:
    """Which games a reset is for; None for all."""
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
    """How a batch is run. ``autoreset`` may be Gymnasium's enum."""
    words = {"autoreset": getattr(autoreset, "name", autoreset), "obs": obs, "mask": mask}
    words = {name: word(name, value) for name, value in words.items()}
    return {
        **words,
        "autoreset": words["autoreset"].lower(),
        "num_envs": positive("num_envs", num_envs),
        "num_threads": positive_or_none("num_threads", num_threads),
        "pin_threads": switch("pin_threads", pin_threads),
        "seed": _seed(seed),
    }


def actions(values: Any, count: int) -> npt.NDArray[Any]:
    """One action a game: int32 or int64 ``[count]``."""
    array = _array("actions", values)
    if array.shape == (0,):
        array = array.astype(np.int32)
    if array.dtype != np.int32 and array.dtype != np.int64:
        if array.dtype.kind not in "iu":
            raise config_error(f"actions: integers are needed, {array.dtype} was given")
        largest = np.iinfo(np.int64).max
        if array.dtype == np.uint64 and (array > largest).any():
            raise illegal_action(f"action {array.max()}: none has such a number")
        array = array.astype(np.int64)
    if array.shape != (count,):
        raise config_error(f"actions: shape ({count},) is needed, {array.shape} was given")
    return array


def floats(name: str, values: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
    """float32 of this shape from an array that NumPy can read; copied only where it must be."""
    if hasattr(values, "detach"):
        # A tensor of torch's: NumPy reads none that has gradients, another device or half of the bits.
        values = values.detach().cpu().float()
    array = _array(name, values)
    # NumPy would parse texts and drop imaginary parts. Half precision of other libraries has kind "V".
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
    """Numbers of games of a batch; None for all."""
    if ids is None:
        return np.arange(num_envs, dtype=np.uint32)
    array = np.atleast_1d(_array("games", ids))
    if array.size == 0:
        return np.empty(0, dtype=np.uint32)
    if array.dtype == np.bool_ and array.shape == (num_envs,):
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise config_error("games are given as integers, or as a bool array [num_envs]")
    if array.min() < 0 or array.max() >= num_envs:
        raise config_error(f"games 0 to {num_envs - 1} exist")
    return array.astype(np.uint32)


def game(id: Any, num_envs: int) -> int:
    """The number of one game of a batch."""
    if not 0 <= (number := _whole(id)) < num_envs:
        raise config_error(f"game {id!r:.100}: games 0 to {num_envs - 1} exist")
    return number


def seeds(values: Any, num_envs: int) -> list[Any] | None:
    """One seed a game, not yet looked at; None where it is one for all."""
    if not isinstance(values, (list, tuple)) and getattr(values, "ndim", 0) != 1:
        return None
    if len(values) != num_envs:
        raise config_error(f"seed: one integer, or {num_envs}, one a game, are needed")
    return list(values)


def unmasked(what: str, value: Any) -> Any:
    """The same, where nothing in it is masked: the engine reads and writes what is behind a mask, too."""
    if isinstance(value, np.ma.MaskedArray):
        if np.ma.is_masked(value):
            raise config_error(f"{what}: masked elements are neither read nor written: fill them, or give .data")
        return value.data
    return value


def array(what: str, value: Any) -> npt.NDArray[Any]:
    """An array from what NumPy can read."""
    return _array(what, value)


def _array(what: str, value: Any) -> npt.NDArray[Any]:
    value = unmasked(what, value)
    try:
        return np.asarray(value)
    except ValueError as error:
        # Rows of unequal length.
        raise config_error(f"{what}: {error}") from error
