"""Mapping from actions to the outputs of a network."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..spec import ActionFamily, Spec

#: File and rank offsets of AlphaZero's move planes: queen moves, then knight moves.
_STEPS = [
    (files * length, ranks * length)
    for files in (-1, 0, 1)
    for ranks in (-1, 0, 1)
    if files or ranks
    for length in range(1, 8)
] + [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)]
#: Index of the queen among the promotion choices; queen promotions use the plane of the move.
_QUEEN = 3


class ActionOutputs(NamedTuple):
    """Layout of the outputs of a network: planes by cell, then by plane, then the other outputs."""

    #: int32 [A]: output index of every action.
    outputs: npt.NDArray[np.int32]
    #: Number of outputs per cell of the board.
    planes: int
    #: Number of outputs without a cell.
    others: int


def action_outputs(spec: Spec, board: tuple[int, int] | None) -> ActionOutputs:
    """The outputs of an environment's actions.

    Without a board every action has its own output. With a board, a family of actions with one per cell is a
    plane. Moves from square to square use AlphaZero's 73 planes of the starting square.
    """
    if board is not None and spec.actions[0].count == (board[0] * board[1]) ** 2:
        return _moves(spec, *board)
    return _families(spec, board, [_width(family) if board else None for family in spec.actions])


def plain_action_outputs(spec: Spec, board: tuple[int, int] | None) -> ActionOutputs:
    """The same by the sizes of the families only: a family with as many actions as cells is a plane."""
    return _families(spec, board, [None] * len(spec.actions))


def _width(family: ActionFamily) -> int | None:
    """Number of columns of a family of cells, if its meaning says so."""
    told = re.search(r"column i % (\d+)", family.meaning)
    return int(told[1]) if told else None


def _families(spec: Spec, board: tuple[int, int] | None, widths: list[int | None]) -> ActionOutputs:
    rows, columns = board or (0, 0)
    cells = np.full(spec.num_actions, -1)
    outputs = np.zeros(spec.num_actions, np.int64)
    planes = others = 0
    for family, width in zip(spec.actions, widths):
        actions = slice(family.offset, family.offset + family.count)
        places = np.arange(family.count)
        if width or family.count == rows * columns:
            across = width or columns
            cells[actions] = places // across * columns + places % across
            outputs[actions] = planes
            planes += 1
        else:
            outputs[actions] = others + places
            others += family.count
    index = np.where(cells < 0, rows * columns * planes + outputs, cells * planes + outputs)
    return ActionOutputs(index.astype(np.int32), planes, others)


def _moves(spec: Spec, rows: int, columns: int) -> ActionOutputs:
    plane_of = {step: plane for plane, step in enumerate(_STEPS)}
    squares, planes = rows * columns, len(_STEPS) + 9
    index = np.zeros(spec.num_actions, np.int32)
    for start in range(squares):
        for end in range(squares):
            step = (end % columns - start % columns, end // columns - start // columns)
            # Steps that no piece can make get plane 0; the mask excludes them.
            index[start * squares + end] = start * planes + plane_of.get(step, 0)
    family = spec.actions[1]
    last = squares - columns
    pairs = [
        (last - columns + file, last + file + side)
        for file in range(columns)
        for side in (-1, 0, 1)
        if 0 <= file + side < columns
    ]
    choices = family.count // len(pairs)
    for action in range(family.count):
        (start, end), choice = pairs[action // choices], action % choices
        side = end % columns - start % columns
        plane = plane_of[side, 1] if choice == _QUEEN else len(_STEPS) + 3 * min(choice, 2) + side + 1
        index[family.offset + action] = start * planes + plane
    return ActionOutputs(index, planes, 0)
