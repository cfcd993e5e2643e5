"""Compiled rules: C functions and Numba, against the same rules in Python."""

import importlib.util

import ludovec
import numpy as np
import pytest
from test_python_games import EXAMPLES, Dice, games, placed, position  # noqa: F401

pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="needs the checkout")


def test_c_functions_are_rules(tmp_path):
    import ctypes

    from ludovec.rules import uniform

    class State(ctypes.Structure):
        _fields_ = [("points", ctypes.c_int32 * 2), ("rolls", ctypes.c_uint8)]

    def function(*types):
        return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(State), *types)

    @function(ctypes.c_void_p)
    def init(state, chance):
        return 0

    @function(ctypes.c_int32, ctypes.c_void_p)
    def step(state, action, chance):
        state = state.contents
        for _ in range(1 + action):
            state.points[state.rolls % 2] += 1 + uniform(chance, 6)
        state.rolls += 1
        return 0

    @function()
    def current_player(state):
        rolls = state.contents.rolls
        return -1 if rolls == 4 else rolls % 2

    @function(ctypes.POINTER(ctypes.c_uint8))
    def legal(state, mask):
        mask[0] = mask[1] = 1
        return 0

    compiled = type(
        "Compiled",
        (Dice,),
        {"init": init, "step": step, "current_player": current_player, "legal": legal},
    )
    ludovec.register(compiled)
    ludovec.register(Dice)
    a, b = ludovec.make("compiled", 16, seed=7), ludovec.make("dice", 16, seed=7)
    for _ in range(12):
        actions = a.sample_actions()
        a.step(actions)
        b.step(actions)
        assert np.array_equal(a.observations, b.observations)

    @function()
    def failing(state):
        return 1

    compiled.validate = failing
    ludovec.register(compiled)
    with pytest.raises(ludovec.InvalidState, match="failed in compiled code"):
        placed("compiled", position(ludovec.Game("compiled")))


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba")
def test_numba_plays_the_same_games():
    for name in ("tic_tac_toe.py", "tic_tac_toe_numba.py"):
        ludovec.load(EXAMPLES / name)
    a, b = ludovec.make("tic_tac_toe", 64, seed=3), ludovec.make("fast_tic_tac_toe", 64, seed=3)
    for _ in range(30):
        actions = b.sample_actions()
        a.step(actions)
        b.step(actions)
        for name in ("observations", "action_mask", "rewards", "current_player"):
            assert np.array_equal(getattr(a, name), getattr(b, name)), name


@pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs numba")
def test_numba_draws_like_python():
    import numba

    members = {
        name: staticmethod(numba.njit(function))
        for name, function in {
            "init": _numba_init,
            "step": _numba_step,
            "legal": _numba_legal,
            "current_player": _numba_player,
            "observe": _numba_observe,
            "returns": _numba_returns,
        }.items()
    }
    ludovec.register(type("Drawn", (), {**_DRAWN, **members}))
    ludovec.register(
        type(
            "DrawnInPython",
            (),
            {**_DRAWN, **{k: staticmethod(v.__func__.py_func) for k, v in members.items()}},
        )
    )
    a, b = (ludovec.make(id, 32, seed=1) for id in ("drawn", "drawn_in_python"))
    for _ in range(10):
        assert np.array_equal(a.observations, b.observations)
        a.step(np.zeros(32, np.int32))
        b.step(np.zeros(32, np.int32))

    def fails(state):
        if state["moves"] == 0:
            raise ValueError("no")
        return np.ones(1, np.bool_)

    ludovec.register(type("Fails", (), {**_DRAWN, **members, "legal": staticmethod(numba.njit(fails))}))
    with pytest.raises(ludovec.RulesError, match=r"fails\.legal failed in compiled code"):
        ludovec.make("fails")
    bound = type("Bound", (), {**_DRAWN, **members, "legal": numba.njit(_numba_legal)})
    with pytest.raises(ludovec.RulesError, match="@staticmethod"):
        ludovec.register(bound)


_DRAWN = {
    "players": 1,
    "actions": 1,
    "state": [("deck", np.int64, 6), ("moves", np.int8)],
    "observation": (6,),
}


def _numba_init(state, chance):
    for i in range(6):
        state["deck"][i] = i
    chance.shuffle(state["deck"])


def _numba_step(state, action, chance):
    state["deck"][0] = chance.choice(state["deck"]) + chance.weighted([1, 0, 3])
    state["moves"] += 1


def _numba_legal(state):
    return np.ones(1, np.bool_)


def _numba_player(state):
    return -1 if state["moves"] == 5 else 0


def _numba_observe(state, player):
    return state["deck"].astype(np.uint8)


def _numba_returns(state):
    return (0.0,)
