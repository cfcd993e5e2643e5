"""Finished games out of stretches."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from .stretches import Array, Stretch

_RAGGED = ("policy_actions", "policy")


@dataclass(frozen=True)
class Episode:
    """A finished game, a row a decision."""

    game: int
    """The stream that it drew from is (seed, ``game``, ``episode``)."""
    episode: int
    versions: tuple[int, ...]
    """Of the weights that played it, in order."""
    columns: Mapping[str, Any]
    """As in :class:`Stretch`, ``[L, ...]``, but for ``valid``. ``policy_actions`` and ``policy`` are lists of
    ``L`` arrays."""
    outcome: npt.NDArray[np.float32]
    """[P], in [-1, 1]."""
    scores: npt.NDArray[np.float32]
    """[P]"""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    @property
    def hash(self) -> str:
        """Of all that was seen, done and paid: equal for equal games."""
        told = hashlib.sha256(f"{self.game} {self.episode}".encode())
        for name in sorted(self.columns):
            told.update(name.encode())
            rows = self.columns[name]
            told.update((np.concatenate(rows) if isinstance(rows, list) else rows).tobytes())
        for array in (self.outcome, self.scores):
            told.update(array.tobytes())
        return told.hexdigest()


class Episodes:
    """Puts stretches together, each shard's in order, and gives the games that ended.

    >>> episodes = ludovec.ray.Episodes()
    >>> for stretch in self_play:
    ...     for episode in episodes.add(stretch):
    ...         store(episode.columns["observations"], episode.outcome)

    What has not ended is copied, so that the object store is free for what comes next. Pickle it beside a
    checkpoint of the self-play; games whose first decisions were never seen are left out.
    """

    def __init__(self) -> None:
        #: By game: what was played of its present episode, and by which weights.
        self._parts: dict[int, list[tuple[int, dict[str, Any]]]] = {}

    def add(self, stretch: Stretch) -> list[Episode]:
        """The games that end in a stretch, in the order in which they do."""
        valid = stretch.columns["valid"]
        steps, games = valid.shape
        # A game's decisions side by side; a copy.
        own = {
            name: np.ascontiguousarray(np.swapaxes(column, 0, 1))
            for name, column in stretch.columns.items()
            if name not in (*_RAGGED, "policy_offsets", "valid")
        }
        begun = np.zeros(games, np.int64)
        episodes = stretch.episodes.copy()
        found = []
        for k, (t, n) in enumerate(stretch.ends.tolist()):
            if self._keep(stretch, own, n, int(begun[n]), t + 1):
                found.append(self._finished(stretch, n, int(episodes[n]), k))
            begun[n] = t + 1
            episodes[n] += 1
        for n, until in enumerate(valid.sum(axis=0).tolist()):
            if begun[n] < until:
                self._keep(stretch, own, n, int(begun[n]), until)
        return found

    def _keep(self, stretch: Stretch, own: dict[str, Array], n: int, first: int, last: int) -> bool:
        """Keeps decisions of a game; whether all that came before them are kept, too."""
        game = stretch.first_game + n
        if first == 0 and stretch.decisions[n] > 0 and game not in self._parts:
            return False
        part: dict[str, Any] = {name: column[n, first:last] for name, column in own.items()}
        if "policy_offsets" in stretch.columns:
            games = stretch.columns["valid"].shape[1]
            offsets = stretch.columns["policy_offsets"]
            for name in _RAGGED:
                rows = (
                    range(offsets[at], offsets[at + 1]) for at in (t * games + n for t in range(first, last))
                )
                part[name] = [stretch.columns[name][row.start : row.stop].copy() for row in rows]
        self._parts.setdefault(game, []).append((stretch.version, part))
        return True

    def _finished(self, stretch: Stretch, n: int, episode: int, end: int) -> Episode:
        parts = self._parts.pop(stretch.first_game + n)
        columns: dict[str, Any] = {}
        for name in parts[0][1]:
            pieces = [part[name] for _, part in parts]
            ragged = isinstance(pieces[0], list)
            columns[name] = list(chain.from_iterable(pieces)) if ragged else np.concatenate(pieces)
        return Episode(
            game=stretch.first_game + n,
            episode=episode,
            versions=tuple(dict.fromkeys(version for version, _ in parts)),
            columns=columns,
            outcome=stretch.outcomes[end].copy(),
            scores=stretch.scores[end].copy(),
        )


def decision_credit(episode: Episode) -> npt.NDArray[np.float32]:
    """[L]: what the seat that decided earned from that decision until its next one, or the end."""
    rewards, seats = episode.columns["rewards"], episode.columns["seats"]
    credit = np.zeros(len(seats), np.float32)
    coming = np.zeros(rewards.shape[1], np.float32)
    for t in range(len(seats) - 1, -1, -1):
        coming += rewards[t]
        credit[t] = coming[seats[t]]
        coming[seats[t]] = 0
    return credit
