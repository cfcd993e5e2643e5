"""Overhead of Python and shared memory: ``python -m ludovec.envs.bench [ENV ...]``.

All ways step the same games in short alternating turns. "native" is the fastest tenth of its turns, because
other load only slows a turn down; the other ways are that time multiplied by the median ratio of their turns
to the native turns.

* native: the engine samples, steps, resets and writes masks and observations, without Python in between, as
  in ``ludovec bench``;
* python: ``env.step(env.sample_actions())``, as in a training loop, with infos, views and action checks;
* attached: the same with games of a fleet, in a separate process with the same number of threads.

With ``--num-envs 64 --threads 1`` the difference is one round trip per small block.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import truediv
from statistics import median, quantiles

import ludovec

from ..typing import EnvId, MaskFormat

#: Length of a turn in seconds: several steps, but shorter than a time slice of the scheduler.
TURN = 0.02
#: Steps before the first turn, so that games are at different stages.
WARM_UP = 200

WAYS = ("native", "python", "attached")


@contextmanager
def fleet(id: str, num_envs: int, threads: int, mask: str) -> Iterator[str]:
    """A fleet in a separate process; yields its name."""
    name = f"bench-{os.getpid()}"
    code = (
        f"import ludovec, sys; fleet = ludovec.serve({id!r}, {name!r}, {num_envs}, num_threads={threads}, "
        f"mask={mask!r}); print(flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None and process.stdout is not None
    try:
        process.stdout.readline()
        yield name
    finally:
        process.stdin.close()
        process.wait()


def seconds(call: Callable[[], object]) -> float:
    """Duration of a call in seconds."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def measure(id: EnvId, num_envs: int, threads: int, budget: float, mask: MaskFormat) -> dict[str, float]:
    """Seconds per step of each way."""
    native, python = (ludovec.make(id, num_envs, num_threads=threads, mask=mask) for _ in range(2))
    with fleet(id, num_envs, threads, mask) as name:
        attached = ludovec.attach(name)
        # All ways step the same games: the cost of a step depends on the stage of a game.
        for games in (native, python, attached):
            games.reset(seed=0)
            for _ in range(WARM_UP):
                games.step(games.sample_actions())
        steps = max(1, round(TURN / min(seconds(native.step_sampled) for _ in range(20))))
        for games in (python, attached):
            for _ in range(20):
                games.step(games.sample_actions())

        def play(games: ludovec.VectorEnv) -> None:
            for _ in range(steps):
                games.step(games.sample_actions())

        turns: dict[str, Callable[[], object]] = {
            # A single call, without Python per step.
            "native": lambda: native._core.step_sampled(steps),
            "python": lambda: play(python),
            "attached": lambda: play(attached),
        }
        times: dict[str, list[float]] = {way: [] for way in WAYS}
        for _ in range(max(3, round(budget / TURN / len(WAYS)))):
            for way, turn in turns.items():
                times[way].append(seconds(turn) / steps)
        attached.close()
    best = quantiles(times["native"], n=10, method="inclusive")[0]
    return {way: best * median(map(truediv, times[way], times["native"])) for way in WAYS}


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(
        prog="python -m ludovec.envs.bench", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("envs", nargs="*", metavar="ENV", help="environments; default: all")
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=9.0, help="per environment")
    parser.add_argument("--mask", choices=["bits", "bytes"], default="bits")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results = {}
    if not args.json:
        print(f"{args.num_envs} games, {args.threads} threads; decisions per second, overhead per step\n")
        print(f"{'environment':<15}{'native':>12}{'python':>12}{'':20}{'attached':>12}")
    for id in args.envs or ludovec.list_envs():
        times = results[id] = measure(id, args.num_envs, args.threads, args.seconds, args.mask)
        if not args.json:
            native = times["native"]
            line = f"{id:<15}{args.num_envs / native:>12,.0f}"
            for way in WAYS[1:]:
                more = f"{100 * (times[way] / native - 1):+.1f}% {1e6 * (times[way] - native):+.1f} us"
                line += f"{args.num_envs / times[way]:>12,.0f}{more:>20}"
            print(line, flush=True)
    if args.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
