"""Costs of regions."""

from __future__ import annotations

from .state import GameState, checked


def compute_base_conquest_cost(region_id: int, game_state: GameState) -> int:
    """Tokens that a conquest of a region needs before discounts of a race or power."""
    region = checked(game_state).map.get_region(region_id).id
    cost: int = game_state._answers["base_costs"][region]
    return cost


def compute_conquest_cost(region_id: int, game_state: GameState, player_id: int) -> int | None:
    """Tokens that a player's active race needs to conquer a region, at least 1; None if it never can: the
    region is its own, immune, at peace with it, or water without Seafaring."""
    region = checked(game_state).map.get_region(region_id).id
    seen = game_state._seen(game_state._player(player_id))
    cost: int | None = seen["map"]["regions"][region]["conquest_cost"]
    return cost


def can_conquer_region(region_id: int, game_state: GameState, player_id: int) -> bool:
    """True if a player's race may attack a region and the tokens in hand suffice, possibly with the die.

    As in the original, this does not depend on the race's reach; see :func:`get_conquerable_regions`.
    """
    region = checked(game_state).map.get_region(region_id).id
    return region in game_state._answers["players"][game_state._player(player_id)]["conquerable"]
