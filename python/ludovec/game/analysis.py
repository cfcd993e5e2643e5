"""Analysis of a position by a player: policy and values, as data and as a drawing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._shared import checks
from .._shared.errors import config_error
from ..networks import answered
from ..players import FunctionPlayer

if TYPE_CHECKING:
    from ..spec import Spec
    from ..typing import Theme

#: A player with policy and values: a string, or a function ``network(observations, action_mask_bits) ->
#: (logits, values)`` as for :meth:`ludovec.TreeSearch.run`, for example a :class:`ludovec.Network`.
AnalysisPlayer = str | Callable[[Any, Any], tuple[Any, Any]]

#: Meaning of the values, by :attr:`Analysis.forecast`.
FORECASTS = {
    "outcome": "outcome of the game, -1 to 1",
    "score": "points to come",
    "margin": "points to come minus the mean of the others'",
    "lead": "change of the lead in the next rounds, -1/2 to 1/2",
}


def evaluating(network: Any, name: str, spec: Spec) -> Callable[[Any, Any], tuple[Any, Any]]:
    """Adapts a network to the engine: flat observations in, float32 arrays with checked shapes out."""
    players, actions = spec.players, spec.num_actions
    function = network.evaluator(spec) if isinstance(network, FunctionPlayer) else network

    def evaluate(observations: npt.NDArray[np.uint8], bits: npt.NDArray[np.uint64]) -> tuple[Any, Any]:
        n = len(observations)
        answer = answered(function, observations.reshape(n, *spec.observation_shape), bits)
        logits, values = (np.ascontiguousarray(array, np.float32) for array in answer)
        if logits.shape != (n, actions) or values.shape not in ((n,), (n, players)):
            raise config_error(
                f"player={name}: logits of shape ({n}, {actions}) and values of shape ({n},) or "
                f"({n}, {players}) are needed, {logits.shape} and {values.shape} were returned"
            )
        return logits, values

    return evaluate


def _percent(share: float) -> str:
    """A share in whole percents, halves rounded up as in drawings."""
    return f"{int(100 * share + 0.501)} %"


@dataclass(frozen=True, repr=False, eq=False)
class Analysis:
    """Policy and values of a player in a position, from :meth:`ludovec.Game.analyse`. Notebooks draw it."""

    #: The position: a copy of the :class:`ludovec.Game`.
    game: Any
    #: The player that was asked.
    player: str
    #: The action that it would play.
    action: int
    #: float32 [A]: share of the simulations of each action, or the network's policy without a search; 0 for
    #: illegal actions, sum 1. No share is larger than that of :attr:`action`.
    policy: npt.NDArray[np.float32]
    #: float32 [P]: expected value for each player.
    values: npt.NDArray[np.float32]
    #: Meaning of the values: ``"outcome"`` of the game, in [-1, 1]; ``"score"``, points to come;
    #: ``"margin"``, points to come minus the mean of the others';
    #: ``"lead"``, change of the lead over the others in the next rounds, in (-1/2, 1/2).
    forecast: str

    def best(self, count: int = 5) -> list[tuple[int, str, float]]:
        """The chosen action, then the others by share, at most ``count``: index, words, share."""
        legal = np.array(self.game.legal_actions())
        order = np.lexsort((-self.policy[legal], legal != self.action))
        best = legal[order][: checks.positive("count", count)].tolist()
        return [(action, self.game.action_in_words(action), float(self.policy[action])) for action in best]

    def to_svg(self, theme: Theme = "light", player: int | None = None, **drawing: Any) -> str:
        """The position with the policy drawn over the board; arguments as for :meth:`ludovec.Game.to_svg`."""
        svg: str = self.game.to_svg(theme, player, weights=self.policy, **drawing)
        return svg

    def to_png(self, theme: Theme = "light", player: int | None = None, **drawing: Any) -> bytes:
        """The drawing of :meth:`to_svg` as a PNG file."""
        png: bytes = self.game.to_png(theme, player, weights=self.policy, **drawing)
        return png

    def _repr_html_(self) -> str:
        cell = "<td style='text-align:{}'>{}</td>"
        actions = "".join(
            f"<tr>{cell.format('right', _percent(share))}{cell.format('left', escape(words))}</tr>"
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
        lines = [f"{_percent(share):>5}  {words}" for _, words, share in self.best()]
        return "\n".join([f"{self.player} would play", *lines, f"expected: {self._expected()}"])

    def __repr__(self) -> str:
        return f"<ludovec.Analysis of {self.game.spec.env} by {self.player}: action {self.action}>"
