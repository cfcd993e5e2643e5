"""Verifiable rewards: how much worse a move is than the best move that a search finds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .._shared import checks
from .._shared.errors import illegal_action
from ..envs.make import make
from ..game import Game
from ..networks import Network
from ..search import TreeSearch


@dataclass(frozen=True)
class Regret:
    """The grade of a move."""

    #: Share of the points lost against the best move, estimated: 0 for the best move, at most 1.
    regret: float
    #: Standard error of :attr:`regret`, over independent searches.
    error: float
    #: The best move of the search.
    best: int
    #: Share of the points expected after the best move, and after the played one.
    share_best: float
    share: float


def regret(
    decisions: Iterable[tuple[Game, int]],
    *,
    simulations: int = 64,
    repeats: int = 4,
    network: Network | None = None,
    seed: int = 0,
    num_threads: int | None = None,
) -> list[Regret]:
    """Grades moves: the share of the points lost against the best move that a search finds.

    >>> [grade] = ludovec.text.regret([(game, action)], simulations=200)
    >>> reward = -grade.regret

    A first search of each position chooses the best move. Then ``repeats`` searches with other seeds evaluate
    the positions after the best and the played move; hidden information is resampled for each. A share is 1
    for a won game and 0 for a lost one. The difference is 0 where the search agrees with the move, and it is
    never below 0: noise is cut off.

    Args:
        decisions: Games before a move, and the move. All of one environment with equal options are searched
            as one batch.
        simulations: Simulations of each search.
        repeats: Searches after each move, at least 2.
        network: Evaluates the leaves, by the outcome of the game; ``None`` uses random playouts.
        seed: Seed of all searches: equal seeds give equal grades.
        num_threads: ``None`` uses all cores; grades do not depend on it.

    Raises:
        IllegalAction: A move is not legal in its game.
        InvalidConfig: An argument is invalid.
    """
    simulations = checks.positive("simulations", simulations)
    repeats = max(2, checks.positive("repeats", repeats))
    listed = [(game, checks.index("action", action)) for game, action in decisions]
    for i, (game, action) in enumerate(listed):
        if action not in game.legal_actions():
            raise illegal_action(f"decision {i}: action {action} is not legal")
    groups: dict[str, list[int]] = {}
    for i, (game, _) in enumerate(listed):
        key = json.dumps([game.spec.env, game.spec.options], sort_keys=True)
        groups.setdefault(key, []).append(i)
    grades: dict[int, Regret] = {}
    how = (simulations, network, num_threads)
    for members in groups.values():
        games, played = [listed[i][0] for i in members], [listed[i][1] for i in members]
        best = _search(games, seed, *how)[0]
        after: list[Game] = []
        for game, chosen, action in zip(games, best, played):
            for k in range(repeats):
                start = game.determinize(seed=seed + k)
                for move in (int(chosen), action):
                    child = start.clone()
                    child.step(move)
                    after.append(child)
        values = _search(after, seed + 1, *how)[1]
        movers = np.repeat([game.current_player for game in games], 2 * repeats)
        shares = (values[np.arange(len(after)), movers].reshape(len(games), repeats, 2) + 1) / 2
        for row, i in enumerate(members):
            same = int(best[row]) == played[row]
            lost = np.zeros(repeats) if same else shares[row, :, 0] - shares[row, :, 1]
            grades[i] = Regret(
                max(0.0, float(lost.mean())),
                float(lost.std(ddof=1) / np.sqrt(repeats)),
                int(best[row]),
                float(shares[row, :, 0].mean()),
                float(shares[row, :, 1].mean()),
            )
    return [grades[i] for i in range(len(listed))]


def _search(
    games: list[Game], seed: int, simulations: int, network: Network | None, num_threads: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """The chosen action and the value for each player of each game; finished games have their outcome."""
    running = [i for i, game in enumerate(games) if not game.is_terminal]
    actions = np.zeros(len(games), np.int64)
    values = np.stack([game.returns() for game in games]).astype(np.float64)
    if running:
        spec = games[0].spec
        options = {**spec.options, "reward": "outcome"}
        env = make(spec.env, len(running), seed=seed, num_threads=num_threads, **options)
        for at, i in enumerate(running):
            env.set_position(at, json.dumps(json.loads(games[i].to_json())["position"]))
        if network is None:
            search = TreeSearch.playouts(env, simulations, seed=seed)
            search.start()
            search.run()
        else:
            search = TreeSearch(env, simulations, value="seats", seed=seed)
            search.start()
            search.run(network)
        actions[running], values[running] = search.actions, search.values
        env.close()
    return actions, values
