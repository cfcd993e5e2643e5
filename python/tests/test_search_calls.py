"""Tree search over a batch: refusals, interrupts, pickling and lifetimes."""

import copy
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import ludovec
import numpy as np
import pytest
from helpers import short_games
from searches import (
    N,
    assert_found_same,
    exact_network,
    found,
    search_of,
    started,
)


def refusals(search, logits, values):
    """Invalid answers for the waiting leaves, and the expected errors."""
    (n, actions), seats = logits.shape, values.shape[1]
    first, total = search.legal_actions[0], len(search.legal_actions)
    nan, high, wrong = logits.copy(), logits.copy(), values.copy()
    nan[0, first], high[0, first], wrong[n - 1, 0] = np.nan, np.inf, np.nan
    both, legal = search.expand, search.expand_legal
    return (
        (both, nan, values, "logits: those of leaf 0"),
        (both, high, values, "logits: those of leaf 0"),
        (both, logits, wrong, "values: NaN"),
        (
            both,
            logits[:, :-1],
            values,
            rf"logits: shape \({n}, {actions}\) is needed, \({n}, {actions - 1}\)",
        ),
        (both, logits.T, values, "logits: shape"),
        (both, logits.ravel(), values, "logits: shape"),
        (both, logits, values.ravel(), rf"values: shape \({n}, {seats}\) is needed"),
        (both, logits, np.zeros((n + 1, seats)), "values: shape"),
        (both, logits, None, "values"),
        (both, "high", values, "logits: real numbers are needed, <U4 was given"),
        (both, logits, values.astype(str), "values: real numbers are needed"),
        (both, logits.astype(complex), values, "logits: real numbers are needed, complex128 was given"),
        (both, np.full(logits.shape, None), values, "logits"),
        (both, [[1.0], [2.0, 3.0]], values, "logits"),
        (legal, np.zeros(total + 1), values, rf"logits: shape \({total},\) is needed"),
        (legal, np.full(total, np.nan), values, "logits: those of leaf 0"),
        (legal, np.zeros(total), values.astype("M8[s]"), "values: real numbers are needed"),
    )


def test_refused_answers_change_nothing(env_id):
    env = short_games(env_id, N)
    clean, search = started(env), started(env)
    clean.run(exact_network(clean))
    while n := search.select():
        logits, values = exact_network(search)(search.observations[:n], search.action_mask_bits[:n])
        for call, *answer, what in refusals(search, logits, values):
            with pytest.raises(ludovec.InvalidConfig, match=what):
                call(*answer)
        assert search.select() == n
        search.expand(logits, values)
    assert_found_same(found(clean), found(search))


@pytest.mark.parametrize("groups", [1, 2])
def test_calls_out_of_order_are_refused(env_id, groups):
    env = short_games(env_id, N)
    search = search_of(env, groups=groups, evaluator="null")
    nothing = np.zeros((0, env.game_spec.players))
    results = ("actions", "policy", "visits", "q", "values", "root_offsets", "policy_legal")
    for call in (search.select, search.run, lambda: search.advance(np.zeros(N, int))):
        with pytest.raises(ludovec.InvalidConfig, match=r"no roots: call start\(\)"):
            call()
    for name in results:
        with pytest.raises(ludovec.InvalidConfig, match=r"no roots: call start\(\)"):
            getattr(search, name)
    search.start()
    for expand in (search.expand, search.expand_legal):
        with pytest.raises(ludovec.InvalidConfig, match="expand before select"):
            expand(nothing, nothing)
    for _ in range(2):
        for name in results:
            with pytest.raises(ludovec.InvalidConfig, match="not finished"):
                getattr(search, name)
        # Statistics are available at any time.
        assert search.stats["trees"] == N and search.tree_json(0)["player"] >= 0
        n = search.select()
        search.expand(None, np.zeros((n, env.game_spec.players)))
    with pytest.raises(ludovec.InvalidConfig, match="have not moved"):
        search.advance(np.zeros(N, int))
    search.run()
    assert search.select() == 0
    with pytest.raises(ludovec.InvalidConfig, match="expand before select"):
        search.expand(nothing, nothing)
    np.testing.assert_array_equal(search.visits.sum(axis=1), 12)
    with pytest.raises(ludovec.InvalidConfig, match="a network is needed"):
        started(env).run()


def test_networks_that_return_something_else_are_refused(env_id):
    search = started(short_games(env_id, N))
    for answer, what in ((None, "NoneType was returned"), ((1, 2, 3), "3 arrays were returned")):
        with pytest.raises(ludovec.InvalidConfig, match=f"logits and values are needed, {what}"):
            search.run(lambda *leaves, answer=answer: answer)
    with pytest.raises(ludovec.LudovecError, match="network=5: a function"):
        search.run(5)
    search.run(exact_network(search))


def test_games_that_move_during_a_search_are_detected(env_id):
    env = short_games(env_id, N, num_threads=1)
    env.reset(seed=1)
    state = env.get_state()
    position = json.dumps(json.loads(env.game(0).to_json())["position"])

    def send_and_receive():
        env.send(env.sample_actions())
        with pytest.raises(ludovec.InvalidConfig, match="have moved"):
            search.select()
        env.recv()

    def reset_one():
        env.reset(options={"reset_mask": np.arange(N) == 2})

    moves = [
        lambda: env.reset(seed=1),
        reset_one,
        lambda: env.step(env.sample_actions()),
        lambda: env.step_games([1], env.sample_actions()[1:2]),
        lambda: env.step_sampled(),
        lambda: env.set_state(None, state),
        lambda: env.fork([0], [1]),
        lambda: env.set_position(0, position),
        send_and_receive,
    ]
    for move in moves:
        # A proven root would end its search before all simulations.
        search = started(env, evaluator="null", proofs=False)
        n = search.select()
        values = np.zeros((n, env.game_spec.players))
        move()
        for call, *answer in ((search.select,), (search.run,), (search.expand, None, values)):
            with pytest.raises(ludovec.InvalidConfig, match=r"have moved .* advance\(actions\) or start\(\)"):
                call(*answer)
        search.start()
        search.run()
        np.testing.assert_array_equal(search.visits.sum(axis=1), 12)
        # Results stay readable.
        env.step(search.actions)
        assert search.policy.any()


def test_reading_games_and_refused_moves_do_not_count_as_moves(env_id):
    env = short_games(env_id, N)
    search = started(env)
    illegal = env.action_mask.argmin(axis=1)
    state = env.get_state()
    n = search.select()
    for call in (
        lambda: env.step(illegal),
        lambda: env.step_games([0], illegal[:1]),
        lambda: (env.send(illegal), env.recv()),
        lambda: env.set_state(None, state[:-1]),
        lambda: env.set_position(0, "{}"),
    ):
        with pytest.raises(ludovec.LudovecError):
            call()
    env.sample_actions(), env.get_state(), env.game(0), env.to_svg([0]), env.bot_actions("random")
    assert search.select() == n
    search.expand(None, np.zeros((n, env.game_spec.players)))


def test_invalid_settings_are_reported(env_id):
    env = short_games(env_id, 2)
    for name, values in {
        "simulations": (0, -1, 1.5, "8", None, True, 2**40, 10**9),
        "method": ("alphazero", None, 1),
        "considered": (0, -1),
        "gumbel_scale": (-1, float("nan"), "1", None, 1j),
        "c_init": (-1, float("inf"), 10**400),
        "c_base": (0,),
        "dirichlet_alpha": (0, "a"),
        "dirichlet_fraction": (-0.1, 1.1),
        "discount": (-0.1, 1.1),
        "value": ("players", None),
        "reuse": (1, None, "yes"),
        "leaves": (0, 1025),
        "temperature": (0,),
        "temperature_moves": (-1,),
        "groups": (0, 3),
        "pad": (1,),
        "max_nodes": (1, -1),
        "max_depth": (0,),
        "seed": (-1, 2**64, 0.5),
        "num_threads": (0, 1.5),
        "evaluator": ("network", 1),
    }.items():
        for value in values:
            with pytest.raises(ludovec.InvalidConfig, match=name):
                search_of(env, **{name: value})
    for wrong in (None, env.game(0), ludovec.make(env_id, 2, batch_size=1)):
        with pytest.raises(ludovec.InvalidConfig, match=r"env: a ludovec\.VectorEnv is needed"):
            ludovec.TreeSearch(wrong)
    search = search_of(env, np.int64(8), discount=np.float32(0.5), reuse=np.True_, max_nodes=6)
    assert search.settings["simulations"] == 8 and search.settings["discount"] == 0.5
    search.start()
    search.run(exact_network(search))
    assert search.stats["full"] == 2 and search.stats["nodes"] == 12
    for wrong in ([0, 0, 0], [0.5, 0.5], "ab"):
        env.step_sampled()
        with pytest.raises(ludovec.InvalidConfig, match="actions"):
            search.advance(wrong)
    with pytest.raises(ludovec.InvalidConfig, match="games 0 to 1"):
        search.tree_json(2)


def test_pickles_and_copies_hold_settings_and_games(env_id):
    env = short_games(env_id, N)
    search = started(env, method="puct", reuse=True, dirichlet_fraction=0.25, seed=7, evaluator="null")
    expected = (search.run(), found(search))[1]
    for twin in (pickle.loads(pickle.dumps(search)), copy.deepcopy(search), copy.copy(search)):
        assert twin.settings == search.settings
        with pytest.raises(ludovec.InvalidConfig, match="no roots"):
            twin.run()
        twin.start()
        twin.run()
        assert_found_same(expected, found(twin))
    assert copy.copy(search).env is env and env_id in repr(search)


def test_views_outlive_the_search(env_id):
    env = short_games(env_id, N)
    search = started(env)
    search.select()
    shown = (search.observations, search.action_mask_bits, search.tree)
    kept = [array.copy() for array in shown]
    del search
    env.close()
    gc.collect()
    again = started(short_games(env_id, N))
    again.run(exact_network(again))
    for array, copied in zip(shown, kept):
        np.testing.assert_array_equal(array, copied)


def test_a_closed_environment_is_an_error_and_a_group_under_way_may_be_dropped(env_id):
    env = short_games(env_id, N)
    search = started(env, groups=2)
    n = search.select()
    search.expand(None, np.zeros((n, env.game_spec.players)))
    env.close()
    with pytest.raises(ludovec.LudovecError, match="closed"):
        search.start()
    del search
    gc.collect()
    with pytest.raises(ludovec.LudovecError, match="closed"):
        search_of(env)


def test_other_threads_run_during_a_search_and_are_refused(env_id):
    env = short_games(env_id, 8, reward="outcome", max_steps=None)
    search = started(env, 1_000_000, evaluator="playout", max_depth=1)
    refused = []

    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    def look():
        while len(refused) < 4:
            try:
                search.select()
            except ludovec.LudovecError as error:
                refused.append(str(error))
                # The games are not locked during a search.
                env.sample_actions()
        os.kill(os.getpid(), signal.SIGUSR1)

    before = signal.signal(signal.SIGUSR1, stop)
    thread = threading.Timer(0.2, look)
    try:
        thread.start()
        with pytest.raises(Stop):
            search.run()
    finally:
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    assert all("one call at a time" in message for message in refused)
    # The search can be resumed.
    with pytest.raises(ludovec.InvalidConfig, match="not finished"):
        search.actions  # noqa: B018
    assert 0 < search.stats["simulations"] < 8_000_000 and search.select() > 0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_is_interrupted_soon(threads):
    code = f"""
import ludovec, os, signal, threading, time
env = ludovec.make({ludovec.list_envs()[0]!r}, 64)
search = ludovec.TreeSearch.playouts(env, 50_000_000, max_nodes=1000, max_depth=1, num_threads={threads})
search.start()
sent = []
def send():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)
for _ in range(2):
    threading.Timer(0.3, send).start()
    try:
        search.run()
    except KeyboardInterrupt:
        print(time.perf_counter() - sent[-1] < 0.5)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True\nTrue\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork")
def test_a_search_of_another_process_is_refused(env_id):
    search = started(short_games(env_id, N), num_threads=2)
    child = os.fork()
    if child == 0:
        try:
            search.select()
        except ludovec.LudovecError as error:
            os._exit(0 if "another process" in str(error) else 1)
        os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert search.select() == N
