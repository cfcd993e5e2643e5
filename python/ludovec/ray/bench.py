"""Overhead of a cluster: ``python -m ludovec.ray.bench [ENV] [--policy NAME] [--search N] [--obs
u8|packed]``.

All ways run on this machine, in short alternating turns:

* native: the same policy plays on one thread of one process, and masks and observations are written;
* 1 worker, 2 workers: decisions that :class:`ludovec.ray.SelfPlay` delivers to the learner, with all columns
  and complete observations. Policy ``"random"`` is the worst case.

Rates are per wall-clock second and per processor second (of the engine's thread, of the workers' processes);
the latter hardly depend on other load. Then come latencies: from publishing weights to the first rollout
fragment played with them, and from killing a worker to the next fragment of its shard and to its restart. A
model of larger clusters is derived from the measurements.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import ludovec

from .._shared.extras import extra
from .self_play import SelfPlay, row_bytes

with extra("ray"):
    import ray

#: Length of a turn in seconds.
TURN = 1.0
#: Model: bandwidth of the learner's network and object store in bytes per second.
NETWORKS = {"10 Gbit/s": 1.25e9, "100 Gbit/s": 12.5e9}
#: Model: workers per node.
CORES = 64


def native(env: ludovec.VectorEnv, play: Callable[[], int], seconds: float) -> tuple[float, float]:
    """Decisions per second in this process, by wall clock and by processor time."""
    steps, began, used = 0, time.perf_counter(), time.process_time()
    while (taken := time.perf_counter() - began) < seconds:
        steps += play()
    decisions = steps * env.num_envs
    return decisions / taken, decisions / (time.process_time() - used)


def player(env: ludovec.VectorEnv, policy: str, simulations: int | None) -> Callable[[], int]:
    """A function that plays some decisions in every game and returns their number."""
    if simulations is not None:
        search = ludovec.TreeSearch(env, simulations, value="seats", num_threads=1)
        network = ludovec.Network(policy.removeprefix("net:"), env, num_threads=1)

        def searched() -> int:
            search.start()
            env._core.step(search.run(network))
            return 1

        return searched
    if policy == "random":

        def sampled() -> int:
            env._core.step_sampled(16)
            return 16

        return sampled

    def decided() -> int:
        env._core.step(env.bot_actions(policy))
        return 1

    return decided


def processor_time(self_play: SelfPlay) -> float:
    """Processor seconds used by the workers, which run on this machine."""
    ticks = 0
    for worker in self_play.workers():
        # After the name, which may contain spaces, come state and ids; user and system time are fields 14 and
        # 15.
        fields = Path(f"/proc/{worker['pid']}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def settle(self_play: SelfPlay) -> None:
    """Waits for one fragment of every shard, so that the workers are idle and the cores are free for the next
    measurement."""
    calls = [progress.call[0] for progress in self_play._shards if progress.call is not None]
    ray.wait(calls, num_returns=len(calls))


def delivered(self_play: SelfPlay, seconds: float) -> tuple[float, float, float]:
    """Delivered decisions per second, by wall clock and by the workers' processor time; bytes per second.

    One fragment of every shard waits before and after, so that as much is played as is delivered."""
    before, began, used = dict(self_play.stats), time.perf_counter(), processor_time(self_play)
    while time.perf_counter() - began < seconds:
        for column in next(self_play).columns.values():
            # A learner reads its data.
            column.reshape(-1)[:: 4096 // column.itemsize].max()
    settle(self_play)
    taken = time.perf_counter() - began
    used = processor_time(self_play) - used
    decisions, bytes_ = (self_play.stats[name] - before[name] for name in ("decisions", "bytes"))
    return decisions / taken, decisions / max(used, 0.01), bytes_ / taken


def latency(self_play: SelfPlay, megabytes: int) -> float:
    """Seconds from publishing weights to the first fragment played with them."""
    weights = {"w": np.random.default_rng(0).random(megabytes << 17)}
    next(self_play)
    began = time.perf_counter()
    version = self_play.publish(weights)
    while next(self_play).version < version:
        pass
    return time.perf_counter() - began


def restart(self_play: SelfPlay) -> tuple[float, float]:
    """Seconds from the death of a worker to the next fragment of its shards, and to its restart."""
    before = {worker["pid"] for worker in self_play.workers()}
    victim = self_play.workers()[0]["pid"]
    replayed, began = self_play.stats["replayed"], time.perf_counter()
    os.kill(victim, signal.SIGKILL)
    lost: int | None = None
    again = up = 0.0
    while not (again and up):
        if lost is None and self_play.stats["replayed"] > replayed:
            lost = next(shard for shard, progress in enumerate(self_play._shards) if progress.failures)
        fragment = next(self_play)
        now = time.perf_counter() - began
        again = again or (now if fragment.shard == lost else 0.0)
        up = up or (now if {worker["pid"] for worker in self_play.workers()} - before else 0.0)
    return again, up


def model(worker_rate: float, decision: int) -> list[dict[str, Any]]:
    """Clusters of 8 to 1,000 nodes, extrapolated from one worker: the rate of all workers, and the rate that
    the network of one learner can take."""
    rows = []
    for nodes in (8, 64, 256, 1000):
        supply = nodes * CORES * worker_rate
        limits = {f"through {name}": round(rate / decision) for name, rate in NETWORKS.items()}
        rows.append({"nodes": nodes, "workers could deliver": round(supply), **limits})
    return rows


def measure(args: argparse.Namespace) -> dict[str, Any]:
    """All results, by name."""
    arguments: Any = {"obs": args.obs, "players": 2} if args.env != "chess" else {"obs": args.obs}
    if "players" not in ludovec.spec(args.env).options:
        arguments.pop("players", None)
    env = ludovec.make(args.env, args.games, num_threads=1, mask="bits", **arguments)
    env.reset(seed=0)
    play = player(env, args.policy, args.search)
    native(env, play, TURN)
    search = None if args.search is None else {"simulations": args.search}
    arguments |= {"policy": args.policy, "search": search, "steps": args.steps}
    fleets = {k: SelfPlay(args.env, k, args.games // k, **arguments) for k in (1, 2)}
    for self_play in fleets.values():
        for _ in self_play._shards:
            next(self_play)
        settle(self_play)
    times: dict[str, list[float]] = defaultdict(list)
    for _ in range(args.turns):
        for name, rate in zip(("native", "native by processor"), native(env, play, TURN)):
            times[name].append(rate)
        for k, self_play in fleets.items():
            names = str(k), f"{k} by processor", f"bytes {k}"
            for name, rate in zip(names, delivered(self_play, TURN)):
                times[name].append(rate)
    result = {
        "env": args.env,
        "obs": args.obs,
        "policy": args.policy,
        "games": args.games,
        "bytes_per_decision": row_bytes(env.game_spec, args.obs),
        **{name: median(rates) for name, rates in times.items()},
        **{
            f"ratio {k}{by}": median(a / b for a, b in zip(times[f"{k}{by}"], times[f"native{by}"]))
            for k in (1, 2)
            for by in ("", " by processor")
        },
        "fragment_seconds": args.steps * args.games / 2 / median(times["1"]),
        "weights_seconds": {f"{mb} MB": median(latency(fleets[2], mb) for _ in range(5)) for mb in (1, 32)},
    }
    result["restart_seconds"] = dict(zip(("shard goes on", "worker is up"), restart(fleets[2])))
    # The rate of a worker with a core of its own.
    result["model"] = model(median(times["1 by processor"]), result["bytes_per_decision"])
    for self_play in fleets.values():
        self_play.close()
    return result


def main() -> None:
    """Measures and prints a table."""
    parser = argparse.ArgumentParser(
        prog="python -m ludovec.ray.bench", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("env", nargs="?", default="smallworld", choices=ludovec.list_envs())
    parser.add_argument("--policy", default="random", help="a player, for example greedy or net:FILE")
    parser.add_argument(
        "--search", type=int, metavar="N", help="simulations per move, with the policy as network"
    )
    parser.add_argument("--games", type=int, default=1024, help="parallel games of all workers")
    parser.add_argument("--steps", type=int, default=32, help="decisions per game in a fragment")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--obs", choices=["u8", "packed", "none"], default="u8")
    parser.add_argument("--address", help="address of a cluster; default: start one on this machine")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    # More workers than cores are acceptable.
    started = {} if args.address else {"num_cpus": max(4, os.cpu_count() or 1), "include_dashboard": False}
    ray.init(address=args.address, log_to_driver=False, **started)
    result = measure(args)
    if args.json:
        print(json.dumps(result))
        return
    decision = result["bytes_per_decision"]
    print(f"{args.env}, {args.games} games, {args.policy}, {args.obs}: {decision} bytes per decision")
    alone = result["native by processor"]
    print(f"native, one thread   {result['native']:>12,.0f} decisions/s, {alone:,.0f} per processor second")
    for k in ("1", "2"):
        print(
            f"{k} worker{'s' if k > '1' else ' '}            {result[k]:>12,.0f} decisions/s  "
            f"{100 * result['ratio ' + k]:5.1f} % of native, "
            f"{100 * result[f'ratio {k} by processor']:5.1f} % by processor time  "
            f"{result['bytes ' + k] / 1e6:8,.0f} MB/s"
        )
    print(f"a fragment of a worker takes {1e3 * result['fragment_seconds']:.1f} ms")
    for size, seconds in result["weights_seconds"].items():
        print(f"weights of {size}: {1e3 * seconds:.1f} ms to the first fragment played with them")
    for what, seconds in result["restart_seconds"].items():
        print(f"after a kill: {seconds:.2f} s until the {what}")
    for row in result["model"]:
        print("  ".join(f"{name}: {value:,}" for name, value in row.items()))


if __name__ == "__main__":
    main()
