"""Rules of other libraries as classes for :func:`ludovec.register`: a state is the moves that led to it.

The libraries keep positions as objects, which a state of plain bytes cannot hold. :class:`Histories` maps the
moves to the objects: it keeps the latest ones, and makes the others from the longest beginning that it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from .._core import RulesError
from .._shared.errors import config_error

Position = TypeVar("Position")

#: Kept positions, at most.
_MOST = 10_000
#: Bytes of a move.
_WIDTH = 4
#: Beginnings that :meth:`Histories.alike` looks at, at most.
_SEARCHED = 200_000


class Histories(Generic[Position]):
    """Positions by the moves that lead to them.

    Args:
        begin: A new position.
        play: Plays a move on a position, in place.
        copy: A copy of a position.
    """

    def __init__(
        self,
        begin: Callable[[], Position],
        play: Callable[[Position, int], None],
        copy: Callable[[Position], Position],
    ) -> None:
        self._begin, self._play, self._copy = begin, play, copy
        self._known: dict[bytes, Position] = {}

    def at(self, moves: bytes) -> Position:
        """The position after ``moves``, int32 numbers. Others have it, too: it must not be changed."""
        known = self._known.get(moves)
        if known is not None:
            return known
        start = len(moves)
        while start and known is None:
            start -= _WIDTH
            known = self._known.get(moves[:start])
        position = self._begin() if known is None else self._copy(known)
        for move in np.frombuffer(moves[start:], np.int32):
            self._play(position, int(move))
        if len(self._known) >= _MOST:
            self._known = {}
        self._known[moves] = position
        return position


def alike(
    moves: bytes, fits: Callable[[bytes], bool], following: Callable[[bytes], list[tuple[int, float]]]
) -> tuple[list[bytes], list[float]]:
    """All sequences of as many moves with beginnings that all fit, and their probabilities.

    Args:
        fits: Whether a player knows the same after these moves as after the same number of the real ones.
        following: The possible next moves with their probabilities.

    Raises:
        RulesError: There are too many.
    """
    found: list[bytes] = []
    chances: list[float] = []
    waiting = [(b"", 1.0)]
    looked = 0
    while waiting:
        begun, chance = waiting.pop()
        if len(begun) == len(moves):
            found.append(begun)
            chances.append(chance)
            continue
        for move, share in following(begun):
            looked += 1
            if looked > _SEARCHED:
                raise RulesError(f"determinize: more than {_SEARCHED} beginnings fit what a player knows")
            longer = begun + np.int32(move).tobytes()
            if share > 0 and fits(longer):
                waiting.append((longer, chance * share))
    return found, chances


def weights(shares: list[float]) -> list[int]:
    """Probabilities as weights of ``chance.weighted``: equal ones stay equal, possible ones positive."""
    largest = max(shares)
    most = (2**31 - len(shares)) // len(shares)
    # Halves, thirds, sixths and the like are exact.
    for whole in (1, 2, 3, 4, 6, 12, 60, 2520, 27720):
        exact = [whole * share / largest for share in shares]
        if all(abs(weight - round(weight)) < 1e-9 * whole for weight in exact):
            return [round(weight) for weight in exact]
    return [max(round(most * share / largest), share > 0) for share in shares]


class MovesGame:
    """Base of the classes: a state is its moves. ``most_moves`` is their largest number."""

    most_moves: int
    state: list[tuple[Any, ...]]

    @staticmethod
    def fields(most_moves: int) -> list[tuple[Any, ...]]:
        """The fields of the state."""
        return [("length", np.int32), ("moves", np.int32, (most_moves,))]

    @staticmethod
    def moves(state: Any) -> bytes:
        """The moves of a state."""
        moves: npt.NDArray[np.int32] = state["moves"]
        return moves[: int(state["length"])].tobytes()

    @staticmethod
    def put(state: Any, moves: bytes) -> None:
        """Writes the moves into a state."""
        given = np.frombuffer(moves, np.int32)
        if len(given) > len(state["moves"]):
            raise RulesError(f"a game has more than {len(state['moves'])} moves")
        state["moves"][: len(given)] = given
        state["moves"][len(given) :] = 0
        state["length"] = len(given)

    @staticmethod
    def beginnings(state: Any) -> Iterator[tuple[bytes, int]]:
        """Each move of a state from outside, with the moves before it.

        Raises:
            ValueError: The state has no such number of moves, or something behind them.
        """
        length = int(state["length"])
        if not 0 <= length <= len(state["moves"]) or state["moves"][length:].any():
            raise ValueError(
                f"length={length}: 0 to {len(state['moves'])} moves, and zeros after them, are needed"
            )
        moves: bytes = state["moves"][:length].tobytes()
        for end in range(0, len(moves), _WIDTH):
            yield moves[:end], int(np.frombuffer(moves[end : end + _WIDTH], np.int32)[0])


def whole_bytes(values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Numbers of an observation as bytes.

    Raises:
        InvalidConfig: They are not whole numbers from 0 to 255.
    """
    array = np.asarray(values)
    rounded = np.rint(array).astype(np.int64) if array.dtype.kind == "f" else array.astype(np.int64)
    if (rounded != array).any() or (rounded < 0).any() or (rounded > 255).any():
        raise config_error("the observation has numbers other than 0 to 255: give the argument observe")
    return rounded.astype(np.uint8).ravel()
