"""Actors of a Ray cluster that play rounds of tasks: ``run(state) -> (state, result)``.

A round is a function of the task's state before it and of its arguments. So another actor repeats the round
of one that dies, from the same state and with the same result, and results do not depend on the number of
actors. An actor keeps the tasks that it has played: their states travel only after a death.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._shared.extras import extra
from . import errors

with extra("ray"):
    import ray
    from ray.exceptions import ActorDiedError, RayError, RayTaskError

#: Maximum number of actors in a row that may die in the same round of a task.
_MOST_DEATHS = 5
#: Maximum number of calls in a row that may fail in a round: on a busy machine Ray may report an actor as
#: restarting that is up again.
_MOST_FAILURES = 50
#: Seconds between two calls of ``check``.
_TICK = 0.1


class Runner:
    """The actors' side: a subclass plays rounds."""

    #: Name of the calls in Ray's dashboard and in the list of processes.
    title = "round"

    def __init__(self) -> None:
        self._given: Any = None
        #: By number of the task: the next round that it can play, and the task.
        self._held: dict[int, tuple[int, Any]] = {}

    def versions(self) -> Mapping[str, str]:
        """Versions that must be equal on the driver."""
        raise NotImplementedError

    def made(self, number: int) -> Any:
        """A task at its beginning, with the methods ``state`` and ``restore``; None if it has no state."""
        return None

    def played(self, task: Any, *arguments: Any) -> Any:
        """Plays a round of a task and returns the result."""
        raise NotImplementedError

    @property
    def given(self) -> Any:
        """The pool's argument ``given``."""
        return self._given

    def ready(self, refs: list[Any]) -> dict[str, Any]:
        """Process, node and versions of the actor; ``refs`` holds a reference to the pool's ``given``."""
        if self._given is None:
            self._given = ray.get(refs[0])
        node = ray.get_runtime_context().get_node_id()
        return {"pid": os.getpid(), "node": node, "versions": dict(self.versions())}

    def run(self, refs: list[Any], number: int, turn: int, state: Any, *arguments: Any) -> tuple[Any, Any]:
        """Plays round ``turn`` of a task, from ``state`` if it is given.

        Returns the result and the new state, or twice ``None`` if this actor lacks the state.
        """
        if self._given is None:
            self._given = ray.get(refs[0])
        # A task that fails in the middle of a round cannot be used again.
        is_at, task = self._held.pop(number, (-1, None))
        if state is not None or is_at != turn:
            if state is None and turn:
                return None, None
            task = self.made(number)
            if state is not None:
                task.restore(state)
        result = self.played(task, *arguments)
        self._held[number] = turn + 1, task
        return result, None if task is None else task.state()


@dataclass
class Task:
    """The driver's side of a task."""

    name: str
    """For messages."""
    turn: int = 0
    """The round that is next or under way."""
    state: Any = None
    """The state before it, as a value or a reference; None before the first round."""
    sends_state: bool = False
    """Whether the actor needs the state."""
    arguments: tuple[Any, ...] | None = None
    """Those of the round; None until they are known."""
    result: Any = None
    """The result of the round and a reference to the state after it, once they are there."""
    done: bool = False
    """There are no more rounds."""
    call: Any = None
    """The call under way: references to result and state."""
    actor: int = -1
    place: Any = None
    """Node and process of the actor."""
    failures: int = 0
    dead: set[Any] = field(default_factory=set)
    """Places that failed in this round."""

    def process(self) -> int:
        """The process that played the last round."""
        process: int = self.place[1]
        return process

    def accept(self) -> tuple[Any, Any]:
        """Result and reference to the state of the round, which is over."""
        result, state = self.result
        self.turn += 1
        self.state, self.sends_state = state, False
        self.arguments, self.result = None, None
        self.failures = 0
        self.dead.clear()
        return result, state


@dataclass
class _Slot:
    """An actor, which Ray restarts when it dies."""

    actor: Any
    probe: Any = None
    """Pending call that returns when the actor is up; None once it has."""
    told: dict[str, Any] = field(default_factory=dict)


class Pool:
    """Some actors of a class, and the rounds that they play."""

    def __init__(
        self,
        runner: type[Runner],
        actors: int,
        given: Any,
        versions: Mapping[str, str],
        *,
        what: str = "round",
        queue: float = float("inf"),
        timeout: float = float("inf"),
        stats: dict[str, int] | None = None,
        **reserved: Any,
    ) -> None:
        """Starts the actors and waits for the first one.

        Args:
            runner: The class of the actors.
            actors: Their number.
            given: Reference to an object for all actors.
            versions: Versions of the driver.
            what: The word for a round in messages.
            queue: Maximum number of rounds at an actor.
            timeout: Seconds without any actor that are an error.
            stats: Counts repeated rounds, as ``replayed``.
            reserved: Resources in Ray.
        """
        # Restarted actors fetch it again.
        self._given, self._versions = given, versions
        self._what, self._queue, self._timeout = what, queue, timeout
        self._stats = {"replayed": 0} if stats is None else stats
        self._actor = ray.remote(runner).options(max_restarts=-1, max_task_retries=0, **reserved)
        self._call = {"num_returns": 2, "name": runner.title}
        self._slots: list[_Slot] = []
        self.grow(actors)
        self._alone_since: float | None = time.monotonic()
        try:
            while not self.up():
                self.wait([])
        except BaseException:
            self.close()
            raise

    def grow(self, actors: int) -> None:
        """Starts more actors, up to this number."""
        for _ in range(len(self._slots), actors):
            self._slots.append(_Slot(self._actor.remote()))
            self._probe(self._slots[-1])

    def up(self) -> list[dict[str, Any]]:
        """The answers of the actors that are up."""
        return [slot.told for slot in self._slots if slot.probe is None]

    def close(self) -> None:
        """Ends the actors."""
        for slot in self._slots:
            ray.kill(slot.actor)
        self._slots = []

    def send(self, tasks: Sequence[Task]) -> None:
        """Sends rounds that can be played to the tasks' own actors, or to others while they are down."""
        calls = Counter(task.actor for task in tasks if task.call is not None)
        for number, task in enumerate(tasks):
            if task.done or task.arguments is None or task.call is not None or task.result is not None:
                continue
            up = [k for k, slot in enumerate(self._slots) if slot.probe is None and calls[k] < self._queue]
            if not up:
                return
            own = number * len(self._slots) // len(tasks)
            task.actor = own if own in up else min(up, key=lambda k: calls[k])
            calls[task.actor] += 1
            slot = self._slots[task.actor]
            task.place = slot.told["node"], slot.told["pid"]
            state = task.state if task.sends_state else None
            task.call = slot.actor.run.options(**self._call).remote(
                [self._given], number, task.turn, state, *task.arguments
            )

    def wait(self, tasks: Sequence[Task], seconds: float | None = None) -> None:
        """Waits for a round of some task, not longer than this, and stores its result."""
        if seconds is None and self._timeout < float("inf"):
            seconds = 1.0
        calls = [task.call[0] for task in tasks if task.call is not None]
        probes = [slot.probe for slot in self._slots if slot.probe is not None]
        limit = {} if seconds is None else {"timeout": seconds}
        ready, _ = ray.wait([*calls, *probes], num_returns=1, **limit)
        for one in ready:
            for task in tasks:
                if task.call is not None and task.call[0] == one:
                    self._arrive(task)
            for slot in self._slots:
                if slot.probe == one:
                    self._answer(slot)
        if self.up():
            self._alone_since = None
        elif self._alone_since is None:
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > self._timeout:
            raise errors.ClusterError(self._no_actor())

    def play(self, tasks: Sequence[Task], check: Callable[[], None] = lambda: None) -> list[Any]:
        """Plays a round of every task, with its arguments. ``check`` is called repeatedly, and may raise."""
        try:
            while any(task.result is None for task in tasks):
                self.send(tasks)
                self.wait(tasks, _TICK)
                check()
        except BaseException:
            # Actors may go on with this round, but its results are not used.
            for task in tasks:
                task.call, task.result, task.sends_state = None, None, True
            raise
        return [task.accept()[0] for task in tasks]

    def _arrive(self, task: Task) -> None:
        """Stores a result, or has the round played again."""
        (call, state), task.call = task.call, None
        try:
            result = ray.get(call)
        except RayTaskError as error:
            raise errors.raised(error) from None
        except RayError as error:
            # The actor or its node died, together with the task there.
            self._repeat(task, error)
            return
        if result is None:
            # The actor did not play the round before.
            task.sends_state = True
        else:
            task.result = result, state

    def _repeat(self, task: Task, error: RayError) -> None:
        task.failures += 1
        task.dead.add(task.place)
        task.sends_state = True
        self._stats["replayed"] += 1
        if len(task.dead) >= _MOST_DEATHS or task.failures >= _MOST_FAILURES:
            raise errors.ClusterError(
                f"{task.name}: {len(task.dead)} workers in a row died when they played {self._what} "
                f"{task.turn}: {str(error).strip().splitlines()[0]}"
            ) from error
        slot = self._slots[task.actor]
        if slot.probe is None:
            self._probe(slot)

    def _probe(self, slot: _Slot) -> None:
        """Starts the pending call that returns when an actor is up."""
        slot.probe = slot.actor.ready.remote([self._given])

    def _answer(self, slot: _Slot) -> None:
        """Handles the answer of an actor: it is up, or still restarting."""
        try:
            slot.told = ray.get(slot.probe)
        except RayTaskError as error:
            raise errors.raised(error) from None
        except ActorDiedError as error:
            # Ray gives up; the last line of its message says why.
            reason = str(error).strip().splitlines()[-1].strip()
            raise errors.ClusterError(f"a worker cannot start: {reason}") from error
        except RayError:
            self._probe(slot)
            return
        errors.same_versions(self._versions, slot.told["versions"], slot.told["node"][:8])
        slot.probe = None

    def _no_actor(self) -> str:
        resources = ray.cluster_resources()
        has = ", ".join(f"{resources.get(name, 0):g} {name}" for name in ("CPU", "GPU"))
        return (
            f"no worker has been up for {self._timeout:g} seconds: the cluster has {has}, which may be less "
            f"than {len(self._slots)} workers reserve (num_cpus, num_gpus)"
        )
