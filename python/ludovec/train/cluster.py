"""Shards on a Ray cluster: an actor plays each, with the same results as in this process.

A round is a function of the shard's state before it and of the networks. So a shard of an actor that dies
goes on in another one, from the state before the round. With a share of a GPU, an actor searches on a core,
and its network answers on that GPU: so the shards use all GPUs of the cluster.
"""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import nn

from .._extras import extra
from ..ray.errors import ClusterError, raised, same_versions, versions
from ..rules.registration import portable
from .configuration import Config
from .devices import device_of, errors_of, numbers_of
from .progress import tell
from .replay import Positions
from .shards import PlayerMaker, Shard, snapshot

with extra("ray"):
    import ray
    from ray.exceptions import ActorDiedError, RayError

#: Seconds between two looks at signals.
_TICK = 0.1
#: Seconds that a cluster may take to accept a connection.
_PATIENCE = 5.0
#: Number of actors in a row that may die in one round of a shard.
_MOST_DEATHS = 5
#: The address that starts a cluster on this machine.
LOCAL = "local"


def connect(address: str) -> None:
    """Joins a cluster, or starts one on this machine.

    Raises:
        ClusterError: There is no cluster at the address.
    """
    if ray.is_initialized():
        return
    host, _, port = address.rpartition(":")
    try:
        if port.isdecimal() and "/" not in host:
            # Ray itself ends the process after some time without an answer.
            socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
        ray.init(address=None if address == LOCAL else address, log_to_driver=False, logging_level="ERROR")
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ClusterError(f"ray={address}: {reason}; local starts a cluster on this machine") from error


def check_room(config: Config) -> None:
    """Tells that the cluster has too few processors or GPUs now; more nodes may join it.

    Raises:
        ClusterError: The same of a cluster on this machine, which does not grow.
    """
    needed = {"CPU": config.shards}
    if config.ray_gpus:
        # A share is of one GPU.
        needed["GPU"] = math.ceil(config.shards / math.floor(1 / config.ray_gpus))
    there = ray.cluster_resources()
    if all(there.get(name, 0) >= count for name, count in needed.items()):
        return
    listed = [", ".join(f"{of.get(name, 0):g} {name}" for name in needed) for of in (needed, there)]
    told = f"ray={config.ray}: {config.shards} shards need {listed[0]}; the cluster has {listed[1]}"
    if config.ray == LOCAL:
        raise ClusterError(f"{told}; fewer shards or a smaller ray_gpus need less")
    tell(f"{told}; waiting for more nodes")


class _Actor:
    """Plays a shard on a worker of the cluster."""

    def __init__(self, config: Config, number: int) -> None:
        torch.set_num_threads(1)
        self.config, self.number = config, number
        self.specs = config.specs()

    @cached_property
    def device(self) -> torch.device:
        """Where the network answers. Ray lets the process see its own GPU alone."""
        return device_of("cuda" if self.config.ray_gpus else "cpu")

    @cached_property
    def shard(self) -> Shard:
        """The shard; an error of its device is one of the call that needs it first."""
        dtype = numbers_of(self.device, self.config.precision)
        return Shard(self.config, self.number, PlayerMaker(self.config, self.device, dtype))

    def about(self) -> tuple[dict[str, str], list[int], int]:
        """Versions, the number of games of each kind, and the process."""
        return versions(self.specs[0]), self.shard.sizes(), os.getpid()

    def imitate(self) -> tuple[list[Positions], tuple[int, int]]:
        with errors_of(self.device):
            found = self.shard.imitate(lambda: None)
        return found, self.shard.counts()

    def play(
        self, networks: tuple[nn.Module, nn.Module | None], again: Sequence[Positions | None]
    ) -> tuple[list[Positions], tuple[int, int]]:
        with errors_of(self.device):
            self.shard.load(networks)
            found = self.shard.play(again, lambda: None)
        return found, self.shard.counts()

    def state(self) -> tuple[Any, bool]:
        """The state, and a small result that says whether there is one."""
        return self.shard.state(), True

    def restore(self, saved: Any) -> tuple[int, int]:
        self.shard.restore(saved)
        return self.shard.counts()


class RemoteShard:
    """A shard in an actor, with the methods of :class:`Shard`."""

    def __init__(self, config: Config, number: int) -> None:
        # Games of one's own travel with their class.
        self._given = replace(config, env=portable(config.env)), number
        self._reserved = {"num_cpus": 1, "num_gpus": config.ray_gpus}
        self._networks: Any = None
        #: Reference to the state after the last complete round; None before the first one.
        self._state: Any = None
        #: The call of a complete round after that state.
        self._last: Callable[[], Any] | None = None
        self._counts = (0, 0)
        self._start()
        told, self._sizes, _ = self._now(self._actor.about.remote())
        same_versions(versions(config.specs()[0]), told, "of a shard")

    def _start(self) -> None:
        self._actor = ray.remote(_Actor).options(**self._reserved).remote(*self._given)

    @staticmethod
    def shared(network: nn.Module, earlier: nn.Module | None) -> Any:
        """As :meth:`Shard.shared`: one object of the cluster."""
        return ray.put((snapshot(network), None if earlier is None else snapshot(earlier)))

    def load(self, networks: Any) -> None:
        """As :meth:`Shard.load`."""
        self._networks = networks

    def imitate(self, check: Callable[[], None]) -> list[Positions]:
        """As :meth:`Shard.imitate`."""
        return self._played(lambda: self._actor.imitate.remote(), check)

    def play(self, again: Sequence[Positions | None], check: Callable[[], None]) -> list[Positions]:
        """As :meth:`Shard.play`."""
        networks, old = self._networks, list(again)
        return self._played(lambda: self._actor.play.remote(networks, old), check)

    def _played(self, call: Callable[[], Any], check: Callable[[], None]) -> list[Positions]:
        found, self._counts = self._tried(lambda: self._now(call(), check), check)
        self._last = call
        return found

    def _tried(self, attempt: Callable[[], Any], check: Callable[[], None]) -> Any:
        """The result of an attempt; after the death of the actor, of another one in a new actor."""
        deaths = 0
        while True:
            try:
                if deaths:
                    self._start()
                    if self._state is not None:
                        self._now(self._actor.restore.remote(self._state), check)
                    if self._last is not None:
                        # The round after that state was complete.
                        self._now(self._last(), check)
                return attempt()
            except ActorDiedError as error:
                deaths += 1
                if deaths == _MOST_DEATHS:
                    raise ClusterError(
                        f"{deaths} workers in a row died in the same round: {str(error).splitlines()[0]}"
                    ) from error

    def _now(self, pending: Any, check: Callable[[], None] = lambda: None) -> Any:
        """The result of a call; ``check`` is called now and then, and may raise."""
        while not ray.wait([pending], timeout=_TICK)[0]:
            check()
        try:
            return ray.get(pending)
        except ActorDiedError:
            raise
        except RayError as error:
            raise raised(error) from error

    def counts(self) -> tuple[int, int]:
        """As :meth:`Shard.counts`."""
        return self._counts

    def sizes(self) -> list[int]:
        """As :meth:`Shard.sizes`."""
        return self._sizes

    def state(self) -> Any:
        """A reference to the state after the last round, which stays on the cluster."""

        def attempt() -> Any:
            state, is_there = self._actor.state.options(num_returns=2).remote()
            self._now(is_there)
            return state

        self._state, self._last = self._tried(attempt, lambda: None), None
        return self._state

    def saved(self, state: Any) -> list[dict[str, Any]]:
        """As :meth:`Shard.saved`."""
        found: list[dict[str, Any]] = self._now(state)
        return found

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """As :meth:`Shard.restore`."""
        self._state = ray.put(saved)
        self._counts = self._now(self._actor.restore.remote(self._state))

    def process(self) -> int:
        """The process of the actor."""
        process: int = self._now(self._actor.about.remote())[2]
        return process

    def close(self) -> None:
        """Ends the actor."""
        ray.kill(self._actor)
