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

    Values are future rewards, mixed with the values of the search, or of the network that played, of the
    positions in between (TD(lambda)). If the policy played alone, actions have advantages over the network's
    value (GAE).

    Args:
        games: Columns of decisions, game by game: ``observations``, ``seats``, ``actions``, ``rewards``
            [n, P], ``values`` for every player, float32 [n, P], NaN without a search or a network,
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
    order = seats_from(kept["seats"], players)
    scaled = np.take_along_axis(values[learned] / np.float32(config.scale), order, axis=1)
    advantages = np.full(len(learned), np.nan, np.float32)
    if not config.simulations:
        # NaN where a bot played.
        expected = np.take_along_axis(kept["values"], order[:, :1], axis=1)[:, 0]
        advantages = scaled[:, 0] - expected / np.float32(config.scale)
    offsets, legal, _ = kept["legal"]
    # Every row has the played action once.
    places = np.flatnonzero(legal == np.repeat(kept["actions"], np.diff(offsets))) - offsets[:-1]
    return Positions.of(
        {
            "observations": kept["observations"].reshape(len(learned), spec.observation_len),
            "values": scaled,
            "chosen": places.astype(np.int32),
            "advantages": advantages,
            "legal": kept["legal"],
        }
    )


def seats_from(first: Array, players: int) -> Array:
    """The order of the network's values: seats int64 [n, P] in turn order, beginning with these [n]."""
    order: Array = (first.astype(np.int64)[:, None] + np.arange(players)) % players
    return order
