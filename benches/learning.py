"""Strength for a core-hour: trains networks from nothing and rates them on a fixed ladder.

    python benches/learning.py                          # every game in 15 and 60 minutes: make learning
    python benches/learning.py --games tilewe --minutes 10 --methods all    # an ablation: each method alone

Minutes are processor time; every run has the schedule of its own minutes, and the shortest runs have several
seeds. Every run and every tournament has a folder in --out, so a stopped benchmark continues where it was.
Prints Markdown: Elo with 95 % margins, machine, commit. `--curves FILE` draws the presets' Elo by minutes.
"""

from __future__ import annotations

import argparse
import datetime
import math
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import figures
import ludovec

ROOT = Path(__file__).parents[1]
#: The strongest scripted bot of each game, beside `random`, `greedy` and `search:200`.
STRONGEST = {
    "smallworld": "conqueror",
    "tilewe": "one_ply",
    "chess": "cautious",
    "starwars_risk": "shield",
    "empires": "aggressive",
}
#: Options of the tournaments, where the preset trains several kinds of games.
OPTIONS: dict[str, dict[str, Any]] = {
    "smallworld": {"players": 2},
    "tilewe": {"players": 4},
    "chess": {},
    "starwars_risk": {},
    "empires": {"players": 2, "width": 12, "height": 12, "max_turns": 200},
}
#: Each method alone, as flags of the trainer.
METHODS: dict[str, list[str]] = {
    "preset": [],
    "values from results alone": ["--td-lambda", "1"],
    "without symmetries": ["--no-symmetries"],
    "without averaged weights": ["--average", "0"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", nargs="+", default=list(STRONGEST), choices=list(STRONGEST))
    parser.add_argument("--minutes", nargs="+", type=float, default=[15.0, 60.0], help="processor time")
    parser.add_argument(
        "--seeds", type=int, default=3, help="runs of the shortest time; longer ones have one"
    )
    parser.add_argument(
        "--methods", nargs="+", default=["preset"], help=f"all, or some of {', '.join(METHODS)}"
    )
    parser.add_argument(
        "--simulations", type=int, default=64, help="of the networks in the tournaments; 0: the policy alone"
    )
    parser.add_argument("--pairs", type=int, default=100, help="games of every pair of players")
    parser.add_argument("--out", type=Path, default=ROOT / "target" / "learning")
    parser.add_argument("--write", type=Path, help="write into this page, too, between its marks")
    parser.add_argument("--curves", type=Path, help="a picture of the presets' Elo by minutes (SVG)")
    args = parser.parse_args()
    methods = list(METHODS) if args.methods == ["all"] else args.methods
    if unknown := [method for method in methods if method not in METHODS]:
        parser.error(f"--methods {unknown[0]!r}: all, or some of {', '.join(METHODS)}")
    page, series = [heading()], {}
    for env in args.games:
        networks: dict[str, Path] = {}
        titles: dict[float, list[str]] = {}
        for method in methods:
            for minutes in sorted(args.minutes):
                for seed in range(args.seeds if minutes == min(args.minutes) else 1):
                    title = f"{minutes:g} min" + (f", seed {seed}" if args.seeds > 1 else "")
                    title = title if methods == ["preset"] else f"{method}, {title}"
                    networks[title] = trained(env, method, minutes, seed, args.out)
                    if method == "preset":
                        titles.setdefault(minutes, []).append(title)
        table = rated(env, networks, args.simulations, args.pairs, args.out)
        series[env] = above_random(table, titles)
        page.append(as_markdown(env, table, args.simulations, args.pairs))
        print(page[-1], flush=True)
    if args.write:
        figures.write(args.write, "benches/learning.py", "\n".join(page))
    if args.curves:
        args.curves.write_text(drawn(series))


def trained(env: str, method: str, minutes: float, seed: int, out: Path) -> Path:
    """The last network of a run of this processor time; a run that was stopped goes on."""
    run = out / env / method.replace(" ", "_") / f"{minutes:g}-{seed}"
    kept = run / "finished.safetensors"
    if kept.is_file():
        return kept
    is_begun = (run / "checkpoint.safetensors").is_file()
    command = [
        sys.executable,
        "-m",
        "ludovec.train",
        env,
        *METHODS[method],
        "--out",
        str(run),
        "--seed",
        str(seed),
    ]
    command += ["--cpu-minutes", f"{minutes:g}", *(["--resume"] if is_begun else [])]
    subprocess.run(command, check=True)
    shutil.copyfile(run / "last.safetensors", kept)
    return kept


def rated(env: str, networks: dict[str, Path], simulations: int, pairs: int, out: Path) -> ludovec.Tournament:
    """A tournament of the networks and the ladder."""
    search = f":{simulations}" if simulations else ""
    players = {title: f"net:{file}{search}" for title, file in networks.items()}
    ladder = ["random", "greedy", STRONGEST[env], "search:200"]
    players |= {bot: bot for bot in ladder if bot in ("search:200", *ludovec.bots(env))}  # type: ignore[arg-type]
    count = len(players) * (len(players) - 1) // 2
    state = out / env / f"{len(networks)}-{simulations}-{pairs}.state"
    return ludovec.tournament(env, players, games=pairs * count, state=state, **OPTIONS[env])  # type: ignore[arg-type]


def as_markdown(env: str, table: ludovec.Tournament, simulations: int, pairs: int) -> str:
    """The strongest player first."""
    lines = [f"\n| `{env}` | Elo | points |", "|---|---|---|"]
    for row in sorted(table.standings, key=lambda row: -row.elo):
        lines.append(
            f"| {row.bot} | {row.elo:.0f} ± {row.margin:.0f} | {100 * row.points / row.comparisons:.0f} % |"
        )
    options = ", ".join(f"{key}={value}" for key, value in OPTIONS[env].items())
    with_ = f"{simulations} simulations" if simulations else "policies alone"
    lines.append(f"\n{options or 'Default options'}; {with_}; {pairs} games a pair.")
    return "\n".join(lines)


def above_random(
    table: ludovec.Tournament, titles: dict[float, list[str]]
) -> list[tuple[float, float, float]]:
    """Minutes, and of their networks the mean Elo above `random` and the mean margin."""
    rows = {row.bot: row for row in table.standings}
    found = []
    for minutes, of_seeds in titles.items():
        elo = sum(rows[title].elo - rows["random"].elo for title in of_seeds) / len(of_seeds)
        margin = sum(rows[title].margin for title in of_seeds) / len(of_seeds)
        found.append((minutes, max(0.0, elo), margin))
    return found


def drawn(series: dict[str, list[tuple[float, float, float]]]) -> str:
    """The curves of all games that have several points, as SVG."""
    shown = {env: points for env, points in series.items() if points}
    highest = max((elo + margin for points in shown.values() for _, elo, margin in points), default=1.0)
    return ludovec.plots.curves(
        shown,
        "Strength from nothing",
        "minutes of processor time",
        "Elo above random",
        top=100.0 * math.ceil(highest / 100),
        share=False,
    )


def heading() -> str:
    """Machine, commit and day."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, ludovec {ludovec.__version__}, "
        f"commit {commit.stdout.strip() or 'unknown'}, {datetime.date.today()}."
    )


if __name__ == "__main__":
    main()
