"""The actor that plays: it owns batches of games, one per shard."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._extras import extra
from ..registry import make
from ..spec import spec
from ..vector import Array, VectorEnv
from .errors import versions
from .files import NetworkText
from .opponents import Lineup, Roster, Seats
from .policies import Policies

with extra("ray"):
    import ray


@dataclass(frozen=True)
class RunConfig:
    """Configuration of a run, common to all shards."""

    env: str
    options: Mapping[str, Any]
    policy: Any
    search: Mapping[str, Any] | None
    steps: int
    episodes: int | None
    seed: int
    obs: str
    columns: tuple[str, ...]
    num_threads: int
    seat: str | int | None
    """The learner's seat, if there are opponents."""
    function_opponents: bool
    """Whether an opponent is a function on arrays."""
    sizes: tuple[tuple[int, int], ...] = field(repr=False)
    """First game and number of games of every shard."""


#: Names of columns that differ from the environment's.
_NAMES = {"current_player": "seats"}

#: State of a shard between two fragments, in serializable form.
State = tuple[bytes, Array, Array, Array, Array, Array | None]


class Shard:
    """A batch of games that is played fragment by fragment."""

    def __init__(self, config: RunConfig, shard: int, buffers: dict[int, dict[str, Array]]) -> None:
        """``buffers`` is memory for columns, by number of games; shards that alternate share it."""
        self.config = config
        self.first_game, games = config.sizes[shard]
        listed = config.policy if isinstance(config.policy, (list, tuple)) else [config.policy]
        looks = config.search is None and not all(isinstance(one, (str, NetworkText)) for one in listed)
        looks = looks or config.function_opponents
        arguments: Any = {
            "id": config.env,
            "seed": config.seed,
            "first_game": self.first_game,
            "obs": config.obs,
            "mask": "bytes" if looks else "bits",
            "num_threads": config.num_threads,
            **config.options,
        }
        self.env: VectorEnv = make(num_envs=games, **arguments)
        self.policies = Policies(config.policy, config.search, self.env, config.seed)
        #: Index of the next fragment.
        self.number = 0
        self.version = -1
        self.games = self.first_game + np.arange(games)
        #: The learner's seats and its opponents, if there are opponents.
        self.seats: Seats | None = None
        if config.seat is not None:
            self.seats = Seats(config.seat, self.env, self.games, config.seed)
        self.episodes = np.zeros(games, np.int64)
        self.decisions = np.zeros(games, np.int64)
        #: Episodes left to play, by game.
        self.left = np.full(games, -1 if config.episodes is None else config.episodes, np.int64)
        self.buffers = buffers.setdefault(games, {})
        #: Names of the policies' columns.
        self.more: set[str] = set()

    def state(self) -> State:
        """The state of the games."""
        env = self.env
        return (
            env.get_state(),
            env._core.samples(),
            self.episodes.copy(),
            self.decisions.copy(),
            self.left.copy(),
            None if self.seats is None else self.seats.at.copy(),
        )

    def restore(self, state: State, number: int) -> None:
        """Restores the state of a shard."""
        games, samples, episodes, decisions, left, seated = state
        self.env.set_state(None, games)
        self.env._core.set_samples(samples)
        self.episodes, self.decisions, self.left = episodes.copy(), decisions.copy(), left.copy()
        if self.seats is not None and seated is not None:
            self.seats.at = seated.copy()
        self.number = number

    def play(self) -> dict[str, Any]:
        """Plays the next fragment, in memory that the following one overwrites."""
        env, steps, seats = self.env, self.config.steps, self.seats
        if seats is not None and self.number == 0:
            seats.start(np.arange(env.num_envs), self.episodes)
        episodes, decisions = self.episodes.copy(), self.decisions.copy()
        found: list[tuple[Array, Array, Array]] = []
        ends, outcomes, scores, seated, points = [], [], [], [], []
        played = 0
        valid = self.left != 0
        # In an endless run all games are always active.
        everywhere = bool(valid.all())
        before = self._wanted("observations", "action_mask_bits", "current_player")
        after = self._wanted("rewards", "credit", "terminated", "truncated")
        for t in range(steps):
            if not everywhere and not valid.any():
                break
            for name, array in before.items():
                self._record(t, name, array)
            self._record(t, "valid", valid)
            info = {
                "current_player": env.current_player,
                "valid": valid,
                "games": self.games,
                "episodes": self.episodes,
                "decisions": self.decisions,
                "version": self.version,
            }
            decide = self.policies.decide
            actions, more, legal = decide(info) if seats is None else seats.decide(self.policies, info)
            self._record_more(t, more)
            if legal is not None:
                found.append(legal)
            chosen = np.ascontiguousarray(actions, np.int32)
            if everywhere:
                ended = env._core.step(chosen)
            else:
                ids = np.flatnonzero(valid).astype(np.uint32)
                ended = env._core.step_games(ids, chosen[ids])
                # Idle games still show their last step.
                ended = None if ended is None else ended[valid[ended]]
            if "actions" in self.config.columns:
                self._record(t, "actions", chosen)
            for name, array in after.items():
                self._record(t, name, array)
            self.decisions += valid
            played += 1
            if ended is not None and len(ended):
                ends.append(np.stack([np.full(len(ended), t), ended], axis=1))
                outcomes.append(env.final_returns[ended])
                scores.append(env.final_scores[ended])
                self.episodes[ended] += 1
                self.decisions[ended] = 0
                self.left[ended] -= 1
                if seats is not None:
                    opponents, won = seats.ended(ended)
                    seated.append(opponents)
                    points.append(won)
                    seats.start(ended, self.episodes[ended])
                if self.config.episodes is not None:
                    valid = self.left != 0
                    everywhere = bool(valid.all())
        self.number += 1
        all_ends = _joined(ends, np.int32, 2)
        if seats is None:
            seated = [np.zeros((len(all_ends), 0), np.int32)]
        # Memory is shared with shards whose policies may have other columns.
        names = {*self.config.columns, "valid", *self.more}
        columns = {name: column[:played] for name, column in self.buffers.items() if name in names}
        if found:
            columns |= _legal(found)
        return {
            "episodes": episodes,
            "decisions": decisions,
            "columns": columns,
            "ends": all_ends,
            "outcomes": _joined(outcomes, np.float32, env.game_spec.players),
            "scores": _joined(scores, np.float32, env.game_spec.players),
            "seated": _joined(seated, np.int32, env.game_spec.players),
            "points": _joined(points, np.float64, env.game_spec.players),
            "next": before,
            "last": not (self.left != 0).any(),
            "state": self.state(),
        }

    def _wanted(self, *names: str) -> dict[str, Array]:
        """Arrays of the environment by their column names."""
        named = {_NAMES.get(name, name): getattr(self.env, name) for name in names}
        return {name: array for name, array in named.items() if name in self.config.columns}

    def _record_more(self, t: int, more: Mapping[str, Array]) -> None:
        """Writes a row of the policies' columns, with 0 where none of them had a decision."""
        for name, array in more.items():
            self._record(t, name, array)
            if name not in self.more:
                self.buffers[name][:t] = 0
        for name in self.more - more.keys():
            self.buffers[name][t] = 0
        self.more |= more.keys()

    def _record(self, t: int, name: str, row: Array) -> None:
        """Writes a row of a column; its memory is allocated with the first one."""
        if name not in self.buffers:
            self.buffers[name] = np.zeros((self.config.steps, *row.shape), row.dtype)
        self.buffers[name][t] = row


class Worker:
    """An actor that plays fragments of any shard. It caches the states of shards, but results depend only on
    the arguments of :meth:`play`, so any other worker gives the same."""

    def __init__(self) -> None:
        self._config: RunConfig | None = None
        self._shards: dict[int, Shard] = {}
        self._buffers: dict[int, dict[str, Array]] = {}
        self._weights: tuple[int, Any] = (-1, None)
        self._roster: tuple[int, Roster | None] = (-1, None)

    def ready(self, refs: list[Any]) -> dict[str, Any]:
        """Process, node and versions of the worker; ``refs`` holds the reference of a :class:`RunConfig`."""
        config = self._fetched(refs[0])
        options: Any = dict(config.options)
        told = versions(spec(config.env, **options))
        return {"pid": os.getpid(), "node": ray.get_runtime_context().get_node_id(), "versions": told}

    def _fetched(self, ref: Any) -> RunConfig:
        """The configuration of the run, fetched once."""
        config = self._config
        if config is None:
            config = self._config = ray.get(ref)
        return config

    def play(
        self,
        refs: list[Any],
        shard: int,
        number: int,
        state: State | None,
        version: int,
        lineup: Lineup | None,
    ) -> dict[str, Any] | None:
        """Plays fragment ``number`` of a shard, from ``state`` unless this worker played the previous one.
        Returns ``None`` if it needs that state and did not get it. ``refs`` are the references of a
        :class:`RunConfig` and of the weights; ``lineup`` has the opponents of new episodes."""
        games = self._shards.get(shard)
        if games is None or games.number != number:
            if number > 0 and state is None:
                return None
            games = self._shards[shard] = Shard(self._fetched(refs[0]), shard, self._buffers)
            if state is not None:
                games.restore(state, number)
        if games.version != version:
            if self._weights[0] != version:
                # Ray fetches an object once per node, for all its workers.
                self._weights = version, ray.get(refs[1])
            games.version = version
            games.policies.set_weights(self._weights[1])
        if lineup is not None and games.seats is not None:
            if self._roster[0] != lineup.number:
                self._roster = lineup.number, ray.get(lineup.roster)
            roster = self._roster[1]
            assert roster is not None
            games.seats.use(roster, lineup.probabilities)
        try:
            return games.play()
        except BaseException:
            # The shard is in the middle of a fragment and cannot be used again.
            del self._shards[shard]
            raise


def _legal(found: list[tuple[Array, Array, Array]]) -> dict[str, Array]:
    """Legal actions of all decisions, concatenated."""
    counts = np.concatenate([np.diff(offsets) for offsets, _, _ in found])
    return {
        "policy_offsets": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        "policy_actions": np.concatenate([actions for _, actions, _ in found]),
        "policy": np.concatenate([policy for _, _, policy in found]),
    }


def _joined(parts: list[Array], dtype: Any, width: int) -> Array:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros((0, width), dtype)
