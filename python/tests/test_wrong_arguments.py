"""Every public call with invalid arguments: it works, or raises a one-line error of the package."""

import contextlib
import inspect
import io

import ludovec
import ludovec.pettingzoo as pz
import numpy as np
import pytest
from ludovec import empires, envpool, smallworld, starwars_risk, tilewe


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Wrong arguments are valid file names, too: calls that take a file write into a folder of the test."""
    monkeypatch.chdir(tmp_path)


WRONG = [
    None, True, -1, 10**30, 1.5, float("nan"), np.float32(2), "x", "\ud800", b"\xff", (1, 2), [], ["a"], {},
    object(), print, np.zeros((2, 2)), np.array("a"),
]  # fmt: skip
TWO = {"players": 2}


def batch(**arguments):
    env = ludovec.make("tilewe", 2, num_threads=1, **TWO, **arguments)
    env.reset(seed=0)
    return env


def begun(env):
    env.reset(seed=0)
    return env


def search():
    trees = ludovec.TreeSearch(batch(), 2, evaluator="null")
    trees.start()
    return trees


OBJECTS = {
    "VectorEnv": batch,
    "AsyncVectorEnv": lambda: batch(batch_size=1),
    "SeatVectorEnv": lambda: batch(opponents="random"),
    "Game": lambda: ludovec.Game("tilewe", **TWO),
    "TreeSearch": search,
    "Spec": lambda: ludovec.spec("tilewe"),
    "Analysis": lambda: ludovec.Game("starwars_risk").analyse("search:5"),
    "GameReview": lambda: ludovec.Game("starwars_risk").review("search:5"),
    "Tournament": lambda: ludovec.evaluate("tilewe", "random", games=2, max_steps=2, **TWO),
    "AECEnv": lambda: begun(pz.aec_env("tilewe", **TWO)),
    "ParallelEnv": lambda: begun(pz.parallel_env("tilewe", **TWO)),
    "tilewe.Board": lambda: tilewe.Board(2),
    "empires.Referee": lambda: empires.Referee(["a", "b"]),
    "SmallWorldGame": lambda: smallworld.SmallWorldGame(smallworld.GameConfig(num_players=2)),
    "MapGraph": lambda: smallworld.generate_map(2, 0),
}

#: Valid calls, in which one argument is replaced.
RIGHT = {
    ludovec.make: {"id": "tilewe", "num_envs": 2, "max_steps": 3},
    ludovec.evaluate: {"policy": "random", "games": 2, "env": "tilewe", "max_steps": 2, **TWO},
    ludovec.tournament: {"env": "tilewe", "bots": ["random", "pass"], "games": 1, "max_steps": 2, **TWO},
    ludovec.play: {"env": "tilewe", "bots": {"a": "random", "b": "pass"}, "max_steps": 2},
    ludovec.spec: {"id": "tilewe", **TWO},
    ludovec.bots: {"id": "tilewe"},
    ludovec.symmetries: {"id": "tilewe"},
    ludovec.Game: {"id": "tilewe", "seed": 1, **TWO},
    ludovec.Network: {"file": "champion", "env": "tilewe"},
    ludovec.TreeSearch: {"env": ludovec.make("tilewe", 2, **TWO), "simulations": 2},
    pz.aec_env: {"id": "tilewe", **TWO},
    pz.parallel_env: {"id": "tilewe", **TWO},
    envpool.make_gymnasium: {"task_id": "Tilewe-v1", "num_envs": 2},
    envpool.make_spec: {"task_id": "Tilewe-v1"},
    empires.Referee: {"names": ["a", "b"], "width": 8},
    smallworld.GameConfig: {"num_players": 2},
    tilewe.Board: {"n_players": 2},
    starwars_risk.test_agents: {
        "rebelAgent": starwars_risk.RandomAgent(),
        "empireAgent": starwars_risk.RandomAgent(),
        "ntests": 1,
        "max_rounds": 1,
    },
}


def parameters(function):
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return [p for p in inspect.signature(function).parameters.values() if p.kind in kinds]


def refuses_or_works(what, call, **arguments):
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            call(**arguments)
    except ludovec.LudovecError as error:
        # An option that is an array is printed on several lines.
        assert "\n" not in str(error) or "configuration: option " in str(error), what
    except Exception as error:
        raise AssertionError(f"{what} with {arguments} raises {error!r}") from error


@pytest.mark.parametrize("name", OBJECTS)
def test_methods(name):
    make, called = OBJECTS[name], 0
    for method in dir(make()):
        function = getattr(type(make()), method, None)
        # Methods of PettingZoo itself, and methods with arbitrary keyword arguments.
        if method.startswith("_") or method in ("last", "close") or not callable(function):
            continue
        names = [p for p in parameters(getattr(make(), method)) if p.name != "self"]
        needed = {p.name: 0 for p in names if p.default is p.empty}
        for parameter in names:
            for wrong in WRONG:
                bound = getattr(make(), method)
                refuses_or_works(f"{name}.{method}", bound, **{**needed, parameter.name: wrong})
                called += 1
    assert called or name == "Tournament"


@pytest.mark.parametrize("function", RIGHT, ids=lambda function: function.__name__)
def test_functions(function):
    right = RIGHT[function]
    function(**right)
    for name in {p.name for p in parameters(function)} | set(right):
        for wrong in WRONG:
            # `log` is a file name, and the file may exist.
            if name == "log" and isinstance(wrong, (str, bytes)):
                continue
            refuses_or_works(function.__name__, function, **{**right, name: wrong})
