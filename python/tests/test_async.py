"""Blocks that workers step while the caller thinks."""

import time

import ludovec
import numpy as np
import pytest
from helpers import short_games


def test_blocks_play_the_games_of_the_whole(env_id):
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


def test_stepping_overlaps_with_thinking():
    """While the caller sleeps (as if on a GPU), the other block is stepped."""
    id = ludovec.list_envs()[0]
    env = ludovec.make(id, 2048, batch_size=1024, num_threads=2, obs="f32")
    env.async_reset()
    blocks = [env.recv()[-1]["env_id"] for _ in range(2)]
    think = 0.05
    for ids in blocks:
        env.send(env.blocks[ids[0] // 1024].sample_actions(), ids)
    # Both blocks are ready when the caller has thought for long enough: receiving them takes no time.
    time.sleep(20 * think)
    start = time.perf_counter()
    env.recv()
    env.recv()
    assert time.perf_counter() - start < think


def test_illegal_actions_come_back_with_the_block(env_id):
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


def test_misuse_is_named(env_id):
    env = ludovec.make(env_id, 4, batch_size=2)
    with pytest.raises(ludovec.LudovecError, match="async_reset"):
        env.recv()
    with pytest.raises(ludovec.LudovecError, match="receive"):
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


def test_a_whole_batch_speaks_the_same_words(env_id):
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


def test_dropped_on_the_way():
    for _ in range(20):
        env = ludovec.make(ludovec.list_envs()[0], 64, batch_size=32)
        env.async_reset()
        *_, info = env.recv()
        env.send(env.blocks[0].sample_actions())
        del env
