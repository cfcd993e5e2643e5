"""Answers on a GPU as CUDA graphs: one launch for the whole network, on a stream of its own.

A small network is some dozens of kernels of a few microseconds each, and Python takes longer to launch them
one by one than they take to run. A graph has one size of batch, as the waves of a padded search have.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from ..spec import Spec
from .inference import Fitted, Player

Array = npt.NDArray[Any]
#: Runs before a capture: libraries choose their kernels in them.
_WARM_UP = 3


class CapturedPlayer(Player):
    """A player that answers batches of ``rows`` observations by a graph, others like :class:`Player`."""

    def __init__(
        self,
        network: nn.Module,
        spec: Spec,
        device: torch.device,
        dtype: torch.dtype,
        scale: float,
        rows: int,
    ) -> None:
        super().__init__(network, spec, device, dtype, scale)
        self.rows = rows
        # Encodings keep memory for the sizes of batches that they meet; the graph needs its own.
        self._forward = Fitted(self.network, spec, device, dtype)
        self._stream = torch.cuda.Stream(device)
        self._observations = torch.zeros((rows, *spec.observation_shape), dtype=torch.uint8, device=device)
        self._graph = torch.cuda.CUDAGraph()
        self._numbers = {kind: Pinned(kind) for kind in (torch.int32, torch.int64)}
        self._logits, self._values = Pinned(torch.float32), Pinned(torch.float32)
        self._capture()

    @torch.inference_mode()
    def _capture(self) -> None:
        self._stream.wait_stream(torch.cuda.current_stream(self._observations.device))
        with torch.cuda.stream(self._stream):
            for _ in range(_WARM_UP):
                self._forward.on_device(self._observations)
            self._stream.synchronize()
            with torch.cuda.graph(self._graph, stream=self._stream):
                self._outputs, self._found = self._forward.on_device(self._observations)

    @torch.inference_mode()
    def answer(self, observations: Array, offsets: Array, actions: Array) -> tuple[Array, Array]:
        """Logits of all legal actions, row by row, and values [n, P]: views until the next answer."""
        if len(observations) != self.rows:
            return super().answer(observations, offsets, actions)
        total, device = len(actions), self._observations.device
        with torch.cuda.stream(self._stream):
            leaves = torch.from_numpy(observations).view_as(self._observations)
            self._observations.copy_(leaves, non_blocking=True)
            self._graph.replay()
            counts = self._numbers[torch.int64].filled(np.diff(offsets)).to(device, non_blocking=True)
            legal = self._numbers[torch.int32].filled(actions).to(device, non_blocking=True)
            rows = torch.repeat_interleave(counts, output_size=total)
            logits = self._logits.copied(self._outputs[rows, self._forward.index[legal.long()]].float())
            values = self._values.copied(self._found.float() * self.scale)
            self._stream.synchronize()
        return logits.numpy(), values.numpy()


class Pinned:
    """Page-locked memory for arrays of changing length: copies between it and a GPU are asynchronous."""

    def __init__(self, dtype: torch.dtype) -> None:
        self._memory = torch.empty(0, dtype=dtype)

    def filled(self, array: Array) -> Tensor:
        """A copy of a NumPy array."""
        place = self._place(array.size)
        np.copyto(place.numpy(), array.ravel())
        return place

    def copied(self, tensor: Tensor) -> Tensor:
        """A tensor of the device, once its stream is through."""
        return self._place(tensor.numel()).view(tensor.shape).copy_(tensor, non_blocking=True)

    def _place(self, size: int) -> Tensor:
        if size > len(self._memory):
            self._memory = torch.empty(2 * size, dtype=self._memory.dtype, pin_memory=True)
        return self._memory[:size]
