"""Seeded random numbers."""

from __future__ import annotations

import random
from collections.abc import MutableSequence, Sequence
from typing import Any, TypeVar

from .._shared import checks
from .data_loader import CONSTANTS

_T = TypeVar("_T")

REINFORCEMENT_DIE_FACES: list[int] = CONSTANTS["die_faces"]
"""Pips of the reinforcement die, by face."""


class SeededRNG:
    """Random numbers for agents and scripts. Games draw from the engine's stream, which their seed starts."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(checks.integer("seed", seed))

    def roll_reinforcement_die(self) -> int:
        """0, 1, 2 or 3 pips; 0 has a chance of 50 %."""
        return self._random.choice(REINFORCEMENT_DIE_FACES)

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Shuffles a list in place."""
        self._random.shuffle(items)

    def random_int(self, lo: int, hi: int) -> int:
        """An integer from ``lo`` to ``hi``, both included."""
        return self._random.randint(lo, hi)

    def random_float(self) -> float:
        """A number in [0, 1)."""
        return self._random.random()

    def choice(self, items: Sequence[_T]) -> _T:
        """An element of a list."""
        return self._random.choice(items)

    def sample(self, items: Sequence[_T], k: int) -> list[_T]:
        """``k`` different elements of a list."""
        return self._random.sample(items, k)

    def get_state(self) -> tuple[Any, ...]:
        """The state of the stream."""
        return self._random.getstate()

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Continues from a state of :meth:`get_state`."""
        self._random.setstate(state)
