"""The ladder: the players of this package on the scales of other engines, as a part of a page.

Chess against Stockfish at several ratings, variants against Fairy-Stockfish, the other games against every
scripted bot. Every tournament has a state file, so a stopped ladder continues where it was: ``make ladder``.
Engines that are not installed are left out.

    python benches/ladder.py --games 200 --only chess,variants --write docs/figures/strength.md
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import figures
import ludovec

ROOT = Path(__file__).parents[1]
#: Ratings of Stockfish's option UCI_Elo.
ELOS = (1350, 1500, 1700, 2000)
#: Simulations of the chess champion; None for the policy alone.
SIMULATIONS = (None, 64, 400, 800)
#: Games of a pair before it is known whether more of them would decide anything.
TRIAL = 20
#: Shares of points beyond which a pair decides nothing: a rating has no finite estimate there.
HOPELESS = 0.05
#: Variants against Fairy-Stockfish.
VARIANTS = (
    "3check",
    "antichess",
    "breakthrough",
    "capablanca",
    "crazyhouse",
    "extinction",
    "horde",
    "kingofthehill",
    "knightmate",
    "racingkings",
)
#: The players of the other games, besides their own bots.
COMMON = ("net:champion", "net:champion:64", "search:100", "greedy", "random")
GAMES = ("smallworld", "tilewe", "starwars_risk", "empires")
#: Their options, beside two players: a game on the default map of Empires takes minutes.
OPTIONS = {"empires": ["width=12", "height=12", "max_turns=200"]}


class Ladder:
    """Tournaments of the program ``ludovec``, each with a state file in a folder."""

    def __init__(self, program: Path, folder: Path, games: int, threads: int) -> None:
        self.program, self.folder, self.games, self.threads = program, folder, games, threads
        folder.mkdir(parents=True, exist_ok=True)

    def play(self, name: str, env: str, bots: list[str], games: int, *more: str) -> dict[str, Any]:
        """A tournament from its state file on; the table as the program prints it in JSON."""
        state, begun = self.folder / f"{name}.state", self.folder / f"{name}.games"
        # A state file can grow, but not shrink.
        games = max(games, int(begun.read_text()) if begun.exists() else 0)
        begun.write_text(f"{games}\n")
        command = [
            str(self.program),
            "tournament",
            env,
            "--json",
            "--games",
            str(games),
            "--state",
            str(state),
        ]
        command += ["--threads", str(self.threads), "--bot-timeout", "60", *more]
        for bot in bots:
            command += ["--players", bot]
        print("+", " ".join(command), file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{name}: ludovec ended with {done.returncode}")
        table: dict[str, Any] = json.loads(done.stdout)
        return table

    def pair(self, name: str, env: str, bots: list[str], *more: str) -> dict[str, Any]:
        """The first bot's standing in games against the second, as many as decide something."""
        table = self.play(name, env, bots, min(TRIAL, self.games), *more)
        standing = of(table, bots[0])
        if not HOPELESS <= share(standing) <= 1 - HOPELESS:
            return standing
        return of(self.play(name, env, bots, self.games, *more), bots[0])


def of(table: dict[str, Any], bot: str) -> dict[str, Any]:
    """A bot's standing."""
    found: dict[str, Any] = next(standing for standing in table["standings"] if standing["bot"] == bot)
    return found


def share(standing: dict[str, Any]) -> float:
    """The share of points of a standing."""
    return float(standing["points"]) / float(standing["comparisons"])


def elo(points: float) -> float:
    """The rating difference that gives this share of points."""
    return math.inf if points >= 1 else -math.inf if points <= 0 else 400 * math.log10(points / (1 - points))


def rating(base: int, standing: dict[str, Any]) -> str:
    """A rating on the opponent's scale with its 95 % interval."""
    low, middle, high = (
        base + elo(x) for x in (standing["point_low"], share(standing), standing["point_high"])
    )
    if math.isinf(middle):
        return f"below {high:.0f}" if middle < 0 else f"above {low:.0f}"
    return f"{middle:.0f} ({low:.0f} to {high:.0f})"


def overall(rows: list[tuple[int, dict[str, Any]]]) -> ludovec.Rating:
    """The rating of most likelihood over games against opponents of known ratings, and its 95 % margin."""
    counts = {}
    for base, standing in rows:
        points = float(standing["points"])
        counts["player", base] = (points, 0.0, float(standing["comparisons"]) - points)
    return ludovec.rating(counts, known={base: base for base, _ in rows})["player"]


def points(standing: dict[str, Any]) -> str:
    """A share of points with its 95 % interval."""
    low, high = 100 * standing["point_low"], 100 * standing["point_high"]
    return f"{100 * share(standing):.1f} % ({low:.1f}-{high:.1f})"


def installed(name: str) -> str | None:
    """The path of an engine."""
    found = shutil.which(name) or shutil.which(name, path="/usr/games:/usr/local/bin")
    if found is None:
        print(f"{name} is not installed: its rungs are left out", file=sys.stderr)
    return found


def version(engine: str) -> str:
    """How an engine names itself."""
    told = subprocess.run(
        [engine], input="uci\nquit\n", stdout=subprocess.PIPE, text=True, check=False
    ).stdout
    names = [line.removeprefix("id name ") for line in told.splitlines() if line.startswith("id name ")]
    return names[0] if names else engine


def chess(ladder: Ladder, nodes: int) -> Iterator[str]:
    """The chess champion against Stockfish."""
    engine = installed("stockfish")
    if engine is None:
        return
    yield f"## Chess against {version(engine)}\n"
    yield (
        f"Stockfish plays with {nodes:,} nodes a move and `UCI_Elo` as in the table. Every opening of\n"
        "4 random plies is played from both sides. Ratings are on the scale of `UCI_Elo`, which was made\n"
        "for longer searches.\n"
    )
    yield "| player | Stockfish at | games | points (95 %) | rating (95 %) | lost moves |"
    yield "|---|---|---|---|---|---|"
    headlines = []
    for simulations in SIMULATIONS:
        player, rows = "net:champion" + (f":{simulations}" if simulations else ""), []
        for base in ELOS:
            bots = [player, f"uci:{engine}?elo={base},nodes={nodes},option.Hash=1"]
            standing = ladder.pair(f"chess-{simulations or 0}-{base}", "chess", bots, "--openings", "4")
            yield (
                f"| `{player}` | {base} | {standing['games']} | {points(standing)} "
                f"| {rating(base, standing)} | {standing['faults']} |"
            )
            rows.append((base, standing))
            # A player without a point here gets none higher up.
            if share(standing) == 0:
                break
        headlines.append((player, sum(standing["games"] for _, standing in rows), *overall(rows)))
    yield "\nThe rating of most likelihood over all rows of a player:\n"
    yield "| player | games | rating (95 % margin) |\n|---|---|---|"
    for player, games, middle, margin in headlines:
        yield f"| `{player}` | {games} | {middle:.0f} ± {margin:.0f} |"
    yield ""


def variants(ladder: Ladder, nodes: int) -> Iterator[str]:
    """A tree search without a network against Fairy-Stockfish."""
    engine = installed("fairy-stockfish")
    if engine is None:
        return
    player, level = "search:400", -10
    yield f"## Variants against {version(engine)}\n"
    yield (
        f"`{player}` against Fairy-Stockfish with {nodes:,} nodes a move and `Skill Level={level}`,\n"
        "from openings of 4 random plies, each played from both sides.\n"
    )
    yield "| variant | games | points (95 %) | lost moves |\n|---|---|---|---|"
    for variant in VARIANTS:
        bots = [player, f"uci:{engine}?nodes={nodes},option.Skill Level={level},option.Hash=1"]
        more = ["--openings", "4", "--set", f"variant={variant}"]
        standing = ladder.pair(f"variant-{variant}", "chess", bots, *more)
        yield f"| {variant} | {standing['games']} | {points(standing)} | {standing['faults']} |"
    yield ""


def others(ladder: Ladder) -> Iterator[str]:
    """The other games: every scripted bot, searches, the champion."""
    yield "## Other games among their players\n"
    for env in GAMES:
        listed = json.loads(
            subprocess.run([ladder.program, "spec", env], stdout=subprocess.PIPE, check=True).stdout
        )
        scripted = [bot["name"] for bot in listed["bots"] if ":" not in bot["name"]]
        bots = list(
            dict.fromkeys([*COMMON, *(bot for bot in scripted if bot not in ("search", "flat", "pass"))])
        )
        options = OPTIONS.get(env, [])
        if any(option["name"] == "players" for option in listed["option_list"]):
            options = ["players=2", *options]
        more = [part for option in options for part in ("--set", option)]
        # Every player meets every other one.
        games = ladder.games * len(bots) * (len(bots) - 1) // 2
        table = ladder.play(f"game-{env}", env, bots, games, *more)
        yield f"### {listed['name']}, {ladder.games} games a pair\n"
        if options:
            yield ", ".join(f"`{option}`" for option in options) + ".\n"
        yield "| player | Elo (95 % margin) | games | points (95 %) | lost moves |\n|---|---|---|---|---|"
        for standing in table["standings"]:
            yield (
                f"| `{standing['bot']}` | {standing['elo']:+.0f} ± {standing['margin'] or math.inf:.0f} "
                f"| {standing['games']} | {points(standing)} | {standing['faults']} |"
            )
        yield ""


def machine() -> str:
    """The processor."""
    try:
        told = Path("/proc/cpuinfo").read_text()
        return next(line.split(":")[1].strip() for line in told.splitlines() if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=200, help="games of each pair that decides something")
    parser.add_argument("--nodes", type=int, default=2000, help="nodes a move of the engines")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="chess,variants,others", help="sections, comma-separated")
    parser.add_argument("--program", type=Path, default=ROOT / "target" / "release" / "ludovec")
    parser.add_argument("--folder", type=Path, default=ROOT / "target" / "ladder", help="state files")
    parser.add_argument("--write", type=Path, help="write into this page, too, between its marks")
    given = parser.parse_args()
    ladder = Ladder(given.program, given.folder, given.games, given.threads)
    sections = {
        "chess": lambda: chess(ladder, given.nodes),
        "variants": lambda: variants(ladder, given.nodes),
        "others": lambda: others(ladder),
    }
    lines = [
        f"Measured on {datetime.date.today():%Y-%m-%d} on one thread of an {machine()}, by\n"
        f"`make ladder GAMES={given.games}`. A pair with less than {100 * HOPELESS:.0f} % of the points\n"
        f"after {TRIAL} games, or more than {100 - 100 * HOPELESS:.0f} %, has no more games.\n",
    ]
    for name in given.only.split(","):
        for line in sections[name]():
            print(line, flush=True)
            lines.append(line)
    if given.write:
        figures.write(given.write, "benches/ladder.py", "\n".join(lines))


if __name__ == "__main__":
    main()
