"""Positions and snapshots as arguments: parsed and checked before any game changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared import checks, json_text
from .._shared.errors import config_error, state_error
from ..spec import Spec
from .openings import Openings

if TYPE_CHECKING:
    from .game import Game

#: A position: a game, its JSON document or the JSON of its position as text or object, or the bytes of a
#: snapshot of one game.
PositionLike: TypeAlias = "str | Mapping[str, Any] | bytes | Game"


def seeds_of(snapshot: bytes) -> npt.NDArray[np.uint64]:
    """uint64 [games]: the seeds in a snapshot that the engine has read or written."""
    # The format is described in src/engine/batch/snapshot.rs: 40 bytes before the games, a checksum after
    # them.
    games = int.from_bytes(snapshot[32:40], "little")
    rows = np.frombuffer(snapshot, np.uint8, len(snapshot) - 48, 40).reshape(games, -1)
    return np.ascontiguousarray(rows[:, :8]).view("<u8")[:, 0].astype(np.uint64)


def scratch(spec: Spec, games: int, seed: int = 0) -> _core.Batch:
    """A batch without observations to copy games into."""
    config = {"num_envs": games, "first_game": 0, "total_games": None, "seed": seed}
    config |= {"num_threads": 1, "pin_threads": False}
    words = {"autoreset": "disabled", "obs": "none", "mask": "bits"}
    return _core.Batch(spec.env, spec.options, {**config, **words}, {})


def position_like(name: str, position: Any) -> str | bytes:
    """A position in the form that the engine reads."""
    if isinstance(position, (bytes, bytearray, memoryview)):
        return bytes(position)
    if hasattr(position, "to_json"):
        return str(position.to_json())
    if not isinstance(position, (str, Mapping)):
        raise state_error(
            f"{name}={position!r:.100}: a game, its JSON, the JSON of a position or the snapshot of one game "
            "is needed"
        )
    return json_text.text(name, position)


def openings_of_starts(starts: Any, weights: Any = None) -> Openings:
    """The positions of the argument ``starts``, with their weights; no weights are equal ones."""
    if starts is None:
        return Openings((), ())
    if weights is None and isinstance(starts, Openings):
        weights = starts.weights
    numbers: list[float] = []
    for number in [] if weights is None else checks.listed("weights", weights, "numbers"):
        if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, float, np.number)):
            raise config_error(f"weights: {number!r:.100}: a number of at least 0 is needed")
        numbers.append(float(number))
    listed = checks.listed("starts", starts, "positions")
    if isinstance(starts, Mapping) or not listed:
        raise config_error(f"starts={starts!r:.100}: a list of at least one position is needed")
    positions = tuple(position_like(f"starts[{i}]", position) for i, position in enumerate(listed))
    return Openings(positions, tuple(numbers))


def positions_of(positions: Any, spec: Spec, num_envs: int) -> list[tuple[int, str | bytes]]:
    """Parses ``options["starts"]`` of a reset: pairs of game index and position."""
    listed: list[tuple[Any, Any]]
    if positions is None:
        return []
    if isinstance(positions, Mapping):
        listed = list(positions.items())
    elif isinstance(positions, (list, tuple)) and len(positions) == num_envs:
        listed = [(id, position) for id, position in enumerate(positions) if position is not None]
    else:
        raise config_error(f"starts: a list of {num_envs}, one per game, or a mapping from games is needed")
    found = [(checks.game(id, num_envs), position_like("position", position)) for id, position in listed]
    one = scratch(spec, 1)
    for _, position in found:
        # Validate on a scratch batch so that nothing is reset if a position is refused.
        one.set_position(0, position)
    return found
