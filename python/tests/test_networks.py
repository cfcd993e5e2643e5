"""Networks from files: inference, players, searches; shipped networks; invalid files.

The tests share the writers of network files, so the file is long.
"""

import hashlib
import json
from pathlib import Path

import ludovec
import numpy as np
import pytest
from network_files import CHAMPIONS, claimed, env_of, every_champion, positions, read, torch_models


@pytest.fixture(scope="module")
def models():
    return torch_models()


def test_a_network_is_a_player_like_its_text():
    network = ludovec.Network("champion", "tilewe")
    how = {"games": 8, "env": "tilewe", "players": 2}
    result = ludovec.evaluate(network, "random", **how)
    assert result == ludovec.evaluate("net:champion", "random", **how)
    table = ludovec.tournament("tilewe", {"mine": network, "other": "random"}, 2, players=2)
    assert table["mine"].games == 2
    env, twin = (ludovec.make("tilewe", 4, opponents=one) for one in (network, "net:champion"))
    for _ in range(5):
        actions = env.action_mask.argmax(axis=1)
        np.testing.assert_array_equal(env.step(actions)[0], twin.step(actions)[0])
    with pytest.raises(ludovec.InvalidConfig, match="plays tilewe, not chess"):
        ludovec.evaluate("chess", network, "random", 2)


def answers(file, spec, observations):
    """Logits and values by NumPy."""
    t, metadata = read(file)
    inputs = json.loads(metadata["inputs"])
    rows = observations.reshape(len(observations), -1)
    fields = {field.name: field for field in spec.observation}
    board, graph = inputs["board"], inputs.get("graph")

    def nodes_of(name, at, count):
        """bool [n, ..., count]: the sets of nodes of a field."""
        return np.unpackbits(rows[:, fields[name].indices[tuple(at)]], axis=-1, bitorder="little")[
            ..., :count
        ]

    def of_nodes(channel, count):
        """A number for each node: of a field with one for each, or whether the node is in a set."""
        name, at, table = channel
        field = fields.get(name)
        if field is None or any(i >= n for i, n in zip(at, field.indices.shape)):
            return np.zeros((n, count))
        indices = field.indices[tuple(at)]
        return t["tables"][table][rows[:, indices]] if len(indices) == count else nodes_of(name, at, count)

    def look_up(channel, spatial):
        name, at, table = channel
        field = fields.get(name)
        if field is None:
            return 0.0
        indices = field.indices
        if spatial and board["axis"] == 0:
            indices = np.moveaxis(indices, (0, 1), (-2, -1))
        if any(i >= n for i, n in zip(at, indices.shape)):
            return 0.0
        return t["tables"][table][rows[:, indices[tuple(at)]]]

    def dense(name, x):
        return x @ t[f"{name}.weight"].T + t.get(f"{name}.bias", 0.0)

    def convolve(name, x):
        padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
        height, width = x.shape[1:3]
        weights = t[f"{name}.weight"]
        return t[f"{name}.bias"] + sum(
            padded[:, i : i + height, j : j + width] @ weights[:, i, j].T for i in range(3) for j in range(3)
        )

    def norm(name, x):
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
        return x * t[f"{name}.weight"] + t[f"{name}.bias"]

    def relu(x):
        return np.maximum(x, 0.0)

    n = len(rows)
    numbers = [np.broadcast_to(look_up(channel, False), n) for channel in inputs["scalars"]]
    # A network over a board may have no scalars: nothing is added to its cells then.
    numbers = dense("scalars", np.stack(numbers, 1)) if numbers else np.zeros((n, 1))
    blocks = sum(name.endswith("first.weight") for name in t)
    if graph is not None:
        count = fields[graph["field"]].shape[0]
        shape = (count, 1)
        edges = nodes_of(graph["field"], [], count).astype(float)
        near = edges / np.maximum(edges.sum(2, keepdims=True), 1)
        real = edges.any(2)[..., None]
        g = relu(numbers)
        planes = np.stack([of_nodes(channel, count) for channel in inputs["planes"]], 2)
        x = relu(dense("planes", planes) + dense("spread", g)[:, None])
        for i in range(blocks):
            name = f"blocks.{i}."
            inner = (
                dense(name + "first", np.concatenate([x, near @ x], 2)) + dense(name + "whole", g)[:, None]
            )
            x = relu(x + dense(name + "second", relu(inner)))
            mean = (x * real).sum(1) / real.sum(1)
            g = relu(g + dense(name + "mixed", np.concatenate([g, mean], 1)))
        pooled = g
        outputs = dense("policy_planes", x * real).reshape(n, -1)
        outputs = np.concatenate([outputs, dense("policy_others", g)], 1)
    elif board is None:
        x = numbers
        for i in range(blocks):
            inner = relu(dense(f"blocks.{i}.first", norm(f"blocks.{i}.norm", x)))
            x = x + dense(f"blocks.{i}.second", inner)
        pooled = relu(norm("norm", x))
        outputs = dense("policy_others", pooled)
    else:
        field = fields[board["field"]]
        axis = board["axis"] % len(field.shape)
        shape = field.shape[axis : axis + 2]
        planes = np.stack(
            [np.broadcast_to(look_up(channel, True), (n, *shape)) for channel in inputs["planes"]], 3
        )
        x = cells = relu(convolve("planes", planes) + numbers[:, None, None])
        if "down.weight" in t:
            stride = round((t["down.weight"].shape[1] / x.shape[3]) ** 0.5)
            x = np.pad(x, ((0, 0), (0, -shape[0] % stride), (0, -shape[1] % stride), (0, 0)))
            patches = (n, x.shape[1] // stride, stride, x.shape[2] // stride, stride, x.shape[3])
            x = relu(dense("down", x.reshape(patches).swapaxes(2, 3).reshape(n, patches[1], patches[3], -1)))
        for i in range(blocks):
            name = f"blocks.{i}."
            inner = convolve(name + "first", x) + dense(name + "pooled", x.mean((1, 2)))[:, None, None]
            x = relu(x + convolve(name + "second", relu(inner)))
        if "up.weight" in t:
            up = dense("up", x).reshape(n, patches[1], patches[3], stride, stride, -1).swapaxes(2, 3)
            up = up.reshape(n, patches[1] * stride, patches[3] * stride, -1)
            x = relu(cells + up[:, : shape[0], : shape[1]])
        pooled = x.mean((1, 2))
        outputs = dense("policy_planes", x).reshape(n, -1)
        if "policy_others.weight" in t:
            outputs = np.concatenate([outputs, dense("policy_others", pooled)], 1)
    index = t.get("policy_index")
    if index is None:
        index = plain_index(spec, (0, 0) if board is graph is None else shape)
    values = dense("value", relu(dense("value_hidden", pooled)))
    if "support" in t:
        weights = np.exp(values.reshape(n, -1, len(t["support"])))
        values = (weights * t["support"]).sum(2) / weights.sum(2)
    return outputs[:, index.astype(int)], values[:, : spec.players] * float(metadata["value_scale"])


def plain_index(spec, board):
    """Actions of cells are planes, and so are those of a piece that has no room at some cells."""
    cells = board[0] * board[1]
    grids = [family.name for family in spec.actions if family.values.axes == ("rank", "file")]
    planes = [family for family in spec.actions if family.count == cells or family.name in grids]
    index, others = np.zeros(spec.num_actions), cells * len(planes)
    for family in spec.actions:
        actions = slice(family.offset, family.offset + family.count)
        if family in planes:
            cell = np.arange(cells).reshape(board)
            if family.name in grids:
                cell = cell[: family.shape[0], : family.shape[1]]
            index[actions] = cell.ravel() * len(planes) + planes.index(family)
        else:
            index[actions] = others + np.arange(family.count)
            others += family.count
    return index


@every_champion
def test_champions_agree_with_numpy(file):
    for options in claimed(file):
        env = positions(env_of(file), options)
        logits, values = ludovec.Network("champion", env, precision="float")(env.observations)
        wanted = answers(file, env.game_spec, env.observations)
        for found, there in zip((logits, values), wanted):
            assert found.dtype == np.float32 and found.shape == there.shape
            np.testing.assert_allclose(found, there, rtol=2e-4, atol=2e-4 * max(1.0, np.abs(there).max()))
        again = ludovec.Network(file, env, num_threads=1, precision="float")
        for i in (0, 7):
            alone = again(env.observations[i : i + 1])
            np.testing.assert_array_equal(alone[0][0], logits[i])
            np.testing.assert_array_equal(alone[1][0], values[i])


@every_champion
def test_champions_in_integers_choose_nearly_the_same_actions(file):
    env = positions(env_of(file), claimed(file)[0], 128)
    precisions = ("float", "int8", "int16")
    networks = [ludovec.Network("champion", env, precision=precision) for precision in precisions]
    assert tuple(network.precision for network in networks) == precisions
    legal = env.action_masks()
    (logits, values), *others = answers = [network(env.observations) for network in networks]
    for (near, near_values), least, most in zip(others, (0.94, 0.98), (0.1, 0.01), strict=True):
        assert (logits != near).any()
        best, found = (np.where(legal, x, -np.inf).argmax(1) for x in (logits, near))
        assert (best == found).mean() > least
        assert np.abs(values - near_values).max() < most * np.abs(values).max()
    # Any batch and the file's own precision give the same answers.
    own = ludovec.Network("champion", env)
    precision = own.precision
    whole = dict(zip(precisions, (logits for logits, _ in answers), strict=True))[precision]
    np.testing.assert_array_equal(own(env.observations[5:8])[0], whole[5:8])
    assert networks[1].player == "net:champion?precision=int8"


@every_champion
def test_the_page_of_the_champions_has_their_sizes_and_hashes(file):
    page = (file.parent / "README.md").read_text(encoding="utf-8")
    found = hashlib.sha256(file.read_bytes()).hexdigest()
    assert f"| `{file.name}` | {file.stat().st_size:,} | `{found}` |" in page
    assert f"### {file.name}" in page and file.stat().st_size <= 2**21


@every_champion
def test_champions_play_legal_moves_under_all_their_options(file):
    for options in claimed(file):
        env = ludovec.make(env_of(file), 4, seed=1, **options)
        for step in range(30):
            # An illegal action would raise.
            env.step(env.bot_actions("net:champion" if step % 3 else "net:champion:3"))


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_champions_play_small_world_on_every_map_with_both_rule_sets(players):
    for options in (
        {},
        {"rules": "official"},
        {"map": "board"},
        {"map": "board", "rules": "official"},
        {"map_seed": 7},
    ):
        table = ludovec.tournament(
            "smallworld", ["net:champion", "random"], games=4, players=players, **options
        )
        wins = {row.bot: row.wins for row in table.standings}
        assert not any(row.faults for row in table.standings)
        assert wins["net:champion"] >= 3 and sum(wins.values()) == 4


@every_champion
def test_champions_evaluate_leaves_of_searches(file):
    game, options = env_of(file), claimed(file)[0]
    reward = ludovec.Network("champion", game, **options).reward
    env = ludovec.make(game, 6, seed=2, reward=reward, **options)
    search = ludovec.TreeSearch(env, 8, value="seats")
    search.start()
    champion = ludovec.Network("champion", env)
    actions = search.run(champion)
    assert env.action_masks()[np.arange(6), actions].all()
    # With other rewards than the environment's: the setting gives the same search, without it the call is
    # refused.
    for mode in {"outcome", "score", "margin"} - {reward}:
        other = ludovec.make(game, 6, seed=2, reward=mode, **options)
        same = ludovec.TreeSearch(other, 8, value="seats", reward=reward)
        same.start()
        assert same.run(champion).tolist() == actions.tolist()
        assert np.array_equal(same.policy, search.policy)
        mixed = ludovec.TreeSearch(other, 8, value="seats")
        mixed.start()
        with pytest.raises(
            ludovec.InvalidConfig, match=f"its values predict reward={reward}, .*TreeSearch"
        ) as error:
            mixed.run(champion)
        assert "\n" not in str(error.value)
        # Rewards of functions are unknown.
        assert mixed.run(lambda rows, bits: champion(rows, bits)).shape == (6,)
    if env.game_spec.players == 2 and reward == "outcome":
        search = ludovec.TreeSearch(env, 8)
        search.start()
        search.run(ludovec.Network("champion", env, value="seat"))


@every_champion
def test_values_of_champions_do_not_drift_with_the_depth(file):
    # Where a network predicts other rewards than the search adds, what is left out or counted twice
    # grows with the depth.
    options = claimed(file)[0]
    env = ludovec.make(env_of(file), 48, seed=5, **options)
    champion = ludovec.Network("champion", env)
    for _ in range(40):
        env.step(env.bot_actions("net:champion"))

    def drift(rewards):
        """Change of the values of all players between 1 and 256 simulations, by the size of values."""
        values = []
        for simulations in (1, 256):
            search = ludovec.TreeSearch(env, simulations, value="seats", reward=rewards)
            search.start()
            search.run(lambda rows, bits: champion(rows, bits))
            values.append(search.values.copy())
        shallow, deep = values
        return (deep - shallow).sum(1).mean() / np.abs(shallow).mean()

    assert abs(drift(champion.reward)) < 0.2
    # What opponents earn is in a margin, but not in a player's own points.
    if champion.reward == "margin":
        assert drift("score") > 0.5


@pytest.mark.parametrize("file", CHAMPIONS)
def test_logits_of_legal_actions_are_those_of_all_actions(file):
    env = ludovec.make(env_of(file), 40, seed=3, mask="bits", **claimed(file)[0])
    env.step_sampled(15)
    network = ludovec.Network(file, env)
    bits = ludovec.unpack_bits(env.action_mask_bits, env.game_spec.num_actions)
    rows, actions = np.nonzero(bits)
    offsets = np.searchsorted(rows, np.arange(41))
    logits, values = network(env.observations)
    for few, same in (
        network(env.observations, None, offsets, actions),
        network(env.observations, env.action_mask_bits, list(offsets), list(actions)),
    ):
        assert np.array_equal(few, logits[rows, actions]) and np.array_equal(same, values)
    chosen = []
    for legal in (False, True):
        search = ludovec.TreeSearch(env, 8, value="seats", reward=network.reward, seed=1)
        search.start()
        chosen.append(search.run(network, legal=legal))
    assert np.array_equal(*chosen)


def test_networks_refuse_invalid_arguments(tmp_path):
    champion, env_id = CHAMPIONS[0], env_of(CHAMPIONS[0])
    other = next(id for id in ludovec.list_envs() if id != env_id)
    env = ludovec.make(env_id, 2, **claimed(champion)[0])
    network = ludovec.Network("champion", env)
    for call, what in [
        (lambda: ludovec.Network(tmp_path / "none.safetensors"), "none.safetensors"),
        (lambda: ludovec.Network("champion"), "env"),
        (lambda: ludovec.Network(champion, other), "it plays"),
        (lambda: ludovec.Network("champion", env_id, value="both"), "value="),
        (
            lambda: ludovec.Network("champion", env_id, precision="half"),
            "precision=.half.: one of float, int8",
        ),
        (lambda: env.bot_actions("net:champion?precision=half"), "one of float, int8, int16 is allowed"),
        (lambda: ludovec.Network("champion", env, players=2), "players"),
        (lambda: network(env.observations.astype(np.float32)), "uint8"),
        (lambda: network(env.observations[0].ravel()), "uint8"),
        (lambda: network(env.observations.reshape(2, -1)[:, :-1]), "rows of"),
        (
            lambda: network(env.observations, None, [0, 1], [0]),
            "legal_offsets: 3 increasing numbers from 0 to 1",
        ),
        (lambda: network(env.observations, None, [0, 2, 1], [0]), "legal_offsets: 3 increasing"),
        (lambda: network(env.observations, None, [0, 1, 1]), "legal_actions: integers"),
        (lambda: network(env.observations, None, None, [0]), "legal_offsets: integers"),
        (lambda: network(env.observations, None, [0, 1, 1], [0.5]), "legal_actions: integers"),
        (lambda: network(env.observations, None, [0, 1, 1], [-1]), "legal_actions: numbers from 0 to"),
        (lambda: network(env.observations, None, [0, 0, 1], [10**6]), "legal_actions: numbers from 0 to"),
        (lambda: env.bot_actions("net:"), "net:FILE"),
        (lambda: env.bot_actions(f"net:{tmp_path}"), str(tmp_path)),
    ]:
        with pytest.raises(ludovec.InvalidConfig, match=what) as error:
            call()
        assert "\n" not in str(error.value)
    assert network(env.observations[:0])[0].shape[0] == 0


def test_a_network_takes_its_environment_from_games_or_spec():
    """Accepts a batch, one seat of it, blocks of it and their spec."""
    env_id = "tilewe"
    plain = ludovec.Network("champion", env_id, players=3)
    for env in (
        ludovec.make(env_id, 2, players=3),
        ludovec.make(env_id, 2, players=3, opponents="random"),
        ludovec.make(env_id, 4, players=3, batch_size=2),
        ludovec.spec(env_id, players=3),
    ):
        network = ludovec.Network("champion", env)
        observations = ludovec.make(env_id, 2, players=3).observations
        np.testing.assert_array_equal(network(observations)[1], plain(observations)[1])
        with pytest.raises(ludovec.InvalidConfig, match="players: options are not allowed"):
            ludovec.Network("champion", env, players=3)
    with pytest.raises(ludovec.InvalidConfig, match="env=3"):
        ludovec.Network("champion", 3)


def changed(file, into, tensors=None, **metadata):
    """A copy of a network with changed metadata and tensor bytes."""
    data = Path(file).read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8:end]), bytearray(data[end:])
    header["__metadata__"].update(metadata)
    for name, content in (tensors or {}).items():
        first, last = header[name]["data_offsets"]
        body[first:last] = content * ((last - first) // len(content))
    text = json.dumps(header).encode()
    into.write_bytes(len(text).to_bytes(8, "little") + text + body)
    return into


def options_that_may_be_none():
    for champion in CHAMPIONS:
        for name, value in ludovec.spec(env_of(champion)).options.items():
            if value is None and name in ludovec.Network(champion).options:
                yield champion, name


@pytest.mark.parametrize(("champion", "name"), list(options_that_may_be_none()))
def test_an_option_of_none_is_checked_like_other_values(champion, name, tmp_path):
    """A network for one value of an option refuses games without a value for it."""
    options = json.loads(read(champion)[1]["options"])
    value = {"map": "islands", "castles": "1:1,5:5", "fen": "8/8/8/8/8/8/8/K1k5 w - - 0 1"}.get(name, 5)
    options[name] = [value]
    file = changed(champion, tmp_path / "one.safetensors", options=json.dumps(options))
    env = ludovec.make(env_of(champion), 2, **claimed(champion)[0])
    for call in (lambda: ludovec.Network(file, env), lambda: env.bot_actions(f"net:{file}")):
        with pytest.raises(ludovec.InvalidConfig, match=f"{name}=.*not none") as error:
            call()
        assert str(file) in str(error.value)


@pytest.mark.parametrize("champion", CHAMPIONS, ids=[file.stem for file in CHAMPIONS])
def test_invalid_network_files_are_refused_in_one_line(champion, tmp_path):
    """Truncated files, random changes, impossible sizes, non-finite weights."""
    data = champion.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    rng = np.random.default_rng(0)
    env = ludovec.make(env_of(champion), 2, **claimed(champion)[0])
    file = tmp_path / "hostile.safetensors"

    def refused(content):
        """The error message; None if the file is a valid network nevertheless."""
        if content is not None:
            file.write_bytes(content)
        try:
            ludovec.Network(file, env)(env.observations)
        except ludovec.InvalidConfig as error:
            assert "\n" not in str(error) and str(file) in str(error), error
            return str(error)
        return None

    for length in (0, 7, 8, 9, 100, end - 1, end, end + 1, len(data) // 2, len(data) - 1):
        assert refused(data[:length]), length
    assert refused(data + b"x") and refused(rng.bytes(5000)) and refused(bytes(8) + b"{" + rng.bytes(500))
    for _ in range(40):
        noisy = bytearray(data)
        noisy[rng.integers(end)] = rng.integers(256)
        refused(bytes(noisy))
    header, body = json.loads(data[8:end]), data[end:]
    for name in header.keys() - {"__metadata__"}:
        for shape in ([0], [], [1 << 62, 1 << 62], [2**63 - 1], [1] * 50, [-1], ["many"], None):
            text = json.dumps({**header, name: {**header[name], "shape": shape}}).encode()
            assert refused(len(text).to_bytes(8, "little") + text + body), (name, shape)
    for name, part in header.items():
        if name.endswith("weight"):
            number = {"F16": np.float16, "F32": np.float32}[part["dtype"]]
            for value in (np.nan, np.inf):
                changed(champion, file, {name: number(value).tobytes()})
                assert "not a finite number" in refused(None)
    for key, values in {
        "environment": ["", "go"],
        "version": ["", "-1", "1.5", "99", "9" * 40],
        "options": ["", "[]", "null", "{}", '{"players": 2}', '{"no_option": [1]}', "[" * 10_000],
        "inputs": ["", "{}", "[]", '{"board": null, "planes": [], "scalars": []}'],
        "search": ["", "best"],
        "reward": ["", "money"],
        "value_scale": ["", "NaN", "inf", "0", "-1", "1e99"],
        "c_init": ["", "NaN", "-1", "0"],
        "precision": ["", "half"],
    }.items():
        for value in values:
            changed(champion, file, **{key: value})
            assert refused(None), (key, value)


@every_champion
def test_every_legal_action_has_an_output_of_its_own(file):
    """With the champion's board, if it has one; legal actions of a position never share an output."""
    pytest.importorskip("torch")
    from ludovec import nets

    inputs = json.loads(read(file)[1]["inputs"])
    board, graph = inputs["board"], inputs.get("graph")
    for options in claimed(file):
        env = ludovec.make(env_of(file), 64, seed=3, **options)
        size = None if board is None else nets.Board(**board).size(env.game_spec)
        size = size if graph is None else (nets.Graph(**graph).nodes(env.game_spec), 1)
        outputs, planes, others = nets.action_outputs(env.game_spec, size)
        count = others + (planes * size[0] * size[1] if size else 0)
        assert outputs.shape == (env.game_spec.num_actions,) and 0 <= outputs.min() <= outputs.max() < count
        assert (planes > 0) == (size is not None)
        for _ in range(12):
            for legal in env.action_masks():
                found = outputs[legal]
                assert len(np.unique(found)) == len(found)
            env.step_sampled(9)


def about(game):
    """The shape of the board as the observation shows it, and a function: whether an action of this position
    is about a cell of it."""
    fields = {field.name: field for field in game.spec.observation}

    def seen(name, position=game, player=None):
        return np.asarray(position.observation(player)).ravel()[fields[name].indices]

    if game.spec.env == "chess":
        name = "own" if "own" in fields else "own_0"
        own = seen(name).any(fields[name].values.axes.index("kind"))
        # A piece moves from its cell; a piece in hand is placed on another.
        return own.shape, lambda action, cell: own[cell] == (game.spec.family(action).name != "place")
    if game.spec.env == "empires":
        own = seen("owner") == 1
        return own.shape, lambda action, cell: own[cell] == (game.spec.family(action).name != "conquer")
    player, before = game.current_player, seen("own")

    def lower_left(action, cell):
        after = game.clone()
        after.step(action)
        return tuple(np.argwhere(seen("own", after, player) > before).min(0)) == cell

    return before.shape, lower_left


VARIANTS = sorted(path.stem for path in (Path(__file__).parents[2] / "assets" / "chess").glob("*.toml"))


@pytest.mark.parametrize(
    ("game", "options"),
    [
        *(("chess", {"variant": variant}) for variant in VARIANTS),
        ("tilewe", {}),
        ("tilewe", {"mode": "blokus_duo"}),
        ("empires", {"width": 9, "height": 12}),
    ],
)
def test_the_output_of_a_cell_is_where_the_observation_shows_the_cell(game, options):
    """The output of a move is at the cell of its piece: convolutions would learn mirrored boards else.

    Legal actions of a position never share an output.
    """
    pytest.importorskip("torch")
    from ludovec import nets

    rng = np.random.default_rng(0)
    single = ludovec.Game(game, seed=1, **options)
    outputs, planes, _ = nets.action_outputs(single.spec, about(single)[0])
    found = 0
    for _ in range(60):
        if single.is_terminal:
            break
        legal = single.legal_actions()
        assert len(np.unique(outputs[legal])) == len(legal)
        (rows, columns), fits = about(single)
        for action in rng.permutation(legal)[:8]:
            cell = outputs[action] // planes
            if cell < rows * columns:
                assert fits(int(action), divmod(int(cell), columns)), single.action_to_string(int(action))
                found += 1
        single.step(int(rng.choice(legal)))
    assert found > 20


def test_one_network_plays_boards_of_several_sizes(tmp_path):
    """Pieces have less room on a smaller board; their actions have the same planes of the same cells."""
    torch = pytest.importorskip("torch")
    from ludovec import nets
    from ludovec.nets.exporting import OnObservations

    kinds = [{"mode": "blokus", "players": 4}, {"mode": "blokus_duo"}, {"board": 9, "players": 2}]
    specs = [ludovec.spec("tilewe", **options) for options in kinds]
    inputs = nets.Inputs.of(specs, nets.Board("own", -2), steps=20)
    network = nets.ResidualNetwork(inputs, specs[0], channels=8, blocks=1).eval()
    for head in (network.policy_planes, network.value):
        torch.nn.init.normal_(head.weight)
    file = tmp_path / "tilewe.safetensors"
    nets.save(network, file, nets.Card.of(*specs), specs[0], torch.float32)
    assert "policy_index" not in read(file)[0]
    for options, spec in zip(kinds, specs):
        env = positions("tilewe", options)
        logits, values = ludovec.Network(file, env)(env.observations)
        with torch.inference_mode():
            wanted = OnObservations(network, spec)(torch.from_numpy(env.observations))
        assert logits.shape == (env.num_envs, spec.num_actions) and logits.std() > 0.1
        np.testing.assert_allclose(logits, wanted[0], rtol=2e-4, atol=2e-4)
        np.testing.assert_allclose(values, wanted[1], rtol=2e-4, atol=2e-4)
        own, _ = answers(file, spec, env.observations)
        np.testing.assert_allclose(logits, own, rtol=2e-4, atol=2e-4)


def test_weights_of_a_network_on_other_options_can_be_read(tmp_path):
    """Inputs, their order and seats differ; in positions of the first options the answers are the same."""
    torch = pytest.importorskip("torch")
    from ludovec import nets
    from ludovec.nets.exporting import OnObservations

    duo, four = (ludovec.spec("tilewe", mode=mode) for mode in ("blokus_duo", "blokus"))
    board = nets.Board("own", -2)
    first = nets.ResidualNetwork(nets.Inputs.of([duo], board, steps=20), duo, channels=8, blocks=1).eval()
    for weights in first.parameters():
        torch.nn.init.normal_(weights, std=0.1)
    file = tmp_path / "duo.safetensors"
    nets.save(first, file, nets.Card.of(duo), duo, torch.float32)
    more = nets.ResidualNetwork(nets.Inputs.of([four, duo], board, steps=20), four, channels=8, blocks=1)
    assert len(more.inputs.scalars) > len(first.inputs.scalars) and more.players == 4
    nets.load(more, file)
    observations = torch.from_numpy(positions("tilewe", {"mode": "blokus_duo"}).observations)
    with torch.inference_mode():
        wanted, found = (OnObservations(network.eval(), duo)(observations) for network in (first, more))
    for there, here in zip(wanted, found):
        assert there.std() > 0.01
        torch.testing.assert_close(here, there, atol=1e-4, rtol=1e-4)
    # The other way round, weights would be lost.
    with pytest.raises(ludovec.InvalidConfig, match=r"inputs of .* that this one lacks") as error:
        nets.save(more, tmp_path / "four.safetensors", nets.Card.of(four, duo), four)
        nets.load(first, tmp_path / "four.safetensors")
    assert "\n" not in str(error.value)
    # Inputs that include the inputs of the file lose none.
    inputs = nets.Inputs.of([duo], board, steps=20).including(more.inputs)
    again = nets.ResidualNetwork(inputs, four, channels=8, blocks=1)
    nets.load(again, file)
    with torch.inference_mode():
        for there, here in zip(wanted, OnObservations(again.eval(), duo)(observations)):
            torch.testing.assert_close(here, there, atol=1e-4, rtol=1e-4)
    wider = nets.ResidualNetwork(more.inputs, four, channels=16, blocks=1)
    with pytest.raises(ludovec.InvalidConfig, match=r"has the shape .* is needed"):
        nets.load(wider, file)
    chess = ludovec.spec("chess")
    other = nets.ResidualNetwork(nets.Inputs.of([chess], nets.Board("own_0", 0), steps=20), chess, 8, 1)
    with pytest.raises(ludovec.InvalidConfig, match="its network is over"):
        nets.load(other, file)
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(ludovec.InvalidConfig, match=r"duo\.safetensors"):
        nets.load(more, file)


@every_champion
def test_a_file_gives_its_network_and_its_card(file, tmp_path):
    torch = pytest.importorskip("torch")
    from ludovec import nets
    from ludovec.nets.exporting import OnObservations

    network, card = nets.from_file(file)
    options = claimed(file)[0]
    spec = ludovec.spec(env_of(file), **options)
    assert (card.env, card.version) == (spec.env, spec.version)
    env = positions(spec.env, options)
    logits, values = ludovec.Network(file, env, precision="float")(env.observations)
    with torch.inference_mode():
        mine = OnObservations(network.eval(), spec)(torch.from_numpy(env.observations))
    for here, there in zip(mine, (logits, values / card.value_scale)):
        assert there.std() > 0.01
        np.testing.assert_allclose(here, there, rtol=2e-3, atol=2e-3)
    # Saved again, it is the same file.
    nets.save(network, tmp_path / "again.safetensors", card, spec)
    tensors, metadata = read(tmp_path / "again.safetensors")
    before, told = read(file)
    assert metadata == told and tensors.keys() == before.keys() - {"policy_index"} | tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(tensor, before[name])


def test_a_damaged_file_gives_an_error_of_one_line(tmp_path, models):
    from ludovec import nets
    from safetensors.numpy import save_file

    spec, network = models[0]
    nets.save(network, tmp_path / "whole.safetensors", nets.Card.of(spec), spec)
    tensors, metadata = read(tmp_path / "whole.safetensors")
    file = tmp_path / "wrong.safetensors"
    inputs = json.loads(metadata["inputs"])
    far = json.dumps({**inputs, "scalars": [["x", [0], 10**6]]})
    lacking = {name: tensor for name, tensor in tensors.items() if name != "value_hidden.bias"}
    shapes = {**tensors, "value_hidden.bias": np.zeros(3, np.float32)}
    for these, told in [
        (lacking, metadata),
        (shapes, metadata),
        (tensors, {**metadata, "inputs": "[]"}),
        (tensors, {**metadata, "inputs": far}),
        (tensors, {**metadata, "inputs": "nonsense"}),
        (tensors, {**metadata, "version": "one"}),
        (tensors, {name: text for name, text in metadata.items() if name != "environment"}),
        ({name: tensor for name, tensor in tensors.items() if name != "tables"}, metadata),
    ]:
        save_file({name: np.ascontiguousarray(tensor) for name, tensor in these.items()}, file, told)
        with pytest.raises(ludovec.InvalidConfig, match=r"wrong\.safetensors: ") as error:
            nets.from_file(file)
        assert "\n" not in str(error.value)


def test_a_field_without_a_board_is_refused_in_one_line():
    pytest.importorskip("torch")
    from ludovec import nets

    for env_id in ludovec.list_envs():
        spec = ludovec.spec(env_id)
        with pytest.raises(ludovec.InvalidConfig, match=f"fields of {env_id}") as error:
            nets.Inputs.of([spec], nets.Board("nothing", -2))
        assert "\n" not in str(error.value)
    with pytest.raises(ludovec.InvalidConfig, match="0 and -2"):
        nets.Board("nothing", 1)


def test_an_exported_network_agrees_with_torch(models, tmp_path):
    """Export compares the answers itself; `nets.save` writes half precision."""
    from ludovec import nets

    for spec, network in models:
        file = tmp_path / f"{spec.env}.safetensors"
        ludovec.export(network, file, spec)
        env = ludovec.make(spec.env, 2)
        assert env.action_masks()[np.arange(2), env.bot_actions(f"net:{file}:4")].all()
        nets.save(network, file, nets.Card.of(spec), spec)
        ludovec.Network(file, env)(env.observations)
    with pytest.raises(ludovec.InvalidConfig, match="safetensors"):
        ludovec.export(network, tmp_path / "model.bin", spec)
    with pytest.raises(ludovec.InvalidConfig, match="ResidualNetwork"):
        ludovec.export(network.value, tmp_path / "value.safetensors", spec)
    with pytest.raises(ludovec.InvalidConfig, match="Module is needed"):
        ludovec.export("network", tmp_path / "text.onnx", spec)
    with pytest.raises(ludovec.InvalidConfig, match="players: options are not allowed"):
        ludovec.export(network, tmp_path / "model.safetensors", spec, players=2)
    with pytest.raises(ludovec.InvalidConfig, match="No such file"):
        ludovec.export(network, tmp_path / "nowhere" / "model.safetensors", spec)
    # The file has the usual permissions.
    (tmp_path / "plain").touch()
    assert file.stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_an_exported_network_plays_a_match_by_name(models, tmp_path):
    """For any player names: if the environment has an option for names, it holds the names of the match."""
    for spec, network in models:
        ludovec.export(network, tmp_path / "mine.safetensors", spec)
        mine = f"net:{tmp_path / 'mine.safetensors'}"
        players = {f"player {seat}": "random" for seat in range(1, spec.players)}
        ludovec.play(spec.env, {"me": mine, **players}, max_steps=6)


@every_champion
def test_champions_beat_greedy(file):
    """Without search, except in chess."""
    game, convolutions = env_of(file), json.loads(read(file)[1]["inputs"])["board"] is not None
    champion, games = (
        ("net:champion:64", 16) if game == "chess" else ("net:champion", 40 if convolutions else 200)
    )
    players = {"champion": champion, "other": "greedy"}
    table = ludovec.tournament(game, players, games=games, **claimed(file)[0])
    points = {row.bot: row.points / row.comparisons for row in table.standings}
    assert points["champion"] > 0.6, points
    assert all(row.faults == 0 for row in table.standings)
