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

from .actions import Action as Action
from .actions import get_conquerable_regions as get_conquerable_regions
from .actions import get_legal_actions as get_legal_actions
from .actions import validate_action as validate_action
from .combo import Combo as Combo
from .combo import ComboRow as ComboRow
from .conquest import can_conquer_region as can_conquer_region
from .conquest import compute_base_conquest_cost as compute_base_conquest_cost
from .conquest import compute_conquest_cost as compute_conquest_cost
from .data_loader import PowerConfig as PowerConfig
from .data_loader import RaceConfig as RaceConfig
from .data_loader import get_all_powers as get_all_powers
from .data_loader import get_all_races as get_all_races
from .data_loader import get_power_config as get_power_config
from .data_loader import get_race_config as get_race_config
from .data_loader import load_powers as load_powers
from .data_loader import load_races as load_races
from .engine import SmallWorldGame as SmallWorldGame
from .enums import DEFENSIVE_MARKERS as DEFENSIVE_MARKERS
from .enums import FEATURES as FEATURES
from .enums import GROUND as GROUND
from .enums import MARKERS as MARKERS
from .enums import PHASES as PHASES
from .enums import POWERS as POWERS
from .enums import RACES as RACES
from .enums import TERRAINS as TERRAINS
from .enums import ActionType as ActionType
from .enums import Feature as Feature
from .enums import Marker as Marker
from .enums import Phase as Phase
from .enums import PowerName as PowerName
from .enums import RaceName as RaceName
from .enums import Terrain as Terrain
from .errors import GameOver as GameOver
from .errors import IllegalAction as IllegalAction
from .errors import InvalidConfig as InvalidConfig
from .errors import InvalidPhase as InvalidPhase
from .errors import SmallWorldError as SmallWorldError
from .game_map import MapGraph as MapGraph
from .game_map import Region as Region
from .map_generator import generate_map as generate_map
from .observation import build_observation as build_observation
from .phase_machine import get_legal_action_types as get_legal_action_types
from .phase_machine import get_post_redeploy_phases as get_post_redeploy_phases
from .rng import REINFORCEMENT_DIE_FACES as REINFORCEMENT_DIE_FACES
from .rng import SeededRNG as SeededRNG
from .scoring import compute_player_score as compute_player_score
from .state import ActiveRaceState as ActiveRaceState
from .state import DeclineRaceState as DeclineRaceState
from .state import GameConfig as GameConfig
from .state import GameState as GameState
from .state import PlayerState as PlayerState
from .state import RegionState as RegionState
