"""Training targets of finished games."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..spec import Spec
from .configuration import Config
from .replay import Positions

Array = npt.NDArray[Any]


class Move(NamedTuple):
    """A decision of a game."""

    observation: Array
    legal: Array
    #: float16, over the legal actions; None if the position is not learned.
    policy: Array | None
    action: int
    player: int
    #: float32 [P]: values of the search for every player; None without a search.
    values: Array | None
    #: float32 [P]: rewards of the move.
    rewards: Array
    #: Kullback-Leibler divergence of the search's policy from the network's.
    surprise: float
    #: uint8 [S]: a snapshot of the game; None if the position is not searched again.
    state: Array | None = None


def positions_of(
    game: list[Move], spec: Spec, config: Config, rng: np.random.Generator, ends: Array
) -> Positions:
    """The positions to learn, last position first.

    ``ends``, uint8 [P, F], are fields of the last observation of every player. Values are future rewards,
    mixed with the search values of the positions in between (TD(lambda)).
    """
    value: Array = np.zeros(spec.players, np.float32)
    found: list[tuple[Array, Array, int, int, Array, Array, Array, int]] = []
    no_state = np.zeros(0, np.uint8)
    surprises = []
    reply = -1
    for ago, move in enumerate(reversed(game)):
        value = value + move.rewards
        if move.policy is not None and len(move.legal) > 1:
            # The network's order: the current player first.
            mine = np.roll(value / np.float32(config.scale), -move.player)
            state = no_state if move.state is None else move.state
            found.append((move.observation, mine, ago, reply, move.legal, move.policy, state, move.player))
            surprises.append(move.surprise)
        if len(move.legal) > 1:
            reply = move.action
        if move.values is not None:
            value = config.td_lambda * value + (1 - config.td_lambda) * move.values
    if not found:
        return Positions.empty(spec)
    observations, values, left, replies, legal, policies, states, players = zip(*found)
    positions = Positions(
        observations=np.stack(observations).reshape(len(found), -1),
        values=np.stack(values).astype(np.float32),
        moves_left=np.array(left, np.float32),
        replies=np.array(replies, np.int32),
        lengths=np.array([len(actions) for actions in legal], np.int32),
        states=np.stack(states),
        ends=ends[list(players)],
        actions=np.concatenate(legal).astype(np.int32),
        policies=np.concatenate(policies).astype(np.float16),
    )
    return (
        positions.repeated(repeats(np.array(surprises), config.surprise, rng))
        if config.surprise
        else positions
    )


def repeats(surprises: Array, share: float, rng: np.random.Generator) -> Array:
    """How often each position of a game enters the buffer: its weight, rounded at random.

    The mean weight is 1; ``share`` of it is in proportion to the surprise.
    """
    total = surprises.sum()
    relative = surprises * (len(surprises) / total) if total > 0 else np.ones(len(surprises))
    weights = (1 - share) + share * relative
    return np.floor(weights + rng.random(len(weights))).astype(np.int64)
