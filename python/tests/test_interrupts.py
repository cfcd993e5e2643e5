"""Ctrl-C ends every native call soon, and leaves the documented state."""

import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import ludovec
import numpy as np
import pytest
from ludovec import _long

#: Calls that check for signals themselves; each would take far longer than the test.
ALERT = {
    "step_sampled": "ludovec.make('chess', 256, num_threads=1).step_sampled(10**6)",
    "bot_actions": "ludovec.make('chess', 8).bot_actions('search:100000000')",
    "bot_action": "ludovec.Game('chess').bot_action('search:100000000')",
    "evaluate": "ludovec.evaluate('search:100000000', env='chess')",
    "tournament": "ludovec.tournament('tilewe', ['search:100000000', 'random'], players=2)",
    "play": "ludovec.play('chess', {'ada': 'search:100000000', 'ben': 'random'})",
    "opponents": "ludovec.make('chess', 4, opponents='search:100000000', seat=1)",
    "evaluate, function": "ludovec.evaluate(lambda o, m: time.sleep(99), env='chess')",
    "evaluate, many rows": "ludovec.evaluate(lambda o, m: m.argmax(1), 'random', 99999, env='chess', "
    "batch_size=20000)",
    "TreeSearch.run": "ludovec.TreeSearch.playouts(made := ludovec.make('chess', 64), 10**6)",
    "TreeSearch, network": "ludovec.TreeSearch(made := ludovec.make('smallworld', 64, players=2), 10**6)",
}


@pytest.mark.parametrize("name", ALERT)
def test_ctrl_c_ends_any_call_soon(name):
    code = f"""
import ludovec, os, signal, threading, time
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


class Slow:
    """A native object with methods that take a second, as with hundreds of thousands of games."""

    def __init__(self, native):
        self.native, self.calls, self.pause = native, [], 1.0

    def __getattr__(self, name):
        method = getattr(self.native, name)
        if not callable(method):
            return method

        def call(*arguments):
            time.sleep(self.pause)
            try:
                return method(*arguments)
            finally:
                self.calls.append(name)

        return call


@contextmanager
def interrupted(after=0.1):
    """Sends a real SIGINT to this process, which raises KeyboardInterrupt in the block."""
    timer = threading.Timer(after, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        yield
    timer.join()


def position(env):
    import json

    return json.loads(env.game(2).to_json())["position"]


#: Calls of a vector environment, and the native methods under way at the time of Ctrl-C.
CALLS = {
    "reset": (lambda env: env.reset(), "reset"),
    "reset, seed": (lambda env: env.reset(seed=9), "reset"),
    "reset, mask": (lambda env: env.reset(options={"reset_mask": np.arange(4) > 1}), "reset_games"),
    "reset, seeds": (lambda env: env.reset(seed=[5, 6, 7, 8]), "samples"),
    "step": (lambda env: env.step(env.action_mask.argmax(axis=1)), "step"),
    "step_games": (lambda env: env.step_games([1, 2], env.action_mask[[1, 2]].argmax(axis=1)), "step_games"),
    "step_sampled": (lambda env: env.step_sampled(3), "step_sampled"),
    "sample_actions": (lambda env: env.sample_actions(), "sample_actions"),
    "get_state": (lambda env: env.get_state(), "save"),
    "set_state": (lambda env: env.set_state([0], STATE[env.game_spec.env]), "restore"),
    "fork": (lambda env: env.fork([0], [3]), "fork"),
    "game": (lambda env: env.game(1), "game"),
    "set_position": (lambda env: env.set_position(0, POSITION[env.game_spec.env]), "set_position"),
    "observe": (lambda env: env._core.observe(0, 1), "observe"),
}
STATE, POSITION = {}, {}


def test_these_tests_pass_where_the_runner_ignores_control_c():
    """As in ``nohup make test &``."""
    test = f"{__file__}::test_control_c_ends_any_call_soon[step_sampled]"
    command = shlex.join([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test])
    told = subprocess.run(["sh", "-c", f"trap '' INT; exec {command}"], capture_output=True, text=True)
    assert told.returncode == 0 and "1 passed" in told.stdout, told.stdout + told.stderr


@pytest.mark.parametrize("name", CALLS)
def test_an_interrupted_call_over_very_many_games_completes(name):
    id = "tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0]
    source = ludovec.make(id, 4, seed=3)
    source.step_sampled(4)
    STATE[id], POSITION[id] = source.get_state([1]), position(source)
    call, method = CALLS[name]
    env, twin = (ludovec.make(id, 4, num_threads=1) for _ in range(2))
    for each in (env, twin):
        each.step_sampled(2)
    slow = Slow(env._core)
    env._core = _long.patient(slow, True)
    env._written = _long.MUCH
    with interrupted():
        call(env)
    assert method not in slow.calls, "it was raised while the call was under way"
    slow.pause = 0.0
    # The next call waits for the interrupted one.
    state, samples = env.get_state(), env._core.samples()
    assert slow.calls[0] == method
    if name == "reset, seeds":
        # No call is under way.
        assert state == twin.get_state()
    elif name == "step_sampled":
        twin.step_sampled(1)
        assert state == twin.get_state() and slow.calls.count("step_sampled") == 1
    else:
        call(twin)
        assert state == twin.get_state()
        np.testing.assert_array_equal(samples, twin._core.samples())
        np.testing.assert_array_equal(env.observations, twin.observations)
        np.testing.assert_array_equal(env.credit_of_mover, twin.credit_of_mover)
    np.testing.assert_array_equal(env.sample_actions(), twin.sample_actions())


def test_every_method_of_a_batch_is_interruptible():
    """Methods that check for signals themselves are listed; all others are wrapped."""
    batch = {name for name in vars(ludovec._core.Batch) if not name.startswith("_")}
    search = {name for name in vars(ludovec._core.TreeSearch) if not name.startswith("_")}
    assert _long._ALERT <= batch | search
    native = ludovec.make(ludovec.list_envs()[0], 2)._core
    assert _long.patient(native, False) is native
    patient = _long.patient(native, True)
    assert _long.native(patient) is native and patient.obs == "u8" and patient.sample_actions().shape == (2,)


#: Calls of a search, with the calls that must precede them.
SEARCHING = {
    "start": lambda search, leaves: search.start(),
    "select": lambda search, leaves: search.select(),
    "expand": lambda search, leaves: search.expand(None, np.zeros(leaves, np.float32)),
    "stats": lambda search, leaves: search.stats,
}


@pytest.mark.parametrize("name", SEARCHING)
def test_an_interrupted_call_over_very_many_trees_completes(name):
    env = ludovec.make("chess", 4, num_threads=1)
    search, twin = (ludovec.TreeSearch(env, 8, num_threads=1) for _ in range(2))
    leaves = 0
    for each in (search, twin):
        each.start()
        leaves = each.select() if name == "expand" else 0
    slow = Slow(search._core)
    search._core = _long.patient(slow, True)
    with interrupted():
        SEARCHING[name](search, leaves)
    assert not slow.calls
    slow.pause = 0.0
    SEARCHING[name](twin, leaves)
    if name == "expand":
        assert search.select() == twin.select() > 0
    assert search.stats == twin.stats and slow.calls[0] == name
    for each in (search, twin):
        each.start()
        each.run(lambda o, b: (np.zeros((len(o), 4184), np.float32), np.zeros(len(o), np.float32)))
    np.testing.assert_array_equal(search.policy, twin.policy)


def test_an_interrupted_step_of_a_single_agent_environment_requires_a_reset(autoreset):
    env = ludovec.make("tilewe", 4, players=2, opponents="random", autoreset=autoreset, num_threads=1)
    env.reset(seed=0)
    slow = Slow(env.games._core)
    env.games._core = _long.patient(slow, True)
    with interrupted():
        env.step(env.action_mask.argmax(axis=1))
    slow.pause = 0.0
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


def test_an_interruptible_call_raises_and_returns_the_same(env_id):
    plain, env = (ludovec.make(env_id, 4, seed=3) for _ in range(2))
    env._core = _long.patient(env._core, True)
    for e in (plain, env):
        e.step_sampled(2)
        e.reset(seed=5)
        e.set_state(None, e.get_state())
    np.testing.assert_array_equal(env.observations, plain.observations)
    with pytest.raises(ludovec.InvalidState):
        env.set_state(None, b"nothing")
    with pytest.raises(ludovec.IllegalAction):
        env.step(np.full(4, -1))
    errors = []

    def elsewhere():
        try:
            env.step(np.full(4, -1))
        except ludovec.IllegalAction as error:
            errors.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert len(errors) == 1
    assert _long.is_long(_long.MANY) and _long.is_long(1, _long.MUCH) and not _long.is_long(4096, 2**20)


@pytest.mark.parametrize("long", [True, False])
def test_long_calls_without_games_are_interruptible(long):
    """Drawings, networks, records."""
    ended = threading.Event()

    def call():
        time.sleep(1.0)
        ended.set()
        return 3

    if not long:
        assert _long.interruptible(False, call) == 3
        return
    with interrupted():
        _long.interruptible(True, call)
    assert not ended.is_set() and ended.wait(10)


def test_an_error_of_an_interruptible_call_keeps_no_objects_alive():
    import gc
    import weakref

    class Failing:
        def step(self, actions):
            raise ludovec.GameOver("over")

    gc.disable()
    try:
        native = Failing()
        kept = weakref.ref(native)
        with pytest.raises(ludovec.GameOver):
            _long.patient(native, True).step(3)
        del native
        assert kept() is None
    finally:
        gc.enable()
