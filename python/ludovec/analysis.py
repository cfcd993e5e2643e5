"""What a player thinks of a position, to be read and looked at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arguments
from ._errors import config_error
from .networks import answered

if TYPE_CHECKING:
    from .spec import Spec
    from .typing import Theme

#: A player that says what it thinks: a text, or a function ``network(observations, action_mask_bits) ->
#: (logits, values)`` as :meth:`ludovec.TreeSearch.run` takes it, a :class:`ludovec.Network` for one.
Thinker = str | Callable[[Any, Any], tuple[Any, Any]]

#: What values speak of, by :attr:`Analysis.forecast`.
FORECASTS = {
    "outcome": "outcome of the game, -1 to 1",
    "score": "points to come, as the network counts them",
    "lead": "change of the lead in the next rounds, -1/2 to 1/2",
}


def evaluating(network: Any, name: str, spec: Spec) -> Callable[[Any, Any], tuple[Any, Any]]:
    """A network as the engine asks it: flat observations in, float32 arrays of checked shapes out."""
    players, actions = spec.players, spec.num_actions

    def evaluate(observations: npt.NDArray[np.uint8], bits: npt.NDArray[np.uint64]) -> tuple[Any, Any]:
        n = len(observations)
        answer = answered(network, observations.reshape(n, *spec.observation_shape), bits)
        logits, values = (np.ascontiguousarray(array, np.float32) for array in answer)
        if logits.shape != (n, actions) or values.shape not in ((n,), (n, players)):
            raise config_error(
                f"player={name}: logits of shape ({n}, {actions}) and values of shape ({n},) or "
                f"({n}, {players}) are needed, {logits.shape} and {values.shape} were returned"
            )
        return logits, values

    return evaluate


@dataclass(frozen=True, repr=False, eq=False)
class Analysis:
    """What a player thinks of a position; :meth:`ludovec.Game.analyse` makes it. Notebooks draw it."""

    #: The position: a copy of the :class:`ludovec.Game`.
    game: Any
    #: Who was asked.
    player: str
    #: What it would play.
    action: int
    #: float32 [A]: how likely it finds each action to be the best; 0 for illegal ones, 1 in all.
    policy: npt.NDArray[np.float32]
    #: float32 [P]: what it expects for every seat.
    values: npt.NDArray[np.float32]
    #: What the values speak of: ``"outcome"`` of the game, in [-1, 1]; ``"score"``, points to come, as the
    #: network counts them (the growth of a score, or of a lead over the others);
    #: ``"lead"``, how the lead over the others changes in the next rounds, in (-1/2, 1/2).
    forecast: str

    def best(self, count: int = 5) -> list[tuple[int, str, float]]:
        """The action that it would play and the likeliest others, ``count`` at most: index, words, share."""
        legal = np.array(self.game.legal_actions())
        order = np.lexsort((-self.policy[legal], legal != self.action))
        best = legal[order][: _arguments.positive("count", count)].tolist()
        return [(action, self.game.action_in_words(action), float(self.policy[action])) for action in best]

    def to_svg(self, theme: Theme = "light", player: int | None = None, **look: Any) -> str:
        """The position with the policy over the board; arguments are those of :meth:`ludovec.Game.to_svg`."""
        svg: str = self.game.to_svg(theme, player, weights=self.policy, **look)
        return svg

    def to_png(self, theme: Theme = "light", player: int | None = None, **look: Any) -> bytes:
        """The same as the bytes of a PNG file."""
        png: bytes = self.game.to_png(theme, player, weights=self.policy, **look)
        return png

    def _repr_html_(self) -> str:
        cell = "<td style='text-align:{}'>{}</td>"
        actions = "".join(
            f"<tr>{cell.format('right', f'{100 * share:.0f} %')}{cell.format('left', escape(words))}</tr>"
            for _, words, share in self.best()
        )
        return (
            f"<div style='display:flex;flex-wrap:wrap;gap:1em'><div>{self.to_svg(size=540)}</div><div>"
            f"<table><caption>{escape(self.player)} would play</caption>{actions}</table>"
            f"<p>expected: {escape(self._expected())}</p></div></div>"
        )

    def _expected(self) -> str:
        values = ", ".join(f"{name} {value:+.2f}" for name, value in zip(self.game.names, self.values))
        return f"{values} ({FORECASTS[self.forecast]})"

    def __str__(self) -> str:
        lines = [f"{100 * share:>3.0f} %  {words}" for _, words, share in self.best()]
        return "\n".join([f"{self.player} would play", *lines, f"expected: {self._expected()}"])

    def __repr__(self) -> str:
        return f"<ludovec.Analysis of {self.game.spec.env} by {self.player}: action {self.action}>"
