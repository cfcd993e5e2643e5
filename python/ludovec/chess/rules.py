"""Helpers for custom rules."""

from __future__ import annotations

from collections.abc import Callable

from .board import Board, Rule


def as_rule(on_join_board: Callable[[Board], None]) -> type[Rule]:
    """A stateless rule from a function."""

    class FunctionRule(Rule):
        def on_join_board(self, board: Board) -> None:
            on_join_board(board)

    FunctionRule.__name__ = getattr(on_join_board, "__name__", "FunctionRule")
    return FunctionRule


def is_in_board(board: Board, position: tuple[int, int]) -> bool:
    """True if the position is a square of the board; False for holes and outside."""
    return board[position] is not None
