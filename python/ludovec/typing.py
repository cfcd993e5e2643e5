"""Names and options as types: for annotations, and so that a typo is an error before anything runs.

Generated from the engine: ``LUDOVEC_UPDATE=1 pytest python/tests/test_typing.py`` writes it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Literal, TypedDict

EnvId = Literal[
    "smallworld",
    "tilewe",
    "chess",
    "starwars_risk",
    "empires",
]
"""The ids of the environments."""

Autoreset = Literal[
    "next_step",
    "same_step",
    "disabled",
]
"""What happens when a game ends; as in Gymnasium."""

ObservationFormat = Literal[
    "u8",
    "f32",
    "packed",
    "none",
]
"""How observations are written."""

MaskFormat = Literal[
    "bits",
    "bytes",
]
"""How legal actions are written."""

Pairings = Literal[
    "round_robin",
    "random",
]
"""Who meets whom in a tournament."""


class SmallWorldOptions(TypedDict, total=False):
    """Options of ``smallworld``."""

    players: int
    """Seats."""
    rules: Literal["original", "official"]
    """Which rules hold where the original engine and the published rule book differ."""
    seafaring_discount: bool
    """Seas and lakes cost a Seafaring race one token less."""
    public_coins: bool
    """Observations show the coins of all seats."""
    map: str | PathLike[str] | None
    """Procedural (a new one each game), board (the published one), a map file or the text of one."""
    map_seed: int | None
    """All games on the procedural map of this seed."""
    reward: Literal["outcome", "score"]
    """Outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every
    step."""
    on_illegal: Literal["raise", "lose"]
    """Raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the
    seat."""
    max_steps: int | None
    """Truncate an episode after this many decisions."""


class TileweOptions(TypedDict, total=False):
    """Options of ``tilewe``."""

    players: int
    """Number of players."""
    reward: Literal["outcome", "score"]
    """Outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every
    step."""
    on_illegal: Literal["raise", "lose"]
    """Raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the
    seat."""
    max_steps: int | None
    """Truncate an episode after this many decisions."""


class ChessOptions(TypedDict, total=False):
    """Options of ``chess``."""

    variant: str | PathLike[str]
    """A shipped variant, or the path of a variant file."""
    flags: str | Sequence[str]
    """Options laid over the variant."""
    fen: str | PathLike[str] | None
    """The position games start from, instead of the variant's own."""
    number960: int | None
    """Which of the positions of Chess960 games start from, where there are 960; drawn at random when
    not given."""
    action_view: Literal["flat", "dense", "az73"]
    """How moves are numbered; az73 for chess and chess960 only."""
    observation: Literal["auto", "az119", "planes"]
    """Az119: 8x8x119 with eight positions, for chess and chess960 (where auto means it); planes: any
    variant."""
    max_plies: int
    """A game is stopped without a result after so many decisions."""
    reward: Literal["outcome", "score"]
    """Outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every
    step."""
    on_illegal: Literal["raise", "lose"]
    """Raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the
    seat."""
    max_steps: int | None
    """Truncate an episode after this many decisions."""


class StarWarsRiskOptions(TypedDict, total=False):
    """Options of ``starwars_risk``."""

    max_rounds: int
    """Rounds after which the game is truncated."""
    reward: Literal["outcome", "score"]
    """Outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every
    step."""
    on_illegal: Literal["raise", "lose"]
    """Raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the
    seat."""
    max_steps: int | None
    """Truncate an episode after this many decisions."""


class EmpiresOptions(TypedDict, total=False):
    """Options of ``empires``."""

    players: int
    """Number of players."""
    width: int
    """Columns of the map."""
    height: int
    """Rows of the map."""
    max_turns: int
    """The turn, counted from 1, that is not played any more: all who are alive then share the win."""
    tiles_per_castle: int
    """Tiles per castle owned that a further castle needs more than; 0 sets no limit."""
    castles: str | PathLike[str] | None
    """Cells x:y the players start on, as in 3:4,10:7; drawn when absent."""
    names: str | PathLike[str] | None
    """What the players are called, as in alice,bob; player_0 and so on when absent."""
    reward: Literal["outcome", "score"]
    """Outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every
    step."""
    on_illegal: Literal["raise", "lose"]
    """Raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the
    seat."""
    max_steps: int | None
    """Truncate an episode after this many decisions."""


class Options(TypedDict, total=False):
    """Options of any environment; each has some of them."""

    players: int
    rules: Literal["original", "official"]
    seafaring_discount: bool
    public_coins: bool
    map: str | PathLike[str] | None
    map_seed: int | None
    reward: Literal["outcome", "score"]
    on_illegal: Literal["raise", "lose"]
    max_steps: int | None
    variant: str | PathLike[str]
    flags: str | Sequence[str]
    fen: str | PathLike[str] | None
    number960: int | None
    action_view: Literal["flat", "dense", "az73"]
    observation: Literal["auto", "az119", "planes"]
    max_plies: int
    max_rounds: int
    width: int
    height: int
    max_turns: int
    tiles_per_castle: int
    castles: str | PathLike[str] | None
    names: str | PathLike[str] | None
