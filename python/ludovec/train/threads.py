"""Calls in threads of their own, which Ctrl-C stops."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from .inference import Stopped

#: Seconds that an interrupted call may take to notice it. A longer call is left behind.
_PATIENCE = 0.3
#: Seconds between two looks at signals.
_TICK = 0.1


class Team:
    """Runs calls at the same time. Every call gets a function ``check``, which raises when it is to stop."""

    def __init__(self, threads: int) -> None:
        #: 0: in this thread, one after the other.
        self.threads = threads
        self._rounds: list[_Round] = []

    def is_busy(self) -> bool:
        """Whether a call of an interrupted round still runs."""
        self._rounds = [round_ for round_ in self._rounds if round_.is_running()]
        return bool(self._rounds)

    def wait(self) -> None:
        """Waits for the calls of interrupted rounds, which end at their next check."""
        for round_ in self._rounds:
            round_.join()

    def run(
        self,
        calls: Sequence[Callable[[Callable[[], None]], Any]],
        idle: Callable[[], None] | None = None,
        done: Callable[[int, Any], None] | None = None,
    ) -> list[Any]:
        """The results in order; ``idle`` is called now and then, ``done`` after each call, in this thread."""
        if not self.threads:
            results = []
            for number, call in enumerate(calls):
                results.append(call(lambda: None))
                if done is not None:
                    done(number, results[-1])
                if idle is not None:
                    idle()
            return results
        self._rounds = [round_ for round_ in self._rounds if round_.is_running()]
        self._rounds.append(_Round(calls, self.threads))
        return self._rounds[-1].finish(idle, done)


class _Round:
    """One round of calls."""

    def __init__(self, calls: Sequence[Callable[[Callable[[], None]], Any]], threads: int) -> None:
        self._calls, self._next = calls, 0
        self._lock, self._wake = threading.Lock(), threading.Condition()
        self._ended: list[tuple[int, Any, BaseException | None]] = []
        self._stop = threading.Event()
        self._workers = [
            threading.Thread(target=self._work, name=f"ludovec-train-{i}", daemon=True)
            for i in range(min(threads, len(calls)))
        ]

    def finish(self, idle: Callable[[], None] | None, done: Callable[[int, Any], None] | None) -> list[Any]:
        results: list[Any] = [None] * len(self._calls)
        for worker in self._workers:
            worker.start()
        try:
            for _ in self._calls:
                number, result, error = self._one(idle)
                if error is not None:
                    raise error
                results[number] = result
                if done is not None:
                    done(number, result)
        except BaseException:
            self._stop.set()
            end = time.monotonic() + _PATIENCE
            for worker in self._workers:
                worker.join(max(0.0, end - time.monotonic()))
            raise
        return results

    def is_running(self) -> bool:
        """Whether a thread runs."""
        return any(worker.is_alive() for worker in self._workers)

    def join(self) -> None:
        """Waits for all threads."""
        for worker in self._workers:
            worker.join()

    def _one(self, idle: Callable[[], None] | None) -> tuple[int, Any, BaseException | None]:
        while True:
            with self._wake:
                if not self._ended:
                    self._wake.wait(_TICK)
                if self._ended:
                    return self._ended.pop(0)
            if idle is not None:
                idle()

    def _check(self) -> None:
        if self._stop.is_set():
            raise Stopped

    def _work(self) -> None:
        # One thread of torch each: more would wait for each other.
        torch.set_num_threads(1)
        while not self._stop.is_set():
            with self._lock:
                number = self._next
                self._next += 1
            if number >= len(self._calls):
                return
            result, failure = None, None
            try:
                result = self._calls[number](self._check)
            except BaseException as error:
                failure = error
            with self._wake:
                self._ended.append((number, result, failure))
                self._wake.notify()
