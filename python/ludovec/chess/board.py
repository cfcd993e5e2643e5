"""The board, its squares and its pieces."""

from __future__ import annotations

import copy
import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar

from .. import _core
from .._shared import checks
from .._shared.errors import config_error, illegal_action, state_error, type_error
from . import event_conversion, layout
from .values import EventPriority, MoveOption, Player, Position

_P = ParamSpec("_P")
_T = TypeVar("_T")

#: A function that takes an event.
Listener: TypeAlias = Callable[[Any], object]


@dataclass
class Event:
    """Base of all events."""

    board: Board

    _by_kind: ClassVar[dict[str, type[Event]]] = {}

    def __init_subclass__(cls) -> None:
        if not cls.__name__.startswith("_"):
            Event._by_kind[cls.__name__.removesuffix("Event")] = cls


class _Place:
    """A piece or a square: it can have listeners, even before it is on a board."""

    _place = "place"

    def __init__(self) -> None:
        self._board: Board | None = None
        self._waiting: list[tuple[type[Event], Listener, EventPriority]] = []

    @property
    def board(self) -> Board:
        """The board of this piece or square.

        Raises:
            InvalidState: It is not on a board yet.
        """
        if self._board is None:
            raise state_error(f"the {self._place} is not on the board yet")
        return self._board

    def subscribe(
        self, event: type[Event], function: Listener, priority: EventPriority = EventPriority.NORMAL
    ) -> None:
        """Calls a function with every event of a class about this object; see :meth:`Board.subscribe`."""
        if self._board is None:
            self._waiting.append((event, function, priority))
        else:
            self._board.subscribe(event, _About(self, function), priority)

    def _join(self, board: Board) -> None:
        self._board = board
        waiting, self._waiting = self._waiting, []
        for event, function, priority in waiting:
            self.subscribe(event, function, priority)

    def _concerns(self, event: Event) -> bool:
        raise NotImplementedError


class _About:
    """A listener for the events of one piece or square; it is copied with the board."""

    def __init__(self, place: _Place, function: Listener) -> None:
        self._place = place
        self._function = function

    def __call__(self, event: Event) -> None:
        if self._place._concerns(event):
            self._function(event)


class Piece(_Place, ABC):
    """A piece. Derive from it for custom pieces; a promoted pawn becomes a new piece.

    >>> from ludovec import chess
    >>> class Ferz(chess.Piece):
    ...     name = "ferz"
    ...     def _get_move_options(self):
    ...         for dx, dy in [(1, 1), (1, -1), (-1, 1), (-1, -1)]:
    ...             to = self.position.offset(dx, dy)
    ...             square = self.board[to]
    ...             if square is None:
    ...                 continue
    ...             if square.piece is None or square.piece.player != self.player:
    ...                 yield chess.MoveOption(to, captures=[to] if square.piece else [])
    """

    _place = "piece"
    #: Name of the kind of piece.
    name: str = "piece"
    _kinds: ClassVar[dict[str, type[StandardPiece]]] = {}

    def __init__(self, player: Player | None = None) -> None:
        super().__init__()
        self._player = player
        self._letter: str | None = None
        self._number = -1
        self._seen: Position | None = None

    @property
    def player(self) -> Player | None:
        """The owner; None for neutral pieces."""
        return self._player

    @property
    def letter(self) -> str:
        """Its FEN letter: upper case for the first player."""
        if self._letter is None:
            raise state_error("the piece is not on the board yet")
        return self._letter

    @property
    def position(self) -> Position:
        """Its position; after it has left the board, its last one."""
        place = self.board._position_of(self._number)
        if place is not None:
            self._seen = place
        elif self._seen is None:
            raise state_error("the piece is not on the board yet")
        return self._seen

    def on_join_board(self) -> None:
        """Called after it was added to a board; override it to prepare a custom piece."""

    @abstractmethod
    def _get_move_options(self) -> Iterable[MoveOption]:
        """Its move options if its player is the current one."""

    def get_move_options(self) -> list[MoveOption]:
        """Its legal move options; empty if its player is not the current one or it has left the board."""
        place = self.board._position_of(self._number)
        return [] if place is None else self.board.get_move_options(place)

    def move(self, option: MoveOption) -> bool:
        """Makes a move and passes the turn; returns False if a listener cancelled it.

        Raises:
            IllegalAction: The piece has no such option, or has left the board.
            GameOver: The game has ended.
        """
        place = self.board._position_of(self._number)
        if place is None:
            raise illegal_action(f"the {_name(self)} has left the board")
        return self.board.play(place, option)

    def _concerns(self, event: Event) -> bool:
        return getattr(event, "piece", None) is self

    def __repr__(self) -> str:
        owner = "nobody" if self._player is None else repr(self._player.name)
        return f"<{_name(self)} of {owner}>"


class StandardPiece(Piece):
    """A piece of the variant, which moves by the variant's rules."""

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls) and "_get_move_options" not in vars(cls):
            Piece._kinds.setdefault(cls.name, cls)

    def _get_move_options(self) -> Iterable[MoveOption]:
        standard = [name for name, kind in Piece._kinds.items() if isinstance(self, kind)]
        return self.board._options_of_kind(self.position, standard[0] if standard else self.name)


class Square(_Place):
    """A square of the board.

    Args:
        piece: Its piece when a board is made of it.
    """

    _place = "square"

    def __init__(self, piece: Piece | None = None) -> None:
        super().__init__()
        self._position: Position | None = None
        self._piece = piece

    @property
    def position(self) -> Position:
        """Its position."""
        if self._position is None:
            raise state_error("the square is not on the board yet")
        return self._position

    @property
    def piece(self) -> Piece | None:
        """Its piece. Assign a piece, None, or any value that :meth:`Board.set_piece` takes."""
        return self._piece if self._board is None else self._board._piece_at(self.position)

    @piece.setter
    def piece(self, piece: Piece | str | None) -> None:
        if self._board is not None:
            self._board.set_piece(self.position, piece)
        elif isinstance(piece, str):
            raise state_error("the square is not on the board yet: only a Piece can be assigned")
        else:
            self._piece = piece

    def _concerns(self, event: Event) -> bool:
        return getattr(event, "position", None) == self._position

    def __repr__(self) -> str:
        return f"<square {self._position}: {self.piece}>"


class _Host(Protocol):
    """A game that handles the moves of its board."""

    def play(self, position: tuple[int, int], option: MoveOption) -> bool: ...


class Rule(ABC):
    """A custom rule that listens to a board. Its state is cloned with the board: store no board in it."""

    @abstractmethod
    def on_join_board(self, board: Board) -> None:
        """Called once; subscribes to events."""


class Board:
    """A board: squares, players and rules.

    >>> from ludovec.chess import Board, King, Pawn, Player, Position, Square
    >>> white, black = Player("white"), Player("black")
    >>> squares = [[Square() for x in "abcde"] for y in "123456"]
    >>> squares[0][2].piece, squares[5][2].piece = King(black), King(white)
    >>> squares[4][2].piece = Pawn(white)
    >>> board = Board(squares, [white, black], itertools.cycle([white, black]))

    Custom pieces need a board made this way. If all pieces are standard at the start and each player has one
    king, kings must not be left in check, and :class:`StandardResult` knows mate and stalemate. Otherwise
    kings are ordinary pieces that can be captured, and result functions end the game.

    Args:
        squares: Rows from the top, all of equal length: a square, or None for a hole. At most 16 by 16 and
            128 squares.
        players: Two players; the first one's pawns move up.
        turn_iterator: The current player, the next one, and so on.
        rules: Rules that join the board, or their classes.
        variant: Rules of the standard pieces: a shipped variant, or the path of a variant file.

    Raises:
        InvalidConfig, InvalidState: An argument is invalid; the message lists the allowed values.
    """

    def __init__(
        self,
        squares: Sequence[Sequence[Square | None]],
        players: Sequence[Player],
        turn_iterator: Iterable[Player],
        rules: Iterable[Rule | type[Rule]] = (),
        *,
        variant: str = "chess",
    ) -> None:
        if not isinstance(players, Sequence) or not all(isinstance(one, Player) for one in players):
            raise config_error(f"players={players!r:.100}: a list of two is needed")
        if len(players) != 2 or players[0] is players[1]:
            raise config_error(f"players: two different ones are needed, {len(players)} were given")
        if not isinstance(turn_iterator, Iterable):
            raise config_error(f"turn_iterator={turn_iterator!r:.100}: players in turn order are needed")
        turns = iter(turn_iterator)
        first = next(turns, None)
        if first is not players[0] and first is not players[1]:
            raise config_error("turn_iterator: its first player must be one of the board's")
        if not isinstance(squares, Sequence) or not all(isinstance(row, Sequence) for row in squares):
            raise config_error(f"squares={squares!r:.100}: a list of rows is needed")
        rows = [list(row) for row in squares]
        board_layout = layout.BoardLayout(
            [[_planned(square, players) for square in row] for row in rows], variant
        )
        self._start(_core.ChessBoard.from_text("board", board_layout.text(players.index(first))), players)
        self._own_letters = board_layout.own_letters
        self.turn_iterator = turns
        for place, square in board_layout.places(rows):
            position = Position(*place)
            if square is not None:
                square._position = position
                self._squares[position] = square
                square._join(self)
                if square._piece is not None:
                    self._settle(square._piece, position)
                    square._piece = None
        for piece in self.get_pieces():
            piece.on_join_board()
        for rule in rules:
            self.add_rule(rule)

    def _start(self, core: _core.ChessBoard, players: Sequence[Player]) -> None:
        self._core = core
        self._functions: list[Listener] = []
        self._turns: list[Iterator[Player]] = []
        self._game: _Host | None = None
        self._squares: dict[Position, Square] = {}
        self._pieces: dict[int, Piece] = {}
        #: A piece that is being added to a square.
        self._coming: Piece | None = None
        #: FEN letters of custom pieces, in the order of their classes.
        self._own_letters = ""
        self._own_kinds: list[type[Piece]] = []
        self.players = (players[0], players[1])
        for seat, player in enumerate(players):
            player.seat = seat
        self._functions.append(_own_options)
        core.subscribe(self, "BeforeGetMoveOptions", 1 + EventPriority.VERY_HIGH, 0)

    @classmethod
    def _of(cls, core: _core.ChessBoard) -> Board:
        """The board of a variant."""
        board = cls.__new__(cls)
        board._start(core, (Player("white"), Player("black")))
        turn = core.current_player()
        board.turn_iterator = itertools.cycle([board.players[1 - turn], board.players[turn]])
        return board

    # ---- reading ----

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self._core.size()

    @property
    def fen(self) -> str:
        """The position as FEN."""
        return self._core.fen()

    def __getitem__(self, position: tuple[int, int]) -> Square | None:
        """The square at a position; None for holes and outside the board."""
        position = _place(position)
        if not self._core.square(position)[0]:
            return None
        if position not in self._squares:
            square = self._squares[position] = Square()
            square._position = position
            square._join(self)
        return self._squares[position]

    def __setitem__(self, position: tuple[int, int], square: Square | None) -> None:
        """Puts a new square, with its piece, at a position in place of the square there; None makes a hole.

        Publishes the events of :meth:`set_piece`, :meth:`remove_square` and :meth:`add_square`. A listener
        that cancels one of them cancels the assignment.

        Raises:
            InvalidState: The position is outside the board, the square is on a board already, or a piece
                cannot be removed or added, such as a king that must be on the board.
        """
        place = _place(position)
        if square is not None and not isinstance(square, Square):
            raise type_error(f"square={square!r:.100}: a Square, or None for a hole, is needed")
        if square is not None and square._board is not None:
            raise state_error(f"the square at {square.position} is already on a board")
        core, squares, there = self._core.copy(), dict(self._squares), self[place]
        state = {} if square is None else dict(vars(square), _waiting=list(square._waiting))
        replaced = False
        try:
            replaced = self._change(Board._replace_square, place, square)
        finally:
            if not replaced:
                self._core, self._squares = core, squares
                if square is not None:
                    vars(square).update(state)
                if there is not None:
                    there._board, there._position = self, place

    def _replace_square(self, place: Position, square: Square | None) -> bool:
        there = self[place]
        if there is not None:
            if there.piece is not None and not self.set_piece(place, None):
                return False
            if not self.remove_square(place):
                return False
            there._board = there._position = None
            del self._squares[place]
        if square is None:
            return True
        if not self.add_square(place):
            return False
        piece, square._piece = square._piece, None
        square._position = place
        self._squares[place] = square
        square._join(self)
        return piece is None or self.set_piece(place, piece)

    def __iter__(self) -> Iterator[Square]:
        """All squares, row by row from the top left, without holes."""
        return (square for place in self._core.squares() if (square := self[place]) is not None)

    def get_pieces(self) -> list[Piece]:
        """All pieces, row by row from the top left."""
        return [self._piece(parts) for parts in self._core.pieces()]

    def get_player_pieces(self, player: Player | None) -> list[Piece]:
        """The pieces of a player; None for neutral pieces."""
        return [piece for piece in self.get_pieces() if piece.player is player]

    @property
    def current_player(self) -> Player:
        """The current player."""
        return self.players[self._core.current_player()]

    @property
    def in_check(self) -> bool:
        """True if the current player is in check."""
        return self._core.in_check()

    # ---- moves and changes ----

    def get_move_options(self, position: tuple[int, int]) -> list[MoveOption]:
        """Legal move options of the piece at a position, and drops from the hand to it."""
        return [MoveOption._of(parts) for parts in self._change(self._core.move_options, _place(position))]

    def play(self, position: tuple[int, int], option: MoveOption) -> bool:
        """Plays a move of the piece at a position; see :meth:`Piece.move`."""
        if self._game is not None:
            return self._game.play(position, option)
        return self._play(position, option)

    def _play(self, position: tuple[int, int], option: MoveOption) -> bool:
        if not isinstance(option, MoveOption):
            raise type_error(f"option={option!r:.100}: a MoveOption is needed")
        return self._change(self._core.play, _place(position), option._parts())

    def set_piece(self, position: tuple[int, int], piece: Piece | str | None) -> bool:
        """Puts a piece (or its FEN letter) on a square, or clears it; returns False if a listener cancelled
        it.

        A piece that is on a board already stays there: a copy of its kind is put on the square.

        Raises:
            InvalidState: The square or piece does not exist, or the position is not playable.
        """
        if isinstance(piece, Piece) and piece._board is None:
            return self._add(piece, _place(position))
        letter = piece.letter if isinstance(piece, Piece) else piece
        if letter is not None and (len(letter) != 1 or letter.upper() in self._own_letters):
            raise state_error(f"piece {letter!r}: a FEN letter, or a new Piece, is needed")
        return self._change(self._core.set_piece, _place(position), letter)

    def _add(self, piece: Piece, position: Position) -> bool:
        letter = self._letter_of(piece)
        standing = self._core.square(position)[1]
        if letter.upper() in self._own_letters and standing is not None and standing[2] == letter:
            # The native board does not replace a piece by one of the same kind, so the square is cleared
            # first.
            if not self._change(self._core.set_piece, position, None):
                return False
        self._coming, piece._letter = piece, letter
        try:
            added = self._change(self._core.set_piece, position, letter)
        finally:
            self._coming = None
            piece._board = None
        if added:
            self._settle(piece, position)
            piece.on_join_board()
        return added

    def _settle(self, piece: Piece, position: Position) -> None:
        """Registers a piece as the one on a square."""
        parts = self._core.square(position)[1]
        assert parts is not None
        piece._number, piece._letter, piece._seen = parts[0], parts[2], position
        self._pieces[piece._number] = piece
        if _is_own(piece) and type(piece) not in self._own_kinds:
            self._own_kinds.append(type(piece))
        piece._join(self)

    def _letter_of(self, piece: Piece) -> str:
        """The FEN letter of a piece on this board."""
        if piece.player is None or piece.player not in self.players:
            raise state_error(f"the {_name(piece)}: its player must be one of the board's")
        if not _is_own(piece):
            letter = self._core.letter_of(piece.name)
            if letter is None:
                raise state_error(f"the {piece.name}: the variant has no such piece")
        else:
            kind = type(piece)
            if not self._own_letters:
                raise state_error(
                    f"the {_name(piece)}: the board of a variant has no custom pieces: make one with Board()"
                )
            kinds = self._own_kinds if kind in self._own_kinds else [*self._own_kinds, kind]
            letter = self._own_letters[kinds.index(kind) % len(self._own_letters)]
        return letter.upper() if piece.player is self.players[0] else letter.lower()

    def remove_square(self, position: tuple[int, int]) -> bool:
        """Turns an empty square into a hole; returns False if a listener cancelled it."""
        return self._change(self._core.remove_square, Position(*position))

    def add_square(self, position: tuple[int, int]) -> bool:
        """Turns a hole into a square; returns False if a listener cancelled it."""
        return self._change(self._core.add_square, Position(*position))

    @property
    def turn_iterator(self) -> Iterator[Player]:
        """The players after the current one, in turn order. Assign any iterable of players.

        >>> board.turn_iterator = itertools.chain([board.current_player], board.turn_iterator)
        """
        return self._turns[-1]

    @turn_iterator.setter
    def turn_iterator(self, turns: Iterable[Player]) -> None:
        # A tee can be copied halfway, as clones of the board require.
        self._turns.append(itertools.tee(turns, 1)[0])
        self._change(self._core.set_turns, len(self._turns) - 1)

    def _change(
        self, method: Callable[Concatenate[Board, _P], _T], *args: _P.args, **kwargs: _P.kwargs
    ) -> _T:
        turns, pieces = [copy.copy(turn) for turn in self._turns], dict(self._pieces)
        try:
            done = method(self, *args, **kwargs)
        except BaseException:
            self._turns, self._pieces = turns, pieces
            raise
        if isinstance(done, bool) and not done:
            # Announced pieces were not added.
            self._pieces = pieces
        return done

    # ---- events ----

    def subscribe(
        self, event: type[Event], function: Listener, priority: EventPriority = EventPriority.NORMAL
    ) -> int:
        """Calls a function with every event of a class; returns a handle for :meth:`unsubscribe`."""
        name = getattr(event, "__name__", repr(event))
        kind = name.removesuffix("Event")
        if Event._by_kind.get(kind) is not event:
            known = ", ".join(e.__name__ for e in Event._by_kind.values())
            raise config_error(f"event {name:.100}: one of {known} is allowed")
        if not callable(function):
            raise config_error(f"listener {function!r:.100}: a function is needed")
        self._functions.append(function)
        return self._core.subscribe(self, kind, int(priority), len(self._functions) - 1)

    def unsubscribe(self, subscription: int) -> None:
        """Ends a subscription."""
        self._core.unsubscribe(self, subscription)

    def add_rule(self, rule: Rule | type[Rule]) -> None:
        """Adds a rule, or an instance of a rule class, to the board and its clones."""
        if isinstance(rule, type):
            rule = rule()
        if not isinstance(rule, Rule):
            raise config_error(f"rule {rule!r}: a Rule or a subclass of it is allowed")
        rule.on_join_board(self)

    def _tell(self, function: int, kind: str, fields: dict[str, Any]) -> None:
        event = Event._by_kind[kind](self, **event_conversion.event_fields(fields, self._piece, self.players))
        self._functions[function](event)
        event_conversion.write_back(fields, vars(event), self._seat)

    def _seat(self, player: Player) -> int:
        if player not in self.players:
            raise state_error(f"player {player.name!r}: only players of the board can have the turn")
        return self.players.index(player)

    def _next_turn(self, number: int) -> int | None:
        player = next(self._turns[number], None)
        return None if player is None else self._seat(player)

    # ---- pieces by number ----

    def _position_of(self, number: int) -> Position | None:
        place = self._core.position_of(number)
        return None if place is None else Position(*place)

    def _piece_at(self, position: Position) -> Piece | None:
        parts = self._core.square(position)[1]
        return None if parts is None else self._piece(parts)

    def _piece(self, parts: tuple[Any, ...]) -> Piece:
        """The object of a piece; a number that became free may be reused for another piece."""
        number, name, letter, seat, place = parts
        piece = self._pieces.get(number)
        if piece is None or piece._letter != letter:
            if self._coming is not None and self._coming._letter == letter:
                piece = self._coming
                piece._board = self
            else:
                player = None if seat is None else self.players[seat]
                kind: type[StandardPiece] = Piece._kinds.get(name, StandardPiece)
                piece = kind(player)
                if kind is StandardPiece:
                    piece.name = name
                piece._board = self
            piece._number, piece._letter = number, letter
            self._pieces[number] = piece
        piece._seen = Position(*place)
        return piece

    def _options_of_kind(self, position: Position, name: str) -> list[MoveOption]:
        """Move options of a piece of the variant, if it were on this square instead of the actual one."""
        letter = self._core.letter_of(name)
        here = self._core.square(position)[1]
        if letter is None or here is None:
            return []
        core, silent = self._core.copy(), event_conversion.SilentHost()
        core.set_piece(silent, position, letter.upper() if here[3] == 0 else letter.lower())
        return [MoveOption._of(parts) for parts in core.move_options(silent, position)]

    def __repr__(self) -> str:
        return f"<ludovec.chess.Board {self.fen}>"


def _own_options(event: Any) -> None:
    """Listener that fills in the move options of custom pieces."""
    piece = event.piece
    if _is_own(piece):
        current = piece.player is event.board.current_player
        event.move_options = list(piece._get_move_options()) if current else []


def _is_own(piece: Piece) -> bool:
    return type(piece) is not StandardPiece and type(piece) not in Piece._kinds.values()


def _name(piece: Piece) -> str:
    # In Python 3.13, a property accessed on a class is a method.
    name: Any = piece.name
    return str(name() if callable(name) else name)


_FAR = 100


def _place(position: object) -> Position:
    """A position argument in the form that the native board takes."""
    if not isinstance(position, tuple) or len(position) != 2:
        raise type_error(f"position={position!r:.100}: a Position(x, y) is needed")
    x, y = (checks.index(name, part) for name, part in zip("xy", position))
    # Boards have at most 16 rows and columns: coordinates far outside are clamped.
    return Position(*(max(-_FAR, min(part, _FAR)) for part in (x, y)))


def _planned(square: Square | None, players: Sequence[Player]) -> layout.PlannedSquare | None:
    if square is None:
        return None
    if not isinstance(square, Square):
        raise config_error(f"squares: {square!r:.100}: a Square, or None for a hole, is needed")
    if square._board is not None:
        raise config_error(f"squares: the square at {square.position} is already on a board")
    piece = square._piece
    if piece is None:
        return layout.PlannedSquare()
    if piece._board is not None or piece.player is None or piece.player not in players:
        raise config_error(f"squares: the {_name(piece)} is already on a board, or belongs to neither player")
    own = type(piece) if _is_own(piece) else None
    return layout.PlannedSquare(name=_name(piece), own=own, seat=list(players).index(piece.player))
