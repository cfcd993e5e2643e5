"""Graph network for games on a map: nodes pass messages along the adjacency that the observation shows.

It learns a rule once for all regions. A network over flat numbers learns it for each index, although indices
mean nothing on a random map.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from .._errors import config_error
from ..spec import ObservationField, Spec
from .encoding import Lookup
from .inputs import Encoder, Inputs
from .policy import plain_action_outputs

#: The field with the set of neighbours of every node.
ADJACENCY = "adjacency"


@dataclass(frozen=True)
class GraphInputs:
    """Inputs of nodes, by the shape of the fields, and numbers of the whole position.

    A field belongs to nodes if its last axis has an entry per node, or if it is a set of nodes.
    """

    #: Number of nodes.
    nodes: int
    #: Name of a field, index in it without the last axis, and kind: ``set``, ``number``, ``some`` (above 0),
    #: or the number of a bit.
    features: tuple[tuple[str, tuple[int, ...], str], ...]
    #: The other fields.
    whole: Inputs

    @classmethod
    def of(cls, specs: Sequence[Spec], names: Iterable[str] = ()) -> GraphInputs:
        """The inputs for environments with different options; missing elements are 0.

        Raises:
            InvalidConfig: The observation has no adjacency.
        """
        fields = {field.name: field for field in specs[0].observation}
        if ADJACENCY not in fields:
            raise config_error(f"network=graph: the observations of {specs[0].env} have no field {ADJACENCY}")
        nodes = fields[ADJACENCY].shape[0]
        features: dict[tuple[str, tuple[int, ...], str], None] = {}
        of_nodes = {ADJACENCY}
        for spec in specs:
            for field in spec.observation:
                kinds = _kinds(field, nodes)
                if kinds and field.name != ADJACENCY:
                    of_nodes.add(field.name)
                    for at in np.ndindex(field.shape[:-1]):
                        features.update(((field.name, at, kind), None) for kind in kinds)
        without = "|".join(map(re.escape, sorted(of_nodes)))
        return cls(nodes, tuple(features), Inputs.of(specs, None, names, without))


def _kinds(field: ObservationField, nodes: int) -> list[str]:
    """The inputs of a node from a field; none if the field is not about nodes."""
    if field.shape[-1] * 8 == nodes and field.meaning.startswith("set"):
        return ["set"]
    if field.shape[-1] != nodes:
        return []
    if field.values.bits is not None:
        return [str(bit) for bit in range(field.high.bit_length())]
    return ["number", "some"]


class GraphEncoding:
    """Nodes [n, R, F], adjacency [n, R, R] and numbers of the whole [n, G] of observations."""

    def __init__(
        self,
        inputs: GraphInputs,
        spec: Spec,
        device: torch.device | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        columns, offsets, tables = lookup_of(inputs, spec)
        self._shapes = (inputs.nodes, len(inputs.features))
        self._inputs = Lookup(columns, offsets, tables, spec, False, device, dtype)

    def __call__(self, observations: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The arguments of the network; the next call with as many rows overwrites them."""
        return split(self._inputs(observations), *self._shapes)


def split(inputs: Tensor, nodes: int, features: int) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes, adjacency and numbers of the whole from one row of inputs each."""
    own, pairs = nodes * features, nodes * nodes
    return (
        inputs[:, :own].unflatten(1, (nodes, features)),
        inputs[:, own : own + pairs].unflatten(1, (nodes, nodes)),
        inputs[:, own + pairs :],
    )


def lookup_of(
    inputs: GraphInputs, spec: Spec
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Columns of the observation, offsets of tables, and tables: nodes, adjacency, then the whole."""
    byte = np.arange(256)
    numbers = [np.zeros(256), np.log1p(byte), byte > 0, *((byte >> bit & 1) for bit in range(8))]
    named = {"number": 1, "some": 2, **{str(bit): 3 + bit for bit in range(8)}}
    fields = {field.name: field for field in spec.observation}
    nodes = np.arange(inputs.nodes)
    found = np.zeros((2, inputs.nodes, len(inputs.features)), np.int64)
    for i, (name, at, kind) in enumerate(inputs.features):
        field = fields.get(name)
        if field is None or any(index >= size for index, size in zip(at, field.shape)):
            continue
        row = field.indices[at]
        found[0, :, i] = row[nodes // 8] if kind == "set" else row
        found[1, :, i] = 3 + nodes % 8 if kind == "set" else named[kind]
    adjacency = np.zeros((2, inputs.nodes, inputs.nodes), np.int64)
    adjacency[0] = fields[ADJACENCY].indices[:, nodes // 8]
    adjacency[1] = 3 + nodes % 8
    whole = Encoder(inputs.whole, spec)
    columns = np.concatenate([found[0].ravel(), adjacency[0].ravel(), whole.columns])
    tables = np.concatenate([np.stack(numbers).astype(np.float32), inputs.whole.tables])
    offsets = np.concatenate(
        [256 * found[1].ravel(), 256 * adjacency[1].ravel(), 256 * len(numbers) + whole.offsets]
    )
    return columns, offsets.astype(np.int32), tables


class GraphNetwork(nn.Module):
    """Policy logits and values from rounds of messages between the nodes of a map.

    ``g = relu(dense(whole))`` and ``h = relu(dense(nodes) + g)``, then rounds ``h = norm(h + relu(dense(h) +
    dense(mean of the neighbours) + dense(g)))``, ``g = norm(g + relu(dense(mean of all nodes) + dense(g)))``.
    Actions with one index per node are dense over a node; other logits and the values are dense over ``g``.

    Values are distributions over a support: the ranks of the players, win, draw and loss for two, or points.
    """

    support: Tensor

    def __init__(
        self,
        inputs: GraphInputs,
        spec: Spec,
        channels: int = 128,
        blocks: int = 3,
        support: Sequence[float] = (-1.0, 0.0, 1.0),
    ) -> None:
        """``spec`` has the most players; ``support``, increasing, has the possible values by the scale."""
        super().__init__()
        self.inputs, self.channels, self.players = inputs, channels, spec.players
        _, self._planes, others = plain_action_outputs(spec, (1, inputs.nodes))
        self.nodes = nn.Linear(len(inputs.features), channels)
        self.whole = nn.Linear(len(inputs.whole.scalars), channels)
        self.rounds = nn.ModuleList(Round(channels) for _ in range(blocks))
        self.policy_nodes = nn.Linear(channels, self._planes)
        self.policy_others = nn.Linear(channels, others) if others else None
        self.value_hidden = nn.Linear(channels, channels)
        self.value = nn.Linear(channels, spec.players * len(support))
        self.register_buffer("support", torch.tensor(support))
        for head in (self.policy_nodes, self.policy_others, self.value):
            if head is not None:
                nn.init.zeros_(head.weight)
                nn.init.zeros_(head.bias)

    def forward(self, nodes: Tensor, adjacency: Tensor, whole: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs [n, outputs], indexed by :meth:`action_outputs`, and values [n, players].

        Args:
            nodes: [n, R, F].
            adjacency: [n, R, R], 0 or 1.
            whole: [n, G].
        """
        outputs, values = self.heads(*self.trunk(nodes, adjacency, whole))
        return outputs, self.expected(values)

    def encoding(
        self, spec: Spec, device: torch.device | None = None, dtype: torch.dtype = torch.float32
    ) -> GraphEncoding:
        """A function from observations, uint8 [n, ...] on the device, to the arguments of :meth:`forward`."""
        return GraphEncoding(self.inputs, spec, device, dtype)

    def action_outputs(self, spec: Spec) -> npt.NDArray[np.int32]:
        """int32 [A]: the output of every action."""
        return plain_action_outputs(spec, (1, self.inputs.nodes)).outputs

    def trunk(self, nodes: Tensor, adjacency: Tensor, whole: Tensor) -> tuple[Tensor, Tensor]:
        """Features of the nodes [n, R, channels], and of the whole position [n, channels]."""
        degree = adjacency.sum(2, keepdim=True)
        mean = adjacency / degree.clamp_min(1)
        # Nodes without neighbours are not on the map.
        exists = (degree > 0).to(adjacency.dtype)
        share = exists / exists.sum(1, keepdim=True).clamp_min(1)
        g = functional.relu(self.whole(whole))
        h = functional.relu(self.nodes(nodes) + g[:, None])
        for block in self.rounds:
            h, g = block(h, g, mean, share)
        return h, g

    def heads(self, h: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Outputs, and logits of the values [n, players, support]."""
        outputs = [self.policy_nodes(h).flatten(1)]
        if self.policy_others is not None:
            outputs.append(self.policy_others(g))
        values = self.value(functional.relu(self.value_hidden(g)))
        return torch.cat(outputs, 1), values.unflatten(1, (self.players, len(self.support)))

    def expected(self, values: Tensor) -> Tensor:
        """Values [n, players] from the second result of :meth:`heads`."""
        return (values.float().softmax(2) * self.support.float()).sum(2)

    def value_loss(self, values: Tensor, targets: Tensor) -> Tensor:
        """Cross-entropy with each target as a mixture of its neighbours in the support."""
        wanted = two_hot(targets, self.support)
        found = values[:, : targets.shape[1]].log_softmax(2)
        return -(wanted * found).sum(2).mean()


class Round(nn.Module):
    """A round of messages."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.own, self.near = nn.Linear(channels, channels), nn.Linear(channels, channels, bias=False)
        self.from_whole = nn.Linear(channels, channels, bias=False)
        self.to_whole, self.keep = nn.Linear(channels, channels), nn.Linear(channels, channels, bias=False)
        self.norm, self.norm_whole = nn.LayerNorm(channels), nn.LayerNorm(channels)

    def forward(self, h: Tensor, g: Tensor, mean: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
        near = torch.bmm(mean.to(h.dtype), h)
        h = self.norm(h + functional.relu(self.own(h) + self.near(near) + self.from_whole(g)[:, None]))
        pooled = (h * share.to(h.dtype)).sum(1)
        return h, self.norm_whole(g + functional.relu(self.to_whole(pooled) + self.keep(g)))


def two_hot(values: Tensor, support: Tensor) -> Tensor:
    """Distributions over the support with these means, on the two nearest points each."""
    values = values.clamp(float(support[0]), float(support[-1]))
    above = torch.searchsorted(support, values.contiguous()).clamp(1, len(support) - 1)
    low, high = support[above - 1], support[above]
    weight = (values - low) / (high - low)
    found = torch.zeros((*values.shape, len(support)), dtype=values.dtype, device=values.device)
    found.scatter_(-1, (above - 1)[..., None], (1 - weight)[..., None])
    return found.scatter_(-1, above[..., None], weight[..., None])


def support_of(reward: str, players: int) -> list[float]:
    """The support of values: outcomes of all ranks, with a draw for two players; points by their scale."""
    if reward == "outcome":
        return [-1.0, 0.0, 1.0] if players <= 2 else np.linspace(-1, 1, players).tolist()
    return np.linspace(-4, 4, 33).tolist()


class GraphOnObservations(nn.Module):
    """A network as a function of observations, for ONNX: uint8 [n, ...] to logits [n, A], values [n, P]."""

    columns: Tensor
    offsets: Tensor
    numbers: Tensor
    index: Tensor

    def __init__(self, network: GraphNetwork, spec: Spec) -> None:
        super().__init__()
        self.network, self.players = network, spec.players
        columns, offsets, tables = lookup_of(network.inputs, spec)
        self.shapes: tuple[Any, ...] = (network.inputs.nodes, len(network.inputs.features))
        self.register_buffer("columns", torch.from_numpy(columns))
        self.register_buffer("offsets", torch.from_numpy(offsets.astype(np.int64)))
        self.register_buffer("numbers", torch.from_numpy(tables).flatten())
        self.register_buffer("index", torch.from_numpy(network.action_outputs(spec).astype(np.int64)))

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        inputs = self.numbers[observations.flatten(1)[:, self.columns].long() + self.offsets]
        outputs, values = self.network(*split(inputs, *self.shapes))
        return outputs[:, self.index], values[:, : self.players]
