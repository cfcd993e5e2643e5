"""PufferLib's own vectorization over our environments."""

import ludovec
import numpy as np
import pytest

pytest.importorskip("pufferlib")

import pufferlib
import pufferlib.vector
from ludovec.pufferlib import PufferLibEnv

pytestmark = pytest.mark.filterwarnings("ignore")


def legal(env, rows):
    """The first legal action of every row."""
    return env.split(rows)[1].argmax(axis=1).astype(np.int32)


def test_the_rows_are_those_of_the_batch(env_id):
    """PufferLib's Serial over two environments, each in its part of the shared buffers."""
    options = {"id": env_id, "num_envs": 3, "opponents": None, "max_steps": 4}
    games = pufferlib.vector.make(
        PufferLibEnv, env_kwargs=options, num_envs=2, backend=pufferlib.vector.Serial
    )
    observations, _ = games.reset(seed=5)
    twins = [ludovec.make(env_id, 3, max_steps=4) for _ in range(2)]
    for number, twin in enumerate(twins):
        twin.reset(seed=5 + number)
    length = twins[0].game_spec.observation_len
    ended = 0
    for _ in range(9):
        for number, twin in enumerate(twins):
            rows = observations[3 * number :][:3]
            np.testing.assert_array_equal(rows[:, :length], twin.observations.reshape(3, -1))
            np.testing.assert_array_equal(rows[:, length:], twin.action_mask)
        actions = legal(games.driver_env, observations)
        observations, rewards, terminals, truncations, infos = games.step(actions)[:5]
        for number, twin in enumerate(twins):
            twin.step(actions[3 * number :][:3])
            part = slice(3 * number, 3 * number + 3)
            np.testing.assert_array_equal(rewards[part], twin.reward)
            np.testing.assert_array_equal(terminals[part], twin.terminated)
            np.testing.assert_array_equal(truncations[part], twin.truncated)
            ended += twin.done.sum()
    assert ended >= 12
    games.close()


def test_the_engine_writes_into_the_buffers():
    env = PufferLibEnv("starwars_risk", 4, masks=False, seed=1)
    assert env.env.games.observations.ctypes.data == env.observations.ctypes.data
    env.reset(seed=1)
    before = env.observations.copy()
    env.step(env.env.sample_actions())
    assert (env.observations != before).any()
    assert env.single_observation_space.shape == env.env.game_spec.observation_shape


def test_workers_in_other_processes():
    options = {"id": "starwars_risk", "num_envs": 2, "max_steps": 30}
    games = pufferlib.vector.make(
        PufferLibEnv, env_kwargs=options, num_envs=2, num_workers=2, backend=pufferlib.vector.Multiprocessing
    )
    try:
        observations, _ = games.reset(seed=0)
        points = []
        for _ in range(60):
            observations, _, terminals, truncations, infos = games.step(
                legal(games.driver_env, observations)
            )[:5]
            points += [info["points"] for info in infos if "points" in info]
        assert points and all(0 <= share <= 1 for share in points)
    finally:
        games.close()


def test_points_and_lengths_of_a_finished_game():
    env = PufferLibEnv("starwars_risk", 8, seed=2, max_rounds=1)
    observations, _ = env.reset(seed=2)
    told = []
    for _ in range(200):
        observations, _, _, _, infos = env.step(legal(env, observations))
        told += infos
    assert len(told) > 8 and {info["points"] for info in told} <= {0.0, 0.5, 1.0}
    assert all(info["episode_length"] > 0 and -1 <= info["episode_return"] <= 1 for info in told)


def test_wrong_arguments():
    for wrong in ({"mask": "bits"}, {"masks": 1}, {"num_envs": 0}, {"colour": 1}):
        with pytest.raises(ludovec.InvalidConfig, match=next(iter(wrong))):
            PufferLibEnv("tilewe", **wrong)
