"""The heads of all networks: policy and values over the features of a trunk."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..spec import Spec
from .encoding import Encoding
from .inputs import Inputs
from .policy import Heads, action_outputs
from .values import ValueNetwork


class PolicyValueNetwork(ValueNetwork):
    """Policy logits and one value per player, the current player's first."""

    def __init__(self, inputs: Inputs, channels: int) -> None:
        super().__init__()
        self.inputs, self.channels = inputs, channels

    def _add_heads(self, heads: Heads, value_hidden: int, support: Sequence[float]) -> None:
        """Makes the heads; a new network has a uniform policy."""
        self.policy_planes = nn.Linear(self.channels, heads.planes) if heads.planes else None
        self.policy_others = nn.Linear(self.channels, heads.others) if heads.others else None
        self._add_values(self.channels, value_hidden, heads.players, support)
        for head in (self.policy_planes, self.policy_others):
            if head is not None:
                nn.init.zeros_(head.weight)
                nn.init.zeros_(head.bias)

    def forward(self, planes: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs [n, outputs], indexed as in :func:`action_outputs`, and values [n, players].

        Args:
            planes: [n, rows, columns, planes]; of a graph, [n, nodes, 1, planes + nodes]: the inputs of each
                node, then 1 for each neighbour.
            scalars: [n, scalars].
        """
        outputs, values = self.heads(*self.trunk(planes, scalars))
        return outputs, self.expected(values)

    def trunk(self, planes: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        """Features of the cells or nodes, and features of the whole position [n, channels]."""
        raise NotImplementedError

    def heads(self, x: Tensor, whole: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs, and values [n, players] or their logits [n, players, support]."""
        outputs = []
        if self.policy_planes is not None:
            outputs.append(self.policy_planes(x).flatten(1))
        if self.policy_others is not None:
            outputs.append(self.policy_others(whole))
        return torch.cat(outputs, 1), self._values(whole)

    def encoding(
        self, spec: Spec, device: torch.device | None = None, dtype: torch.dtype = torch.float32
    ) -> Encoding:
        """A function from observations, uint8 [n, ...] on the device, to the arguments of :meth:`forward`."""
        return Encoding(self.inputs, spec, device, dtype)

    def action_outputs(self, spec: Spec) -> npt.NDArray[np.int32]:
        """int32 [A]: the output of every action."""
        return action_outputs(spec, self.inputs.size(spec)).outputs
