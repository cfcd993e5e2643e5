"""Strength for a core-hour: trains networks from nothing and rates them on a fixed ladder.

    python benches/learning.py                          # every game at 15, 30 and 60 minutes: make learning
    python benches/learning.py --games tilewe --minutes 10 --methods all    # an ablation: each method alone

Minutes are processor time. A network of 30 minutes is the run of 15 minutes, continued. Every run and every
tournament has a folder in --out, so a stopped benchmark continues where it was. Prints Markdown: Elo with
95 % margins, machine and commit. `--curves FILE` draws the presets' Elo above `random` by minutes.
"""

from __future__ import annotations

import argparse
import datetime
import json
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
from ludovec.train import Config
from safetensors import safe_open

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
#: What a game is about, at its end.
FINAL = {
    "smallworld": ["held"],
    "tilewe": ["own", "opponents"],
    "chess": ["own_0", "enemy_0"],
    "starwars_risk": ["board"],
    "empires": ["owner", "structure"],
}
#: Replaced by the fields of :data:`FINAL`.
FINAL_FIELDS = "FIELDS"
#: Replaced by the number of updates that the preset makes in the same processor time.
PRESET_UPDATES = "UPDATES"
#: Each method alone, as flags of the trainer. The preset has the learning rate of a longer run.
METHODS: dict[str, list[str]] = {
    "preset": [],
    "playout cap randomization": ["--full-searches", "0.25"],
    "moves to the end and the next decision": ["--moves-left", "0.1", "--reply", "0.1"],
    "the end of the game": ["--final", "0.5", "--final-fields", FINAL_FIELDS],
    "forks of earlier games": ["--forks", "0.3"],
    "surprise weighting": ["--surprise", "0.5"],
    "opponents from earlier evaluations": ["--past", "0.3"],
    "games against greedy": ["--opponents", "greedy", "--opposed", "0.3"],
    "earlier positions searched again": ["--reanalyse", "0.5"],
    "values as distributions": ["--values", "distributions"],
    "linear decay to the end": ["--updates", PRESET_UPDATES],
    "cosine decay to the end": ["--updates", PRESET_UPDATES, "--decay", "cosine"],
    "values from results alone": ["--td-lambda", "1"],
    "without symmetries": ["--no-symmetries"],
    "without averaged weights": ["--average", "0"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", nargs="+", default=list(STRONGEST), choices=list(STRONGEST))
    parser.add_argument("--minutes", nargs="+", type=float, default=[15.0, 30.0, 60.0], help="processor time")
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
        networks, titles = {}, {}
        for method in methods:
            for minutes in sorted(args.minutes):
                title = f"{minutes:g} min" if methods == ["preset"] else f"{method}, {minutes:g} min"
                networks[title] = trained(env, method, minutes, args.out)
                if method == "preset":
                    titles[minutes] = title
        table = rated(env, networks, args.simulations, args.pairs, args.out)
        series[env] = above_random(table, titles)
        page.append(as_markdown(env, table, args.simulations, args.pairs))
        print(page[-1], flush=True)
    if args.write:
        figures.write(args.write, "benches/learning.py", "\n".join(page))
    if args.curves:
        args.curves.write_text(drawn(series))


def trained(env: str, method: str, minutes: float, out: Path) -> Path:
    """The newest network of a run after this processor time; continues the run if it is not there yet."""
    folder = out / env / method.replace(" ", "_")
    kept = folder / f"{minutes:g}.safetensors"
    if kept.is_file():
        return kept
    begun = folder / "run" / "checkpoint.pt"
    flags = [word for flag in METHODS[method] for word in replaced(flag, env, minutes, out)]
    command = [sys.executable, "-m", "ludovec.train", env, *flags, "--out", str(folder / "run")]
    command += ["--cpu-minutes", f"{minutes:g}", *(["--resume"] if begun.is_file() else [])]
    subprocess.run(command, check=True)
    shutil.copyfile(folder / "run" / "last.safetensors", kept)
    return kept


def replaced(flag: str, env: str, minutes: float, out: Path) -> list[str]:
    """A word of :data:`METHODS` as words of a command."""
    if flag == PRESET_UPDATES:
        return [str(updates_of(env, minutes, out))]
    return FINAL[env] if flag == FINAL_FIELDS else [flag]


def updates_of(env: str, minutes: float, out: Path) -> int:
    """The number of updates that the preset makes in this processor time."""
    with safe_open(trained(env, "preset", minutes, out), "numpy") as file:
        updates: int = json.loads(file.metadata()["notes"])["updates"]
    return updates


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
    updates = Config.preset(env).updates
    with_ = f"{simulations} simulations" if simulations else "policies alone"
    lines.append(
        f"\n{options or 'Default options'}; {with_}; {pairs} games a pair; a schedule of {updates:,} updates."
    )
    return "\n".join(lines)


def above_random(table: ludovec.Tournament, titles: dict[float, str]) -> list[tuple[float, float, float]]:
    """Minutes, Elo above `random`, and the margin of each network."""
    rows = {row.bot: row for row in table.standings}
    lowest = rows["random"].elo
    return [
        (minutes, max(0.0, rows[title].elo - lowest), rows[title].margin) for minutes, title in titles.items()
    ]


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
