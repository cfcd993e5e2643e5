"""Maps from a seed."""

from __future__ import annotations

from .game_map import MapGraph
from .rng import SeededRNG
from .state import GameConfig, GameState


def generate_map(num_players: int, rng: int | SeededRNG) -> MapGraph:
    """The map of games with this number of players and this ``map_seed``; a :class:`SeededRNG` draws one."""
    seed = rng.random_int(0, 2**63 - 1) if isinstance(rng, SeededRNG) else rng
    return GameState(GameConfig(num_players, map_seed=seed).game()).map
