"""`stress.py` for a short time; exits of the interpreter; ends of threads; unusual arrays."""

import os
import subprocess
import sys
import threading
import time

import ludovec
import numpy as np
import pytest
import stress


def test_random_calls_from_four_threads_are_made_or_refused():
    made, refused, wrong = stress.run(2.0, seed=1)
    assert not wrong, wrong[0]
    assert made.total() > 100 and refused.total() > 100


def test_calls_do_not_leak_memory():
    for name, (count, growth) in stress.leaks(4000, ludovec.list_envs()[0]).items():
        # Allocators keep pages; a leaked game state per call would be larger.
        assert growth < 4 << 20, f"{count} calls of {name}: {growth} bytes more"


ENDS = {
    "idle": "env.step_sampled()",
    "sent": "env.send(env.sample_actions())",
    "sent in blocks": "p = ludovec.make(id, 64, num_threads=2, batch_size=32)\n"
    "p.async_reset(); r = p.recv(); p.send(p.sample_actions()[:32], r[-1]['env_id'])",
    "closed": "env.close()",
    "searched": "s = ludovec.TreeSearch(env, simulations=4, value='seats'); s.start(); s.select()",
    "stepped by a daemon": "def go():\n    while True: env.step_sampled(5)\n"
    "threading.Thread(target=go, daemon=True).start(); time.sleep(0.2)",
    "stepped by a thread": "t = threading.Thread(target=lambda: env.step_sampled(50)); t.start()",
    "in a cycle": "env.me = env; del env",
    "arrays alone": "kept = env.observations; del env; kept.sum()",
    "a game's outcomes under way": "g = ludovec.Game(id, seed=1); it = iter(g.legal_actions()); next(it)",
    "a bot of Python's": "env.bot_actions('random')",
    "an exit inside a thread": "threading.Thread(target=lambda: (env.step_sampled(), sys.exit(3))).start()",
    "forked": "env.step_sampled()\npid = os.fork()\nif pid == 0: sys.exit(0)\n"
    "assert os.waitpid(pid, 0)[1] == 0; env.step_sampled()",
}
"""Actions of a program before its interpreter exits."""


@pytest.mark.parametrize("state", ENDS)
def test_the_interpreter_ends_in_every_state(state):
    program = "import faulthandler, os, sys, threading, time\nfaulthandler.enable()\nimport ludovec\n"
    program += (
        "id = ludovec.list_envs()[0]\nenv = ludovec.make(id, 64, num_threads=2, seed=1)\nenv.reset(seed=1)\n"
    )
    call = [sys.executable, "-c", program + ENDS[state]]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[-2000:]


def native_threads():
    """Threads of this process, including the engine's."""
    return len(os.listdir("/proc/self/task"))


def settles(condition, seconds=20.0):
    """Waits for a condition; returns False if it does not become true in time."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


@pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="counts threads as Linux shows them")
def test_threads_end_with_their_owner(env_id):
    # Libraries of earlier tests may have left threads of their own.
    before, before_python = native_threads(), threading.active_count()
    for _ in range(5):
        env = ludovec.make(env_id, 8, num_threads=3, seed=1)
        env.step_sampled()
        pool = ludovec.make(env_id, 8, num_threads=2, batch_size=4, seed=1)
        pool.async_reset()
        pool.recv()
        search = ludovec.TreeSearch(env, simulations=2, value="seats")
        search.start()
        del env, pool, search
    assert settles(lambda: native_threads() <= before), f"{native_threads() - before} threads are left"
    assert threading.active_count() <= before_python


def test_more_than_eight_threads_per_core_are_noted(env_id, caplog):
    """A program for a large machine runs on a small one."""
    most = ludovec._core.most_threads()
    calls = [
        lambda threads: ludovec.make(env_id, 4, num_threads=threads),
        lambda threads: ludovec.make(env_id, 4, num_threads=threads, batch_size=2),
        lambda threads: ludovec.TreeSearch(env, 2, value="seats", num_threads=threads),
        lambda threads: ludovec.evaluate(env_id, "random", "random", 2, num_threads=threads),
    ]
    env = ludovec.make(env_id, 4, num_threads=1)
    for call in calls:
        caplog.clear()
        call(most)
        assert not caplog.messages
        call(most + 1)
        assert caplog.messages[0].startswith(f"num_threads={most + 1}: {most} threads are used")


def test_unaligned_actions_are_accepted(env_id):
    """Unaligned references are undefined behaviour in Rust: a debug build panics over them."""
    env = ludovec.make(env_id, 6, num_threads=1, seed=1)
    ref = ludovec.make(env_id, 6, num_threads=1, seed=1)
    for dtype in (np.int32, np.int64):
        actions = env.sample_actions()
        np.testing.assert_array_equal(actions, ref.sample_actions())
        shifted = np.zeros(6 * dtype().itemsize + 1, np.uint8)[1:].view(dtype)
        packed = np.zeros(6, np.dtype([("a", np.uint8), ("b", dtype)]))["b"]
        for odd in (shifted, packed):
            odd[...] = actions
            assert not odd.flags.aligned
        env.step(shifted)
        ref.step(actions)
        assert env.get_state() == ref.get_state()
        packed[...] = actions = env.sample_actions()
        ref.sample_actions()
        env.step(packed)
        ref.step(actions[::-1].copy()[::-1])
        assert env.get_state() == ref.get_state()


def test_writes_of_other_threads_do_not_affect_games(env_id):
    env = ludovec.make(env_id, 256, num_threads=2, seed=1, max_steps=20)
    ref = ludovec.make(env_id, 256, num_threads=1, seed=1, max_steps=20)
    arrays = [a for a in env._core.columns().values() if a.flags.writeable and a.flags.c_contiguous]
    assert len(arrays) > 10
    stop = threading.Event()

    def scribble(number):
        rng = np.random.default_rng(number)
        while not stop.is_set():
            bytes = arrays[rng.integers(len(arrays))].view(np.uint8).reshape(-1)
            bytes[: rng.integers(len(bytes) + 1)] = rng.integers(256)

    threads = [threading.Thread(target=scribble, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(30):
            env.step_sampled()
            ref.step_sampled()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert env.get_state() == ref.get_state()
    env.step_sampled(), ref.step_sampled()
    np.testing.assert_array_equal(env.observations, ref.observations)
    np.testing.assert_array_equal(env.action_masks(), ref.action_masks())


def test_an_invalid_seat_in_the_array_is_an_error():
    """Players read the seat from this array: an invalid seat must not break the environment."""
    asked = 0
    for env_id in ludovec.list_envs():
        env = ludovec.make(env_id, 4, num_threads=1, seed=1)
        try:
            env.bot_actions("net:champion")
        except ludovec.InvalidConfig:
            continue
        for seat in (77, -1, 2**31 - 1):
            env.columns["current_player"][:] = seat
            with pytest.raises(
                ludovec.InvalidConfig, match=f"current_player of game 0 is {seat}.*players are 0 to"
            ):
                env.bot_actions("net:champion")
            env.step_sampled()
            env.bot_actions("net:champion")
            asked += 1
    assert asked > 0
