"""The messages to a player: one at the start of a game, one at each later decision."""

from __future__ import annotations

from ..game import Game
from .moves import Listing, legal_moves, moves_since
from .positions import legend, position
from .rulebook import rules

#: How to answer, at the end of every message.
ASK = "Answer with one legal move on a line of its own, in the form: Move: ..."


def prompt(
    game: Game, player: int | None = None, *, legal: Listing = "grouped", short_rules: bool = False
) -> str:
    """The first message of a game: rules, legend, and :func:`observation`."""
    parts = [rules(game, short=short_rules), legend(game).rstrip(), observation(game, player, legal=legal)]
    return "\n\n".join(part for part in parts if part)


def observation(
    game: Game, player: int | None = None, *, legal: Listing = "grouped", since: int | None = None
) -> str:
    """The message of a decision: recent moves, position, legal moves, and the form of an answer.

    Args:
        game: The game with its history.
        player: The reader; ``None`` is the current player. The others get no legal moves.
        legal: See :func:`legal_moves`.
        since: First step of the recent moves; ``None`` is the player's last decision.
    """
    player = game.current_player if player is None else game._player(player)
    asked = not game.is_terminal and player == game.current_player
    parts = [
        moves_since(game, player, since),
        f"You are {game.names[player]}.\n{position(game, player)}",
        legal_moves(game, legal) if asked else "",
        ASK if asked else "",
    ]
    return "\n\n".join(part for part in parts if part)
