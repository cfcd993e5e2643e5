"""The value head of the networks: numbers, or distributions over possible values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional


class ValueNetwork(nn.Module):
    """A network with one value per player over features of the position.

    With a support, values are distributions over it: the ranks of the players, win, draw and loss for two, or
    points. Their means are the answer.
    """

    support: Tensor

    def _add_values(self, channels: int, hidden: int, players: int, support: Sequence[float]) -> None:
        """Makes the head; a new one has the value 0, or a uniform distribution."""
        self.players = players
        self.value_hidden = nn.Linear(channels, hidden)
        self.value = nn.Linear(hidden, players * max(1, len(support)))
        self.register_buffer("support", torch.tensor(support, dtype=torch.float32))
        nn.init.zeros_(self.value.weight)
        nn.init.zeros_(self.value.bias)

    def _values(self, features: Tensor) -> Tensor:
        """Values [n, players] or their logits [n, players, support]."""
        values: Tensor = self.value(functional.relu(self.value_hidden(features)))
        return values.unflatten(1, (self.players, len(self.support))) if len(self.support) else values

    def expected(self, values: Tensor) -> Tensor:
        """Values [n, players] from the second result of ``heads``."""
        if not len(self.support):
            return values
        return (values.float().softmax(2) * self.support).sum(2)

    def value_loss(self, values: Tensor, targets: Tensor) -> Tensor:
        """Loss of the second result of ``heads``, for targets [n, players of these games].

        The squared error; with a support, the cross-entropy with each target as a mixture of its neighbours
        in the support.
        """
        found = values[:, : targets.shape[1]]
        if not len(self.support):
            return functional.mse_loss(found, targets)
        return -(two_hot(targets, self.support) * found.log_softmax(2)).sum(2).mean()


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
