"""Search trees over a batch: the loop, what it shows and finds, and what it refuses."""

import copy
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from functools import cache
from xml.etree import ElementTree

import ludovec
import numpy as np
import pytest
from helpers import short_games
from ludovec.vector import unpack_bits

N = 5


def search_of(env, simulations=12, **settings):
    return ludovec.TreeSearch(env, simulations, **{"value": "seats", "num_threads": 1, **settings})


def started(env, simulations=12, **settings):
    search = search_of(env, simulations, **settings)
    search.start()
    return search


@cache
def logits_of_sums(num_actions):
    return (np.arange(101)[:, None] * 31 + np.arange(num_actions) * 17) % 101 / np.float32(50)


def judge(search):
    """A network that says the same of a position in whatever batch it is asked: all sums are exact."""
    spec = search.env.game_spec

    def network(observations, mask_bits):
        rows = observations.reshape(len(observations), -1).astype(np.int64)
        sums = rows @ (1 + np.arange(rows.shape[1]) % 97)
        # Without observations, by what is legal.
        sums += unpack_bits(mask_bits, spec.num_actions).sum(axis=1)
        logits = logits_of_sums(spec.num_actions)[sums % 101]
        values = ((sums[:, None] + np.arange(spec.players) * 7) % 21 - 10) / np.float32(10)
        return logits.astype(np.float32), values.astype(np.float32)

    return network


def found(search):
    return {
        name: getattr(search, name)
        for name in ("actions", "values", "root_offsets", "root_actions")
        + ("policy_legal", "visits_legal", "q_legal")
    }


def assert_found_same(a, b):
    for name, array in a.items():
        np.testing.assert_array_equal(array, b[name], err_msg=name)


def play_searched(env, moves, **settings):
    """What is found at every move."""
    search = started(env, **settings)
    shown = []
    for _ in range(moves):
        actions = search.run(judge(search))
        shown.append(found(search))
        env.step(actions)
        search.advance(actions)
    return shown


def assert_played_same(a, b):
    assert len(a) == len(b)
    for left, right in zip(a, b):
        assert_found_same(left, right)


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_the_loop_of_the_documentation(env_id, method):
    env = short_games(env_id, N)
    spec = env.game_spec
    search = search_of(env, method=method, dirichlet_fraction=0.25)
    search.start()
    network = judge(search)
    for _ in range(7):
        rows = 0
        while n := search.select():
            assert 0 < n <= N
            leaves = (search.observations, search.action_mask_bits, search.current_player, search.tree)
            assert [len(array) for array in leaves] == [N] * 4
            logits, values = network(search.observations[:n], search.action_mask_bits[:n])
            search.expand(logits, values)
            rows += n
        assert N <= rows <= N * 13
        actions, targets = search.actions, search.policy
        assert (actions.dtype, actions.shape) == (np.int32, (N,))
        assert (targets.dtype, targets.shape) == (np.float32, (N, spec.num_actions))
        assert (search.visits.dtype, search.visits.shape) == (np.int32, targets.shape)
        assert (search.q.dtype, search.q.shape) == (np.float32, targets.shape)
        assert (search.values.dtype, search.values.shape) == (np.float32, (N, spec.players))
        np.testing.assert_allclose(targets.sum(axis=1), 1, rtol=1e-4)
        np.testing.assert_array_equal(search.visits.sum(axis=1), 12)
        legal = env.action_mask.astype(bool)
        assert legal[np.arange(N), actions].all()
        assert not targets[~legal].any() and not search.visits[~legal].any() and not search.q[~legal].any()
        assert np.isfinite(search.q).all() and np.isfinite(search.values).all()
        env.step(actions)
        search.advance(actions)


def test_leaves_look_as_the_environment_shows_positions(env_id):
    for obs in ("u8", "f32", "none"):
        for mask in ("bytes", "bits"):
            env = ludovec.make(env_id, N, obs=obs, mask=mask, num_threads=1)
            env.step_sampled(3)
            search = started(env)
            # The first leaves are the roots.
            assert search.select() == N
            assert search.observations.dtype == env.observations.dtype
            for name in ("observations", "action_mask_bits", "current_player"):
                np.testing.assert_array_equal(getattr(search, name), getattr(env, name), err_msg=name)
            np.testing.assert_array_equal(search.tree, np.arange(N))
            assert search.tree.dtype == search.current_player.dtype == np.int32
            assert not search.action_mask_bits.flags.writeable and not search.tree.flags.writeable
            if obs == "none":
                assert search.observations.shape == (N, 0)


def test_formats_of_observations_show_the_same_leaves(env_id):
    """Deep in the tree as well: floats are the bytes times their scales."""
    searches = [started(ludovec.make(env_id, 2, obs=obs), num_threads=1) for obs in ("u8", "f32")]
    spec = searches[0].env.game_spec
    scales = np.zeros(spec.observation_len, np.float32)
    for field in spec.observation:
        scales[field.indices] = field.scale
    while (n := searches[0].select()) + (m := searches[1].select()):
        octets, floats = (search.observations[:n].reshape(n, -1) for search in searches)
        assert n == m
        np.testing.assert_allclose(floats, octets * scales, rtol=1e-6)
        for search in searches:
            search.expand(None, np.zeros((n, spec.players)))


def test_legal_actions_are_those_of_the_mask(env_id):
    search = started(ludovec.make(env_id, N), leaves=2)
    while n := search.select():
        offsets, actions = search.legal_offsets, search.legal_actions
        assert offsets.dtype == np.int64 and offsets.shape == (n + 1,) and actions.dtype == np.int32
        masks = unpack_bits(search.action_mask_bits[:n], search.env.game_spec.num_actions)
        rows, legal = masks.nonzero()
        np.testing.assert_array_equal(actions, legal)
        np.testing.assert_array_equal(np.repeat(np.arange(n), np.diff(offsets)), rows)
        search.expand(None, np.zeros((n, search.env.game_spec.players)))
    assert search.legal_offsets.tolist() == [0] and search.legal_actions.size == 0


def test_results_do_not_depend_on_how_trees_are_spread(env_id):
    def games():
        return short_games(env_id, 34, max_steps=2)

    for settings in ({"leaves": 3}, {"method": "puct", "reuse": True, "dirichlet_fraction": 0.25}):
        once = play_searched(games(), 3, **settings)
        for spread in ({"num_threads": 2}, {"groups": 2}, {"groups": 2, "num_threads": 2, "pad": True}):
            assert_played_same(once, play_searched(games(), 3, **settings, **spread))


def test_the_seed_decides_the_noise(env_id):
    plays = [play_searched(short_games(env_id, 16), 4, considered=2, seed=seed) for seed in (0, 0, 1)]
    assert_played_same(plays[0], plays[1])
    with pytest.raises(AssertionError):
        assert_played_same(plays[0], plays[2])


def test_padding_keeps_the_shape(env_id):
    env = short_games(env_id, N)
    plain, padded = (started(env, leaves=2, pad=pad) for pad in (False, True))
    shapes = set()

    def network(observations, mask_bits):
        shapes.add((observations.shape, mask_bits.shape))
        waiting = padded.tree >= 0
        assert not mask_bits[~waiting].any() and (np.diff(waiting.astype(int)) <= 0).all()
        assert padded.legal_offsets.shape == (len(mask_bits) + 1,)
        return judge(padded)(observations, mask_bits)

    np.testing.assert_array_equal(padded.run(network), plain.run(judge(plain)))
    assert_found_same(found(plain), found(padded))
    assert shapes == {(padded.observations.shape, padded.action_mask_bits.shape)}
    assert len(padded.tree) == 2 * N


def test_legal_logits_are_as_good_as_all_and_illegal_ones_are_ignored(env_id):
    env = short_games(env_id, N)
    all_, legal, noisy = (started(env, leaves=2) for _ in range(3))
    network = judge(all_)
    all_.run(network)
    while n := legal.select():
        logits, values = network(legal.observations[:n], legal.action_mask_bits[:n])
        rows = np.repeat(np.arange(n), np.diff(legal.legal_offsets))
        legal.expand_legal(logits[rows, legal.legal_actions], values)

    def spoilt(observations, mask_bits):
        logits, values = network(observations, mask_bits)
        bad = np.resize([np.nan, np.inf, -np.inf, 1e38], logits.shape)
        return np.where(unpack_bits(mask_bits, logits.shape[1]), logits, bad), values

    noisy.run(spoilt)
    assert_found_same(found(all_), found(legal))
    assert_found_same(found(all_), found(noisy))


def test_one_value_is_enough_for_two_seats_with_outcomes(env_id):
    env = short_games(env_id, N)
    if env.game_spec.players != 2:
        with pytest.raises(ludovec.InvalidConfig, match='value="seats" is needed'):
            ludovec.TreeSearch(env)
        return
    one, both = started(env, value="seat"), started(env)

    def network(observations, mask_bits):
        logits, values = judge(one)(observations, mask_bits)
        return logits, values[:, 0]

    def mirrored(observations, mask_bits):
        logits, values = network(observations, mask_bits)
        return logits, np.stack([values, -values], axis=1)

    one.run(network), both.run(mirrored)
    assert_found_same(found(one), found(both))


def refusals(search, logits, values):
    """Answers that are not fit for the leaves that wait, and what is said of them."""
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
        (both, "high", values, "logits"),
        (both, [[1.0], [2.0, 3.0]], values, "logits"),
        (legal, np.zeros(total + 1), values, rf"logits: shape \({total},\) is needed"),
        (legal, np.full(total, np.nan), values, "logits: those of leaf 0"),
    )


def test_refused_answers_change_nothing(env_id):
    env = short_games(env_id, N)
    clean, search = started(env), started(env)
    clean.run(judge(clean))
    while n := search.select():
        logits, values = judge(search)(search.observations[:n], search.action_mask_bits[:n])
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
        # What was done so far is shown at any time.
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


def test_games_that_move_meanwhile_are_noticed(env_id):
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
        search = started(env, evaluator="null")
        n = search.select()
        values = np.zeros((n, env.game_spec.players))
        move()
        for call, *answer in ((search.select,), (search.run,), (search.expand, None, values)):
            with pytest.raises(ludovec.InvalidConfig, match=r"have moved .* advance\(actions\) or start\(\)"):
                call(*answer)
        search.start()
        search.run()
        np.testing.assert_array_equal(search.visits.sum(axis=1), 12)
        # What was found stays to be read.
        env.step(search.actions)
        assert search.policy.any()


def test_looking_at_games_and_refused_moves_are_no_moves(env_id):
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


def test_finished_and_other_games_have_nothing_to_search(env_id):
    env = short_games(env_id, N, autoreset="disabled", max_steps=2)
    search = search_of(env)
    search.start([1, 3])
    search.run(judge(search))
    assert search.visits.sum(axis=1).tolist() == [0, 12, 0, 12, 0] and search.stats["trees"] == 2
    assert search.tree_json(0) is None and search.tree_json(1)["visits"] > 0
    assert not search.actions[[0, 2, 4]].any() and not search.values[[0, 2, 4]].any()
    np.testing.assert_array_equal(np.diff(search.root_offsets) > 0, [False, True, False, True, False])
    for ids in ([3, 1], [1, 1], [N], [-1]):
        with pytest.raises(ludovec.InvalidConfig):
            search.start(ids)
    assert search.select() == 0
    for _ in range(2):
        search.start()
        env.step(search.run(judge(search)))
    assert env.done.all()
    search.start()
    assert search.select() == 0 and not search.actions.any() and search.root_actions.size == 0
    assert ElementTree.fromstring(search.tree_svg(0)).tag.endswith("svg")


def test_kept_trees_start_ahead(env_id):
    """With `reuse` the visits below the action that was played count at the next move."""
    more = []
    for reuse in (False, True):
        env = ludovec.make(env_id, N, seed=3)
        search = started(env, 60, reuse=reuse, considered=2)
        for _ in range(6):
            actions = search.run(judge(search))
            assert env.action_mask[np.arange(N), actions].all()
            more.append(int((search.visits.sum(axis=1) - 60).sum()))
            env.step(actions)
            search.advance(actions)
    assert not any(more[:6]) and min(more[6:]) >= 0 and any(more[6:]), more


@pytest.mark.parametrize("evaluator", ["playout", "estimate", "null"])
def test_evaluators_need_no_network(env_id, evaluator):
    def runs(**settings):
        env = short_games(env_id, 3, max_steps=None, reward="outcome")
        search = started(env, 6, evaluator=evaluator, **settings)
        for _ in range(2):
            actions = search.run()
            yield found(search)
            np.testing.assert_array_equal(search.visits.sum(axis=1), 6)
            env.step(actions)
            search.advance(actions)

    assert_played_same(list(runs()), list(runs(num_threads=2, groups=2)))
    assert ludovec.TreeSearch.playouts(short_games(env_id), 4).settings["evaluator"] == "playout"


def test_first_moves_are_drawn_with_temperature(env_id):
    env = ludovec.make(env_id, 64, num_threads=1)

    def moves(**settings):
        search = started(env, method="puct", evaluator="null", **settings)
        search.run()
        return search.actions, search.visits[np.arange(64), search.actions]

    cold, most = moves()
    warm, drawn = moves(temperature_moves=1)
    assert (drawn >= 1).all() and (drawn <= most).all() and (warm != cold).any()
    again, _ = moves(temperature_moves=1, seed=1)
    assert (again != warm).any()


def test_arrays_of_other_libraries_are_read(env_id):
    env = short_games(env_id, N)
    plain = started(env)
    network = judge(plain)
    plain.run(network)

    def check(convert):
        search = started(env)
        search.run(lambda *leaves: tuple(map(convert, network(*leaves))))
        assert_found_same(found(plain), found(search))

    check(lambda array: array.astype(np.float64))
    check(np.asfortranarray)
    check(lambda array: np.repeat(array, 2, axis=1)[:, ::2])
    check(lambda array: array.astype(">f4"))
    check(lambda array: array.tolist())
    unaligned = lambda array: np.frombuffer(b"." + array.tobytes(), np.float32, offset=1).reshape(array.shape)
    check(unaligned)


def test_tensors_of_torch_are_read(env_id):
    torch = pytest.importorskip("torch")
    env = short_games(env_id, N)
    plain, search = started(env), started(env)
    plain.run(judge(plain))

    def network(observations, mask_bits):
        logits, values = judge(search)(observations, mask_bits)
        return torch.from_numpy(logits).requires_grad_(), torch.nn.Parameter(torch.from_numpy(values))

    search.run(network)
    assert_found_same(found(plain), found(search))
    halves = started(env)
    halves.run(lambda *leaves: [array.bfloat16() for array in network(*leaves)])
    assert (halves.visits.sum(axis=1) == 12).all()


def test_arrays_of_jax_are_read(env_id):
    jnp = pytest.importorskip("jax.numpy")
    env = short_games(env_id, N)
    plain, search = started(env), started(env, pad=True)
    plain.run(judge(plain))
    search.run(lambda *leaves: tuple(map(jnp.asarray, judge(search)(*leaves))))
    assert_found_same(found(plain), found(search))


def test_unfit_settings_are_named(env_id):
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
        "chance": ("exact", None),
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
    search.run(judge(search))
    assert search.stats["full"] == 2 and search.stats["nodes"] == 12
    for wrong in ([0, 0, 0], [0.5, 0.5], "ab"):
        env.step_sampled()
        with pytest.raises(ludovec.InvalidConfig, match="actions"):
            search.advance(wrong)
    with pytest.raises(ludovec.InvalidConfig, match="games 0 to 1"):
        search.tree_json(2)


def test_trees_are_shown_as_json_and_drawn(env_id):
    search = started(ludovec.make(env_id, 2), 40, considered=4)
    search.run(judge(search))
    tree = search.tree_json(1, 3)
    assert tree["player"] == search.env.current_player[1] and tree["visits"] == 41
    assert tree["legal_actions"] == search.env.action_mask[1].sum()
    for action in tree["actions"]:
        assert search.visits[1, action["action"]] == action["visits"]
        np.testing.assert_allclose(search.q[1, action["action"]], action["q"], rtol=1e-4, atol=1e-6)
        assert action["text"] and action["outcomes"]
    assert "actions" not in search.tree_json(1, 0)
    drawing = search.tree_svg(1)
    root = ElementTree.fromstring(drawing)
    assert root.attrib["role"] == "img" and int(root.attrib["width"]) > 0 and int(root.attrib["height"]) > 0
    assert root[0].tag.endswith("title") and "game 1" in root[0].text
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}title")]
    assert tree["actions"][0]["text"] in texts
    assert len(search.tree_svg(1, depth=1, most=1)) < len(drawing)


def test_settings_and_games_travel_in_pickles_and_copies(env_id):
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
    again.run(judge(again))
    for array, copied in zip(shown, kept):
        np.testing.assert_array_equal(array, copied)


def test_a_closed_environment_is_told_and_a_group_under_way_may_be_dropped(env_id):
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


def test_other_threads_run_meanwhile_and_are_refused(env_id):
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
                # The games are free meanwhile.
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
    # It can go on where it was.
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


@pytest.mark.skipif(not hasattr(ludovec, "serve"), reason="fleets need Linux")
def test_games_of_a_fleet_are_searched_like_others(env_id):
    name = f"pytest-search-{os.getpid()}"
    with ludovec.serve(env_id, name, N, max_steps=5, num_threads=1, blocks=1):
        env = ludovec.attach(name)
        env.reset(seed=3)
        twin = short_games(env_id, N)
        twin.reset(seed=3)
        settings = {"reuse": True, "groups": 2}
        assert_played_same(play_searched(env, 7, **settings), play_searched(twin, 7, **settings))
        search = started(env)
        env.step_sampled()
        with pytest.raises(ludovec.InvalidConfig, match="have moved"):
            search.select()
        env.close()
