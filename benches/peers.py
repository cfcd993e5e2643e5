"""Compares other libraries with this one: python benches/peers.py; `make bench-peers` installs them.

Chess: sample a legal action uniformly, step, reset finished games, get observation and mask of the next
player, with the interface of each library. Then tree search with a dummy network (uniform policy, value 0).
Then chess with actions that are chosen outside the library, in jitted loops and in NumPy, and random play of
Blokus. The libraries take turns in short slices, so that a slow phase of the machine
affects all of them; the median slice counts. Each library has its own process: a slow one gets fewer slices,
one that hangs or crashes is reported, and the run ends in time.
"""

import argparse
import functools
import importlib.metadata
import json
import multiprocessing
import os
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import ludovec
import numpy as np

#: PyPI names of the libraries, installed one by one so that a failure does not affect the others.
PEERS = ("envpool", "pgx", "open-spiel", "mctx", "reinfors", "blokus-rl")
REASONS = Path(sys.prefix) / "peers.json"
SIMULATIONS = 64
#: Steps of a jitted loop.
JAX_STEPS = 16


def install():
    """Installs the peers into this environment; saves the reasons of failures for the table."""
    reasons = {}
    for peer in PEERS:
        call = [sys.executable, "-m", "pip", "install", "--quiet", peer]
        done = subprocess.run(call, capture_output=True, text=True)
        if done.returncode:
            lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            reasons[peer] = lines[0] if lines else f"pip ended with {done.returncode}"
            print(f"{peer}: {reasons[peer]}")
    REASONS.write_text(json.dumps(reasons))


# A maker returns `work()`, which does some work and returns its amount: decisions, or simulations.


def ludovec_chess(games, threads):
    env = ludovec.make("chess", games, num_threads=threads, mask="bytes")
    env.reset(seed=0)

    def work():
        env.step(env.sample_actions())
        return games

    return work


def envpool_chess(games, threads):
    import envpool

    (task, *_) = [task for task in envpool.list_all_envs() if task.lower().startswith("chess")]
    env = envpool.make_gymnasium(task, num_envs=games, num_threads=threads, seed=0)
    shown, info = env.reset()
    rng = np.random.default_rng(0)

    def mask():
        for place in (info, shown if isinstance(shown, dict) else {}):
            for name in ("legal_action_mask", "action_mask", "legal_actions_mask"):
                if name in place:
                    return np.asarray(place[name]).astype(bool).reshape(len(info["env_id"]), -1)
        raise RuntimeError(f"{task} shows no mask: {sorted(info)}")

    def work():
        nonlocal shown, info
        legal = mask()
        # Index of the k-th legal action, for a uniform k.
        counts = legal.cumsum(axis=1)
        wanted = 1 + (rng.random(len(legal)) * counts[:, -1]).astype(int)
        actions = (counts >= wanted[:, None]).argmax(axis=1).astype(np.int32)
        shown, _, _, _, info = env.step(actions, info["env_id"])
        return len(actions)

    return work


def jax_work(env, play, games, done):
    """Plays from the initial positions; a call makes `done` decisions or simulations per game."""
    import jax

    state = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games))
    count = 0

    def work():
        nonlocal state, count
        state, count = play(state, jax.random.key(count)), count + 1
        jax.block_until_ready(state)
        return games * done

    return work


def pgx_chess(games, threads, draws=True):
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("chess")
    step = auto_reset(env.step, env.init)

    @jax.jit
    def play(state, key):
        first, second = jax.random.split(key)
        mask = state.legal_action_mask
        if draws:
            actions = jax.random.categorical(first, jax.numpy.where(mask, 0.0, -1e9), axis=1)
        else:
            actions = legal_from(jax.numpy, mask, drawn_by_jax(first, mask.shape))
        return jax.vmap(step)(state, actions, jax.random.split(second, games))

    return jax_work(env, play, games, 1)


def legal_from(array, mask, first):
    """The first legal action from a random index on, cyclically: cheap for every library."""
    late = mask & (array.arange(mask.shape[1]) >= first[:, None])
    return array.where(late.any(axis=1), late.argmax(axis=1), mask.argmax(axis=1))


def drawn_by_jax(key, shape):
    import jax

    return jax.random.randint(key, shape[:1], 0, shape[1])


def ludovec_in_jax(games, threads, kind):
    """Chess in a jitted loop: custom calls of XLA (`compiled`), or callbacks (`functions`)."""
    import jax
    import ludovec.adapters.jax

    env = ludovec.make("chess", games, num_threads=threads, mask="bits")
    reset, step = getattr(ludovec.jax, kind)(env)

    @jax.jit
    def play(now, key):
        def move(now, key):
            actions = legal_from(jax.numpy, now.action_mask, drawn_by_jax(key, now.action_mask.shape))
            return step(now, actions) if kind == "compiled" else step(actions), None

        return jax.lax.scan(move, now, jax.random.split(key, JAX_STEPS))[0]

    now, count = jax.jit(reset)(0), 0

    def work():
        nonlocal now, count
        now, count = play(now, jax.random.key(count)), count + 1
        jax.block_until_ready(now)
        return games * JAX_STEPS

    return work


def ludovec_drawn_in_numpy(games, threads):
    """Chess with actions that NumPy draws from the mask."""
    env = ludovec.make("chess", games, num_threads=threads, mask="bytes")
    env.reset(seed=0)
    rng = np.random.default_rng(0)

    def work():
        mask = env.action_mask.view(np.bool_)
        env.step(legal_from(np, mask, rng.integers(mask.shape[1], size=games, dtype=np.int32)))
        return games

    return work


def open_spiel_chess(games, threads):
    import pyspiel

    game = pyspiel.load_game("chess")
    rng = random.Random(0)
    states = [game.new_initial_state() for _ in range(min(games, 64))]

    def work():
        for i, state in enumerate(states):
            state.apply_action(rng.choice(state.legal_actions()))
            if state.is_terminal():
                states[i] = state = game.new_initial_state()
            np.asarray(state.observation_tensor(state.current_player()), np.float32)
            state.legal_actions_mask()
        return len(states)

    return work


def reinfors_chess(games, threads):
    import reinfors

    envs = [reinfors.Env(reinfors.games.Chess(), seed=i) for i in range(min(games, 64))]
    for env in envs:
        env.reset()
    actions = envs[0].action_count()
    rng = random.Random(0)

    def work():
        for env in envs:
            (player,) = env.active_agents()
            env.step({player: rng.choice(env.legal_actions(player))})
            if env.done():
                env.reset()
            (player,) = env.active_agents()
            env.observe(player)
            mask = np.zeros(actions, bool)
            mask[env.legal_actions(player)] = True
        return len(envs)

    return work


def ludovec_search(games, threads):
    env = ludovec.make("chess", games, num_threads=threads)
    env.reset(seed=0)
    search = ludovec.TreeSearch(env, simulations=SIMULATIONS, num_threads=threads)
    logits = np.zeros((games, env.game_spec.num_actions), np.float32)
    values = np.zeros(games, np.float32)
    search.start()

    def work():
        search.run(lambda observations, bits: (logits[: len(observations)], values[: len(observations)]))
        actions = search.actions
        env.step(actions)
        search.advance(actions)
        return games * SIMULATIONS

    return work


def mctx_search(games, threads):
    import jax
    import mctx
    import pgx

    games = min(games, 64)
    env = pgx.make("chess")
    width = env.num_actions

    def grow(_, key, actions, state):
        mover = state.current_player
        state = jax.vmap(env.step)(state, actions)
        reward = state.rewards[jax.numpy.arange(games), mover]
        over = state.terminated | state.truncated
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        discount = jax.numpy.where(over, 0.0, -1.0)
        return mctx.RecurrentFnOutput(
            reward=reward, discount=discount, prior_logits=logits, value=jax.numpy.zeros(games)
        ), state

    @jax.jit
    def play(state, key):
        root = mctx.RootFnOutput(
            prior_logits=jax.numpy.zeros((games, width)), value=jax.numpy.zeros(games), embedding=state
        )
        invalid = ~state.legal_action_mask
        found = mctx.gumbel_muzero_policy(None, key, root, grow, SIMULATIONS, invalid_actions=invalid)
        return jax.vmap(env.step)(state, found.action)

    return jax_work(env, play, games, SIMULATIONS)


def open_spiel_search(games, threads):
    import pyspiel
    from open_spiel.python.algorithms import mcts

    class Nothing(mcts.Evaluator):
        """Uniform priors and value 0."""

        def evaluate(self, state):
            return np.zeros(2)

        def prior(self, state):
            legal = state.legal_actions()
            return [(action, 1 / len(legal)) for action in legal]

    game = pyspiel.load_game("chess")
    bot = mcts.MCTSBot(
        game, 1.25, SIMULATIONS, Nothing(), solve=False, child_selection_fn=mcts.SearchNode.puct_value
    )
    state = game.new_initial_state()

    def work():
        nonlocal state
        state.apply_action(bot.step(state))
        if state.is_terminal():
            state = game.new_initial_state()
        return SIMULATIONS

    return work


def reinfors_search(games, threads):
    import reinfors

    policy = reinfors.policies.AlphaZero(num_simulations=SIMULATIONS, noise=None)
    game, learner = reinfors.games.Chess(), reinfors.learners.AlphaZero()
    engine = reinfors.Engine(game, reinfors.Reward(), policy, learner, games, n_threads=threads)
    actions = reinfors.Env(game).action_count()
    leaves = 0

    def network(observations):
        nonlocal leaves
        leaves += len(observations)
        return np.zeros((len(observations), actions), np.float32), np.zeros(len(observations), np.float32)

    def work():
        # A simulation evaluates one leaf, unless it ends in a finished game.
        before = leaves
        engine.collect(1, network)
        return leaves - before

    return work


def ludovec_blokus(games, threads):
    env = ludovec.make("tilewe", games, num_threads=threads, mode="blokus", mask="bytes")
    env.reset(seed=0)

    def work():
        env.step(env.sample_actions())
        return games

    return work


def blokus_rl(games, threads):
    from blokus_rl import BlokusEnv

    env = BlokusEnv()
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    shown = env.observe(env.agent_selection)

    def work():
        nonlocal shown
        done = 0
        while done < 16:
            agent = env.agent_selection
            if env.terminations[agent]:
                # Its last turn is no decision.
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(shown["action_mask"]))))
                done += 1
            if not env.agents:
                env.reset()
            shown = env.observe(env.agent_selection)
        return done

    return work


WORK = {
    "chess: decisions a second": {
        "ludovec": ludovec_chess,
        "open-spiel": open_spiel_chess,
        "reinfors": reinfors_chess,
        "envpool": envpool_chess,
        "pgx": pgx_chess,
    },
    f"chess: simulations a second, {SIMULATIONS} a move": {
        "ludovec": ludovec_search,
        "open-spiel": open_spiel_search,
        "reinfors": reinfors_search,
        "mctx": mctx_search,
    },
    "chess: decisions a second, actions chosen from the mask by JAX or NumPy": {
        "ludovec": ludovec_drawn_in_numpy,
        "ludovec.jax.compiled": functools.partial(ludovec_in_jax, kind="compiled"),
        "ludovec.jax.functions": functools.partial(ludovec_in_jax, kind="functions"),
        "pgx": functools.partial(pgx_chess, draws=False),
    },
    "Blokus, four players: decisions a second": {"ludovec": ludovec_blokus, "blokus-rl": blokus_rl},
}


def slice_of(work, seconds):
    """Amount of `work` per second, over at least one call."""
    start, done = time.perf_counter(), 0
    while True:
        done += work()
        elapsed = time.perf_counter() - start
        if elapsed >= seconds:
            return done / elapsed


def serve(pipe, maker, games, threads):
    """Runs in a separate process: makes the work, then answers a duration with the amount per second."""
    try:
        work = maker(games, threads)
        # Compiles and maps pages.
        work()
        pipe.send(None)
        while True:
            pipe.send(slice_of(work, pipe.recv()))
    except EOFError:
        return
    except ImportError:
        pipe.send("not installed")
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}".splitlines()[0][:100])


class Contestant:
    """A library under measurement."""

    def __init__(self, maker, games, threads, limit):
        self.slices, self.longest = [], 0.0
        context = multiprocessing.get_context("spawn")
        self.pipe, there = context.Pipe()
        self.process = context.Process(target=serve, args=(there, maker, games, threads), daemon=True)
        self.process.start()
        there.close()
        #: The reason why it stopped, if it has.
        self.reason = self._answer(limit)

    def _answer(self, limit):
        """The answer of the process within `limit` seconds, or the reason why there is none."""
        try:
            return self.pipe.recv() if self.pipe.poll(limit) else f"not done within {limit:.0f} s"
        except EOFError:
            self.process.join()
            return f"its process ended with {self.process.exitcode}"

    def play(self, seconds, limit):
        """Measures one more slice; returns False if there is no time for it."""
        if self.reason or limit < self.longest:
            return False
        start = time.perf_counter()
        self.pipe.send(seconds)
        answer = self._answer(limit)
        self.longest = max(self.longest, time.perf_counter() - start)
        if isinstance(answer, str):
            self.reason = answer
            return False
        self.slices.append(answer)
        return True

    def end(self):
        """Median and number of the slices, or the reason why there are none."""
        self.process.kill()
        self.process.join()
        if not self.slices:
            return {"reason": self.reason or "no time was left"}
        return {"per_second": statistics.median(self.slices), "slices": len(self.slices)}


def measure(what, makers, args, limit):
    """For each library the median of its slices, or the reason why there is none, within `limit` seconds."""
    reasons = json.loads(REASONS.read_text()) if REASONS.exists() else {}
    began = time.perf_counter()

    def left():
        return max(0.0, began + limit - time.perf_counter())

    def tell(line):
        print(f"{limit - left():5.0f} s  {line}", file=sys.stderr, flush=True)

    tell(what)
    contestants = {}
    for place, (name, maker) in enumerate(makers.items()):
        # Two thirds of the time are for compilation; unused time goes to the others.
        share = max(0.0, left() - limit / 3) / (len(makers) - place)
        contestants[name] = Contestant(maker, args.games, args.threads, share)
        tell(f"{version(name)}: {contestants[name].reason or 'ready'}")
    for turn in range(args.rounds):
        for name, one in contestants.items():
            if one.play(args.seconds, left()):
                tell(f"{name}, slice {turn + 1} of {args.rounds}: {one.slices[-1]:,.0f} a second")
    found = {name: one.end() for name, one in contestants.items()}
    for name, row in found.items():
        if row.get("reason") == "not installed":
            row["reason"] = reasons.get(name, "not installed")
    return found


def version(name):
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError:
        return name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install the other libraries, measure nothing")
    parser.add_argument(
        "--games", type=int, default=1024, help="parallel games, for libraries with this setting"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="for libraries with this setting")
    parser.add_argument("--seconds", type=float, default=1.0, help="per slice")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=8.0, help="total time")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    if args.install:
        return install()
    limit = args.minutes * 60 / len(WORK)
    results = {what: measure(what, makers, args, limit) for what, makers in WORK.items()}
    if args.json:
        print(json.dumps(results))
        return
    for what, found in results.items():
        print(f"{what}; {args.games} games, {args.threads} threads")
        ours = found["ludovec"].get("per_second")
        for name, row in found.items():
            said = row.get("reason")
            if said is None:
                value, slices = row["per_second"], row["slices"]
                of_ours = f"  {value / ours:8.5f} of ours" if ours else ""
                said = f"{value:>12,.0f}{of_ours}  (median of {slices})"
            print(f"  {version(name):<21} {said}")
        print()


if __name__ == "__main__":
    main()
