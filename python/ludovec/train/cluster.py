"""Shards on a Ray cluster: an actor plays each, with the same results as in this process.

With a share of a GPU, an actor searches on a core,
and its network answers on that GPU: so the shards use all GPUs of the cluster.
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

from .._extras import extra
from ..ray.errors import ClusterError, versions
from ..ray.pool import Pool, Runner, Task
from ..rules.registration import portable
from .configuration import Config
from .devices import device_of, errors_of, numbers_of
from .progress import tell
from .replay import Positions
from .shards import PlayerMaker, Shard, snapshot

with extra("ray"):
    import ray

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


class _Actor(Runner):
    """Plays a shard on a worker of the cluster."""

    def __init__(self) -> None:
        super().__init__()
        torch.set_num_threads(1)

    def versions(self) -> Mapping[str, str]:
        config, _ = self.given
        return versions(config.specs()[0])

    @cached_property
    def device(self) -> torch.device:
        """Where the network answers. Ray lets the process see its own GPU alone."""
        return device_of("cuda" if self.given[0].ray_gpus else "cpu")

    def made(self, number: int) -> Shard:
        config, of_run = self.given
        maker = PlayerMaker(config, self.device, numbers_of(self.device, config.precision))
        return Shard(config, of_run, maker)

    def played(self, task: Shard, method: str, *arguments: Any) -> Any:
        """The result of a method of the shard, and its counts."""
        with errors_of(self.device):
            if method == "play":
                networks, again = arguments
                task.load(networks)
                found: Any = task.play(again, lambda: None)
            else:
                found = task.imitate(lambda: None) if method == "imitate" else task.sizes()
        return found, task.counts()


class RemoteShard:
    """A shard in an actor, with the methods of :class:`Shard`."""

    def __init__(self, config: Config, number: int) -> None:
        # Games of one's own travel with their class.
        given = ray.put((replace(config, env=portable(config.env)), number))
        told = versions(config.specs()[0])
        self._pool = Pool(_Actor, 1, given, told, num_cpus=1, num_gpus=config.ray_gpus)
        self._task, self._networks = Task(f"shard {number}"), None
        self._counts = (0, 0)
        self._sizes: list[int] = self._played(lambda: None, "sizes")

    @staticmethod
    def shared(network: nn.Module, earlier: nn.Module | None) -> Any:
        """As :meth:`Shard.shared`: one object of the cluster."""
        return ray.put((snapshot(network), None if earlier is None else snapshot(earlier)))

    def load(self, networks: Any) -> None:
        """As :meth:`Shard.load`."""
        self._networks = networks

    def imitate(self, check: Callable[[], None]) -> list[Positions]:
        """As :meth:`Shard.imitate`."""
        found: list[Positions] = self._played(check, "imitate")
        return found

    def play(self, again: Sequence[Positions | None], check: Callable[[], None]) -> list[Positions]:
        """As :meth:`Shard.play`."""
        found: list[Positions] = self._played(check, "play", self._networks, list(again))
        return found

    def _played(self, check: Callable[[], None], method: str, *arguments: Any) -> Any:
        found, self._counts = self._pool.play(self._task, method, *arguments, check=check)
        return found

    def counts(self) -> tuple[int, int]:
        """As :meth:`Shard.counts`."""
        return self._counts

    def sizes(self) -> list[int]:
        """As :meth:`Shard.sizes`."""
        return self._sizes

    def state(self) -> Any:
        """A reference to the state after the last round, which stays on the cluster."""
        return self._task.state

    def saved(self, state: Any) -> list[dict[str, Any]]:
        """As :meth:`Shard.saved`."""
        found: list[dict[str, Any]] = ray.get(state)
        return found

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """As :meth:`Shard.restore`."""
        self._task.state, self._task.sends_state = ray.put(saved), True
        self._played(lambda: None, "sizes")

    def process(self) -> int:
        """The process of the actor."""
        process: int = self._pool.up()[0]["pid"]
        return process

    def close(self) -> None:
        """Ends the actor."""
        self._pool.close()
