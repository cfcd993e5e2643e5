"""Tournaments between bots of every kind."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _arguments, _core
from ._errors import config_error, shown
from ._fingerprints import fingerprint
from ._python_bots import name_of, opponents_of, player_pool, unique
from .networks import Network
from .spec import Spec, spec

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack

    from .players import OnFault, Opponents, Player
    from .typing import EnvId, Options, Pairings

_log = logging.getLogger("ludovec")
#: Default maximum of rows per call of a function.
_MOST_ROWS = 256


@dataclass(frozen=True)
class Standing:
    """Result of one bot."""

    bot: str
    elo: float
    """Elo rating; the mean of all bots is 0."""
    margin: float
    """Half-width of the 95 % confidence interval of ``elo`` over distinct games; infinite for a bot without
    opponents."""
    games: int
    repeated: int
    """Repeated games among these: same bots in the same seats, and the same decisions as in an earlier game.
    They do not narrow margins."""
    wins: float
    """A shared first place counts as a fraction."""
    win_share: float
    """``wins / games``."""
    win_margin: float
    """Half the width of the 95 % confidence interval (Wilson) of ``win_share`` over distinct games."""
    win_low: float
    """The lower end of this interval."""
    win_high: float
    """The upper end of this interval."""
    points: float
    """Against other bots: a winner gets 1 from every loser, all other pairs get 1/2 each."""
    comparisons: int
    """Maximum of ``points``."""
    point_share: float
    """``points / comparisons``."""
    point_margin: float
    """Half the width of the 95 % confidence interval (Wilson) of ``point_share`` over distinct games."""
    point_low: float
    """The lower end of this interval."""
    point_high: float
    """The upper end of this interval."""
    mean_score: float
    mean_return: float
    faults: int
    """Number of lost moves."""


@dataclass(frozen=True)
class Pairing:
    """Result of two bots against each other: ``points`` of the first out of ``games``."""

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
    """Result of :func:`tournament` and :func:`evaluate`; printing it shows the table.

    The attributes are the keys of ``ludovec tournament --json``.
    """

    env: str
    version: int
    """Version of the environment."""
    options: dict[str, Any]
    seed: int
    partial: bool
    """True if it was interrupted; the result then covers the finished games."""
    games: int
    truncated: int
    """Games truncated by a limit; they count as draws."""
    repeated: int
    """Number of repeated games among these."""
    mean_game_length: float
    """In decisions."""
    standings: tuple[Standing, ...]
    """Sorted, best first."""
    pairings: tuple[Pairing, ...]
    faults: tuple[Fault, ...]
    """The first 100 lost moves."""

    def __getitem__(self, bot: str) -> Standing:
        """The result of a bot.

        Raises:
            InvalidConfig: The bot did not play; the message lists the bots.
        """
        for standing in self.standings:
            if standing.bot == bot:
                return standing
        raise config_error(f"bot {bot!r:.100}: one of {', '.join(s.bot for s in self.standings)} is allowed")

    def __str__(self) -> str:
        head = "bot", "Elo", "+/-", "games", "repeated", "wins", "points", "mean score", "mean outcome"
        rows: list[tuple[str, ...]] = [(*head, "faults")]
        for s in self.standings:
            shares = (
                _percent(s.win_share, s.win_low, s.win_high),
                _percent(s.point_share, s.point_low, s.point_high),
            )
            margin = "?" if math.isinf(s.margin) else f"{s.margin:.0f}"
            means = f"{s.mean_score:.2f}", f"{s.mean_return:+.3f}"
            counts = f"{s.games:,}", f"{s.repeated:,}"
            rating = f"{s.elo:+.0f}", margin
            rows.append((shown(s.bot, 100), *rating, *counts, *shares, *means, f"{s.faults:,}"))
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = []
        for bot, *cells in rows:
            aligned = (cell.rjust(width) for cell, width in zip(cells, widths[1:]))
            lines.append("  ".join([bot.ljust(widths[0]), *aligned]))
        return "\n".join(lines)


def _percent(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def tournament(
    env: EnvId,
    bots: Sequence[Player] | Mapping[str, Player],
    games: int = 200,
    *,
    pairings: Pairings = "round_robin",
    seed: int | None = 0,
    num_threads: int | None = None,
    batch_size: int | None = None,
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    state: str | Path | None = None,
    **options: Unpack[Options],
) -> Tournament:
    """Plays a tournament.

    Args:
        env: One of :func:`ludovec.list_envs`.
        bots: At least two bots, a list or a mapping from names. A bot is a text (``"greedy"``,
            ``"search:500"``, ``"http://host:port"``), a function on arrays
            (:class:`ludovec.players.ArrayBot`), or an object with ``turn``
            (:data:`ludovec.players.PLAIN`, :mod:`ludovec.empires`). In a list, functions and objects get
            the name of the function or class.
        games: Games per table of bots (``"round_robin"``), or in total (``"random"``).
        pairings: ``"round_robin"``: every group of bots that fills the seats, with rotating seats;
            ``"random"``: random groups.
        seed: Seed of seats and games; ``None`` draws one.
        num_threads: Threads for the engine's bots; ``None`` uses all cores.
        batch_size: Rows per call of a function; by default ``games`` divided by twice the number of seats, at
            most 256. A function is called when this many games wait for it, or no other bot can move. The
            number of games in parallel, and with it the chance outcomes, depends on it.
        time_limit: Seconds per move. A later answer is a lost move for an object and an error for a function.
            ``None``: 2 for objects and HTTP bots, no limit for functions.
        on_fault: Handling of a function that raises or returns an illegal action: ``"raise"`` ends the call
            with its exception, or with an :class:`IllegalAction`; ``"lose_move"`` continues, as for objects.
        state: State file, created if it does not exist and updated every few seconds. The same call resumes
            from it, also in a new process, and returns the same table as an uninterrupted call if the players
            are deterministic. A file of another tournament is refused: other arguments, or a network or
            function with changed content. One process plays at a time.
        options: The environment's own options.

    Ctrl-C ends the call at once, even while bots are thinking. The exception then has the result so far as
    its attribute ``partial``, a :class:`Tournament`.

    A lost move is logged by the logger ``"ludovec"``, counted, and listed in ``faults``; the game continues.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    order = order_tournament(
        env,
        bots,
        {**options},
        games=games,
        pairings=pairings,
        seed=seed,
        num_threads=num_threads,
        batch_size=batch_size,
        time_limit=time_limit,
        on_fault=on_fault,
    )
    return _played(order, state)


@_arguments.environment_first
def evaluate(
    env: EnvId,
    policy: Player,
    opponents: Opponents = "random",
    games: int = 100,
    *,
    seed: int | None = 0,
    num_threads: int | None = None,
    batch_size: int | None = None,
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    state: str | Path | None = None,
    **options: Unpack[Options],
) -> Tournament:
    """Measures the strength of a player against opponents, at the engine's speed.

    >>> result = ludovec.evaluate("tilewe", my_function, ["greedy", "search:50"], 400, players=2)
    >>> result["my_function"].point_share, result["my_function"].point_margin

    Args:
        env: One of :func:`ludovec.list_envs`.
        policy: The player: a function on arrays (:class:`ludovec.players.ArrayBot`), a text, or an object
            with ``turn``.
        opponents: One opponent for all other seats; or a list of tables, each an opponent or a tuple with one
            per seat, in turn order after the policy; or a mapping from names to opponents. Each table plays
            one game per seat of the policy before the next table starts.
        games: Total number of games.
        seed, num_threads, batch_size, time_limit, on_fault, state, options: As for :func:`tournament`.

    Equal arguments and seeds give equal results if the players are deterministic.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    order = order_evaluation(
        env,
        policy,
        opponents,
        {**options},
        games=games,
        seed=seed,
        num_threads=num_threads,
        batch_size=batch_size,
        time_limit=time_limit,
        on_fault=on_fault,
    )
    return _played(order, state)


def _named(bots: Any) -> list[tuple[str, Any]]:
    """The bots of a tournament, by name."""
    if isinstance(bots, str) or not isinstance(bots, (Sequence, Mapping)):
        raise config_error(f"bots={bots!r}: a list of bots, or a mapping from names, is needed")
    return list(bots.items()) if isinstance(bots, Mapping) else [(name_of(bot), bot) for bot in bots]


def _against(
    policy: Any, opponents: Any, env: Any, options: Any
) -> tuple[list[tuple[str, Any]], list[list[int]]]:
    """A policy and its opponents by name, and the opponents at every table by index."""
    _arguments.word("env", env)
    others, tables = opponents_of(opponents, spec(env, **options).players)
    named = [(name_of(policy), policy)]
    for name, bot in others:
        named.append((unique(name, [taken for taken, _ in named]), bot))
    return named, [[player + 1 for player in table] for table in tables]


class Order(NamedTuple):
    """A checked order for a tournament: players, tables and settings."""

    env: EnvId
    options: dict[str, Any]
    shape: Spec
    named: list[tuple[str, Any]]
    how: dict[str, Any]
    """Settings for the engine, except the time limit."""
    asked: dict[str, Any]
    """Settings for calling bots, the arguments of :func:`player_pool`."""


def _order(
    env: EnvId,
    options: Any,
    named: list[tuple[str, Any]],
    tables: list[list[int]] | None = None,
    *,
    games: Any,
    seed: Any,
    num_threads: Any,
    batch_size: Any,
    time_limit: Any,
    on_fault: Any,
    pairings: Any = "round_robin",
) -> Order:
    _arguments.word("env", env)
    how = {
        "games": _arguments.positive("games", games),
        "pairings": _arguments.word("pairings", pairings),
        "tables": tables,
        "seed": _arguments.seed(seed),
        "num_threads": _arguments.positive_or_none("num_threads", num_threads),
        "state": None,
    }
    shape = spec(env, **options)
    if batch_size is None:
        # About the number of games that wait for one function on average: small calls and empty rows both
        # cost time.
        batch_size = max(1, min(_MOST_ROWS, _arguments.positive("games", games) // (2 * shape.players)))
    asked = {"time_limit": time_limit, "on_fault": on_fault, "batch_size": batch_size}
    return Order(env, options, shape, named, how, asked)


def order_tournament(env: EnvId, bots: Any, options: Any, **arguments: Any) -> Order:
    """Checks a tournament of bots; ``arguments`` are as for :func:`tournament`."""
    return _order(env, options, _named(bots), **arguments)


def order_evaluation(env: EnvId, policy: Any, opponents: Any, options: Any, **arguments: Any) -> Order:
    """Checks an evaluation against tables of opponents; ``arguments`` are as for :func:`evaluate`."""
    return _order(env, options, *_against(policy, opponents, env, options), **arguments)


def identities(named: Sequence[tuple[str, Any]]) -> list[str | None]:
    """Fingerprints of bots written in Python; ``None`` for texts and networks, identified by the engine."""
    written = [None if isinstance(bot, (str, Network)) else bot for _, bot in named]
    return [None if bot is None else fingerprint(bot) for bot in written]


def _played(order: Order, state: str | Path | None) -> Tournament:
    file = None if state is None else (_arguments.path("state", state), identities(order.named))
    with player_pool(order.shape, order.named, **order.asked) as players:
        how = {**order.how, "time_limit": players.time_limit, "state": file}
        failed, table = _core.tournament(order.env, order.options, players.players, how)
    result = None if table is None else _result(json.loads(table))
    if failed is not None:
        setattr(failed, "partial", result)  # noqa: B010
        raise failed
    assert result is not None
    _log_faults(result)
    return result


def _log_faults(result: Tournament) -> None:
    for fault in result.faults:
        _log.warning(
            "bot %s lost a move as player %d of game %d: %s",
            shown(fault.bot, 100),
            fault.player,
            fault.game,
            shown(fault.reason),
        )


def _result(table: dict[str, Any]) -> Tournament:
    # JSON has no infinity.
    for standing in table["standings"]:
        standing["margin"] = math.inf if standing["margin"] is None else standing["margin"]
    lists = {
        "standings": tuple(Standing(**standing) for standing in table["standings"]),
        "pairings": tuple(Pairing(**{**p, "bots": tuple(p["bots"])}) for p in table["pairings"]),
        "faults": tuple(Fault(**fault) for fault in table["faults"]),
    }
    return Tournament(**{**table, **lists})
