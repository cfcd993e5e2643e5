"""Decisions as a dataset of torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._shared.extras import extra
from ..envs.packed import unpack, unpack_bits


class TorchDataset:
    """Rows of tensors by name; a map-style dataset for ``torch.utils.data.DataLoader``."""

    def __init__(self, data: Any, columns: Sequence[str]) -> None:
        """``data`` is a :class:`ludovec.data.Dataset`."""
        with extra("torch"):
            import torch  # noqa: F401
        self._spec = data.spec
        found = data.read([name for name in columns if name != "policy"] or ["action"])
        if "policy" in columns:
            found |= data.read(["policy", "mask"])
        self._columns, self._names, self._rows = found, list(columns), len(data)

    def __len__(self) -> int:
        return self._rows

    def __getitem__(self, row: int) -> dict[str, Any]:
        if not -self._rows <= row < self._rows:
            raise IndexError(f"row {row}: 0 to {self._rows - 1} exist")
        return {name: column[0] for name, column in self.tensors([row]).items()}

    def __getitems__(self, rows: Sequence[int]) -> list[dict[str, Any]]:
        """Several rows at once, as newer data loaders ask; their ``collate_fn`` gets a list of rows."""
        batch = self.tensors(rows)
        return [{name: column[i] for name, column in batch.items()} for i in range(len(rows))]

    def tensors(self, rows: Any) -> dict[str, Any]:
        """Rows as tensors ``[n, ...]`` by name, without a detour over single rows."""
        import torch

        rows = np.asarray(rows)
        spec, shown = self._spec, {}
        for name in self._names:
            if name == "policy":
                shown[name] = torch.from_numpy(self._policies(rows))
                continue
            array = self._columns[name][rows]
            if name == "observation":
                array = unpack(array, spec)
            elif name == "mask":
                array = unpack_bits(array, spec.num_actions)
            elif array.dtype in (np.uint32, np.uint64):
                array = array.view(np.int32 if array.dtype == np.uint32 else np.int64)
            shown[name] = torch.from_numpy(np.ascontiguousarray(array))
        return shown

    def _policies(self, rows: Any) -> Any:
        """float32 [n, A]: policies over all actions, 0 where unknown."""
        offsets, shares = self._columns["policy"]
        dense = np.zeros((len(rows), self._spec.num_actions), np.float32)
        legal = unpack_bits(self._columns["mask"][rows], self._spec.num_actions)
        for i, row in enumerate(rows):
            mine = shares[offsets[row] : offsets[row + 1]]
            if len(mine):
                dense[i, legal[i]] = mine
        return dense
