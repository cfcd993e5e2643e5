"""Names of terrains, features, markers, phases, types of actions, races and powers."""

from __future__ import annotations

from enum import Enum

from ..spec import spec

_VALUES = spec("smallworld").values

RACES = _VALUES["race"]
"""By number in states and trays; observations count from 1, and 0 means none."""
POWERS = _VALUES["power"]
"""By number in states; observations count from 1, and 0 means none."""
PHASES = _VALUES["phase"]
"""By number."""
MARKERS = _VALUES["marker"]
"""By bit."""
TERRAINS = _VALUES["terrain"]
"""By number."""
FEATURES = _VALUES["ground"][len(TERRAINS) :]
"""Features of regions besides terrain; :data:`GROUND` lists them after the terrains."""
GROUND = _VALUES["ground"]
"""The sets of the observation's field ``ground``."""


class _Name(str, Enum):
    """A name that equals its text."""

    def __str__(self) -> str:
        return str(self.value)


class Terrain(_Name):
    """Terrain of a region."""

    FARMLAND = "FARMLAND"
    HILL = "HILL"
    FOREST = "FOREST"
    SWAMP = "SWAMP"
    MOUNTAIN = "MOUNTAIN"
    SEA = "SEA"
    LAKE = "LAKE"


class Feature(_Name):
    """Feature of a region besides its terrain."""

    MINE = "MINE"
    MAGIC_SOURCE = "MAGIC_SOURCE"
    CAVERN = "CAVERN"
    BORDER = "BORDER"
    COASTAL = "COASTAL"


class Marker(_Name):
    """Piece in a region besides race tokens."""

    MOUNTAIN = "MOUNTAIN"
    LOST_TRIBE = "LOST_TRIBE"
    TROLL_LAIR = "TROLL_LAIR"
    FORTRESS = "FORTRESS"
    ENCAMPMENT = "ENCAMPMENT"
    HOLE_IN_THE_GROUND = "HOLE_IN_THE_GROUND"
    DRAGON = "DRAGON"
    HERO = "HERO"


DEFENSIVE_MARKERS = frozenset({Marker.MOUNTAIN, Marker.TROLL_LAIR, Marker.FORTRESS, Marker.ENCAMPMENT})
"""Markers that each add 1 to the cost of a conquest. A Lost Tribe adds 1, too."""


class Phase(_Name):
    """Phase of a turn."""

    PICK_COMBO = "PICK_COMBO"
    CHOOSE_EXPAND_OR_DECLINE = "CHOOSE_EXPAND_OR_DECLINE"
    CONQUEST = "CONQUEST"
    GHOUL_CONQUEST = "GHOUL_CONQUEST"
    FINAL_CONQUEST = "FINAL_CONQUEST"
    REDEPLOY = "REDEPLOY"
    PLACE_BIVOUACS = "PLACE_BIVOUACS"
    PLACE_FORTRESS = "PLACE_FORTRESS"
    PLACE_HEROES = "PLACE_HEROES"
    CHOOSE_DIPLOMAT_ALLY = "CHOOSE_DIPLOMAT_ALLY"
    STOUT_DECLINE = "STOUT_DECLINE"
    OPPONENT_REDEPLOY = "OPPONENT_REDEPLOY"
    SCORE = "SCORE"
    TURN_END = "TURN_END"
    GAME_OVER = "GAME_OVER"


class ActionType(_Name):
    """Type of an action. ``ABANDON`` and ``ROLL_DIE`` are not in the original."""

    PICK_COMBO = "PICK_COMBO"
    EXPAND = "EXPAND"
    DECLINE = "DECLINE"
    ABANDON = "ABANDON"
    CONQUER = "CONQUER"
    FINAL_CONQUEST = "FINAL_CONQUEST"
    USE_DRAGON = "USE_DRAGON"
    USE_SORCERER = "USE_SORCERER"
    ROLL_DIE = "ROLL_DIE"
    SKIP_CONQUEST = "SKIP_CONQUEST"
    REDEPLOY = "REDEPLOY"
    PLACE_BIVOUACS = "PLACE_BIVOUACS"
    PLACE_FORTRESS = "PLACE_FORTRESS"
    PLACE_HEROES = "PLACE_HEROES"
    CHOOSE_DIPLOMAT_ALLY = "CHOOSE_DIPLOMAT_ALLY"
    STOUT_DECLINE = "STOUT_DECLINE"
    OPPONENT_REDEPLOY = "OPPONENT_REDEPLOY"


class RaceName(_Name):
    """Name of a race."""

    AMAZONS = "Amazons"
    DWARVES = "Dwarves"
    ELVES = "Elves"
    GHOULS = "Ghouls"
    GIANTS = "Giants"
    HALFLINGS = "Halflings"
    HUMANS = "Humans"
    ORCS = "Orcs"
    RATMEN = "Ratmen"
    SKELETONS = "Skeletons"
    SORCERERS = "Sorcerers"
    TRITONS = "Tritons"
    TROLLS = "Trolls"
    WIZARDS = "Wizards"


class PowerName(_Name):
    """Name of a power."""

    ALCHEMIST = "Alchemist"
    BERSERK = "Berserk"
    BIVOUACKING = "Bivouacking"
    COMMANDO = "Commando"
    DIPLOMAT = "Diplomat"
    DRAGON_MASTER = "Dragon Master"
    FLYING = "Flying"
    FOREST = "Forest"
    FORTIFIED = "Fortified"
    HEROIC = "Heroic"
    HILL = "Hill"
    MERCHANT = "Merchant"
    MOUNTED = "Mounted"
    PILLAGING = "Pillaging"
    SEAFARING = "Seafaring"
    SPIRIT = "Spirit"
    STOUT = "Stout"
    SWAMP = "Swamp"
    UNDERWORLD = "Underworld"
    WEALTHY = "Wealthy"
