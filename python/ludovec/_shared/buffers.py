"""Memory of callers in which the engine writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from . import checks
from .errors import config_error


def leaf_buffers(out: Any, groups: int) -> dict[str, list[npt.NDArray[Any]]]:
    """The arrays for the rows of leaves by name, one for each group of trees."""
    if not isinstance(out, Mapping):
        raise config_error(f"out={out!r:.100}: a mapping from names to arrays is needed")
    found = {}
    for name, given in out.items():
        if name not in ("observations", "action_mask_bits"):
            raise config_error(f"out[{name!r:.100}]: observations and action_mask_bits are allowed")
        listed = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(listed) != groups:
            raise config_error(
                f"out[{name!r}]: {groups} arrays are needed, one per group, {len(listed)} were given"
            )
        found[str(name)] = [storage(name, buffer(name, array)) for array in listed]
    return found


#: Columns of the values 0 and 1, for which bytes of every kind have the same meaning.
_FLAGS = ("action_mask", "final_action_mask", "terminated", "truncated", "done")


def storage(name: str, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array with the engine's dtype: flags and mask bytes as uint8, mask bits as uint64, which torch
    hardly has. The engine refuses every other dtype than its own."""
    if name.endswith("_bits"):
        return array.view(np.uint64) if array.dtype == np.int64 else array
    return array.view(np.uint8) if name in _FLAGS and array.dtype in (np.bool_, np.int8) else array


def buffer(name: str, array: Any) -> npt.NDArray[Any]:
    """An array over the caller's memory, never a copy."""
    array = checks.unmasked(f"out[{name!r}]", array)
    try:
        if isinstance(array, np.ndarray):
            return array
        if type(array).__module__ == "torch":
            # Older versions of torch export read-only DLPack.
            memory: npt.NDArray[Any] = array.numpy()
            return memory
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array)
        return np.asarray(memoryview(array))
    except Exception as error:
        raise config_error(f"out[{name!r}]: memory that NumPy can write is needed: {error}") from error
