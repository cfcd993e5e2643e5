"""OpenSpiel: every environment as a Python game of ``pyspiel``, with explicit chance and resampling.

Importing the module registers ``ludovec_<env>``, so ``pyspiel.load_game("ludovec_tilewe(players=2)")`` works;
:func:`load_game` is the same with options as keyword arguments.

- **Chance.** Each draw of an action is a chance node, for which the outcomes are numbered. A new game begins
  with the draws of its set-up, unless it starts from a position.
- **Information.** ``information_state_string`` has perfect recall (:meth:`ludovec.Game.information_state`).
  ``observation_tensor`` is the observation, one float per byte. ``resample_from_infostate`` determinizes
  (:meth:`ludovec.Game.determinize`), as IS-MCTS needs.
- **Returns** are outcomes in [-1, 1] with sum 0, paid at the end; 0 after a truncation.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import SingleGame
from .._shared import checks
from .._shared.errors import config_error, state_error
from .._shared.extras import extra
from ..game import Game
from ..game.positions import position_like, scratch
from ..spec import Spec, list_envs, spec

if TYPE_CHECKING:
    from ..game.positions import PositionLike
    from ..typing import EnvId

with extra("openspiel"):
    import pyspiel

    from .openspiel_games import register as register

__all__ = ["OpenSpielGame", "OpenSpielState", "load_game", "register"]


#: Chance outcomes of a draw, at most.
_MOST_OUTCOMES = 1 << 16
#: Options that the interface of OpenSpiel decides.
_DECIDED = ("reward", "on_illegal")
#: Values of a parameter that stand for "not given".
_NOT_GIVEN: dict[str, Any] = {"int": -1, "float": -1.0, "bool": None}


def load_game(id: EnvId, *, position: PositionLike | None = None, **options: Any) -> OpenSpielGame:
    """The game ``ludovec_<id>`` of OpenSpiel under the options of the environment.

    >>> game = ludovec.openspiel.load_game("starwars_risk", max_rounds=3)
    >>> state = game.new_initial_state()
    >>> while state.is_chance_node():
    ...     state.apply_action(state.chance_outcomes()[0][0])
    >>> action = state.legal_actions()[0]

    Args:
        position: The first position, as for ``starts`` of :func:`ludovec.make`: for endgames that are small
            enough for CFR and best responses. The players know this position.
        options: The environment's options, except ``reward`` and ``on_illegal``.
    """
    for name in _DECIDED:
        if name in options:
            raise config_error(f"{name}: it is not an option of games for OpenSpiel")
    checks.word("id", id)
    known: Spec = spec(id, **options)
    params = {name: value for name, value in options.items() if value is not None}
    params = {name: v if _kinds(known)[name] in _NOT_GIVEN else _text(v) for name, v in params.items()}
    if position is not None:
        params["position"] = _snapshot(known, position).hex()
    game: OpenSpielGame = _CLASSES[known.env](params)
    return game


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _kinds(known: Spec) -> dict[str, str]:
    return {option["name"]: option["type"] for option in known.option_list if option["name"] not in _DECIDED}


def _defaults(usual: Spec) -> dict[str, Any]:
    """All parameters of a game with their defaults."""
    found: dict[str, Any] = {}
    for option in usual.option_list:
        name, kind, value = option["name"], option["type"], option["default"]
        if name not in _DECIDED:
            found[name] = _NOT_GIVEN.get(kind, "") if value is None else value
            if kind not in _NOT_GIVEN:
                found[name] = _text(found[name])
    return {**found, "position": ""}


def _snapshot(known: Spec, position: PositionLike) -> bytes:
    """A position as the bytes of a snapshot."""
    one = scratch(known, 1)
    one.set_position(0, position_like("position", position))
    return one.save(np.zeros(1, dtype=np.uint32))


class OpenSpielGame(pyspiel.Game):
    """A game of OpenSpiel; :func:`load_game` makes one."""

    def __init__(self, id: EnvId, params: Any = None) -> None:
        given = dict(params or {})
        first = checks.word("position", given.get("position", ""))
        usual = spec(id)
        kinds = _kinds(usual)
        for name in given:
            if name not in kinds and name != "position":
                raise config_error(f"{name}: the parameters of {id} are {', '.join([*kinds, 'position'])}")
        options = {
            name: given[name]
            for name, kind in kinds.items()
            if name in given and given[name] != _NOT_GIVEN.get(kind, "")
        }
        #: The spec of the environment.
        self.game_spec: Spec = spec(id, **options)
        self._first: Game | None = None
        if first:
            self._first = _from_snapshot(self.game_spec, first)
        players = self.game_spec.players
        info = pyspiel.GameInfo(
            num_distinct_actions=self.game_spec.num_actions,
            max_chance_outcomes=_MOST_OUTCOMES,
            num_players=players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.game_spec.max_episode_steps,
        )
        super().__init__(_game_type(usual, players), info, {**_defaults(usual), **given})

    def __reduce__(self) -> Any:
        # pyspiel's own pickles leave out what Python adds.
        return _CLASSES[self.game_spec.env], (dict(self.get_parameters()),)

    def new_initial_state(self) -> OpenSpielState:
        """The first state: a chance node if the set-up draws."""
        return OpenSpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """A bound without meaning: actions may draw many times."""
        return 2**30

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer | None:
        """The observer of a player: of its observation, or with perfect recall of its information state.

        None for the public or the private part alone, which are not separate here.
        """
        kind = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        one = pyspiel.PrivateInfoType.SINGLE_PLAYER
        if not kind.public_info or kind.private_info != one:
            return None
        return Observer(self.game_spec, bool(kind.perfect_recall), params)


def _game_type(usual: Spec, players: int) -> Any:
    return pyspiel.GameType(
        short_name=f"ludovec_{usual.env}",
        long_name=f"Ludovec {usual.name}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION
        if usual.hidden_information
        else pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(players, 8),
        min_num_players=min(players, 2),
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **_defaults(usual),
        },
    )


def _from_snapshot(known: Spec, digits: str) -> Game:
    """The game at a position in hexadecimal digits."""
    try:
        data = bytes.fromhex(digits)
    except ValueError as error:
        raise state_error("position: the hexadecimal digits of a snapshot are needed") from error
    one = scratch(known, 1)
    one.restore(np.zeros(1, dtype=np.uint32), data)
    return Game._wrap(one.game(0), known)


class OpenSpielState(pyspiel.State):
    """A state of OpenSpiel: a position, or a draw of chance after an action."""

    def __init__(self, game: OpenSpielGame) -> None:
        super().__init__(game)
        first = game._first
        #: The position before the pending action; before the set-up, any game of this environment.
        self._play: Game = first.clone() if first is not None else _anything(game.game_spec)
        #: The action with unfinished draws, -1 for the set-up; None at a decision.
        self._pending: int | None = None
        #: Outcomes of these draws so far, and the weights of the next one.
        self._script: list[int] = []
        self._weights: list[int] = []
        if first is None:
            self._draw(-1, [])

    def _draw(self, action: int, script: list[int]) -> None:
        """Goes on to the next draw of an action, or plays the action if its draws are complete."""
        weights = self._play._core.next_draw(None if action < 0 else action, script)
        if weights is not None:
            self._pending, self._script, self._weights = action, script, weights
            return
        if action < 0:
            known = self._play.spec
            self._play = Game._wrap(SingleGame.scripted(known.env, known.options, script), known)
        else:
            self._play.step_scripted(action, script)
        self._pending, self._script, self._weights = None, [], []

    @property
    def play(self) -> Game:
        """A copy of the position."""
        return self._play.clone()

    # ---- OpenSpiel ----

    def current_player(self) -> int:
        """The current player, or a special id for chance and for the end of the game."""
        if self._pending is not None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self._play.is_terminal else self._play.current_player

    def _legal_actions(self, player: int) -> list[int]:
        return self._play.legal_actions()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The outcomes of the draw with their probabilities."""
        total = sum(self._weights)
        return [(outcome, weight / total) for outcome, weight in enumerate(self._weights) if weight]

    def _apply_action(self, action: int) -> None:
        if self._pending is None:
            self._draw(int(action), [])
        else:
            self._draw(self._pending, [*self._script, int(action)])

    def _action_to_string(self, player: int, action: int) -> str:
        return f"draw {action}" if player < 0 else self._play.action_to_string(action)

    def is_terminal(self) -> bool:
        """True at the end of the game, by its rules or by a limit."""
        return self._pending is None and self._play.is_terminal

    def returns(self) -> list[float]:
        """The outcome of each player; the sum is 0."""
        found = self._play.returns().astype(np.float64)
        if self._pending is not None:
            found[:] = 0
        exact: list[float] = (found - found.mean()).tolist()
        return exact

    def resample_from_infostate(self, player: int, sampler: Any) -> OpenSpielState:
        """A state that the player cannot tell from this one; ``sampler()`` is a uniform number in [0, 1)."""
        other: OpenSpielState = self.clone()
        other._play = self._play.determinize(player, int(sampler() * 2**53))
        return other

    def __str__(self) -> str:
        shown = "" if self._pending == -1 else self._play.to_text(None)
        if self._pending is None:
            return shown
        return f"{shown}\ndraws of {self._pending}: {self._script}"


def _anything(known: Spec) -> Game:
    return Game._wrap(SingleGame.start(known.env, known.options, 0), known)


class Observer:
    """Observer of a player (``PyObserver``): a string, and without perfect recall a tensor."""

    def __init__(self, known: Spec, recalls: bool, params: Any) -> None:
        if params:
            raise config_error(f"params={params!r:.100}: an observer has none")
        self._recalls = recalls
        #: float32 [L], empty with perfect recall.
        self.tensor = np.zeros(0 if self._recalls else known.observation_len, np.float32)
        self.dict = {} if self._recalls else {"observation": self.tensor.reshape(known.observation_shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Writes the observation of a player into ``tensor`` and ``dict``."""
        if self._recalls:
            return
        if state._pending == -1:
            self.tensor[:] = 0
        else:
            self.tensor[:] = state._play.observation(player).reshape(-1)

    def string_from(self, state: OpenSpielState, player: int) -> str:
        """The information state of a player as JSON; empty before the end of the set-up."""
        if state._pending == -1:
            return ""
        look = state._play.information_state if self._recalls else state._play.observation_object
        return json.dumps(look(player), separators=(",", ":"))


def _class(id: EnvId) -> type[OpenSpielGame]:
    """The class of the games of an environment, as OpenSpiel makes them from parameters."""

    def __init__(self: Any, params: Any = None) -> None:
        OpenSpielGame.__init__(self, id, params)

    name = f"{spec(id).name}Game"
    return type(name, (OpenSpielGame,), {"__init__": __init__, "__module__": __name__, "__qualname__": name})


#: The class of each environment, made from parameters.
_CLASSES: dict[EnvId, Any] = {id: _class(id) for id in list_envs()}
_id: EnvId
for _id, _registered in _CLASSES.items():
    _usual = spec(_id)
    # Pickles name classes of this module.
    globals()[_registered.__name__] = _registered
    # OpenSpiel releases registered objects after the end of the interpreter. Classes allow that, as they
    # refer to themselves and are never freed.
    pyspiel.register_game(_game_type(_usual, _usual.players), _registered)
