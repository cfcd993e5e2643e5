"""What is on a board and can be listened to there: squares and pieces."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from .._errors import illegal_action, state_error
from .values import EventPriority, MoveOption, Player, Position

if TYPE_CHECKING:
    from .board import Board

#: A function that is called with an event.
Listener: TypeAlias = Callable[[Any], object]


@dataclass
class Event:
    """Something that is about to happen, or has happened."""

    board: Board

    _by_kind: ClassVar[dict[str, type[Event]]] = {}

    def __init_subclass__(cls) -> None:
        if not cls.__name__.startswith("_"):
            Event._by_kind[cls.__name__.removesuffix("Event")] = cls


class _Place:
    """What stands on a board and can be listened to there, before it is on one, too."""

    _place = "place"

    def __init__(self) -> None:
        self._board: Board | None = None
        self._waiting: list[tuple[type[Event], Listener, EventPriority]] = []

    @property
    def board(self) -> Board:
        """The board it is on.

        Raises:
            InvalidState: It is on none yet.
        """
        if self._board is None:
            raise state_error(f"the {self._place} is not on the board yet")
        return self._board

    def subscribe(
        self, event: type[Event], function: Listener, priority: EventPriority = EventPriority.NORMAL
    ) -> None:
        """Calls a function with every event of a class that is about this; see :meth:`Board.subscribe`."""
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
    """A listener that hears only what concerns one piece or square; it is copied with the board."""

    def __init__(self, place: _Place, function: Listener) -> None:
        self._place = place
        self._function = function

    def __call__(self, event: Event) -> None:
        if self._place._concerns(event):
            self._function(event)


class Piece(_Place, ABC):
    """A piece, which its position follows. Yours derive from it; a promoted pawn is another piece.

    >>> from ludovec import chess
    >>> class Ferz(chess.Piece):
    ...     name = "ferz"
    ...     def _get_move_options(self):
    ...         for dx, dy in [(1, 1), (1, -1), (-1, 1), (-1, -1)]:
    ...             to = self.position.offset(dx, dy)
    ...             square = self.board[to]
    ...             if square is not None and (square.piece is None or square.piece.player != self.player):
    ...                 yield chess.MoveOption(to, captures=[to] if square.piece else [])
    """

    _place = "piece"
    #: What it is called.
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
        """Whose it is; nobody's for neutral pieces."""
        return self._player

    @property
    def letter(self) -> str:
        """Its letter in FEN: upper case for the first player."""
        if self._letter is None:
            raise state_error("the piece is not on the board yet")
        return self._letter

    @property
    def position(self) -> Position:
        """Where it stands; after it has left the board, where it was seen last."""
        place = self.board._position_of(self._number)
        if place is not None:
            self._seen = place
        elif self._seen is None:
            raise state_error("the piece is not on the board yet")
        return self._seen

    def on_join_board(self) -> None:
        """Called when it has been added to a board; a piece of your own may prepare itself here."""

    @abstractmethod
    def _get_move_options(self) -> Iterable[MoveOption]:
        """What it could do now if it is its player's turn."""

    def get_move_options(self) -> list[MoveOption]:
        """What it may do now: nothing when it is not its player's turn, or it has left the board."""
        place = self.board._position_of(self._number)
        return [] if place is None else self.board.get_move_options(place)

    def move(self, option: MoveOption) -> bool:
        """Makes a move and lets the turn go on; False when a listener cancelled it.

        Raises:
            IllegalAction: The piece has no such option, or has left the board.
            GameOver: The game has ended.
        """
        place = self.board._position_of(self._number)
        if place is None:
            raise illegal_action(f"the {name_of(self)} has left the board")
        return self.board.play(place, option)

    def _concerns(self, event: Event) -> bool:
        return getattr(event, "piece", None) is self

    def __repr__(self) -> str:
        owner = "nobody" if self._player is None else repr(self._player.name)
        return f"<{name_of(self)} of {owner}>"


class StandardPiece(Piece):
    """A piece that the variant knows: its rules say what it may do."""

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls) and "_get_move_options" not in vars(cls):
            Piece._kinds.setdefault(cls.name, cls)

    def _get_move_options(self) -> Iterable[MoveOption]:
        standard = [name for name, kind in Piece._kinds.items() if isinstance(self, kind)]
        return self.board._options_of_kind(self.position, standard[0] if standard else self.name)


class Square(_Place):
    """A square of the board.

    Args:
        piece: What stands on it when a board is made of it.
    """

    _place = "square"

    def __init__(self, piece: Piece | None = None) -> None:
        super().__init__()
        self._position: Position | None = None
        self._piece = piece

    @property
    def position(self) -> Position:
        """Where it is."""
        if self._position is None:
            raise state_error("the square is not on the board yet")
        return self._position

    @property
    def piece(self) -> Piece | None:
        """The piece on it. Assign another, None, or what :meth:`Board.set_piece` takes."""
        return self._piece if self._board is None else self._board._piece_at(self.position)

    @piece.setter
    def piece(self, piece: Piece | str | None) -> None:
        if self._board is not None:
            self._board.set_piece(self.position, piece)
        elif isinstance(piece, str):
            raise state_error("the square is not on the board yet: only a Piece can stand on it")
        else:
            self._piece = piece

    def _concerns(self, event: Event) -> bool:
        return getattr(event, "position", None) == self._position

    def __repr__(self) -> str:
        return f"<square {self._position}: {self.piece}>"


def is_own(piece: Piece) -> bool:
    """Whether a piece says itself what it may do."""
    return type(piece) is not StandardPiece and type(piece) not in Piece._kinds.values()


def name_of(piece: Piece) -> str:
    """What a piece is called."""
    # In Python 3.13 a class's property is a method.
    name: Any = piece.name
    return str(name() if callable(name) else name)
