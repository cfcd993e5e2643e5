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

from .board import Board as Board
from .board import Event as Event
from .board import Listener as Listener
from .board import Piece as Piece
from .board import Rule as Rule
from .board import Square as Square
from .board import StandardPiece as StandardPiece
from .events import AfterAddPieceEvent as AfterAddPieceEvent
from .events import AfterAddSquareEvent as AfterAddSquareEvent
from .events import AfterCapturedEvent as AfterCapturedEvent
from .events import AfterChangeTurnEvent as AfterChangeTurnEvent
from .events import AfterGameEndEvent as AfterGameEndEvent
from .events import AfterGetMoveOptionsEvent as AfterGetMoveOptionsEvent
from .events import AfterMoveEvent as AfterMoveEvent
from .events import AfterNewPieceEvent as AfterNewPieceEvent
from .events import AfterRemovePieceEvent as AfterRemovePieceEvent
from .events import AfterRemoveSquareEvent as AfterRemoveSquareEvent
from .events import BeforeAddPieceEvent as BeforeAddPieceEvent
from .events import BeforeAddSquareEvent as BeforeAddSquareEvent
from .events import BeforeCapturedEvent as BeforeCapturedEvent
from .events import BeforeChangeTurnEvent as BeforeChangeTurnEvent
from .events import BeforeGetMoveOptionsEvent as BeforeGetMoveOptionsEvent
from .events import BeforeMoveEvent as BeforeMoveEvent
from .events import BeforeRemovePieceEvent as BeforeRemovePieceEvent
from .events import BeforeRemoveSquareEvent as BeforeRemoveSquareEvent
from .game import Game as Game
from .game import ResultFunction as ResultFunction
from .game import StandardResult as StandardResult
from .pieces import Bishop as Bishop
from .pieces import King as King
from .pieces import Knight as Knight
from .pieces import Pawn as Pawn
from .pieces import Queen as Queen
from .pieces import Rook as Rook
from .rules import as_rule as as_rule
from .rules import is_in_board as is_in_board
from .values import EventPriority as EventPriority
from .values import Extra as Extra
from .values import MoveOption as MoveOption
from .values import Player as Player
from .values import Position as Position
