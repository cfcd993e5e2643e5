"""Opponents from a folder of checkpoints, by prioritized fictitious self-play."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from .._shared import checks
from .._shared.errors import config_error

_log = logging.getLogger("ludovec")

#: Names of network files.
_SUFFIXES = (".safetensors", ".onnx")

#: Priority of an opponent against which the learner gets this share of points.
Priority = Literal["hard", "even", "uniform"]


class Checkpoints:
    """Opponents from a folder of checkpoints, by prioritized fictitious self-play (Vinyals et al. 2019).

    >>> opponents = ludovec.Checkpoints("checkpoints", extra=["random"])
    >>> env = ludovec.make("chess", 64, opponents=opponents)

    Each episode draws an opponent for every other seat. The probability depends on the learner's share of
    points against it, ``p``: ``"hard"`` is ``(1 - p) ** power``, ``"even"`` is ``(p (1 - p)) ** power``, and
    ``"uniform"`` ignores ``p``. The share starts with one virtual draw, and old games fade with ``memory``.

    The folder is read again after every ``rescan`` finished episodes, so checkpoints that the learner writes
    become opponents. Write them with :mod:`ludovec.files`, or under another name first: a file with the
    suffix must be complete. Equal seeds, folders and actions give equal opponents.

    The object can be pickled. A copy, such as the one in a runner of RLlib, counts its own games.
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        extra: Sequence[str] = (),
        simulations: int | None = None,
        priority: Priority = "hard",
        power: float = 2.0,
        memory: int = 1000,
        most: int | None = None,
        rescan: int = 1000,
        seed: int | None = None,
    ) -> None:
        """Reads the folder.

        Args:
            folder: Its files ``*.safetensors`` and ``*.onnx`` are the opponents; it may be empty if there are
                ``extra`` ones.
            extra: Further opponents by text, such as ``"greedy"``.
            simulations: Simulations per move of the networks, as in ``net:FILE:N``; ``None`` plays their most
                probable action.
            priority, power: See above.
            memory: Number of games after which a result has lost half of its weight.
            most: Only the newest checkpoints take part, at most this many.
            rescan: Number of episodes between two readings of the folder.
            seed: Seed of the draws; ``None`` draws one.

        Raises:
            InvalidConfig: An argument is invalid, or there is no opponent.
        """
        self.folder = Path(checks.path("folder", folder))
        if isinstance(extra, str) or not all(isinstance(text, str) for text in extra):
            raise config_error(f"extra={extra!r:.100}: a list of texts is needed")
        self.extra = tuple(dict.fromkeys(extra))
        self.simulations = checks.positive_or_none("simulations", simulations)
        if priority not in ("hard", "even", "uniform"):
            raise config_error(f"priority={priority!r:.100}: hard, even or uniform is allowed")
        self.priority: Priority = priority
        if isinstance(power, bool) or not isinstance(power, (int, float)) or not 0 <= power <= 100:
            raise config_error(f"power={power!r:.100}: a number from 0 to 100 is needed")
        self.power = float(power)
        self.memory = checks.positive("memory", memory)
        self.most = checks.positive_or_none("most", most)
        self.rescan_episodes = checks.positive("rescan", rescan)
        self.seed = checks.seed(seed)
        #: Texts of the opponents.
        self.opponents: tuple[str, ...] = ()
        #: The learner's points and games against each opponent, with faded weights.
        self.results: dict[str, tuple[float, float]] = {}
        self.rescan()
        if not self.opponents:
            raise config_error(
                f"folder={str(folder)!r}: it has no {' or '.join('*' + suffix for suffix in _SUFFIXES)}, "
                "and there are no extra opponents"
            )

    def rescan(self) -> bool:
        """Reads the folder; returns whether the opponents have changed. Without a readable file they stay."""
        try:
            files = [file for file in self.folder.iterdir() if file.suffix in _SUFFIXES and file.is_file()]
            # By time, then by name: a copied folder may have equal times.
            files.sort(key=lambda file: (file.stat().st_mtime_ns, file.name))
        except OSError as error:
            if not self.opponents and not self.extra:
                raise config_error(f"folder={str(self.folder)!r}: {error.strerror}") from error
            _log.warning("checkpoints %s: %s", self.folder, error.strerror)
            files = []
        if self.most is not None:
            files = files[-self.most :]
        suffix = "" if self.simulations is None else f":{self.simulations}"
        found = (*self.extra, *(f"net:{file}{suffix}" for file in sorted(files)))
        if not found or found == self.opponents:
            return False
        self.opponents = found
        return True

    def shares(self) -> npt.NDArray[np.float64]:
        """The learner's share of points against each opponent, with one virtual draw."""
        counts = [self.results.get(text, (0.0, 0.0)) for text in self.opponents]
        return np.array([(points + 0.5) / (games + 1) for points, games in counts])

    def probabilities(self) -> npt.NDArray[np.float64]:
        """The probability of each opponent."""
        p = self.shares()
        weights = {"hard": 1 - p, "even": p * (1 - p), "uniform": np.ones_like(p)}[
            self.priority
        ] ** self.power
        # Opponents that always lose are still drawn now and then, so that their results stay current.
        weights = weights + 1e-3 * weights.max()
        total: npt.NDArray[np.float64] = weights / weights.sum()
        return total

    def draw(self, uniform: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """The opponents, by index, that numbers in [0, 1) select."""
        return selected(self.probabilities(), uniform)

    def record(self, opponent: str, points: float) -> None:
        """Counts a game of the learner against an opponent: 1 point for a win, 1/2 for a draw."""
        fade = 0.5 ** (1 / self.memory)
        before = self.results.get(opponent, (0.0, 0.0))
        self.results[opponent] = before[0] * fade + float(points), before[1] * fade + 1

    def state(self) -> dict[str, Any]:
        """The counts, for a checkpoint of the learner; plain data."""
        results: dict[str, Any] = json.loads(json.dumps(self.results))
        return {"results": results}

    def load_state(self, state: Mapping[str, Any]) -> None:
        """Restores the counts of :meth:`state`."""
        try:
            self.results = {
                str(name): (float(points), float(games)) for name, (points, games) in state["results"].items()
            }
        except (TypeError, KeyError, ValueError, AttributeError) as error:
            raise config_error(f"state={state!r:.100}: the result of state() is needed") from error

    def __repr__(self) -> str:
        folder = os.fspath(self.folder)
        shown = f"opponents={len(self.opponents)} priority={self.priority} seed={self.seed}"
        return f"<ludovec.Checkpoints {folder!r} {shown}>"


def selected(probabilities: npt.NDArray[np.float64], uniform: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The opponents, by index, that numbers in [0, 1) select."""
    bounds = np.cumsum(probabilities)
    return np.minimum(np.searchsorted(bounds, uniform, side="right"), len(bounds) - 1)
