"""Chess as objects: a board with holes, pieces with move options, events and rules, all extensible.

>>> from ludovec import chess
>>> game = chess.Game("chess")
>>> board = game.board
>>> def pawns_stay_at_home(event):
...     event.cancelled |= event.piece.name == "pawn"
>>> board.subscribe(chess.BeforeMoveEvent, pawns_stay_at_home)
>>> pawn = board[chess.Position(4, 6)].piece
>>> pawn.move(pawn.get_move_options()[0])
False

The native engine alone generates and plays moves. A move publishes ``BeforeMoveEvent``,
``BeforeCapturedEvent``, ``BeforeRemovePieceEvent`` and ``BeforeAddPieceEvent``. Then the position changes.
Then come ``AfterRemovePieceEvent``, ``AfterAddPieceEvent``, ``AfterNewPieceEvent``, ``AfterCapturedEvent``,
``AfterMoveEvent``, ``BeforeChangeTurnEvent`` and ``AfterChangeTurnEvent``. Cancelling a part of a move
cancels all of it. So does a listener that raises, even after the move: the board is then as before the call.

====================  ================================================================================
``values``            positions, players, move options, priorities
``board``             :class:`Board`, :class:`Square`, :class:`Piece`, :class:`Rule`
``layout``            builds a variant from the squares of a board
``event_conversion``  converts events between the native board and Python
``pieces``            the pieces of the standard game
``events``            the events of a board
``rules``             rules from functions
``game``              :class:`Game` and its result functions
====================  ================================================================================
"""

from .board import Board, Event, Listener, Piece, Rule, Square, StandardPiece
from .events import (
    AfterAddPieceEvent,
    AfterAddSquareEvent,
    AfterCapturedEvent,
    AfterChangeTurnEvent,
    AfterGameEndEvent,
    AfterGetMoveOptionsEvent,
    AfterMoveEvent,
    AfterNewPieceEvent,
    AfterRemovePieceEvent,
    AfterRemoveSquareEvent,
    BeforeAddPieceEvent,
    BeforeAddSquareEvent,
    BeforeCapturedEvent,
    BeforeChangeTurnEvent,
    BeforeGetMoveOptionsEvent,
    BeforeMoveEvent,
    BeforeRemovePieceEvent,
    BeforeRemoveSquareEvent,
)
from .game import Game, ResultFunction, StandardResult
from .pieces import Bishop, King, Knight, Pawn, Queen, Rook
from .rules import as_rule, is_in_board
from .values import EventPriority, Extra, MoveOption, Player, Position

__all__ = [
    "AfterAddPieceEvent",
    "AfterAddSquareEvent",
    "AfterCapturedEvent",
    "AfterChangeTurnEvent",
    "AfterGameEndEvent",
    "AfterGetMoveOptionsEvent",
    "AfterMoveEvent",
    "AfterNewPieceEvent",
    "AfterRemovePieceEvent",
    "AfterRemoveSquareEvent",
    "BeforeAddPieceEvent",
    "BeforeAddSquareEvent",
    "BeforeCapturedEvent",
    "BeforeChangeTurnEvent",
    "BeforeGetMoveOptionsEvent",
    "BeforeMoveEvent",
    "BeforeRemovePieceEvent",
    "BeforeRemoveSquareEvent",
    "Bishop",
    "Board",
    "Event",
    "EventPriority",
    "Extra",
    "Game",
    "King",
    "Knight",
    "Listener",
    "MoveOption",
    "Pawn",
    "Piece",
    "Player",
    "Position",
    "Queen",
    "ResultFunction",
    "Rook",
    "Rule",
    "Square",
    "StandardPiece",
    "StandardResult",
    "as_rule",
    "is_in_board",
]
