"""States of games."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

from .. import _core
from .._shared import checks
from .._shared.errors import type_error
from ..game import Game
from .combo import Combo, ComboRow
from .data_loader import CONSTANTS
from .enums import Feature, Marker, Phase, PowerName, RaceName, Terrain
from .game_map import MapGraph, Region


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

    TURN_COUNTS: ClassVar[dict[int, int]] = dict(CONSTANTS["turn_counts"])
    """Turns of each player, by number of players."""

    @property
    def max_turns(self) -> int:
        """Turns of each player."""
        return self.TURN_COUNTS[self.num_players]

    def game(self) -> Game:
        """A :class:`ludovec.Game` of this configuration."""
        seed = checks.integer("seed", self.seed)
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


@dataclass(frozen=True)
class RegionState:
    """The pieces in a region."""

    region_id: int
    owner: int | None
    tokens: int
    """Race tokens."""
    is_decline: bool
    """True if the tokens are of a race in decline."""
    decline_race: RaceName | None
    decline_power: PowerName | None
    markers: tuple[Marker, ...]
    has_lost_tribe: bool


@dataclass(frozen=True)
class ActiveRaceState:
    """An active race, and its turn so far if it is its player's turn."""

    race_name: RaceName
    power_name: PowerName
    tokens_in_hand: int
    total_tokens: int
    """Tokens on the map, in hand and displaced."""
    first_turn: bool = False
    """True in the turn in which the combo was picked."""
    regions_conquered_this_turn: tuple[int, ...] = ()
    non_empty_conquests_this_turn: int = 0
    opponents_attacked_this_turn: frozenset[int] = frozenset()
    opponents_converted_this_turn: frozenset[int] = frozenset()
    """Opponents that lost a token to Sorcerers."""
    dragon_used_this_turn: bool = False
    berserk_die_result: int | None = None
    """Pips of a Berserk roll without a target yet."""


@dataclass(frozen=True)
class DeclineRaceState:
    """A race in decline."""

    race_name: RaceName
    power_name: PowerName
    """The power with which it declined."""
    tokens_in_hand: int
    """Tokens of Ghouls off the map."""
    total_tokens: int


@dataclass(frozen=True)
class PlayerState:
    """A player."""

    player_id: int
    coins: int
    active: ActiveRaceState | None
    decline: DeclineRaceState | None
    decline_spirit: DeclineRaceState | None
    """The race that declined with the Spirit power."""
    displaced_tokens: int
    """Tokens that the player redeploys at the end of the turn."""


class GameState:
    """The state of a game at one moment, coins of all players included. It does not follow the game."""

    def __init__(self, game: Game) -> None:
        #: A copy of the game at this moment.
        self.game = game.clone()
        self._observations: dict[int, dict[str, Any]] = {}

    def _seen(self, player: int = 0) -> dict[str, Any]:
        """The observation of a player."""
        if player not in self._observations:
            self._observations[player] = self.game.observation_object(player)
        return self._observations[player]

    @cached_property
    def _answers(self) -> dict[str, Any]:
        """The engine's answers that observations lack. The position has the map already."""
        given = self.game.spec.options.items()
        options = {name: value for name, value in given if name not in ("map", "map_seed")}
        answers: dict[str, Any] = json.loads(_core.smallworld_answers(options, self.game._core.to_json()))
        return answers

    @property
    def turn(self) -> int:
        """The turn, counted from 1."""
        turn: int = self._seen()["game"]["turn"]
        return turn

    @property
    def max_turns(self) -> int:
        """Turns of each player."""
        turns: int = self._seen()["game"]["max_turns"]
        return turns

    @property
    def phase(self) -> Phase:
        """The phase; ``GAME_OVER`` at the end."""
        return Phase(self._seen()["game"]["phase"])

    @property
    def current_player(self) -> int:
        """The current player."""
        return self.game.current_player

    @cached_property
    def map(self) -> MapGraph:
        """The map; it never changes."""
        return MapGraph(
            Region(
                r["region_id"],
                Terrain(r["terrain"]),
                frozenset(map(Feature, r["features"])),
                tuple(r["adjacent"]),
            )
            for r in self._seen()["map"]["regions"]
        )

    @cached_property
    def regions(self) -> tuple[RegionState, ...]:
        """The pieces in each region, by id."""
        return tuple(
            RegionState(
                region_id=r["region_id"],
                owner=r["owner"],
                tokens=r["tokens"],
                is_decline=r["is_decline"],
                decline_race=None if r["decline_race"] is None else RaceName(r["decline_race"]),
                decline_power=None if r["decline_power"] is None else PowerName(r["decline_power"]),
                markers=tuple(map(Marker, r["markers"])),
                has_lost_tribe=r["has_lost_tribe"],
            )
            for r in self._seen()["map"]["regions"]
        )

    @cached_property
    def players(self) -> tuple[PlayerState, ...]:
        """The players, by number."""
        return tuple(_player(self._seen(player)["self"]) for player in range(self.game.spec.players))

    @cached_property
    def combo_row(self) -> ComboRow:
        """The combos to choose from."""
        combos = (
            Combo(RaceName(c["race"]), PowerName(c["power"]), c["total_tokens"], c["coins"])
            for c in self._seen()["combo_row"]
        )
        return ComboRow(tuple(combos), tuple(self._answers["pick_coins"]))

    @property
    def action_log(self) -> list[dict[str, Any]]:
        """The actions played so far: ``player_id`` and ``action`` of every step."""
        return [{"player_id": step["player"], "action": step["move"]} for step in self.game.log]

    def player_regions(self, player_id: int, decline: bool | None = None) -> list[int]:
        """Regions of a player: of races in decline, of the active race, or (None) all."""
        player = self._player(player_id)
        return [
            region.region_id
            for region in self.regions
            if region.owner == player and decline in (None, region.is_decline)
        ]

    def player_active_regions(self, player_id: int) -> list[int]:
        """Regions of a player's active race."""
        return self.player_regions(player_id, decline=False)

    def player_decline_regions(self, player_id: int) -> list[int]:
        """Regions of a player's races in decline."""
        return self.player_regions(player_id, decline=True)

    def tokens_on_map(self, player_id: int, decline: bool | None = None) -> int:
        """Race tokens of a player on the map: in decline, active, or (None) all."""
        return sum(self.regions[region].tokens for region in self.player_regions(player_id, decline))

    def _player(self, player_id: Any) -> int:
        return checks.seat("player_id", player_id, self.game.spec.players)

    def __repr__(self) -> str:
        return f"<ludovec.smallworld.GameState turn {self.turn}, player {self.current_player}, {self.phase}>"


def checked(game_state: object) -> GameState:
    """Refuses other values than states."""
    if not isinstance(game_state, GameState):
        raise type_error(
            f"game_state={game_state!r:.100}: a GameState is needed, such as SmallWorldGame.state"
        )
    return game_state


def _player(seen: dict[str, Any]) -> PlayerState:
    active, *declined = (seen[army] for army in ("active", "decline", "decline_spirit"))
    return PlayerState(
        player_id=seen["player_id"],
        coins=seen["coins"],
        active=None if active is None else _active(active),
        decline=_declined(declined[0]),
        decline_spirit=_declined(declined[1]),
        displaced_tokens=sum(army["displaced_tokens"] for army in (active, *declined) if army is not None),
    )


def _active(seen: dict[str, Any]) -> ActiveRaceState:
    turn: dict[str, Any] = {}
    if "first_turn" in seen:
        turn = {
            "first_turn": seen["first_turn"],
            "regions_conquered_this_turn": tuple(seen["regions_conquered_this_turn"]),
            "non_empty_conquests_this_turn": seen["non_empty_conquests_this_turn"],
            "opponents_attacked_this_turn": frozenset(seen["opponents_attacked_this_turn"]),
            "opponents_converted_this_turn": frozenset(seen["opponents_converted_this_turn"]),
            "dragon_used_this_turn": seen["dragon_used_this_turn"],
            "berserk_die_result": seen["berserk_die_result"],
        }
    race, power = RaceName(seen["race"]), PowerName(seen["power"])
    return ActiveRaceState(race, power, seen["tokens_in_hand"], seen["total_tokens"], **turn)


def _declined(seen: dict[str, Any] | None) -> DeclineRaceState | None:
    if seen is None:
        return None
    return DeclineRaceState(
        RaceName(seen["race"]), PowerName(seen["power"]), seen["tokens_in_hand"], seen["total_tokens"]
    )
