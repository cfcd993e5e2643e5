"""Rollout fragments from workers: columns with one row per decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared import checks
from .._shared.errors import config_error
from ..data.advantages import checked_discounts
from ..data.fragments import AFTER, Rollout, closed

Array = npt.NDArray[Any]

#: Columns that may be omitted.
COLUMNS = ("observations", "action_mask_bits", "actions", "seats", *AFTER)

#: Columns of a rollout, and the columns from which its rewards follow.
_ROWS = ("observations", "action_mask_bits", "actions", "seats")
_LEARNED = (*_ROWS, "rewards", "terminated", "truncated")

#: Columns with another meaning than those of a policy.
_OWN = (*COLUMNS, "valid", "policy_offsets", "policy_actions", "policy")


@dataclass(frozen=True)
class Fragment:
    """A rollout fragment: ``T`` consecutive decisions in each of the ``N`` games of a shard. Arrays are
    read-only views of Ray's object store, valid as long as they are referenced.

    ``columns`` by name:

    ========================  =================  =======================================================
    column                    dtype, shape       content
    ========================  =================  =======================================================
    ``observations``          as the env's       [T, N, ...], of the current player
    ``action_mask_bits``      uint64 [T, N, W]   legal actions
    ``actions``               int32 [T, N]       the action
    ``seats``                 int32 [T, N]       the current player
    ``rewards``               float32 [T, N, P]  reward of each player
    ``credit``                float32 [T, N, P]  reward of each player since its own last decision
    ``terminated``            bool [T, N]        the decision ended the game by rule
    ``truncated``             bool [T, N]        ... by a limit
    ``valid``                 bool [T, N]        False after the last of the game's ``episodes``; all other
                                                 columns are undefined there
    ``policy_offsets``        int64 [T * N + 1]  of a search: the legal actions of decision ``t * N + n`` are
    ``policy_actions``        int32 [total]      ``policy_actions[policy_offsets[i]:policy_offsets[i + 1]]``
    ``policy``                float32 [total]    improved policy of these actions
    ``values``                float32 [T, N, P]  of a search: value of the position for each player
    ``opponent``              int32 [T, N]       with opponents: the one that decides, as an index into
                                                 ``opponents``; -1 for the policy
    ========================  =================  =======================================================

    and the extra columns of the policy, ``[T, N, ...]``, with 0 in the decisions of opponents.
    """

    shard: int
    """Index of the shard: games ``first_game`` to ``first_game + N - 1``."""
    number: int
    """Index of the fragment in its shard, from 0 without gaps."""
    version: int
    """Version of the weights that played it."""
    first_game: int
    episodes: npt.NDArray[np.int64]
    """[N]: episode of each game at the first decision."""
    decisions: npt.NDArray[np.int64]
    """[N]: number of earlier decisions in that episode."""
    columns: Mapping[str, Array]
    ends: npt.NDArray[np.int32]
    """[E, 2]: decision and game (``t, n``) of every episode end, in that order."""
    outcomes: npt.NDArray[np.float32]
    """[E, P]: outcome in [-1, 1], for any reward mode."""
    scores: npt.NDArray[np.float32]
    """[E, P]: score."""
    next: Mapping[str, Array]
    """``observations``, ``action_mask_bits`` and ``seats`` [N, ...] after the last decision."""
    last: bool
    """True for the last fragment of the shard."""
    seated: npt.NDArray[np.int32]
    """[E, P]: the opponent at every seat of the ended episodes, as an index into ``opponents``; -1 for the
    policy. [E, 0] without opponents."""
    opponents: tuple[str, ...] = ()
    """Names of all opponents of the run so far."""

    @property
    def num_decisions(self) -> int:
        """Number of valid decisions."""
        return int(np.count_nonzero(self.columns["valid"]))

    def rollout(
        self, *, gamma: float | None = None, gae_lambda: float = 0.95, reward_scale: float = 1.0
    ) -> Rollout:
        """The fragment as :func:`ludovec.rollout` returns it: reward until the next decision of the same
        player, the step of that decision, and, with ``gamma``, advantages from the column ``values``.

        Values of a search are those of the deciding player there. Decisions that are not valid, still open,
        or of an opponent, are not in :attr:`Rollout.known`.

        Raises:
            InvalidConfig: A column is missing, or an argument is invalid; the message lists what is allowed.
        """
        columns = self.columns
        for name in _LEARNED:
            if name not in columns:
                raise config_error(f"columns: a rollout needs {name}; SelfPlay sent {', '.join(columns)}")
        discounts = checked_discounts(gamma, gae_lambda)
        valid, games = columns["valid"], columns["valid"].shape[1]
        # Undefined where the game is over for good.
        payees = np.where(valid, columns["seats"], 0)
        more = {name: column for name, column in columns.items() if name not in _OWN}
        policy = None
        if "policy_offsets" in columns:
            policy = columns["policy_offsets"], columns["policy"]
            more["values"] = np.take_along_axis(more["values"], payees[..., None], axis=2)[..., 0]
        fragment = closed(
            {name: _rows(columns[name]) for name in _ROWS},
            np.where(valid[..., None], columns["rewards"], np.float32(0)),
            (columns["terminated"] | columns["truncated"]) & valid,
            payees=payees.ravel(),
            more={name: _rows(column) for name, column in more.items()},
            policy=policy,
            valid=valid & (columns["opponent"] < 0) if self.opponents else valid,
            scale=checks.number("reward_scale", reward_scale),
            discounts=discounts,
        )
        return Rollout.of(fragment, games)

    @property
    def nbytes(self) -> int:
        """Total size of the columns in bytes."""
        return sum(array.nbytes for array in self.columns.values())

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.columns["valid"].shape))
        return f"<Fragment {self.number} of shard {self.shard}: {shape}, weights {self.version}>"


def _rows(column: Array) -> Array:
    """A column [T, N, ...] as rows [T * N, ...]."""
    return column.reshape(-1, *column.shape[2:])
