"""The package: errors, optional dependencies, types."""

import importlib.resources
import inspect
import json
import pickle
import subprocess
import sys

import ludovec
import pytest


def test_exceptions_have_one_base():
    for name in ("IllegalAction", "InvalidPhase", "GameOver", "InvalidConfig", "InvalidState"):
        exception = getattr(ludovec, name)
        assert issubclass(exception, ludovec.LudovecError) and exception.__module__ == "ludovec"
        assert isinstance(pickle.loads(pickle.dumps(exception("x"))), exception)


def run_without(modules, code):
    hide = f"import sys\nfor m in {modules!r}: sys.modules[m] = None\n"
    return subprocess.run([sys.executable, "-c", hide + code], capture_output=True, text=True)


def test_numpy_is_all_it_needs():
    hidden = ["gymnasium", "pettingzoo", "torch", "jax", "ray", "stable_baselines3", "tianshou"]
    code = """
import ludovec
for id in ludovec.list_envs():
    env = ludovec.make(id, 4)
    env.reset(seed=0)
    obs, reward, terminated, truncated, info = env.step(env.sample_actions())
    ludovec.Game(id).to_svg()
assert env.metadata["autoreset_mode"] == "same_step"
try:
    env.single_observation_space
except ImportError as error:
    assert "ludovec[gym]" in str(error)
else:
    raise AssertionError
for module, extra in [("pettingzoo", "pettingzoo"), ("sb3", "torch"), ("rllib", "ray"), ("tianshou", "gym")]:
    try:
        __import__(f"ludovec.{module}")
    except ImportError as error:
        assert f"ludovec[{extra}]" in str(error), error
    else:
        raise AssertionError(module)
"""
    result = run_without(hidden, code)
    assert result.returncode == 0, result.stderr


def test_it_is_typed_and_the_stubs_are_complete():
    files = importlib.resources.files("ludovec")
    assert files.joinpath("py.typed").is_file()
    stubs = files.joinpath("_core.pyi").read_text()
    for name, member in inspect.getmembers(ludovec._core):
        if name.startswith("__") and name != "__version__":
            continue
        assert name in stubs, name
        if inspect.isclass(member) and not issubclass(member, Exception):
            for method in vars(member):
                assert method.startswith("__") or f"def {method}(" in stubs, f"{name}.{method}"


def test_everything_public_is_documented():
    for name in ludovec.__all__:
        thing = getattr(ludovec, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"


def test_gymnasium_finds_the_ids_by_module():
    gymnasium = pytest.importorskip("gymnasium")
    _, name, _ = ludovec._core.list_envs()[0]
    env = gymnasium.make_vec(f"ludovec:ludovec/{name}-v0", num_envs=3)
    assert env.num_envs == 3


@pytest.mark.skipif(not hasattr(ludovec, "serve"), reason="fleets need Linux")
def test_the_benchmark_measures_all_ways():
    id = ludovec.list_envs()[0]
    command = [sys.executable, "-m", "ludovec.bench", id, "--num-envs", "8", "--seconds", "0.05", "--json"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    times = json.loads(result.stdout)[id]
    assert set(times) == {"native", "python", "attached"} and min(times.values()) > 0
