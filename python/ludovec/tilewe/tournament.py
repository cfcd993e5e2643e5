"""Tournaments between engines, with the original's columns.

>>> from ludovec import tilewe
>>> tournament = tilewe.tournament.Tournament([
...     tilewe.engine.TileWeightEngine(style="turtle"),
...     tilewe.engine.RandomEngine(),
... ], move_seconds=1)
>>> results = tournament.play(10, players_per_game=2, verbose_rankings=False)
>>> print(results.get_engine_rankings_display("win_counts", "desc"))

:func:`ludovec.tournament` plays the environment's own bots, which are faster.
"""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .. import _core
from .._shared import checks
from .._shared.errors import config_error
from .board import Board, Move
from .engine import Engine

EloMode = Literal["estimated", "live", "live_initial"]


@dataclass(frozen=True)
class MatchData:
    """Result of one game."""

    board: Board
    """The final board."""
    player_to_engine: list[int]
    """Index of the engine in each seat."""
    run_time: float
    """Duration in seconds."""

    @property
    def engines(self) -> list[int]:
        """Indices of the engines that played."""
        return self.player_to_engine


@dataclass(frozen=True)
class TournamentResults:
    """Results of a tournament; lists are by engine, in the given order."""

    match_data: list[MatchData]
    engine_names: list[str]
    game_counts: list[int]
    win_counts: list[int]
    """Number of games won alone."""
    draw_counts: list[int]
    """Number of games with a shared first place."""
    total_scores: list[int]
    elo_end: list[float]
    """Elo ratings; see ``elo_mode`` of :meth:`Tournament.play`."""
    elo_error_margin: list[float]
    """Half-widths of the 95 % confidence intervals of ``elo_end``."""
    real_time: float
    """Wall-clock time in seconds."""

    @property
    def total_games(self) -> int:
        """Number of games played."""
        return len(self.match_data)

    @property
    def lose_counts(self) -> list[int]:
        """Number of games won by another engine."""
        counts = zip(self.game_counts, self.win_counts, self.draw_counts)
        return [games - wins - draws for games, wins, draws in counts]

    @property
    def win_rates(self) -> list[float]:
        """Share of games won."""
        return self._per_game(self.win_counts)

    @property
    def draw_rates(self) -> list[float]:
        """Share of games drawn."""
        return self._per_game(self.draw_counts)

    @property
    def lose_rates(self) -> list[float]:
        """Share of games lost."""
        return self._per_game(self.lose_counts)

    @property
    def avg_scores(self) -> list[float]:
        """Mean score."""
        return self._per_game(self.total_scores)

    @property
    def total_time(self) -> float:
        """Total duration of all games in seconds."""
        return sum(match.run_time for match in self.match_data)

    @property
    def average_match_duration(self) -> float:
        """Mean duration of a game in seconds."""
        return self.total_time / max(1, self.total_games)

    def _per_game(self, counts: Sequence[int]) -> list[float]:
        return [count / max(1, games) for count, games in zip(counts, self.game_counts)]

    def get_matches_by_engine(self, engine: int) -> list[MatchData]:
        """The games of one engine."""
        return [match for match in self.match_data if engine in match.engines]

    def get_engine_rankings_display(self, sort_by: str = "elo_end", sort_dir: str = "desc") -> str:
        """The table: rank, name, Elo and margin, score, mean score, games, wins, draws, losses, win rate.

        Raises:
            InvalidConfig: The column is unknown; the message lists the columns.
        """
        columns = [
            name
            for name in (*self.__dataclass_fields__, *vars(TournamentResults))
            if not name.startswith("_") and _is_column(getattr(self, name))
        ]
        if sort_by not in columns:
            raise config_error(f"sort_by={sort_by!r}: one of {', '.join(sorted(set(columns)))} is allowed")
        if sort_dir not in ("asc", "desc"):
            raise config_error(f"sort_dir={sort_dir!r}: 'asc' or 'desc' is allowed")
        values = getattr(self, sort_by)
        order = sorted(range(len(values)), key=values.__getitem__, reverse=sort_dir == "desc")
        width = max(len(name) for name in ("Name", *self.engine_names))
        lines = [
            f"{'Rank':>4} {'Name':<{width}} {'Elo':>15} {'Score':>7} {'Avg Score':>10} {'Games':>6} "
            f"{'Wins':>6} {'Draws':>6} {'Losses':>6} {'Win Rate':>9}"
        ]
        for rank, i in enumerate(order):
            lines.append(
                f"{rank:>4} {self.engine_names[i]:<{width}} {self.elo_end[i]:>6.0f} +/- "
                f"{self.elo_error_margin[i]:<4.0f} {self.total_scores[i]:>7} {self.avg_scores[i]:>10.2f} "
                f"{self.game_counts[i]:>6} {self.win_counts[i]:>6} {self.draw_counts[i]:>6} "
                f"{self.lose_counts[i]:>6} {self.win_rates[i]:>9.2%}"
            )
        return "\n".join(lines)


def _is_column(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], (int, float))


class Tournament:
    """Games between engines in random seats.

    Args:
        engines: At least as many as the players of a game.
        move_seconds: Time per move that engines are given, in seconds.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """

    def __init__(self, engines: Sequence[Engine], move_seconds: float = 60) -> None:
        self.engines = list(engines)
        if not self.engines or not all(isinstance(engine, Engine) for engine in self.engines):
            raise config_error("engines: a list of engines is needed")
        self.move_seconds = checks.time_limit(move_seconds)

    def play(
        self,
        n_games: int,
        n_threads: int = 1,
        players_per_game: int = 4,
        move_seconds: float | None = None,
        verbose_board: bool = False,
        verbose_rankings: bool = True,
        elo_mode: EloMode = "estimated",
        seed: int | None = None,
    ) -> TournamentResults:
        """Plays games.

        Args:
            n_games: Number of games.
            n_threads: Number of processes; with more than one, engines are pickled.
            players_per_game: 1 to 4.
            move_seconds: Overrides the tournament's value.
            verbose_board: Print every final board.
            verbose_rankings: Print the table.
            elo_mode: Rating of engines: ``"estimated"`` over all games, with a mean of 0; ``"live"`` game by
                game, from 0 on; ``"live_initial"`` game by game, from each engine's ``estimated_elo`` on.
            seed: Seed of the seats, and of Python's :mod:`random` in each game; ``None`` draws one.

        An exception of an engine or an illegal move ends the call.

        Raises:
            InvalidConfig: An argument is invalid; the message lists the allowed values.
        """
        checks.positive("n_games", n_games)
        checks.positive("n_threads", n_threads)
        if players_per_game not in (1, 2, 3, 4) or players_per_game > len(self.engines):
            raise config_error(
                f"players_per_game={players_per_game!r}: 1 to the number of engines, at most 4, is allowed"
            )
        if elo_mode not in ("estimated", "live", "live_initial"):
            raise config_error(
                f"elo_mode={elo_mode!r:.100}: 'estimated', 'live' or 'live_initial' is allowed"
            )
        seconds = self.move_seconds if move_seconds is None else checks.time_limit(move_seconds)
        rng = random.Random(checks.seed(seed))
        numbers = range(len(self.engines))
        games = [
            (self.engines, rng.sample(numbers, players_per_game), seconds, rng.randrange(2**63))
            for _ in range(n_games)
        ]
        start = time.monotonic()
        matches = []
        for seats, moves, run_time in _played(games, n_threads):
            board = Board(players_per_game)
            for move in moves:
                board.push(move)
            matches.append(MatchData(board, seats, run_time))
            if verbose_board:
                print(f"{board}\n")
        results = self._results(matches, time.monotonic() - start, elo_mode)
        if verbose_rankings:
            print(results.get_engine_rankings_display())
        return results

    def _results(self, matches: list[MatchData], real_time: float, elo_mode: EloMode) -> TournamentResults:
        n = len(self.engines)
        games, wins, draws, totals = [0] * n, [0] * n, [0] * n, [0] * n
        rated: list[tuple[list[int], list[float]]] = []
        for match in matches:
            winners, scores, seats = match.board.winners, match.board.scores, match.player_to_engine
            for seat, engine in enumerate(seats):
                games[engine] += 1
                totals[engine] += scores[seat]
                if seat in winners:
                    (wins if len(winners) == 1 else draws)[engine] += 1
            if len(seats) > 1:
                rated.append((seats, [float(seat in winners) for seat in range(len(seats))]))
        ratings = _core.ratings(n, rated)
        elos = [elo for elo, _ in ratings]
        if elo_mode != "estimated":
            started = elo_mode == "live_initial"
            elos = _live([engine.estimated_elo or 0.0 if started else 0.0 for engine in self.engines], rated)
        return TournamentResults(
            match_data=matches,
            engine_names=[engine.name for engine in self.engines],
            game_counts=games,
            win_counts=wins,
            draw_counts=draws,
            total_scores=totals,
            elo_end=elos,
            elo_error_margin=[margin for _, margin in ratings],
            real_time=real_time,
        )


#: K-factor: maximum change of a live rating by one game, summed over the opponents.
_LIVE_K = 8.0


def _live(elos: list[float], games: list[tuple[list[int], list[float]]]) -> list[float]:
    """Elo ratings, updated after every game: winners beat all others, who draw among themselves."""
    for seats, won in games:
        step = _LIVE_K / (len(seats) - 1)
        moved = []
        for a, mine in zip(seats, won):
            others = ((elos[b], theirs) for b, theirs in zip(seats, won) if b != a)
            surprises = (
                (1 + mine - theirs) / 2 - 1 / (1 + 10 ** ((elo - elos[a]) / 400)) for elo, theirs in others
            )
            moved.append(step * sum(surprises))
        for a, change in zip(seats, moved):
            elos[a] += change
    return elos


_Game = tuple[list[Engine], list[int], float, int]
_Played = tuple[list[int], list[Move], float]


def _played(games: list[_Game], processes: int) -> Iterator[_Played]:
    if processes == 1:
        state = random.getstate()
        try:
            yield from map(_play, games)
        finally:
            random.setstate(state)
    else:
        with multiprocessing.get_context("spawn").Pool(processes) as pool:
            yield from pool.imap_unordered(_play, games)


def _play(game: _Game) -> _Played:
    engines, seats, seconds, seed = game
    random.seed(seed)
    start, board = time.monotonic(), Board(len(seats))
    while not board.finished:
        # A copy, because an engine may change its board.
        board.push(engines[seats[board.current_player]].search(board.copy(), seconds))
    return seats, board.moves, time.monotonic() - start
