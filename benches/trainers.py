"""Runs the example of every trainer and prints its share of points: python benches/trainers.py [NAME ...]

Each example is a process of its own that learns with its default settings. A library that is not installed
is left out with a line that says so; an example that fails has the last line of its error in the table.
`--write` brings the rows of a page up to date: libraries that exclude each other need several environments.
"""

import argparse
import importlib.metadata
import importlib.util
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import figures

#: Examples with the module and the package of their library.
EXAMPLES = {
    "train_sb3": ("sb3_contrib", "sb3-contrib"),
    "train_rllib": ("ray.rllib", "ray"),
    "train_cleanrl": ("torch", "torch"),
    "train_skrl": ("skrl", "skrl"),
    "train_tianshou": ("tianshou", "tianshou"),
    "train_torchrl": ("torchrl", "torchrl"),
    "train_pufferlib": ("pufferlib", "pufferlib-core"),
    "train_jax": ("flax", "jax"),
    "train_cloning": ("pyarrow", "torch"),
    "train_openspiel": ("pyspiel", "open-spiel"),
    "train_lightzero": ("lzero", "LightZero"),
    "dqn_selfplay": ("torch", "torch"),
}
FOLDER = Path(__file__).parents[1] / "examples"


def installed(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("names", nargs="*", metavar="NAME", help=f"examples: {', '.join(EXAMPLES)}")
parser.add_argument("--minutes", type=float, default=30.0, help="most minutes of each example")
parser.add_argument("--write", type=Path, help="write the rows into this page, too, between its marks")
args = parser.parse_args()
if unknown := [name for name in args.names if name not in EXAMPLES]:
    parser.error(f"{unknown[0]}: one of {', '.join(EXAMPLES)} is allowed")
HEAD = [
    "| library | version | example | share of points | minutes of processor time | date |",
    "|---|---|---|---|---|---|",
]
rows = {}
if args.write:
    for line in args.write.read_text(encoding="utf-8").splitlines():
        if found := re.search(r"^\|.*`examples/(\w+)\.py` \|.*\|.*\|.*\|$", line):
            rows[found[1]] = line
print("\n".join(HEAD), flush=True)
for name in args.names or EXAMPLES:
    module, package = EXAMPLES[name]
    if not installed(module):
        print(f"| {package} | not installed | `examples/{name}.py` | | | |", flush=True)
        continue
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        command = [sys.executable, FOLDER / f"{name}.py"]
        done = subprocess.Popen(command, stdout=-1, stderr=-1, text=True, start_new_session=True)
        printed, errors = done.communicate(timeout=60 * args.minutes)
        shares = re.findall(r"share of points(.*): ([\d.]+) %", printed)
        told = ", ".join(f"{share} %{which}" for which, share in shares)
        if done.returncode or not shares:
            told = "failed: " + (errors.strip() or "no share of points").splitlines()[-1][:200]
    except subprocess.TimeoutExpired:
        # The example's own workers, too.
        os.killpg(done.pid, signal.SIGKILL)
        done.communicate()
        told = f"no result after {args.minutes:g} minutes"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    minutes = (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) / 60
    version = importlib.metadata.version(package)
    rows[name] = (
        f"| {package} | {version} | `examples/{name}.py` | {told} | {minutes:.1f} | {time.strftime('%F')} |"
    )
    print(rows[name], flush=True)
    if args.write:
        shown = [rows[name] for name in EXAMPLES if name in rows]
        figures.write(args.write, "benches/trainers.py", "\n".join([*HEAD, *shown]))
