"""Assembles rollout fragments into finished games."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from ..rollouts import until_next
from .fragments import Array, Fragment

_RAGGED = ("policy_actions", "policy")


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
        #: By game: the decisions of its current episode so far, and the versions of their weights.
        self._parts: dict[int, list[tuple[int, dict[str, Any]]]] = {}

    def add(self, fragment: Fragment) -> list[Episode]:
        """The games that end in a fragment, in order."""
        valid = fragment.columns["valid"]
        steps, games = valid.shape
        # The decisions of a game contiguously; a copy.
        own = {
            name: np.ascontiguousarray(np.swapaxes(column, 0, 1))
            for name, column in fragment.columns.items()
            if name not in (*_RAGGED, "policy_offsets", "valid")
        }
        begun = np.zeros(games, np.int64)
        episodes = fragment.episodes.copy()
        found = []
        for k, (t, n) in enumerate(fragment.ends.tolist()):
            if self._keep(fragment, own, n, int(begun[n]), t + 1):
                found.append(self._finished(fragment, n, int(episodes[n]), k))
            begun[n] = t + 1
            episodes[n] += 1
        for n, until in enumerate(valid.sum(axis=0).tolist()):
            if begun[n] < until:
                self._keep(fragment, own, n, int(begun[n]), until)
        return found

    def _keep(self, fragment: Fragment, own: dict[str, Array], n: int, first: int, last: int) -> bool:
        """Stores decisions of a game; returns True if all earlier decisions are stored too."""
        game = fragment.first_game + n
        if first == 0 and fragment.decisions[n] > 0 and game not in self._parts:
            return False
        part: dict[str, Any] = {name: column[n, first:last] for name, column in own.items()}
        if "policy_offsets" in fragment.columns:
            games = fragment.columns["valid"].shape[1]
            offsets = fragment.columns["policy_offsets"]
            for name in _RAGGED:
                rows = (
                    range(offsets[at], offsets[at + 1]) for at in (t * games + n for t in range(first, last))
                )
                part[name] = [fragment.columns[name][row.start : row.stop].copy() for row in rows]
        self._parts.setdefault(game, []).append((fragment.version, part))
        return True

    def _finished(self, fragment: Fragment, n: int, episode: int, end: int) -> Episode:
        parts = self._parts.pop(fragment.first_game + n)
        columns: dict[str, Any] = {}
        for name in parts[0][1]:
            pieces = [part[name] for _, part in parts]
            ragged = isinstance(pieces[0], list)
            columns[name] = list(chain.from_iterable(pieces)) if ragged else np.concatenate(pieces)
        return Episode(
            game=fragment.first_game + n,
            episode=episode,
            versions=tuple(dict.fromkeys(version for version, _ in parts)),
            columns=columns,
            outcome=fragment.outcomes[end].copy(),
            scores=fragment.scores[end].copy(),
            opponents=tuple(
                None if index < 0 else fragment.opponents[index] for index in fragment.seated[end].tolist()
            ),
        )


def decision_credit(episode: Episode) -> npt.NDArray[np.float32]:
    """[L]: reward of the deciding player from each decision to its next one, or to the end of the game."""
    rewards, seats = episode.columns["rewards"], episode.columns["seats"]
    credit, _, _ = until_next(rewards[:, None], seats[:, None], np.zeros((len(seats), 1), np.bool_))
    return credit[:, 0]
