"""Small World in the original's terms: games, maps, combos, costs, sequences of actions in words.

>>> from ludovec.smallworld import GameConfig, SmallWorldGame
>>> config = GameConfig(num_players=3, seed=42)
>>> game = SmallWorldGame(config)
>>> while not game.is_game_over():
...     player_id = game.get_current_player()
...     observation = game.get_observation(player_id)
...     action = game.get_legal_actions()[0]
...     result = game.submit_action(player_id, action)
>>> game.get_results()["scores"]
>>> replayed_game = SmallWorldGame.replay(config, game.action_log)

Actions are objects with the original's types, ``{"type": "CONQUER", "region": 7}``. Tokens and markers are
placed one at a time; :meth:`SmallWorldGame.get_legal_sequences` combines such actions.

A :class:`GameState` is a position as objects. The functions of the table take one, ask the engine, and change
nothing. Enumerations equal their text: ``Phase.CONQUEST == "CONQUEST"``.

>>> from ludovec import smallworld
>>> state = SmallWorldGame(config).state
>>> state.players[0].coins, state.combo_row.visible[0].race
>>> regions = smallworld.get_conquerable_regions(state, player_id=0)
>>> [smallworld.compute_conquest_cost(region, state, player_id=0) for region in regions]

=================  =================================================================================
``engine``         :class:`SmallWorldGame`
``state``          :class:`GameConfig`, :class:`GameState` and the states in it
``enums``          names of terrains, features, markers, phases, types of actions, races, powers
``actions``        legal actions, and whether an action is one
``phase_machine``  types of actions, and phases that follow
``conquest``       costs of regions
``scoring``        income of a player
``observation``    observation of a player
``game_map``       :class:`MapGraph` and :class:`Region`
``map_generator``  maps from a seed
``combo``          :class:`Combo` and :class:`ComboRow`
``data_loader``    races and powers as data
``rng``            :class:`SeededRNG`
``errors``         exceptions
=================  =================================================================================
"""

from .actions import Action, get_conquerable_regions, get_legal_actions, validate_action
from .combo import Combo, ComboRow
from .conquest import can_conquer_region, compute_base_conquest_cost, compute_conquest_cost
from .data_loader import (
    PowerConfig,
    RaceConfig,
    get_all_powers,
    get_all_races,
    get_power_config,
    get_race_config,
    load_powers,
    load_races,
)
from .engine import SmallWorldGame
from .enums import (
    DEFENSIVE_MARKERS,
    FEATURES,
    GROUND,
    MARKERS,
    PHASES,
    POWERS,
    RACES,
    TERRAINS,
    ActionType,
    Feature,
    Marker,
    Phase,
    PowerName,
    RaceName,
    Terrain,
)
from .errors import GameOver, IllegalAction, InvalidConfig, InvalidPhase, SmallWorldError
from .game_map import MapGraph, Region
from .map_generator import generate_map
from .observation import build_observation
from .phase_machine import get_legal_action_types, get_post_redeploy_phases
from .rng import REINFORCEMENT_DIE_FACES, SeededRNG
from .scoring import compute_player_score
from .state import (
    ActiveRaceState,
    DeclineRaceState,
    GameConfig,
    GameState,
    PlayerState,
    RegionState,
)

__all__ = [
    "DEFENSIVE_MARKERS",
    "FEATURES",
    "GROUND",
    "MARKERS",
    "PHASES",
    "POWERS",
    "RACES",
    "REINFORCEMENT_DIE_FACES",
    "TERRAINS",
    "Action",
    "ActionType",
    "ActiveRaceState",
    "Combo",
    "ComboRow",
    "DeclineRaceState",
    "Feature",
    "GameConfig",
    "GameOver",
    "GameState",
    "IllegalAction",
    "InvalidConfig",
    "InvalidPhase",
    "MapGraph",
    "Marker",
    "Phase",
    "PlayerState",
    "PowerConfig",
    "PowerName",
    "RaceConfig",
    "RaceName",
    "Region",
    "RegionState",
    "SeededRNG",
    "SmallWorldError",
    "SmallWorldGame",
    "Terrain",
    "build_observation",
    "can_conquer_region",
    "compute_base_conquest_cost",
    "compute_conquest_cost",
    "compute_player_score",
    "generate_map",
    "get_all_powers",
    "get_all_races",
    "get_conquerable_regions",
    "get_legal_action_types",
    "get_legal_actions",
    "get_post_redeploy_phases",
    "get_power_config",
    "get_race_config",
    "load_powers",
    "load_races",
    "validate_action",
]
