"""Tilewe in the original's terms: boards, moves, pieces, engines, tournaments.

>>> from ludovec import tilewe
>>> board = tilewe.Board(n_players=4)
>>> move = tilewe.Move(piece=tilewe.W5, rotation=tilewe.NORTH, contact=tilewe.A01, to_tile=tilewe.A01)
>>> if board.is_legal(move):
...     board.push(move)
>>> board.current_player == tilewe.YELLOW, board.n_player_corners(tilewe.BLUE)
(True, 4)

=============  =======================================================================================
``board``      :class:`Board` and :class:`Move`
``pieces``     pieces, rotations and colours by name, and what pieces look like
``tiles``      tiles by name
``engine``     what chooses moves: the original's engines, and what yours derive from
``tournament`` engines against each other
=============  =======================================================================================
"""

from . import engine as engine
from . import tournament as tournament
from .board import Board as Board
from .board import Move as Move
from .pieces import *  # noqa: F403
from .tiles import *  # noqa: F403
