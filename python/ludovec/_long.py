"""Native calls over very many games, which Ctrl-C must not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

_T = TypeVar("_T")

#: From so many games on a call may take longer than somebody who presses Ctrl-C waits.
MANY = 32_768


def interruptible(games: int, call: Callable[[], _T]) -> _T:
    """What a call over so many games returns.

    With many of them it is made in another thread: Ctrl-C then raises at once, and the call goes on to its
    end by itself. Until then the batch is under way, as while it is stepped in the background.
    """
    if games < MANY or threading.current_thread() is not threading.main_thread():
        return call()
    done: list[tuple[_T | None, BaseException | None]] = []

    def run() -> None:
        try:
            done.append((call(), None))
        except BaseException as error:
            done.append((None, error))

    worker = threading.Thread(target=run, daemon=True, name="ludovec call")
    worker.start()
    while worker.is_alive():
        worker.join(0.1)
    value, error = done[0]
    if error is not None:
        raise error
    return value  # type: ignore[return-value]
