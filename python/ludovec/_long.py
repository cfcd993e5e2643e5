"""Native calls that take long, which Ctrl-C must not wait for."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

_T = TypeVar("_T")

#: From so many games on, or bytes of arrays that a call may write, a call may take longer than somebody who
#: presses Ctrl-C waits.
MANY = 32_768
MUCH = 2**28

#: Whether the interpreter ends: threads that are started then never run.
_is_ending = sys.is_finalizing

#: Methods that look for signals themselves.
_ALERT = frozenset({"begin", "bot_actions", "close", "finish", "play_on", "run"})


def interruptible(long: bool, call: Callable[[], _T]) -> _T:
    """What a call returns that may take ``long``, and on which nothing depends when it is left alone.

    It is made in another thread: Ctrl-C then raises at once, and the call goes on to its end by itself.
    """
    if not long or threading.current_thread() is not threading.main_thread() or _is_ending():
        return call()
    return cast(_T, _Call(call).result())


def patient(native: _T, long: bool) -> _T:
    """A native object whose calls may take ``long``, as one whose calls are interruptible.

    A call that Ctrl-C has interrupted goes on to its end, so that it is made wholly or, where it is refused,
    not at all; the next one waits for it.
    """
    return cast(_T, _Patient(native)) if long else native


def is_long(games: int, written: int = 0) -> bool:
    """Whether a call over so many games, which may write so many bytes, may take long."""
    return games >= MANY or written >= MUCH


def native(given: _T) -> _T:
    """The native object itself, once nothing is under way."""
    if isinstance(given, _Patient):
        given._wait()
        return cast(_T, given._native)
    return given


class _Call:
    """A call in a thread of its own."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._value: Any = None
        self._error: BaseException | None = None
        # Not the thread's own end: Python before 3.13 forgets about a thread when Ctrl-C ends a join.
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="ludovec call")

    def _run(self) -> None:
        try:
            self._value = self._call()
        except BaseException as error:
            self._error = error
        self._over.set()

    def wait(self) -> None:
        """Waits for its end, or Ctrl-C."""
        while self._thread.ident is not None and not self._over.wait(0.1):
            pass

    def result(self) -> Any:
        """Makes the call and waits for it."""
        self._thread.start()
        self.wait()
        error, self._error = self._error, None
        if error is None:
            return self._value
        try:
            raise error
        finally:
            # Otherwise it would keep this frame, and the frame it, until the garbage is collected.
            del error


class _Patient:
    """Makes the methods of a native object interruptible."""

    def __init__(self, native: Any) -> None:
        self._native = native
        #: The last call, which may be under way.
        self._last: _Call | None = None

    def _wait(self) -> None:
        if self._last is not None:
            self._last.wait()
            self._last = None

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._native, name)
        return partial(self._made, name, method) if callable(method) else method

    def _made(self, name: str, method: Callable[..., Any], *arguments: Any) -> Any:
        self._wait()
        if name in _ALERT or threading.current_thread() is not threading.main_thread() or _is_ending():
            return method(*arguments)
        self._last = under_way = _Call(partial(method, *arguments))
        value = under_way.result()
        self._last = None
        return value
