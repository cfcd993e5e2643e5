"""JAX: loops that contain the environment, compiled once."""

import ludovec
import numpy as np
import pytest

jax = pytest.importorskip("jax")


@pytest.mark.parametrize("opponents", [None, "random"])
def test_a_jitted_loop_plays_the_environments_games(env_id, opponents):
    from ludovec.jax import functions

    arguments = {"num_envs": 4, "max_steps": 5, "num_threads": 1, "opponents": opponents}
    reset, step = functions(ludovec.make(env_id, **arguments))
    twin = ludovec.make(env_id, **arguments)
    traced = []

    @jax.jit
    def rollout(seed):
        traced.append(1)

        def play(now, _):
            after = step(jax.numpy.argmax(now.action_mask, axis=1).astype("int32"))
            return after, after

        return jax.lax.scan(play, reset(seed), None, length=12)

    for seed in (3, 4):
        _, shown = rollout(seed)
        _, info = twin.reset(seed=seed)
        for t in range(12):
            obs, reward, terminated, truncated, info = twin.step(info["action_mask"].argmax(axis=1))
            np.testing.assert_array_equal(shown.observation[t], obs)
            np.testing.assert_array_equal(shown.reward[t], reward)
            np.testing.assert_array_equal(shown.terminated[t], terminated)
            np.testing.assert_array_equal(shown.truncated[t], truncated)
            np.testing.assert_array_equal(shown.action_mask[t], info["legal_action_mask"])
            player = info["seat" if opponents else "current_player"]
            np.testing.assert_array_equal(shown.player[t], player)
    assert len(traced) == 1 and shown.truncated.any()


def test_the_environment_must_be_ours():
    from ludovec.jax import functions

    with pytest.raises(ludovec.InvalidConfig, match="env"):
        functions("tilewe")
