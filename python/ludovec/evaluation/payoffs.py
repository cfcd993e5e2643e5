"""Solutions of payoff matrices: Nash averaging and alpha-rank."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared import checks
from .._shared.errors import config_error


def nash_average(payoffs: npt.ArrayLike) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Nash averaging (Balduzzi et al. 2018): weights and ratings of players from their payoffs.

    The weights are the Nash equilibrium of maximum entropy of the game "choose a player". A rating is the
    payoff against this equilibrium, minus 1/2. Copies of a player, or many weak players, change no rating.

    Args:
        payoffs: ``[n, n]``: share of points of row against column, such as
            :attr:`ludovec.Tournament.payoffs`; the diagonal is ignored.

    Raises:
        InvalidConfig: A pair has no finite payoff, or the matrix is not square.
    """
    weights, ratings = _core.nash_average(_square(payoffs))
    return np.array(weights), np.array(ratings)


def alpha_rank(
    payoffs: npt.ArrayLike, *, alpha: float = 100.0, population: int = 50
) -> npt.NDArray[np.float64]:
    """Alpha-rank (Omidshafiei et al. 2019) of one population: the stationary distribution over players.

    Args:
        payoffs: As for :func:`nash_average`.
        alpha: Selection intensity.
        population: Size of the population.

    Raises:
        InvalidConfig: A pair has no finite payoff, the matrix is not square, or a number is out of range.
    """
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)):
        raise config_error(f"alpha={alpha!r}: a positive number is needed")
    most = 2**32 - 1
    if checks.positive("population", population) > most:
        raise config_error(f"population={population}: 2 to {most} is allowed")
    return np.array(_core.alpha_rank(_square(payoffs), float(alpha), population))


def _square(payoffs: npt.ArrayLike) -> list[list[float]]:
    try:
        matrix = np.array(payoffs, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise config_error(f"payoffs: a square matrix of numbers is needed: {error}") from error
    if matrix.ndim != 2:
        raise config_error(f"payoffs: a square matrix is needed, shape {matrix.shape} was given")
    rows: list[list[float]] = matrix.tolist()
    return rows
