"""Random calls of the package from four threads at once, with faulthandler; also checks for memory leaks.

    python python/tests/stress.py [--minutes 60] [--leaks]

A call may be refused with an error of the package. Any other exception and a crash are failures. Prints the
number of calls of each kind.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import gc
import itertools
import os
import pickle
import random
import sys
import threading
import time
import traceback
from collections import Counter

import ludovec
import numpy as np

THREADS = 4
"""Threads that call."""

FORMATS = ("u8", "f32", "packed", "none")
MODES = ("same_step", "next_step", "disabled")


class Shared:
    """The objects that all threads call, and may replace at any time."""

    def __init__(self, seed):
        rng = random.Random(seed)
        self.envs = [make(rng) for _ in range(6)]
        self.games = [ludovec.Game(rng.choice(ludovec.list_envs()), seed=n) for n in range(6)]
        self.searches = [searched(rng, env) for env in self.envs[:2]]
        self.states = [env.get_state() for env in self.envs]


def make(rng):
    """A batch of a random environment in a random format."""
    return ludovec.make(
        rng.choice(ludovec.list_envs()),
        rng.choice((1, 3, 70)),
        num_threads=rng.choice((1, 2)),
        seed=rng.randrange(9),
        autoreset=rng.choice(MODES),
        obs=rng.choice(FORMATS),
        mask=rng.choice(("bits", "bytes")),
        max_steps=rng.choice((5, 60)),
    )


def searched(rng, env):
    """A search over a batch."""
    return ludovec.TreeSearch(env, simulations=4, method=rng.choice(("gumbel", "puct")), value="seats")


def any_actions(rng, env):
    """Actions of random shape and type; most are illegal."""
    count = rng.choice((env.num_envs, env.num_envs, 1, 0))
    actions = np.random.default_rng(rng.randrange(99)).integers(-1, 300, count)
    return rng.choice(
        (actions, actions.astype(np.int32), actions.tolist(), actions[::-1], actions.astype(np.int16))
    )


def some(rng, env):
    """Game indices; in rare cases one is too large."""
    return [rng.randrange(env.num_envs + (rng.random() < 0.05)) for _ in range(rng.randrange(4))]


def refill(rng, env):
    """Writes to the arrays of a batch that another thread may be stepping."""
    array = rng.choice((env.observations, env.final_scores))
    if array.size and array.flags.writeable:
        array.reshape(-1)[: rng.randrange(array.size) + 1] = rng.randrange(200)


def replace(rng, items, new):
    """Replaces one of the items, which other threads may be using."""
    items[rng.randrange(len(items))] = new


def values(search, rows):
    """Values of a dummy network (0) for this many leaves."""
    return np.zeros((rows, search.env.final_scores.shape[1]), np.float32)


def expand(rng, search):
    """Expands the leaves of a search, sometimes with the wrong number of values."""
    rows = search.select()
    search.expand(None, values(search, rows + (rng.random() < 0.1)))


def moved(search):
    """Runs a search, plays its actions in the batch, and moves the roots."""
    search.start()
    while rows := search.select():
        search.expand(None, values(search, rows))
    actions = search.actions
    search.env.step(actions)
    search.advance(actions)


def played(rng, game):
    """Plays a random action of a game."""
    legal = game.legal_actions()
    game.step(rng.choice(legal) if len(legal) and rng.random() < 0.9 else rng.randrange(400))


CALLS = {
    "step_sampled": lambda r, s: r.choice(s.envs).step_sampled(r.randrange(4)),
    "sample and step": lambda r, s: (lambda env: env.step(env.sample_actions()))(r.choice(s.envs)),
    "step with anything": lambda r, s: (lambda env: env.step(any_actions(r, env)))(r.choice(s.envs)),
    "step_games": lambda r, s: (lambda env: env.step_games(some(r, env), some(r, env)))(r.choice(s.envs)),
    "reset": lambda r, s: r.choice(s.envs).reset(seed=r.choice((None, 3))),
    "bot_actions": lambda r, s: r.choice(s.envs).bot_actions(r.choice(("random", "greedy", "no bot"))),
    "action_masks": lambda r, s: r.choice(s.envs).action_masks().sum(),
    "write arrays": lambda r, s: refill(r, r.choice(s.envs)),
    "get_state": lambda r, s: replace(r, s.states, r.choice(s.envs).get_state()),
    "set_state": lambda r, s: r.choice(s.envs).set_state(None, r.choice(s.states)),
    "fork": lambda r, s: (lambda env: env.fork(some(r, env)[:1], some(r, env)))(r.choice(s.envs)),
    "determinize": lambda r, s: r.choice(s.envs).determinize(None, r.choice((None, 0, 9)), 4),
    "send": lambda r, s: (lambda env: env.send(env.sample_actions()))(r.choice(s.envs)),
    "recv": lambda r, s: r.choice(s.envs).recv(),
    "copy": lambda r, s: replace(r, s.envs, copy.deepcopy(r.choice(s.envs))),
    "pickle": lambda r, s: replace(r, s.envs, pickle.loads(pickle.dumps(r.choice(s.envs)))),
    "close": lambda r, s: r.choice(s.envs).close(),
    "make": lambda r, s: replace(r, s.envs, make(r)),
    "game of a batch": lambda r, s: replace(r, s.games, r.choice(s.envs).game(0)),
    "game": lambda r, s: replace(
        r, s.games, ludovec.Game(r.choice(ludovec.list_envs()), seed=r.randrange(9))
    ),
    "game.step": lambda r, s: played(r, r.choice(s.games)),
    "game.undo": lambda r, s: r.choice(s.games).undo(),
    "game.clone": lambda r, s: replace(r, s.games, r.choice(s.games).clone()),
    "game.to_svg": lambda r, s: r.choice(s.games).to_svg(),
    "game.to_json": lambda r, s: r.choice(s.games).to_json(),
    "search": lambda r, s: replace(r, s.searches, searched(r, r.choice(s.envs))),
    "search.start": lambda r, s: r.choice(s.searches).start(),
    "search.expand": lambda r, s: expand(r, r.choice(s.searches)),
    "search.advance": lambda r, s: moved(r.choice(s.searches)),
    "search.tree": lambda r, s: r.choice(s.searches).tree_json(0),
    "collect": lambda r, s: gc.collect(0),
}
"""Calls of threads, by name."""

HEAVY = {"make", "copy", "pickle", "game.to_svg", "bot_actions", "search", "close", "send"}
"""Calls that take long or leave few objects to call: one call in eight."""


def run(seconds, seed=0):
    """Calls from all threads for this many seconds; returns the counts of calls, and the failures."""
    shared = Shared(seed)
    made, refused, wrong = Counter(), Counter(), []
    end = time.monotonic() + seconds

    def work(number):
        rng = random.Random(f"{seed} {number}")
        names = list(CALLS)
        while time.monotonic() < end and not wrong:
            name = rng.choice(names)
            if name in HEAVY and rng.random() < 0.875:
                continue
            try:
                CALLS[name](rng, shared)
                made[name] += 1
            except (ludovec.LudovecError, ValueError, TypeError):
                # Errors of the package and NumPy for invalid calls, and for calls during another thread's.
                refused[name] += 1
            except BaseException:
                wrong.append(f"{name}: {traceback.format_exc()}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return made, refused, wrong


def resident():
    """Resident memory of the process in bytes."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def leaks(calls, env_id):
    """Repeats calls of each kind; returns the growth of memory over the second half in bytes."""
    env = ludovec.make(env_id, 4, num_threads=1, seed=1)
    game = ludovec.Game(env_id, seed=1)
    kinds = {
        "step": lambda: env.step(env.sample_actions()),
        "reset": lambda: env.reset(seed=1),
        "state": lambda: env.set_state(None, env.get_state()),
        "clone": game.clone,
        "make": lambda: ludovec.make(env_id, 4, num_threads=1, seed=1),
        "search": lambda: ludovec.TreeSearch(env, simulations=2, value="seats").start(),
    }
    cheap = {"step", "reset", "clone"}
    found = {}
    for name, call in kinds.items():
        count = calls if name in cheap else max(calls // 100, 20)
        for _ in itertools.repeat(None, count // 2):
            call()
        gc.collect()
        before = resident()
        for _ in itertools.repeat(None, count - count // 2):
            call()
        gc.collect()
        found[name] = (count, resident() - before)
    return found


def main():
    """Runs for some minutes, or checks for leaks."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--leaks", action="store_true", help="look for leaks over 10^6 calls instead")
    parser.add_argument("--env", help="look for leaks in one environment alone")
    parser.add_argument("--calls", type=int, default=1_000_000, help="calls of a kind, with --leaks")
    given = parser.parse_args()
    if given.leaks:
        bad = False
        for env_id in [given.env] if given.env else ludovec.list_envs():
            for name, (count, growth) in leaks(given.calls, env_id).items():
                # Allocators keep some pages; a real leak is more than a byte per call.
                leaking = growth > max(2 << 20, count)
                bad |= leaking
                verdict = "  LEAK" if leaking else ""
                print(f"{env_id:14} {name:7} {count:>8} calls: {growth / 1024:8.0f} KiB{verdict}", flush=True)
        return int(bad)
    begun = time.monotonic()
    made, refused, wrong = run(60 * given.minutes, given.seed)
    for name in CALLS:
        print(f"{name:20} {made[name]:>9} made {refused[name]:>9} refused")
    print(
        f"{made.total() + refused.total()} calls from {THREADS} threads in {time.monotonic() - begun:.0f} s"
    )
    for what in wrong:
        print(what, file=sys.stderr)
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
