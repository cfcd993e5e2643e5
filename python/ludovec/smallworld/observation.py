"""Observation of a player."""

from __future__ import annotations

from typing import Any

from .state import GameState, checked


def build_observation(game_state: GameState, player_id: int) -> dict[str, Any]:
    """The observation of a player: ``game, map, combo_row, self, opponents, legal_actions``.

    Coins of opponents are ``"HIDDEN"``.
    """
    return checked(game_state).game.observation_object(player_id)
