"""Self-play on a cluster: actors play shards of games and return rollout fragments as columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..data.fragments import row_types
from ..networks import sent
from ..players import seating
from ..players.checkpoints import Checkpoints
from ..rules.registration import portable
from ..spec import Spec
from ..spec import spec as spec_of
from . import errors
from .fragments import COLUMNS, Fragment
from .opponents import League
from .pool import Pool, Task
from .workers import RunConfig, Worker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..players import Opponents
    from ..typing import EnvId, ObservationFormat, Options

with extra("ray"):
    import ray

#: A text, a function on arrays, an object or class that makes one, or a list of them by seat.
BehaviorPolicy = str | Callable[..., Any] | Sequence[str | Callable[..., Any]] | None


class SelfPlay:
    """Actors on a Ray cluster that play, and an iterator over their rollout fragments (:class:`Fragment`).

    >>> ray.init()
    >>> sizes = {"workers": 2, "games_per_worker": 64}
    >>> with ludovec.ray.SelfPlay("tilewe", policy="random", **sizes) as self_play:
    ...     for fragment in itertools.islice(self_play, 8):
    ...         learn(fragment.columns["observations"], fragment.columns["actions"])
    ...         self_play.publish(weights)

    Game ``i`` of ``workers * games_per_worker`` uses the random stream (seed, ``first_game + i``, episode) on
    any worker. With fixed weights, and policies that sample with ``info["seeds"]``, the games are the same
    for any number of workers with the same total of games, and for any number of crashes: a fragment is a
    function of the state of its shard, so another worker replays it identically, and it is delivered once.
    Ray restarts dead workers wherever there is room; meanwhile the others play their shards.

    With ``opponents``, the policy has one seat per game, and the opponents have the others. Fragments have
    the decisions of all seats; their column ``opponent`` is -1 where the policy decides, and
    :meth:`Fragment.rollout` knows these alone. Results against :class:`ludovec.Checkpoints` are counted when
    a fragment is delivered, and change the opponents of the episodes that start in later fragments. The order
    of delivery then matters: with ``ordered`` the games are the same for any number of workers.

    A shard has at most one fragment under way or waiting: a slow learner makes workers wait, and memory is
    bounded by ``shards * steps * games`` rows.
    """

    def __init__(
        self,
        env: EnvId,
        workers: int = 1,
        games_per_worker: int = 256,
        policy: BehaviorPolicy = "random",
        *,
        opponents: Opponents | None = None,
        seat: int | Literal["rotating", "random"] = "rotating",
        search: Mapping[str, Any] | None = None,
        weights: Any = None,
        steps: int = 32,
        episodes: int | None = None,
        shard_games: int | None = None,
        seed: int | None = None,
        first_game: int = 0,
        obs: ObservationFormat = "u8",
        columns: Sequence[str] = COLUMNS,
        ordered: bool = False,
        num_threads: int = 1,
        num_cpus: float = 1,
        num_gpus: float = 0,
        runtime_env: Mapping[str, Any] | None = None,
        timeout: float = 60.0,
        checkpoint: Mapping[str, Any] | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Starts the workers and waits for the first one.

        Args:
            env: One of :func:`ludovec.list_envs`.
            workers: Number of actors.
            games_per_worker: Number of parallel games per worker.
            policy: The player of all seats, or a list by seat: a text (``"greedy"``, ``"net:FILE"`` with the
                file sent along), or a function on arrays, as :class:`ludovec.players.ArrayBot`; a class is
                instantiated on the worker. It may return ``(actions, {name: array [N, ...]})`` with extra
                columns. ``info`` holds ``current_player``, ``valid`` bool [N], ``games``, ``episodes`` and
                ``decisions`` int64 [N] (in the episode so far), ``seeds`` uint64 [N], the only source of
                randomness to use (:func:`draw`), ``weights`` and ``version``. If the object has
                ``set_weights(weights)``, it is called with every new version.
            opponents: Players of the other seats, as for :func:`ludovec.make`: an opponent like a ``policy``,
                a list of tables that take turns, or :class:`ludovec.Checkpoints`, of which each episode draws
                one per seat. Episodes keep their opponents to the end; the driver reads the folder, and files
                are sent along. Equal seeds give the seats and opponents of :func:`ludovec.make`.
            seat: The policy's seat with ``opponents``: an index, ``"rotating"`` from episode to episode, or
                ``"random"``.
            search: Settings of a :class:`ludovec.TreeSearch` that plays, by default with ``value="seats"``.
                ``policy`` is then its network: a function ``(observations, action_mask_bits) -> (logits,
                values)``, ``"net:FILE"``, or None with ``evaluator``.
            weights: Version 0 of the weights for :meth:`publish`.
            steps: Decisions per game in a fragment.
            episodes: Episodes per game; ``None`` plays without end.
            shard_games: Games that are stepped and sent together, by default half of ``games_per_worker``, so
                that a worker plays one shard while the other is in transit.
            seed: Seed of all games; ``None`` draws one, or takes that of ``checkpoint``.
            first_game: Index of the first game, for a run that is split over several learners.
            obs: As for :func:`ludovec.make`.
            columns: The columns of :data:`COLUMNS` to send.
            ordered: Deliver the shards in turn: a learner that publishes at fixed points then trains
                identically for any number of workers. Otherwise first come, first served.
            num_threads: Threads per worker.
            num_cpus, num_gpus, runtime_env: Resources and environment of a worker in Ray; ``num_gpus`` may be
                a fraction.
            timeout: Maximum time without any worker, in seconds.
            checkpoint: A result of :meth:`checkpoint`: continues after the fragments delivered then.
            options: The environment's own options.

        Raises:
            InvalidConfig: The message names the argument and the allowed values; or a policy cannot be
                pickled.
            ClusterError: There is no cluster or no room on it, a fragment exceeds the object store, or a
                worker has another version.
        """
        errors.connected()
        checks.word("env", env)
        workers = checks.positive("workers", workers)
        games = workers * checks.positive("games_per_worker", games_per_worker)
        size = -(-games_per_worker // 2) if shard_games is None else shard_games
        size = checks.positive("shard_games", size)
        for column in columns:
            if column not in COLUMNS:
                raise config_error(f"columns: {column!r}: {', '.join(COLUMNS)} are allowed")
        first_game = checks.integer("first_game", first_game)
        self._spec: Spec = spec_of(env, **options)
        self._check_policy(policy, search, opponents is not None)
        rule = seating.seat_rule(seat, 1, self._spec.players)
        self._league = None if opponents is None else League(opponents, self._spec)
        travelling = [sent(one) for one in policy] if isinstance(policy, (list, tuple)) else sent(policy)
        config = RunConfig(
            env=portable(env),
            options={**options},
            policy=travelling,
            search=None if search is None else dict(search),
            steps=checks.positive("steps", steps),
            episodes=checks.positive_or_none("episodes", episodes),
            seed=checks.seed(checkpoint["run"]["seed"] if seed is None and checkpoint else seed),
            obs=checks.word("obs", obs),
            columns=tuple(columns),
            num_threads=checks.positive("num_threads", num_threads),
            seat=None if self._league is None else rule if isinstance(rule, str) else int(rule[0]),
            function_opponents=self._league is not None and self._league.has_functions,
            sizes=tuple((first_game + at, min(size, games - at)) for at in range(0, games, size)),
        )
        self._check_room(config)
        #: The seed of all games.
        self.seed = config.seed
        self._ordered, self._turn = ordered, 0
        self._config = config
        self._weights = errors.put("weights", weights)
        self._versions = errors.versions(self._spec)
        #: Version of the newest weights.
        self.version = 0
        self.stats: dict[str, int] = {
            "decisions": 0,
            "episodes": 0,
            "fragments": 0,
            "bytes": 0,
            "replayed": 0,
        }
        self._shards = [Task(f"games {first} to {first + games - 1}") for first, games in config.sizes]
        if checkpoint is not None:
            self._restore(checkpoint)
        self._closed = False
        self._pool = Pool(
            Worker,
            workers,
            errors.put("policy", config),
            self._versions,
            what="fragment",
            timeout=timeout,
            stats=self.stats,
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            runtime_env=None if runtime_env is None else dict(runtime_env),
        )

    # ---- the learner's interface ----

    def __iter__(self) -> Iterator[Fragment]:
        return self

    def __next__(self) -> Fragment:
        """The next fragment; stops when every game has played its ``episodes``."""
        if self._closed:
            raise LudovecError("this self-play is closed")
        try:
            fragment = self._next()
        except Exception:
            self.close()
            raise
        if fragment is None:
            raise StopIteration
        return fragment

    def publish(self, weights: Any) -> int:
        """Publishes weights and returns their version: every fragment that starts from now on uses them. They
        are stored once in the object store and once on every node."""
        self._weights = errors.put("weights", weights)
        self.version += 1
        return self.version

    def checkpoint(self) -> dict[str, Any]:
        """The state of all games after the delivered fragments, for pickling. Pass it to a new
        :class:`SelfPlay` with the same arguments (and the newest weights), with any number of workers for the
        same games.

        Fragments under way are played again, with the weights of the new object. Of
        :class:`ludovec.Checkpoints` it has the counts and the networks that play in unfinished episodes.
        """
        shards = [{"number": shard.turn, "state": shard.state, "done": shard.done} for shard in self._shards]
        told = {"version": self.version, "turn": self._turn, "stats": dict(self.stats)}
        if self._league is not None:
            told["league"] = self._league.state(self._seated())
        return {"run": self._run(), "shards": shards, **told}

    def workers(self) -> list[dict[str, Any]]:
        """The workers that are up: ``pid`` and ``node`` (Ray's id) of each."""
        return [{name: told[name] for name in ("pid", "node")} for told in self._pool.up()]

    def close(self) -> None:
        """Ends the workers. Delivered fragments stay readable."""
        self._closed = True
        self._pool.close()

    def __enter__(self) -> SelfPlay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        games = sum(size for _, size in self._config.sizes)
        return f"<ludovec.ray.SelfPlay {self._config.env} games={games} shards={len(self._shards)}>"

    # ---- shards and workers ----

    def _next(self) -> Fragment | None:
        """Waits for a fragment; None if there will be no more."""
        while True:
            self._dispatch()
            number = self._deliverable()
            if number is not None:
                return self._deliver(number)
            if all(shard.done for shard in self._shards):
                return None
            self._pool.wait(self._shards)

    def _dispatch(self) -> None:
        for shard in self._shards:
            if shard.arguments is None and not shard.done:
                # Also if all workers are down: what a fragment depends on is not a matter of luck.
                lineup = None if self._league is None else self._league.lineup()
                shard.arguments = [self._weights], self.version, lineup
        self._pool.send(self._shards)

    def _deliverable(self) -> int | None:
        """A shard with an arrived fragment that may be delivered."""
        numbers = range(len(self._shards))
        if not self._ordered:
            return next((k for k in numbers if self._shards[k].result is not None), None)
        for _ in numbers:
            shard = self._shards[self._turn]
            if not shard.done:
                return self._turn if shard.result is not None else None
            self._turn = (self._turn + 1) % len(self._shards)
        return None

    def _deliver(self, number: int) -> Fragment:
        shard = self._shards[number]
        turn, arguments = shard.turn, shard.arguments
        assert arguments is not None
        told, state = shard.accept()
        # The driver keeps states: a node may be lost.
        shard.state = ray.get(state)
        points = told.pop("points")
        fragment = Fragment(
            opponents=() if self._league is None else tuple(self._league.names),
            shard=number,
            number=turn,
            version=arguments[1],
            first_game=self._config.sizes[number][0],
            **told,
        )
        shard.done = fragment.last
        if self._league is not None and self._league.count(fragment, points):
            lineups = (other.arguments[2] for other in self._shards if other.arguments is not None)
            self._league.rescan({*self._seated(), *chain.from_iterable(one.drawn for one in lineups)})
        self._turn = (number + 1) % len(self._shards)
        self.stats["fragments"] += 1
        self.stats["decisions"] += fragment.num_decisions
        self.stats["episodes"] += len(fragment.ends)
        self.stats["bytes"] += fragment.nbytes
        # The worker continues while the learner learns.
        self._dispatch()
        return fragment

    def _seated(self) -> set[int]:
        """The opponents in the games of all shards after the delivered fragments."""
        states = [shard.state for shard in self._shards if shard.state is not None]
        seats = [seated for *_, seated, _memory, _opponents in states if seated is not None]
        return {index for seated in seats for index in np.unique(seated).tolist() if index >= 0}

    # ---- checks ----

    def _check_policy(self, policy: Any, search: Any, has_opponents: bool) -> None:
        listed = policy if isinstance(policy, (list, tuple)) else [policy]
        if any(isinstance(one, Checkpoints) for one in listed):
            raise config_error("policy: Checkpoints are opponents: opponents=Checkpoints(...)")
        if isinstance(policy, (list, tuple)):
            if has_opponents:
                raise config_error("policy: one policy is needed with opponents, a list was given")
            if search is not None:
                raise config_error("search: one network plays all seats; policy: a list was given")
            if len(policy) != self._spec.players:
                seats = self._spec.players
                raise config_error(f"policy: {len(policy)} were given, the game has {seats} seats")
        if search is not None and search.get("reuse"):
            raise config_error("search: reuse=True is not allowed: games outlive a worker, but trees do not")
        for one in listed:
            if not (isinstance(one, str) or callable(one) or (one is None and search is not None)):
                raise config_error(f"policy={one!r:.80}: a text or a function on arrays is needed")

    def _check_room(self, config: RunConfig) -> None:
        """Raises if the fragments exceed the object store of a node, or of this one."""
        games = [size for _, size in config.sizes]
        decision = row_bytes(self._spec, config.obs, config.columns) + (0 if config.seat is None else 4)
        stores = [
            node["Resources"]["object_store_memory"]
            for node in ray.nodes()
            if node["Alive"] and "object_store_memory" in node["Resources"]
        ]
        for what, bytes_ in (
            (f"a fragment of {config.steps} decisions in {max(games)} games", decision * max(games)),
            (f"{len(games)} fragments of {config.steps} decisions in all games", decision * sum(games)),
        ):
            needed = bytes_ * config.steps
            if stores and needed > min(stores):
                has = f"the smallest node's store has {min(stores) / 2**20:,.0f} MiB"
                raise errors.no_room(f"{what} takes {needed / 2**20:,.0f} MiB, {has}")

    def _run(self) -> dict[str, Any]:
        """The settings that must agree between a checkpoint and a run."""
        config = self._config
        told = {
            "env": str(config.env),
            "options": dict(config.options),
            "seed": config.seed,
            "steps": config.steps,
        }
        if self._league is not None:
            told |= {"seat": config.seat, "opponents": self._league.identity()}
        return {**told, "episodes": config.episodes, "sizes": config.sizes, **self._versions}

    def _restore(self, checkpoint: Mapping[str, Any]) -> None:
        now = self._run()
        for name in {**now, **checkpoint["run"]}:
            before, value = checkpoint["run"].get(name), now.get(name)
            if before != value:
                raise config_error(f"checkpoint: {name} is {before!r:.100} in it, but {value!r:.100} here")
        self.version, self._turn = checkpoint["version"], checkpoint["turn"]
        self.stats |= checkpoint["stats"]
        for shard, saved in zip(self._shards, checkpoint["shards"]):
            shard.turn, shard.state, shard.done = saved["number"], saved["state"], saved["done"]
            shard.sends_state = shard.turn > 0
        if self._league is not None:
            self._league.restore(checkpoint["league"])


def row_bytes(spec: Spec, obs: str, columns: Sequence[str] = COLUMNS) -> int:
    """Bytes per decision, without the columns of a search or policy."""
    types = row_types(spec, obs)
    return 1 + sum(types[name].itemsize for name in columns)
