"""Elo ratings from counts of results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared.errors import config_error

_COUNTS = "counts: {(a, b): (wins, draws, losses)} or a square matrix of points is needed"


class Rating(NamedTuple):
    """A rating on the Elo scale."""

    elo: float
    margin: float
    """Half-width of the 95 % confidence interval; 0 for a known rating, infinite without games that connect
    the player to another one or to a known rating."""


def rating(
    counts: Mapping[tuple[Any, Any], tuple[float, float, float]] | npt.ArrayLike,
    *,
    known: Mapping[Any, float] | None = None,
) -> dict[Any, Rating]:
    """Elo ratings of players from results that you have, by maximum likelihood.

    One virtual draw between every two players that met keeps ratings finite. It is the rating of
    :func:`ludovec.tournament` with a game as the unit of margins.

    >>> counts = {("new", "old"): (120, 60, 70), ("new", "1500"): (9, 2, 5)}
    >>> ludovec.rating(counts, known={"1500": 1500})

    Args:
        counts: ``{(a, b): (wins, draws, losses)}`` from the view of ``a``; or a matrix ``[n, n]`` with the
            points of each row's player against each column's; players are 0 to n - 1. The diagonal is
            ignored, and half points count as parts of decided games.
        known: Ratings that are fixed, such as those of reference engines. Without any, the mean is 0.

    Returns:
        Ratings by player, best first.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    pairs = _of_mapping(counts) if isinstance(counts, Mapping) else _of_matrix(counts)
    fixed = {} if known is None else known
    if not isinstance(fixed, Mapping) or not all(_is_number(elo) for elo in fixed.values()):
        raise config_error(f"known={known!r:.100}: a mapping from players to ratings is needed")
    players = [*dict.fromkeys(player for a, b, _ in pairs for player in (a, b))]
    for player in fixed:
        if player not in players:
            raise config_error(f"known: {player!r:.100} has no games; the players are {players!r:.200}")
    place = {player: number for number, player in enumerate(players)}
    rows = [(place[a], place[b], *numbers) for a, b, numbers in pairs]
    elos = [float(fixed[player]) if player in fixed else None for player in players]
    found = zip(players, (Rating(*row) for row in _core.ratings_of_counts(rows, elos)))
    return dict(sorted(found, key=lambda item: -item[1].elo))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _of_mapping(counts: Mapping[Any, Any]) -> list[tuple[Any, Any, tuple[float, float, float]]]:
    pairs = []
    for key, row in counts.items():
        try:
            (a, b), numbers = key, tuple(row)
        except (TypeError, ValueError) as error:
            raise config_error(f"{_COUNTS}, {key!r:.100}: {row!r:.100} was given") from error
        if len(numbers) != 3 or not all(_is_number(number) and number >= 0 for number in numbers):
            raise config_error(f"{_COUNTS}, {key!r:.100}: {row!r:.100} was given")
        if a == b:
            raise config_error(f"counts: {a!r:.100} against itself has no rating: two players are needed")
        wins, draws, losses = map(float, numbers)
        pairs.append((a, b, (wins, draws, losses)))
    return pairs


def _of_matrix(counts: Any) -> list[tuple[Any, Any, tuple[float, float, float]]]:
    try:
        points = np.array(counts, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise config_error(f"{_COUNTS}: {error}") from error
    if points.ndim != 2 or points.shape[0] != points.shape[1]:
        raise config_error(f"{_COUNTS}, shape {points.shape} was given")
    np.fill_diagonal(points, 0.0)
    if not (np.isfinite(points).all() and (points >= 0).all()):
        raise config_error(f"{_COUNTS}: points are numbers of at least 0")
    n = len(points)
    # A pair without games still names its players.
    return [
        (a, b, (float(points[a, b]), 0.0, float(points[b, a]))) for a in range(n) for b in range(a + 1, n)
    ]
