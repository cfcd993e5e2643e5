"""Infos of a step: hints for missing masks, and copies."""

from __future__ import annotations

from typing import Any

import numpy as np

#: The argument that brings masks as bytes.
BYTES_ARE_MADE = 'make(..., mask="bytes") brings masks as bytes, action_mask_bits and action_masks() are here'


class BitInfo(dict[str, Any]):
    """Infos with ``mask="bits"``: a missing mask of bytes names the argument that brings it."""

    def __missing__(self, name: str) -> Any:
        if name in ("action_mask", "legal_action_mask"):
            raise KeyError(f'{name}: this environment has mask="bits"; {BYTES_ARE_MADE}')
        raise KeyError(name)

    def copy(self) -> BitInfo:
        return BitInfo(self)

    def __or__(self, other: dict[str, Any]) -> BitInfo:  # type: ignore[override]
        return BitInfo({**self, **other})


def deep_copy(value: Any) -> Any:
    """An info value, with its arrays copied."""
    if isinstance(value, dict):
        return type(value)((key, deep_copy(item)) for key, item in value.items())
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            rows = value.copy()
            for i, row in enumerate(value):
                rows[i] = None if row is None else row.copy()
            return rows
        return value.copy()
    return value
