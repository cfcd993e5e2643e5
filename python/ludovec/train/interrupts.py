"""Ctrl-C, SIGTERM and SIGHUP: an exception while a round can be dropped, later while files are written."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Signals that end a run; Windows has no SIGHUP.
_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


class Interrupts:
    """Turns signals that end a run into one ``KeyboardInterrupt`` that never comes inside :meth:`deferred`.

    They are SIGINT, SIGTERM and SIGHUP, unless SIGHUP is ignored, as by ``nohup``. Outside the main thread,
    signals stay as they are.
    """

    def __init__(self) -> None:
        self._raises = False
        self._came: int | None = None

    @property
    def exit_code(self) -> int:
        """128 plus the number of the signal that came: 130 after Ctrl-C, 143 after SIGTERM."""
        return 128 + int(signal.SIGINT if self._came is None else self._came)

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handles the signals within the block."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
        ignored = [number for number in numbers[2:] if signal.getsignal(number) is signal.SIG_IGN]
        before = {number: signal.signal(number, self._on) for number in numbers if number not in ignored}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    @contextmanager
    def raising(self) -> Iterator[None]:
        """Raises ``KeyboardInterrupt`` when a signal comes, or has come before."""
        self._raises = True
        try:
            if self._came is not None:
                raise KeyboardInterrupt
            yield
        finally:
            self._raises = False

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Raises only after the block."""
        before, self._raises = self._raises, False
        try:
            yield
        finally:
            self._raises = before
        if self._raises and self._came is not None:
            raise KeyboardInterrupt

    def _on(self, number: int, _: Any) -> None:
        if self._came is None:
            self._came = number
        if self._raises:
            self._raises = False
            raise KeyboardInterrupt
