"""The trainer's parts: configuration, replay buffer, targets, encoding, schedule, curve."""

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import ludovec
import numpy as np
import pytest
from ludovec.train import Config, configuration

ROOT = Path(__file__).parents[2]


def run(*arguments, **more):
    """The command, in a process of its own."""
    command = [sys.executable, "-m", "ludovec.train", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **more)


# ---- configuration ----


def test_presets_are_complete_files(env_id):
    preset = Config.preset(env_id)
    assert preset.env == env_id and (configuration.PRESETS / f"{env_id}.toml").is_file()
    assert Config.from_toml(preset.to_toml(), "written") == preset
    # Every setting is in the file, with its meaning.
    for setting in fields(Config):
        assert f"\n{setting.name} = " in "\n" + preset.to_toml()
        assert setting.metadata["help"] in preset.to_toml()


def test_files_change_settings_of_the_preset(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('env = "tilewe"\noptions = [{ players = 2 }]\n[learning]\nminibatch = 7\n')
    config, preset = Config.read(file), Config.preset("tilewe")
    assert (config.minibatch, config.options) == (7, [{"players": 2}])
    assert config == preset.changed(minibatch=7, options=[{"players": 2}])


def test_a_network_may_play_what_it_is_trained_on():
    files = sorted((ROOT / "assets" / "networks").glob("*.toml"))
    assert files
    for config in [*map(Config.read, files), *map(Config.preset, ludovec.list_envs())]:
        assert config.not_allowed() == {}
    # The preset's modes of Tilewe are those of its own games.
    assert "mode" not in Config.preset("tilewe").changed(options=[{"mode": "blokus_duo"}]).allowed
    assert "mode" in Config.preset("tilewe").changed(options=[{"mode": "blokus"}]).allowed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed = 1", "env is missing"),
        ('env = "tilwe"', "did you mean tilewe"),
        ('env = "tilewe"\nspeed = 1', "unknown setting 'speed'"),
        ('env = "tilewe"\nminibatch = 7', "unknown setting 'minibatch'"),
        ('env = "tilewe"\n[learning]\nminibatch = 0', "minibatch=0: 1 or more"),
        ('env = "tilewe"\n[learning]\nminibatch = 1.5', "an integer is needed"),
        ('env = "tilewe"\n[learning]\nsymmetries = 1', "true or false"),
        ('env = "tilewe"\n[learning]\naverage = 1.5', "0 to 0.99999"),
        ('env = "tilewe"\n[imitation]\nteachers = ["no"]', 'teachers: unknown bot "no"; tilewe has '),
        ('env = "tilewe"\nlearning = 3', "learning is a table"),
        ('env = "tilewe"\noptions = []', "at least one table"),
        ('env = "tilewe"\n[card]\nallowed = { players = [2, 3] }', "allowed: players leaves out 4"),
        ('env = "empires"\n[card]\nallowed = { width = { max = 9 } }', "allowed: width leaves out "),
        ('env = "tilewe"\noptions = [{ players = 9 }]', "players"),
        ('env = "tilewe"\n[evaluation]\nbots = ["nobody"]', 'unknown bot "nobody"'),
        ('env = "tilewe"\n[evaluation]\nbots = [3]', "3 is not text"),
        ('env = "tilewe"\n[self_play]\ngames = 1', "need more"),
        ('env = "starwars_risk"\n[network]\nstride = 2', "stride=2: a board is needed"),
        ('env = "tilewe"\n[network]\nstride = 17', "stride=17: 1 to 16"),
        ('env = "tilewe"\nray_gpus = 0.5', "ray_gpus=0.5: ray is needed"),
        ('env = "tilewe"\nray_gpus = 2', "ray_gpus=2.0: 0 to 1"),
        ('env = "tilewe"\nray = "auto"\nray_gpus = 1\n[self_play]\ninference = "engine"', "inference=engine"),
        ("env = ", "mine.toml"),
    ],
)
def test_wrong_files_are_errors_of_one_line(text, said, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(ludovec.InvalidConfig, match=said) as error:
        Config.read(file)
    assert "\n" not in str(error.value) and "mine.toml" in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "ENV is missing"),
        (["tilwe"], "did you mean tilewe"),
        (["tilewe", "--set", "players"], "KEY=VALUE"),
        (["tilewe", "--set", "players=9"], "players"),
        (["tilewe", "--minibatch", "many"], "invalid integer value"),
        (["tilewe", "--cpu-minutes", "-1"], "invalid number value"),
        (["tilewe", "--method", "none"], "puct"),
        (["tilewe", "--bots", "greedy", "nobody"], 'unknown bot "nobody"'),
        (["tilewe", "--teachers", "greedy", "nobody"], 'unknown bot "nobody"'),
        (["tilewe", "--config", "no/such.toml"], "no/such.toml"),
        (["tilewe", "--resume", "--out", "no/such"], "checkpoint.safetensors"),
        (["tilewe", "--speed", "3"], "--speed"),
    ],
)
def test_wrong_calls_are_errors_of_one_line(arguments, said):
    result = run(*arguments)
    (line,) = result.stderr.splitlines()
    assert result.returncode == 2 and line.startswith("ludovec: ") and said in line and not result.stdout


def test_the_configuration_is_printed_and_read_again(tmp_path):
    printed = run("chess", "--set", "variant=atomic", "--minibatch", 9, "--no-symmetries", "--print-config")
    assert printed.returncode == 0, printed.stderr
    file = tmp_path / "mine.toml"
    file.write_text(printed.stdout)
    config = Config.read(file)
    assert (config.options, config.minibatch, config.symmetries) == ([{"variant": "atomic"}], 9, False)


def test_commands_in_documents_are_accepted(tmp_path, monkeypatch):
    from ludovec.train import command

    root = Path(__file__).parents[2]
    if not (root / "docs").is_dir():
        pytest.skip("needs the checkout")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('env = "tilewe"\n')
    # Commands name the configurations of shipped networks from the root of the checkout.
    (tmp_path / "assets").mkdir()
    shutil.copytree(root / "assets" / "networks", tmp_path / "assets" / "networks")
    documents = [root / "README.md", root / "assets" / "networks" / "README.md", *root.glob("docs/**/*.md")]
    calls = [
        line
        for file in documents
        for line in file.read_text().replace("\\\n", "").splitlines()
        if line.startswith("ludovec train")
    ]
    assert len(calls) > 8
    for call in [*calls, *(line.strip() for line in command._EXAMPLES.splitlines()[1:])]:
        args = command.parser().parse_args(call.split(" #")[0].split(" > ")[0].split()[2:])
        if args.resume:
            out = args.out or Path("trained", args.env)
            out.mkdir(parents=True, exist_ok=True)
            (out / "checkpoint.safetensors").touch()
            (out / "config.toml").write_text(f'env = "{args.env or "tilewe"}"\n')
        config, out, _ = command._configuration(args)
        # Files are named after their environments, but for mine.toml.
        file = args.config.name if args.config else ""
        named = next((env for env in ludovec.list_envs() if file.startswith(env)), "tilewe")
        assert config.env == (args.env or named) and out


def test_help_needs_no_torch():
    hidden = (
        "import sys; sys.modules['torch'] = None; from ludovec.train.command import main; main(sys.argv[1:])"
    )
    told = subprocess.run([sys.executable, "-c", hidden, "--help"], capture_output=True, text=True)
    assert told.returncode == 0 and "Examples:\n  ludovec train" in told.stdout, told.stderr
    for setting in fields(Config):
        if setting.name not in ("env", "options", "allowed"):
            assert f"--{setting.name.replace('_', '-')}" in told.stdout
    refused = subprocess.run(
        [sys.executable, "-c", f"{hidden.replace('main(', 'sys.exit(main(', 1)})", "tilewe"],
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 1 and "pip install 'ludovec[torch]'" in refused.stderr.splitlines()[-1]


# ---- positions ----


@pytest.fixture
def replay():
    pytest.importorskip("torch")
    from ludovec.train import replay

    return replay


@pytest.fixture
def targets():
    pytest.importorskip("torch")
    from ludovec.train import targets

    return targets


def some_positions(replay, spec, rng, count, number=0):
    """Positions with their numbers as their values."""
    lengths = rng.integers(1, 9, count)
    return replay.Positions(
        observations=rng.integers(0, 256, (count, spec.observation_len)).astype(np.uint8),
        values=np.repeat(np.arange(number, number + count, dtype=np.float32)[:, None], spec.players, 1),
        chosen=rng.integers(0, lengths).astype(np.int32),
        advantages=rng.normal(size=count).astype(np.float32),
        lengths=lengths.astype(np.int32),
        actions=rng.integers(0, spec.num_actions, lengths.sum()).astype(np.int32),
        policies=rng.random(lengths.sum()).astype(np.float16),
    )


def row(positions, i):
    """A row of positions as plain values."""
    start = positions.lengths[:i].sum()
    here = slice(start, start + positions.lengths[i])
    columns = [getattr(positions, name)[i] for name in ("observations", "values", "chosen", "advantages")]
    return [
        np.asarray(part).tolist() for part in (*columns, positions.actions[here], positions.policies[here])
    ]


def test_the_buffer_holds_the_newest_positions(replay):
    spec, rng = ludovec.spec("starwars_risk"), np.random.default_rng(0)
    buffer, all_rows = replay.Buffer(spec, 50), []
    for count in (0, 3, 20, 1, 45, 7, 120, 2, 0, 49, 50, 51):
        new = some_positions(replay, spec, rng, count, len(all_rows))
        all_rows += [row(new, i) for i in range(count)]
        buffer.add(new)
        assert len(buffer) == min(50, len(all_rows)) and buffer.added == len(all_rows)
        kept = buffer.rows(buffer.first, buffer.added)
        assert [row(kept, i) for i in range(len(kept))] == all_rows[-50:][: len(kept)]
        if not len(buffer):
            continue
        batch = buffer.sample(rng, 30)
        for i in range(30):
            observation, values, chosen, advantage, actions, policies = all_rows[int(batch.values[i, 0])]
            assert (batch.chosen[i], batch.advantages[i]) == (chosen, np.float32(advantage))
            width = len(actions)
            assert batch.observations[i].tolist() == observation and batch.values[i].tolist() == values
            assert batch.actions[i].tolist() == actions + [-1] * (batch.actions.shape[1] - width)
            assert batch.policies[i].tolist() == policies + [0] * (batch.actions.shape[1] - width)
    copy = replay.Buffer(spec, 50)
    begin = buffer.first - 10
    copy.restore(
        buffer.first, buffer.added, 0, [(buffer.first, kept.newest(51)), (buffer.added, new.newest(0))]
    )
    assert (copy.first, copy.added) == (buffer.first, buffer.added) and begin < copy.first
    again = copy.rows(copy.first, copy.added)
    assert [row(again, i) for i in range(len(again))] == all_rows[-50:]
    # The same numbers give the same minibatch, wherever the rows are in memory.
    one, two = (b.sample(np.random.default_rng(3), 20) for b in (buffer, copy))
    assert all(np.array_equal(x, y) for x, y in zip(one, two))


def test_samples_are_uniform(replay):
    spec = ludovec.spec("starwars_risk")
    buffer = replay.Buffer(spec, 40)
    buffer.add(some_positions(replay, spec, np.random.default_rng(0), 100))
    numbers = buffer.sample(np.random.default_rng(1), 40_000).values[:, 0].astype(int)
    counts = np.bincount(numbers, minlength=100)
    assert not counts[:60].any() and (np.abs(counts[60:] - 1000) < 6 * 1000**0.5).all()


def test_positions_of_bots_leave_the_samples_as_own_ones_arrive(replay):
    spec, rng = ludovec.spec("starwars_risk"), np.random.default_rng(0)
    buffer = replay.Buffer(spec, 100, fade=40)
    added = 0

    def add(count):
        nonlocal added
        buffer.add(some_positions(replay, spec, rng, count, added))
        added += count

    def share_and_numbers():
        numbers = buffer.sample(np.random.default_rng(1), 20_000).values[:, 0].astype(int)
        return (numbers < buffer.imitated).mean(), set(numbers.tolist())

    add(80)
    buffer.imitated = buffer.added
    assert share_and_numbers() == (1.0, set(range(80)))
    add(10)
    share, numbers = share_and_numbers()
    assert abs(share - 0.75) < 0.02 and numbers == set(range(90))
    add(20)
    share, numbers = share_and_numbers()
    assert abs(share - 0.25) < 0.02 and numbers == set(range(10, 110))
    add(10)
    assert share_and_numbers() == (0.0, set(range(80, 120)))
    add(100)
    assert share_and_numbers() == (0.0, set(range(120, 220)))


def made_games(spec, rng, lengths):
    """Columns of decisions, as a shard records them."""
    n, players = sum(lengths), spec.players
    legal = np.where(rng.random(n) < 0.7, rng.integers(1, 6, n), 0)
    values = rng.normal(size=(n, players)).astype(np.float32)
    values[rng.random(n) < 0.3] = np.nan
    policies = np.concatenate([rng.dirichlet(np.ones(k)) for k in legal if k])
    actions = np.concatenate([np.arange(k) for k in legal]).astype(np.int32)
    return {
        "observations": np.arange(n)[:, None].repeat(spec.observation_len, 1).astype(np.uint8),
        "seats": rng.integers(0, players, n).astype(np.int32),
        "actions": rng.integers(0, np.maximum(legal, 1)).astype(np.int32),
        "rewards": rng.integers(0, 5, (n, players)).astype(np.float32),
        "values": values,
        "is_choice": np.where(legal > 0, legal > 1, rng.random(n) < 0.7),
        "legal": (np.append(0, np.cumsum(legal)), actions, policies.astype(np.float16)),
    }


@pytest.mark.parametrize("reward", ["score", "margin", "outcome"])
@pytest.mark.parametrize("td_lambda", [1.0, 0.8])
@pytest.mark.parametrize("simulations", [16, 0])
def test_targets_are_the_definition(targets, reward, td_lambda, simulations):
    config = Config.preset("smallworld").changed(
        options=[{"players": 3}], reward=reward, scale=4.0, td_lambda=td_lambda, simulations=simulations
    )
    (spec,), rng = config.specs(), np.random.default_rng(0)
    lengths = [30, 1, 17, 2, 44]
    offsets, games = np.append(0, np.cumsum(lengths)), made_games(spec, rng, lengths)
    legal, actions, policies = games["legal"]

    def value(t, stop):
        """Rewards from decision t on; a searched position further on cuts them with 1 - lambda."""
        total, weight = np.zeros(3), 1.0
        for later in range(t, stop):
            if later > t and not np.isnan(games["values"][later]).any():
                total = total + weight * (1 - td_lambda) * games["values"][later]
                weight *= td_lambda
            total = total + weight * games["rewards"][later]
        return total

    found = targets.positions_of(games, offsets, spec, config)
    learned = [t for t in range(94) if legal[t + 1] - legal[t] > 1]
    assert 20 < len(learned) < 94 and len(found) == len(learned)
    for at, t in enumerate(learned):
        game = int(np.searchsorted(offsets, t, side="right")) - 1
        stop, seat = offsets[game + 1], games["seats"][t]
        assert found.observations[at, 0] == t
        mine = [value(t, stop)[(seat + i) % 3] / 4 for i in range(3)]
        assert np.allclose(found.values[at], mine, atol=1e-4)
        # The advantage over the network's value, if the policy played alone.
        advantage = np.nan if simulations else mine[0] - games["values"][t][seat] / 4
        assert np.allclose(found.advantages[at], advantage, atol=1e-4, equal_nan=True)
        assert found.chosen[at] == games["actions"][t]
        here = slice(legal[t], legal[t + 1])
        assert row(found, at)[4:] == [actions[here].tolist(), policies[here].tolist()]
    # Without a finished game there is nothing to learn.
    none = {name: column[:0] for name, column in games.items() if name != "legal"}
    none["legal"] = np.zeros(1, np.int64), actions[:0], policies[:0]
    assert len(targets.positions_of(none, np.zeros(1, np.int64), spec, config)) == 0


def test_the_policy_loss_is_the_definition():
    torch = pytest.importorskip("torch")
    from ludovec.train.learner import policy_loss

    rng = np.random.default_rng(0)
    logits, old = rng.normal(size=(2, 40, 5))
    logits[7:9, 3:] = -1e9
    now, then = (np.exp(x) / np.exp(x).sum(1, keepdims=True) for x in (logits, old))
    chosen = np.where(np.arange(40) == 8, 2, rng.integers(0, 3, 40))
    advantages = np.where(rng.random(40) < 0.3, np.nan, 2 + 3 * rng.normal(size=40))
    drawn = ~np.isnan(advantages)
    unit = (advantages - advantages[drawn].mean()) / advantages[drawn].std()
    expected, clipped = [], 0
    for row in range(40):
        logs = np.log(now[row][now[row] > 0])
        if not drawn[row]:
            expected.append(-(then[row][: len(logs)] * logs).sum())
            continue
        ratio = now[row, chosen[row]] / then[row, chosen[row]]
        gain = min(unit[row] * ratio, unit[row] * min(max(ratio, 0.8), 1.2))
        clipped += gain != unit[row] * ratio
        expected.append(-gain + 0.005 * (now[row][: len(logs)] * logs).sum())
    assert 3 < clipped < drawn.sum() < 40
    then[7:9, 3:] = 0
    tensors = (torch.from_numpy(x) for x in (logits, then, chosen, advantages))
    logits, *more = tensors
    logits.requires_grad_()
    loss = policy_loss(torch.log_softmax(logits, 1), *more)
    assert abs(loss.item() - np.mean(expected)) < 1e-6
    # Not even the gradient has a trace of missing advantages.
    loss.backward()
    assert logits.grad.isfinite().all()


# ---- network and schedule ----


def test_the_encoding_equals_the_encoder(env_id):
    torch = pytest.importorskip("torch")
    from ludovec import nets

    config = Config.preset(env_id)
    board = nets.Board(config.board, config.board_axis) if config.board else None
    specs = config.specs()
    inputs = nets.Inputs.of(specs, board, config.one_hot, config.without or None)
    for spec, options in zip(specs, config.options):
        env = ludovec.make(env_id, 40, seed=1, **options)
        env.step_sampled(30)
        encode = nets.Encoding(inputs, spec)
        for count in (40, 7, 40):
            rows = env.observations[:count].copy()
            for found, wanted in zip(encode(torch.from_numpy(rows)), inputs.encoder(spec)(rows)):
                assert np.array_equal(found.numpy(), wanted)


def test_the_schedule_counts_updates():
    pytest.importorskip("torch")
    from ludovec.train.learner import rate_at

    config = Config.preset("tilewe").changed(updates=1000, final_rate=0.2)
    assert [round(rate_at(at, config), 6) for at in (0, 500, 1000, 5000)] == [1, 0.6, 0.2, 0.2]


def test_minibatches_turn_with_their_actions(replay):
    from ludovec.train.learner import turned

    spec = ludovec.spec("tilewe", players=2)
    symmetries = ludovec.symmetries("tilewe", players=2)
    env = ludovec.make("tilewe", 30, seed=0, players=2)
    env.step_sampled(9)
    actions = [np.flatnonzero(mask)[:50] for mask in env.action_masks()]
    padded = np.full((30, 50), -1, np.int64)
    for i, legal in enumerate(actions):
        padded[i, : len(legal)] = legal
    seen = env.observations.reshape(30, -1)
    plain = np.zeros(30, np.float32)
    batch = replay.Minibatch(seen, padded, np.zeros((30, 50), np.float32), plain, plain, plain)
    assert len(symmetries) > 1
    for symmetry in symmetries:
        new = turned(batch, symmetry)
        assert np.array_equal(new.observations, batch.observations[:, symmetry.observation])
        assert np.array_equal(new.actions < 0, padded < 0)
        legal = padded >= 0
        assert np.array_equal(new.actions[legal], symmetry.action[padded[legal]])
    assert spec.num_actions > new.actions.max()


def test_devices_are_named_in_errors():
    torch = pytest.importorskip("torch")
    from ludovec.train.devices import device_of, errors_of, numbers_of

    assert device_of("cpu") == torch.device("cpu") and device_of("auto").type in ("cpu", "cuda")
    for name, said in [
        ("cuda:99", "there are cpu"),
        ("gpu", "cpu, cuda, cuda:N or auto"),
        ("cuda:x", "cuda:N"),
    ]:
        with pytest.raises(ludovec.InvalidConfig, match=said):
            device_of(name)
    assert numbers_of(torch.device("cpu"), "float32") == torch.float32
    assert numbers_of(torch.device("cpu"), "bfloat16") == torch.bfloat16
    with pytest.raises(ludovec.InvalidConfig, match=r"out of memory.*--resume") as error:
        with errors_of(torch.device("cuda:0")):
            raise torch.OutOfMemoryError("CUDA out of memory\nmore")
    assert "\n" not in str(error.value)
    with pytest.raises(ludovec.InvalidConfig, match=r"cuda:1: driver gone; --resume"):
        with errors_of(torch.device("cuda:1")):
            raise RuntimeError("driver gone\nstack")
    with pytest.raises(RuntimeError, match="a bug"):
        with errors_of(torch.device("cpu")):
            raise RuntimeError("a bug")


def test_the_curve_is_a_table_and_a_picture():
    pytest.importorskip("torch")
    from ludovec.train.progress import picture, table

    names = ["players=2, greedy, alone", "a < b & c"]
    curve = [
        {"cpu_minutes": at, **{name: at / 10 for name in names}, **{f"{name} margin": 0.1 for name in names}}
        for at in (1.0, 4.0, 9.5)
    ]
    del curve[0][names[1]]
    drawn = ElementTree.fromstring(picture(curve, names, "chess & more"))
    texts = [part.text for part in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"chess & more", *names, "100 %", "8"} <= set(texts)
    # Five points, and a mark for each name.
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}circle"))) == 7
    ElementTree.fromstring(picture([], names, "empty"))
    lines = table(curve).splitlines()
    assert len(lines) == 4 and lines[0].startswith("cpu_minutes,") and "a < b & c" in lines[0]


def test_progress_shows_entropies_beside_the_loss(capsys, monkeypatch):
    torch = pytest.importorskip("torch")
    from ludovec.train import devices, progress

    monkeypatch.setattr(progress, "EVERY", 0.0)
    logged = []
    boards = SimpleNamespace(add=lambda *values: logged.append(values))
    lines = progress.Progress(boards, devices.IdleTime(torch.device("cpu")))
    lines.start({"positions": 0, "games": 0, "updates": 0})
    sums = {"policy": 3.0, "target entropy": 2.0, "policy entropy": 2.5, "value": 0.5}
    lines.learned(2, sums)
    lines.line("3.0 of 12 cpu min", {"positions": 2000, "games": 30, "updates": 2}, 125.0, "self-play")
    (said,) = capsys.readouterr().out.splitlines()
    assert "policy loss 1.500 = entropy of targets 1.000 + 0.500" in said
    assert said.startswith("3.0 of 12 cpu min  self-play") and "entropy of policy 1.250" in said
    assert "2.1 h left" in said
    assert "2,000 positions (" in said and "30 games (" in said and json.dumps("self-play")[1:-1] in said
    ((values, updates),) = logged
    assert updates == 2 and values["policy"] == 1.5 and values["games a second"] > 0


# ---- graph ----


def test_graph_inputs_are_the_map():
    torch = pytest.importorskip("torch")
    from ludovec import nets

    specs = [ludovec.spec("smallworld", players=players) for players in (2, 4)]
    inputs = nets.Inputs.of(specs, one_hot=["seats"], graph=nets.Graph())
    for spec, players in zip(specs, (2, 4)):
        env = ludovec.make("smallworld", 12, seed=0, players=players)
        env.step_sampled(60)
        network = nets.GraphNetwork(inputs, specs[1], 8, 1)
        planes, scalars = network.encoding(spec)(torch.from_numpy(env.observations.copy()))
        # Training and inference read the same numbers.
        for mine, other in zip((planes, scalars), inputs.encoder(spec)(env.observations)):
            assert np.allclose(mine.numpy(), other)
        seen = env.observation_fields
        touching = np.unpackbits(seen["adjacency"], axis=-1, bitorder="little").reshape(12, 48, 48)
        assert np.array_equal(planes[:, :, 0, len(inputs.planes) :].numpy(), touching) and touching.any()
        features = {}
        for i, channel in enumerate(inputs.planes):
            features.setdefault((channel.field, channel.at), []).append(planes[:, :, 0, i].numpy())
        assert np.allclose(features["tokens", ()][0], np.log1p(seen["tokens"].astype(np.float32)))
        held = np.unpackbits(seen["held"], axis=-1, bitorder="little").reshape(12, players, 3, 48)
        assert np.array_equal(features["held", (1, 0)][0], held[:, 1, 0])
        bits = [seen["markers"] >> bit & 1 for bit in range(8)]
        for plane in features["markers", ()]:
            assert any(np.array_equal(plane, bit) for bit in bits)
        # A seat that these games do not have is empty.
        assert features["held", (3, 0)][0].any() == (players == 4)
        assert scalars.shape == (12, len(inputs.scalars))
    with pytest.raises(ludovec.InvalidConfig, match="graph 'adjacency'"):
        nets.Inputs.of([ludovec.spec("chess")], graph=nets.Graph())


def test_a_graph_network_does_not_depend_on_the_order_of_regions():
    torch = pytest.importorskip("torch")
    from ludovec import nets

    spec = ludovec.spec("smallworld", players=2)
    inputs = nets.Inputs.of([spec], graph=nets.Graph())
    torch.manual_seed(0)
    network = nets.GraphNetwork(inputs, spec, 16, 2)
    for head in (network.policy_planes, network.policy_others, network.value):
        torch.nn.init.normal_(head.weight)
    env = ludovec.make("smallworld", 8, seed=0, players=2)
    env.step_sampled(40)
    planes, scalars = (part.clone() for part in network.encoding(spec)(torch.from_numpy(env.observations)))
    order, width = torch.randperm(48), len(inputs.planes)
    turned = torch.cat([planes[:, order, :, :width], planes[:, order][..., width + order]], 3)
    with torch.inference_mode():
        outputs, values = network(planes, scalars)
        others, same = network(turned, scalars)
    nodes = outputs[:, : 48 * 6].reshape(8, 48, 6)
    assert nodes.std() > 0.1 and values.shape == (8, 2) and values.std() > 0.01
    assert torch.allclose(others[:, : 48 * 6].reshape(8, 48, 6), nodes[:, order], atol=1e-4)
    assert torch.allclose(others[:, 48 * 6 :], outputs[:, 48 * 6 :], atol=1e-4)
    assert torch.allclose(same, values, atol=1e-4)
    # Every action has an output of its own.
    index = network.action_outputs(spec)
    assert len(set(index.tolist())) == spec.num_actions and index.max() < outputs.shape[1]


def test_values_are_distributions():
    torch = pytest.importorskip("torch")
    from ludovec.nets.values import support_of, two_hot

    assert support_of("outcome", 2) == [-1, 0, 1] and np.allclose(
        support_of("outcome", 4), [-1, -1 / 3, 1 / 3, 1]
    )
    support = torch.tensor(support_of("outcome", 2))
    values = torch.tensor([[-1.0, 0.0], [1.0, 0.25], [-0.75, 2.0]])
    found = two_hot(values, support)
    wanted = [[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [0, 0.75, 0.25]], [[0.75, 0.25, 0], [0, 0, 1]]]
    assert torch.allclose(found, torch.tensor(wanted))
    points = torch.tensor(support_of("score", 3))
    many = torch.rand(50, 3) * 7 - 3.5
    assert torch.allclose((two_hot(many, points) * points).sum(2), many, atol=1e-5)


def test_a_graph_network_learns_and_plays(tmp_path):
    """Imitation lowers the loss; the file answers like the network for every number of players."""
    torch = pytest.importorskip("torch")
    from ludovec.train import Training

    config = Config.preset("smallworld").changed(
        network="graph", channels=16, blocks=2, games=32, warm_up=200, minibatch=64, imitate=80, updates=80,
        evaluate_every=100, evaluation_simulations=[0], evaluation_games=2, bots=["random"], device="cpu",
        precision="float32", learning_rate=3e-3, options=[{"players": 2}, {"players": 3}], workers=0,
    )  # fmt: skip
    training = Training(config, tmp_path)
    losses = []
    learn = training.learner.train
    training.learner.train = lambda *given: losses.append(learn(*given)) or losses[-1]
    assert training.run()
    means = [loss.mean() for loss in losses if loss.updates]
    assert means[-1]["policy"] < 0.95 * means[0]["policy"] and means[-1]["value"] < means[0]["value"]
    again = Training(config, tmp_path, resume=True)
    assert again.learner.updates == 80
    from ludovec.train.inference import Fitted

    env = ludovec.make("smallworld", 20, seed=0, players=3)
    env.step_sampled(30)
    logits, values = ludovec.Network(tmp_path / "last.safetensors", "smallworld", players=3)(env.observations)
    fitted = Fitted(again.learner.average, config.specs()[1], torch.device("cpu"), torch.float32)
    with torch.inference_mode():
        outputs, mine = fitted(env.observations)
    assert np.allclose(logits, outputs[:, fitted.index].numpy(), atol=1e-3)
    assert np.allclose(values, 20 * mine.numpy(), atol=2e-2)
