"""Decoding of packed observations with NumPy, torch or JAX."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar, overload

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..spec import ObservationField, PackedField, Spec

_Rows = TypeVar("_Rows")
_Bytes = npt.NDArray[np.uint8]


def unpack(rows: _Rows, spec: Spec) -> _Rows:
    """Decodes packed rows, uint8 ``[..., row_bytes]``, to uint8 ``[..., *observation_shape]``.

    The result equals ``obs="u8"``. ``rows`` is a NumPy array, a torch tensor or a JAX array; the result has
    the same type and device, and ``jax.jit`` can trace the call. Use it to send packed rows to the GPU, or to
    store packed rows in a replay buffer and unpack one batch at a time.

    >>> env = ludovec.make("chess", num_envs=256, obs="packed")
    >>> packed, info = env.reset()
    >>> planes = ludovec.unpack(packed, env.game_spec)

    Raises:
        InvalidConfig: ``rows`` is not uint8, or has not ``spec.packed.row_bytes`` bytes per row.
    """
    if not isinstance(spec, Spec):
        raise config_error(f"spec={spec!r:.100}: a ludovec.Spec is needed")
    array: Any = rows
    dtype, shape = getattr(array, "dtype", None), tuple(getattr(array, "shape", ()))
    if str(dtype) not in ("uint8", "torch.uint8") or shape[-1:] != (spec.packed.row_bytes,):
        raise config_error(
            f"rows: uint8 [..., {spec.packed.row_bytes}] is needed, {dtype} {list(shape)} was given"
        )
    if isinstance(array, np.ndarray):
        return _by_field(array, spec)  # type: ignore[return-value]
    fields = (spec.observation, spec.packed.fields)
    shape = (*shape[:-1], *spec.observation_shape)
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(array, torch.Tensor):
        byte, shift, mask, wide, lift = _on_device(*fields, array.device, torch.from_numpy)
        values = (array[..., byte] >> shift) & mask
        if len(wide):
            values[..., wide] |= (array[..., byte[wide] + 1] << lift) & mask[wide]
        return values.reshape(shape)  # type: ignore[no-any-return]
    if jax is not None and isinstance(array, jax.Array):
        byte, shift, mask, wide, lift = _places(*fields)
        values = (array[..., byte] >> shift) & mask
        if len(wide):
            # The second byte of a number has no bits in common with the first, so addition acts as bitwise
            # or.
            values = values.at[..., wide].add((array[..., byte[wide] + 1] << lift) & mask[wide])
        return values.reshape(shape)  # type: ignore[no-any-return]
    kind = type(rows).__name__
    raise config_error(f"rows: a NumPy array, a torch tensor or a JAX array is needed, not {kind}")


def pack(rows: _Bytes, spec: Spec) -> _Bytes:
    """Packs uint8 rows ``[n, *observation_shape]``: the inverse of :func:`unpack`, in NumPy."""
    flat = rows.reshape(len(rows), -1)
    byte, shift, mask, wide, lift = _places(spec.observation, spec.packed.fields)
    out = np.zeros((len(rows), spec.packed.row_bytes), np.uint8)
    values = flat & mask
    every = slice(None)
    # Elements along an axis without a stride share their bits.
    low: Any = (every, byte)
    high: Any = (every, byte[wide] + 1)
    np.bitwise_or.at(out, low, values << shift)
    np.bitwise_or.at(out, high, values[:, wide] >> lift)
    return out


@overload
def unpack_bits(bits: npt.NDArray[np.uint64], actions: int) -> npt.NDArray[np.bool_]: ...
@overload
def unpack_bits(bits: Any, actions: int) -> Any: ...
def unpack_bits(bits: Any, actions: int) -> Any:
    """Decodes mask bits, uint64 ``[..., W]``, to bool ``[..., actions]``.

    ``bits`` is ``env.action_mask_bits`` or a column of them: a NumPy array, a torch tensor (int64 or
    uint64), which stays on its device, or a JAX array of any unsigned type.

    >>> masks = ludovec.unpack_bits(env.action_mask_bits, env.game_spec.num_actions)

    Raises:
        InvalidConfig: ``bits`` has other words, or too few for this many actions.
    """
    array: Any = bits
    dtype, shape = str(getattr(array, "dtype", None)), tuple(getattr(array, "shape", ()))
    size = 8 * int(getattr(getattr(array, "dtype", None), "itemsize", 0))
    if (
        dtype.removeprefix("torch.") not in ("uint64", "int64", "uint32")
        or not shape
        or shape[-1] * size < actions
    ):
        raise config_error(
            f"bits: uint64 [..., {-(-actions // 64)}] is needed, {dtype} {list(shape)} was given"
        )
    if isinstance(array, np.ndarray):
        octets = np.ascontiguousarray(array).view(np.uint8)
        return np.unpackbits(octets, axis=-1, count=actions, bitorder="little").view(np.bool_)
    torch, jax = sys.modules.get("torch"), sys.modules.get("jax")
    if torch is not None and isinstance(array, torch.Tensor):
        octets = array.contiguous().view(torch.uint8)
        shifts = torch.arange(8, dtype=torch.uint8, device=octets.device)
        found = ((octets[..., None] >> shifts) & 1).flatten(-2)[..., :actions]
        return found.bool()
    if jax is not None and isinstance(array, jax.Array):
        shifts = np.arange(size).astype(array.dtype)
        found = ((array[..., None] >> shifts) & 1).reshape(*shape[:-1], -1)[..., :actions]  # pyright: ignore
        return found.astype(bool)
    kind = type(bits).__name__
    raise config_error(f"bits: a NumPy array, a torch tensor or a JAX array is needed, not {kind}")


def _by_field(rows: _Bytes, spec: Spec) -> _Bytes:
    """Decodes field by field: in NumPy faster than a gather by element."""
    out = np.empty((*rows.shape[:-1], spec.observation_len), dtype=np.uint8)
    fields = {field.name: field for field in spec.observation}
    for packed in spec.packed.fields:
        # Axes with a stride, from the slowest to the fastest; NumPy broadcasts along the others.
        axes = sorted((a for a, step in enumerate(packed.strides) if step), key=lambda a: -packed.strides[a])
        held = [packed.shape[axis] for axis in axes]
        elements = int(np.prod(held))
        bits = elements * packed.bits
        first = packed.offset // 8
        values = rows[..., first : first + -(-bits // 8)]
        if packed.bits < 8:
            values = np.unpackbits(values, axis=-1, count=bits, bitorder="little")
        if 1 < packed.bits < 8:
            values = np.packbits(
                values.reshape(*rows.shape[:-1], elements, packed.bits), axis=-1, bitorder="little"
            )
        values = values.reshape(*rows.shape[:-1], *held)
        leading = rows.ndim - 1
        values = values.transpose(*range(leading), *(leading + np.argsort(axes)))
        still = [leading + axis for axis, step in enumerate(packed.strides) if not step]
        fields[packed.name].view(out)[...] = np.expand_dims(values, still)
    return out.reshape(*rows.shape[:-1], *spec.observation_shape)


@lru_cache(maxsize=64)
def _places(
    observation: tuple[ObservationField, ...], packed: tuple[PackedField, ...]
) -> tuple[npt.NDArray[np.int64], _Bytes, _Bytes, npt.NDArray[np.int64], _Bytes]:
    """The position of every element of an observation in a packed row.

    Per element: index of its first byte, shift and mask in that byte. Then the indices of the elements that
    continue in the next byte, and the left shift of that byte.
    """
    fields = {field.name: field for field in observation}
    length = sum(field.indices.size for field in observation)
    bit, mask = np.zeros(length, dtype=np.int64), np.zeros(length, dtype=np.uint8)
    for field in packed:
        where = ObservationField(field.name, field.offset, field.shape, field.strides, "", 0, 0.0).indices
        bit[fields[field.name].indices] = where
        mask[fields[field.name].indices] = (1 << field.bits) - 1
    shift = (bit % 8).astype(np.uint8)
    wide = np.flatnonzero((mask.astype(np.int64) << shift) > 255)
    return bit // 8, shift, mask, wide, (8 - shift[wide]).astype(np.uint8)


@lru_cache(maxsize=64)
def _on_device(
    observation: tuple[ObservationField, ...],
    packed: tuple[PackedField, ...],
    device: Any,
    tensor: Callable[[Any], Any],
) -> tuple[Any, ...]:
    """The result of `_places` as tensors on a device; ``tensor`` converts an array."""
    return tuple(tensor(part).to(device) for part in _places(observation, packed))
