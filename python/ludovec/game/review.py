"""Reviews of games: the value of every position, the best line, and the price of every action."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared import checks


@dataclass(frozen=True)
class Mistake:
    """An action that lost something, from :meth:`GameReview.mistakes`."""

    #: The step, from 0.
    step: int
    #: The player who chose.
    player: int
    #: The action in words.
    played: str
    #: ``"inaccuracy"``, ``"mistake"`` or ``"blunder"``.
    grade: str
    #: The value that the player lost against the best action.
    loss: float
    #: The best action and the moves expected after it, in words.
    line: list[str]

    @property
    def mark(self) -> str:
        """The annotation of chess books: ``?!``, ``?`` or ``??``."""
        return {"inaccuracy": "?!", "mistake": "?", "blunder": "??"}[self.grade]


@dataclass(frozen=True, repr=False, eq=False)
class GameReview:
    """A player's review of a whole game, from :meth:`ludovec.Game.review`. Notebooks step through it."""

    #: The environment.
    env: str
    #: The players' names by seat.
    names: list[str]
    #: The reviewer.
    reviewer: str
    #: Meaning of the values: ``"outcome"`` of the game, in [-1, 1]; ``"points"`` at its end; ``"margin"``,
    #: these minus the mean of the others'; ``"lead"``, change of the lead in the next rounds, in (-1/2, 1/2),
    #: which does not compare between positions.
    unit: str
    #: The same as a phrase for people.
    unit_words: str
    #: float32 [steps + 1, P]: expected value of every position for each player.
    values: npt.NDArray[np.float32]
    #: One dict per position: ``player`` (None at the end), ``best`` and ``played`` (dicts with ``action``,
    #: ``label``, ``words``, ``move``, ``footprint``, ``share``, ``visits``, ``value``), ``line``, the best
    #: action and what is expected next, and ``action_values``, pairs of every legal action and its value.
    positions: list[dict[str, Any]]
    #: float32 [steps]: the value that each action lost; NaN where values do not say.
    losses: npt.NDArray[np.float32]
    #: The grade of each action: ``"good"``, ``"inaccuracy"``, ``"mistake"``, ``"blunder"``; None where values
    #: do not say.
    grades: list[str | None]
    #: Whether a search with four times the simulations agrees with the grade; without it, a loss is a doubt.
    confirmed: list[bool]
    #: The page of the game with the review: board, moves, curve of values, best lines.
    html: str

    def mistakes(self, count: int | None = None) -> list[Mistake]:
        """The actions that lost something without a doubt, the costliest first, at most ``count``."""
        if count is not None:
            count = checks.positive("count", count)
        found = [
            Mistake(
                step=step,
                player=position["player"],
                played=position["played"]["words"],
                grade=grade,
                loss=float(loss),
                line=position["line"],
            )
            for step, (position, loss, grade, sure) in enumerate(
                zip(self.positions, self.losses, self.grades, self.confirmed)
            )
            if grade not in (None, "good") and sure
        ]
        return sorted(found, key=lambda mistake: -mistake.loss)[:count]

    def _repr_html_(self) -> str:
        frame = "width:100%;height:46em;border:1px solid #8886;border-radius:8px"
        return f'<iframe srcdoc="{escape(self.html)}" title="review of a game" style="{frame}"></iframe>'

    def __str__(self) -> str:
        mistakes = self.mistakes()
        said = f"{len(mistakes)} of {len(self.losses)} actions cost something ({self.unit_words})"
        lines = [
            f"{mistake.step + 1:>4}  {self.names[mistake.player]}: {mistake.played} {mistake.mark} "
            f"{mistake.loss:.2f}; better: {', '.join(mistake.line)}"
            for mistake in mistakes[:20]
        ]
        return "\n".join([said, *lines])

    def __repr__(self) -> str:
        return f"<ludovec.GameReview of {self.env} by {self.reviewer}: {len(self.losses)} actions>"


def from_json(env: str, names: list[str], said: dict[str, Any], html: str) -> GameReview:
    """The review of the engine's JSON."""
    positions, prices = said["positions"], said["prices"]
    keys = ("player", "best", "line", "played", "action_values")
    return GameReview(
        env=env,
        names=names,
        reviewer=said["reviewer"],
        unit=said["unit"],
        unit_words=said["unit_words"],
        values=np.array([position["values"] for position in positions], np.float32),
        positions=[{key: position[key] for key in keys} for position in positions],
        losses=np.array([np.nan if price is None else price["loss"] for price in prices], np.float32),
        grades=[None if price is None else price["grade"] for price in prices],
        confirmed=[price is not None and price["confirmed"] for price in prices],
        html=html,
    )
