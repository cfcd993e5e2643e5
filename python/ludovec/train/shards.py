"""Shards: groups of games of every kind that play at the same time as other shards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import torch
from torch import nn

from .. import nets
from ..nets.files import content
from ..spec import Spec
from .configuration import Config
from .cuda_graphs import CapturedPlayer
from .inference import EnginePlayer, Player
from .replay import Positions
from .self_play import Games

#: A call of a :class:`Team`.
Call = Callable[[Callable[[], None]], Any]


class PlayerMaker:
    """Makes players of a network by the library and on the device of a configuration."""

    def __init__(self, config: Config, device: torch.device, dtype: torch.dtype) -> None:
        self.config, self.device, self.dtype = config, device, dtype
        self.specs = config.specs()
        self._most = max(self.specs, key=lambda spec: spec.players)

    def player(self, network: nn.Module, spec: Spec, rows: int | None = None) -> Any:
        """``rows``: the size of all batches that a GPU gets."""
        inference = self.config.inference
        if inference in ("engine", "int8") or (inference == "auto" and self.device.type == "cpu"):
            return EnginePlayer(self._content, spec, "int8" if inference == "int8" else "float")
        given = network, spec, self.device, self.dtype, self.config.scale
        if rows is None or self.device.type != "cuda":
            return Player(*given)
        return CapturedPlayer(*given, rows)

    def _content(self, network: Any) -> bytes:
        config = self.config
        card = nets.Card.of(
            *self.specs, options=config.allowed, reward=config.reward, value_scale=config.scale
        )
        return content(network, card, self._most, torch.float32)


class Shard:
    """A shard in this process."""

    def __init__(self, config: Config, number: int, maker: PlayerMaker) -> None:
        on_gpu = maker.device.type != "cpu"
        self.config, self._maker = config, maker
        self.games = [Games(config, kind, number, on_gpu) for kind in range(len(config.options))]
        self._players: list[Any] = []

    def load(self, network: nn.Module) -> None:
        """Takes over the network of the next rounds."""
        if not self._players:
            make = self._maker.player
            self._players = [make(network, games.spec, games.env.num_envs) for games in self.games]
        for player in self._players:
            player.load(network)

    def imitate(self, check: Callable[[], None]) -> list[Positions]:
        """A round of imitation: positions by kind of game."""
        return [games.imitate(2 * self.config.moves, check) for games in self.games]

    def play(self, check: Callable[[], None]) -> list[Positions]:
        """A round of self-play: positions by kind of game."""
        moves = self.config.moves
        return [games.play(player, moves, check) for games, player in zip(self.games, self._players)]

    def counts(self) -> tuple[int, int]:
        """Numbers of moves and of finished games."""
        return summed((games.moves, games.finished) for games in self.games)

    def state(self) -> Any:
        """The games as they are now; later moves do not change it."""
        return [games.state() for games in self.games]

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """Continues from a checkpoint."""
        for games, state in zip(self.games, saved):
            games.restore(state)

    def close(self) -> None:
        """Closes the games."""
        for games in self.games:
            games.close()


class Shards(list[Shard]):
    """The shards of a run in this process."""

    def __init__(self, config: Config, maker: PlayerMaker) -> None:
        super().__init__(Shard(config, number, maker) for number in range(config.shards))

    def calls(self, network: nn.Module | None) -> list[Call]:
        """Calls that play a round side by side: of self-play, or of imitation without a network.

        Each returns the results of some shards, in order.
        """

        def call(shard: Shard) -> Call:
            return lambda check: [shard.imitate(check) if network is None else shard.play(check)]

        if network is not None:
            for shard in self:
                shard.load(network)
        return [call(shard) for shard in self]

    def counts(self) -> tuple[int, int]:
        """Numbers of moves and of finished games."""
        return summed(shard.counts() for shard in self)

    def states(self) -> list[Any]:
        """The games as they are now; later moves do not change it."""
        return [shard.state() for shard in self]

    def saved(self, states: list[Any]) -> list[Any]:
        """A result of :meth:`states` as a checkpoint has it."""
        return states

    def restore(self, saved: list[Any]) -> None:
        """Continues from a checkpoint."""
        for shard, state in zip(self, saved):
            shard.restore(state)

    def close(self) -> None:
        """Closes the games."""
        for shard in self:
            shard.close()


def summed(counts: Iterable[tuple[int, int]]) -> tuple[int, int]:
    """Sums of numbers of moves and of finished games."""
    moves, finished = zip(*counts)
    return sum(moves), sum(finished)


def counts_of(saved: list[Any]) -> tuple[int, int]:
    """:meth:`Shards.counts` at a checkpoint."""
    return summed((kind["moves"], kind["finished"]) for shard in saved for kind in shard)


def snapshot(network: nn.Module) -> nn.Module:
    """A copy of a network on the processor."""
    return deepcopy(network).cpu()
