"""Tilewe in the original's terms: boards, moves, pieces, engines, tournaments.

>>> from ludovec import tilewe
>>> board = tilewe.Board(n_players=4)
>>> move = tilewe.Move(
...     piece=tilewe.W5, rotation=tilewe.NORTH, contact=tilewe.A01, to_tile=tilewe.A01
... )
>>> if board.is_legal(move):
...     board.push(move)
>>> board.current_player == tilewe.YELLOW, board.n_player_corners(tilewe.BLUE)
(True, 4)

=============  =======================================================================================
``board``      :class:`Board` and :class:`Move`
``pieces``     names of pieces, rotations and colours, and shapes of pieces
``tiles``      names of tiles
``engine``     engines: the original's, and a base class for yours
``tournament`` tournaments between engines
=============  =======================================================================================
"""

from . import engine as engine
from . import tournament as tournament
from .board import Board as Board
from .board import Move as Move
from .pieces import *  # noqa: F403
from .tiles import *  # noqa: F403
