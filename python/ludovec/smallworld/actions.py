"""Legal actions of a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from .enums import ActionType
from .state import GameState, checked

#: An action: its ``"type"`` and parameters.
Action: TypeAlias = "Mapping[str, Any]"

_CONQUESTS = (ActionType.CONQUER, ActionType.FINAL_CONQUEST)


def validate_action(game_state: GameState, player_id: int, action: Action) -> None:
    """Returns if an action is legal.

    Raises:
        IllegalAction, InvalidPhase, GameOver: It is refused; the message says why.
    """
    checked(game_state).game.clone().submit(player_id, action)


def get_legal_actions(game_state: GameState) -> list[dict[str, Any]]:
    """The legal actions of the current player."""
    return checked(game_state).game.legal_moves()


def get_conquerable_regions(game_state: GameState, player_id: int) -> list[int]:
    """Regions that a player may conquer now, including by a final attempt with the die; none while another
    player acts."""
    if checked(game_state)._player(player_id) != game_state.current_player:
        return []
    return sorted({a["region"] for a in get_legal_actions(game_state) if a["type"] in _CONQUESTS})
