"""DI-engine's own checks of environments, over our games."""

import ludovec
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
