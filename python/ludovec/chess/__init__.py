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

============  ========================================================================================
``values``    positions, players, move options, priorities
``board``     :class:`Board`, :class:`Square`, :class:`Piece`, :class:`Rule`
``layout``    from squares to the variant that a board is made of
``telling``   between the words of the native board and those of events
``pieces``    the pieces of the standard game
``events``    what a board tells those who listen
``rules``     rules from functions
``game``      :class:`Game` and what ends it
============  ========================================================================================
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
