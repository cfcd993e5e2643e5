"""Devices: which one computes, in which numbers, and errors of one line."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from .._shared.errors import config_error

#: torch before 2.5 has the error in `torch.cuda` alone.
_OUT_OF_MEMORY: type[RuntimeError] = getattr(torch, "OutOfMemoryError", torch.cuda.OutOfMemoryError)


def device_of(name: str) -> torch.device:
    """The device ``cpu``, ``cuda`` or ``cuda:N``; ``auto`` is a GPU if there is one, or else the CPU.

    Raises:
        InvalidConfig: No such device; the message lists the devices.
    """
    if name == "auto":
        return torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    if name == "cpu":
        return torch.device("cpu")
    found = re.fullmatch(r"cuda(?::(\d{1,4}))?", name)
    if found is None:
        raise config_error(f"device={name!r:.100}: cpu, cuda, cuda:N or auto is allowed")
    number, count = int(found[1] or 0), torch.cuda.device_count() if torch.cuda.is_available() else 0
    if number >= count:
        there = ", ".join(["cpu", *(f"cuda:{i}" for i in range(count))])
        why = "" if torch.version.cuda else " (this build of torch has no CUDA)"
        raise config_error(f"device={name}: there is no such device{why}; there are {there}")
    return torch.device("cuda", number)


def numbers_of(device: torch.device, precision: str) -> torch.dtype:
    """The type of the network's matrix products: bfloat16 where the device computes with it."""
    if precision != "auto":
        return torch.float32 if precision == "float32" else torch.bfloat16
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
    fast = any(
        getattr(torch.cpu, name, bool)() for name in ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    )
    return torch.bfloat16 if fast else torch.float32


def autocast(device: torch.device, dtype: torch.dtype) -> Any:
    """A context in which matrix products are in ``dtype``."""
    return torch.autocast(device.type, torch.bfloat16, enabled=dtype == torch.bfloat16)


def moved(array: Any, device: torch.device) -> torch.Tensor:
    """An array as a tensor on the device; copies to a GPU are from pinned memory and do not wait."""
    tensor = torch.from_numpy(array)
    if device.type == "cpu":
        return tensor
    return tensor.pin_memory().to(device, non_blocking=True)


@contextmanager
def stream_of(device: torch.device) -> Iterator[None]:
    """A context with a new stream of a GPU: its kernels run beside those of other streams."""
    if device.type != "cuda":
        yield
        return
    stream = torch.cuda.Stream(device)
    stream.wait_stream(torch.cuda.default_stream(device))
    with torch.cuda.stream(stream):
        yield
        stream.synchronize()


class IdleTime:
    """Measures the share of time in which a GPU computes nothing; needs the package ``nvidia-ml-py``."""

    #: Seconds between two readings of the driver's counter, which covers about as much time.
    EVERY = 0.25

    def __init__(self, device: torch.device) -> None:
        self._device, self._readings = device, list[float]()
        self._ended = threading.Event()
        if device.type == "cuda":
            threading.Thread(target=self._read, name="ludovec-idle-time", daemon=True).start()

    def share(self) -> float | None:
        """The share since the last call; None if the device or the driver has no such counter."""
        readings, self._readings = self._readings, []
        return 1 - sum(readings) / len(readings) / 100 if readings else None

    def close(self) -> None:
        """Ends the readings."""
        self._ended.set()

    def _read(self) -> None:
        while not self._ended.wait(self.EVERY):
            try:
                self._readings.append(float(torch.cuda.utilization(self._device)))
            except (ImportError, RuntimeError):
                return


@contextmanager
def errors_of(device: torch.device) -> Iterator[None]:
    """Errors of the device as one line."""
    try:
        yield
    except _OUT_OF_MEMORY as error:
        raise config_error(
            f"device {device} is out of memory: fewer games, a smaller minibatch or network need less; "
            "--resume goes on from the checkpoint, also on another device"
        ) from error
    except RuntimeError as error:
        if device.type == "cpu" and "DefaultCPUAllocator" not in str(error):
            raise
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise config_error(
            f"device {device}: {first:.300}; --resume goes on from the checkpoint, also on another device"
        ) from error
