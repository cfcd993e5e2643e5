"""Ctrl-C and SIGTERM: an exception while a round can be dropped, later while files are written."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """Turns SIGINT and SIGTERM into one ``KeyboardInterrupt`` that never comes inside :meth:`deferred`.

    Outside the main thread, signals stay as they are.
    """

    def __init__(self) -> None:
        self._raises = False
        self._came = False

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Handles both signals within the block."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._on) for number in (signal.SIGINT, signal.SIGTERM)}
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
            if self._came:
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
        if self._raises and self._came:
            raise KeyboardInterrupt

    def _on(self, *_: Any) -> None:
        self._came = True
        if self._raises:
            self._raises = False
            raise KeyboardInterrupt
