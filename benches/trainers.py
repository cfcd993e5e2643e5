"""Runs the example of every trainer and prints its share of points: python benches/trainers.py [NAME ...]

Each example is a process of its own that learns with its default settings. A library that is not installed is
left out with a line that says so; an example that fails has the last line of its error in the table.
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
args = parser.parse_args()
if unknown := [name for name in args.names if name not in EXAMPLES]:
    parser.error(f"{unknown[0]}: one of {', '.join(EXAMPLES)} is allowed")
print("| library | version | example | share of points | minutes of processor time |\n|---|---|---|---|---|")
for name in args.names or EXAMPLES:
    module, package = EXAMPLES[name]
    if not installed(module):
        print(f"| {package} | not installed | `examples/{name}.py` | | |", flush=True)
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
    print(f"| {package} | {version} | `examples/{name}.py` | {told} | {minutes:.1f} |", flush=True)
print(time.strftime("\n%Y-%m-%d"))
