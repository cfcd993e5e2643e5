"""Self-play on a cluster: actors play shards of games and return rollout fragments as columns."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import _arguments, _seating
from .._core import LudovecError
from .._errors import config_error
from .._extras import extra
from ..checkpoints import Checkpoints
from ..rules.registration import portable
from ..spec import Spec
from ..spec import spec as spec_of
from . import errors
from .files import packed
from .fragments import COLUMNS, Fragment
from .opponents import League, Lineup
from .workers import RunConfig, State, Worker

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..players import Opponents
    from ..typing import EnvId, ObservationFormat, Options

with extra("ray"):
    import ray
    from ray.exceptions import ActorDiedError, RayError, RayTaskError

#: A text, a function on arrays, an object or class that makes one, or a list of them by seat.
BehaviorPolicy = str | Callable[..., Any] | Sequence[str | Callable[..., Any]] | None

#: Maximum number of workers in a row that may die on the same fragment.
_MOST_DEATHS = 5
#: Maximum number of calls in a row that may fail for a fragment: on a busy machine Ray may report a worker as
#: restarting that is up again.
_MOST_FAILURES = 50


@dataclass
class _Progress:
    """Delivery state of a shard, and the call under way."""

    number: int = 0
    state: State | None = None
    #: Version of the weights for the fragment that is next or under way, the weights, and the opponents of
    #: its new episodes; only valid if they are fixed.
    version: int = 0
    weights: Any = None
    lineup: Lineup | None = None
    is_fixed: bool = False
    #: The call under way, its worker, and the process of the worker.
    call: Any = None
    worker: int = -1
    process: Any = None
    #: Arrived but not yet delivered.
    arrived: dict[str, Any] | None = None
    sends_state: bool = False
    #: Number of failed calls for the fragment, and the processes that failed.
    failures: int = 0
    dead: set[Any] = field(default_factory=set)
    done: bool = False


@dataclass
class _WorkerSlot:
    """A worker slot: an actor that Ray restarts when it dies."""

    actor: Any
    #: Pending call that returns when the actor is up; None once it has.
    probe: Any = None
    told: dict[str, Any] = field(default_factory=dict)


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
        seed: int | None = 0,
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
            seed: Seed of all games; ``None`` draws one.
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
        _arguments.word("env", env)
        workers = _arguments.positive("workers", workers)
        games = workers * _arguments.positive("games_per_worker", games_per_worker)
        size = -(-games_per_worker // 2) if shard_games is None else shard_games
        size = _arguments.positive("shard_games", size)
        for column in columns:
            if column not in COLUMNS:
                raise config_error(f"columns: {column!r}: {', '.join(COLUMNS)} are allowed")
        first_game = _arguments.integer("first_game", first_game)
        self._spec: Spec = spec_of(env, **options)
        self._check_policy(policy, search, opponents is not None)
        rule = _seating.seat_rule(seat, 1, self._spec.players)
        self._league = None if opponents is None else League(opponents, self._spec)
        travelling = [packed(one) for one in policy] if isinstance(policy, (list, tuple)) else packed(policy)
        config = RunConfig(
            env=portable(env),
            options={**options},
            policy=travelling,
            search=None if search is None else dict(search),
            steps=_arguments.positive("steps", steps),
            episodes=_arguments.positive_or_none("episodes", episodes),
            seed=_arguments.seed(seed),
            obs=_arguments.word("obs", obs),
            columns=tuple(columns),
            num_threads=_arguments.positive("num_threads", num_threads),
            seat=None if self._league is None else rule if isinstance(rule, str) else int(rule[0]),
            function_opponents=self._league is not None and self._league.has_functions,
            sizes=tuple((first_game + at, min(size, games - at)) for at in range(0, games, size)),
        )
        self._check_room(config)
        #: The seed of all games.
        self.seed = config.seed
        self._timeout, self._ordered, self._turn = timeout, ordered, 0
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
        self._shards = [_Progress() for _ in config.sizes]
        if checkpoint is not None:
            self._restore(checkpoint)
        #: Restarted workers fetch it again.
        self._given = errors.put("policy", config)
        actor = ray.remote(Worker).options(
            num_cpus=num_cpus,
            num_gpus=num_gpus,
            max_restarts=-1,
            max_task_retries=0,
            runtime_env=None if runtime_env is None else dict(runtime_env),
        )
        self._workers = [_WorkerSlot(actor.remote()) for _ in range(workers)]
        for worker in self._workers:
            self._probe(worker)
        self._alone_since: float | None = time.monotonic()
        self._closed = False
        try:
            while not any(worker.probe is None for worker in self._workers):
                self._wait([])
        except BaseException:
            self.close()
            raise

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
        shards = [
            {"number": progress.number, "state": progress.state, "done": progress.done}
            for progress in self._shards
        ]
        told = {"version": self.version, "turn": self._turn, "stats": dict(self.stats)}
        if self._league is not None:
            told["league"] = self._league.state(self._seated())
        return {"run": self._run(), "shards": shards, **told}

    def workers(self) -> list[dict[str, Any]]:
        """The workers that are up: ``pid`` and ``node`` (Ray's id) of each."""
        return [
            {name: seat.told[name] for name in ("pid", "node")}
            for seat in self._workers
            if seat.probe is None
        ]

    def close(self) -> None:
        """Ends the workers. Delivered fragments stay readable."""
        self._closed = True
        for seat in getattr(self, "_workers", []):
            ray.kill(seat.actor)
        self._workers = []

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
            shard = self._deliverable()
            if shard is not None:
                return self._deliver(shard)
            if all(progress.done for progress in self._shards):
                return None
            self._wait([progress.call for progress in self._shards if progress.call is not None])

    def _dispatch(self) -> None:
        """Sends every idle shard to its own worker, or to another one while that worker is down."""
        for progress in self._shards:
            if not progress.is_fixed:
                # Also if all workers are down: what a fragment depends on is not a matter of luck.
                progress.version, progress.weights, progress.is_fixed = self.version, self._weights, True
                progress.lineup = None if self._league is None else self._league.lineup()
        up = [k for k, seat in enumerate(self._workers) if seat.probe is None]
        if not up:
            return
        busy = {k: 0 for k in up}
        for progress in self._shards:
            if progress.call is not None:
                busy[progress.worker] = busy.get(progress.worker, 0) + 1
        for shard, progress in enumerate(self._shards):
            if progress.done or progress.call is not None or progress.arrived is not None:
                continue
            own = shard * len(self._workers) // len(self._shards)
            worker = own if own in busy else min(up, key=lambda k: busy[k])
            busy[worker] += 1
            state = progress.state if progress.sends_state else None
            told = self._workers[worker].told
            progress.worker, progress.process = worker, (told["node"], told["pid"])
            progress.call = self._workers[worker].actor.play.remote(
                [self._given, progress.weights],
                shard,
                progress.number,
                state,
                progress.version,
                progress.lineup,
            )

    def _deliverable(self) -> int | None:
        """A shard with an arrived fragment that may be delivered."""
        shards = range(len(self._shards))
        if not self._ordered:
            return next((shard for shard in shards if self._shards[shard].arrived is not None), None)
        for _ in shards:
            progress = self._shards[self._turn]
            if not progress.done:
                return self._turn if progress.arrived is not None else None
            self._turn = (self._turn + 1) % len(self._shards)
        return None

    def _deliver(self, shard: int) -> Fragment:
        progress = self._shards[shard]
        arrived = progress.arrived
        assert arrived is not None
        told = {name: value for name, value in arrived.items() if name not in ("state", "points")}
        fragment = Fragment(
            opponents=() if self._league is None else tuple(self._league.names),
            shard=shard,
            number=progress.number,
            version=progress.version,
            first_game=self._config.sizes[shard][0],
            **told,
        )
        progress.number += 1
        progress.state, progress.arrived = arrived["state"], None
        progress.done, progress.failures, progress.sends_state = fragment.last, 0, False
        progress.dead.clear()
        progress.is_fixed = False
        if self._league is not None and self._league.count(fragment, arrived["points"]):
            drawn = (other.lineup.drawn for other in self._shards if other.lineup is not None)
            self._league.rescan({*self._seated(), *chain.from_iterable(drawn)})
        self._turn = (shard + 1) % len(self._shards)
        self.stats["fragments"] += 1
        self.stats["decisions"] += fragment.num_decisions
        self.stats["episodes"] += len(fragment.ends)
        self.stats["bytes"] += fragment.nbytes
        # The worker continues while the learner learns.
        self._dispatch()
        return fragment

    def _seated(self) -> set[int]:
        """The opponents in the games of all shards after the delivered fragments."""
        states = [progress.state for progress in self._shards if progress.state is not None]
        seats = [seated for *_, seated in states if seated is not None]
        return {index for seated in seats for index in np.unique(seated).tolist() if index >= 0}

    def _wait(self, calls: list[Any]) -> None:
        """Waits for a call to return and processes it."""
        probes = [seat.probe for seat in self._workers if seat.probe is not None]
        ready, _ = ray.wait([*calls, *probes], num_returns=1, timeout=1.0)
        for one in ready:
            for progress in self._shards:
                if progress.call == one:
                    self._arrive(progress)
            for seat in self._workers:
                if seat.probe == one:
                    self._answer(seat)
        if any(seat.probe is None for seat in self._workers):
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > self._timeout:
            raise errors.ClusterError(self._no_worker())

    def _arrive(self, progress: _Progress) -> None:
        """Stores a fragment, or has it played again."""
        call, progress.call = progress.call, None
        try:
            arrived = ray.get(call)
        except RayTaskError as error:
            raise errors.raised(error) from None
        except RayError as error:
            # The worker or its node died, together with the state of the shard there.
            progress.failures += 1
            progress.dead.add(progress.process)
            progress.sends_state = True
            self.stats["replayed"] += 1
            if len(progress.dead) >= _MOST_DEATHS or progress.failures >= _MOST_FAILURES:
                shard = self._shards.index(progress)
                first, size = self._config.sizes[shard]
                raise errors.ClusterError(
                    f"games {first} to {first + size - 1}: {len(progress.dead)} workers in a row died when "
                    f"they played fragment {progress.number}: {str(error).strip().splitlines()[0]}"
                ) from error
            seat = self._workers[progress.worker]
            if seat.probe is None:
                self._probe(seat)
            return
        if arrived is None:
            # The worker did not play the previous fragment and needs the state.
            progress.sends_state = True
        else:
            progress.arrived = arrived

    def _probe(self, seat: _WorkerSlot) -> None:
        """Starts the pending call that returns when a worker is up."""
        seat.probe = seat.actor.ready.remote([self._given])

    def _answer(self, seat: _WorkerSlot) -> None:
        """Handles the answer of a worker: it is up, or still restarting."""
        try:
            seat.told = ray.get(seat.probe)
        except RayTaskError as error:
            raise errors.raised(error) from None
        except ActorDiedError as error:
            # Ray gives up; its message says why.
            raise errors.ClusterError(f"a worker cannot start: {_last_line(error)}") from error
        except RayError:
            self._probe(seat)
            return
        errors.same_versions(self._versions, seat.told["versions"], seat.told["node"][:8])
        seat.probe = None

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

    def _no_worker(self) -> str:
        resources = ray.cluster_resources()
        has = ", ".join(f"{resources.get(name, 0):g} {name}" for name in ("CPU", "GPU"))
        return (
            f"no worker has been up for {self._timeout:g} seconds: the cluster has {has}, which may be less "
            f"than {len(self._workers)} workers reserve (num_cpus, num_gpus)"
        )

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
        for progress, saved in zip(self._shards, checkpoint["shards"]):
            progress.number, progress.state, progress.done = saved["number"], saved["state"], saved["done"]
            progress.sends_state = progress.number > 0
        if self._league is not None:
            self._league.restore(checkpoint["league"])


def row_bytes(spec: Spec, obs: str, columns: Sequence[str] = COLUMNS) -> int:
    """Bytes per decision, without the columns of a search or policy."""
    elements = int(np.prod(spec.observation_shape))
    observation = {"u8": elements, "f32": 4 * elements, "packed": spec.packed.row_bytes, "none": 0}
    seats = 4 * spec.players
    sizes = {
        "observations": observation.get(obs, elements),
        "action_mask_bits": 8 * -(-spec.num_actions // 64),
        "actions": 4,
        "seats": 4,
        "rewards": seats,
        "credit": seats,
        "terminated": 1,
        "truncated": 1,
    }
    return 1 + sum(sizes[name] for name in columns)


def _last_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[-1].strip()
