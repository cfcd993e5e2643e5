"""Chess as objects, for people who explore: board with holes, pieces with their move options, events, rules.

>>> from ludovec import chess
>>> game = chess.Game("chess")
>>> board = game.board
>>> def pawns_stay_at_home(event):
...     event.cancelled |= event.piece.name == "pawn"
>>> board.subscribe(chess.BeforeMoveEvent, pawns_stay_at_home)
>>> pawn = board[chess.Position(4, 6)].piece
>>> pawn.move(pawn.get_move_options()[0])
False

Beneath is the fast position: it alone says which moves there are and what they do. A move publishes
``BeforeMoveEvent``, ``BeforeCapturedEvent``, ``BeforeRemovePieceEvent`` and ``BeforeAddPieceEvent``, then the
position changes, then come ``AfterRemovePieceEvent``, ``AfterAddPieceEvent``, ``AfterNewPieceEvent``,
``AfterCapturedEvent``, ``AfterMoveEvent``, ``BeforeChangeTurnEvent`` and ``AfterChangeTurnEvent``. Whoever
cancels a part of a move cancels all of it; a listener that raises does so too, even after the move: the board
is as it was before the call.
"""

from __future__ import annotations

import copy
import itertools
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar, Concatenate, NamedTuple, ParamSpec, TypeAlias, TypeVar

from . import _core
from ._errors import config_error, illegal_action, state_error

Extra: TypeAlias = "bool | int | str | Position"

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Position(NamedTuple):
    """A place on the board: ``(0, 0)`` is at the top left, as white sees it."""

    x: int
    y: int

    def offset(self, dx: int, dy: int) -> Position:
        """The position so far from this one, on the board or not."""
        return Position(self.x + dx, self.y + dy)


@dataclass
class Player:
    """Who owns pieces: seat 0 has the upper-case letters of FEN (white). Any name will do."""

    seat: int
    name: str


@dataclass
class MoveOption:
    """A move that a piece can make: where it goes, where it takes, what else is to be known.

    The rules use these keys of ``extra``: ``promotion`` and ``drop`` (a piece's name), ``castling`` and
    ``swap`` (where the other piece stands), ``merge`` (what the two become), ``en_passant``, ``double_step``,
    ``swipe``, ``split``, ``summon``, ``pass`` (flags). An option that a listener adds is played as written:
    the captures go, the piece moves.
    """

    position: Position
    captures: list[Position] = field(default_factory=list)
    extra: dict[str, Extra] = field(default_factory=dict)

    def _parts(self) -> tuple[Any, list[Any], dict[str, Any]]:
        return tuple(self.position), [tuple(p) for p in self.captures], dict(self.extra)

    @classmethod
    def _of(cls, parts: tuple[Any, list[Any], dict[str, Any]]) -> MoveOption:
        position, captures, extra = parts
        extra = {key: Position(*v) if isinstance(v, tuple) else v for key, v in extra.items()}
        return cls(Position(*position), [Position(*p) for p in captures], extra)


@dataclass(frozen=True)
class Piece:
    """A piece, which its position follows. A promoted pawn is another piece."""

    board: Board = field(repr=False)
    name: str
    #: Its letter in FEN: upper case for seat 0.
    letter: str
    #: Whose it is; nobody's for neutral pieces.
    player: Player | None = field(compare=False)
    _number: int = field(repr=False)
    _seen: Position = field(repr=False, compare=False)

    @property
    def position(self) -> Position:
        """Where it stands; after it has left the board, where it stood when this object was made."""
        return self._place or self._seen

    @property
    def _place(self) -> Position | None:
        position = self.board._core.position_of(self._number)
        return None if position is None else Position(*position)

    def get_move_options(self) -> list[MoveOption]:
        """What it may do now: nothing when it is not its owner's turn, or it has left the board."""
        place = self._place
        return [] if place is None else self.board.get_move_options(place)

    def move(self, option: MoveOption) -> bool:
        """Makes a move and lets the turn go on; False when a listener cancelled it.

        Raises:
            IllegalAction: The piece has no such option, or has left the board.
            GameOver: The game has ended.
        """
        place = self._place
        if place is None:
            raise illegal_action(f"the {self.name} has left the board")
        return self.board.play(place, option)


@dataclass
class Square:
    """A square of the board; its piece is whatever stands there now."""

    board: Board = field(repr=False)
    position: Position

    @property
    def piece(self) -> Piece | None:
        """The piece on it. To change it, assign what :meth:`Board.set_piece` takes."""
        return self.board._piece(self.board._core.square(self.position)[1])

    @piece.setter
    def piece(self, piece: Piece | str | None) -> None:
        self.board.set_piece(self.position, piece)


class EventPriority(IntEnum):
    """Who hears of an event first: the higher, the earlier. Of equal ones, who subscribed first."""

    VERY_LOW = -2
    LOW = -1
    NORMAL = 0
    HIGH = 1
    VERY_HIGH = 2


@dataclass
class Event:
    """Something that is about to happen, or has happened."""

    board: Board


@dataclass
class _PieceEvent(Event):
    piece: Piece
    #: Where it happens: the square that a piece comes to or leaves, else where the piece stood.
    position: Position


@dataclass
class BeforeGetMoveOptionsEvent(_PieceEvent):
    """A piece has been asked for its options; they may be changed. Cancelled: it gets none."""

    options: list[MoveOption]
    cancelled: bool


@dataclass
class AfterGetMoveOptionsEvent(_PieceEvent):
    """A piece's options are known."""

    options: list[MoveOption]


@dataclass
class BeforeMoveEvent(_PieceEvent):
    """A move is about to be made; its option may be changed."""

    option: MoveOption
    cancelled: bool


@dataclass
class AfterMoveEvent(_PieceEvent):
    """A move has been made from ``position``."""

    option: MoveOption


@dataclass
class BeforeCapturedEvent(_PieceEvent):
    """A piece is about to be taken. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterCapturedEvent(_PieceEvent):
    """A piece has been taken."""


@dataclass
class BeforeRemovePieceEvent(_PieceEvent):
    """A piece is about to leave a square. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterRemovePieceEvent(_PieceEvent):
    """A piece has left a square."""


@dataclass
class BeforeAddPieceEvent(_PieceEvent):
    """A piece is about to come to a square. Cancelled: the whole move is not made."""

    cancelled: bool


class AfterAddPieceEvent(_PieceEvent):
    """A piece has come to a square."""


class AfterNewPieceEvent(_PieceEvent):
    """A piece is on the board that was not there before: promoted, dropped, spawned, set up."""


@dataclass
class _SquareEvent(Event):
    position: Position


@dataclass
class BeforeRemoveSquareEvent(_SquareEvent):
    """A square is about to become a hole."""

    cancelled: bool


class AfterRemoveSquareEvent(_SquareEvent):
    """A square has become a hole."""


@dataclass
class BeforeAddSquareEvent(_SquareEvent):
    """A hole is about to become a square."""

    cancelled: bool


class AfterAddSquareEvent(_SquareEvent):
    """A hole has become a square."""


@dataclass
class BeforeChangeTurnEvent(Event):
    """The turn is about to go on; ``next`` may be changed. Cancelled: the same player goes on."""

    next: Player
    cancelled: bool


@dataclass
class AfterChangeTurnEvent(Event):
    """The turn has gone on."""

    current: Player


@dataclass
class AfterGameEndEvent(Event):
    """The game has ended."""

    result: str


_EVENTS: dict[str, type[Event]] = {
    cls.__name__.removesuffix("Event"): cls
    for cls in [
        BeforeGetMoveOptionsEvent,
        AfterGetMoveOptionsEvent,
        BeforeMoveEvent,
        AfterMoveEvent,
        BeforeCapturedEvent,
        AfterCapturedEvent,
        BeforeRemovePieceEvent,
        AfterRemovePieceEvent,
        BeforeAddPieceEvent,
        AfterAddPieceEvent,
        AfterNewPieceEvent,
        BeforeRemoveSquareEvent,
        AfterRemoveSquareEvent,
        BeforeAddSquareEvent,
        AfterAddSquareEvent,
        BeforeChangeTurnEvent,
        AfterChangeTurnEvent,
        AfterGameEndEvent,
    ]
}

Listener: TypeAlias = Callable[[Any], None]


class Rule(ABC):
    """Logic of one's own that listens to a board. Its state is cloned with the board: keep no board in it."""

    @abstractmethod
    def on_join_board(self, board: Board) -> None:
        """Called once; subscribes to what the rule wants to hear of."""


def as_rule(on_join_board: Callable[[Board], None]) -> type[Rule]:
    """A rule without state from a function."""

    class FunctionRule(Rule):
        def on_join_board(self, board: Board) -> None:
            on_join_board(board)

    FunctionRule.__name__ = getattr(on_join_board, "__name__", "FunctionRule")
    return FunctionRule


class Board:
    """The container of all squares, players and rules; a game makes it."""

    players: tuple[Player, Player]

    def __init__(self, core: _core.ChessBoard) -> None:
        self._core = core
        self._functions: list[Listener] = []
        self._turns: list[Iterator[Player]] = []
        self._game: Game | None = None
        self.players = (Player(0, "white"), Player(1, "black"))
        turn = core.current_player()
        self.turn_iterator = itertools.cycle([self.players[1 - turn], self.players[turn]])

    # ---- what there is ----

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self._core.size()

    @property
    def fen(self) -> str:
        """The position as FEN."""
        return self._core.fen()

    def __getitem__(self, position: tuple[int, int]) -> Square | None:
        """The square at a position; None for holes and beyond the edge."""
        position = Position(*position)
        return Square(self, position) if self._core.square(position)[0] else None

    def __iter__(self) -> Iterator[Square]:
        """All squares, row by row from the top left; holes are none."""
        return (Square(self, Position(*position)) for position in self._core.squares())

    def get_pieces(self) -> list[Piece]:
        """All pieces, row by row from the top left."""
        return [self._some_piece(parts) for parts in self._core.pieces()]

    def get_player_pieces(self, player: Player) -> list[Piece]:
        """The pieces of one player."""
        return [piece for piece in self.get_pieces() if piece.player is player]

    @property
    def current_player(self) -> Player:
        """Whose turn it is."""
        return self.players[self._core.current_player()]

    @property
    def in_check(self) -> bool:
        """Whether the current player is in check."""
        return self._core.in_check()

    def _piece(self, parts: tuple[Any, ...] | None) -> Piece | None:
        return None if parts is None else self._some_piece(parts)

    def _some_piece(self, parts: tuple[Any, ...]) -> Piece:
        number, name, letter, seat, position = parts
        player = None if seat is None else self.players[seat]
        return Piece(self, name, letter, player, number, Position(*position))

    # ---- moves and changes ----

    def get_move_options(self, position: tuple[int, int]) -> list[MoveOption]:
        """What the piece at a position may do now, and what may be put there (from the hand, summoned)."""
        return [MoveOption._of(parts) for parts in self._change(self._core.move_options, Position(*position))]

    def play(self, position: tuple[int, int], option: MoveOption) -> bool:
        """Makes a move of the piece at a position; see :meth:`Piece.move`."""
        if self._game is not None:
            return self._game.play(position, option)
        return self._play(position, option)

    def _play(self, position: tuple[int, int], option: MoveOption) -> bool:
        return self._change(self._core.play, Position(*position), option._parts())

    def set_piece(self, position: tuple[int, int], piece: Piece | str | None) -> bool:
        """Puts a piece (or its letter in FEN) on a square, or clears it; False when a listener cancelled it.

        Raises:
            InvalidState: There is no such square or piece, or the position cannot be played.
        """
        letter = piece.letter if isinstance(piece, Piece) else piece
        if letter is not None and len(letter) != 1:
            raise state_error(f"piece {letter!r}: one letter of FEN is needed")
        return self._change(self._core.set_piece, Position(*position), letter)

    def remove_square(self, position: tuple[int, int]) -> bool:
        """Makes a hole of an empty square; False when a listener cancelled it."""
        return self._change(self._core.remove_square, Position(*position))

    def add_square(self, position: tuple[int, int]) -> bool:
        """Makes a square of a hole; False when a listener cancelled it."""
        return self._change(self._core.add_square, Position(*position))

    @property
    def turn_iterator(self) -> Iterator[Player]:
        """Who has the turn after the current player, and so on. Set it to any iterable of players.

        >>> board.turn_iterator = itertools.chain([board.current_player], board.turn_iterator)
        """
        return self._turns[-1]

    @turn_iterator.setter
    def turn_iterator(self, turns: Iterable[Player]) -> None:
        # A tee can be copied in the middle, which clones of the board need.
        self._turns.append(itertools.tee(turns, 1)[0])
        self._change(self._core.set_turns, len(self._turns) - 1)

    def _change(
        self, method: Callable[Concatenate[Board, _P], _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        turns = [copy.copy(turn) for turn in self._turns]
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            self._turns = turns
            raise

    # ---- events ----

    def subscribe(
        self, event: type[Event], function: Listener, priority: EventPriority = EventPriority.NORMAL
    ) -> int:
        """Calls a function with every event of a class; returns what :meth:`unsubscribe` wants."""
        kind = event.__name__.removesuffix("Event")
        if _EVENTS.get(kind) is not event:
            raise config_error(
                f"event {event.__name__}: one of {', '.join(e.__name__ for e in _EVENTS.values())}"
            )
        self._functions.append(function)
        return self._core.subscribe(self, kind, int(priority), len(self._functions) - 1)

    def unsubscribe(self, subscription: int) -> None:
        """Ends a subscription."""
        self._core.unsubscribe(self, subscription)

    def add_rule(self, rule: Rule | type[Rule]) -> None:
        """Adds a rule, or one of a class, which stays with the board and its clones."""
        if isinstance(rule, type):
            rule = rule()
        if not isinstance(rule, Rule):
            raise config_error(f"rule {rule!r}: a Rule or a subclass of it is allowed")
        rule.on_join_board(self)

    def _tell(self, function: int, kind: str, fields: dict[str, Any]) -> None:
        shown: dict[str, Any] = {}
        for key, value in fields.items():
            match key:
                case "piece":
                    shown[key] = self._some_piece(value)
                    shown["position"] = Position(*value[-1])
                case "position":
                    shown[key] = Position(*value)
                case "option":
                    shown[key] = MoveOption._of(value)
                case "options":
                    shown[key] = [MoveOption._of(option) for option in value]
                case "next" | "current":
                    shown[key] = self.players[value]
                case _:
                    shown[key] = value
        event = _EVENTS[kind](self, **shown)
        self._functions[function](event)
        match event:
            case BeforeGetMoveOptionsEvent(options=options):
                fields["options"] = [option._parts() for option in options]
            case BeforeMoveEvent(option=option):
                fields["option"] = option._parts()
            case BeforeChangeTurnEvent(next=player):
                fields["next"] = player.seat
        if "cancelled" in fields:
            fields["cancelled"] = bool(vars(event)["cancelled"])

    def _next_turn(self, number: int) -> int | None:
        player = next(self._turns[number], None)
        return None if player is None else player.seat

    def __repr__(self) -> str:
        return f"<ludovec.chess.Board {self.fen}>"


class StandardResult:
    """The endings of the variant's own rules: checkmate, stalemate, repetition and the others."""

    def __call__(self, board: Board) -> str | None:
        ending = board._core.ending()
        if ending is None:
            return None
        winner, reason = ending
        return f"{reason}, draw" if winner is None else f"{reason}, {board.players[winner].name} wins"


ResultFunction: TypeAlias = Callable[[Board], "str | None"]


class Game:
    """A board and what decides when the game is over.

    Args:
        variant: A shipped variant, or the path of a variant file.
        flags: Options laid over it.
        fen: The position it starts from, instead of the variant's own.
        results: Functions that are asked in their order after every turn; the text that one returns ends the
            game. The variant's own endings when not given.
        rules: Rules that join the board, or their classes.

    Raises:
        InvalidConfig, InvalidState: Says what is wrong with the variant or the position.
    """

    default_results: ClassVar[tuple[ResultFunction, ...]] = (StandardResult(),)

    def __init__(
        self,
        variant: str = "chess",
        flags: Iterable[str] = (),
        fen: str | None = None,
        *,
        results: Iterable[ResultFunction] | None = None,
        rules: Iterable[Rule | type[Rule]] = (),
    ) -> None:
        self._start(_core.ChessBoard(variant, list(flags), fen), results, rules)

    def _start(
        self,
        core: _core.ChessBoard,
        results: Iterable[ResultFunction] | None = None,
        rules: Iterable[Rule | type[Rule]] = (),
    ) -> None:
        self.board = Board(core)
        self.board._game = self
        self.results = list(self.default_results if results is None else results)
        self.result: str | None = None
        for rule in rules:
            self.board.add_rule(rule)

    @classmethod
    def from_position(cls, options: Mapping[str, Any], position: Mapping[str, Any]) -> Game:
        """What a :class:`ludovec.Game` of these options has come to; see :meth:`ludovec.Game.objects`."""
        game = cls.__new__(cls)
        game._start(_core.ChessBoard.from_state(options["variant"], options["flags"], json.dumps(position)))
        game.result = game._ending()
        return game

    def _ending(self) -> str | None:
        """What the first result function says that ends the game."""
        return next((text for ask in self.results if (text := ask(self.board)) is not None), None)

    def play(self, position: tuple[int, int], option: MoveOption) -> bool:
        """Makes a move of the piece at a position and asks the result functions; see :meth:`Piece.move`."""
        if self.result is not None:
            raise _core.GameOver(f"the game is over: {self.result}")
        before = self.board._core.copy()
        try:
            played = self.board._play(position, option)
            if played:
                self.result = self._ending()
                if self.result is not None:
                    self.board._change(self.board._core.end, self.result)
        except BaseException:
            self.board._core, self.result = before, None
            raise
        return played

    def clone(self) -> Game:
        """A copy on its own: rules, result functions and bound listeners are copied with their state.

        Plain functions have none, and what closures hold is shared.
        """
        old = self.board
        memo: dict[int, Any] = {}
        board = Board.__new__(Board)
        game = type(self).__new__(type(self))
        memo[id(old)], memo[id(self)] = board, game
        board._core = old._core.copy()
        board.players = copy.deepcopy(old.players, memo)
        board._functions = copy.deepcopy(old._functions, memo)
        # What is left of a turn order names the players of the old board; seats are the same.
        board._turns = [_Seats(copy.copy(turns), board) for turns in old._turns]
        board._game = game
        game.board = board
        game.results = copy.deepcopy(self.results, memo)
        game.result = self.result
        return game

    def __repr__(self) -> str:
        return f"<ludovec.chess.Game {self.board.fen}: {self.result or 'goes on'}>"


class _Seats:
    """A turn order of another board, told in the players of this one."""

    def __init__(self, turns: Iterator[Player], board: Board) -> None:
        self._turns = turns
        self._board = board

    def __iter__(self) -> Iterator[Player]:
        return self

    def __next__(self) -> Player:
        return self._board.players[next(self._turns).seat]

    def __copy__(self) -> _Seats:
        return _Seats(copy.copy(self._turns), self._board)
