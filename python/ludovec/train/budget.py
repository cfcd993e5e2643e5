"""Budgets of time, and the schedule that fits into one.

A schedule counts updates, never time. So a run with a budget measures before its first update what updates
and games cost, and writes numbers of updates into its configuration: the same run from there needs no clock.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from .configuration import Config

#: The share of a budget that evaluations take, about.
_EVALUATIONS = 0.1
#: The share of a budget that imitation gets at most.
_IMITATION = 0.4
#: Evaluations after imitation.
_INTERVALS = 4


@dataclass(frozen=True)
class Budget:
    """When a run ends: at the first of these. Minutes of earlier parts of a resumed run count."""

    minutes: float | None = None
    cpu_minutes: float | None = None
    #: Rounds of this part of the run, for tests.
    rounds: int | None = None
    #: Whether a new run chooses the numbers of updates in its configuration for this time.
    fits: bool = False

    @property
    def is_of_time(self) -> bool:
        """Whether there is a limit of minutes."""
        return self.minutes is not None or self.cpu_minutes is not None

    def is_spent(self, minutes: float, cpu_minutes: float) -> bool:
        """Whether a limit of minutes is reached."""
        return (self.minutes is not None and minutes >= self.minutes) or (
            self.cpu_minutes is not None and cpu_minutes >= self.cpu_minutes
        )

    def told(self, minutes: float, cpu_minutes: float) -> str:
        """The minutes of this budget in words, for the lines of progress."""
        if self.cpu_minutes is not None:
            return f"{cpu_minutes:6.1f} of {self.cpu_minutes:g} cpu min"
        limit = "" if self.minutes is None else f" of {self.minutes:g}"
        return f"{minutes:6.1f}{limit} min"


class Costs(NamedTuple):
    """Minutes that an update takes, with the games that it needs."""

    imitation: float
    self_play: float


def fitted(config: Config, minutes: float, costs: Costs) -> Config:
    """The configuration with the updates that these minutes allow, and evaluations after imitation."""
    minutes *= 1 - _EVALUATIONS
    imitate = min(config.imitate, int(_IMITATION * minutes / costs.imitation))
    own = max(1, int((minutes - imitate * costs.imitation) / costs.self_play))
    every = math.ceil(own / _INTERVALS)
    return config.changed(imitate=imitate, updates=imitate + own, evaluate_every=every)
