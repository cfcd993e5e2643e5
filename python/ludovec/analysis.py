"""What a player thinks of a position, to be read and looked at."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arguments, _core
from ._errors import config_error
from .networks import Network
from .registry import make
from .search import TreeSearch

if TYPE_CHECKING:
    from .game import Game

#: A player that says what it thinks: a text, a :class:`ludovec.Network`, a function
#: ``network(observations, action_mask_bits) -> (logits, values)`` as :meth:`ludovec.TreeSearch.run` takes it.
Thinker = str | Network | Callable[[Any, Any], tuple[Any, Any]]

#: What values speak of, by :attr:`Analysis.forecast`.
FORECASTS = {
    "outcome": "outcome of the game, -1 to 1",
    "score": "points to come, as the network counts them",
    "lead": "change of the lead in the next rounds, -1/2 to 1/2",
}


@dataclass(frozen=True, repr=False, eq=False)
class Analysis:
    """What a player thinks of a position; :meth:`ludovec.Game.analyse` makes it. Notebooks draw it."""

    #: The position.
    game: Game
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

    def to_svg(self, theme: str = "light", player: int | None = None, **look: Any) -> str:
        """The position with the policy over the board; arguments are those of :meth:`ludovec.Game.to_svg`."""
        return self.game.to_svg(theme, player, weights=self.policy, **look)

    def to_png(self, theme: str = "light", player: int | None = None, **look: Any) -> bytes:
        """The same as the bytes of a PNG file."""
        return self.game.to_png(theme, player, weights=self.policy, **look)

    def _repr_html_(self) -> str:
        cell = "<td style='text-align:{}'>{}</td>"
        actions = "".join(
            f"<tr>{cell.format('right', f'{share:.0%}')}{cell.format('left', escape(words))}</tr>"
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
        lines = [f"{share:>4.0%}  {words}" for _, words, share in self.best()]
        return "\n".join([f"{self.player} would play", *lines, f"expected: {self._expected()}"])

    def __repr__(self) -> str:
        return f"<ludovec.Analysis of {self.game.spec.env} by {self.player}: action {self.action}>"


def analyse(game: Game, player: Thinker, simulations: int | None) -> Analysis:
    """What a player thinks of a game in which somebody is to move."""
    if simulations is not None:
        simulations = _arguments.count("simulations", simulations)
    if isinstance(player, str):
        text = player if simulations is None else f"{player}:{simulations}"
        found = json.loads(game._core.analyse(text))
        policy = np.zeros(game.spec.num_actions, np.float32)
        policy[found["actions"]] = found["shares"]
        values = np.array(found["values"], np.float32)
        return Analysis(game.clone(), text, found["action"], policy, values, found["forecast"])
    if not callable(player):
        raise config_error(
            f"player={player!r:.100}: a text, a ludovec.Network or a function on arrays is needed"
        )
    return _by_network(game, player, simulations or 0)


def _by_network(
    game: Game, network: Network | Callable[[Any, Any], tuple[Any, Any]], simulations: int
) -> Analysis:
    name = getattr(network, "__name__", repr(network))
    options: Any = {key: value for key, value in game.spec.options.items() if value is not None}
    method = "gumbel"
    if isinstance(network, Network):
        options["reward"], method = network.reward, network.method
    if game.is_terminal:
        raise _core.GameOver("the game is finished")
    env = make(game.spec.env, 1, num_threads=1, **options)
    env.set_position(0, json.loads(game._core.to_json()))
    logits, values = (np.asarray(a, np.float32) for a in network(env.observations, env.action_mask_bits))
    players, actions = game.spec.players, game.spec.num_actions
    if logits.shape != (1, actions) or values.shape not in ((1,), (1, players)):
        raise config_error(
            f"player={name}: logits of shape (1, {actions}) and values of shape (1,) or (1, {players}) are "
            f"needed, {logits.shape} and {values.shape} were returned"
        )
    if simulations:
        search = TreeSearch(
            env,
            simulations,
            method=method,
            gumbel_scale=0.0,
            value="seat" if values.ndim == 1 else "seats",
            num_threads=1,
        )
        search.start()
        action = int(search.run(network)[0])
        return Analysis(
            game.clone(),
            f"{name}, {simulations} simulations",
            action,
            search.policy[0].copy(),
            search.values[0].copy(),
            str(env.game_spec.options["reward"]),
        )
    legal = game.legal_actions()
    weights = np.exp(logits[0, legal] - logits[0, legal].max())
    policy = np.zeros(actions, np.float32)
    policy[legal] = weights / weights.sum()
    mover = game.current_player
    # One value is that of the seat to move; with two seats the other one's is its negative.
    seats = values[0] if values.ndim == 2 else np.array([values[0], -values[0]][:players])
    expected = np.roll(seats, mover).astype(np.float32)
    forecast = str(env.game_spec.options["reward"])
    return Analysis(game.clone(), name, int(np.argmax(policy)), policy, expected, forecast)
