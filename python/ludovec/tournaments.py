"""Tournaments between bots of every kind."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _arguments, _core
from .players import OutsideBot

_log = logging.getLogger("ludovec")


@dataclass(frozen=True)
class Standing:
    """A bot's place."""

    bot: str
    elo: float
    """Elo rating; the mean of all bots is 0."""
    margin: float
    """Half-width of the 95 % confidence interval of ``elo``."""
    games: int
    wins: float
    """A shared first place counts its share."""
    points: float
    """Against other bots: a winner gets 1 from every loser, everybody else 1/2 from each other."""
    comparisons: int
    """``points`` is out of so many."""
    mean_score: float
    mean_return: float
    faults: int
    """Moves lost."""


@dataclass(frozen=True)
class Pairing:
    """What two bots achieved against each other: ``points`` of the first out of ``games``."""

    bots: tuple[str, str]
    games: int
    points: float


@dataclass(frozen=True)
class Fault:
    """A move that a bot lost."""

    bot: str
    game: int
    player: int
    reason: str


@dataclass(frozen=True)
class Tournament:
    """The result of :func:`tournament`; printing it shows the table."""

    games: int
    truncated: int
    """Games that a limit ended without a result; they count as draws."""
    standings: tuple[Standing, ...]
    """Best first."""
    pairings: tuple[Pairing, ...]
    faults: tuple[Fault, ...]
    """The first hundred."""

    def __getitem__(self, bot: str) -> Standing:
        """The standing of a bot."""
        for standing in self.standings:
            if standing.bot == bot:
                return standing
        raise KeyError(bot)

    def __str__(self) -> str:
        width = max(len(s.bot) for s in self.standings)
        lines = [f"{'bot':<{width}}    Elo    +/-  games   wins  mean outcome"]
        for s in self.standings:
            wins = s.wins / max(s.games, 1)
            name = f"{s.bot:<{width}}"
            lines.append(
                f"{name} {s.elo:+6.0f} {s.margin:6.0f} {s.games:6} {wins:6.1%} {s.mean_return:+13.3f}"
            )
        return "\n".join(lines)


def tournament(
    env: str,
    bots: Sequence[Any] | Mapping[str, Any],
    games: int = 200,
    *,
    pairings: str = "round_robin",
    seed: int = 0,
    num_threads: int | None = None,
    time_limit: float = 2.0,
    **options: Any,
) -> Tournament:
    """Plays a tournament.

    Args:
        env: One of :func:`ludovec.list_envs`.
        bots: Two bots or more, named by a mapping, or a list. A bot is a text (``"greedy"``,
            ``"search:500"``, ``"http://host:port"``), a function on arrays
            (:class:`ludovec.players.ArrayBot`), or an object with ``turn``
            (:data:`ludovec.players.PLAIN`, :mod:`ludovec.empires`). In a list, functions and objects are
            called by the names of the function and the class.
        games: Games of every table of bots (``"round_robin"``), or in all (``"random"``).
        pairings: ``"round_robin"``: every group of as many bots as there are seats, in rotating seats;
            ``"random"``: groups drawn at random.
        seed: Seed of seats and games.
        num_threads: Threads of the engine's bots; ``None`` uses all cores.
        time_limit: Seconds that a bot outside the engine has: an object and an HTTP bot for a move, a
            function for a call. What comes later is a lost move.
        options: The environment's own options.

    Ctrl-C ends it within a moment, whatever the bots are doing; what was played is not returned then
    (``ludovec tournament`` shows it).

    A lost move is logged by the logger ``"ludovec"`` and listed in ``faults``; it stops no game.

    Raises:
        InvalidConfig: Says what is wrong and what is allowed.
    """
    time_limit = _arguments.time_limit(time_limit)
    named = list(bots.items()) if isinstance(bots, Mapping) else [(_name(bot), bot) for bot in bots]
    players = [
        (name, bot if isinstance(bot, str) else OutsideBot(env, bot, time_limit)) for name, bot in named
    ]
    threads = _arguments.positive_or_none("num_threads", num_threads)
    games = _arguments.positive("games", games)
    seed = _arguments.seed(seed)
    table = json.loads(_core.tournament(env, options, players, games, pairings, seed, threads, time_limit))
    faults = tuple(Fault(**fault) for fault in table["faults"])
    for fault in faults:
        _log.warning(
            "bot %s lost a move as player %d of game %d: %s",
            fault.bot,
            fault.player,
            fault.game,
            fault.reason,
        )
    return Tournament(
        games=table["games"],
        truncated=table["truncated"],
        standings=tuple(Standing(**standing) for standing in table["standings"]),
        pairings=tuple(Pairing(**{**p, "bots": tuple(p["bots"])}) for p in table["pairings"]),
        faults=faults,
    )


def _name(bot: Any) -> str:
    return bot if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__)
