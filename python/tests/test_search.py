"""Tree search over a batch: the loop, its leaves and its results."""

import os
from xml.etree import ElementTree

import ludovec
import numpy as np
import pytest
from helpers import short_games
from ludovec import unpack_bits
from ludovec.game import tree_svg
from searches import (
    N,
    assert_found_same,
    assert_played_same,
    exact_network,
    found,
    play_searched,
    search_of,
    started,
)

SVG = "{http://www.w3.org/2000/svg}"


def test_reused_roots_get_noise_like_fresh_ones(env_id):
    """Noise that favours few actions gives them more visits, at fresh roots and at reused ones."""

    def most_visited(fraction):
        """Share of the most visited action: at first moves, and at later ones with a reused tree."""
        env = ludovec.make(env_id, 64, num_threads=1, seed=3)
        noise = {"c_init": 1000.0, "dirichlet_alpha": 0.03, "dirichlet_fraction": fraction}
        search = started(env, 64, method="puct", reuse=True, evaluator="null", **noise)
        kept, shares = 0, []
        for move in range(6):
            actions = search.run()
            visits = search.visits
            was_kept = visits.sum(axis=1) > 64
            kept += was_kept.sum()
            shares.extend((visits.max(axis=1) / visits.sum(axis=1))[was_kept if move else slice(None)])
            env.step(actions)
            search.advance(actions)
        assert kept > 0
        return np.mean(shares[:64]), np.mean(shares[64:])

    (fresh, again), (noisy, noisy_again) = most_visited(0.0), most_visited(1.0)
    assert noisy > fresh + 0.1 and noisy_again > again + 0.1, (fresh, again, noisy, noisy_again)


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_the_loop_of_the_documentation(env_id, method):
    env = short_games(env_id, N)
    spec = env.game_spec
    search = search_of(env, method=method, dirichlet_fraction=0.25)
    search.start()
    network = exact_network(search)
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
        # Trees with a proven root stop earlier.
        assert (search.visits.sum(axis=1) < 12).sum() <= search.stats["proven"]
        assert search.visits.sum(axis=1).max() <= 12
        legal = env.action_mask.astype(bool)
        assert legal[np.arange(N), actions].all()
        assert not targets[~legal].any() and not search.visits[~legal].any() and not search.q[~legal].any()
        assert np.isfinite(search.q).all() and np.isfinite(search.values).all()
        env.step(actions)
        search.advance(actions)


def test_leaf_observations_equal_observations_of_the_environment(env_id):
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


def test_leaves_are_equal_in_all_observation_formats(env_id):
    """Also deep in the tree: floats are the bytes multiplied by their scales."""
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


def test_legal_actions_match_the_mask(env_id):
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


def test_results_do_not_depend_on_threads_and_groups(env_id):
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
        # The answer for padding is ignored.
        logits, values = exact_network(padded)(observations, mask_bits)
        logits[~waiting], values[~waiting] = np.nan, np.nan
        return logits, values

    np.testing.assert_array_equal(padded.run(network), plain.run(exact_network(plain)))
    assert_found_same(found(plain), found(padded))
    assert shapes == {(padded.observations.shape, padded.action_mask_bits.shape)}
    assert len(padded.tree) == 2 * N


def test_logits_of_legal_actions_suffice_and_others_are_ignored(env_id):
    env = short_games(env_id, N)
    all_, legal, noisy = (started(env, leaves=2) for _ in range(3))
    network = exact_network(all_)
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


def test_one_value_suffices_for_two_players_with_outcomes(env_id):
    env = short_games(env_id, N)
    if env.game_spec.players != 2:
        with pytest.raises(ludovec.InvalidConfig, match='value="seats" is needed'):
            ludovec.TreeSearch(env)
        return
    one, both = started(env, value="seat"), started(env)

    def network(observations, mask_bits):
        logits, values = exact_network(one)(observations, mask_bits)
        return logits, values[:, 0]

    def mirrored(observations, mask_bits):
        logits, values = network(observations, mask_bits)
        return logits, np.stack([values, -values], axis=1)

    one.run(network), both.run(mirrored)
    assert_found_same(found(one), found(both))


def test_four_thousand_trees_of_64_simulations_fit_in_two_gib(env_id):
    """Trees keep the memory of the largest search, so the measurement is after whole games or 120 moves."""
    env = ludovec.make(env_id, 64, num_threads=1)
    search = started(env, 64, evaluator="null")
    for _ in range(120):
        actions = search.run()
        env.step(actions)
        search.advance(actions)
    assert search.stats["bytes"] / 64 * 4096 <= 2 * 2**30


def test_finished_and_unselected_games_have_no_search(env_id):
    env = short_games(env_id, N, autoreset="disabled", max_steps=2)
    search = search_of(env)
    search.start([1, 3])
    search.run(exact_network(search))
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
        env.step(search.run(exact_network(search)))
    assert env.done.all()
    search.start()
    assert search.select() == 0 and not search.actions.any() and search.root_actions.size == 0
    assert ElementTree.fromstring(search.tree_svg(0)).tag.endswith("svg")


def test_reused_trees_start_with_visits(env_id):
    """With `reuse`, visits below the played action count at the next move."""
    more = []
    for reuse in (False, True):
        env = ludovec.make(env_id, N, seed=3)
        search = started(env, 40, reuse=reuse, considered=2)
        for _ in range(4):
            actions = search.run(exact_network(search))
            assert env.action_mask[np.arange(N), actions].all()
            more.append(int((search.visits.sum(axis=1) - 40).sum()))
            env.step(actions)
            search.advance(actions)
    assert not any(more[:4]) and min(more[4:]) >= 0 and any(more[4:]), more


def test_followed_games_keep_their_trees(env_id):
    """``follow`` keeps the part below the position that was reached, and the trees of other games."""
    env = ludovec.make(env_id, N, seed=3)
    search = started(env, 40, considered=2)
    kept, searched, some = 0, np.arange(N), np.arange(0, N, 2, dtype=np.uint32)
    actions = search.run(exact_network(search))
    for _ in range(6):
        rest = env.action_mask.argmax(axis=1).astype(np.int32)
        rest[searched] = actions[searched]
        env.step(rest)
        # Every other game rests for a decision: its tree then finds a position two decisions below its root.
        search.follow(some)
        played = search.run(exact_network(search))
        others = np.setdiff1d(np.arange(N), some)
        assert not search.visits[others].any() and not played[others].any()
        visits = search.visits[some].sum(axis=1)
        assert (visits >= 40).all()
        kept += int((visits > 40).sum())
        actions, searched, some = played, some, others.astype(np.uint32)
    assert kept, "no tree was kept"


def test_added_rewards_are_earned_by_every_simulation_through_the_step(env_id):
    env = short_games(env_id, N)
    players, rng = env.game_spec.players, np.random.default_rng(0)
    search = started(env, 1, method="puct", reward="outcome")
    mover = env.current_player.copy()
    for deep in (False, True):
        n = search.select()
        extra = rng.integers(-8, 9, (n, players)).astype(np.float32) / 8
        for wrong in (extra[1:], extra[:, :1].repeat(players + 1, 1), np.full_like(extra, np.inf), "x"):
            with pytest.raises(ludovec.InvalidConfig):
                search.add_reward(wrong)
        search.add_reward(extra)
        # The answers of the network are zero-sum.
        search.expand(None, np.zeros((n, players), np.float32))
        assert deep or n == N, "the roots wait first, and no step led to them"
        if deep:
            games, leaf_rewards = search.tree[:n].copy(), extra
    assert search.select() == 0
    assert len(games)
    for game, extra in zip(games, leaf_rewards):
        row = slice(*search.root_offsets[game : game + 2])
        (visited,) = np.flatnonzero(search.visits_legal[row])
        assert search.q_legal[row][visited] == extra[mover[game]]
        np.testing.assert_allclose(search.mean_values[game], extra / 2)
        np.testing.assert_allclose(search.values[game], extra)
    with pytest.raises(ludovec.InvalidConfig, match="no leaves wait"):
        search.add_reward(extra)


def test_shaping_does_not_depend_on_threads_and_groups(env_id):
    env = short_games(env_id, N)
    players = env.game_spec.players

    def shaping(search, n):
        sums = search.observations[:n].reshape(n, -1).sum(axis=1, dtype=np.int64)
        return ((sums[:, None] + np.arange(players) * 3) % 9 - 4) / np.float32(8)

    def searched(**settings):
        search = started(env, 12, seed=4, **settings)
        search.run(exact_network(search), shaping=shaping)
        return found(search)

    expected = searched()
    for settings in ({"groups": 2}, {"num_threads": 2}):
        assert_found_same(expected, searched(**settings))
    plain = started(env, 12, seed=4)
    plain.run(exact_network(plain))
    assert not np.array_equal(plain.values, expected["values"])
    with pytest.raises(ludovec.InvalidConfig, match="shaping"):
        ludovec.TreeSearch.playouts(env, 2).run(shaping=shaping)


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


def test_rollouts_evaluate_leaves(env_id):
    reward = ludovec.Network("champion", env_id).reward

    def runs(**settings):
        env = short_games(env_id, 3, max_steps=None, reward=reward)
        short = {"rollouts": 2, "rollout_plies": 3, "seed": 4}
        search = started(env, 6, evaluator="rollouts", **short, **settings)
        for _ in range(2):
            actions = search.run()
            yield found(search)
            assert (search.visits.sum(axis=1) == 6).all() and np.isfinite(search.values).all()
            env.step(actions)
            search.advance(actions)

    assert_played_same(list(runs()), list(runs(num_threads=2, groups=2)))


def test_rollouts_to_the_end_know_who_wins():
    env = ludovec.make("chess", 1, fen="k7/8/8/8/8/8/5QQ1/7K b - - 0 1")
    search = started(env, 4, evaluator="rollouts", rollouts=2)
    search.run()
    white, black = search.values[0]
    assert white > 0 and black == -white


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"rollouts": 0}, "rollouts=0: 1 to 10000"),
        ({"rollout_plies": 10_001}, "rollout_plies=10001: 1 to 10000"),
        ({"rollout_network": "missing.safetensors"}, "missing.safetensors"),
        ({"reward": "score"}, "reward=outcome"),
        ({"rollouts": 1.5}, "rollouts=1.5"),
    ],
)
def test_settings_of_rollouts_are_checked(settings, told):
    env = ludovec.make("chess", 1)
    with pytest.raises(ludovec.LudovecError, match=told):
        ludovec.TreeSearch(env, 4, evaluator="rollouts", **{"value": "seats", **settings})


def test_first_moves_are_sampled_with_temperature(env_id):
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
    network = exact_network(plain)
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
    plain.run(exact_network(plain))

    def network(observations, mask_bits):
        logits, values = exact_network(search)(observations, mask_bits)
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
    plain.run(exact_network(plain))
    search.run(lambda *leaves: tuple(map(jnp.asarray, exact_network(search)(*leaves))))
    assert_found_same(found(plain), found(search))


def test_a_function_jitted_by_jax_is_compiled_once_for_padded_leaves():
    jax = pytest.importorskip("jax")
    env_id = min(ludovec.list_envs(), key=lambda id: ludovec.spec(id).num_actions)
    env = short_games(env_id, N, obs="f32", max_steps=2)
    spec = env.game_spec
    compiled, waiting = [], set()

    @jax.jit
    def network(observations, halves):
        compiled.append(len(observations))
        sums = observations.reshape(len(observations), -1).sum(axis=1, keepdims=True)
        sums += (halves % 7).sum(axis=1, keepdims=True)
        scaled = jax.numpy.sin(sums + jax.numpy.arange(spec.num_actions))
        return 3 * scaled, scaled[:, : spec.players]

    def of_padded(observations, mask_bits):
        return network(observations, mask_bits.view(np.uint32))

    def of_leaves(*leaves):
        n = len(leaves[0])
        waiting.add(n)
        # Other shapes may sum in a different order.
        full = [np.concatenate([array, np.zeros((N - n, *array.shape[1:]), array.dtype)]) for array in leaves]
        return [array[:n] for array in of_padded(*full)]

    plain, padded = started(env, 60), started(env, 60, pad=True)
    padded.run(of_padded)
    plain.run(of_leaves)
    assert compiled == [N] and len(waiting) > 1
    assert_found_same(found(plain), found(padded))


def test_trees_convert_to_json_and_svg(env_id):
    search = started(ludovec.make(env_id, 2), 40, considered=4)
    assert "0 visits" in search.tree_svg(1)
    search.run(exact_network(search))
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
    texts = [text.text for text in root.iter(f"{SVG}title")]
    assert search.env.game(1).action_in_words(int(search.actions[1])) in texts
    # The chosen action and the most visited replies are in colour: a box per depth and the lines to them.
    assert drawing.count(tree_svg._BEST[0]) == drawing.count(tree_svg._BEST[2]) + 1 > 1
    boxes = root.findall(f"{SVG}g")
    green = [box[0].text for box in boxes if box[1].attrib["fill"] == tree_svg._BEST[0]]
    assert search.env.game(1).action_in_words(int(search.actions[1])) in green
    # The root has a board, and so have the actions without chance.
    boards = [box for box in boxes if box.find(f"{SVG}svg") is not None]
    certain = sum(len(action["outcomes"]) == 1 for action in tree["actions"][:6])
    assert 1 + certain <= len(boards) <= 1 + certain + len(green), (len(boards), certain)
    without = ElementTree.fromstring(search.tree_svg(1, boards=False))
    assert len(without.findall(f"{SVG}g")) == len(boxes) and without.find(f".//{SVG}svg") is None
    # A game that has moved on no longer has the words of the tree.
    search.env.step(search.actions)
    assert ElementTree.fromstring(search.tree_svg(1)).tag.endswith("svg")
    assert len(search.tree_svg(1, depth=1, most=1)) < len(drawing)


def test_boards_of_a_tree_show_what_the_player_sees():
    env = ludovec.make("starwars_risk", 1, seed=4)
    search = started(env, 8)
    search.run(exact_network(search))
    tree, chosen, game = search.tree_json(0, 2), int(search.actions[0]), env.game(0)
    twin = game.determinize(game.current_player, 7)
    assert twin.to_svg() != game.to_svg()
    drawings = {tree_svg.tree_svg(tree, "tree", 6, chosen, other, True) for other in (game, twin)}
    assert drawings == {search.tree_svg(0).replace("Search tree of game 0 (StarWarsRisk)", "tree")}


@pytest.mark.skipif(not hasattr(ludovec, "Fleet"), reason="fleets need Linux")
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


#: White mates by the rook to a8, and by nothing else; Black is lost anyway.
MATE = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"


@pytest.mark.parametrize("method", ["gumbel", "puct"])
def test_a_proven_win_needs_no_network(method):
    env = ludovec.make("chess", 2, num_threads=1)
    env.set_position(1, {"fen": MATE})
    search = started(env, 8, method=method, one_ply=True, gumbel_scale=0.0)
    network = exact_network(search)
    while n := search.select():
        assert not search.tree[:n].any(), "the tree of the mate is proven"
        search.expand(*network(search.observations[:n], search.action_mask_bits[:n]))
    mate = ludovec.Game("chess", fen=MATE).string_to_action("a1a8")
    assert search.actions[1] == mate and search.stats["proven"] == 1
    assert (search.proven.dtype, search.proven.shape) == (np.int8, search.policy.shape)
    assert not search.proven[0].any() and np.flatnonzero(search.proven[1]).tolist() == [mate]
    assert search.proven[1, mate] == search.q[1, mate] == search.policy[1, mate] == 1
    assert search.proven_legal.shape == search.root_actions.shape and search.proven_legal.sum() == 1
    assert search.values[1].tolist() == [1, -1]
    assert search.mean_values.shape == search.values.shape
    # The value of a position is the value of its best action.
    np.testing.assert_allclose(search.values[0, 0], search.q[0, search.actions[0]], atol=1e-5)


def test_without_proofs_a_search_averages_ends():
    env = ludovec.make("chess", 1, num_threads=1)
    env.set_position(0, {"fen": MATE})
    search = started(env, 64, proofs=False, one_ply=True, evaluator="null")
    search.run()
    assert search.stats["proven"] == 0 and not search.proven.any() and search.visits.sum() == 64
