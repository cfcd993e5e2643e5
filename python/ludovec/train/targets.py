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


def positions_of(games: Columns, offsets: Array, spec: Spec, config: Config) -> Positions:
    """The positions to learn of finished games, game by game.

    Values are future rewards, mixed with the search values of the positions in between (TD(lambda)).

    Args:
        games: Columns of decisions, game by game: ``observations``, ``seats``, ``actions``, ``rewards``
            [n, P], ``values`` of the search for every player, float32 [n, P], NaN without a search,
            ``is_choice``: whether there are several legal actions, and ``legal``, ragged: actions and float16
            policies of the positions to learn.
        offsets: int64 [E + 1]: where the games begin and end.
        spec, config: Of the games.
    """
    players, lengths = spec.players, np.diff(offsets)
    rewards, searched = games["rewards"], ~np.isnan(games["values"][:, 0])
    values = np.zeros((length(games), players), np.float32)
    # Of every game, after the decision that was met last.
    value = np.zeros((len(lengths), players), np.float32)
    for ago in range(lengths.max(initial=0)):
        going = np.flatnonzero(lengths > ago)
        rows = offsets[1:][going] - 1 - ago
        value[going] += rewards[rows]
        values[rows] = value[going]
        told = searched[rows]
        mixed = config.td_lambda * value[going[told]]
        value[going[told]] = mixed + (1 - config.td_lambda) * games["values"][rows[told]]
    learned = np.flatnonzero((np.diff(games["legal"][0]) > 0) & games["is_choice"])
    kept = selected(games, learned)
    # The network's order: the current player first.
    seats = kept["seats"].astype(np.int64)
    order = (seats[:, None] + np.arange(players)) % players
    scaled = values[learned] / np.float32(config.scale)
    return Positions.of(
        {
            "observations": kept["observations"].reshape(len(learned), spec.observation_len),
            "values": np.take_along_axis(scaled, order, axis=1),
            "legal": kept["legal"],
        }
    )
