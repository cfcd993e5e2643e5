"""Stretches of games as they come from workers: columns, a row a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: What may be left out of stretches.
COLUMNS = (
    "observations",
    "action_mask_bits",
    "actions",
    "seats",
    "rewards",
    "credit",
    "terminated",
    "truncated",
)


@dataclass(frozen=True)
class Stretch:
    """``T`` decisions in a row in each of the ``N`` games of a shard. Arrays are read-only views of Ray's
    object store, which keeps them for as long as they are held.

    ``columns`` by name:

    ========================  =================  =======================================================
    column                    dtype, shape       content
    ========================  =================  =======================================================
    ``observations``          as the env's       [T, N, ...], of the seat that decides
    ``action_mask_bits``      uint64 [T, N, W]   its legal actions
    ``actions``               int32 [T, N]       what it played
    ``seats``                 int32 [T, N]       the seat
    ``rewards``               float32 [T, N, P]  what the decision paid every seat
    ``credit``                float32 [T, N, P]  what each seat then had earned since its own last decision
    ``terminated``            bool [T, N]        the decision ended the game by the rules
    ``truncated``             bool [T, N]        ... by a limit
    ``valid``                 bool [T, N]        False where a game had ended for good (``episodes``); all
                                                 other columns say nothing there
    ``policy_offsets``        int64 [T * N + 1]  of a search: the legal actions of decision ``t * N + n`` are
    ``policy_actions``        int32 [total]      ``policy_actions[policy_offsets[i]:policy_offsets[i + 1]]``
    ``policy``                float32 [total]    their improved policy
    ``values``                float32 [T, N, P]  of a search: the value of the position for every seat
    ========================  =================  =======================================================

    and whatever else the policy returned, ``[T, N, ...]``.
    """

    shard: int
    """Games ``first_game`` to ``first_game + N - 1``."""
    number: int
    """Of the stretches of the shard, from 0 on without a gap."""
    version: int
    """Of the weights that played it."""
    first_game: int
    episodes: npt.NDArray[np.int64]
    """[N]: which episode of its game each row of the first decision belongs to."""
    decisions: npt.NDArray[np.int64]
    """[N]: how many decisions of that episode came before."""
    columns: Mapping[str, Array]
    ends: npt.NDArray[np.int32]
    """[E, 2]: decision and game (``t, n``) of every end of an episode, in that order."""
    outcomes: npt.NDArray[np.float32]
    """[E, P]: its outcome in [-1, 1], whatever the reward mode."""
    scores: npt.NDArray[np.float32]
    """[E, P]"""
    next: Mapping[str, Array]
    """``observations``, ``action_mask_bits`` and ``seats`` [N, ...] after the last decision."""
    last: bool
    """Whether no stretch of this shard follows."""

    @property
    def num_decisions(self) -> int:
        """Decisions in it."""
        return int(np.count_nonzero(self.columns["valid"]))

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(array.nbytes for array in self.columns.values())

    def __repr__(self) -> str:
        shape = "x".join(map(str, self.columns["valid"].shape))
        return f"<Stretch {self.number} of shard {self.shard}: {shape}, weights {self.version}>"
