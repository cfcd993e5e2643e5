"""Residual network over a board of any size, or without a board over scalars only."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn import functional

from .._shared.errors import config_error
from ..spec import Spec
from .heads import PolicyValueNetwork
from .inputs import Inputs
from .policy import Heads
from .sparse import SparseLinear


class ResidualNetwork(PolicyValueNetwork):
    """Policy logits and one value per player, the current player's first.

    With a board: ``x = relu(conv(planes) + dense(scalars))``, then blocks
    ``x = relu(x + conv(relu(conv(x) + dense(mean(x)))))``. The mean is over the board. Dense layers on
    scalars or means are added to every cell. Policy planes are dense over the channels of a cell; other
    logits and the values are dense over the mean. Convolutions are 3x3, so one network serves boards of every
    size.

    With a board and a ``stride`` above 1, the blocks are over patches of stride x stride cells:
    ``p = relu(dense(cells of the patch))``, blocks over ``p``, then ``x = relu(x + cells of dense(p))`` for
    the heads. Cells beyond the edges of the board are 0.

    Without a board: ``x = dense(scalars)``, then blocks ``x = x + dense(relu(dense(norm(x))))``; the heads
    take
    ``relu(norm(x))``.
    """

    def __init__(
        self,
        inputs: Inputs,
        spec: Spec | Heads,
        channels: int = 64,
        blocks: int = 4,
        value_hidden: int = 64,
        support: Sequence[float] = (),
        stride: int = 1,
    ) -> None:
        """``spec`` has the most players, or the sizes of the heads; ``support``, increasing, has the possible
        values by the scale."""
        super().__init__(inputs, channels)
        self.stride = stride
        if inputs.graph is not None:
            raise config_error("these inputs have a graph: ludovec.nets.GraphNetwork takes them")
        heads = spec if isinstance(spec, Heads) else Heads.of(spec, inputs.size(spec))
        self.has_board = inputs.board is not None
        if stride > 1 and not self.has_board:
            raise config_error(f"stride={stride}: inputs with a board are needed")
        self.planes = nn.Conv2d(len(inputs.planes), channels, 3, padding=1) if self.has_board else None
        layer = nn.Linear if self.has_board else SparseLinear
        self.scalars = layer(len(inputs.scalars), channels) if inputs.scalars else None
        of_patch = channels * stride**2
        self.down = nn.Linear(of_patch, channels) if stride > 1 else None
        self.up = nn.Linear(channels, of_patch) if stride > 1 else None
        if self.up is not None:
            self.up.weight.data.mul_(0.1)
        self.blocks = nn.ModuleList(Block(channels, self.has_board) for _ in range(blocks))
        self.norm = None if self.has_board else nn.LayerNorm(channels)
        self._add_heads(heads, value_hidden, support)

    def trunk(self, planes: Tensor, scalars: Tensor) -> tuple[Tensor, Tensor]:
        """Features of the cells, and features of the whole position [n, channels]."""
        x = self._start(planes, scalars)
        if self.down is None or self.up is None:
            x = self._deepen(x)
        else:
            patches = self._deepen(functional.relu(self.down(patches_of(x, self.stride))))
            x = functional.relu(x + cells_of(self.up(patches), self.stride, x.shape))
        return x, x.mean((1, 2)) if self.norm is None else functional.relu(self.norm(x))

    def _deepen(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x

    def _start(self, planes: Tensor, scalars: Tensor) -> Tensor:
        numbers = None if self.scalars is None else self.scalars(scalars)
        if self.planes is None:
            assert numbers is not None
            return numbers
        x = convolve(self.planes, planes)
        return functional.relu(x if numbers is None else x + numbers[:, None, None])


class Block(nn.Module):
    """A residual block."""

    def __init__(self, channels: int, has_board: bool) -> None:
        super().__init__()
        self.has_board = has_board
        if has_board:
            self.first: nn.Module = nn.Conv2d(channels, channels, 3, padding=1)
            self.second = nn.Conv2d(channels, channels, 3, padding=1)
            self.pooled = nn.Linear(channels, channels, bias=False)
            # The residual branch starts near 0, because no normalization bounds the stream.
            nn.init.zeros_(self.pooled.weight)
            self.second.weight.data.mul_(0.1)
        else:
            self.norm = nn.LayerNorm(channels)
            self.first, self.second = nn.Linear(channels, channels), nn.Linear(channels, channels)

    def forward(self, x: Tensor) -> Tensor:
        if not self.has_board:
            inner: Tensor = self.second(functional.relu(self.first(self.norm(x))))
            return x + inner
        inner = convolve(self.first, x) + self.pooled(x.mean((1, 2)))[:, None, None]
        return functional.relu(x + convolve(self.second, functional.relu(inner)))


def patches_of(x: Tensor, stride: int) -> Tensor:
    """Cells [n, rows, columns, channels] as patches [n, rows, columns of patches, cells * channels].

    Cells beyond the lower and right edges are 0.
    """
    rows, columns = x.shape[1:3]
    x = functional.pad(x, (0, 0, 0, -columns % stride, 0, -rows % stride))
    x = x.unflatten(2, (-1, stride)).unflatten(1, (-1, stride))
    return x.permute(0, 1, 3, 2, 4, 5).flatten(3)


def cells_of(patches: Tensor, stride: int, shape: Sequence[int]) -> Tensor:
    """The inverse of :func:`patches_of`, for cells of this shape."""
    x = patches.unflatten(3, (stride, stride, -1)).permute(0, 1, 3, 2, 4, 5)
    return x.flatten(3, 4).flatten(1, 2)[:, : shape[1], : shape[2]]


def convolve(layer: nn.Module, x: Tensor) -> Tensor:
    """A convolution in channels-last layout."""
    y: Tensor = layer(x.permute(0, 3, 1, 2))
    return y.permute(0, 2, 3, 1)
