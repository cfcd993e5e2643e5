"""Assembles rollout fragments into finished games."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared.errors import state_error
from ..data.advantages import until_next
from ..data.columns import selected
from ..data.fragments import Unfinished
from .fragments import Fragment

#: Columns of which a decision has several entries.
_RAGGED = ("policy_actions", "policy")
#: Prefix of the names of a fragment's columns, beside the columns of this module.
_COLUMN = "column "


@dataclass(frozen=True)
class Episode:
    """A finished game, one row per decision."""

    game: int
    """The random stream of the game is (seed, ``game``, ``episode``)."""
    episode: int
    versions: tuple[int, ...]
    """Versions of the weights that played it, in order."""
    columns: Mapping[str, Any]
    """Columns as in :class:`Fragment`, ``[L, ...]``, without ``valid``. ``policy_actions`` and ``policy`` are
    lists of ``L`` arrays."""
    outcome: npt.NDArray[np.float32]
    """Outcome of each player in [-1, 1], [P]."""
    scores: npt.NDArray[np.float32]
    """Score of each player, [P]."""
    opponents: tuple[str | None, ...] = ()
    """Name of the opponent at every seat, None for the policy; empty without opponents."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def hash(self) -> str:
        """Hash of all observations, actions and rewards: equal for equal games."""
        told = hashlib.sha256(f"{self.game} {self.episode}".encode())
        for name in sorted(self.columns):
            told.update(name.encode())
            rows = self.columns[name]
            told.update((np.concatenate(rows) if isinstance(rows, list) else rows).tobytes())
        for array in (self.outcome, self.scores):
            told.update(array.tobytes())
        return told.hexdigest()


class Episodes:
    """Assembles fragments, each shard's in order, and returns the games that ended.

    >>> episodes = ludovec.ray.Episodes()
    >>> for fragment in self_play:
    ...     for episode in episodes.add(fragment):
    ...         store(episode.columns["observations"], episode.outcome)

    Unfinished games are copied, so that the object store can free the fragments. Pickle this object beside a
    checkpoint of the self-play; games with missing first decisions are skipped.
    """

    def __init__(self) -> None:
        #: By first game of a shard: the decisions of games under way.
        self._unfinished: dict[int, Unfinished] = {}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_unfinished" not in state:
            raise state_error("Episodes: they were pickled by another version")
        self.__dict__ |= state

    def add(self, fragment: Fragment) -> list[Episode]:
        """The games that end in a fragment, in order."""
        unfinished = self._unfinished.setdefault(fragment.first_game, Unfinished())
        columns = _decisions(fragment)
        # Games of which the first decisions are missing.
        is_late = fragment.decisions > 0
        is_late[unfinished.columns.get("games", [])] = False
        games = columns["games"]
        is_missing = is_late[games] & (columns["episode"] == fragment.episodes[games])
        found, offsets = unfinished.add(selected(columns, ~is_missing))
        return [self._finished(fragment, found, start, stop) for start, stop in pairwise(offsets.tolist())]

    def _finished(self, fragment: Fragment, found: dict[str, Any], start: int, stop: int) -> Episode:
        columns: dict[str, Any] = {}
        for name, column in found.items():
            if isinstance(column, tuple):
                starts = column[0][start : stop + 1]
                for part, array in zip(_RAGGED, column[1:]):
                    columns[part] = np.split(array[starts[0] : starts[-1]], starts[1:-1] - starts[0])
            elif name.startswith(_COLUMN):
                columns[name.removeprefix(_COLUMN)] = column[start:stop]
        end = int(found["end"][stop - 1])
        return Episode(
            game=fragment.first_game + int(found["games"][start]),
            episode=int(found["episode"][start]),
            versions=tuple(dict.fromkeys(found["version"][start:stop].tolist())),
            columns=columns,
            outcome=fragment.outcomes[end].copy(),
            scores=fragment.scores[end].copy(),
            opponents=tuple(
                None if index < 0 else fragment.opponents[index] for index in fragment.seated[end].tolist()
            ),
        )


def _decisions(fragment: Fragment) -> dict[str, Any]:
    """The valid decisions of a fragment, step by step."""
    valid = fragment.columns["valid"]
    steps, games = valid.shape
    end = np.full((steps, games), -1)
    end[tuple(fragment.ends.T)] = np.arange(len(fragment.ends))
    ended = end >= 0
    own = {
        "games": np.broadcast_to(np.arange(games), valid.shape),
        "ended": ended,
        "end": end,
        "episode": fragment.episodes + ended.cumsum(axis=0) - ended,
        "version": np.full(valid.shape, fragment.version),
    }
    ragged = (*_RAGGED, "policy_offsets", "valid")
    plain = {_COLUMN + name: column for name, column in fragment.columns.items() if name not in ragged}
    rows: dict[str, Any] = {
        name: column.reshape(-1, *column.shape[2:]) for name, column in {**plain, **own}.items()
    }
    if "policy_offsets" in fragment.columns:
        rows["policy"] = tuple(fragment.columns[name] for name in ("policy_offsets", *_RAGGED))
    return selected(rows, valid.ravel())


def decision_credit(episode: Episode) -> npt.NDArray[np.float32]:
    """[L]: reward of the deciding player from each decision to its next one, or to the end of the game."""
    rewards, seats = episode.columns["rewards"], episode.columns["seats"]
    credit, _, _ = until_next(rewards[:, None], seats[:, None], np.zeros((len(seats), 1), np.bool_))
    return credit[:, 0]
