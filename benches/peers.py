"""Compares other libraries with this one: python benches/peers.py; `make bench-peers` installs them.

Chess: the loop of choosing legal actions, stepping, resetting finished games, and getting the observation
and the mask of the next player. NumPy draws the actions from the mask in the same way for every library, and
the time of the step alone is a column of its own; where a library draws actions itself, that is one more row.
Then tree search with a dummy network (uniform policy, value 0): chess, and Connect Four with rules in Numba.
Then chess in jitted loops, random play of Blokus, and games that only one library has. The libraries take
turns in short slices of processor time; the median slice counts. Each library has its own process: a slow one
gets fewer slices, one that hangs or crashes is reported, and the run ends in time.
"""

import argparse
import functools
import importlib.metadata
import json
import multiprocessing
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

import figures
import ludovec
import numpy as np

#: PyPI names of the libraries, installed one by one so that a failure does not affect the others.
PEERS = (
    "envpool", "pgx", "open-spiel", "mctx", "reinfors", "blokus-rl", "gumbel-mcts", "quartors", "wingspan-rl",
)  # fmt: skip
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


# A maker returns `work()`, which does some work and returns its amount: decisions, or simulations. Where the
# work is stepping, `work.stepping` is the processor time that the steps alone took.


def legal_from(array, mask, first):
    """The first legal action from a random index on, cyclically: cheap for every library."""
    late = mask & (array.arange(mask.shape[1]) >= first[:, None])
    return array.where(late.any(axis=1), late.argmax(axis=1), mask.argmax(axis=1))


def drawn_in_numpy(mask, step):
    """The loop of `mask()` and `step(actions)` with actions that NumPy draws from the mask."""
    rng = np.random.default_rng(0)

    def work():
        legal = mask()
        actions = legal_from(np, legal, rng.integers(legal.shape[1], size=len(legal))).astype(np.int32)
        began = time.process_time()
        step(actions)
        work.stepping += time.process_time() - began
        return len(actions)

    work.stepping = 0.0
    return work


def ludovec_chess(games, threads):
    env = ludovec.make("chess", games, num_threads=threads, mask="bytes")
    env.reset(seed=0)
    return drawn_in_numpy(lambda: env.action_mask.view(np.bool_), env.step)


def ludovec_random(games, threads, env_id="chess", **options):
    """Random play with actions that the engine draws."""
    env = ludovec.make(env_id, games, num_threads=threads, mask="bytes", **options)
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

    def mask():
        for place in (info, shown if isinstance(shown, dict) else {}):
            for name in ("legal_action_mask", "action_mask", "legal_actions_mask"):
                if name in place:
                    return np.asarray(place[name]).astype(bool).reshape(len(info["env_id"]), -1)
        raise RuntimeError(f"{task} shows no mask: {sorted(info)}")

    def step(actions):
        nonlocal shown, info
        shown, _, _, _, info = env.step(actions, info["env_id"])

    return drawn_in_numpy(mask, step)


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


def pgx_step(games):
    """Pgx's chess with resets, as a jitted function of states, actions and a key."""
    import jax
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make("chess")
    step = jax.vmap(auto_reset(env.step, env.init))
    return env, jax.jit(lambda state, actions, key: step(state, actions, jax.random.split(key, games)))


def pgx_chess(games, threads):
    import jax

    env, go = pgx_step(games)
    state, key = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), games)), jax.random.key(1)

    def step(actions):
        nonlocal state
        state = jax.block_until_ready(go(state, actions, key))

    return drawn_in_numpy(lambda: np.asarray(state.legal_action_mask), step)


def pgx_in_jax(games, threads):
    import jax

    env, go = pgx_step(games)

    @jax.jit
    def play(state, key):
        first, second = jax.random.split(key)
        mask = state.legal_action_mask
        return go(state, legal_from(jax.numpy, mask, drawn_by_jax(first, mask.shape)), second)

    return jax_work(env, play, games, 1)


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


def open_spiel_chess(games, threads):
    import pyspiel

    game = pyspiel.load_game("chess")
    states = [game.new_initial_state() for _ in range(min(games, 64))]
    masks = np.array([state.legal_actions_mask() for state in states], bool)

    def step(actions):
        for i, action in enumerate(actions.tolist()):
            state = states[i]
            state.apply_action(action)
            if state.is_terminal():
                states[i] = state = game.new_initial_state()
            np.asarray(state.observation_tensor(state.current_player()), np.float32)
            masks[i] = state.legal_actions_mask()

    return drawn_in_numpy(lambda: masks, step)


def reinfors_chess(games, threads):
    import reinfors

    envs = [reinfors.Env(reinfors.games.Chess(), seed=i) for i in range(min(games, 64))]
    masks = np.zeros((len(envs), envs[0].action_count()), bool)
    for env, mask in zip(envs, masks):
        env.reset()
        mask[env.legal_actions(*env.active_agents())] = True

    def step(actions):
        masks[:] = False
        for env, action, mask in zip(envs, actions.tolist(), masks):
            (player,) = env.active_agents()
            env.step({player: action})
            if env.done():
                env.reset()
            (player,) = env.active_agents()
            env.observe(player)
            mask[env.legal_actions(player)] = True

    return drawn_in_numpy(lambda: masks, step)


def searched(env, games, threads):
    """A move of tree search in each game with a dummy network."""
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


def ludovec_search(games, threads):
    return searched(ludovec.make("chess", games, num_threads=threads), games, threads)


def ludovec_connect_four(games, threads):
    import connect_four

    ludovec.register(connect_four.ConnectFour)
    return searched(ludovec.make("connect_four", games, num_threads=threads), games, threads)


def gumbel_mcts_connect_four(games, threads):
    import connect_four
    import gumbel_mcts
    import torch

    class Uniform:
        """Uniform policy over all columns, value 0."""

        logic = connect_four.Logic

        def forward_for_mcts(self, batch):
            rows = len(batch["boards"])
            return {"policy": torch.full((rows, 7), 1 / 7), "value": torch.zeros(rows)}

    torch.set_num_threads(threads)
    model, logic = Uniform(), connect_four.Logic
    search = gumbel_mcts.GumbelDense(games, games * (SIMULATIONS + 2) + 1, logic, "cpu")
    boards, players = np.zeros((games, *logic.BOARD_SHAPE), np.int8), np.ones(games, np.int8)

    def work():
        search.reset()
        search.initialize_roots(range(games), boards, players)
        for game, action in enumerate(search.run_simulation_batch(model, range(games), SIMULATIONS).tolist()):
            _, _, over, boards[game] = logic.fast_step(boards[game], action, players[game])
            players[game] = 3 - players[game]
            if over:
                boards[game], players[game] = 0, 1
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


def quartors_quarto(games, threads):
    import quartors

    states = [quartors.State.initial() for _ in range(min(games, 64))]
    masks = np.array([state.action_mask().ravel() for state in states])

    def step(actions):
        for i, action in enumerate(actions.tolist()):
            state = states[i].apply(quartors.Action.from_index(action))
            states[i] = state = quartors.State.initial() if state.is_terminal else state
            state.observation()
            masks[i] = state.action_mask().ravel()

    return drawn_in_numpy(lambda: masks, step)


def wingspan_rl(games, threads):
    from wingspan.agents.base import random_agent
    from wingspan.engine.core import Engine
    from wingspan.training.collect import new_engine

    count, game, draw = 0, 0, random_agent(random.Random(0))

    def agent(engine, decision):
        nonlocal count
        count += len(decision.choices) > 1
        return draw(engine, decision)

    def work():
        nonlocal count, game
        count, game = 0, game + 1
        Engine.play_one_game(new_engine(game).state, [agent, agent])
        return count

    return work


blokus = functools.partial(ludovec_random, env_id="tilewe", mode="blokus")
#: Kinds of work, with a maker by library. Words behind a comma are no part of the name.
WORK = {
    "chess": {
        "ludovec": ludovec_chess,
        "ludovec, actions drawn in the engine": ludovec_random,
        "open-spiel, one game after the other": open_spiel_chess,
        "reinfors, one game after the other": reinfors_chess,
        "envpool": envpool_chess,
        "pgx": pgx_chess,
    },
    f"chess, search with {SIMULATIONS} simulations": {
        "ludovec": ludovec_search,
        "open-spiel": open_spiel_search,
        "reinfors": reinfors_search,
        "mctx, with Pgx": mctx_search,
    },
    f"Connect Four in Numba, search with {SIMULATIONS} simulations": {
        "ludovec": ludovec_connect_four,
        "gumbel-mcts": gumbel_mcts_connect_four,
    },
    "chess in a jitted loop": {
        "ludovec, `jax.compiled`": functools.partial(ludovec_in_jax, kind="compiled"),
        "ludovec, `jax.functions`": functools.partial(ludovec_in_jax, kind="functions"),
        "pgx": pgx_in_jax,
    },
    "Blokus, four players": {
        "ludovec, actions drawn in the engine": blokus,
        "blokus-rl, one game": blokus_rl,
    },
    "a game of its own": {
        "ludovec, Small World, actions drawn in the engine": functools.partial(
            ludovec_random, env_id="smallworld", players=2
        ),
        "quartors, Quarto": quartors_quarto,
        "wingspan-rl, Wingspan": wingspan_rl,
    },
}


def slice_of(work, seconds):
    """Amount of `work` per second of processor time, and per second of its steps alone, or None."""
    start, done = time.process_time(), 0
    work_apart = hasattr(work, "stepping")
    if work_apart:
        work.stepping = 0.0
    while True:
        done += work()
        elapsed = time.process_time() - start
        if elapsed >= seconds:
            return done / elapsed, done / work.stepping if work_apart else None


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
        whole, steps = zip(*self.slices)
        alone = None if None in steps else statistics.median(steps)
        return {"per_second": statistics.median(whole), "step_alone": alone, "slices": len(whole)}


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
                tell(f"{name}, slice {turn + 1} of {args.rounds}: {one.slices[-1][0]:,.0f} a second")
    found = {name: one.end() for name, one in contestants.items()}
    for name, row in found.items():
        if row.get("reason") == "not installed":
            row["reason"] = reasons.get(name.partition(",")[0], "not installed")
    return found


def version(name):
    name, comma, words = name.partition(",")
    if name == "ludovec":
        return f"Ludovec{comma}{words}"
    try:
        return f"{name} {importlib.metadata.version(name)}{comma}{words}"
    except importlib.metadata.PackageNotFoundError:
        return name + comma + words


def table(results):
    """All rows as one table: amounts a second of processor time, with their shares of the first row's."""

    def figure(amount, of):
        told = "" if amount is None else f"{amount:,.0f}"
        return f"{told} | {100 * amount / of:.3g} %" if amount and of else f"{told} |"

    lines = [
        "| work | library | a second | share | `step` alone, a second | share |",
        "|---|---|---|---|---|---|",
    ]
    for what, found in results.items():
        first = next(iter(found.values()))
        for name, row in found.items():
            if "reason" in row:
                lines.append(f"| {what} | {version(name)} | {row['reason']} | | | |")
                continue
            shares = [
                figure(row[key], first.get(key) if row is not first else None)
                for key in ("per_second", "step_alone")
            ]
            lines.append(f"| {what} | {version(name)} | {' | '.join(shares)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--install", action="store_true", help="install the other libraries, measure nothing")
    parser.add_argument(
        "--games", type=int, default=1024, help="parallel games, for libraries with this setting"
    )
    parser.add_argument("--threads", type=int, default=1, help="for libraries with this setting")
    parser.add_argument("--seconds", type=float, default=1.0, help="of processor time, per slice")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=12.0, help="total time")
    parser.add_argument("--only", help="one kind of work, by its name")
    parser.add_argument("--write", type=Path, help="write the table into this page, between its marks")
    args = parser.parse_args()
    if args.install:
        return install()
    chosen = {what: makers for what, makers in WORK.items() if args.only in (None, what)}
    if not chosen:
        parser.error(f"--only {args.only}: one of {'; '.join(WORK)} is allowed")
    limit = args.minutes * 60 / len(chosen)
    text = table({what: measure(what, makers, args, limit) for what, makers in chosen.items()})
    print(text)
    if args.write:
        figures.write(args.write, "benches/peers.py", text)
        figures.dated(args.write, "all libraries")


if __name__ == "__main__":
    main()
