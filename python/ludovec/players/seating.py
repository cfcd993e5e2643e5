"""Seats and opponents of the episodes of one learner, and its points against them.

All are functions of seed, game and episode, so they are equal wherever a game is played.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error

_Ints = npt.NDArray[np.int64]


def seat_rule(seat: Any, games: int, players: int) -> Any:
    """The learner's seat: ``"rotating"``, ``"random"``, or int32 [games]."""
    if isinstance(seat, str) and seat in ("rotating", "random"):
        return seat
    try:
        seats = np.broadcast_to(np.asarray(seat), (games,))
    except ValueError:
        seats = np.empty(0)
    if seats.dtype.kind not in "iu" or seats.min() < 0 or seats.max() >= players:
        raise config_error(
            f"seat={seat!r}: 0 to {players - 1}, one per game, 'rotating' or 'random' is allowed"
        )
    return seats.astype(np.int32)


def learner_seats(
    rule: str, seeds: npt.NDArray[np.uint64], games: _Ints, episodes: _Ints, players: int
) -> _Ints:
    """The learner's seat in each game, by a rule."""
    turns = games + episodes if rule == "rotating" else mixed(seeds, games, episodes)
    seats: _Ints = turns % players
    return seats


def tables_in_turn(tables: npt.NDArray[Any], games: _Ints, episodes: _Ints, players: int) -> npt.NDArray[Any]:
    """[n, players - 1]: the table of each game; a table plays one episode per seat, then the next follows."""
    chosen: npt.NDArray[Any] = tables[(games + episodes) // players % len(tables)]
    return chosen


def uniform(
    seed: int, place: int, seeds: npt.NDArray[np.uint64], games: _Ints, episodes: _Ints
) -> npt.NDArray[np.float64]:
    """Numbers in [0, 1), which draw the opponent at a place after the learner."""
    salt = np.uint64((seed + place + 1) % 2**64)
    drawn: npt.NDArray[np.float64] = mixed(seeds + salt, games, episodes) / 2.0**63
    return drawn


def points_against(
    returns: npt.NDArray[Any], seats: npt.NDArray[Any], truncated: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """[n, P]: the learner's points against every seat of finished games: 1 for a better final rank, 1/2 for
    an equal one. The engine's tournaments count the same.

    A truncated game is a draw.
    """
    lead = np.sign(returns[np.arange(len(seats)), seats][:, None] - returns)
    lead[truncated] = 0
    points: npt.NDArray[np.float64] = 0.5 + lead / 2
    return points


def mean_points(
    returns: npt.NDArray[Any], seats: npt.NDArray[Any], truncated: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """[n]: the learner's share of points against the other seats of finished games."""
    points = points_against(returns, seats, truncated)
    # The learner ties with itself.
    share: npt.NDArray[np.float64] = (points.sum(axis=1) - 0.5) / (points.shape[1] - 1)
    return share


def mixed(seeds: npt.NDArray[np.uint64], games: _Ints, episodes: _Ints) -> _Ints:
    """A pseudo-random number of at least 0 for each episode of each game (splitmix64)."""
    with np.errstate(over="ignore"):
        x = seeds + games.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        x += (episodes.astype(np.uint64) + np.uint64(1)) * np.uint64(0xD1B54A32D192ED03)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
        drawn: _Ints = ((x ^ (x >> np.uint64(31))) >> np.uint64(1)).astype(np.int64)
        return drawn
