"""The rules of each game: a paragraph, and at most 600 words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .. import _core
from .._shared import checks
from .._shared.errors import shown
from ..game import Game
from ..spec import Spec, spec

#: Most kinds of moves in the rules of a game that is not part of the package.
_MOST_KINDS = 20

#: By environment: the paragraph with which its file begins, and the rest.
_SHORT: dict[str, str] = {}
_FULL: dict[str, str] = {}
for _file in sorted(Path(__file__).with_name("rulebooks").glob("*.txt")):
    _SHORT[_file.stem], _, _FULL[_file.stem] = _file.read_text("utf-8").rstrip("\n").partition("\n\n")

_DIFFERENT = {"mode", "rules", "board", "start", "colors", "bonus", "public_coins"}


def rules(game: Game | str, *, short: bool = False) -> str:
    """The rules of a game in at most 600 words, or in one paragraph.

    A game adds its mode, or its chess variant with everything that differs from chess. The rules of a game
    that is not part of the package follow from its spec.

    Args:
        game: A game, or the id of an environment.
        short: One paragraph.

    Raises:
        InvalidConfig: The environment is unknown.
    """
    shape = game.spec if isinstance(game, Game) else spec(checks.word("game", game))
    usual = spec(shape.env).options
    if shape.env not in _SHORT:
        return _general(shape, short)
    parts = [_SHORT[shape.env], *([] if short else [_FULL[shape.env]])]
    changed = {key: value for key, value in shape.options.items() if value != usual.get(key)}
    own = {key: value for key, value in changed.items() if key in _DIFFERENT}
    if own:
        listed = ", ".join(f"{key}={_shown(value)}" for key, value in own.items())
        parts.append(f"This game is played with {listed}.")
    if shape.env == "chess" and ("variant" in changed or "flags" in changed):
        parts.append(_variant(shape.options, short))
    return (" " if short else "\n\n").join(parts)


def _shown(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _variant(options: dict[str, Any], short: bool) -> str:
    """A chess variant: its name, and what differs from chess."""
    flags = list(options["flags"])
    added = f" with {', '.join(flags)}" if flags else ""
    try:
        name, summary, differences = _core.chess_variant(options["variant"], flags)
    except _core.InvalidConfig:
        # The file of a running game has gone or changed.
        return f"This game is the chess variant {shown(str(options['variant']), 100)}{added}."
    if options["variant"] == "chess":
        head = f"This game is chess{added}."
    else:
        head = f"This game is the chess variant {name}{added}: {summary}."
    if short:
        # Flags have no summary.
        return " ".join([head, *(differences if flags else [])])
    listed = "\n".join(f"- {sentence}" for sentence in differences)
    return f"{head} What differs from chess:\n{listed}"


def _general(shape: Spec, short: bool) -> str:
    """The rules of any game, as far as its spec tells them."""
    players = f"{shape.players} players take part" if shape.players > 1 else "One player takes part"
    hidden = ", and parts of the position are hidden from the others" if shape.hidden_information else ""
    first = f"{shape.summary.rstrip('.')}. {players}{hidden}."
    if short:
        return " ".join(first.split())
    kinds = "\n".join(f"- {family.name}: {family.meaning}" for family in shape.actions[:_MOST_KINDS])
    more = len(shape.actions) - _MOST_KINDS
    rest = f"\n- {more} further kinds" if more > 0 else ""
    parts = [
        " ".join(first.split()),
        f"The kinds of moves:\n{kinds}{rest}",
        f"The score is {shape.score}. A game without a result ends after {shape.max_episode_steps} "
        "decisions. The legal moves follow all rules.",
    ]
    return "\n\n".join(parts)
