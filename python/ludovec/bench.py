"""What Python costs: ``python -m ludovec.bench [ENV ...] [--num-envs N] [--threads T] [--seconds S]``.

The same work three ways in one process, in turns, so that a busy machine slows all of them alike:

* native: the engine samples, steps, resets and writes masks and observations, without Python in between;
* stepped: the same, with one ``env.step_sampled()`` a step: infos, views and all;
* played: ``env.step(env.sample_actions())``, as a training loop does, with actions that travel through Python
  and are checked.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from statistics import median

import ludovec

#: Length of one turn in seconds: many steps, yet short against what else a machine does.
TURN = 0.1


def rate(step: Callable[[], object], games: int) -> float:
    """Decisions a second over one turn."""
    steps, start = 0, time.perf_counter()
    while (passed := time.perf_counter() - start) < TURN:
        step()
        steps += 1
    return steps * games / passed


def measure(
    id: str, num_envs: int, threads: int | None, seconds: float, mask: str = "bits"
) -> dict[str, float]:
    """Median decisions a second of each way, and what Python adds to a native step, in percent."""
    env = ludovec.make(id, num_envs, num_threads=threads, mask=mask)
    env.step_sampled(200)
    # One native call takes about a turn, so that nothing of Python is in it.
    start = time.perf_counter()
    env._core.step_sampled(10)
    batch = max(1, round(10 * TURN / (time.perf_counter() - start)))
    ways = {
        "native": lambda: rate(lambda: env._core.step_sampled(batch), num_envs * batch),
        "stepped": lambda: rate(env.step_sampled, num_envs),
        "played": lambda: rate(lambda: env.step(env.sample_actions()), num_envs),
    }
    rates: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(max(3, round(seconds / TURN / len(ways)))):
        for way, turn in ways.items():
            rates[way].append(turn())
    result = {way: median(values) for way, values in rates.items()}
    for way in ("stepped", "played"):
        # Neighbouring turns are compared: what slows one slows the other.
        result[f"{way}_overhead"] = 100 * (median(n / w for n, w in zip(rates["native"], rates[way])) - 1)
    return result


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m ludovec.bench", description=__doc__.splitlines()[0])
    parser.add_argument("envs", nargs="*", metavar="ENV", help="environments; all by default")
    parser.add_argument("--num-envs", type=int, default=4096)
    parser.add_argument("--threads", type=int, help="all cores by default")
    parser.add_argument("--seconds", type=float, default=6.0, help="an environment")
    parser.add_argument("--mask", choices=["bits", "bytes"], default="bits")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    results = {}
    if not args.json:
        print(f"{args.num_envs} games, decisions a second\n")
        print("environment          native     stepped      played   stepped    played")
    for id in args.envs or ludovec.list_envs():
        r = results[id] = measure(id, args.num_envs, args.threads, args.seconds, args.mask)
        if not args.json:
            rates = "".join(f"{r[way]:>12,.0f}" for way in ("native", "stepped", "played"))
            print(f"{id:<15}{rates}{r['stepped_overhead']:>+9.1f}%{r['played_overhead']:>+9.1f}%", flush=True)
    if args.json:
        print(json.dumps(results))


if __name__ == "__main__":
    main()
