"""Progress of a run: lines, the curve as a table and as a picture."""

from __future__ import annotations

import csv
import io
import time
from typing import Any

from ..plots import curves
from .devices import IdleTime
from .loggers import Loggers

#: Seconds between lines.
EVERY = 10.0


class Progress:
    """Prints a line now and then, with rates since the line before."""

    def __init__(self, loggers: Loggers, idle: IdleTime) -> None:
        self._loggers, self._idle = loggers, idle
        self._printed = time.monotonic()
        self._counts: dict[str, float] = {}
        self._losses: dict[str, float] = {}
        self._updates = 0

    def start(self, counts: dict[str, float]) -> None:
        """Begins to measure rates."""
        self._printed, self._counts = time.monotonic(), dict(counts)

    def learned(self, updates: int, sums: dict[str, float]) -> None:
        """Adds losses, as sums over updates."""
        self._updates += updates
        for name, total in sums.items():
            self._losses[name] = self._losses.get(name, 0.0) + total

    def line(self, clock: str, counts: dict[str, float], left: float | None, doing: str) -> None:
        """Prints a line if it is time for one."""
        seconds = time.monotonic() - self._printed
        if seconds < EVERY:
            return
        rates = {name: (value - self._counts.get(name, 0)) / seconds for name, value in counts.items()}
        told = [clock, f"{doing:<9}"]
        told += [f"{value:,.0f} {name} ({rates[name]:,.1f}/s)" for name, value in counts.items()]
        means = {name: total / max(self._updates, 1) for name, total in self._losses.items()}
        if self._updates:
            gap = means["policy"] - means["target entropy"]
            told.append(
                f"policy loss {means['policy']:.3f} = "
                f"entropy of targets {means['target entropy']:.3f} + {gap:.3f}"
            )
            told.append(f"entropy of policy {means['policy entropy']:.3f}")
            told += [
                f"{name} loss {means[name]:.4f}" for name in means if name in ("value", "moves left", "reply")
            ]
        share = self._idle.share()
        if share is not None:
            told.append(f"device idle {100 * share:.0f} %")
        if left is not None:
            told.append(f"{in_time(left)} left")
        tell("  ".join(told))
        speeds = {f"{name} a second": rate for name, rate in rates.items()}
        self._loggers.add({**means, **speeds}, int(counts["updates"]))
        self._losses, self._updates = {}, 0
        self.start(counts)

    def share(self, name: str, share: float, updates: int) -> None:
        """A point of the curve, for the loggers."""
        self._loggers.add({name: share}, updates)

    def close(self) -> None:
        """Writes the last points."""
        self._idle.close()
        self._loggers.close()


def tell(text: str) -> None:
    """Prints a line at once."""
    print(text, flush=True)


def in_time(minutes: float) -> str:
    """A duration in words."""
    if minutes < 1.5:
        return f"{60 * minutes:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def table(curve: list[dict[str, Any]]) -> str:
    """The curve as CSV."""
    out = io.StringIO()
    writer = csv.DictWriter(
        out, list(dict.fromkeys(name for row in curve for name in row)), lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(curve)
    return out.getvalue()


def picture(curve: list[dict[str, Any]], names: list[str], title: str) -> str:
    """The curve as SVG: shares of points over minutes of processor time, with 95 % margins."""
    series = {
        name: [(row["cpu_minutes"], row[name], row[f"{name} margin"]) for row in curve if name in row]
        for name in names
    }
    return curves(series, title, "minutes of processor time", "share of points")
