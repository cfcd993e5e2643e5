"""Types of actions, and phases that follow."""

from __future__ import annotations

from .actions import get_legal_actions
from .enums import ActionType, Phase
from .state import GameState, checked


def get_legal_action_types(game_state: GameState) -> list[ActionType]:
    """Types of the legal actions of the current player."""
    legal = {action["type"] for action in get_legal_actions(game_state)}
    return [action_type for action_type in ActionType if action_type in legal]


def get_post_redeploy_phases(game_state: GameState, player_id: int) -> list[Phase]:
    """Phases between ``REDEPLOY`` and ``SCORE`` that the power of a player's active race adds.

    A game skips a phase without a choice, for example ``PLACE_FORTRESS`` after the sixth fortress.
    """
    player = checked(game_state)._player(player_id)
    return [Phase(phase) for phase in game_state._answers["players"][player]["post_redeploy_phases"]]
