"""A check of the rules of a game."""

from __future__ import annotations

from typing import Any

from .. import _arguments, _core


def check_game(id: str, games: int = 8, steps: int = 60, seed: int = 0, **options: Any) -> str | None:
    """Plays random games and looks for contradictions: ``None``, or a sentence about the first.

    It checks that masks, observations and texts fit the positions; that texts and objects of actions are
    unique and are read back; that reading changes nothing; that positions survive JSON and snapshots; that
    bots play legal actions; that a redrawn position looks the same to its player; and that the same seed,
    actions and draws give the same games.

    Raises:
        Exception: A rule raises it.
    """
    id = _arguments.word("id", id)
    games, steps = _arguments.positive("games", games), _arguments.positive("steps", steps)
    return _core.check_game(id, options, games, steps, _arguments.integer("seed", seed))
