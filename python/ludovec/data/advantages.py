"""Rewards until the next decision of a player, and generalized advantage estimation."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared import checks
from .._shared.errors import config_error
from .columns import Array, Flags, Floats


def until_next(
    rewards: Floats, seats: npt.NDArray[Any], ended: Flags
) -> tuple[Floats, npt.NDArray[np.int32], Flags]:
    """The reward of every decision until the player's next one, the step of that one, and whether the game
    ended before.

    ``rewards`` [T, N, P] are the rewards of each step, ``seats`` [T, N] the deciding players, and ``ended``
    [T, N] the steps that end a game.
    """
    found: tuple[Floats, npt.NDArray[np.int32], Flags] = _until_next(rewards, seats, ended)[0]
    return found


def _until_next(rewards: Floats, seats: Array, ended: Flags) -> tuple[Any, Any]:
    """The same, and the same of decisions before the first step, of every player of every game: [N, P]."""
    steps, games, players = rewards.shape
    rows = np.arange(games)
    # The next decision of every player, found from the last step backwards.
    coming = np.zeros((games, players), np.float32)
    at = np.full((games, players), -1, np.int32)
    over = np.zeros((games, players), np.bool_)
    reward = np.empty((steps, games), np.float32)
    following = np.empty((steps, games), np.int32)
    done = np.empty((steps, games), np.bool_)
    for t in range(steps - 1, -1, -1):
        end, mine = ended[t], (rows, seats[t])
        coming[end], at[end], over[end] = 0, -1, True
        coming += rewards[t]
        reward[t], following[t], done[t] = coming[mine], at[mine], over[mine]
        coming[mine], at[mine], over[mine] = 0, t, False
    return (reward, following, done), (coming, at, over)


def advantages(
    rewards: Floats,
    values: Floats,
    following: npt.NDArray[np.int32],
    done: Flags,
    gamma: float,
    gae_lambda: float,
) -> Floats:
    """Generalized advantage estimates [T, N] along the decisions of each player; 0 in open decisions."""
    steps, games = rewards.shape
    rows = np.where(following < 0, -1, following * games + np.arange(games)).ravel()
    flat = (rewards.ravel(), values.ravel(), rows, done.ravel())
    return _advantages(*flat, gamma, gae_lambda, first=0, games=games).reshape(steps, games)


def _advantages(
    rewards: Floats,
    values: Floats,
    following: Array,
    done: Flags,
    gamma: float,
    gae_lambda: float,
    *,
    first: int,
    games: int,
) -> Floats:
    """The same of rows: ``first`` carried ones, then ``games`` in every step."""
    found = np.zeros(len(rewards), np.float32)
    known = done | (following >= 0)
    delta = rewards + gamma * np.where(following >= 0, values[following], 0) - values
    blocks = [slice(start, start + games) for start in range(first, len(rewards), games)]
    # The next decision is in a later block.
    for block in [*reversed(blocks), slice(0, first)]:
        then = following[block]
        rest = np.where(then >= 0, found[then], 0)
        found[block] = np.where(known[block], delta[block] + gamma * gae_lambda * rest, 0)
    return found


def checked_discounts(gamma: Any, gae_lambda: Any) -> tuple[float, float] | None:
    """The discounts of :func:`closed` from arguments; None without ``gamma``."""
    return None if gamma is None else (_share("gamma", gamma), _share("gae_lambda", gae_lambda))


def _share(name: str, value: Any) -> float:
    number = checks.number(name, value)
    if not 0 <= number <= 1:
        raise config_error(f"{name}={value!r}: 0 to 1 is allowed")
    return number
