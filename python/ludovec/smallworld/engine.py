"""Games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._shared import checks
from .._shared.errors import config_error
from ..game import Game
from .actions import Action, get_conquerable_regions
from .combo import ComboRow
from .conquest import compute_conquest_cost
from .enums import Phase
from .game_map import MapGraph
from .state import GameConfig, GameState


class SmallWorldGame:
    """One game."""

    def __init__(self, config: GameConfig | None = None) -> None:
        if not (config is None or isinstance(config, GameConfig)):
            raise config_error(f"config={config!r:.100}: a GameConfig is needed")
        self.config = GameConfig() if config is None else config
        #: The game as a :class:`ludovec.Game`.
        self.game = self.config.game()

    # ---- observing ----

    def get_current_player(self) -> int:
        """The current player."""
        return self.game.current_player

    def get_observation(self, player_id: int) -> dict[str, Any]:
        """The observation of a player: ``game, map, combo_row, self, opponents, legal_actions``.

        Coins of opponents are ``"HIDDEN"``.
        """
        return self.game.observation_object(player_id)

    def get_phase(self) -> Phase:
        """The phase; ``GAME_OVER`` at the end."""
        return Phase.GAME_OVER if self.is_game_over() else self.state.phase

    def is_game_over(self) -> bool:
        """True once the game is over."""
        return self.game.is_terminal

    def get_results(self) -> dict[str, Any]:
        """``scores`` by player, ``rankings`` (players, best first), ``winner`` (None if several share the
        first place) and ``winners``."""
        scores, returns = self.game.scores(), self.game.returns()
        rankings = sorted(range(len(scores)), key=lambda player: (-returns[player], -scores[player]))
        best = [player for player in rankings if returns[player] == returns[rankings[0]]]
        return {
            "scores": [int(score) for score in scores],
            "rankings": rankings,
            "winner": best[0] if self.is_game_over() and len(best) == 1 else None,
            "winners": best if self.is_game_over() else [],
        }

    @property
    def state(self) -> GameState:
        """The state at this moment, as objects."""
        return GameState(self.game)

    _state = state

    @property
    def map(self) -> MapGraph:
        """The map; it never changes."""
        return self.state.map

    @property
    def combo_row(self) -> ComboRow:
        """The combos to choose from; the first is free, each further one costs a coin more."""
        return self.state.combo_row

    def compute_conquest_cost(self, region_id: int, player_id: int | None = None) -> int | None:
        """Tokens that the active race of a player, by default the current one, needs to conquer a region.

        None if it never can."""
        player = self.get_current_player() if player_id is None else player_id
        return compute_conquest_cost(region_id, self.state, player)

    def get_conquerable_regions(self) -> list[int]:
        """Regions that the current player may conquer, including by a final attempt with the die."""
        return get_conquerable_regions(self.state, self.get_current_player())

    # ---- actions ----

    def get_legal_actions(self) -> list[dict[str, Any]]:
        """The legal actions of the current player."""
        return self.game.legal_moves()

    def get_legal_sequences(self) -> Iterator[list[str]]:
        """Sequences of actions, as text, up to the end of the current player's phase.

        A sequence ends when the phase or the player changes, or when chance decides. Sequences are generated
        lazily: there are thousands of ways to redeploy.

        >>> list(game.get_legal_sequences())[:2]
        [['PICK_COMBO 0'], ['PICK_COMBO 1']]
        """
        return _sequences(self.game.clone())

    def submit_action(self, player_id: int, action: Action) -> dict[str, Any]:
        """Plays an action; returns ``phase``, ``current_player`` and ``game_over`` afterwards.

        Raises:
            IllegalAction, InvalidPhase, GameOver: The action is refused; the message says why.
        """
        self.game.submit(player_id, action)
        return self._result()

    def submit_sequence(self, player_id: int, words: Sequence[str]) -> dict[str, Any]:
        """Plays actions given as text, all of them or none.

        Raises:
            IllegalAction, InvalidPhase, GameOver: An action is refused; the message says why.
        """
        trial = self.game.clone()
        for text in checks.words("words", words):
            trial.submit(player_id, trial.action_to_move(trial.string_to_action(text)))
        self.game = trial
        return self._result()

    def _result(self) -> dict[str, Any]:
        return {
            "phase": self.get_phase(),
            "current_player": self.get_current_player(),
            "game_over": self.is_game_over(),
        }

    # ---- replay ----

    @property
    def action_log(self) -> list[dict[str, Any]]:
        """The actions played so far: ``player_id`` and ``action`` of every step."""
        return self.state.action_log

    @staticmethod
    def replay(config: GameConfig, action_log: Iterable[Mapping[str, Any]]) -> SmallWorldGame:
        """Replays a log from the start of a configuration.

        Raises:
            IllegalAction, InvalidPhase, GameOver: An action of the log is illegal.
        """
        game = SmallWorldGame(config)
        if not isinstance(action_log, Iterable):
            raise config_error(f"action_log={action_log!r:.100}: a list of entries is needed")
        for entry in action_log:
            if not isinstance(entry, Mapping) or not {"player_id", "action"} <= set(entry):
                raise config_error(f"action_log: {entry!r:.100}: player_id and action are needed")
            game.submit_action(entry["player_id"], entry["action"])
        return game


def _sequences(game: Game) -> Iterator[list[str]]:
    place = game.current_player, game.observation_object()["game"]["phase"]
    for action in game.legal_actions():
        words, after = game.action_to_string(action), game.clone()
        after.step(action)
        here = after.current_player, after.observation_object()["game"]["phase"]
        if after.is_terminal or here != place or after.log[-1].get("chance"):
            yield [words]
        else:
            for rest in _sequences(after):
                yield [words, *rest]
