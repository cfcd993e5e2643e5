"""Games of OpenSpiel as environments: :func:`register`."""

from __future__ import annotations

import importlib
import re
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel
from open_spiel.python.observation import make_observation

from .._shared import checks
from .._shared.errors import config_error
from ..rules import register as register_class
from ._histories import Histories, MovesGame, alike, weights, whole_bytes

#: ``observe(state, player)``: whole numbers from 0 to 255.
Observe = Callable[[Any, int], npt.ArrayLike]


#: Decisions and random games from which highest values are taken, and how many games must reach one.
_DECISIONS, _SAMPLED, _REACHED = 10_000, 500, 5


def register(
    game: str | Any, id: str | None = None, *, observe: Observe | None = None, highest: int | None = None
) -> str:
    """Makes a game of OpenSpiel an environment and returns its id. Any game with turns works.

    >>> ludovec.openspiel.register("python_kuhn_poker", id="kuhn")
    'kuhn'
    >>> ludovec.tournament("kuhn", ["search:200", "random"], games=100)

    Chance nodes become draws inside the action or the set-up before them, and they are in the records. What a
    player does not know is drawn from all games in which its information states are the same, by the
    probabilities of chance; moves of others that it did not see are all equally likely.

    Args:
        game: A game, or its name with parameters as for ``pyspiel.load_game``.
        id: The id of the environment, by default the short name of the game.
        observe: The observation, a function of the state and the player. The default is the game's own
            tensor.
        highest: The highest number in it. By default 255 for ``observe``; for fields of the game's own tensor
            the highest value of random games if several of them reach it, otherwise 255.

    Raises:
        InvalidConfig: The game has simultaneous moves, chance that is sampled, or no tensor of whole numbers.
    """
    found: Any = game
    if isinstance(game, str):
        if game.startswith("python_"):
            # OpenSpiel knows its games in Python only after this import.
            importlib.import_module("open_spiel.python.games")
        try:
            found = pyspiel.load_game(game)
        except pyspiel.SpielError as error:
            what = str(error).partition(". Available games are")[0]
            raise config_error(f"game={game!r:.100}: {what}") from None
    if not isinstance(found, pyspiel.Game):
        raise config_error(f"game={game!r:.100}: a game of OpenSpiel or its name is needed")
    kind = found.get_type()
    short = kind.short_name
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
        raise config_error(f"{short}: only games with turns can be played, not simultaneous ones")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise config_error(f"{short}: its chance is sampled, explicit chance nodes are needed")
    id = re.sub(r"[^a-z0-9_]", "_", short.lower()) if id is None else checks.word("id", id)
    hidden = kind.information == pyspiel.GameType.Information.IMPERFECT_INFORMATION
    members = {
        **_sizes(found),
        "__doc__": kind.long_name,
        "id": id,
        "name": "".join(part.capitalize() for part in id.split("_")),
        "_game": found,
        "_histories": Histories(found.new_initial_state, _play, lambda state: state.clone()),
        "_hidden": {},
    }
    if kind.reward_model == pyspiel.GameType.RewardModel.REWARDS:
        members["scores"] = lambda self, state: self._at(state).returns()
    if observe is None:
        members.update(_tensor(found, highest))
    else:
        size = len(whole_bytes(observe(_first_decision(found), 0)))
        members["observation"] = {"observation": (size, 255 if highest is None else highest)}
        members["observe"] = lambda self, state, player: whole_bytes(observe(self._at(state), player))
    register_class(type(id, (_HiddenGame if hidden else _SpielGame,), members))
    return id


def _sizes(game: Any) -> dict[str, Any]:
    moves = game.max_game_length() + max(game.max_chance_nodes_in_history(), 0)
    return {
        "players": game.num_players(),
        "actions": game.num_distinct_actions(),
        "state": MovesGame.fields(moves),
        "max_episode_steps": game.max_game_length(),
        "reward_range": (game.min_utility(), game.max_utility()),
    }


def _play(state: Any, action: int) -> None:
    state.apply_action(action)


def _first_decision(game: Any) -> Any:
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    return state


def _highest(game: Any, parts_at: Callable[[Any, int], list[Any]]) -> list[int]:
    """The highest value of every part of the observation. A maximum that few games reach may be no bound."""
    rng = np.random.default_rng(0)
    maxima: list[list[int]] = []
    decisions = 0
    while len(maxima) < _SAMPLED and (len(maxima) < _REACHED or decisions < _DECISIONS):
        state, found = game.new_initial_state(), [0] * len(parts_at(_first_decision(game), 0))
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, shares = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(outcomes[rng.choice(len(outcomes), p=np.array(shares) / sum(shares))])
                continue
            for player in range(game.num_players()):
                seen = [int(part.max()) for part in map(whole_bytes, parts_at(state, player))]
                found = [*map(max, found, seen)]
            state.apply_action(int(rng.choice(state.legal_actions())))
            decisions += 1
        maxima.append(found)
    columns = zip(*maxima, strict=True)
    most = [(max(column), column.count(max(column))) for column in columns]
    return [max(1, value) if reached >= _REACHED else 255 for value, reached in most]


def _tensor(game: Any, highest: int | None) -> dict[str, Any]:
    """The game's own observation."""
    kind = game.get_type()
    if not (kind.provides_observation_tensor or kind.provides_information_state_tensor):
        raise config_error(f"{kind.short_name}: the game has no tensor: give the argument observe")
    perfect_recall = not kind.provides_observation_tensor
    own = threading.local()

    def observer_of_thread() -> Any:
        # An observer writes into one array, so every thread has its own.
        if not hasattr(own, "observer"):
            kind_of = pyspiel.IIGObservationType(perfect_recall=perfect_recall)
            own.observer = make_observation(game, kind_of)
        return own.observer

    def parts_at(node: Any, player: int) -> list[Any]:
        observer = observer_of_thread()
        observer.set_from(node, player)
        return [part for part in observer.dict.values() if np.size(part)] or [observer.tensor]

    parts = parts_at(_first_decision(game), 0)
    named = [name for name, part in observer_of_thread().dict.items() if np.size(part)] or ["observation"]
    most = _highest(game, parts_at) if highest is None else [highest] * len(parts)
    fields = {name: (int(np.size(part)), high) for name, part, high in zip(named, parts, most, strict=True)}

    def observe(self: Any, state: Any, player: int) -> npt.NDArray[np.uint8]:
        return np.concatenate([whole_bytes(part) for part in parts_at(self._at(state), player)])

    return {"observation": fields, "observe": observe}


class _SpielGame(MovesGame):
    """The rules of a game of OpenSpiel. The moves of a state are its history, chance outcomes among them."""

    _game: Any
    _histories: Histories[Any]
    _hidden: dict[tuple[bytes, int], tuple[list[bytes], list[float]]]

    def _at(self, state: Any) -> Any:
        return self._histories.at(self.moves(state))

    def _draw(self, moves: bytes, chance: Any) -> bytes:
        """Draws the chance outcomes that follow."""
        while (node := self._histories.at(moves)).is_chance_node():
            outcomes = node.chance_outcomes()
            drawn = outcomes[chance.weighted(weights([share for _, share in outcomes]))][0]
            moves += np.int32(drawn).tobytes()
        return moves

    def init(self, state: Any, chance: Any) -> None:
        self.put(state, self._draw(b"", chance))

    def step(self, state: Any, action: int, chance: Any) -> None:
        self.put(state, self._draw(self.moves(state) + np.int32(action).tobytes(), chance))

    def legal(self, state: Any) -> list[int]:
        legal: list[int] = self._at(state).legal_actions()
        return legal

    def current_player(self, state: Any) -> int | None:
        node = self._at(state)
        return None if node.is_terminal() else int(node.current_player())

    def returns(self, state: Any) -> list[float]:
        returns: list[float] = self._at(state).returns()
        return returns

    def validate(self, state: Any) -> None:
        for before, move in self.beginnings(state):
            node = self._histories.at(before)
            if node.is_terminal() or move not in node.legal_actions():
                raise ValueError(f"moves: {move} is illegal after {len(before) // 4} moves")
        if self._at(state).is_chance_node():
            raise ValueError("moves: an outcome of chance is missing at their end")

    def action_to_string(self, state: Any, action: int) -> str:
        node = self._at(state)
        return str(node.action_to_string(node.current_player(), action))

    def to_text(self, state: Any, player: int | None) -> str:
        return str(self._at(state))


class _HiddenGame(_SpielGame):
    """A game with hidden information."""

    def _knows(self, moves: bytes, player: int) -> str | None:
        """What a player knows after these moves; None at chance nodes."""
        node = self._histories.at(moves)
        if node.is_chance_node():
            return None
        kind = self._game.get_type()
        if kind.provides_information_state_string and not node.is_terminal():
            return str(node.information_state_string(player))
        return str(node.observation_string(player)) if kind.provides_observation_string else ""

    def _following(self, moves: bytes) -> list[tuple[int, float]]:
        node = self._histories.at(moves)
        if node.is_terminal():
            return []
        if node.is_chance_node():
            outcomes: list[tuple[int, float]] = node.chance_outcomes()
            return outcomes
        legal = node.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]

    def determinize(self, state: Any, player: int, chance: Any) -> None:
        moves = self.moves(state)
        found = self._hidden.get((moves, player))
        if found is None:
            known = {end: self._knows(moves[:end], player) for end in range(4, len(moves) + 1, 4)}
            nodes = {end: self._histories.at(moves[:end]) for end in range(0, len(moves) + 1, 4)}

            def fits(begun: bytes) -> bool:
                node, real = self._histories.at(begun), nodes[len(begun)]
                if node.current_player() != real.current_player() or self._own(begun, moves, player):
                    return False
                return self._knows(begun, player) == known[len(begun)]

            found = alike(moves, fits, self._following)
            if len(self._hidden) >= 10_000:
                self._hidden.clear()
            self._hidden[moves, player] = found
        histories, shares = found
        self.put(state, histories[chance.weighted(weights(shares))])

    def _own(self, begun: bytes, moves: bytes, player: int) -> bool:
        """Whether the last move is another one than the player's own at this place."""
        before = begun[:-4]
        return (
            self._histories.at(before).current_player() == player
            and begun[-4:] != moves[len(before) : len(begun)]
        )

    def to_text(self, state: Any, player: int | None) -> str:
        return (
            super().to_text(state, None) if player is None else self._knows(self.moves(state), player) or ""
        )
