"""A check of the rules of a game."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _arguments, _core


def check_game(id: str, games: int = 8, steps: int = 60, seed: int = 0, **options: Any) -> str | None:
    """Plays random games and looks for contradictions: ``None``, or a sentence about the first.

    It checks that masks, observations and texts fit the positions; that texts and objects of actions are
    unique and are read back; that reading changes nothing; that positions survive JSON and snapshots; that
    bots play legal actions; and that the same seed, actions and draws give the same games.

    Games made by :func:`ludovec.register` also get the conformance suite of the engine: ``determinize``
    redraws what is hidden, with right probabilities, and texts, drawings, scores, estimates and
    bots show and use nothing that their player may not know. What is only probably wrong is a warning.
    Environments in Rust have that suite in their own tests (feature ``conformance``).

    It takes a second or two for rules of microseconds. With ``games=1`` it takes a sixth of that for slow
    rules. Games that end within ``steps`` decisions are checked to their ends.

    Raises:
        Exception: A rule raises it.
    """
    id = _arguments.word("id", id)
    games, steps = _arguments.positive("games", games), _arguments.positive("steps", steps)
    found, warned = _core.check_game(id, options, games, steps, _arguments.integer("seed", seed))
    for warning in warned:
        warnings.warn(f"{id}: {warning}", stacklevel=2)
    return found
