"""Network over the nodes of a map, for any number of nodes and any edges."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from .._shared.errors import config_error
from ..spec import Spec
from .heads import PolicyValueNetwork
from .inputs import Inputs
from .policy import Heads


class GraphNetwork(PolicyValueNetwork):
    """Policy logits and one value per player, the current player's first, by message passing.

    A vector of the whole is ``g = relu(dense(scalars))``, and one per node is
    ``x = relu(dense(planes) + dense(g))``. Then blocks follow, in which ``near`` is the mean over a node's
    neighbours and ``mean`` the mean over all nodes::

        x = relu(x + dense(relu(dense([x, near(x)]) + dense(g))))
        g = relu(g + dense([g, mean(x)]))

    Families of actions with one action per node are dense over the vector of the node; other logits and the
    values are dense over ``g``. The weights are the same for all nodes, so what is learned in one place of
    one map is known in every place of every map.

    """

    def __init__(
        self,
        inputs: Inputs,
        spec: Spec | Heads,
        channels: int = 96,
        blocks: int = 3,
        value_hidden: int = 64,
        support: Sequence[float] = (),
    ) -> None:
        """``spec`` has the most players, or the sizes of the heads; ``support``, increasing, has the possible
        values by the scale."""
        super().__init__(inputs, channels)
        if inputs.graph is None or not inputs.planes or not inputs.scalars:
            raise config_error(
                "a graph network needs inputs with a graph, planes and scalars: Inputs.of(graph=...)"
            )
        heads = spec if isinstance(spec, Heads) else Heads.of(spec, inputs.size(spec))
        self.planes = nn.Linear(len(inputs.planes), channels)
        self.scalars = nn.Linear(len(inputs.scalars), channels)
        self.spread = nn.Linear(channels, channels, bias=False)
        self.blocks = nn.ModuleList(Message(channels) for _ in range(blocks))
        self._add_heads(heads, value_hidden, support)

    def trunk(self, planes: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        """Features of the nodes [n, nodes, channels], 0 where no node is, and of the whole [n, channels]."""
        width = len(self.inputs.planes)
        planes = planes[:, :, 0]
        edges = planes[..., width:]
        degrees = edges.sum(2, keepdim=True)
        # Nodes without neighbours are not on this map.
        real = (degrees > 0).to(edges.dtype)
        near = edges / degrees.clamp_min(1)
        mean = real / real.sum(1, keepdim=True).clamp_min(1)
        g = functional.relu(self.scalars(scalars))
        x = functional.relu(self.planes(planes[..., :width]) + self.spread(g)[:, None])
        for block in self.blocks:
            x, g = block(x, g, near, mean)
        return x * real, g


class Message(nn.Module):
    """A block: messages from neighbours to a node, from all nodes to the whole."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.first = nn.Linear(2 * channels, channels)
        self.whole = nn.Linear(channels, channels, bias=False)
        self.second = nn.Linear(channels, channels)
        self.mixed = nn.Linear(2 * channels, channels)
        # The residual branches start near 0, because no normalization bounds the streams.
        self.second.weight.data.mul_(0.1)
        self.mixed.weight.data.mul_(0.1)

    def forward(self, x: Tensor, g: Tensor, near: Tensor, mean: Tensor) -> tuple[Tensor, Tensor]:
        around = torch.bmm(near, x.to(near.dtype)).to(x.dtype)
        inner = functional.relu(self.first(torch.cat([x, around], 2)) + self.whole(g)[:, None])
        x = functional.relu(x + self.second(inner))
        pooled = (x * mean).sum(1).to(g.dtype)
        g = functional.relu(g + self.mixed(torch.cat([g, pooled], 1)))
        return x, g
