"""Engines, which choose moves on a :class:`~ludovec.tilewe.Board`: a base class and the original's examples.

>>> from ludovec import tilewe
>>> class Careful(tilewe.engine.Engine):
...     def on_search(self, board, seconds):
...         moves = board.generate_legal_moves()
...         return min(moves, key=lambda move: tilewe.n_piece_tiles(move.piece))
>>> board = tilewe.Board(n_players=2)
>>> board.push(Careful("Careful").search(board, seconds=1.0))
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import ClassVar, Literal

from .._shared.errors import config_error
from .board import Board, Move
from .pieces import Color, n_piece_contacts, n_piece_corners, n_piece_tiles
from .tiles import TILE_COORDS, TILES

Style = Literal["max", "min"]


class Engine:
    """Base class of engines: ``on_search`` returns a legal move.

    Args:
        name: Name in tables.
        estimated_elo: Self-reported strength, 0 is average; only displayed.
    """

    def __init__(self, name: str, estimated_elo: float | None = None) -> None:
        self.name = name
        self.estimated_elo = estimated_elo
        self.seconds: float = 0.0
        self.end_at = time.monotonic()

    def out_of_time(self) -> bool:
        """True if the time for the current move is over."""
        return time.monotonic() >= self.end_at

    def search(self, board: Board, seconds: float = 1.0) -> Move:
        """Chooses a move; an engine that checks :meth:`out_of_time` takes at most ``seconds``."""
        self.seconds, self.end_at = seconds, time.monotonic() + seconds
        return self.on_search(board, seconds)

    def on_search(self, board: Board, seconds: float) -> Move:
        """Chooses a move; the board may be changed during the search if the changes are undone."""
        raise NotImplementedError("on_search must be overridden")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


@contextmanager
def move_executor(board: Board, move: Move) -> Iterator[Board]:
    """Context manager: the board after a move.

    >>> with move_executor(board, board.generate_legal_moves()[0]):
    ...     board.n_player_corners(tilewe.BLUE)
    """
    board.push(move)
    try:
        yield board
    finally:
        board.pop()


class RandomEngine(Engine):
    """Chooses any legal move."""

    def __init__(self, name: str = "Random", estimated_elo: float | None = -100.0) -> None:
        super().__init__(name, estimated_elo)

    def on_search(self, board: Board, seconds: float) -> Move:
        return random.choice(board.generate_legal_moves())


class _Extreme(Engine):
    """Chooses the move with the highest (``"max"``) or lowest (``"min"``) value, ties at random."""

    names: ClassVar[dict[str, str]]
    elos: ClassVar[dict[str, float]]

    def __init__(
        self, name: str | None = None, style: Style = "max", estimated_elo: float | None = None
    ) -> None:
        if style not in self.names:
            raise config_error(f"style={style!r}: 'max' or 'min' is allowed")
        self.style = style
        super().__init__(
            name or self.names[style], self.elos[style] if estimated_elo is None else estimated_elo
        )

    def on_search(self, board: Board, seconds: float) -> Move:
        moves = board.generate_legal_moves()
        random.shuffle(moves)
        choose = max if self.style == "max" else min
        return choose(moves, key=lambda move: self.value(board, move))

    def value(self, board: Board, move: Move) -> float:
        """The value of a move."""
        raise NotImplementedError


class OpenCornersEngine(_Extreme):
    """Maximizes or minimizes its own open corners."""

    names: ClassVar = {"max": "MostOpenCorners", "min": "LeastOpenCorners"}
    elos: ClassVar = {"max": 15.0, "min": -250.0}

    def value(self, board: Board, move: Move) -> float:
        own = _own(board, board.current_player)
        with move_executor(board, move):
            return sum(board.n_player_corners(color) for color in own)


class PieceSizeEngine(_Extreme):
    """Places the largest or smallest piece: by tiles, then corners, then contacts."""

    names: ClassVar = {"max": "LargestPiece", "min": "SmallestPiece"}
    elos: ClassVar = {"max": 30.0, "min": -150.0}

    def value(self, board: Board, move: Move) -> float:
        piece = move.piece
        return 100 * n_piece_tiles(piece) + 10 * n_piece_corners(piece) + n_piece_contacts(piece)


class MoveDifferenceEngine(_Extreme):
    """Maximizes or minimizes its own number of moves minus the opponents'."""

    names: ClassVar = {"max": "MaxMoveDiff", "min": "MinMoveDiff"}
    elos: ClassVar = {"max": 50.0, "min": -200.0}

    def value(self, board: Board, move: Move) -> float:
        own = _own(board, board.current_player)
        with move_executor(board, move):
            counts = [board.n_legal_moves(color) for color in board.colors]
        return 2 * sum(counts[color] for color in own) - sum(counts)


def _own(board: Board, color: Color) -> list[Color]:
    """The colours of the player of a colour."""
    return [other for other in board.colors if (other - color) % board.n_players == 0]


def _from_edge(line: int, size: int) -> int:
    return min(line, size - 1 - line)


_RINGS = (100, 90, 75, 60, 50, 40, 30, 25, 10, 0)


def _weights(style: str, size: int) -> list[float]:
    """The weights of the tiles on a board of this size; 0 for the tiles that it lacks."""

    def weight(x: int, y: int) -> float:
        if max(x, y) >= size:
            return 0
        edges = (_from_edge(x, size), _from_edge(y, size))
        return _RINGS[min(edges)] if style == "wall_crawl" else 512 >> max(edges)

    return [weight(x, y) for x, y in TILE_COORDS]


class TileWeightEngine(Engine):
    """Maximizes the total weight of its tiles.

    Args:
        style: ``"wall_crawl"``, with higher weights near an edge, or ``"turtle"``, near a corner.
        custom_weights: 400 weights instead, in the order of :data:`~ludovec.tilewe.TILES`.
    """

    weight_maps: ClassVar[dict[str, list[float]]] = {
        style: _weights(style, 20) for style in ("wall_crawl", "turtle")
    }
    names: ClassVar = {"wall_crawl": "WallCrawler", "turtle": "Turtle"}
    elos: ClassVar = {"wall_crawl": -10.0, "turtle": -40.0}

    def __init__(
        self,
        name: str | None = None,
        style: Literal["wall_crawl", "turtle"] = "wall_crawl",
        custom_weights: Sequence[float] | None = None,
        estimated_elo: float | None = None,
    ) -> None:
        if style not in self.weight_maps:
            raise config_error(f"style={style!r}: 'wall_crawl' or 'turtle' is allowed")
        if custom_weights is not None and len(custom_weights) != len(TILES):
            raise config_error(f"custom_weights: 400 weights are needed, {len(custom_weights)} were given")
        custom = custom_weights is not None
        self.style = None if custom else style
        self.weights = self.weight_maps[style] if custom_weights is None else list(custom_weights)
        guess = 0.0 if custom else self.elos[style]
        named = "CustomTileWeights" if custom else self.names[style]
        super().__init__(name or named, guess if estimated_elo is None else estimated_elo)

    def on_search(self, board: Board, seconds: float) -> Move:
        moves = board.generate_legal_moves()
        random.shuffle(moves)
        other_size = self.style is not None and board.size != 20
        weights = _weights(self.style or "", board.size) if other_size else self.weights
        return max(moves, key=lambda move: sum(weights[tile] for tile in move.tiles))


class SimpleSearchEngine(Engine):
    """One-ply search: chooses the move with the best evaluation of the resulting board.

    Args:
        eval_board: ``eval_board(board, player)`` evaluates the board for a player; by default, tiles and open
            corners minus the opponents', with terms for blocked players and for a win.
    """

    def __init__(
        self,
        name: str = "SimpleSearch",
        eval_board: Callable[[Board, Color], float] | None = None,
        estimated_elo: float | None = None,
    ) -> None:
        guess = 75.0 if eval_board is None else 0.0
        super().__init__(name, guess if estimated_elo is None else estimated_elo)
        self.eval_function = eval_board or self.default_eval

    def on_search(self, board: Board, seconds: float) -> Move:
        moves, player = board.generate_legal_moves(), board.current_player
        random.shuffle(moves)
        best, best_value = moves[0], float("-inf")
        for move in moves:
            with move_executor(board, move):
                value = self.eval_function(board, player)
            if value > best_value:
                best, best_value = move, value
            if self.out_of_time():
                break
        return best

    @staticmethod
    def default_eval(board: Board, player: Color) -> float:
        """Evaluates the board for a player."""
        value, scores, finished = 0.0, board.scores, board.finished
        for seat in range(board.n_players):
            colors = _own(board, seat)
            corners = sum(board.n_player_corners(color) for color in colors)
            stuck = not finished and not any(board.can_play(color) for color in colors)
            if player in colors:
                won = finished and seat in board.winners
                value += 0.5 * scores[seat] + 0.2 * corners + 1000 * won - 1000 * stuck
            else:
                value += 3 * stuck - 0.1 * scores[seat] - 0.04 * corners
        return value
