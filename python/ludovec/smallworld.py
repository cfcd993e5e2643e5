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

Actions are objects with the original's types, ``{"type": "CONQUER", "region": 7}``. Redeploying and placing
are done one token or marker at a time; :meth:`SmallWorldGame.get_legal_sequences` puts such actions together.
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

#: An action: its ``"type"``, and what it is about.
Action: TypeAlias = "Mapping[str, Any]"

SmallWorldError = LudovecError
"""The original's name for the base of all exceptions."""


@dataclass(frozen=True)
class GameConfig:
    """What a game begins with.

    Raises:
        InvalidConfig: A game cannot begin so.
    """

    num_players: int = 3
    """2 to 5."""
    seed: int = 0
    map_seed: int | None = None
    """Of the map that is made; by default it is ``seed``."""
    rules: Literal["original", "official"] = "original"
    """Or ``"official"``: the published rules where the original differs."""
    map: str | None = None
    """``"board"`` for a board that is drawn, or the path of a map of yours; by default a map is made."""
    seafaring_discount: bool = False
    """Whether seas and lakes cost a Seafaring race one token less."""
    public_coins: bool = False
    """Whether observations show the coins of all players."""

    def game(self) -> Game:
        """The game as the environment has it."""
        seed = _arguments.integer("seed", self.seed)
        made = self.map in (None, "procedural")
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
"""By number in states and trays; observations count from 1, and 0 is none."""
POWERS = _VALUES["power"]
"""By number in states; observations count from 1, and 0 is none."""
PHASES = _VALUES["phase"]
"""By number."""
MARKERS = _VALUES["marker"]
"""By bit."""
TERRAINS = _VALUES["terrain"]
"""By number."""
FEATURES = _VALUES["ground"][len(TERRAINS) :]
"""What a region can have beside its terrain; :data:`GROUND` has them after the terrains."""
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
    """The regions beside it."""

    @property
    def is_border(self) -> bool:
        """Whether a first conquest may begin here."""
        return "BORDER" in self.features

    @property
    def is_coastal(self) -> bool:
        """Whether it is land beside a sea or lake."""
        return "COASTAL" in self.features

    @property
    def has_mine(self) -> bool:
        """Whether it has a mine."""
        return "MINE" in self.features

    @property
    def has_magic_source(self) -> bool:
        """Whether it has a magic source."""
        return "MAGIC_SOURCE" in self.features

    @property
    def has_cavern(self) -> bool:
        """Whether it has a cavern."""
        return "CAVERN" in self.features

    @property
    def is_water(self) -> bool:
        """Whether it is a sea or a lake."""
        return self.terrain in ("SEA", "LAKE")

    @property
    def is_land(self) -> bool:
        """Whether it is neither."""
        return not self.is_water


class MapGraph:
    """A map: regions and which are beside each other."""

    def __init__(self, regions: Iterable[Region]) -> None:
        #: By id.
        self.regions: tuple[Region, ...] = tuple(regions)

    def get_region(self, id: int) -> Region:
        """A region.

        Raises:
            InvalidConfig: There is none.
        """
        number = _arguments.index("region", id)
        if not 0 <= number < len(self.regions):
            raise config_error(f"region {number}: 0 to {len(self.regions) - 1} exist")
        return self.regions[number]

    def neighbors(self, id: int) -> frozenset[int]:
        """The regions beside one."""
        return frozenset(self.get_region(id).adjacent)

    def border_regions(self) -> list[int]:
        """Regions in which a first conquest may begin."""
        return self.regions_with_feature("BORDER")

    def coastal_regions(self) -> list[int]:
        """Land beside seas and lakes."""
        return self.regions_with_feature("COASTAL")

    def cavern_regions(self) -> list[int]:
        """Regions with caverns."""
        return self.regions_with_feature("CAVERN")

    def land_regions(self) -> list[int]:
        """All but seas and lakes."""
        return [region.id for region in self.regions if region.is_land]

    def water_regions(self) -> list[int]:
        """Seas and lakes."""
        return [region.id for region in self.regions if region.is_water]

    def regions_by_terrain(self, terrain: str) -> list[int]:
        """Regions of one terrain."""
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
    """A race with a power, as it lies in the row."""

    race: str
    power: str
    total_tokens: int
    coins: int
    """What lies on it, for whoever takes it."""


def generate_map(num_players: int, seed: int) -> MapGraph:
    """The map that a game of so many players with this ``map_seed`` is played on."""
    return SmallWorldGame(GameConfig(num_players, map_seed=seed)).map


class SmallWorldGame:
    """One game."""

    def __init__(self, config: GameConfig | None = None) -> None:
        if not (config is None or isinstance(config, GameConfig)):
            raise config_error(f"config={config!r:.100}: a GameConfig is needed")
        self.config = GameConfig() if config is None else config
        #: The game as the environment has it.
        self.game = self.config.game()

    # ---- what there is ----

    def get_current_player(self) -> int:
        """Whose decision is awaited."""
        return self.game.current_player

    def get_observation(self, player_id: int) -> dict[str, Any]:
        """What a player sees: ``game, map, combo_row, self, opponents, legal_actions``.

        Coins of opponents are ``"HIDDEN"``.
        """
        return self.game.observation_object(player_id)

    def get_phase(self) -> str:
        """The phase, ``"CONQUEST"`` for one; ``"GAME_OVER"`` at the end."""
        phase: str = self._seen()["game"]["phase"]
        return "GAME_OVER" if self.is_game_over() else phase

    def is_game_over(self) -> bool:
        """Whether the game is over."""
        return self.game.is_terminal

    def get_results(self) -> dict[str, Any]:
        """``scores`` by player, ``rankings`` (players, best first), ``winner`` (None while several share the
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
        """The map, which never changes."""
        return MapGraph(
            Region(r["region_id"], r["terrain"], frozenset(r["features"]), tuple(r["adjacent"]))
            for r in self._seen()["map"]["regions"]
        )

    @property
    def combo_row(self) -> list[Combo]:
        """The combos to choose from; the first costs nothing, each further one a coin more."""
        return [Combo(**combo) for combo in self._seen()["combo_row"]]

    def compute_conquest_cost(self, region_id: int, player_id: int | None = None) -> int | None:
        """The tokens it takes a player's active race to conquer a region; None where it never can."""
        self.map.get_region(region_id)
        cost: int | None = self._seen(player_id)["map"]["regions"][int(region_id)]["conquest_cost"]
        return cost

    def get_conquerable_regions(self) -> list[int]:
        """The regions that the current player may conquer now, on a last attempt with the die too."""
        kinds = ("CONQUER", "FINAL_CONQUEST")
        found = {action["region"] for action in self.get_legal_actions() if action["type"] in kinds}
        return sorted(region for region in found if region is not None)

    # ---- actions ----

    def get_legal_actions(self) -> list[dict[str, Any]]:
        """What the current player may do."""
        return self.game.legal_moves()

    def get_legal_sequences(self) -> Iterator[list[str]]:
        """Sequences of actions, in words, that bring the current player to the end of the phase.

        One ends where the phase or the player changes, and where chance decides something. They are made one
        by one: there are thousands of ways to redeploy.

        >>> list(game.get_legal_sequences())[:2]
        [['PICK_COMBO 0'], ['PICK_COMBO 1']]
        """
        return _sequences(self.game.clone())

    def submit_action(self, player_id: int, action: Action) -> dict[str, Any]:
        """Plays an action: ``phase``, ``current_player`` and ``game_over`` afterwards.

        Raises:
            IllegalAction, InvalidPhase, GameOver: Says why it is refused.
        """
        self.game.submit(player_id, action)
        return self._result()

    def submit_sequence(self, player_id: int, words: Sequence[str]) -> dict[str, Any]:
        """Plays actions given in words, all of them or none.

        Raises:
            IllegalAction, InvalidPhase, GameOver: Says why one is refused.
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
        """What was played: ``player_id`` and ``action`` of every step."""
        return [{"player_id": step["player"], "action": step["move"]} for step in self.game.log]

    @property
    def _state(self) -> SmallWorldGame:
        """What the original's examples read the log from."""
        return self

    @staticmethod
    def replay(config: GameConfig, action_log: Iterable[Mapping[str, Any]]) -> SmallWorldGame:
        """The game of a configuration after the actions of a log.

        Raises:
            IllegalAction, InvalidPhase, GameOver: An action does not fit.
        """
        game = SmallWorldGame(config)
        if not isinstance(action_log, Iterable):
            raise config_error(f"action_log={action_log!r:.100}: a list of what was played is needed")
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
