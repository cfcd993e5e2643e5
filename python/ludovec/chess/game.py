"""A game: a board and its end."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, ClassVar, TypeAlias, overload

from .. import _core
from .._shared import checks
from .._shared.errors import config_error
from .board import Board, Event, Listener, Rule
from .values import EventPriority, MoveOption, Player


class StandardResult:
    """The variant's own result rules: checkmate, stalemate, repetition and others.

    On a board made of squares these are checkmate and stalemate; see :class:`Board`.
    """

    def __call__(self, board: Board) -> str | None:
        ending = board._core.ending()
        if ending is None:
            return None
        winner, reason = ending
        return f"{reason}, draw" if winner is None else f"{reason}, {board.players[winner].name} wins"


ResultFunction: TypeAlias = Callable[[Board], "str | None"]


class Game:
    """A board with result functions.

    ``Game(board, get_result)`` plays on a board made of squares, ``Game("atomic")`` on the board of a
    variant.

    Args:
        board: A board, a shipped variant, or the path of a variant file.
        flags: Options that modify the variant; with a board, the result function.
        fen: The starting position, instead of the variant's own.
        results: Functions called in order after every turn; the first text that one returns ends the game. By
            default the variant's own result rules.
        rules: Rules that join the board, or their classes.

    Raises:
        InvalidConfig, InvalidState: The variant or the position is invalid; the message says why.
    """

    default_results: ClassVar[tuple[ResultFunction, ...]] = (StandardResult(),)

    @overload
    def __init__(
        self,
        board: Board,
        get_result: ResultFunction | None = None,
        /,
        *,
        results: Iterable[ResultFunction] | None = None,
        rules: Iterable[Rule | type[Rule]] = (),
    ) -> None: ...

    @overload
    def __init__(
        self,
        board: str = "chess",
        flags: Iterable[str] = (),
        fen: str | None = None,
        *,
        results: Iterable[ResultFunction] | None = None,
        rules: Iterable[Rule | type[Rule]] = (),
    ) -> None: ...

    def __init__(
        self,
        board: Board | str = "chess",
        flags: Any = (),
        fen: str | None = None,
        *,
        results: Iterable[ResultFunction] | None = None,
        rules: Iterable[Rule | type[Rule]] = (),
    ) -> None:
        if isinstance(board, Board):
            if board._game is not None:
                raise config_error("board: it belongs to another game")
            if callable(flags):
                given: Any = flags
                results = [given, *(results or ())]
            elif flags or fen is not None:
                raise config_error("flags and fen are allowed with a variant only, not with a board")
        else:
            board = Board._of(
                _core.ChessBoard(checks.word("board", board), checks.words("flags", flags), fen)
            )
        self._start(board, results, rules)

    def _start(
        self,
        board: Board,
        results: Iterable[ResultFunction] | None = None,
        rules: Iterable[Rule | type[Rule]] = (),
    ) -> None:
        self.board = board
        self.board._game = self
        self.results = list(self.default_results if results is None else results)
        self.result: str | None = None
        for rule in rules:
            self.board.add_rule(rule)

    def subscribe(
        self, event: type[Event], function: Listener, priority: EventPriority = EventPriority.NORMAL
    ) -> int:
        """Calls a function with every event of a class; see :meth:`Board.subscribe`.

        >>> game = Game()
        >>> game.subscribe(AfterGameEndEvent, lambda event: print(event.result))
        """
        return self.board.subscribe(event, function, priority)

    @classmethod
    def from_position(cls, options: Mapping[str, Any], position: Mapping[str, Any]) -> Game:
        """A game at the position of a :class:`ludovec.Game`; see :meth:`ludovec.Game.objects`."""
        game = cls.__new__(cls)
        core = _core.ChessBoard.from_state(options["variant"], options["flags"], json.dumps(position))
        game._start(Board._of(core))
        game.result = game._ending()
        return game

    def _ending(self) -> str | None:
        """The first text that a result function returns, or None."""
        return next((text for ask in self.results if (text := ask(self.board)) is not None), None)

    def play(self, position: tuple[int, int], option: MoveOption) -> bool:
        """Plays a move of the piece at a position and calls the result functions; see :meth:`Piece.move`."""
        if self.result is not None:
            raise _core.GameOver(f"the game is over: {self.result}")
        board = self.board
        before, pieces, turns = board._core.copy(), dict(board._pieces), [copy.copy(t) for t in board._turns]
        try:
            played = board._play(position, option)
            if played:
                self.result = self._ending()
                if self.result is not None:
                    board._change(board._core.end, self.result)
        except BaseException:
            board._core, board._pieces, board._turns, self.result = before, pieces, turns, None
            raise
        return played

    def clone(self) -> Game:
        """An independent copy: custom pieces, rules, result functions and bound listeners are copied with
        their state.

        Plain functions have no state; the contents of closures are shared.
        """
        old = self.board
        memo: dict[int, Any] = {}
        board = Board.__new__(Board)
        game = type(self).__new__(type(self))
        memo[id(old)], memo[id(self)] = board, game
        board._core = old._core.copy()
        # The rest of the turn order refers to the players of the old board; seats are the same.
        board._turns = [_Seats(copy.copy(turns), board) for turns in old._turns]
        board._game = game
        board._coming = None
        for name in ("players", "_functions", "_squares", "_pieces", "_own_letters", "_own_kinds"):
            setattr(board, name, copy.deepcopy(getattr(old, name), memo))
        game.board = board
        game.results = copy.deepcopy(self.results, memo)
        game.result = self.result
        return game

    def __repr__(self) -> str:
        return f"<ludovec.chess.Game {self.board.fen}: {self.result or 'goes on'}>"


class _Seats:
    """A turn order of another board, mapped to the players of this one."""

    def __init__(self, turns: Iterator[Player], board: Board) -> None:
        self._turns = turns
        self._board = board

    def __iter__(self) -> Iterator[Player]:
        return self

    def __next__(self) -> Player:
        seat = next(self._turns).seat
        assert seat is not None
        return self._board.players[seat]

    def __copy__(self) -> _Seats:
        return _Seats(copy.copy(self._turns), self._board)
