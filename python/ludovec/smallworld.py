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
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from . import _arguments
from ._core import GameOver, IllegalAction, InvalidConfig, InvalidPhase, LudovecError
from ._errors import config_error
from .game import Game
from .spec import spec

__all__ = [
    "FEATURES",
    "GROUND",
    "MARKERS",
    "PHASES",
    "POWERS",
    "RACES",
    "TERRAINS",
    "Action",
    "Combo",
    "GameConfig",
    "GameOver",
    "IllegalAction",
    "InvalidConfig",
    "InvalidPhase",
    "MapGraph",
    "Region",
    "SmallWorldError",
    "SmallWorldGame",
    "generate_map",
]

#: An action: its ``"type"`` and parameters.
Action: TypeAlias = "Mapping[str, Any]"

SmallWorldError = LudovecError
"""The original's name for the base of all exceptions."""


@dataclass(frozen=True)
class GameConfig:
    """Configuration of a game.

    Raises:
        InvalidConfig: The configuration is invalid; the message lists the allowed values.
    """

    num_players: int = 3
    """2 to 5."""
    seed: int = 0
    map_seed: int | None = None
    """Seed of the map; by default ``seed``."""
    rules: Literal["original", "official"] = "original"
    """``"official"``: the published rules, if the original differs from them."""
    map: str | None = None
    """``"board"`` for a drawn board, or the path of a map file; by default a map is generated."""
    seafaring_discount: bool = False
    """Whether seas and lakes cost a Seafaring race one token less."""
    public_coins: bool = False
    """Whether observations show the coins of all players."""

    def game(self) -> Game:
        """A :class:`ludovec.Game` of this configuration."""
        seed = _arguments.integer("seed", self.seed)
        made = self.map is None or (isinstance(self.map, str) and self.map == "procedural")
        options: Any = {
            "players": self.num_players,
            "map_seed": seed % 2**63 if made and self.map_seed is None else self.map_seed,
            "rules": self.rules,
            "map": self.map,
            "seafaring_discount": self.seafaring_discount,
            "public_coins": self.public_coins,
        }
        return Game("smallworld", seed, **options)

    def __post_init__(self) -> None:
        self.game()


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


def _check_word(what: str, word: str, known: tuple[str, ...]) -> None:
    if not isinstance(word, str) or word not in known:
        raise config_error(f"{what}={word!r:.100}: one of {', '.join(known)} is allowed")


@dataclass(frozen=True)
class Region:
    """A region of a map."""

    id: int
    terrain: str
    """One of :data:`TERRAINS`."""
    features: frozenset[str]
    """Some of :data:`FEATURES`."""
    adjacent: tuple[int, ...]
    """Ids of the adjacent regions."""

    @property
    def is_border(self) -> bool:
        """True if a first conquest may start here."""
        return "BORDER" in self.features

    @property
    def is_coastal(self) -> bool:
        """True for land next to a sea or lake."""
        return "COASTAL" in self.features

    @property
    def has_mine(self) -> bool:
        """True if it has a mine."""
        return "MINE" in self.features

    @property
    def has_magic_source(self) -> bool:
        """True if it has a magic source."""
        return "MAGIC_SOURCE" in self.features

    @property
    def has_cavern(self) -> bool:
        """True if it has a cavern."""
        return "CAVERN" in self.features

    @property
    def is_water(self) -> bool:
        """True for a sea or a lake."""
        return self.terrain in ("SEA", "LAKE")

    @property
    def is_land(self) -> bool:
        """True for all other terrains."""
        return not self.is_water


class MapGraph:
    """A map: regions and their adjacency."""

    def __init__(self, regions: Iterable[Region]) -> None:
        #: By id.
        self.regions: tuple[Region, ...] = tuple(regions)

    def get_region(self, id: int) -> Region:
        """A region by id.

        Raises:
            InvalidConfig: There is no such region.
        """
        number = _arguments.index("region", id)
        if not 0 <= number < len(self.regions):
            raise config_error(f"region {number}: 0 to {len(self.regions) - 1} exist")
        return self.regions[number]

    def neighbors(self, id: int) -> frozenset[int]:
        """Ids of the adjacent regions."""
        return frozenset(self.get_region(id).adjacent)

    def border_regions(self) -> list[int]:
        """Regions in which a first conquest may start."""
        return self.regions_with_feature("BORDER")

    def coastal_regions(self) -> list[int]:
        """Land next to seas and lakes."""
        return self.regions_with_feature("COASTAL")

    def cavern_regions(self) -> list[int]:
        """Regions with caverns."""
        return self.regions_with_feature("CAVERN")

    def land_regions(self) -> list[int]:
        """All regions except seas and lakes."""
        return [region.id for region in self.regions if region.is_land]

    def water_regions(self) -> list[int]:
        """Seas and lakes."""
        return [region.id for region in self.regions if region.is_water]

    def regions_by_terrain(self, terrain: str) -> list[int]:
        """Regions with a terrain."""
        _check_word("terrain", terrain, TERRAINS)
        return [region.id for region in self.regions if region.terrain == terrain]

    def regions_with_feature(self, feature: str) -> list[int]:
        """Regions with a feature."""
        _check_word("feature", feature, FEATURES)
        return [region.id for region in self.regions if feature in region.features]

    def __len__(self) -> int:
        return len(self.regions)


@dataclass(frozen=True)
class Combo:
    """A race with a power in the combo row."""

    race: str
    power: str
    total_tokens: int
    coins: int
    """Coins for the player that picks it."""


def generate_map(num_players: int, seed: int) -> MapGraph:
    """The map of games with this number of players and this ``map_seed``."""
    return SmallWorldGame(GameConfig(num_players, map_seed=seed)).map


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

    def get_phase(self) -> str:
        """The phase, for example ``"CONQUEST"``; ``"GAME_OVER"`` at the end."""
        phase: str = self._seen()["game"]["phase"]
        return "GAME_OVER" if self.is_game_over() else phase

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
    def map(self) -> MapGraph:
        """The map; it never changes."""
        return MapGraph(
            Region(r["region_id"], r["terrain"], frozenset(r["features"]), tuple(r["adjacent"]))
            for r in self._seen()["map"]["regions"]
        )

    @property
    def combo_row(self) -> list[Combo]:
        """The combos to choose from; the first is free, each further one costs a coin more."""
        return [Combo(**combo) for combo in self._seen()["combo_row"]]

    def compute_conquest_cost(self, region_id: int, player_id: int | None = None) -> int | None:
        """Tokens that a player's active race needs to conquer a region; None if it never can."""
        self.map.get_region(region_id)
        cost: int | None = self._seen(player_id)["map"]["regions"][int(region_id)]["conquest_cost"]
        return cost

    def get_conquerable_regions(self) -> list[int]:
        """Regions that the current player may conquer, including by a final attempt with the die."""
        kinds = ("CONQUER", "FINAL_CONQUEST")
        found = {action["region"] for action in self.get_legal_actions() if action["type"] in kinds}
        return sorted(region for region in found if region is not None)

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
        for text in _arguments.words("words", words):
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
        return [{"player_id": step["player"], "action": step["move"]} for step in self.game.log]

    @property
    def _state(self) -> SmallWorldGame:
        """The original's examples read the log from this attribute."""
        return self

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

    def _seen(self, player: int | None = None) -> dict[str, Any]:
        return self.game.observation_object(player)


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
