"""Search trees as SVG: one column of boxes per depth, line width proportional to visits, the best
line in colour, small boards."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .game import Game

_BOX = (216, 40)
#: Size of a board, and the space around it; with boards, boxes have room for one.
_BOARD, _AROUND = 64, 4
_GAP = (60, 8)
_MARGIN = 12
_TITLE = 26
_WIDEST = 9.0
#: Maximum number of characters in a box.
_LETTERS = 32
#: Fill of a box, its frame, and the line to it: of the line that the search expects, and of the others.
_BEST = "#e3f8e8", "#147d4a", "#27ab67"
_OTHER = "#f5f7fa", "#52606d", "#7b8794"


class _Box(NamedTuple):
    """A box, its share of the parent's visits, its children, the most visited one first, and its position."""

    lines: tuple[str, str]
    share: float
    below: list[_Box]
    after: Game | None = None


class _Drawing:
    """The drawn parts, with the size of boxes."""

    def __init__(self, player: int | None) -> None:
        self.player = player
        self.parts: list[str] = []
        self.definitions: set[str] = set()
        width, height = _BOX
        # Equal boxes, because the columns have rows.
        room = _BOARD + 2 * _AROUND
        self.box = (width + room, room) if player is not None else (width, height)

    def board(self, game: Game, x: float, top: float) -> str:
        """The board as the player sees it, as an element at a place. Equal definitions are written once."""
        svg = game.to_svg(player=self.player, board_only=True)
        tag, _, inner = svg.partition(">")
        view = re.search(r"viewBox=(\"[^\"]*\"|'[^']*')", tag)
        font = re.search(r"font-family=(\"[^\"]*\"|'[^']*')", tag)
        inner = re.sub(r"<(title|desc)>.*?</\1>", "", inner.rpartition("</svg>")[0], flags=re.DOTALL)

        def once(found: re.Match[str]) -> str:
            known = found[0] in self.definitions
            self.definitions.add(found[0])
            return "" if known else found[0]

        inner = re.sub(r"<defs>.*?</defs>", once, inner, flags=re.DOTALL)
        attributes = " ".join(found[0] for found in (view, font) if found)
        size = f'x="{x + _AROUND:g}" y="{top + _AROUND:g}" width="{_BOARD}" height="{_BOARD}"'
        return f"<svg {size} {attributes}>{inner}</svg>"


def tree_svg(
    tree: dict[str, Any] | None, title: str, most: int, chosen: int, game: Game, boards: bool
) -> str:
    """Draws the result of :meth:`ludovec.TreeSearch.tree_json`, root at the left.

    The best line has the chosen action, and then the most visited moves and outcomes. It is at the top. Moves
    are in words as long as ``game`` and its successors have the positions of the tree, and labels otherwise.
    """
    root = _Box(("nothing to search", ""), 1.0, []) if tree is None else _root(tree, most, chosen, game)
    drawing = _Drawing(tree["player"] if boards and tree is not None and root.after is not None else None)
    rows = _draw(root, 0, 0, drawing, best=True)[0]
    (box_width, box_height), (gap_x, gap_y) = drawing.box, _GAP
    columns = _depth(root)
    width = 2 * _MARGIN + columns * box_width + (columns - 1) * gap_x
    height = 2 * _MARGIN + _TITLE + rows * box_height + (rows - 1) * gap_y
    name = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" '
        'font-family="Arial, Helvetica, sans-serif" font-size="12">'
        f"<title>{name}</title>"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
        f'<text x="{_MARGIN}" y="{_MARGIN + 12}" font-weight="bold" fill="#1f2933">{name}</text>'
        f"{''.join(drawing.parts)}</svg>"
    )


def _root(tree: dict[str, Any], most: int, chosen: int, game: Game) -> _Box:
    values = ", ".join(f"{value:.2f}" for value in tree["values"])
    lines = (f"{game.names[tree['player']]} to move", f"{tree['visits']} visits, values {values}")
    # Equally many visits do not say which action the search chose.
    actions = sorted(tree.get("actions", []), key=lambda action: action["action"] != chosen)
    below = _actions({**tree, "actions": actions}, most, game)
    known = all(_is_known(action, game) for action in actions)
    return _Box(lines, 1.0, below, game if known else None)


def _is_known(action: dict[str, Any], game: Game) -> bool:
    """Whether the game has the action of the tree, as far as the label says."""
    index = action["action"]
    return index in game.legal_actions() and game.action_to_string(index) == action["text"]


def _actions(node: dict[str, Any], most: int, game: Game | None) -> list[_Box]:
    """The most visited actions of a position."""
    actions = node.get("actions", [])
    visits = max(1, sum(action["visits"] for action in actions))
    return [_action(action, action["visits"] / visits, most, game) for action in actions[:most]]


def _action(action: dict[str, Any], share: float, most: int, game: Game | None) -> _Box:
    text, after = action["text"], None
    if game is not None and _is_known(action, game):
        text = game.action_in_words(action["action"]) or text
        after = game.clone()
        after.step(action["action"])
    lines = (text, f"{action['visits']} visits, Q {action['q']:+.2f}, P {action['prior']:.2f}")
    outcomes = action["outcomes"]
    if len(outcomes) == 1:
        return _Box(lines, share, _actions(outcomes[0], most, after), after)
    visits = max(1, sum(outcome["visits"] for outcome in outcomes))
    outcomes = sorted(outcomes, key=lambda outcome: -outcome["visits"])
    below = [
        _Box(
            (f"outcome {k}", f"{outcome['visits']} visits"),
            outcome["visits"] / visits,
            _actions(outcome, most, after),
        )
        for k, outcome in enumerate(outcomes[:most], 1)
    ]
    return _Box(lines, share, below)


def _depth(box: _Box) -> int:
    return 1 + max((_depth(below) for below in box.below), default=0)


def _draw(box: _Box, column: int, row: int, drawing: _Drawing, best: bool) -> tuple[int, float]:
    """Draws a box and its subtree from ``row`` on; returns the number of rows and the centre of the box.

    ``best``: the box is on the line of the most visited moves and outcomes.
    """
    (width, height), (gap_x, gap_y) = drawing.box, _GAP
    x = _MARGIN + column * (width + gap_x)
    rows, middles = 0, []
    for k, below in enumerate(box.below):
        taken, middle = _draw(below, column + 1, row + rows, drawing, best and k == 0)
        rows += taken
        middles.append((below, middle))
    y = _MARGIN + _TITLE + row * (height + gap_y)
    centre = (middles[0][1] + middles[-1][1]) / 2 if middles else y + height / 2
    for k, (below, middle) in enumerate(middles):
        colour = (_BEST if best and k == 0 else _OTHER)[2]
        start, end, bend = x + width, x + width + gap_x, x + width + gap_x / 2
        wide = max(0.5, _WIDEST * below.share)
        drawing.parts.append(
            f'<path d="M{start},{centre:g}C{bend},{centre:g} {bend},{middle:g} {end},{middle:g}" '
            f'fill="none" stroke="{colour}" stroke-width="{wide:.1f}"/>'
        )
    top = centre - height / 2
    fill, frame, _ = _BEST if best else _OTHER
    first, second = (_short(line) for line in box.lines)
    board, left, middle = "", x + 8, centre
    if drawing.player is not None and box.after is not None and (best or column <= 1):
        board = drawing.board(box.after, x, top)
        left = x + _BOARD + 3 * _AROUND
    drawing.parts.append(
        f"<g><title>{escape(box.lines[0])}</title>"
        f'<rect x="{x}" y="{top:g}" width="{width}" height="{height}" rx="5" '
        f'fill="{fill}" stroke="{frame}"/>'
        f'<text x="{left}" y="{middle - 4:g}" fill="#1f2933">{escape(first)}</text>'
        f'<text x="{left}" y="{middle + 12:g}" fill="#52606d">{escape(second)}</text>{board}</g>'
    )
    return max(1, rows), centre


def _short(line: str) -> str:
    return line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…"
