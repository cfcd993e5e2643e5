"""The state of a run as a file without code: a tree of plain values as JSON and the bytes of its arrays, both
in a file of safetensors."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .._shared.extras import extra

with extra("torch"):
    from safetensors.numpy import load, save

#: Types of tuples with names that a state may have.
_Tuples = dict[str, type[tuple[Any, ...]]]
#: The kinds of dtype that are stored: numbers and switches, never objects.
_KINDS = "biuf"


def to_bytes(state: Any, tuples: _Tuples) -> bytes:
    """Writes a tree of dicts, lists, tuples, texts, bytes, numbers, None, arrays and tensors.

    Raises:
        TypeError: Another type is in it.
    """
    writer = _Writer(tuples)
    tree = json.dumps(writer.plain(state), separators=(",", ":")).encode()
    parts = {"tree": tree, "data": bytes(writer.data), "sha256": _digest(tree, writer.data)}
    return save({name: np.frombuffer(part, np.uint8) for name, part in parts.items()})


def from_bytes(content: bytes, tuples: _Tuples) -> Any:
    """Reads the output of :func:`to_bytes`.

    Raises:
        ValueError: It is another file, or damaged.
    """
    try:
        found = load(content)
        tree, data = found["tree"].tobytes(), found["data"]
        if found["sha256"].tobytes() != _digest(tree, data):
            raise ValueError("its checksum is wrong")
        return _Reader(tuples, data).value(json.loads(tree))
    except Exception as error:
        # A damaged file raises errors of several modules.
        raise ValueError(f"{type(error).__name__}: {error}") from error


def _digest(tree: bytes, data: Any) -> bytes:
    return hashlib.sha256(hashlib.sha256(tree).digest() + hashlib.sha256(data).digest()).digest()


class _Writer:
    def __init__(self, tuples: _Tuples) -> None:
        self._names = {kind: name for name, kind in tuples.items()}
        self.data = bytearray()

    def plain(self, value: Any) -> Any:
        """A value as JSON: texts, numbers, switches and None as they are, others as lists with their kind."""
        if value is None or isinstance(value, (bool, int, float, str)):
            return value.item() if isinstance(value, np.generic) else value
        if isinstance(value, np.generic):
            return self.plain(value.item())
        if isinstance(value, bytes):
            return ["bytes", *self._stored(value)]
        if isinstance(value, torch.Tensor):
            # NumPy lacks bfloat16.
            kind = str(value.dtype).removeprefix("torch.")
            flat = value.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy()
            return ["tensor", kind, list(value.shape), *self._stored(flat.tobytes())]
        if isinstance(value, np.ndarray) and value.dtype.kind in _KINDS:
            return ["array", value.dtype.str, list(value.shape), *self._stored(value.tobytes())]
        if isinstance(value, dict):
            return ["dict", *([self.plain(key), self.plain(of_key)] for key, of_key in value.items())]
        kind_of: Any = type(value)
        if kind_of in self._names:
            return ["named", self._names[kind_of], *map(self.plain, value)]
        if type(value) in (list, tuple):
            return [type(value).__name__, *map(self.plain, value)]
        raise TypeError(f"a state of a run has a {type(value).__name__}")

    def _stored(self, content: bytes) -> tuple[int, int]:
        start = len(self.data)
        self.data += content
        return start, len(content)


class _Reader:
    def __init__(self, tuples: _Tuples, data: npt.NDArray[np.uint8]) -> None:
        self._tuples, self._data = tuples, data

    def value(self, tree: Any) -> Any:
        if not isinstance(tree, list):
            if isinstance(tree, dict):
                raise ValueError("an object is no value of a state")
            return tree
        kind, *parts = tree
        if kind == "list":
            return [self.value(part) for part in parts]
        if kind == "tuple":
            return tuple(self.value(part) for part in parts)
        if kind == "named":
            return self._tuples[parts[0]](*(self.value(part) for part in parts[1:]))
        if kind == "dict":
            return {self.value(key): self.value(of_key) for key, of_key in parts}
        if kind == "bytes":
            return self._stored(*parts).tobytes()
        if kind == "array":
            name, shape, *place = parts
            dtype = np.dtype(name)
            if dtype.kind not in _KINDS:
                raise ValueError(f"arrays of {name!r:.50} are not read")
            return self._stored(*place).view(dtype).reshape(shape)
        if kind == "tensor":
            name, shape, *place = parts
            precision = getattr(torch, name, None)
            if not isinstance(precision, torch.dtype):
                raise ValueError(f"there is no tensor of {name!r:.50}")
            content = self._stored(*place)
            # Torch views no empty memory as another type.
            flat = (
                torch.from_numpy(content).view(precision) if len(content) else torch.zeros(0, dtype=precision)
            )
            return flat.reshape(shape)
        raise ValueError(f"there is no value {kind!r:.50}")

    def _stored(self, start: int, size: int) -> npt.NDArray[np.uint8]:
        """A copy, because values of a state may be changed."""
        if not 0 <= start <= start + size <= len(self._data):
            raise ValueError("the file ends before its data")
        return self._data[start : start + size].copy()
