"""The learner: updates of the network by minibatches from the replay buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from ..spec import Spec, Symmetry, symmetries
from .configuration import Config
from .devices import autocast, moved, stream_of
from .inference import Fitted
from .replay import Buffer, Minibatch

#: PPO: the clipping range of the policy ratio, and the coefficient of the entropy bonus.
_CLIP, _ENTROPY = 0.2, 0.005
#: Values that hardly differ, such as of drawn games alone, weigh no more than by this variance.
_LEAST_VARIANCE = 0.02


@dataclass
class Losses:
    """Sums over updates."""

    updates: int = 0
    sums: dict[str, float] = field(default_factory=dict)

    def mean(self) -> dict[str, float]:
        """Means by name."""
        return {name: total / max(self.updates, 1) for name, total in self.sums.items()}


class Learner:
    """The network, its average that plays, and the optimizer."""

    def __init__(
        self,
        network: Any,
        config: Config,
        specs: Sequence[Spec],
        device: torch.device,
        dtype: torch.dtype,
    ) -> None:
        self.config, self.device, self.dtype, self.specs = config, device, dtype, list(specs)
        self.network = network.to(device)
        self.average = deepcopy(self.network)
        self._weights = list(self.network.parameters())
        self._mean_of = self._weights, list(self.average.parameters())
        self.optimizer = torch.optim.AdamW(
            self._weights, lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
        )
        self.fitted = [Fitted(self.network, spec, device, dtype) for spec in specs]
        self.symmetries: list[list[Symmetry]] = [
            symmetries(config.env, **options) if config.symmetries else [] for options in config.options
        ]
        self.rng = np.random.default_rng([config.seed, 2**32])
        self.updates = 0

    # ---- learning ----

    def train(self, updates: int, buffers: Sequence[Buffer], check: Callable[[], None]) -> Losses:
        """Learns from the buffers in turn, all kinds of games."""
        # A tensor per loss: reading numbers after every update would wait for the device.
        sums: dict[str, Tensor] = {}
        with stream_of(self.device):
            for _ in range(updates):
                check()
                for group in self.optimizer.param_groups:
                    group["lr"] = self.config.learning_rate * rate_at(self.updates, self.config)
                kind = self.updates % len(buffers)
                losses = self._update(kind, buffers[kind].sample(self.rng, self.config.minibatch))
                for name, loss in losses.items():
                    sums[name] = sums[name] + loss if name in sums else loss
            return Losses(updates, {name: float(total) for name, total in sums.items()})

    def _update(self, kind: int, batch: Minibatch) -> dict[str, Tensor]:
        fitted = self.fitted[kind]
        batch = self._turned(kind, batch)
        actions = moved(np.maximum(batch.actions, 0).astype(np.int64), self.device)
        is_legal = moved(batch.actions >= 0, self.device)
        policies, values = moved(batch.policies, self.device), moved(batch.values, self.device)
        chosen, advantages = moved(batch.chosen, self.device), moved(batch.advantages, self.device)
        inputs = fitted.inputs(batch.observations)
        if self.dtype != torch.float32:
            # Layers outside autocast keep the weights' own type.
            inputs = tuple(part.to(torch.bfloat16) for part in inputs)
        with autocast(self.device, self.dtype):
            outputs, predicted = self.network.heads(*self.network.trunk(*inputs))
        logits = outputs.float().gather(1, fitted.index[actions])
        log_policy = torch.log_softmax(logits.masked_fill(~is_legal, -1e9), 1)
        entropy = -(policies * torch.log(policies.clamp_min(1e-9))).sum(1).mean()
        cross_entropy = -(policies * log_policy).sum(1).mean()
        value_loss = self.network.value_loss(predicted.float(), values)
        if not len(self.network.support):
            # The unexplained share of a small variance: the policy drowns no values by a large scale.
            value_loss = value_loss / values.var().clamp(_LEAST_VARIANCE, 1)
        loss = policy_loss(log_policy, policies, chosen, advantages) + value_loss
        found = {"policy": cross_entropy, "target entropy": entropy, "value": value_loss}
        with torch.no_grad():
            found["policy entropy"] = -(log_policy.exp() * log_policy).sum(1).mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self._weights, 1.0)
        self.optimizer.step()
        self.updates += 1
        self._update_average()
        return {name: part.detach() for name, part in found.items()}

    def _turned(self, kind: int, batch: Minibatch) -> Minibatch:
        """The minibatch under a random symmetry of the rules."""
        # A probability that drew an action is of the position as it was played.
        if not self.symmetries[kind] or not np.isnan(batch.advantages).all():
            return batch
        symmetry = self.symmetries[kind][self.rng.integers(len(self.symmetries[kind]))]
        return turned(batch, symmetry)

    def _update_average(self) -> None:
        share = 1 - min(self.config.average, self.updates / (10 + self.updates))
        with torch.no_grad():
            torch._foreach_lerp_(self._mean_of[1], self._mean_of[0], share)

    # ---- state ----

    def state(self) -> dict[str, Any]:
        """Copies of the weights, of the optimizer and of the random stream."""
        return {
            "network": _copied(self.network.state_dict()),
            "average": _copied(self.average.state_dict()),
            "optimizer": deepcopy(self.optimizer.state_dict()),
            "rng": deepcopy(self.rng.bit_generator.state),
            "updates": self.updates,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continues from a state."""
        self.network.load_state_dict(state["network"])
        self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(deepcopy(state["optimizer"]))
        self.rng.bit_generator.state = state["rng"]
        self.updates = state["updates"]


def policy_loss(log_policy: Tensor, policies: Tensor, chosen: Tensor, advantages: Tensor) -> Tensor:
    """The cross-entropy with target policies; PPO's clipped objective where actions have advantages.

    Args:
        log_policy: Log-probabilities [n, legal].
        policies: Targets, or the policies that drew the actions, [n, legal].
        chosen: Places [n] of the drawn actions.
        advantages: [n], NaN for targets.
    """
    is_drawn = ~advantages.isnan()
    place = chosen.long()[:, None]
    ratio = log_policy.gather(1, place)[:, 0].exp() / policies.gather(1, place)[:, 0].clamp_min(1e-6)
    count = is_drawn.sum().clamp_min(1)
    plain = advantages.nan_to_num()
    centred = torch.where(is_drawn, plain - plain.sum() / count, 0.0)
    unit = centred / (centred.square().sum() / count).sqrt().clamp_min(1e-6)
    gain = torch.minimum(unit * ratio, unit * ratio.clamp(1 - _CLIP, 1 + _CLIP))
    entropy = -(log_policy.exp() * log_policy).sum(1)
    cross_entropy = -(policies * log_policy).sum(1)
    return torch.where(is_drawn, -gain - _ENTROPY * entropy, cross_entropy).mean()


def _copied(state: dict[str, Tensor]) -> dict[str, Tensor]:
    """A copy of weights in main memory."""
    return {name: tensor.detach().cpu().clone() for name, tensor in state.items()}


def rate_at(update: int, config: Config) -> float:
    """The share of the learning rate at an update: the schedule counts updates, never time."""
    progress = min(update / max(config.updates, 1), 1.0)
    return 1 - (1 - config.final_rate) * progress


def turned(batch: Minibatch, symmetry: Symmetry) -> Minibatch:
    """The same positions under a symmetry."""
    # Missing actions, -1, read the last entry.
    action = np.append(symmetry.action, -1).astype(np.int32)
    return batch._replace(
        observations=batch.observations[:, symmetry.observation],
        actions=action[batch.actions],
    )
