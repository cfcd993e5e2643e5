"""Which output of a network speaks of which action."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..spec import ActionFamily, Spec

#: Files and ranks of the moves of AlphaZero's planes: queens, then knights.
_STEPS = [
    (files * length, ranks * length)
    for files in (-1, 0, 1)
    for ranks in (-1, 0, 1)
    if files or ranks
    for length in range(1, 8)
] + [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)]
#: Place of the queen among the choices of a promotion; hers is the plane of the move.
_QUEEN = 3


class ActionOutputs(NamedTuple):
    """Where logits are among the outputs of a network: planes by cell, then by plane, then the others."""

    #: int32 [A]: the output of every action.
    outputs: npt.NDArray[np.int32]
    #: Outputs of every cell of the board.
    planes: int
    #: Outputs without a place.
    others: int


def action_outputs(spec: Spec, board: tuple[int, int] | None) -> ActionOutputs:
    """The outputs of an environment's actions.

    Without a board every action has an output of its own. With one, a family of actions that are places on it
    has a plane. Moves from a square to a square have AlphaZero's 73 planes of the square they come from.
    """
    if board is not None and spec.actions[0].count == (board[0] * board[1]) ** 2:
        return _moves(spec, *board)
    return _families(spec, board, [_width(family) for family in spec.actions])


def plain_action_outputs(spec: Spec, board: tuple[int, int] | None) -> ActionOutputs:
    """The same by what the counts of families say alone: as many actions as cells are a plane."""
    return _families(spec, board, [None] * len(spec.actions))


def _width(family: ActionFamily) -> int | None:
    """How many places a row has that a family goes to, where that is said."""
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
            # What no piece can do is never asked for.
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
