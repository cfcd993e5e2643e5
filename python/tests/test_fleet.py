"""Fleets in shared memory: attached environments, faults, and an independent client."""

import os
import signal
import subprocess
import sys
import time

import ludovec
import numpy as np
import pytest
from helpers import assert_same, play, short_games

if not hasattr(ludovec, "Fleet"):
    pytest.skip("fleets need Linux", allow_module_level=True)

import shm_client
from shm_client import Client, FleetGone, Refused

NAME = f"pytest-{os.getpid()}"


def fleet(env_id, num_envs=8, **arguments):
    return ludovec.serve(
        env_id, NAME, num_envs, **{"max_steps": 5, "num_threads": 2, "blocks": 2, **arguments}
    )


def a_fleet_elsewhere(env_id, num_envs=512, blocks=2):
    """A fleet in another process, which serves until it is killed."""
    code = f"import ludovec; ludovec.serve({env_id!r}, {NAME!r}, {num_envs}, blocks={blocks}).wait()"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    for _ in range(1000):
        try:
            ludovec.attach(NAME).close()
            return process
        except ludovec.FleetError:
            time.sleep(0.02)
    raise AssertionError("the fleet did not start")


def any_env():
    return ludovec.list_envs()[0]


def test_attached_games_equal_games_of_make(env_id, autoreset):
    steps = 4 if autoreset == "disabled" else 12
    with fleet(env_id, autoreset=autoreset):
        env = ludovec.attach(NAME)
        assert env.num_envs == 8 and env.autoreset == autoreset and env.game_spec.env == env_id
        assert_same(play(env, steps, seed=3), play(short_games(env_id, autoreset=autoreset), steps, seed=3))


def test_samples_of_a_fleet_equal_samples_of_make():
    """The fleet samples ahead once its client samples: some samples are used, others are not."""
    with fleet(any_env(), num_envs=12, blocks=3):
        env, twin = ludovec.attach(NAME), short_games(any_env(), 12)
        env.reset(seed=4), twin.reset(seed=4)
        rng = np.random.default_rng(0)
        for _ in range(120):
            for _ in range(rng.integers(4)):
                actions = env.sample_actions()
                np.testing.assert_array_equal(actions, twin.sample_actions())
            way = rng.integers(4)
            if way == 0:
                ids = np.flatnonzero(rng.random(12) < 0.4)
                chosen = env.action_masks()[ids].argmax(axis=1)
                env.step_games(ids, chosen), twin.step_games(ids, chosen)
            elif way == 1:
                env.step_sampled(), twin.step_sampled()
            else:
                chosen = env.sample_actions() if way == 2 else env.action_masks().argmax(axis=1)
                if way == 2:
                    np.testing.assert_array_equal(chosen, twin.sample_actions())
                env.step(chosen), twin.step(chosen)
            np.testing.assert_array_equal(env.observations, twin.observations)
            np.testing.assert_array_equal(env.reward, twin.reward)
            np.testing.assert_array_equal(env.done, twin.done)


def test_the_fleet_sets_the_formats(env_id):
    with fleet(env_id, obs="f32", mask="bits"):
        env = ludovec.attach(NAME, copy=True)
        obs, info = env.reset(seed=0)
        assert obs.dtype == np.float32 and "action_mask_bits" in info
        assert not np.shares_memory(obs, env.observations)
        np.testing.assert_array_equal(obs, ludovec.make(env_id, 8, obs="f32", max_steps=5).reset(seed=0)[0])


def test_state_of_attached_games(env_id):
    with fleet(env_id):
        env, twin = ludovec.attach(NAME), short_games(env_id)
        play(env, 3, seed=1), play(twin, 3, seed=1)
        assert env.get_state() == twin.get_state()
        env.fork([0, 7], [7, 1]), twin.fork([0, 7], [7, 1])
        np.testing.assert_array_equal(env.observations, twin.observations)
        assert env.game(1).to_json() == twin.game(1).to_json()
        with pytest.raises(ludovec.InvalidState):
            env.set_state(None, b"nonsense")
        with pytest.raises(ludovec.IllegalAction, match="game 6"):
            actions = env.sample_actions()
            actions[6] = -1
            env.step(actions)
        with pytest.raises(ludovec.LudovecError, match="pickled"):
            import pickle

            pickle.dumps(env)


def test_blocks_are_stepped_in_the_background(env_id):
    with fleet(env_id, num_envs=12, blocks=3):
        env = ludovec.attach(NAME, batch_size=4)
        twin = ludovec.make(env_id, 12, batch_size=4, max_steps=5, num_threads=2)
        env.async_reset(seed=2), twin.async_reset(seed=2)
        for _ in range(24):
            (obs, *_, info), (other, *_, twin_info) = env.recv(), twin.recv()
            np.testing.assert_array_equal(obs, other)
            np.testing.assert_array_equal(info["env_id"], twin_info["env_id"])
            actions = info["action_mask"].argmax(axis=1)
            env.send(actions), twin.send(actions)
        env.close()
        with pytest.raises(ludovec.InvalidConfig, match="4 games each"):
            ludovec.attach(NAME, batch_size=3)


def test_blocks_belong_to_a_client_until_it_closes():
    with fleet(any_env(), num_envs=8, blocks=4):
        first = ludovec.attach(NAME, blocks=1)
        second = ludovec.attach(NAME)
        assert (first.num_envs, second.num_envs) == (2, 6)
        with pytest.raises(ludovec.FleetError, match=str(os.getpid())):
            ludovec.attach(NAME)
        second.close()
        with pytest.raises(ludovec.LudovecError, match="closed"):
            second.step_sampled()
        third = ludovec.attach(NAME, blocks=3)
        third.step_sampled(), first.step_sampled()


def test_fleet_errors_have_clear_messages():
    with pytest.raises(ludovec.FleetError, match="no fleet is called"):
        ludovec.attach("nobody-serves-this")
    with pytest.raises(ludovec.InvalidConfig, match="letters"):
        ludovec.attach("a/b")
    with fleet(any_env()) as running:
        assert running.name == NAME and running.num_blocks == 2 and not running.wait(0.01)
        with pytest.raises(ludovec.FleetError, match="is running"):
            fleet(any_env())
        env = ludovec.attach(NAME)
    with pytest.raises(ludovec.FleetError, match="stopped"):
        env.step_sampled()
    assert env.observations.shape[0] == 8, "arrays stay"


def test_a_killed_fleet_is_noticed():
    process = a_fleet_elsewhere(any_env())
    try:
        env = ludovec.attach(NAME)
        env.step_sampled(100)
        process.kill()
        start = time.monotonic()
        with pytest.raises(ludovec.FleetError, match="died"):
            while True:
                env.step_sampled()
        assert time.monotonic() - start < 20
        process.wait()
        with fleet(any_env()):
            ludovec.attach(NAME).step_sampled()
    finally:
        process.kill()
        process.wait()


def test_a_child_process_does_not_keep_a_fleet_alive():
    serve = f"import ludovec, os, time; f = ludovec.serve({any_env()!r}, {NAME!r}, 8); "
    # The first child keeps nothing (exec closes the segment); the second child keeps everything.
    replaced = serve + "os.fork() or os.execvp('sleep', ['sleep', '3']); f.wait()"
    forked = serve + "time.sleep(4) if os.fork() == 0 else f.wait()"
    for program in (replaced, forked):
        process = subprocess.Popen([sys.executable, "-W", "ignore", "-c", program], stderr=subprocess.DEVNULL)
        for _ in range(1000):
            try:
                env = ludovec.attach(NAME)
                break
            except ludovec.FleetError:
                time.sleep(0.02)
        env.step_sampled()
        process.kill()
        process.wait()
        start = time.monotonic()
        with pytest.raises(ludovec.FleetError, match="died"):
            while True:
                env.step_sampled()
        assert time.monotonic() - start < 20
        with fleet(any_env()):
            ludovec.attach(NAME).step_sampled()


@pytest.mark.parametrize("damage", ["truncate", "fill"])
def test_a_damaged_segment_never_crashes_the_interpreter(damage):
    code = f"""
import ludovec, os
fleet = ludovec.serve({any_env()!r}, "{NAME}", 64)
env = ludovec.attach("{NAME}")
env.step_sampled()
path = "/dev/shm/ludovec.{NAME}"
if {damage!r} == "truncate":
    os.truncate(path, 0)
    # NumPy reads where no memory is any more.
    assert not env.observations.any() and not env.rewards.any()
else:
    with open(path, "r+b") as file:
        file.write(b"\\xa5" * os.path.getsize(path))
for call in (env.step_sampled, env.sample_actions, env.reset, env.get_state):
    try:
        call()
    except ludovec.FleetError as error:
        print(error)
    else:
        raise AssertionError(call)
try:
    fleet.wait()
except ludovec.FleetError as error:
    print(error)
else:
    raise AssertionError("the fleet saw nothing")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert all(
        ("truncated" if damage == "truncate" else "overwritten") in line for line in done.stdout.splitlines()
    )
    assert len(done.stdout.splitlines()) == 5


@pytest.mark.parametrize("batch_size", [None, 256])
def test_a_client_of_a_stopped_fleet_can_be_interrupted_and_has_a_time_limit(batch_size):
    process = a_fleet_elsewhere(any_env())
    code = f"""
import ludovec, os, signal, threading
from pathlib import Path
def start(timeout):
    env = ludovec.attach({NAME!r}, batch_size={batch_size}, timeout=timeout)
    env.reset(seed=1)
    os.kill({process.pid}, signal.SIGSTOP)
    tasks = Path("/proc/{process.pid}/task")
    while any((task / "stat").read_text().rsplit(")", 1)[1].split()[0] != "T" for task in tasks.iterdir()):
        pass
    return env
def call(env):
    if {batch_size} is None:
        return env.step_sampled()
    if env._held:
        env.send(env.blocks[0].action_mask.argmax(axis=1))
    # The second block waits since the reset.
    while True:
        env.recv()
        if env._held[-1] == 0:
            return
try:
    call(start(0.3))
except ludovec.FleetError as error:
    print("no answer within 300ms" in str(error))
os.kill({process.pid}, signal.SIGCONT)
env = start(None)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    call(env)
except KeyboardInterrupt:
    print("interrupted")
os.kill({process.pid}, signal.SIGCONT)
env.step_sampled() if {batch_size} is None else env.recv()
print("goes on")
"""
    try:
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
        assert done.stdout.split("\n") == ["True", "interrupted", "goes on", ""], done.stderr
    finally:
        process.kill()
        process.wait()
        with fleet(any_env()):
            pass


def test_a_client_that_is_killed_while_bots_think_leaves_its_block():
    with fleet(any_env(), num_envs=2, blocks=1, num_threads=1):
        attach = f"import ludovec; e = ludovec.attach({NAME!r}); print(flush=True); "
        code = attach + "e.bot_actions('search:5000000')"
        client = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        client.stdout.readline()
        time.sleep(0.3)
        client.kill()
        client.wait()
        env = ludovec.attach(NAME, timeout=60)
        env.step_sampled()
        with pytest.raises(ludovec.InvalidConfig, match="playouts"):
            env.bot_actions("search:100000000")


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "3", 1e30])
def test_a_time_limit_is_a_positive_number(timeout):
    with fleet(any_env()), pytest.raises(ludovec.InvalidConfig, match="timeout"):
        ludovec.attach(NAME, timeout=timeout)


@pytest.mark.parametrize("permissions", [0o640, 0o606, 0o400, 0o777])
def test_permissions_that_keep_clients_from_reading_or_writing_are_refused(permissions):
    with pytest.raises(ludovec.InvalidConfig, match="0600, 0660 and 0666"):
        fleet(any_env(), permissions=permissions)


# ---- the client written from env_spec/shared_memory.md ----


def first_legal(masks):
    octets = masks.view(np.uint8)
    return np.unpackbits(octets, axis=1, bitorder="little").argmax(axis=1).astype(np.int32)


def test_the_independent_client_plays_the_same_games(env_id):
    with fleet(env_id, num_envs=7, blocks=3):
        client = Client(NAME)
        assert client.document["spec"]["env"] == env_id
        assert [client.claim(k) for k in range(3)] == [True] * 3
        twin = ludovec.make(env_id, 7, max_steps=5)
        for k in range(3):
            client.request(k, shm_client.RESET, seed=11)
        twin.reset(seed=11)
        for _ in range(12):
            actions = first_legal(client.columns["mask_bits"])
            for k in range(3):
                client.request(k, shm_client.STEP, actions=actions[client.games(k)])
            twin.step(actions)
            for name, array in twin.columns.items():
                shown = client.columns[name].reshape(array.shape)
                np.testing.assert_array_equal(shown, array, err_msg=name)
        # The other commands.
        snapshot = client.request(1, shm_client.SAVE, ids=[2, 0])
        assert snapshot == twin.get_state([5, 3])
        client.request(1, shm_client.RESTORE, ids=[0, 1], payload=snapshot)
        twin.set_state([3, 4], snapshot)
        client.request(0, shm_client.RESET_SOME, ids=[1])
        twin.reset(options={"reset_mask": np.arange(7) == 1})
        client.request(
            0, shm_client.STEP_SOME, ids=[0, 2], actions=first_legal(client.columns["mask_bits"])[[0, 2]]
        )
        twin.step_games([0, 2], first_legal(twin.action_mask_bits)[[0, 2]])
        np.testing.assert_array_equal(client.columns["mask_bits"], twin.action_mask_bits)
        bots = ["random"] * client.document["spec"]["players"]
        seats = shm_client.json.dumps(bots).encode()
        sampled = twin.sample_actions()
        for k in range(3):
            client.request(k, shm_client.SAMPLE)
        np.testing.assert_array_equal(client.columns["actions"], sampled)
        chosen = twin.bot_actions(bots)
        for k in range(3):
            client.request(k, shm_client.BOTS, payload=seats)
        np.testing.assert_array_equal(client.columns["actions"], chosen)
        client.request(1, shm_client.BOTS_SOME, ids=[0, 2], payload=seats)
        np.testing.assert_array_equal(client.columns["actions"][3:5], twin.bot_actions(bots, [3, 5]))
        for k in range(3):
            client.request(k, shm_client.STEP_SAMPLED)
        twin.step_sampled()
        np.testing.assert_array_equal(client.columns["mask_bits"], twin.action_mask_bits)


def test_the_independent_client_uses_samples_without_a_request():
    with fleet(any_env(), num_envs=4, blocks=1):
        client, twin = Client(NAME), short_games(any_env(), 4)
        assert client.claim(0)
        client.request(0, shm_client.RESET, seed=3)
        twin.reset(seed=3)
        assert (client.columns["next_sample"] == -1).all()
        client.request(0, shm_client.SAMPLE)
        for step in range(10):
            actions = twin.sample_actions()
            np.testing.assert_array_equal(client.columns["actions"], actions)
            # The first sample was requested; the others are in the segment already.
            client.request(0, shm_client.STEP, actions=actions, sampled=step > 0)
            twin.step(actions)
            client.columns["actions"][:] = client.columns["next_sample"]
            np.testing.assert_array_equal(client.columns["mask_bits"], twin.action_mask_bits)


def test_the_independent_client_beside_a_python_client():
    with fleet(any_env(), num_envs=8, blocks=2) as running:
        ours = ludovec.attach(NAME, blocks=1)
        client = Client(NAME)
        assert not client.claim(0) and client.claim(1)
        with pytest.raises(ludovec.FleetError, match="side by side"):
            ludovec.attach(NAME)
        for _ in range(20):
            client.request(1, shm_client.STEP_SAMPLED)
            ours.step_sampled()
        with pytest.raises(Refused, match="game 0") as refused:
            client.request(1, shm_client.STEP, actions=[-1] * 4)
        assert refused.value.status == 1
        with pytest.raises(Refused, match="no command") as refused:
            client.request(1, 77)
        assert refused.value.status == 6
        client.release(1)
        ludovec.attach(NAME).step_sampled()
        running.stop()
        with pytest.raises(FleetGone, match=r"died|stopped"):
            client.check()


def test_the_independent_client_notices_a_killed_fleet():
    process = a_fleet_elsewhere(any_env())
    try:
        client = Client(NAME)
        assert client.claim(0)
        client.request(0, shm_client.STEP_SAMPLED)
        os.kill(process.pid, signal.SIGSTOP)
        process.kill()
        process.wait()
        start = time.monotonic()
        with pytest.raises(FleetGone, match="died"):
            client.request(0, shm_client.STEP_SAMPLED)
        assert time.monotonic() - start < 20
    finally:
        process.kill()
        process.wait()
        with fleet(any_env()):
            pass
