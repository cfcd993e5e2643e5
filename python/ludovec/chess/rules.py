"""Rules of one's own from functions, and what they often ask of a board."""

from __future__ import annotations

from collections.abc import Callable

from .board import Board, Rule


def as_rule(on_join_board: Callable[[Board], None]) -> type[Rule]:
    """A rule without state from a function."""

    class FunctionRule(Rule):
        def on_join_board(self, board: Board) -> None:
            on_join_board(board)

    FunctionRule.__name__ = getattr(on_join_board, "__name__", "FunctionRule")
    return FunctionRule


def is_in_board(board: Board, position: tuple[int, int]) -> bool:
    """Whether there is a square at a position: not for holes and beyond the edge."""
    return board[position] is not None
