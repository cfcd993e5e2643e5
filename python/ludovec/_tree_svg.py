"""Search trees as SVG: one column of boxes per depth, line width proportional to visits."""

from __future__ import annotations

from html import escape
from typing import Any, NamedTuple

_BOX = (216, 40)
_GAP = (60, 8)
_MARGIN = 12
_TITLE = 26
_WIDEST = 9.0
#: Maximum number of characters in a box.
_LETTERS = 32


class _Box(NamedTuple):
    """A box, its share of the parent's visits, and its children."""

    lines: tuple[str, str]
    share: float
    below: list[_Box]


def tree_svg(tree: dict[str, Any] | None, title: str, most: int) -> str:
    """Draws the result of :meth:`ludovec.TreeSearch.tree_json`, root at the left."""
    root = _Box(("nothing to search", ""), 1.0, []) if tree is None else _root(tree, most)
    drawn: list[str] = []
    rows = _draw(root, 0, 0, drawn)[0]
    (box_width, box_height), (gap_x, gap_y) = _BOX, _GAP
    columns = _depth(root)
    width = 2 * _MARGIN + columns * box_width + (columns - 1) * gap_x
    height = 2 * _MARGIN + _TITLE + rows * box_height + (rows - 1) * gap_y
    name = escape(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="sans-serif" font-size="12">'
        f"<title>{name}</title>"
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
        f'<text x="{_MARGIN}" y="{_MARGIN + 12}" font-weight="bold" fill="#1f2933">{name}</text>'
        f"{''.join(drawn)}</svg>"
    )


def _root(tree: dict[str, Any], most: int) -> _Box:
    values = ", ".join(f"{value:.2f}" for value in tree["values"])
    lines = (f"player {tree['player']} to move", f"{tree['visits']} visits, values {values}")
    return _Box(lines, 1.0, _actions(tree, most))


def _actions(node: dict[str, Any], most: int) -> list[_Box]:
    """The most visited actions of a position."""
    actions = node.get("actions", [])
    visits = max(1, sum(action["visits"] for action in actions))
    return [_action(action, action["visits"] / visits, most) for action in actions[:most]]


def _action(action: dict[str, Any], share: float, most: int) -> _Box:
    lines = (action["text"], f"{action['visits']} visits, Q {action['q']:+.2f}, P {action['prior']:.2f}")
    outcomes = action["outcomes"]
    if len(outcomes) == 1:
        return _Box(lines, share, _actions(outcomes[0], most))
    visits = max(1, sum(outcome["visits"] for outcome in outcomes))
    below = [
        _Box(
            (f"outcome {k}", f"{outcome['visits']} visits"),
            outcome["visits"] / visits,
            _actions(outcome, most),
        )
        for k, outcome in enumerate(outcomes[:most], 1)
    ]
    return _Box(lines, share, below)


def _depth(box: _Box) -> int:
    return 1 + max((_depth(below) for below in box.below), default=0)


def _draw(box: _Box, column: int, row: int, drawn: list[str]) -> tuple[int, float]:
    """Draws a box and its subtree from ``row`` on; returns the number of rows and the centre of the box."""
    (width, height), (gap_x, gap_y) = _BOX, _GAP
    x = _MARGIN + column * (width + gap_x)
    rows, middles = 0, []
    for below in box.below:
        taken, middle = _draw(below, column + 1, row + rows, drawn)
        rows += taken
        middles.append((below, middle))
    y = _MARGIN + _TITLE + row * (height + gap_y)
    centre = (middles[0][1] + middles[-1][1]) / 2 if middles else y + height / 2
    for below, middle in middles:
        start, end, bend = x + width, x + width + gap_x, x + width + gap_x / 2
        wide = max(0.5, _WIDEST * below.share)
        drawn.append(
            f'<path d="M{start},{centre:g}C{bend},{centre:g} {bend},{middle:g} {end},{middle:g}" '
            f'fill="none" stroke="#7b8794" stroke-width="{wide:.1f}"/>'
        )
    top = centre - height / 2
    first, second = (_short(line) for line in box.lines)
    drawn.append(
        f"<g><title>{escape(box.lines[0])}</title>"
        f'<rect x="{x}" y="{top:g}" width="{width}" height="{height}" rx="5" '
        f'fill="#f5f7fa" stroke="#52606d"/>'
        f'<text x="{x + 8}" y="{top + 16:g}" fill="#1f2933">{escape(first)}</text>'
        f'<text x="{x + 8}" y="{top + 32:g}" fill="#52606d">{escape(second)}</text></g>'
    )
    return max(1, rows), centre


def _short(line: str) -> str:
    return line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…"
