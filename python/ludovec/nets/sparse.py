"""The first layer of a network over numbers: most of its inputs are 0."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from .._core import SparseInputs

#: Fewer rows are multiplied faster by torch, because the weights are transposed in every product.
_FEWEST_ROWS = 64
#: From this number of threads on, torch is faster than the one thread that skips zeros.
_MANY_THREADS = 8
#: The largest share of inputs other than 0 that is faster without torch.
_LARGEST_SHARE = 0.4


class SparseLinear(nn.Linear):
    """A dense layer. On a processor, minibatches with few inputs other than 0 skip the others.

    torch's own sparse products take 1.5 to 2 times as long as its dense ones at the share of a game, 15 %.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Outputs [n, outputs] of inputs [n, inputs]."""
        if self._may_skip(x):
            inputs = SparseInputs(x.detach().T.contiguous().numpy())
            if inputs.count() <= _LARGEST_SHARE * x.numel():
                y: Tensor = _Product.apply(inputs, self.weight, self.bias)
                return y
        return super().forward(x)

    def _may_skip(self, x: Tensor) -> bool:
        # Tracers record torch's operations alone.
        return (
            type(x) is Tensor
            and x.device.type == "cpu"
            and x.dtype == self.weight.dtype == torch.float32
            and len(x) >= _FEWEST_ROWS
            and torch.get_num_threads() < _MANY_THREADS
            and not x.requires_grad
            and not torch.is_autocast_enabled("cpu")
            and not torch.compiler.is_compiling()
            and not torch.jit.is_tracing()
            and not torch._C._are_functorch_transforms_active()
        )


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: SparseInputs, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.inputs = inputs
        weights = weight.detach().contiguous().numpy()
        return torch.from_numpy(inputs.product(weights, bias.detach().numpy()))

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[None, Tensor, Tensor]:
        of_weight = torch.from_numpy(ctx.inputs.gradient(gradient.contiguous().numpy()))
        return None, of_weight, gradient.sum(0)
