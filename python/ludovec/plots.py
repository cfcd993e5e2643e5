"""Curves as pictures (SVG), in the style of the plots that the program draws; no other library is needed.

>>> shares = [(0.0, 0.34, 0.05), (5.0, 0.91, 0.03), (10.0, 0.96, 0.02)]
>>> curves = {"against random": shares}
>>> drawing = ludovec.plots.curves(
...     curves, "PPO", "minutes", "share of wins", level=1 / 3
... )
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from ._shared.errors import config_error

#: The colours of the program's plots: 3:1 and more against white and against the dark theme.
COLOURS = ("#5f7cf0", "#c9507f", "#2e8b3d", "#c77700", "#9a5bb5", "#148a97", "#a0713a", "#7d7d7d")
_INK = "#222222"
_GRID = "#dedede"
_FONT = "Arial, Helvetica, sans-serif"
_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 20, 44, 50
_ROW = 20


def curves(
    series: Mapping[str, Iterable[Sequence[float]]],
    title: str,
    x: str,
    y: str,
    *,
    top: float = 1.0,
    share: bool = True,
    level: float | None = None,
    level_name: str = "an equal share",
) -> str:
    """Curves with filled marks at their points, bands at their margins, and a legend below.

    Args:
        series: The points of every curve by its name: pairs, or triples with a margin of the second number.
        title: The title.
        x: The quantity along the horizontal axis, which begins at 0.
        y: The quantity along the vertical axis.
        top: The upper end of the vertical axis, which begins at 0.
        share: Whether the vertical numbers are written in percent.
        level: A dashed horizontal line.
        level_name: The name of that line.

    Returns:
        The drawing as SVG.
    """
    points = {str(name): [_point(point) for point in listed] for name, listed in series.items()}
    if not (math.isfinite(top) and top > 0):
        raise config_error(f"top={top!r}: a number above 0 is needed")
    longest = max((at for listed in points.values() for at, _, _ in listed), default=0.0) or 1.0
    names = [*points] + ([] if level is None else [level_name])
    height = _TOP + _HEIGHT + _BOTTOM + _ROW * len(names)

    def across(at: float) -> float:
        return _LEFT + at / longest * (_WIDTH - _LEFT - _RIGHT)

    def up(value: float) -> float:
        return _TOP + (1 - min(max(value, 0.0), top) / top) * _HEIGHT

    end = _WIDTH - _RIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="{_FONT}" '
        f'font-size="13" fill="{_INK}"><rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{_WIDTH / 2:.0f}" y="26" text-anchor="middle" font-size="17">{escape(title)}</text>',
    ]
    for tick in _ticks(top):
        at, shown = up(tick), f"{100 * tick:.4g} %" if share else f"{tick:.4g}"
        parts.append(f'<path d="M{_LEFT} {at:.1f}H{end}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4.5:.1f}" text-anchor="end">{shown}</text>')
    for tick in _ticks(longest):
        at = across(tick)
        parts.append(f'<path d="M{at:.1f} {_TOP}V{_TOP + _HEIGHT}" stroke="{_GRID}"/>')
        parts.append(f'<text x="{at:.1f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{tick:.4g}</text>')
    middle = (_LEFT + end) / 2
    parts.append(
        f'<text x="{middle:.0f}" y="{_TOP + _HEIGHT + 38}" text-anchor="middle" '
        f'font-size="14">{escape(x)}</text>'
        f'<text transform="translate(16 {_TOP + _HEIGHT / 2:.0f}) rotate(-90)" text-anchor="middle" '
        f'font-size="14">{escape(y)}</text>'
        f'<path d="M{_LEFT} {_TOP}V{_TOP + _HEIGHT}H{end}" fill="none" stroke="{_INK}"/>'
    )
    for number, listed in enumerate(points.values()):
        parts += _curve(listed, COLOURS[number % len(COLOURS)], across, up)
    if level is not None:
        parts.append(f'<path d="M{_LEFT} {up(level):.1f}H{end}" stroke="{_INK}" stroke-dasharray="5 4"/>')
    for number, name in enumerate(names):
        at = _TOP + _HEIGHT + _BOTTOM + 10 + _ROW * number
        if number < len(points):
            colour = COLOURS[number % len(COLOURS)]
            parts.append(f'<path d="M{_LEFT} {at - 4}h20" stroke="{colour}" stroke-width="2"/>')
            parts.append(f'<circle cx="{_LEFT + 10}" cy="{at - 4}" r="3.5" fill="{colour}"/>')
        else:
            parts.append(f'<path d="M{_LEFT} {at - 4}h20" stroke="{_INK}" stroke-dasharray="5 4"/>')
        parts.append(f'<text x="{_LEFT + 28}" y="{at}">{escape(name)}</text>')
    return "".join(parts) + "</svg>\n"


def _point(point: Sequence[float]) -> tuple[float, float, float]:
    """The place, the value and its margin."""
    try:
        at, value, margin = (float(number) for number in (*point, 0.0)[:3])
    except (TypeError, ValueError):
        at = value = margin = math.nan
    if not (all(map(math.isfinite, (at, value, margin))) and at >= 0 and margin >= 0):
        raise config_error(f"a point {point!r:.100}: two or three finite numbers are needed, at least 0")
    return at, value, margin


def _curve(listed: list[tuple[float, float, float]], colour: str, across: Any, up: Any) -> list[str]:
    """A curve: the band of its margins, its line, its marks."""
    parts = []
    if len(listed) > 1:
        if any(margin for _, _, margin in listed):
            above = [f"{across(at):.1f} {up(value + margin):.1f}" for at, value, margin in listed]
            below = [f"{across(at):.1f} {up(value - margin):.1f}" for at, value, margin in reversed(listed)]
            parts.append(f'<path d="M{"L".join(above + below)}Z" fill="{colour}" opacity="0.14"/>')
        line = "L".join(f"{across(at):.1f} {up(value):.1f}" for at, value, _ in listed)
        parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
    places = ((across(at), up(value)) for at, value, _ in listed)
    return [*parts, *(f'<circle cx="{h:.1f}" cy="{v:.1f}" r="3.5" fill="{colour}"/>' for h, v in places)]


def _ticks(end: float) -> list[float]:
    """Round numbers from 0 to the end, about five."""
    rough = end / 5
    power: float = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * (1 - 1e-9))
    return [step * k for k in range(int(end / step * (1 + 1e-9)) + 1)]
