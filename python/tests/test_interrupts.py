"""Ctrl-C ends every native call soon, and leaves the documented state."""

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import ludovec
import numpy as np
import pytest
from ludovec import _core

#: The threads of this process, on Linux.
TASKS = Path("/proc/self/task")
#: Calls that check for signals themselves; each would take far longer than the test.
ALERT = {
    "step_sampled": "ludovec.make('chess', 256, num_threads=1).step_sampled(10**6)",
    "bot_actions": "ludovec.make('chess', 8).bot_actions('search:100000000')",
    "bot_action": "ludovec.Game('chess').bot_action('search:100000000')",
    "evaluate": "ludovec.evaluate('chess', 'search:100000000')",
    "tournament": "ludovec.tournament('tilewe', ['search:100000000', 'random'], players=2)",
    "play": "ludovec.play('chess', {'ada': 'search:100000000', 'ben': 'random'})",
    "opponents": "ludovec.make('chess', 4, opponents='search:100000000', seat=1)",
    "evaluate, function": "ludovec.evaluate('chess', lambda o, m: time.sleep(99))",
    "evaluate, many rows": "ludovec.evaluate('chess', lambda o, m: m.argmax(1), 'random', 99999, "
    "batch_size=20000)",
    "Network": "ludovec.Network('champion', 'starwars_risk')(np.zeros((200_000, 428), np.uint8))",
    "make": "ludovec.make('starwars_risk', 500_000, obs='none', mask='bits', num_threads=1)",
    "to_png": "ludovec.make('starwars_risk', 1000).to_png()",
    "TreeSearch.run": "ludovec.TreeSearch.playouts(made := ludovec.make('chess', 64), 10**6)",
    "TreeSearch, network": "ludovec.TreeSearch(made := ludovec.make('chess', 64), 10**6)",
}


@pytest.mark.parametrize("name", ALERT)
def test_ctrl_c_ends_any_call_soon(name):
    code = f"""
import ludovec, numpy as np, os, signal, threading, time
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1, interrupt).start()
try:
    made = {ALERT[name].replace("made := ", "")}
    if hasattr(made, "start"):
        made.start()
        made.run(*([ludovec.Network("champion", made.env, value="seat")] if "network" in {name!r} else []))
    time.sleep(100)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    # Half a second on an idle machine.
    assert done.returncode == 0 and float(done.stdout) < 5, done.stderr


@contextmanager
def interrupted():
    """Sends this process SIGINT once a held call is under way; the block raises KeyboardInterrupt."""
    before = calls()

    def send():
        for _ in range(200):
            time.sleep(0.01)
            if calls() - before:
                break
        os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    sender.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    sender.join()


def calls():
    """The threads that make calls of the extension; a call that has ended may be among them for a moment."""
    found = set()
    for task in TASKS.iterdir() if TASKS.is_dir() else []:
        try:
            if (task / "comm").read_text() == "ludovec call\n":
                found.add(task.name)
        except OSError:  # The thread has ended.
            pass
    return found


def ended():
    """Waits for abandoned calls."""
    while calls():
        time.sleep(0.001)


def position(env):
    return json.loads(env.game(2).to_json())["position"]


#: Calls of a vector environment.
CALLS = {
    "reset": lambda env: env.reset(),
    "reset, seed": lambda env: env.reset(seed=9),
    "reset, mask": lambda env: env.reset(options={"reset_mask": np.arange(4) > 1}),
    "reset, seeds": lambda env: env.reset(seed=[5, 6, 7, 8]),
    "step": lambda env: env.step(env.action_mask.argmax(axis=1)),
    "step_games": lambda env: env.step_games([1, 2], env.action_mask[[1, 2]].argmax(axis=1)),
    "step_sampled": lambda env: env.step_sampled(3),
    "sample_actions": lambda env: env.sample_actions(),
    "get_state": lambda env: env.get_state(),
    "set_state": lambda env: env.set_state([0], STATE[env.game_spec.env]),
    "fork": lambda env: env.fork([0], [3]),
    "game": lambda env: env.game(1),
    "set_position": lambda env: env.set_position(0, POSITION[env.game_spec.env]),
    "observe": lambda env: env._core.observe(0, 1),
}
STATE, POSITION = {}, {}


def test_these_tests_pass_under_a_runner_that_ignores_sigint():
    """``nohup make test &`` makes child processes ignore SIGINT."""
    test = f"{__file__}::test_ctrl_c_ends_any_call_soon[step_sampled]"
    command = shlex.join([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test])
    told = subprocess.run(["sh", "-c", f"trap '' INT; exec {command}"], capture_output=True, text=True)
    assert told.returncode == 0 and "1 passed" in told.stdout, told.stdout + told.stderr


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupted_call_over_very_many_games_completes(name):
    id = "tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0]
    source = ludovec.make(id, 4, seed=3)
    source.step_sampled(4)
    STATE[id], POSITION[id] = source.get_state([1]), position(source)
    call = CALLS[name]
    env, twin = (ludovec.make(id, 4, num_threads=1) for _ in range(2))
    for each in (env, twin):
        each.step_sampled(2)
    env._core.hold(True)
    with interrupted():
        call(env)
    env._core.hold(False)
    # The next call waits for the interrupted one.
    state, samples = env.get_state(), env._core.samples()
    if name == "reset, seeds":
        # No call is under way.
        assert state == twin.get_state()
    elif name == "step_sampled":
        twin.step_sampled(1)
        assert state == twin.get_state()
    else:
        call(twin)
        assert state == twin.get_state()
        np.testing.assert_array_equal(samples, twin._core.samples())
        np.testing.assert_array_equal(env.observations, twin.observations)
        np.testing.assert_array_equal(env.credit_of_mover, twin.credit_of_mover)
    np.testing.assert_array_equal(env.sample_actions(), twin.sample_actions())


def test_every_method_of_a_batch_and_a_search_is_interruptible():
    """Methods that return at once or check for signals are listed; Ctrl-C can abandon all others."""
    env = ludovec.make("tilewe", 4, players=2, num_threads=1)
    search = ludovec.TreeSearch(env, 2, num_threads=1, evaluator="null")
    env._core.step_sampled(1)
    ids, actions = np.array([1], np.uint32), env.action_mask[[1]].argmax(axis=1).astype(np.int32)
    saved, position = env._core.save(ids), env._core.game(1).to_json()
    every = env.action_mask.argmax(axis=1).astype(np.int32)
    players = _core.Players(env._core, [("random", "random")], None, False)
    calls = {
        "reset": (None,),
        "reset_games": (ids, 3),
        "step": (every,),
        "step_games": (ids, actions),
        "step_scripted": (ids, actions, [[]]),
        "step_sampled": (1,),
        "sample_actions": (),
        "observe": (0, 1),
        "save": (ids,),
        "restore": (ids, saved),
        "samples": (),
        "set_samples": (np.zeros(4, np.uint64),),
        "fork": (ids, ids, True),
        "determinize": (ids, None, 1),
        "game": (1,),
        "set_position": (1, position),
        "set_starts": ([position], []),
        "add_reward": (np.zeros((4, 2), np.float32),),
        "note_moves": (players, ids, actions),
        "choose": (players, np.zeros((4, 2), np.int32), False),
    }
    quick = {"hold", "close", "spec_json", "obs", "columns", "state_columns", "begin", "register_for_xla"}
    alert = {"bot_actions", "play_on", "recall", "finish"}
    assert set(calls) | quick | alert == {n for n in vars(_core.Batch) if not n.startswith("_")}
    for name, arguments in calls.items():
        left(env._core, name, arguments)

    search.start()
    leaves = search.select()
    network = np.zeros((leaves, env.game_spec.num_actions), np.float32), np.zeros(leaves, np.float32)
    calls = {
        "select": (),
        "legal": (),
        "add_reward": (np.zeros((leaves, 2), np.float32),),
        "expand": network,
        "stats": (),
        "tree_json": (0, 1),
        "start": (None,),
        "follow": (None,),
        "advance": (every,),
        "expand_legal": network,
        "actions": (),
        "results": (),
    }
    assert set(calls) | {"hold", "buffers", "run", "register_for_xla"} == {
        n for n in vars(_core.TreeSearch) if n[0] != "_"
    }
    for name, arguments in calls.items():
        left(search._core, name, arguments)
    search.start()
    search.run()


def left(core, name, arguments):
    """Abandons a call by Ctrl-C while it is paused, then lets it end with a result or an error."""
    core.hold(True)
    with interrupted():
        getattr(core, name)(*arguments)
    core.hold(False)
    ended()  # Else the next call, held again, could wait for this one.


#: Calls of a search, with the calls that must precede them.
SEARCHING = {
    "start": lambda search, leaves: search.start(),
    "select": lambda search, leaves: search.select(),
    "expand": lambda search, leaves: search.expand(None, np.zeros(leaves, np.float32)),
    "stats": lambda search, leaves: search.stats,
}


@pytest.mark.parametrize("name", SEARCHING)
def test_an_interrupted_call_over_very_many_trees_completes(name):
    # Games of their own: the abandoned call uses its games while the twin works.
    games = (ludovec.make("chess", 4, num_threads=1, seed=1) for _ in range(2))
    search, twin = (ludovec.TreeSearch(env, 8, num_threads=1) for env in games)
    leaves = 0
    for each in (search, twin):
        each.start()
        leaves = each.select() if name == "expand" else 0
    search._core.hold(True)
    with interrupted():
        SEARCHING[name](search, leaves)
    search._core.hold(False)
    if name == "start":
        ended()  # Else both searches could read the games at once, which is refused.
    SEARCHING[name](twin, leaves)
    if name == "expand":
        assert search.select() == twin.select() > 0
    assert search.stats == twin.stats
    for each in (search, twin):
        each.start()
        each.run(lambda o, b: (np.zeros((len(o), 4184), np.float32), np.zeros(len(o), np.float32)))
    np.testing.assert_array_equal(search.policy, twin.policy)


def test_an_interrupted_step_of_a_single_agent_environment_requires_a_reset(autoreset):
    env = ludovec.make("tilewe", 4, players=2, opponents="random", autoreset=autoreset, num_threads=1)
    env.reset(seed=0)
    env.games._core.hold(True)
    with interrupted():
        env.step(env.action_mask.argmax(axis=1))
    env.games._core.hold(False)
    with pytest.raises(ludovec.LudovecError, match="Ctrl-C ended it: reset all games first"):
        env.step(env.action_mask.argmax(axis=1))
    with pytest.raises(ludovec.LudovecError, match="reset all games first"):
        env.reset(options={"reset_mask": np.arange(4) > 1})
    obs, info = env.reset(seed=5)
    twin = ludovec.make("tilewe", 4, players=2, opponents="random", autoreset=autoreset, num_threads=1)
    np.testing.assert_array_equal(obs, twin.reset(seed=5)[0])
    for _ in range(5):
        actions = info["action_mask"].argmax(axis=1)
        obs, *_, info = env.step(actions)
        np.testing.assert_array_equal(obs, twin.step(actions)[0])


def test_a_call_in_another_thread_raises_and_returns_as_without(env_id):
    """Calls over very many games run in another thread, and so do paused calls, as in this test."""
    plain, env = (ludovec.make(env_id, 4, seed=3) for _ in range(2))

    def in_another_thread(call):
        env._core.hold(True)
        threading.Timer(0.02, env._core.hold, [False]).start()
        return call(env)

    for call in (
        lambda e: e.step_sampled(2),
        lambda e: e.reset(seed=5),
        lambda e: e.set_state(None, e.get_state()),
        lambda e: e.step(e.sample_actions()),
    ):
        in_another_thread(call)
        call(plain)
    np.testing.assert_array_equal(env.observations, plain.observations)
    np.testing.assert_array_equal(env.credit_of_mover, plain.credit_of_mover)
    with pytest.raises(ludovec.InvalidState):
        in_another_thread(lambda e: e.set_state(None, b"nothing"))
    with pytest.raises(ludovec.IllegalAction) as refused:
        in_another_thread(lambda e: e.step(np.full(4, -1)))
    assert refused.value.game == 0 and refused.value.action == -1
    env.close()
    with pytest.raises(ludovec.LudovecError, match="closed"):
        in_another_thread(lambda e: e.reset())
