"""Training targets of finished games, computed on columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..data.columns import Columns, length, selected
from ..spec import Spec
from .configuration import Config
from .replay import Positions

Array = npt.NDArray[Any]


def positions_of(
    games: Columns, offsets: Array, spec: Spec, config: Config, rng: np.random.Generator, ends: Array
) -> Positions:
    """The positions to learn of finished games, game by game.

    Values are future rewards, mixed with the search values of the positions in between (TD(lambda)).

    Args:
        games: Columns of decisions, game by game: ``observations``, ``seats``, ``actions``, ``rewards``
            [n, P], ``values`` of the search for every player, float32 [n, P], NaN without a search,
            ``is_choice``: whether there are several legal actions, ``surprise``: Kullback-Leibler divergence
            of the search's policy from the network's, and ``legal``, ragged: actions and float16 policies of
            the positions to learn. ``states``, uint8 [n, S], if positions are searched again.
        offsets: int64 [E + 1]: where the games begin and end.
        spec, config: Of the games.
        rng: Rounds the weights of positions.
        ends: uint8 [E, P, F]: fields of the last observation of every player.
    """
    players, lengths = spec.players, np.diff(offsets)
    rewards, searched = games["rewards"], ~np.isnan(games["values"][:, 0])
    values = np.zeros((length(games), players), np.float32)
    replies = np.full(len(values), -1, np.int32)
    # Of every game, after the decision that was met last.
    value, reply = np.zeros((len(lengths), players), np.float32), np.full(len(lengths), -1, np.int32)
    for ago in range(lengths.max(initial=0)):
        going = np.flatnonzero(lengths > ago)
        rows = offsets[1:][going] - 1 - ago
        value[going] += rewards[rows]
        values[rows], replies[rows] = value[going], reply[going]
        chose, told = games["is_choice"][rows], searched[rows]
        reply[going[chose]] = games["actions"][rows[chose]]
        mixed = config.td_lambda * value[going[told]]
        value[going[told]] = mixed + (1 - config.td_lambda) * games["values"][rows[told]]
    of_game = np.repeat(np.arange(len(lengths)), lengths)
    left = np.repeat(offsets[1:], lengths) - 1 - np.arange(len(values))
    learned = np.flatnonzero((np.diff(games["legal"][0]) > 0) & games["is_choice"])
    if config.surprise:
        times = repeats(games["surprise"][learned], config.surprise, rng, of_game[learned])
        learned = np.repeat(learned, times)
    kept = selected(games, learned)
    # The network's order: the current player first.
    seats = kept["seats"].astype(np.int64)
    order = (seats[:, None] + np.arange(players)) % players
    scaled = values[learned] / np.float32(config.scale)
    return Positions.of(
        {
            "observations": kept["observations"].reshape(len(learned), spec.observation_len),
            "values": np.take_along_axis(scaled, order, axis=1),
            "moves_left": left[learned].astype(np.float32),
            "replies": replies[learned],
            "states": kept.get("states", np.zeros((len(learned), 0), np.uint8)),
            "ends": ends[of_game[learned], seats],
            "legal": kept["legal"],
        }
    )


def repeats(surprises: Array, share: float, rng: np.random.Generator, games: Array | None = None) -> Array:
    """How often each position enters the buffer: its weight, rounded at random.

    The mean weight of a game is 1; ``share`` of it is in proportion to the surprise. ``games`` are the games
    of the positions; by default all are of one.
    """
    of_game = np.zeros(len(surprises), np.int64) if games is None else games
    counts = np.bincount(of_game)[of_game]
    totals = np.bincount(of_game, surprises)[of_game]
    relative = np.divide(surprises * counts, totals, out=np.ones(len(surprises)), where=totals > 0)
    weights = (1 - share) + share * relative
    return np.floor(weights + rng.random(len(weights))).astype(np.int64)
