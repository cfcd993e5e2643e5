"""Shards on a Ray cluster, with the same results as in this process.

With a share of a GPU, an actor searches on a core, and its network answers on that GPU: so the shards use all
GPUs of the cluster.
"""

from __future__ import annotations

import math
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import torch
from torch import nn

from .._shared.extras import extra
from ..ray.errors import ClusterError, raised, versions
from ..ray.pool import Pool, Runner, Task
from ..rules.registration import portable
from .configuration import Config
from .devices import device_of, errors_of, numbers_of
from .progress import tell
from .shards import (
    Call,
    PlayerMaker,
    Shard,
    counts_of,
    snapshot,
    summed,
)

with extra("ray"):
    import ray
    from ray.exceptions import RayError

#: Seconds that a cluster may take to accept a connection.
_PATIENCE = 5.0
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


class ShardRunner(Runner):
    """Plays shards in an actor."""

    title = "shard"

    def __init__(self) -> None:
        super().__init__()
        torch.set_num_threads(1)

    @cached_property
    def _device(self) -> torch.device:
        """The device of the network. Ray lets the process see its own GPU alone."""
        return device_of("cuda" if self.given.ray_gpus else "cpu")

    def versions(self) -> Mapping[str, str]:
        # A node without the device is an error at the beginning.
        assert self._device
        return versions(self.given.specs()[0])

    def made(self, number: int) -> Shard:
        dtype = numbers_of(self._device, self.given.precision)
        return Shard(self.given, number, PlayerMaker(self.given, self._device, dtype))

    def played(self, task: Shard, method: str, *given: Any) -> tuple[Any, tuple[int, int]]:
        """The result of a round, and the shard's counts after it."""
        with errors_of(self._device):
            found: Any = None
            if method == "imitate":
                found = task.imitate(lambda: None)
            elif method == "play":
                task.load(*given)
                found = task.play(lambda: None)
        return found, task.counts()


class RemoteShards(list[Task]):
    """The shards of a run on the cluster, with the methods of :class:`Shards`."""

    def __init__(self, config: Config) -> None:
        super().__init__(Task(f"shard {number}") for number in range(config.shards))
        self._pool = Pool(
            ShardRunner,
            config.shards,
            # Games of one's own travel with their class.
            ray.put(replace(config, env=portable(config.env))),
            versions(config.specs()[0]),
            num_cpus=1,
            num_gpus=config.ray_gpus,
        )
        self._counts = (0, 0)
        # After a round without moves there is a state of every shard.
        self._played([("begin",)] * len(self), lambda: None)

    def calls(self, network: nn.Module | None) -> list[Call]:
        """As :meth:`Shards.calls`."""
        # One object of the cluster.
        round: tuple[Any, ...] = ("imitate",) if network is None else ("play", ray.put(snapshot(network)))
        rounds = [round] * len(self)
        return [lambda check: self._played(rounds, check)]

    def _played(self, rounds: Sequence[tuple[Any, ...]], check: Callable[[], None]) -> list[Any]:
        """The results of a round of every shard."""
        for shard, arguments in zip(self, rounds):
            shard.arguments = arguments
        found, counts = zip(*self._pool.play(self, check))
        self._counts = summed(counts)
        return [*found]

    def counts(self) -> tuple[int, int]:
        """As :meth:`Shards.counts`."""
        return self._counts

    def states(self) -> list[Any]:
        """References to the states after the last round, which stay on the cluster."""
        return [shard.state for shard in self]

    def saved(self, states: list[Any]) -> list[Any]:
        """As :meth:`Shards.saved`."""
        try:
            found: list[Any] = ray.get(states)
        except RayError as error:
            raise raised(error) from error
        return found

    def restore(self, saved: list[Any]) -> None:
        """As :meth:`Shards.restore`."""
        for shard, state in zip(self, saved):
            shard.state, shard.sends_state = ray.put(state), True
        self._counts = counts_of(saved)

    def close(self) -> None:
        """Ends the actors."""
        self._pool.close()
