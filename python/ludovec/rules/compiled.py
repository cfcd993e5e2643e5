"""Functions of Numba as C functions that the engine calls."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.datamodel import models
from numba.extending import intrinsic, overload_method, register_model

from .functions import uniform, weighted


class _ChanceType(types.Type):
    """The type of ``chance`` in compiled rules: a pointer."""

    def __init__(self) -> None:
        super().__init__(name="ludovec.Chance")


_chance = _ChanceType()
register_model(_ChanceType)(models.OpaqueModel)


@intrinsic
def _as_chance(typing: Any, pointer: Any) -> Any:
    """The pointer that the engine gives as ``chance``."""
    return _chance(types.voidptr), lambda context, builder, signature, arguments: arguments[0]


@intrinsic
def _as_pointer(typing: Any, chance: Any) -> Any:
    """The pointer in ``chance``."""
    return types.voidptr(_chance), lambda context, builder, signature, arguments: arguments[0]


@overload_method(_ChanceType, "uniform")
def _uniform(chance: Any, n: Any) -> Any:
    def draw(chance: Any, n: Any) -> Any:
        return np.int64(uniform(_as_pointer(chance), np.uint32(n)))

    return draw


@overload_method(_ChanceType, "weighted")
def _weighted(chance: Any, weights: Any) -> Any:
    def draw(chance: Any, weights: Any) -> Any:
        numbers = np.empty(len(weights), np.uint32)
        for i in range(len(weights)):
            numbers[i] = weights[i]
        return np.int64(weighted(_as_pointer(chance), numbers.ctypes, np.uint32(len(numbers))))

    return draw


@overload_method(_ChanceType, "choice")
def _choice(chance: Any, elements: Any) -> Any:
    def draw(chance: Any, elements: Any) -> Any:
        return elements[chance.uniform(len(elements))]

    return draw


@overload_method(_ChanceType, "shuffle")
def _shuffle(chance: Any, elements: Any) -> Any:
    def draw(chance: Any, elements: Any) -> None:
        for last in range(len(elements) - 1, 0, -1):
            other = chance.uniform(last + 1)
            kept = elements[last]
            elements[last] = elements[other]
            elements[other] = kept

    return draw


#: The C functions by what they were made of.
_made: dict[Any, Any] = {}


def compiled(
    id: str, name: str, function: Any, state: np.dtype[Any], players: int, actions: int, elements: int
) -> Any:
    """The C function of a method in Numba; 1 is its status if the method raises."""
    key = (function, name, state, players, actions, elements)
    if key not in _made:
        record = numba.from_dtype(state)
        _made[key] = _MAKERS[name](function, types.CPointer(record), players, actions, elements)
    return _made[key]


def _changes(function: Any, record: Any, *sizes: int) -> Any:
    @numba.cfunc(types.int32(record, types.voidptr))
    def init(state: Any, chance: Any) -> Any:
        try:
            function(numba.carray(state, 1)[0], _as_chance(chance))
        except Exception:
            return 1
        return 0

    return init


def _changes_by(function: Any, record: Any, *sizes: int) -> Any:
    @numba.cfunc(types.int32(record, types.int32, types.voidptr))
    def step(state: Any, number: Any, chance: Any) -> Any:
        try:
            function(numba.carray(state, 1)[0], np.int64(number), _as_chance(chance))
        except Exception:
            return 1
        return 0

    return step


def _player(function: Any, record: Any, *sizes: int) -> Any:
    @numba.cfunc(types.int32(record))
    def current_player(state: Any) -> Any:
        return np.int32(function(numba.carray(state, 1)[0]))

    return current_player


def _mask(function: Any, record: Any, players: int, actions: int, elements: int) -> Any:
    @numba.cfunc(types.int32(record, types.CPointer(types.uint8)))
    def legal(state: Any, mask: Any) -> Any:
        try:
            answer = function(numba.carray(state, 1)[0])
            if len(answer) != actions:
                return 1
            for i in range(actions):
                mask[i] = np.uint8(answer[i])
        except Exception:
            return 1
        return 0

    return legal


def _bytes(function: Any, record: Any, players: int, actions: int, elements: int) -> Any:
    @numba.cfunc(types.int32(record, types.int32, types.CPointer(types.uint8)))
    def observe(state: Any, player: Any, out: Any) -> Any:
        try:
            answer = function(numba.carray(state, 1)[0], np.int64(player))
            if answer.size != elements:
                return 1
            i = 0
            for element in answer.flat:
                out[i] = np.uint8(element)
                i += 1
        except Exception:
            return 1
        return 0

    return observe


def _numbers(function: Any, record: Any, players: int, actions: int, elements: int) -> Any:
    @numba.cfunc(types.int32(record, types.CPointer(types.float32)))
    def returns(state: Any, out: Any) -> Any:
        try:
            answer = function(numba.carray(state, 1)[0])
            if len(answer) != players:
                return 1
            for i in range(players):
                out[i] = np.float32(answer[i])
        except Exception:
            return 1
        return 0

    return returns


def _status(function: Any, record: Any, *sizes: int) -> Any:
    @numba.cfunc(types.int32(record))
    def validate(state: Any) -> Any:
        try:
            function(numba.carray(state, 1)[0])
        except Exception:
            return 1
        return 0

    return validate


_MAKERS: dict[str, Any] = {
    "init": _changes,
    "step": _changes_by,
    "determinize": _changes_by,
    "current_player": _player,
    "legal": _mask,
    "observe": _bytes,
    "returns": _numbers,
    "scores": _numbers,
    "estimate": _numbers,
    "validate": _status,
}
