"""A check of the rules of a game."""

from __future__ import annotations

import warnings
from typing import Any

from .. import _core
from .._shared import checks

#: Seconds of a check without ``steps``.
_SECONDS = 10.0


def check_game(
    id: str, games: int = 6, steps: int | None = None, seed: int = 0, **options: Any
) -> str | None:
    """Plays random games and looks for contradictions: ``None``, or a sentence about the first.

    Games of your own get the conformance suite of the engine:

    - masks, observations, texts and positions fit one another, and reading changes nothing;
    - the same seed, actions and draws give the same games, in one block or several, and after snapshots;
    - rewards stay in ``reward_range``;
    - bots play legal actions;
    - ``determinize`` redraws what is hidden, with right probabilities;
    - texts, drawings, scores, estimates and bots show and use nothing that their player may not know.

    What is only probably wrong, and what was not reached, is a warning. A game with hidden information needs
    ``validate``, which is applied to every redrawn state: it alone finds a card that contradicts a rare hint.
    Environments in Rust have the suite in their own tests (feature ``conformance``).

    Args:
        id: The environment.
        games: Games that are played.
        steps: Most decisions of a game. By default games are played to their ends, as far as ten seconds
            reach; what the check reaches then depends on the machine.
        seed: The seed of the first game.
        **options: Options of the game.

    Raises:
        Exception: A rule raises it.
    """
    id = checks.word("id", id)
    games = checks.positive("games", games)
    steps = None if steps is None else checks.positive("steps", steps)
    seed = checks.integer("seed", seed)
    found, warned = _core.check_game(id, options, games, steps, seed, _SECONDS)
    for warning in warned:
        warnings.warn(f"{id}: {warning}", stacklevel=2)
    return found
