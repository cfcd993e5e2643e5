"""Blocks of games stepped in the background."""

import inspect
import json
import time

import ludovec
import numpy as np
import pytest
from helpers import short_games


def test_blocks_play_the_same_games_as_a_whole_batch(env_id):
    n, b, steps = 12, 4, 8
    whole = short_games(env_id, n)
    obs, _ = whole.reset(seed=6)
    expected = [obs.copy()]
    for _ in range(steps):
        obs, *_ = whole.step(whole.action_mask.argmax(axis=1))
        expected.append(obs.copy())
    env = short_games(env_id, n, batch_size=b, num_threads=3)
    env.async_reset(seed=6)
    for t in range(steps + 1):
        order = []
        for _ in range(n // b):
            obs, reward, terminated, truncated, info = env.recv()
            ids = info["env_id"]
            assert ids.dtype == np.int32 and obs.shape[0] == b
            np.testing.assert_array_equal(obs, expected[t][ids])
            order.append(int(ids[0]))
            env.send(info["action_mask"].argmax(axis=1), ids)
        assert order == [0, 4, 8]
    env.close()


def test_stepping_overlaps_with_work_of_the_caller():
    """The workers step the other block while the caller sleeps (as if on a GPU)."""
    id = ludovec.list_envs()[0]
    env = ludovec.make(id, 2048, batch_size=1024, num_threads=2, obs="f32")
    env.async_reset()
    blocks = [env.recv()[-1]["env_id"] for _ in range(2)]
    think = 0.05
    for ids in blocks:
        env.send(env.blocks[ids[0] // 1024].sample_actions(), ids)
    # Both blocks are ready after the sleep: receiving them takes no time.
    time.sleep(20 * think)
    start = time.perf_counter()
    env.recv()
    env.recv()
    assert time.perf_counter() - start < think


def test_recv_raises_for_illegal_actions_of_the_block(env_id):
    env = ludovec.make(env_id, 4, batch_size=2)
    env.async_reset(seed=0)
    *_, info = env.recv()
    before = env.blocks[0].observations.copy()
    env.send(np.array([-1, -1]), info["env_id"])
    env.recv()
    with pytest.raises(ludovec.LudovecError):
        env.recv()
    np.testing.assert_array_equal(before, env.blocks[0].observations)
    env.send(env.blocks[0].sample_actions(), info["env_id"])


def test_wrong_order_of_calls_is_an_error(env_id):
    env = ludovec.make(env_id, 4, batch_size=2)
    with pytest.raises(ludovec.LudovecError, match="async_reset"):
        env.recv()
    with pytest.raises(ludovec.LudovecError, match="call recv first"):
        env.send([0, 0])
    env.async_reset()
    *_, info = env.recv()
    for ids in ([0, 2], [2, 3], [0], []):
        with pytest.raises(ludovec.InvalidConfig, match="env_id"):
            env.send([0, 0], ids)
    env.send(env.blocks[0].sample_actions(), info["env_id"])
    with pytest.raises(ludovec.LudovecError, match="under way"):
        env.blocks[0].step([0, 0])
    env.async_reset()
    env.recv()


def test_a_whole_batch_has_the_asynchronous_interface(env_id):
    env, twin = ludovec.make(env_id, 4), ludovec.make(env_id, 4)
    env.async_reset()
    obs, *_, info = env.recv()
    for _ in range(5):
        actions = twin.sample_actions()
        env.send(actions, info["env_id"])
        with pytest.raises(ludovec.LudovecError, match="under way"):
            env.sample_actions()
        obs, reward, *_, info = env.recv()
        expected, expected_reward, *_ = twin.step(actions)
        np.testing.assert_array_equal(obs, expected)
        np.testing.assert_array_equal(reward, expected_reward)


def test_an_environment_may_be_dropped_during_a_step():
    for _ in range(20):
        env = ludovec.make(ludovec.list_envs()[0], 64, batch_size=32)
        env.async_reset()
        *_, info = env.recv()
        env.send(env.blocks[0].sample_actions())
        del env


def public(env):
    return {name for name in dir(env) if not name.startswith("_")}


def test_asynchronous_environments_have_all_attributes_of_a_batch(env_id):
    """Includes Gymnasium's attributes; an attribute of a block belongs to the last received one."""
    env, whole = short_games(env_id, 4, batch_size=2), short_games(env_id, 4)
    assert public(whole) <= public(env)
    for name in public(whole):
        ours, theirs = (getattr(type(e), name, None) for e in (env, whole))
        if inspect.isfunction(theirs) and theirs.__module__.startswith("ludovec"):
            taken = inspect.signature(ours).parameters
            for parameter in inspect.signature(theirs).parameters.values():
                assert taken[parameter.name] == parameter, name
    env.async_reset(seed=0)
    env.recv()
    *_, info = env.recv()
    for name, value in vars(env.blocks[1]).items():
        if isinstance(value, np.ndarray) and not name.startswith("_"):
            assert getattr(env, name) is value
    assert (info["env_id"] == [2, 3]).all() and env.observations is env.blocks[1].observations


def test_blocks_have_gymnasiums_generator():
    env = ludovec.make("tilewe", 4, batch_size=2)
    env.reset(seed=5)
    assert env.np_random_seed == 5
    assert env.np_random.integers(2**60) == np.random.default_rng(5).integers(2**60)
    env.np_random = np.random.default_rng(9)
    assert env.np_random_seed == -1 and env.np_random is env.blocks[0].np_random
    env.close_extras()
    env.close()


def test_bots_choose_actions_in_some_games_of_a_block(env_id):
    env, whole = short_games(env_id, 6, batch_size=3), short_games(env_id, 6)
    for e in (env, whole):
        e.reset(seed=1)
    env.recv()
    for ids in ([0, 2], [3, 5]):
        np.testing.assert_array_equal(env.bot_actions("greedy", ids), whole.bot_actions("greedy", ids))
    with pytest.raises(ludovec.InvalidConfig, match="one received block"):
        env.bot_actions("greedy", [2, 3])


def test_received_blocks_are_stepped_at_once(env_id):
    env, whole = short_games(env_id, 4, batch_size=2), short_games(env_id, 4)
    whole.reset(seed=3)
    env.async_reset(seed=3)
    env.recv()
    env.recv()
    whole.step_sampled(3)
    for block in (0, 1):
        env.step_games([2 * block], [int(env.blocks[block].legal_action_mask[0].argmax())])
        assert env.received is env.blocks[block]
    env.async_reset(seed=3)
    for _ in env.blocks:
        env.recv()
        obs, *_, info = env.step_sampled(3)
        np.testing.assert_array_equal(obs, whole.observations[info["env_id"]])
    with pytest.raises(ludovec.InvalidConfig, match="one received block"):
        env.step_games([0, 3], [0, 0])
    env.send(env.sample_actions())
    with pytest.raises(ludovec.InvalidConfig, match="one received block"):
        env.step_games([3], [0])


def test_games_are_forked_across_blocks(env_id):
    env, whole = short_games(env_id, 6, batch_size=2), short_games(env_id, 6)
    for e in (env, whole):
        e.reset(seed=5)
    for _ in env.blocks[1:]:
        env.recv()
    for block in env.blocks:
        block.step_sampled(2)
    whole.step_sampled(2)
    for e in (env, whole):
        e.fork([0, 5, 2], [4, 1, 3])
        e.fork(4, [0, 5])
        # If a game is a target several times, the last copy counts.
        e.fork([0, 2, 1, 3], [3, 5, 3, 4])
    for id in range(6):
        assert env.game(id).position == whole.game(id).position
        np.testing.assert_array_equal(env.blocks[id // 2].observations[id % 2], whole.observations[id])
    # Targets continue with their own random streams.
    for _ in range(3):
        actions = whole.legal_action_mask.argmax(axis=1)
        whole.step(actions)
        for k, block in enumerate(env.blocks):
            block.step(actions[2 * k : 2 * k + 2])
    assert [env.game(i).position for i in range(6)] == [whole.game(i).position for i in range(6)]
    with pytest.raises(ludovec.InvalidConfig):
        env.fork([0, 1], [2, 3, 4])


def test_blocks_take_the_options_of_a_reset(env_id):
    env, whole = ludovec.make(env_id, 4, batch_size=2), ludovec.make(env_id, 4)
    for e in (env, whole):
        e.reset(seed=1)
    env.recv()
    position = whole.game(2).to_json()
    mask = np.array([True, False, False, False])
    options = {"reset_mask": mask, "starts": {3: json.loads(position)["position"]}}
    for e in (env, whole):
        e.reset(options=options)
    assert [env.game(i).position for i in range(4)] == [whole.game(i).position for i in range(4)]
    with pytest.raises(ludovec.InvalidConfig, match="reset_mask"):
        env.reset(options={"nothing": 1})


def test_envpools_constructors(env_id):
    from ludovec import envpool

    tasks = envpool.list_all_envs()
    assert len(tasks) == len(ludovec.list_envs())
    task = tasks[ludovec.list_envs().index(env_id)]
    env = envpool.make(task, num_envs=4, batch_size=2, seed=1, max_episode_steps=20)
    assert isinstance(env, ludovec.AsyncVectorEnv) and env.game_spec.options["max_steps"] == 20
    env.async_reset()
    for _ in range(4):
        obs, reward, terminated, truncated, info = env.recv()
        env.send(env.sample_actions(), info["env_id"])
    twin = envpool.make_gymnasium(env_id, num_envs=4, seed=1)
    obs, info = twin.reset()
    obs, reward, terminated, truncated, info = twin.step(twin.sample_actions())
    assert len(obs) == 4 and isinstance(twin, ludovec.VectorEnv)
    spec = envpool.make_spec(task, num_envs=4)
    assert spec.config["num_envs"] == 4 and spec.game_spec == ludovec.spec(env_id)
    with pytest.raises(ludovec.InvalidConfig, match="env_type"):
        envpool.make(task, env_type="atari")
    for wrong in ("Go-v1", task + "9"):
        with pytest.raises(ludovec.InvalidConfig, match="task_id"):
            envpool.make_gymnasium(wrong)
