"""Names and options as types, for annotations and for checks of typos by type checkers.

Generated from the engine: ``LUDOVEC_UPDATE=1 pytest python/tests/test_typing.py`` rewrites it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, TypedDict

import numpy as np
import numpy.typing as npt

EnvId: TypeAlias = "Literal['smallworld', 'tilewe', 'chess', 'starwars_risk', 'empires'] | str"
"""Id of an environment: one of these, or of a registered game."""

SeatId = Literal[
    "ludovec/SmallWorld-v3",
    "ludovec/Tilewe-v1",
    "ludovec/Chess-v4",
    "ludovec/StarWarsRisk-v2",
    "ludovec/Empires-v1",
]
"""Ids of Gymnasium for the problem of one seat."""

Autoreset = Literal["next_step", "same_step", "disabled"]
"""Auto-reset modes, as in Gymnasium."""

ObservationFormat = Literal["u8", "f32", "packed", "none"]
"""Formats of observations."""

MaskFormat = Literal["bits", "bytes"]
"""Formats of action masks."""

Pairings = Literal["round_robin", "random", "gauntlet"]
"""Pairings of tournaments."""

OpeningNodes = Literal["end", "leaves", "all"]
"""Positions of games that are openings."""

EloModel = Literal["normalized", "logistic"]
"""Scales of Elo differences in sequential tests."""

Theme = Literal["light", "dark"]
"""Colour themes of drawings."""

SearchMethod = Literal["gumbel", "puct"]
"""Methods of tree search."""

SearchValue = Literal["seat", "seats"]
"""Values of a network: one, for the current player, or one per player."""

Precision = Literal["float", "int8", "int16"]
"""Precisions of a network's arithmetic."""

Rewards = Literal["outcome", "score", "margin"]
"""Rewards that a search adds up."""

Evaluator = Literal["null", "estimate", "playout", "rollouts"]
"""Leaf evaluators of a tree search without a network."""


class _CommonOptions(TypedDict, total=False):
    """Options of every environment."""

    reward: Literal["outcome", "score", "margin"]
    """Outcome: 0 until the end, then by rank in [-1, 1], zero-sum; score: change of score at every
    step; margin: this minus the mean of the others, zero-sum."""
    on_illegal: Literal["raise", "lose"]
    """Raise: an illegal action is an error and nothing moves; lose: it ends that game at -1 for the
    seat."""
    max_steps: int | None
    """Truncate an episode after this many decisions."""


class SmallWorldOptions(_CommonOptions, total=False):
    """Options of ``smallworld``."""

    players: int
    """Seats."""
    rules: Literal["original", "official"]
    """The rules to use if the original engine and the published rule book differ."""
    seafaring_discount: bool
    """Seas and lakes cost a Seafaring race one token less."""
    public_coins: bool
    """Observations show the coins of all seats."""
    map: str | PathLike[str] | None
    """Procedural (a new one each game), board (the published one; for 5 players one of our own), a map
    file or the text of one."""
    map_seed: int | None
    """All games on the procedural map of this seed."""


class TileweOptions(_CommonOptions, total=False):
    """Options of ``tilewe``."""

    players: int
    """Number of players."""
    mode: Literal["tilewe", "blokus", "blokus_duo", "blokus_2"]
    """Sets the options that are not given: tilewe is the original, blokus the classic game, blokus_duo
    two players on 14x14, blokus_2 two players with two colours each."""
    board: int
    """Rows and columns of the board."""
    start: Literal["free", "own", "duo"]
    """The tile that a colour's first piece covers: free is any corner of the board, own is a corner for
    each colour, clockwise from the upper left, duo is e10 for the first and j5 for the second
    colour."""
    colors: int
    """Colours of each player; with 2 the players place them in turn."""
    bonus: bool
    """15 points for a colour with all pieces on the board, and 5 more if the single square was the
    last."""


class ChessOptions(_CommonOptions, total=False):
    """Options of ``chess``."""

    variant: str | PathLike[str]
    """A shipped variant, or the path of a variant file."""
    flags: str | Sequence[str]
    """Options applied to the variant."""
    fen: str | PathLike[str] | None
    """The start position, instead of the variant's own."""
    number960: int | None
    """Number of the Chess960 start position, if the variant has 960; random by default."""
    action_view: Literal["flat", "dense", "az73"]
    """How moves are numbered; az73 for chess and chess960 only."""
    observation: Literal["auto", "az119", "planes"]
    """Az119: 8x8x119 with eight positions, for chess and chess960 (where auto means it); planes: any
    variant."""
    draws: Literal["automatic", "claimed"]
    """Automatic: threefold repetition and 50 moves draw; claimed: only fivefold and 75 moves do."""
    max_plies: int
    """A game is truncated after this many decisions."""


class StarWarsRiskOptions(_CommonOptions, total=False):
    """Options of ``starwars_risk``."""

    max_rounds: int
    """Rounds after which the game is truncated."""


class EmpiresOptions(_CommonOptions, total=False):
    """Options of ``empires``."""

    players: int
    """Number of players."""
    width: int
    """Columns of the map."""
    height: int
    """Rows of the map."""
    max_turns: int
    """The first turn, counted from 1, that is not played: all living players then share the win."""
    tiles_per_castle: int
    """Castle limit: a further castle needs more tiles than this times the castles owned; 0 sets no
    limit."""
    castles: str | PathLike[str] | None
    """The players' first castles as cells x:y, as in 3:4,10:7; random by default."""
    names: str | PathLike[str] | None
    """The players' names, as in alice,bob; by default player_0 and so on for bots."""


class OptionsOfRules(TypedDict, total=False):
    """Options of all environments except ``on_illegal``, which has more values in PettingZoo."""

    players: int
    rules: Literal["original", "official"]
    seafaring_discount: bool
    public_coins: bool
    map: str | PathLike[str] | None
    map_seed: int | None
    reward: Literal["outcome", "score", "margin"]
    max_steps: int | None
    mode: Literal["tilewe", "blokus", "blokus_duo", "blokus_2"]
    board: int
    start: Literal["free", "own", "duo"]
    colors: int
    bonus: bool
    variant: str | PathLike[str]
    flags: str | Sequence[str]
    fen: str | PathLike[str] | None
    number960: int | None
    action_view: Literal["flat", "dense", "az73"]
    observation: Literal["auto", "az119", "planes"]
    draws: Literal["automatic", "claimed"]
    max_plies: int
    max_rounds: int
    width: int
    height: int
    max_turns: int
    tiles_per_castle: int
    castles: str | PathLike[str] | None
    names: str | PathLike[str] | None


class Options(OptionsOfRules, total=False):
    """Options of all environments; each has some of them."""

    on_illegal: Literal["raise", "lose"]


class _Masks(TypedDict):
    """Keys of several infos."""

    action_mask: npt.NDArray[np.int8]
    """1 for a legal action of the current player; not with ``mask="bits"``. int8 [N, A]."""
    _action_mask: npt.NDArray[np.bool_]
    legal_action_mask: npt.NDArray[np.bool_]
    """The same memory as bool; not with ``mask="bits"``. bool [N, A]."""
    _legal_action_mask: npt.NDArray[np.bool_]


class _Steps(TypedDict):
    """Keys of several infos."""

    current_player: npt.NDArray[np.int32]
    """The current player. int32 [N]."""
    _current_player: npt.NDArray[np.bool_]
    acting_player: npt.NDArray[np.int32]
    """The player of the last action, -1 after a reset. int32 [N]."""
    _acting_player: npt.NDArray[np.bool_]
    rewards: npt.NDArray[np.float32]
    """Rewards of the last step, all players. float32 [N, P]."""
    _rewards: npt.NDArray[np.bool_]
    credit: npt.NDArray[np.float32]
    """Reward of each player since its own last decision. float32 [N, P]."""
    _credit: npt.NDArray[np.bool_]
    episode_length: npt.NDArray[np.int32]
    """Decisions so far in the episode of the rewards. int32 [N]."""
    _episode_length: npt.NDArray[np.bool_]


class _Seeds(TypedDict):
    """Keys of several infos."""

    seed: npt.NDArray[np.uint64]
    """The seed of every game, from the first reset on. uint64 [N]."""
    _seed: npt.NDArray[np.bool_]


class _Results(TypedDict):
    """Keys of several infos."""

    scores: npt.NDArray[np.float32]
    """The scores. float32 [N, P]."""
    _scores: npt.NDArray[np.bool_]
    returns: npt.NDArray[np.float32]
    """The outcome in [-1, 1], for any reward mode. float32 [N, P]."""
    _returns: npt.NDArray[np.bool_]


class _Bits(TypedDict, total=False):
    """Keys of several infos."""

    action_mask_bits: npt.NDArray[np.uint64]
    """Legal actions as bits; with ``mask="bits"``. uint64 [N, W]."""
    _action_mask_bits: npt.NDArray[np.bool_]


class _Ends(TypedDict, total=False):
    """Keys of several infos."""

    final_obs: npt.NDArray[np.object_]
    """In same-step mode: the last observation of games that ended, None for the others. object [N]."""
    _final_obs: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float32]
    """In next-step and disabled mode: scores of games that ended. float32 [N, P]."""
    _scores: npt.NDArray[np.bool_]
    returns: npt.NDArray[np.float32]
    """In next-step and disabled mode: outcomes in [-1, 1] of games that ended. float32 [N, P]."""
    _returns: npt.NDArray[np.bool_]


class _FinalInfoAlways(_Masks, _Steps, _Results):
    """Keys that are always present."""


class FinalInfo(_FinalInfoAlways, _Bits, total=False):
    """Info of :class:`ludovec.VectorEnv` about finished games; valid where ``_<key>`` is set."""


class _InfoAlways(_Masks, _Steps, _Seeds):
    """Keys that are always present."""

    credit_of_mover: npt.NDArray[np.float32]
    """Credit of the current player, 0 at the start of a game. float32 [N]."""
    _credit_of_mover: npt.NDArray[np.bool_]


class Info(_InfoAlways, _Bits, _Ends, total=False):
    """Info of ``reset`` and ``step`` of :class:`ludovec.VectorEnv`; valid where ``_<key>`` is set."""

    env_id: npt.NDArray[np.int32]
    """Game indices of the rows, from ``recv``. int32 [N]."""
    _final_info: npt.NDArray[np.bool_]
    final_info: FinalInfo
    """In same-step mode: the infos of games that ended."""


class FinalSeatInfo(_Results):
    """Info of :class:`ludovec.SeatVectorEnv` about finished games; valid where ``_<key>`` is set."""

    seat: npt.NDArray[np.int32]
    """The learner's seat. int32 [N]."""
    episode_length: npt.NDArray[np.int32]
    """Decisions so far in the episode of the rewards. int32 [N]."""
    _seat: npt.NDArray[np.bool_]
    _episode_length: npt.NDArray[np.bool_]


class _SeatInfoAlways(_Masks, _Seeds):
    """Keys that are always present."""

    seat: npt.NDArray[np.int32]
    """The learner's seat. int32 [N]."""
    _seat: npt.NDArray[np.bool_]


class SeatInfo(_SeatInfoAlways, _Bits, _Ends, total=False):
    """Info of ``reset`` and ``step`` of :class:`ludovec.SeatVectorEnv`; valid where ``_<key>`` is set."""

    final_info: FinalSeatInfo
    """In same-step mode: the infos of games that ended."""
    _final_info: npt.NDArray[np.bool_]


class ResetOptions(TypedDict, total=False):
    """``options`` of ``reset``."""

    reset_mask: npt.NDArray[np.bool_]
    """bool [N]: the games to reset, all by default."""
    starts: Sequence[str | Mapping[str, Any] | bytes | None] | Mapping[int, str | Mapping[str, Any] | bytes]
    """Start positions by game: text, object or snapshot; None or absent for a normal start."""


class Sprt(TypedDict, total=False):
    """A sequential test with ``elo0`` and ``elo1``."""

    elo0: float
    """Lead under H0."""
    elo1: float
    """Lead under H1."""
    alpha: float
    """Probability of accepting H1 under H0, 0.05 by default."""
    beta: float
    """Probability of accepting H0 under H1, 0.05 by default."""
    model: EloModel
    """Scale of the leads: ``"normalized"`` Elo by default."""
