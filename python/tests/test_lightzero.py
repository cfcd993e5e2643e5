"""DI-engine's own checks of environments, over our games."""

import ludovec
import numpy as np
import pytest

pytest.importorskip("ding", reason="LightZero needs NumPy 1 and Gymnasium 0.28")

from ding.envs.env.env_implementation_check import check_all, demonstrate_correct_procedure
from ding.utils import ENV_REGISTRY
from ludovec.lightzero import LightZeroEnv


@pytest.mark.parametrize("opponents", ["random", None])
def test_the_checks_of_di_engine(env_id, opponents):
    options = {"players": 2} if env_id in ("smallworld", "tilewe", "empires") else {}
    check_all(LightZeroEnv({"env_id": env_id, "options": options, "opponents": opponents}))


def test_the_correct_procedure():
    demonstrate_correct_procedure(LightZeroEnv)
    assert ENV_REGISTRY.get("ludovec") is LightZeroEnv


def test_wrong_configurations():
    with pytest.raises(ludovec.InvalidConfig, match="two players"):
        LightZeroEnv({"env_id": "smallworld", "opponents": None})
    with pytest.raises(ludovec.InvalidConfig, match=r"options\.obs"):
        LightZeroEnv({"env_id": "chess", "options": {"obs": "u8"}})
    with pytest.raises(ludovec.InvalidConfig, match="reset"):
        LightZeroEnv({"env_id": "chess"}).step(0)


@pytest.mark.parametrize("opponents", ["random", "greedy", None])
@pytest.mark.parametrize("seed", [0, 5])
def test_seeded_episodes_are_those_of_make(opponents, seed):
    game = LightZeroEnv({"env_id": "starwars_risk", "opponents": opponents})
    game.seed(seed)
    given = {} if opponents is None else {"opponents": opponents, "seat": 0}
    env = ludovec.make("starwars_risk", 1, seed=seed, obs="f32", autoreset="disabled", **given)
    for episode in range(3):
        seen = game.reset()["observation"]
        expected = env.reset(seed=seed if episode == 0 else None)[0]
        assert np.array_equal(seen, expected[0])
        done = False
        while not done:
            # Drawing actions that are not played changes nothing.
            action = game.random_action()
            game.random_action()
            seen, _, done, _ = game.step(action)
            expected = env.step(action.reshape(1))[0]
            assert np.array_equal(seen["observation"], expected[0])
