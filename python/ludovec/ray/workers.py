"""The actor that plays: it owns batches of games, one per shard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._shared.extras import extra
from ..data.columns import Array, joined
from ..data.fragments import Recorder
from ..envs.make import make
from ..envs.vector import VectorEnv
from ..networks import SentNetwork
from ..spec import spec
from .errors import versions
from .opponents import Lineup, Roster, Seats
from .policies import Policies
from .pool import Runner

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


#: State of a shard between two fragments, in serializable form.
State = tuple[bytes, Array, Array, Array, Array, Array | None, list[Any], dict[int, Any]]


class Shard:
    """A batch of games that is played fragment by fragment."""

    def __init__(self, config: RunConfig, shard: int, buffers: dict[int, dict[str, Array]]) -> None:
        """``buffers`` is memory for columns, by number of games; shards that alternate share it."""
        self.config = config
        self.first_game, games = config.sizes[shard]
        listed = config.policy if isinstance(config.policy, (list, tuple)) else [config.policy]
        looks = config.search is None and not all(isinstance(one, (str, SentNetwork)) for one in listed)
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
        self.is_new = True
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
        memory = buffers.setdefault(games, {})
        self.recorder = Recorder(self.env, config.steps, config.columns, memory=memory)

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
            self.policies.memory(),
            {} if self.seats is None else self.seats.memory(),
        )

    def restore(self, state: State) -> None:
        """Restores the state of a shard."""
        games, samples, episodes, decisions, left, seated, memory, opponents = state
        self.env.set_state(None, games)
        self.env._core.set_samples(samples)
        self.episodes, self.decisions, self.left = episodes.copy(), decisions.copy(), left.copy()
        if self.seats is not None and seated is not None:
            self.seats.at = seated.copy()
            self.seats.memories = opponents
        self.policies.recall(memory)
        self.is_new = False

    def play(self) -> dict[str, Any]:
        """Plays the next fragment, in memory that the following one overwrites."""
        env, recorder, seats = self.env, self.recorder, self.seats
        if seats is not None and self.is_new:
            seats.start(np.arange(env.num_envs), self.episodes)
        episodes, decisions = self.episodes.copy(), self.decisions.copy()
        ends, outcomes, scores, seated, points = [], [], [], [], []
        valid = self.left != 0
        # In an endless run all games are always active.
        everywhere = bool(valid.all())
        recorder.clear()
        while not recorder.is_full and (everywhere or valid.any()):
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
            chosen = np.ascontiguousarray(actions, np.int32)
            recorder.before(chosen, {**more, "valid": valid}, legal)
            if everywhere:
                ended = env._core.step(chosen)
            else:
                ids = np.flatnonzero(valid).astype(np.uint32)
                ended = env._core.step_games(ids, chosen[ids])
                # Idle games still show their last step.
                ended = None if ended is None else ended[valid[ended]]
            self.decisions += valid
            if ended is not None and len(ended):
                ends.append(np.stack([np.full(len(ended), recorder.at), ended], axis=1))
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
            recorder.after()
            if self.config.episodes is not None:
                valid = self.left != 0
                everywhere = bool(valid.all())
        self.is_new = False
        all_ends = _joined(ends, np.int32, 2)
        if seats is None:
            seated = [np.zeros((len(all_ends), 0), np.int32)]
        columns = recorder.columns()
        policies = joined(recorder.policies, [env.num_envs] * recorder.at)
        if policies is not None:
            columns |= dict(zip(("policy_offsets", "policy_actions", "policy"), policies))
        return {
            "episodes": episodes,
            "decisions": decisions,
            "columns": columns,
            "ends": all_ends,
            "outcomes": _joined(outcomes, np.float32, env.game_spec.players),
            "scores": _joined(scores, np.float32, env.game_spec.players),
            "seated": _joined(seated, np.int32, env.game_spec.players),
            "points": _joined(points, np.float64, env.game_spec.players),
            "next": recorder.shown,
            "last": not (self.left != 0).any(),
        }


class Worker(Runner):
    """An actor that plays fragments of any shard."""

    title = "fragment"

    def __init__(self) -> None:
        super().__init__()
        self._buffers: dict[int, dict[str, Array]] = {}
        self._weights: tuple[int, Any] = (-1, None)
        self._roster: tuple[int, Roster | None] = (-1, None)

    def versions(self) -> Mapping[str, str]:
        options: Any = dict(self.given.options)
        return versions(spec(self.given.env, **options))

    def made(self, number: int) -> Shard:
        return Shard(self.given, number, self._buffers)

    def played(self, task: Shard, weights: list[Any], version: int, lineup: Lineup | None) -> dict[str, Any]:
        """Plays a fragment. ``weights`` holds the reference of the weights; ``lineup`` has the opponents of
        new episodes."""
        if task.version != version:
            if self._weights[0] != version:
                # Ray fetches an object once per node, for all its workers.
                self._weights = version, ray.get(weights[0])
            task.version = version
            task.policies.set_weights(self._weights[1])
        if lineup is not None and task.seats is not None:
            if self._roster[0] != lineup.number:
                self._roster = lineup.number, ray.get(lineup.roster)
            roster = self._roster[1]
            assert roster is not None
            task.seats.use(roster, lineup.probabilities)
        return task.play()


def _joined(parts: list[Array], dtype: Any, width: int) -> Array:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros((0, width), dtype)
