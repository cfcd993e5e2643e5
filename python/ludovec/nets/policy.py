"""Mapping from actions to the outputs of a network."""

from __future__ import annotations

import itertools
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..spec import ActionFamily, Spec

#: Directions of a queen as file and rank offsets, and the moves of a knight.
_LINES = [(files, ranks) for files in (-1, 0, 1) for ranks in (-1, 0, 1) if files or ranks]
_KNIGHT = [(-2, -1), (-2, 1), (-1, -2), (-1, 2), (2, -1), (2, 1), (1, -2), (1, 2)]


class ActionOutputs(NamedTuple):
    """Layout of the outputs of a network: planes by cell, then by plane, then the other outputs."""

    #: int32 [A]: output index of every action.
    outputs: npt.NDArray[np.int32]
    #: Number of outputs per cell of the board.
    planes: int
    #: Number of outputs without a cell.
    others: int


class Heads(NamedTuple):
    """Sizes of the heads of a network."""

    #: Number of outputs per cell of the board.
    planes: int
    #: Number of outputs without a cell.
    others: int
    #: Number of values.
    players: int

    @classmethod
    def of(cls, spec: Spec, board: tuple[int, int] | None) -> Heads:
        """The heads for the actions and players of an environment."""
        _, planes, others = action_outputs(spec, board)
        return cls(planes, others, spec.players)


def action_outputs(spec: Spec, board: tuple[int, int] | None) -> ActionOutputs:
    """The outputs of an environment's actions.

    Without a board every action has its own output. With a board, a family of actions with at most one per
    cell is a plane. Moves from square to square use planes of the starting square, for chess AlphaZero's 73.
    The cell of a square is where the observation shows it.
    """
    if board is not None and moves_of_squares(spec, board):
        return _moves(spec, *board)
    return _families(spec, board)


def moves_of_squares(spec: Spec, board: tuple[int, int]) -> bool:
    """Whether the actions are moves from square to square, which every file of a network lists."""
    first = spec.actions[0]
    return _axes(first) == ("square", "square") and first.count == (board[0] * board[1]) ** 2


def _families(spec: Spec, board: tuple[int, int] | None) -> ActionOutputs:
    rows, columns = board or (0, 0)
    axes = _board_axes(spec, (rows, columns))
    cells = np.full(spec.num_actions, -1)
    outputs = np.zeros(spec.num_actions, np.int64)
    planes = others = 0
    for family in spec.actions:
        actions = slice(family.offset, family.offset + family.count)
        places = np.arange(family.count)
        is_part = _axes(family) in axes and family.shape[0] <= rows and family.shape[1] <= columns
        if board is not None and (is_part or family.count == rows * columns):
            across = family.shape[1] if is_part else columns
            cells[actions] = places // across * columns + places % across
            outputs[actions] = planes
            planes += 1
        else:
            outputs[actions] = others + places
            others += family.count
    index = np.where(cells < 0, rows * columns * planes + outputs, cells * planes + outputs)
    return ActionOutputs(index.astype(np.int32), planes, others)


def _board_axes(spec: Spec, board: tuple[int, int]) -> set[tuple[str | None, ...]]:
    """Pairs of names of a board's axes in the observation."""
    fields = [field for field in spec.observation if field.values is not None]
    pairs = [
        field.values.axes[axis : axis + 2]
        for field in fields
        for axis in range(len(field.values.axes) - 1)
        if field.shape[axis : axis + 2] == board
    ]
    return {pair for pair in pairs if None not in pair}


def _axes(family: ActionFamily) -> tuple[str | None, ...]:
    """The names of the numbers that an action of the family consists of."""
    return () if family.values is None else tuple(family.values.axes)


def _moves(spec: Spec, rows: int, columns: int) -> ActionOutputs:
    squares = rows * columns
    index = np.full(spec.num_actions, -1)
    # AlphaZero's observation of chess begins with the last rank, those of variants with the first.
    fields = [field.values.axes for field in spec.observation if field.values is not None]
    last_first = any("rank_from_the_last" in axes for axes in fields)
    square = np.arange(squares)
    cells = ((rows - 1 - square // columns) * columns + square % columns) if last_first else square
    lengths = range(1, max(rows, columns))
    known = [(files * length, ranks * length) for files, ranks in _LINES for length in lengths] + _KNIGHT
    if not last_first:
        # Pieces of variants may leap anywhere.
        known += itertools.product(range(1 - columns, columns), range(1 - rows, rows))
    steps = {step: plane for plane, step in enumerate(filter(any, dict.fromkeys(known)))}

    def step_between(start: int, end: int) -> tuple[int, int]:
        return end % columns - start % columns, end // columns - start // columns

    planes, others = len(steps), 0
    outputs: list[tuple[int, int, int]] = []  # action, cell or -1, plane or output without a cell
    for family in spec.actions:
        axes = _axes(family)
        if axes == ("square", "square"):
            for start, end in itertools.product(range(squares), repeat=2):
                # Steps that no piece can make get plane 0; the mask excludes them.
                plane = steps.get(step_between(start, end), 0)
                outputs.append((family.offset + start * squares + end, cells[start], plane))
        elif axes == ("promotion_pair", "promotion_choice"):
            numbers = {name: number for number, name in enumerate(spec.values["square"])}
            choices = len(spec.values["promotion_choice"])
            promotions: dict[tuple[tuple[int, int], int], int] = {}
            for at, pair in enumerate(spec.values["promotion_pair"]):
                start, end = (numbers[name] for name in re.findall(r"[a-z]+\d+", pair))
                step = step_between(start, end)
                for choice in range(choices):
                    # The first choice, a queen in chess, has the plane of the move.
                    if choice == 0:
                        plane = steps.get(step, 0)
                    else:
                        plane = planes + promotions.setdefault((step, choice), len(promotions))
                    outputs.append((family.offset + at * choices + choice, cells[start], plane))
            planes += len(promotions)
        elif axes[-1:] == ("square",):
            for place in range(family.count):
                outputs.append((family.offset + place, cells[place % squares], planes + place // squares))
            planes += family.count // squares
        else:
            outputs += [(family.offset + place, -1, others + place) for place in range(family.count)]
            others += family.count
    for action, cell, output in outputs:
        index[action] = squares * planes + output if cell < 0 else cell * planes + output
    return ActionOutputs(index.astype(np.int32), planes, others)
