"""Income of a player."""

from __future__ import annotations

from .state import GameState, checked


def compute_player_score(game_state: GameState, player_id: int) -> int:
    """Coins that a player earns if the turn ends now; conquests count in the player's own turn only."""
    player = checked(game_state)._player(player_id)
    income: int = game_state._answers["players"][player]["income"]
    return income
