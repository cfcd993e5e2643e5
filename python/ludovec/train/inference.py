"""The network in a search: torch on a device, or the engine's own arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..networks import Network
from ..search import TreeSearch
from ..spec import Spec
from ..typing import Precision
from .devices import moved

Array = npt.NDArray[Any]


class Fitted:
    """A network under the options of one kind of game, on a device."""

    def __init__(self, network: Any, spec: Spec, device: torch.device, dtype: torch.dtype) -> None:
        self.network, self.spec, self.device, self.dtype = network, spec, device, dtype
        self.encode = network.encoding(spec, device, dtype)
        #: int64 [A]: output of every action.
        self.index = torch.from_numpy(network.action_outputs(spec).astype(np.int64)).to(device)

    def inputs(self, observations: Array) -> tuple[Tensor, ...]:
        """The arguments of the network."""
        encoded: tuple[Tensor, ...] = self.encode(moved(observations, self.device))
        return encoded

    def __call__(self, observations: Array) -> tuple[Tensor, Tensor]:
        """Outputs [n, outputs] and values [n, P]."""
        return self.on_device(moved(observations, self.device))

    def on_device(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """The same, of observations that are on the device."""
        outputs, values = self.network(*self.encode(observations))
        return outputs, values[:, : self.spec.players]


class Player:
    """A copy of a network that plays one kind of game."""

    def __init__(
        self, network: nn.Module, spec: Spec, device: torch.device, dtype: torch.dtype, scale: float
    ) -> None:
        # Weights in the type of the products: autocast would convert them in every call.
        self.network = _copied(network).to(device, dtype).eval()
        self.fitted = Fitted(self.network, spec, device, dtype)
        self.scale = scale

    def load(self, network: nn.Module) -> None:
        """Takes over the weights of a network."""
        with torch.no_grad():
            for mine, new in zip(self.network.parameters(), network.parameters()):
                mine.copy_(new)

    @torch.inference_mode()
    def answer(self, observations: Array, offsets: Array, actions: Array) -> tuple[Array, Array]:
        """Logits of all legal actions, row by row, and values [n, P] in rewards."""
        fitted = self.fitted
        outputs, values = fitted(observations)
        rows = torch.from_numpy(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)))
        columns = fitted.index[torch.from_numpy(actions.astype(np.int64)).to(fitted.device)]
        logits = outputs[rows.to(fitted.device), columns]
        return logits.float().cpu().numpy(), values.float().cpu().numpy() * self.scale


class EnginePlayer:
    """The same by the engine's arithmetic."""

    def __init__(self, content: Callable[[nn.Module], bytes], spec: Spec, precision: Precision) -> None:
        self._content, self._spec, self._precision = content, spec, precision
        self._network: Network | None = None

    def load(self, network: nn.Module) -> None:
        """Takes over the weights of a network."""
        options = {name: value for name, value in self._spec.options.items() if value is not None}
        settings: dict[str, Any] = {"num_threads": 1, "precision": self._precision, **options}
        self._network = Network(self._content(network), self._spec.env, **settings)

    def answer(self, observations: Array, offsets: Array, actions: Array) -> tuple[Array, Array]:
        """Logits of all legal actions, row by row, and values [n, P] in rewards."""
        assert self._network is not None
        return self._network(observations, None, offsets, actions)


def _copied(network: nn.Module) -> Any:
    from copy import deepcopy

    return deepcopy(network)


class Stopped(Exception):
    """A thread was told to stop."""


def run(search: TreeSearch, player: Any, check: Callable[[], None]) -> None:
    """Searches to the end.

    ``check`` is called before every answer, and may raise.
    """
    while n := search.select():
        check()
        offsets, actions = search.legal_offsets, search.legal_actions
        logits, values = player.answer(search.observations[:n], offsets, actions)
        search.expand_legal(logits, values)
