"""Strength by simulations: the shipped networks against themselves under other settings of the search.

Every row is a match of two searches of one network: four times the simulations, a limit of the depth, the
best action of the improved policy instead of the search's own, rewards that leave out what opponents earn.
Finished matches are kept in a file, so a stopped run continues where it was: ``make search-strength``.

    python benches/search_strength.py --games 400 --only fourfold --env smallworld
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import ludovec
import numpy as np
import numpy.typing as npt

ROOT = Path(__file__).parents[1]
#: Simulations of the fourfold rows.
SIMULATIONS = (16, 64, 256, 1024)


@dataclass(frozen=True)
class Game:
    """An environment with options, and the random plies that begin a game."""

    env: str
    options: dict[str, Any] = field(default_factory=dict)
    #: Random plies before a game, so that games without chance differ.
    opening: int = 0

    def __str__(self) -> str:
        return " ".join([self.env, *(f"{name}={value}" for name, value in self.options.items())])


GAMES = (
    Game("smallworld", {"players": 2}),
    Game("smallworld", {"players": 3}),
    Game("starwars_risk"),
    Game("tilewe", {"players": 4}, opening=8),
    Game("chess", opening=6),
    Game("empires", opening=4),
)


#: Environments of which the shipped networks predict margins.
MARGINS = ("smallworld", "tilewe")


@dataclass(frozen=True)
class Side:
    """A search: settings of ``TreeSearch``, and the action that it plays."""

    settings: dict[str, Any]
    #: Whether it plays the best action of the improved policy instead of its own.
    by_policy: bool = False

    def __str__(self) -> str:
        words = [f"{self.settings['simulations']} simulations"]
        words += [f"{name} {value}" for name, value in self.settings.items() if name != "simulations"]
        return ", ".join(words) + (", policy's best action" if self.by_policy else "")


@dataclass(frozen=True)
class Match:
    """A comparison: one seat searches as ``first``, the others as ``second``."""

    section: str
    game: Game
    first: Side
    second: Side


def matches() -> Iterator[Match]:
    """All comparisons."""
    for game in GAMES:
        for few, many in itertools.pairwise(SIMULATIONS):
            yield Match("fourfold", game, Side({"simulations": many}), Side({"simulations": few}))
    for game in GAMES:
        deep = Side({"simulations": 256})
        yield Match("depth", game, deep, Side({"simulations": 256, "max_depth": 3}))
    for game in GAMES:
        yield Match("target", game, Side({"simulations": 64}, by_policy=True), Side({"simulations": 64}))
    for game in GAMES:
        if game.env in MARGINS:
            own = Side({"simulations": 64, "reward": "score"})
            yield Match("rewards", game, Side({"simulations": 64}), own)


def play(match: Match, games: int, seed: int) -> npt.NDArray[np.float64]:
    """Points of the first side per game: 1 for every opponent behind it, 1/2 for one with the same rank."""
    env = ludovec.make(match.game.env, games, seed=seed, num_threads=1, **match.game.options)
    network = ludovec.Network("champion", env, num_threads=1)
    shared = {"value": "seats", "gumbel_scale": 0.0, "num_threads": 1}
    own = {"reward": network.reward, "method": network.method, "c_init": network.c_init}
    sides = match.first, match.second
    searches = [ludovec.TreeSearch(env, **{**shared, **own, **side.settings}) for side in sides]
    env.reset()
    for _ in range(match.game.opening):
        env.step(env.sample_actions())
    players = env.game_spec.players
    seats = np.arange(games) % players
    points = np.full(games, np.nan)
    while np.isnan(points).any():
        live = np.isnan(points)
        is_first = np.asarray(env.current_player) == seats
        # Finished games go on with any action, which nothing counts.
        actions = env.sample_actions().copy()
        for side, search, turn in zip(sides, searches, (is_first, ~is_first), strict=True):
            if (ids := np.flatnonzero(turn & live)).size:
                search.start(ids)
                # A function has no rewards that a search would compare with its own.
                search.run(network.__call__ if "reward" in side.settings else network)
                chosen = search.policy.argmax(1) if side.by_policy else search.actions
                actions[ids] = chosen[ids]
        env.step(actions)
        for game in np.flatnonzero(env.done & live):
            outcome = env.rewards[game]
            others = np.delete(outcome, seats[game])
            won, drawn = outcome[seats[game]] > others, outcome[seats[game]] == others
            points[game] = (won + 0.5 * drawn).mean()
    return points


def row(match: Match, results: list[list[float]]) -> str:
    """A row of the table: the share of points with its 95 % margin."""
    points = np.concatenate([np.asarray(found) for found in results])
    margin = 1.96 * math.sqrt((points.var() + (0.98**2) / len(points)) / len(points))
    return (
        f"| `{match.game}` | {match.first} | {match.second} "
        f"| {100 * points.mean():.1f} % ± {100 * margin:.1f} % | {len(points)} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=402, help="games of each match, over all seeds")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument(
        "--only", nargs="+", default=["fourfold", "depth", "target", "rewards"], help="sections"
    )
    parser.add_argument("--env", nargs="+", help="environments; all by default")
    parser.add_argument("--simulations", type=int, default=SIMULATIONS[-1], help="largest number of them")
    parser.add_argument(
        "--file", type=Path, default=ROOT / "target" / "search-strength.jsonl", help="finished matches"
    )
    given = parser.parse_args()
    given.file.parent.mkdir(parents=True, exist_ok=True)
    lines = given.file.read_text().splitlines() if given.file.exists() else []
    known = {tuple(key): points for key, points in map(json.loads, lines)}
    print("| environment | search | against | points | games |\n|---|---|---|---|---|", flush=True)
    each = -(-given.games // len(given.seeds))
    for match in matches():
        size = max(side.settings["simulations"] for side in (match.first, match.second))
        if match.section not in given.only or size > given.simulations:
            continue
        if given.env and match.game.env not in given.env:
            continue
        results = []
        for seed in given.seeds:
            key = json.dumps(asdict(match), sort_keys=True), seed, each
            if key not in known:
                print(f"{match.game}: {match.first} against {match.second}, seed {seed}", file=sys.stderr)
                known[key] = play(match, each, seed).tolist()
                with given.file.open("a") as file:
                    file.write(json.dumps([key, known[key]]) + "\n")
            results.append(known[key])
        print(row(match, results), flush=True)


if __name__ == "__main__":
    main()
