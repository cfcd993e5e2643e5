"""Tournaments between bots of every kind.

A result is one nest of classes, and both functions document all of their arguments, so the file is long.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import logging
import math
import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared import checks
from .._shared.errors import config_error, shown
from ..game.positions import position_like
from ..networks import Network
from ..players.python_bots import name_of, opponents_of, player_pool, unique
from ..spec import Spec, spec
from .fingerprints import fingerprint

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack

    from ..game.positions import PositionLike
    from ..players import OnFault, Opponents, Player
    from ..typing import EnvId, OpeningNodes, Options, Pairings, Sprt

_log = logging.getLogger("ludovec")
#: Default maximum of rows per call of a function.
_MOST_ROWS = 256


@dataclass(frozen=True)
class Usage:
    """Requests and tokens of a language model (``llm:MODEL@URL``)."""

    requests: int
    retries: int
    """Requests that repeat or correct an earlier one of the same move."""
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Standing:
    """Result of one bot."""

    bot: str
    elo: float
    """Elo rating; the mean of all bots is 0."""
    margin: float
    """Half-width of the 95 % confidence interval of ``elo`` over distinct games; infinite for a bot without
    opponents."""
    mu: float | None
    """Mean of the skill in the Plackett-Luce model of openskill; ``None`` in games of two."""
    sigma: float | None
    """Standard deviation of this skill."""
    games: int
    repeated: int
    """Repeated games among these: same bots in the same seats, same opening, same decisions and, if chance
    was drawn, same random stream as in an earlier game. They do not narrow margins."""
    seats: int
    """Seats taken: one per game, unless there are fewer bots than seats."""
    wins: float
    """A shared first place counts as a fraction."""
    win_share: float
    """``wins / seats``."""
    win_margin: float
    """Half the width of the 95 % confidence interval (Wilson) of ``win_share`` over distinct games."""
    win_low: float
    """The lower end of this interval."""
    win_high: float
    """The upper end of this interval."""
    points: float
    """Against other bots: 1 for every seat of theirs with a worse final rank, 1/2 for an equal one."""
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
    score_margin: float
    """Half the width of the 95 % confidence interval of ``mean_score`` over distinct games; infinite for
    fewer than two."""
    mean_return: float
    faults: int
    """Number of lost moves."""
    usage: Usage | None = None
    """Requests and tokens of a language model."""


@dataclass(frozen=True)
class Pairing:
    """Result of two bots against each other."""

    bots: tuple[str, str]
    games: int
    """Games with both."""
    repeated: int
    points: float
    """Points of the first bot."""
    comparisons: int
    """Maximum of ``points``: one for every two seats of the bots."""
    point_share: float
    """``points / comparisons``."""
    point_low: float
    """The lower end of the 95 % confidence interval (Wilson) of ``point_share`` over distinct games."""
    point_high: float
    """The upper end of this interval."""
    wins: int
    """Number of comparisons that the first bot won."""
    draws: int
    losses: int
    pentanomial: tuple[int, int, int, int, int] | None
    """In games of two: pairs of games with swapped seats by points of the first bot: 0, 1/2, 1, 3/2 and 2."""
    normalized_elo: float | None
    """Normalized Elo of the first bot against the second (the lead divided by the standard deviation of a
    game), from distinct runs; ``None`` if all have one score."""
    normalized_margin: float | None
    """Half-width of its 95 % confidence interval."""
    superiority: float | None
    """Likelihood of superiority of the first bot, from distinct runs; ``None`` for fewer than two."""


@dataclass(frozen=True)
class OpponentRow:
    """Result of the policy of :func:`evaluate` against one table of opponents."""

    opponents: tuple[str, ...]
    """In turn order after the policy; empty in the pooled row."""
    games: int
    repeated: int
    wins: float
    win_share: float
    win_low: float
    """The lower end of the 95 % confidence interval (Wilson) of ``win_share`` over distinct games."""
    win_high: float
    """The upper end of this interval."""
    points: float
    """1 for every opponent with a worse final rank, 1/2 for an equal one."""
    comparisons: int
    """Maximum of ``points``."""
    point_share: float
    point_low: float
    """The lower end of the 95 % confidence interval (Wilson) of ``point_share`` over distinct games."""
    point_high: float
    """The upper end of this interval."""
    elo: float | None
    """Elo difference of ``point_share``; ``None`` if it is infinite. In the pooled row ``None``."""
    elo_low: float | None
    """Elo difference of ``point_low``; ``None`` if it is infinite."""
    elo_high: float | None
    """Elo difference of ``point_high``; ``None`` if it is infinite."""
    mean_score: float
    score_margin: float
    """Half the width of the 95 % confidence interval of ``mean_score`` over distinct games; infinite for
    fewer than two."""
    mean_return: float
    faults: int
    """Number of lost moves of the policy."""


@dataclass(frozen=True)
class SprtResult:
    """A sequential probability ratio test."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: Literal["normalized", "logistic"]
    llr: float
    """Log-likelihood ratio of H1 to H0."""
    lower: float
    """H0 is accepted at this ratio or below."""
    upper: float
    """H1 is accepted at this ratio or above."""
    runs: int
    """Complete runs of games, one from every seat, in schedule order."""
    accepted: Literal["H0", "H1"] | None
    """The accepted hypothesis; ``None`` if the games did not decide."""


@dataclass(frozen=True)
class Rankings:
    """Rankings from the payoffs between bots, in the order of the standings."""

    nash: tuple[float, ...]
    """Weights of Nash averaging, see :func:`ludovec.nash_average`."""
    nash_ratings: tuple[float, ...]
    """Ratings of Nash averaging."""
    alpha_rank: tuple[float, ...]
    """Distribution of :func:`ludovec.alpha_rank`, with its defaults."""


@dataclass(frozen=True)
class Fault:
    """A move that a bot lost."""

    bot: str
    game: int
    player: int
    reason: str


@dataclass(frozen=True, eq=False)
class Tournament:
    """Result of :func:`tournament` and :func:`evaluate`; printing it shows the table.

    The attributes are the keys of ``ludovec tournament --json``.
    """

    env: str
    version: int
    """Version of the environment."""
    options: dict[str, Any]
    compared_by: Literal["points", "score"]
    """``"score"`` in games that players do not win by rank (:attr:`Spec.payoff`)."""
    seed: int
    partial: bool
    """True if it was interrupted; the result then covers the finished games."""
    games: int
    truncated: int
    """Games truncated by a limit; they count as draws."""
    repeated: int
    """Number of repeated games among these."""
    unit: Literal["game", "pair"]
    """Unit of intervals and margins: ``"pair"`` with openings (all games of a table from one opening),
    ``"game"`` without."""
    mean_game_length: float
    """In decisions."""
    equal_point_share: float
    """Share of points of a bot as strong as the others."""
    last_point_share: float
    """Share of points of a bot that is last in every game."""
    equal_win_share: float
    """Share of wins of a bot as strong as the others."""
    standings: tuple[Standing, ...]
    """Sorted, best first."""
    pairings: tuple[Pairing, ...]
    opponents: tuple[OpponentRow, ...]
    """For :func:`evaluate` and gauntlets: one row per table of opponents. Otherwise empty."""
    payoffs: npt.NDArray[np.float64]
    """float64 ``[n, n]``: share of points of row against column, in the order of the standings; NaN for bots
    that did not meet, 0.5 on the diagonal."""
    rankings: Rankings | None
    """``None`` unless all pairs of bots met."""
    sprt: SprtResult | None
    """The sequential test, if there is one."""
    faults: tuple[Fault, ...]
    """The first 100 lost moves."""
    remarks: tuple[str, ...] = ()
    """Sentences under the table: the points of games with three and more seats, repeated games, the
    sequential test."""

    def __getitem__(self, bot: str) -> Standing:
        """The result of a bot.

        Raises:
            InvalidConfig: The bot did not play; the message lists the bots.
        """
        for standing in self.standings:
            if standing.bot == bot:
                return standing
        raise config_error(f"bot {bot!r:.100}: one of {', '.join(s.bot for s in self.standings)} is allowed")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tournament):
            return NotImplemented
        names = [field.name for field in fields(self) if field.name != "payoffs"]
        same = all(getattr(self, name) == getattr(other, name) for name in names)
        return same and np.array_equal(self.payoffs, other.payoffs, equal_nan=True)

    def to_json(self) -> str:
        """The table as ``ludovec tournament --json`` prints it. Infinite margins are ``null``."""
        table = asdict(self)
        table["payoffs"] = self.payoffs.tolist()
        for row in table["standings"]:
            if row["usage"] is None:
                del row["usage"]
        return json.dumps(_finite(table), ensure_ascii=False)

    def to_csv(self) -> str:
        """The standings, or the rows of ``opponents``, as CSV with a heading. Values that do not exist are
        empty cells."""
        table = json.loads(self.to_json())
        rows = table["opponents"] or table["standings"]
        # Requests and tokens are an object of their own, which is in the JSON alone.
        names = [name for name, value in rows[0].items() if not isinstance(value, dict)]
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(names)
        for row in rows:
            cells = [row[name] for name in names]
            writer.writerow([", ".join(cell) if isinstance(cell, list) else cell for cell in cells])
        return text.getvalue()

    def against(self, *opponents: str) -> OpponentRow:
        """The row of a table of opponents; one name for all seats.

        Raises:
            InvalidConfig: There is no such row; the message lists the rows.
        """
        for row in self.opponents:
            if row.opponents == opponents or (len(opponents) == 1 and {*row.opponents} == {*opponents}):
                return row
        known = "; ".join(", ".join(row.opponents) for row in self.opponents if row.opponents)
        raise config_error(f"opponents {', '.join(opponents)!r:.100}: one of {known or 'none'} is allowed")

    def __str__(self) -> str:
        if self.compared_by == "score":
            rows = self._scores_as_rows()
        else:
            rows = self._opponents_as_rows() if self.opponents else self._standings_as_rows()
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = []
        for first, *cells in rows:
            aligned = (cell.rjust(width) for cell, width in zip(cells, widths[1:]))
            lines.append("  ".join([first.ljust(widths[0]), *aligned]))
        return "\n".join([*lines, *self.remarks, f"seed {self.seed}"])

    def _scores_as_rows(self) -> list[tuple[str, ...]]:
        first = "others" if self.opponents else "bot"
        rows: list[tuple[str, ...]] = [(first, "mean score", "+/-", "games", "repeated", "faults")]
        for row in self.opponents or self.standings:
            name = row.bot if isinstance(row, Standing) else ", ".join(row.opponents) or "(all)"
            margin = "?" if math.isinf(row.score_margin) else f"{row.score_margin:.2f}"
            counts = (f"{count:,}" for count in (row.games, row.repeated, row.faults))
            rows.append((shown(name, 100), f"{row.mean_score:.2f}", margin, *counts))
        return rows

    def _standings_as_rows(self) -> list[tuple[str, ...]]:
        skilled = any(s.mu is not None for s in self.standings)
        skill = ("skill", "sigma") if skilled else ()
        counts_tokens = any(s.usage is not None for s in self.standings)
        tokens = ("requests", "tokens in", "tokens out") if counts_tokens else ()
        shares = "wins", "points", "mean score", "mean outcome", "faults"
        rows: list[tuple[str, ...]] = [("bot", "Elo", "+/-", *skill, "games", "repeated", *shares, *tokens)]
        for s in self.standings:
            margin = "?" if math.isinf(s.margin) else f"{s.margin:.0f}"
            skills = tuple(f"{x:.2f}" for x in (s.mu, s.sigma) if x is not None)
            cells = (
                f"{s.games:,}",
                f"{s.repeated:,}",
                _percent(s.win_share, s.win_low, s.win_high),
                _percent(s.point_share, s.point_low, s.point_high),
                f"{s.mean_score:.2f}",
                f"{s.mean_return:+.3f}",
                f"{s.faults:,}",
            )
            u = s.usage
            used = (
                (u.requests, u.prompt_tokens, u.completion_tokens) if u is not None else ("",) * len(tokens)
            )
            counts = tuple(x if isinstance(x, str) else f"{x:,}" for x in used)
            rows.append((shown(s.bot, 100), f"{s.elo:+.0f}", margin, *skills, *cells, *counts))
        return rows

    def _opponents_as_rows(self) -> list[tuple[str, ...]]:
        shares = "wins", "points", "Elo difference", "mean score", "mean outcome", "faults"
        rows: list[tuple[str, ...]] = [("opponents", "games", "repeated", *shares)]
        for o in self.opponents:
            low, elo, high = ("?" if x is None else f"{x:+.0f}" for x in (o.elo_low, o.elo, o.elo_high))
            cells = (
                f"{o.games:,}",
                f"{o.repeated:,}",
                _percent(o.win_share, o.win_low, o.win_high),
                _percent(o.point_share, o.point_low, o.point_high),
                f"{elo} ({low} to {high})",
                f"{o.mean_score:.2f}",
                f"{o.mean_return:+.3f}",
                f"{o.faults:,}",
            )
            rows.append((shown(", ".join(o.opponents) or "(all)", 100), *cells))
        return rows


def _finite(value: Any) -> Any:
    """The value with ``None`` for numbers that JSON does not have."""
    if isinstance(value, dict):
        return {name: _finite(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _percent(share: float, low: float, high: float) -> str:
    return f"{100 * share:.1f} % ({100 * low:.1f}-{100 * high:.1f})"


def tournament(
    env: EnvId,
    bots: Sequence[Player] | Mapping[str, Player],
    games: int = 200,
    *,
    pairings: Pairings = "round_robin",
    openings: int | str | Path | Sequence[PositionLike] | None = None,
    opening_plies: int | None = None,
    opening_nodes: OpeningNodes = "end",
    sprt: Sprt | None = None,
    seed: int | None = None,
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
        games: Number of games in total; with ``sprt``, at most.
        pairings: ``"round_robin"``: every group of bots that fills the seats, with rotating seats;
            ``"random"``: random groups; ``"gauntlet"``: the first bot against each other one.
        openings: Start positions, each played from every seat: a number of random plies, a list of positions
            (:func:`ludovec.openings`), or a file: ``.pgn``, ``.epd`` or ``.fen`` (chess), ``.blksgf``
            (Tilewe), otherwise a position (:meth:`ludovec.Game.to_json`) or a record per line.
            Intervals and margins then count pairs: all games of a table from one opening are one sample.
        opening_plies, opening_nodes: Positions of the games of the file, as ``plies`` and ``nodes`` of
            :func:`ludovec.openings`.
        sprt: Ends the tournament of two bots when the first one's lead is decided:
            ``{"elo0": 0, "elo1": 20}`` in normalized Elo, with ``alpha`` and ``beta`` of 0.05 unless given;
            ``"model": "logistic"`` counts in Elo.
        seed: Seed of seats, openings and games; ``None`` draws one.
        num_threads: Threads for the engine's bots; ``None`` uses all cores.
        batch_size: Rows per call of a function, the last ones padding if too few games wait for it. By
            default a call has no padding and a power of two of rows: at most ``games`` divided by twice the
            number of seats and at most 256. A function is called when this many games wait for it, or no
            other bot can move. The number of games in parallel, and with it the chance outcomes, depends on
            it.
        time_limit: Seconds per move. A later answer is a lost move for an object and an error for a function.
            ``None``: 2 for objects and HTTP bots, 60 for language models, no limit for functions.
        on_fault: Handling of a function that raises or returns an illegal action: ``"raise"`` ends the call
            with its exception, or with an :class:`IllegalAction`; ``"lose_move"`` continues, as for objects.
        state: State file, created if it does not exist and updated every few seconds. The same call resumes
            from it, also in a new process, and returns the same table as an uninterrupted call if the players
            are deterministic. With more bots after the others, or more games, only the new games are played.
            A file of another tournament is refused: other arguments, or a network or function with changed
            content. One process plays at a time.
        options: The environment's own options.

    Ctrl-C ends the call at once, even while bots are thinking. The exception then has the result so far as
    its attribute ``partial``, a :class:`Tournament`.

    A lost move is logged by the logger ``"ludovec"``, counted, and listed in ``faults``; the game continues.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    return _played(ordered(locals()), state)


@checks.environment_first
def evaluate(
    env: EnvId,
    policy: Player,
    opponents: Opponents = "random",
    games: int = 100,
    *,
    openings: int | str | Path | Sequence[PositionLike] | None = None,
    opening_plies: int | None = None,
    opening_nodes: OpeningNodes = "end",
    sprt: Sprt | None = None,
    pooled: bool = False,
    seed: int | None = None,
    num_threads: int | None = None,
    batch_size: int | None = None,
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    state: str | Path | None = None,
    **options: Unpack[Options],
) -> Tournament:
    """Measures the strength of a player against opponents, at the engine's speed.

    >>> opponents = ["greedy", "search:50"]
    >>> result = ludovec.evaluate("tilewe", my_function, opponents, 400, players=2)
    >>> row = result.against("greedy")
    >>> row.point_share, row.point_low, row.point_high

    Args:
        env: One of :func:`ludovec.list_envs`.
        policy: The player: a function on arrays (:class:`ludovec.players.ArrayBot`), a text, or an object
            with ``turn``.
        opponents: One opponent for all other seats; or a list of tables, each an opponent or a tuple with one
            per seat, in turn order after the policy; or a mapping from names to opponents. Each table plays
            one game per seat of the policy before the next table starts.
        games: Number of games in total; with ``sprt``, at most.
        openings, opening_plies, opening_nodes, sprt: As for :func:`tournament`; the test needs a single table
            of opponents.
        pooled: Adds a row over all opponents to ``opponents``.
        seed, num_threads, batch_size, time_limit, on_fault, state, options: As for :func:`tournament`.

    The result has one row per table of opponents in ``opponents``; printing it shows these rows. Equal
    arguments and seeds give equal results if the players are deterministic.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    return _played(ordered(locals()), state)


def completed(result: Tournament, order: Order) -> Tournament:
    """The result after logging its lost moves, with a last row over all opponents if one is asked for."""
    for fault in result.faults:
        _log.warning(
            "bot %s lost a move as player %d of game %d: %s",
            shown(fault.bot, 100),
            fault.player,
            fault.game,
            shown(fault.reason),
        )
    if not order.pooled:
        return result
    s = result[order.named[0][0]]
    row = OpponentRow(
        opponents=(),
        games=s.games,
        repeated=s.repeated,
        wins=s.wins,
        win_share=s.win_share,
        win_low=s.win_low,
        win_high=s.win_high,
        points=s.points,
        comparisons=s.comparisons,
        point_share=s.point_share,
        point_low=s.point_low,
        point_high=s.point_high,
        elo=None,
        elo_low=None,
        elo_high=None,
        mean_score=s.mean_score,
        score_margin=s.score_margin,
        mean_return=s.mean_return,
        faults=s.faults,
    )
    return replace(result, opponents=(*result.opponents, row))


def _named(bots: Any) -> list[tuple[str, Any]]:
    """The bots of a tournament, by name."""
    if isinstance(bots, str) or not isinstance(bots, (Sequence, Mapping)):
        raise config_error(f"bots={bots!r}: a list of bots, or a mapping from names, is needed")
    return list(bots.items()) if isinstance(bots, Mapping) else [(name_of(bot), bot) for bot in bots]


def _against(
    policy: Any, opponents: Any, env: Any, options: Any
) -> tuple[list[tuple[str, Any]], list[list[int]]]:
    """A policy and its opponents by name, and the opponents at every table by index."""
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
    pooled: bool


def ordered(given: Mapping[str, Any]) -> Order:
    """Checks the arguments of :func:`tournament` or :func:`evaluate` by name, on this machine or a cluster,
    where ``state`` is ``file``."""
    env, options = checks.word("env", given["env"]), given["options"]
    seed = _resumed_seed(given["seed"], given.get("state", given.get("file")))
    tables = None
    if "bots" in given:
        named = _named(given["bots"])
    else:
        named, tables = _against(given["policy"], given["opponents"], env, options)
    how = {
        "games": (games := checks.positive("games", given["games"])),
        "pairings": checks.word("pairings", given.get("pairings", "round_robin")),
        "tables": tables,
        "seed": checks.seed(seed),
        "num_threads": checks.threads(given["num_threads"]),
        "openings": None,
        "positions": None,
        **_openings(given["openings"], given["opening_plies"], given["opening_nodes"]),
        "sprt": _sprt(given["sprt"]),
        "state": None,
    }
    shape = spec(env, **options)
    asked = {name: given[name] for name in ("time_limit", "on_fault", "batch_size")}
    asked["fixed"] = asked["batch_size"] is not None
    if asked["batch_size"] is None:
        # About the number of games that wait for one function on average: small calls cost time.
        asked["batch_size"] = max(1, min(_MOST_ROWS, games // (2 * shape.players)))
    return Order(env, options, shape, named, how, asked, checks.switch("pooled", given.get("pooled", False)))


def _openings(openings: Any, plies: Any, nodes: Any) -> dict[str, Any]:
    """The openings in the form of the engine: text with the selection of positions, or positions."""
    plies = checks.positive_or_none("opening_plies", plies)
    nodes = checks.word("opening_nodes", nodes)
    is_file = isinstance(openings, (str, os.PathLike))
    if not is_file and (plies is not None or nodes != "end"):
        raise config_error("opening_plies, opening_nodes: openings must be a file")
    if openings is None:
        return {}
    if isinstance(openings, (int, np.integer)) and not isinstance(openings, bool):
        return {"openings": (str(checks.positive("openings", openings)), plies, nodes)}
    if isinstance(openings, Sequence) and not isinstance(openings, (str, bytes)):
        positions = [position_like(f"openings[{i}]", position) for i, position in enumerate(openings)]
        if any(isinstance(position, bytes) for position in positions):
            raise config_error("openings: positions as text or objects are needed, not snapshots")
        return {"positions": positions}
    if not is_file:
        raise config_error(
            f"openings={openings!r:.100}: a number of random plies, a file or a list of positions is needed"
        )
    path = checks.path("openings", openings)
    # Digits alone would be a number of plies.
    return {"openings": (os.path.join(os.curdir, path) if path.isdigit() else path, plies, nodes)}


def _sprt(sprt: Any) -> tuple[float, float, float, float, str] | None:
    """The numbers of a sequential test, and its model."""
    if sprt is None:
        return None
    allowed = 'sprt: {"elo0": 0, "elo1": 20}, optionally with alpha, beta and model, is allowed'
    known = {"elo0", "elo1", "alpha", "beta", "model"}
    if not isinstance(sprt, Mapping) or not {"elo0", "elo1"} <= {*sprt} <= known:
        raise config_error(f"{allowed}; {sprt!r:.100} was given")
    model = checks.word("sprt: model", sprt.get("model", "normalized"))
    for name, number in sprt.items():
        if name == "model":
            continue
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise config_error(f"{allowed}; {number!r:.100} is not a number")
    numbers = {"alpha": 0.05, "beta": 0.05, **sprt}
    elo0, elo1, alpha, beta = (float(numbers[name]) for name in ("elo0", "elo1", "alpha", "beta"))
    return elo0, elo1, alpha, beta, model


def _resumed_seed(seed: Any, file: Any) -> Any:
    """The seed of a tournament; without one, that of the file from which it resumes, if it exists."""
    if seed is not None or file is None:
        return seed
    path = checks.path("file", file)
    found: list[Any] = []

    def read() -> None:
        # The reader of the file says what is wrong with it.
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            if os.path.isfile(path):
                with open(path, "rb") as lines:
                    header = lines.readline()
                found.append(json.loads(header[header.index(b"{") :])["seed"])

    # In a thread, which Ctrl-C may abandon: a file system may not answer.
    reader = threading.Thread(target=read, name="ludovec state", daemon=True)
    reader.start()
    while reader.is_alive():
        reader.join(0.1)
    return found[0] if found else None


def identities(named: Sequence[tuple[str, Any]]) -> list[str | None]:
    """Fingerprints of bots written in Python; ``None`` for texts and networks, identified by the engine."""
    written = [None if isinstance(bot, (str, Network)) else bot for _, bot in named]
    return [None if bot is None else fingerprint(bot) for bot in written]


def _played(order: Order, state: str | Path | None) -> Tournament:
    file = None if state is None else (checks.path("state", state), identities(order.named))
    with player_pool(order.shape, order.named, **order.asked) as players:
        how = {**order.how, "time_limit": players.time_limit, "state": file}
        failed, table = _core.tournament(order.env, order.options, players.players, how)
    result = None if table is None else _result(json.loads(table))
    if failed is not None:
        setattr(failed, "partial", result)  # noqa: B010
        raise failed
    assert result is not None
    return completed(result, order)


def _result(table: dict[str, Any]) -> Tournament:
    # JSON has no infinity.
    for row in table["standings"] + table["opponents"]:
        row["score_margin"] = math.inf if row["score_margin"] is None else row["score_margin"]
    for standing in table["standings"]:
        standing["margin"] = math.inf if standing["margin"] is None else standing["margin"]
        standing["usage"] = Usage(**standing["usage"]) if "usage" in standing else None
    lists = {
        "standings": tuple(Standing(**standing) for standing in table["standings"]),
        "pairings": tuple(
            Pairing(
                **{**p, "bots": tuple(p["bots"]), "pentanomial": p["pentanomial"] and tuple(p["pentanomial"])}
            )
            for p in table["pairings"]
        ),
        "opponents": tuple(
            OpponentRow(**{**row, "opponents": tuple(row["opponents"])}) for row in table["opponents"]
        ),
        "payoffs": _payoffs(table["payoffs"]),
        "rankings": table["rankings"] and Rankings(**{k: tuple(v) for k, v in table["rankings"].items()}),
        "sprt": table["sprt"] and SprtResult(**table["sprt"]),
        "remarks": tuple(table["remarks"]),
        "faults": tuple(Fault(**fault) for fault in table["faults"]),
    }
    return Tournament(**{**table, **lists})


def _payoffs(rows: list[list[float | None]]) -> npt.NDArray[np.float64]:
    payoffs = np.array(rows, dtype=np.float64)
    np.fill_diagonal(payoffs, 0.5)
    payoffs.flags.writeable = False
    return payoffs
