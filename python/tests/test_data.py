"""Decisions in files: the bytes that were played are the bytes that are read, in every library."""

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import ludovec
import numpy as np
import pytest

pytest.importorskip("pyarrow")

import ludovec.data
import pyarrow as pa
import pyarrow.parquet as pq

COLUMNS = ("observation", "mask", "action", "seat", "rewards", "terminated", "truncated")


def played(env_id, num_envs, steps, seed, **options):
    """The columns of random play, step by step in a batch of our own."""
    env = ludovec.make(env_id, num_envs, seed=seed, obs="packed", mask="bits", num_threads=1, **options)
    env.reset()
    rows = []
    for _ in range(steps):
        before = [env.observations.copy(), env.action_mask_bits.copy()]
        actions, seat = env.sample_actions(), env.current_player.copy()
        env.step(actions)
        after = [env.rewards.copy(), env.terminated.copy(), env.truncated.copy()]
        rows.append([*before, actions, seat, *after])
    return {name: np.concatenate(parts) for name, parts in zip(COLUMNS, zip(*rows))}


@pytest.mark.parametrize("shard", [1 << 20, 7])
def test_the_bytes_that_are_played_are_read(env_id, shard, tmp_path):
    options = {"max_steps": 5}
    report = ludovec.data.write(tmp_path, env_id, steps=12, num_envs=3, seed=4, shard=shard, **options)
    wanted = played(env_id, 3, 12, 4, **options)
    data = ludovec.data.Dataset(tmp_path)
    assert len(data) == report["rows"] == 36 and data.players == ["random"] * data.spec.players
    assert report["games"] == (wanted["terminated"] | wanted["truncated"]).sum() >= 6
    found = data.read()
    assert not set(ludovec.data._layout.NAMES) ^ set(found)
    for name, array in wanted.items():
        assert found[name].tobytes() == array.astype(found[name].dtype).tobytes(), name
        assert found[name].shape == array.shape
    assert (found["seed"] == 4).all() and np.isnan(found["value"]).all()
    np.testing.assert_array_equal(found["game"], np.tile(np.arange(3), 12))
    for game in range(3):
        mine = found["game"] == game
        ends = np.append(False, (found["terminated"] | found["truncated"])[mine])[:-1]
        np.testing.assert_array_equal(found["episode"][mine], np.cumsum(ends))
        assert (found["step"][mine] == 0).sum() == 1 + ends.sum()
    offsets, shares = found["policy"]
    assert not offsets.any() and len(shares) == 0
    parts = list(data.batches(5, COLUMNS))
    assert [len(part["action"]) for part in parts] == [5] * 7 + [1]
    for name in COLUMNS:
        assert np.concatenate([part[name] for part in parts]).tobytes() == found[name].tobytes()


def test_whole_games(env_id, tmp_path):
    """With ``games`` the rows are those of whole games, and as many as asked for."""
    report = ludovec.data.write(tmp_path, env_id, games=7, num_envs=3, seed=1, max_steps=9)
    data = ludovec.data.Dataset(tmp_path)
    found = data.read()
    ends = found["terminated"] | found["truncated"]
    assert ends.sum() == report["games"] == 7
    games = ludovec.data._read.episodes(found)
    assert len(games) == 7
    for rows in games:
        np.testing.assert_array_equal(found["step"][rows], np.arange(len(rows)))
        assert ends[rows[-1]] and not ends[rows[:-1]].any()


@pytest.mark.parametrize("bots", ["greedy", "search:4", "net:champion", "net:champion:3"])
def test_policies_and_values(bots, tmp_path):
    ludovec.data.write(tmp_path, "starwars_risk", bots=bots, steps=4, num_envs=5, seed=2)
    data = ludovec.data.Dataset(tmp_path)
    found = data.read()
    offsets, shares = found["policy"]
    legal = data.masks(found["mask"])
    assert legal[np.arange(20), found["action"]].all()
    if bots == "greedy":
        assert not offsets.any() and np.isnan(found["value"]).all()
        env = ludovec.make("starwars_risk", 5, seed=2)
        env.reset()
        for step in range(4):
            actions = env.bot_actions("greedy")
            np.testing.assert_array_equal(found["action"].reshape(4, 5)[step], actions)
            env.step(actions)
        return
    np.testing.assert_array_equal(np.diff(offsets), legal.sum(axis=1))
    sums = np.add.reduceat(shares, offsets[:-1])
    np.testing.assert_allclose(sums, 1, atol=1e-4)
    assert np.isfinite(found["value"]).all()
    rows = data.to_torch() if pytest.importorskip("torch") else None
    dense = rows.tensors(np.arange(20))["policy"].numpy()
    np.testing.assert_allclose(dense.sum(axis=1), 1, atol=1e-4)
    assert not dense[~legal].any()
    if bots == "net:champion":
        np.testing.assert_array_equal(dense.argmax(axis=1), found["action"])


def test_a_network_tells_the_values_of_all_seats(tmp_path):
    """The current player's value comes first from the network; the file has them by seat."""
    env = ludovec.make("smallworld", 4, players=3, seed=3)
    env.reset()
    network = ludovec.Network("champion", env)
    ludovec.data.write(tmp_path, "smallworld", bots="net:champion", steps=3, num_envs=4, seed=3, players=3)
    found = ludovec.data.Dataset(tmp_path).read()
    for step in range(3):
        logits, values = network(env.observations)
        for game in range(4):
            row = found["value"].reshape(3, 4, 3)[step, game]
            mover = env.current_player[game]
            np.testing.assert_array_equal(np.roll(row, -mover), values[game])
        actions = np.where(env.action_mask, logits, -np.inf).argmax(axis=1)
        np.testing.assert_array_equal(found["action"].reshape(3, 4)[step], actions)
        env.step(actions)


def test_players_by_seat(tmp_path):
    bots = ["random", "net:champion:2"]
    ludovec.data.write(tmp_path, "starwars_risk", bots=bots, steps=30, num_envs=6, seed=5)
    data = ludovec.data.Dataset(tmp_path)
    found = data.read()
    assert data.players == bots
    told = np.diff(found["policy"][0]) > 0
    np.testing.assert_array_equal(told, found["seat"] == 1)
    np.testing.assert_array_equal(np.isfinite(found["value"]).all(axis=1), told)
    legal = data.masks(found["mask"])
    np.testing.assert_array_equal(np.diff(found["policy"][0])[told], legal[told].sum(axis=1))
    offsets, shares = found["policy"]
    starts = offsets[:-1][told]
    np.testing.assert_allclose(np.add.reduceat(shares, starts), 1, atol=1e-4)


def test_rewards_until_the_next_decision_are_those_of_a_rollout(env_id, tmp_path):
    ludovec.data.write(tmp_path, env_id, steps=20, num_envs=3, seed=6, max_steps=8, reward="score")
    data = ludovec.data.Dataset(tmp_path)
    env = ludovec.make(env_id, 3, seed=6, max_steps=8, reward="score")
    env.reset()
    wanted = ludovec.rollout(env, None, 20)
    found = data.until_next()
    np.testing.assert_array_equal(found["reward"].reshape(20, 3), wanted.rewards)
    np.testing.assert_array_equal(found["done"].reshape(20, 3), wanted.done)
    following = found["next"].reshape(20, 3)
    np.testing.assert_array_equal(np.where(following < 0, -1, following // 3), wanted.next)


def test_a_fragment_has_the_decisions_of_files_as_arrays(tmp_path):
    """The columns that a collector returns, of the same games."""
    options = {"max_steps": 8, "reward": "score", "players": 3}
    ludovec.data.write(tmp_path / "files", "smallworld", steps=20, num_envs=3, seed=6, **options)
    found = ludovec.data.Dataset(tmp_path / "files").fragment()
    env = ludovec.make("smallworld", 3, seed=6, obs="packed", mask="bits", **options)
    wanted = ludovec.Collector(env, None).collect(20)
    assert isinstance(found, ludovec.data.Fragment) and isinstance(wanted, ludovec.data.Fragment)
    for name in "observations action_mask_bits seats actions games rewards next done ended known".split():
        np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
        assert name == "next" or getattr(found, name).dtype == getattr(wanted, name).dtype, name
    assert found.policy is None and found.values is None
    settings = {"bots": ["random", "net:champion"], "steps": 4, "num_envs": 5, "seed": 2}
    ludovec.data.write(tmp_path / "told", "starwars_risk", **settings)
    data = ludovec.data.Dataset(tmp_path / "told")
    told = data.fragment()
    np.testing.assert_array_equal(np.diff(told.policy[0]) > 0, told.seats == 1)
    np.testing.assert_array_equal(np.isfinite(told.values).all(1), told.seats == 1)


def test_rows_of_a_loop_of_ones_own(tmp_path):
    env = ludovec.make("tilewe", 4, players=2, obs="packed", mask="bits", seed=0)
    env.reset()
    with ludovec.data.Writer(tmp_path, env.game_spec, compression="zstd") as writer:
        rows = {"observation": env.observations.copy(), "mask": env.action_mask_bits.copy()}
        legal = ludovec.unpack_bits(env.action_mask_bits, env.game_spec.num_actions)
        offsets = np.append(0, np.cumsum(legal.sum(axis=1)))
        shares = np.random.default_rng(0).random(offsets[-1], np.float32)
        actions, seat = env.sample_actions(), env.current_player.copy()
        env.step(actions)
        values = np.arange(8, dtype=np.float32).reshape(4, 2)
        writer.append(
            action=actions, seat=seat, rewards=env.rewards, policy=(offsets, shares), value=values, **rows
        )
        for name, wrong in (("seat", seat[:2]), ("mask", rows["observation"]), ("rewards", env.reward)):
            with pytest.raises(ludovec.InvalidConfig, match=name):
                writer.append(
                    **{**rows, "action": actions, "seat": seat, "rewards": env.rewards, name: wrong}
                )
        with pytest.raises(ludovec.InvalidConfig, match="colour"):
            writer.append(action=actions, seat=seat, rewards=env.rewards, colour=seat, **rows)
        with pytest.raises(ludovec.InvalidConfig, match="rewards is needed"):
            writer.append(action=actions, seat=seat, **rows)
    found = ludovec.data.Dataset(tmp_path).read()
    assert (
        found["policy"][1].tobytes() == shares.tobytes() and found["policy"][0].tolist() == offsets.tolist()
    )
    assert found["value"].tobytes() == values.tobytes()


def test_shards_are_whole_or_absent(tmp_path):
    """An error removes the shard under way, and keeps the earlier ones."""
    env = ludovec.make("starwars_risk", 4, obs="packed", mask="bits")
    env.reset()
    rows = {"observation": env.observations, "mask": env.action_mask_bits, "action": env.sample_actions()}
    rows |= {"seat": env.current_player, "rewards": env.rewards}
    with pytest.raises(ZeroDivisionError):
        with ludovec.data.Writer(tmp_path, env.game_spec, shard=8) as writer:
            for _ in range(3):
                writer.append(**rows)
            _ = 1 / 0
    assert [file.name for file in tmp_path.iterdir()] == ["part-00000.parquet"]
    assert len(ludovec.data.Dataset(tmp_path)) == 8
    with pytest.raises(ludovec.InvalidConfig, match="has data already"):
        ludovec.data.write(tmp_path, "chess", games=1)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(ludovec.InvalidConfig, match="no file"):
        ludovec.data.Dataset(tmp_path)
    with pytest.raises(ludovec.InvalidConfig, match="no file"):
        ludovec.data.Dataset(tmp_path / "nothing")
    (tmp_path / "text.parquet").write_text("text")
    with pytest.raises(ludovec.InvalidState, match=r"text\.parquet"):
        ludovec.data.Dataset(tmp_path)
    pq.write_table(pa.table({"a": [1]}), tmp_path / "text.parquet")
    with pytest.raises(ludovec.InvalidState, match=r"no file of ludovec\.data"):
        ludovec.data.Dataset(tmp_path)
    ludovec.data.write(tmp_path / "one", "tilewe", steps=1, num_envs=2, seed=0)
    file = tmp_path / "one" / "part-00000.parquet"
    table = pq.read_table(file)
    told = table.schema.metadata[b"ludovec"]
    for wrong, said in (
        (told.replace(b'"version": ', b'"version": 9'), "version"),
        (b'{"format": 7}', "format 7"),
    ):
        changed = table.replace_schema_metadata({b"ludovec": wrong})
        pq.write_table(changed, tmp_path / "text.parquet")
        with pytest.raises(ludovec.InvalidState, match=said):
            ludovec.data.Dataset(tmp_path / "text.parquet")
    pq.write_table(table.drop_columns(["seat"]), tmp_path / "text.parquet")
    with pytest.raises(ludovec.InvalidState, match="seat"):
        ludovec.data.Dataset(tmp_path / "text.parquet")
    ludovec.data.write(tmp_path / "other", "tilewe", steps=1, num_envs=2, seed=0, players=2)
    file.rename(tmp_path / "other" / "part-00001.parquet")
    with pytest.raises(ludovec.InvalidState, match="other games"):
        ludovec.data.Dataset(tmp_path / "other")
    (tmp_path / "other" / "part-00001.parquet").unlink()
    data = ludovec.data.Dataset(tmp_path / "other")
    for wrong in ({"columns": "colour"}, {"files": [3]}, {"files": []}):
        with pytest.raises(ludovec.InvalidConfig):
            data.read(**wrong)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "exactly one"),
        ({"games": 1, "steps": 1}, "exactly one"),
        ({"games": 0}, "games"),
        ({"games": 1, "bots": "nobody"}, "nobody"),
        ({"games": 1, "bots": ["random"]}, "bots"),
        ({"games": 1, "bots": "net:nothing.onnx"}, "nothing"),
        ({"games": 1, "compression": "zip"}, "compression"),
        ({"games": 1, "shard": 0}, "shard"),
        ({"games": 1, "colour": 0}, "colour"),
    ],
)
def test_wrong_arguments(wrong, said, tmp_path):
    with pytest.raises(ludovec.InvalidConfig, match=said):
        ludovec.data.write(tmp_path / "new", "chess", **wrong)
    assert not list(tmp_path.rglob("*.parquet"))


def test_torch_reads_rows(tmp_path):
    torch = pytest.importorskip("torch")
    ludovec.data.write(tmp_path, "chess", steps=5, num_envs=6, seed=1)
    data = ludovec.data.Dataset(tmp_path)
    rows = data.to_torch()
    assert len(rows) == 30 and rows[3]["observation"].shape == data.spec.observation_shape
    loader = torch.utils.data.DataLoader(rows, batch_size=8, shuffle=False)
    env = ludovec.make("chess", 6, seed=1)
    env.reset()
    found = list(loader)
    assert [len(batch["action"]) for batch in found] == [8, 8, 8, 6]
    first = {name: column[:6] for name, column in found[0].items()}
    np.testing.assert_array_equal(first["observation"].numpy(), env.observations)
    np.testing.assert_array_equal(first["mask"].numpy(), env.legal_action_mask)
    np.testing.assert_array_equal(first["action"].numpy(), env.sample_actions())
    for name, column in rows.tensors(range(6)).items():
        assert torch.equal(column.nan_to_num(), first[name].nan_to_num()), name
    with pytest.raises(IndexError):
        rows[30]


def test_hugging_face_reads_rows(tmp_path):
    pytest.importorskip("datasets")
    ludovec.data.write(tmp_path / "data", "starwars_risk", bots="net:champion", steps=3, num_envs=4, seed=1)
    data = ludovec.data.Dataset(tmp_path / "data")
    table = data.to_hugging_face(cache_dir=str(tmp_path / "cache"))
    found = data.read()
    assert len(table) == 12 and table["action"][:] == found["action"].tolist()
    assert b"".join(table["observation"][:]) == found["observation"].tobytes()
    assert b"".join(table["mask"][:]) == found["mask"].tobytes()
    np.testing.assert_array_equal(table["value"][:], found["value"])
    np.testing.assert_array_equal(np.concatenate(table["policy"][:]), found["policy"][1])


def test_minari_reads_episodes(tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    ludovec.data.write(tmp_path / "data", "starwars_risk", games=3, num_envs=2, seed=1, max_rounds=2)
    data = ludovec.data.Dataset(tmp_path / "data")
    data.to_minari("starwars_risk/random-v0")
    found = minari.load_dataset("starwars_risk/random-v0")
    assert found.total_episodes == 6 and found.total_steps == len(data)
    rewards = data.until_next()["reward"]
    assert sum(episode.rewards.sum() for episode in found) == pytest.approx(rewards.sum(), abs=1e-5)
    for episode in found:
        actions, masks = episode.actions, episode.observations["action_mask"]
        assert len(masks) == len(actions) + 1 and masks[np.arange(len(actions)), actions].all()
        assert found.observation_space["observation"].contains(episode.observations["observation"][0])
        assert episode.terminations[-1] or episode.truncations[-1]


def run(*words, **more):
    command = [sys.executable, "-m", "ludovec", "selfplay", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **more)


def test_the_command_writes_what_the_function_writes(tmp_path):
    told = run(
        "tilewe", "--games", 4, "--num-envs", 2, "--seed", 3, "--set", "players=2", "--out", tmp_path / "a"
    )
    assert told.returncode == 0 and "decisions of 4 games in 1 shard" in told.stdout, told.stderr
    ludovec.data.write(tmp_path / "b", "tilewe", games=4, num_envs=2, seed=3, players=2)
    a, b = (ludovec.data.Dataset(tmp_path / name).read() for name in "ab")
    for name in COLUMNS:
        assert a[name].tobytes() == b[name].tobytes()
    again = run("tilewe", "--games", 1, "--out", tmp_path / "a")
    assert again.returncode == 1 and "it has data already" in again.stderr and again.stderr.count("\n") == 1
    wrong = run("tilewe", "--games", 1, "--players", "nobody", "--out", tmp_path / "c")
    assert wrong.returncode and "nobody" in wrong.stderr and wrong.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_ctrl_c_completes_the_last_shard(tmp_path):
    command = [
        sys.executable,
        "-m",
        "ludovec",
        "selfplay",
        "starwars_risk",
        "--seconds",
        "60",
        "--num-envs",
        "64",
    ]
    command += ["--shard", "20000", "--out", str(tmp_path), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not list(Path(tmp_path).glob("part-*.parquet")):
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        told, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    assert '"partial":true' in told.replace(" ", "")
    assert len(ludovec.data.Dataset(tmp_path)) >= 20000
    assert not list(Path(tmp_path).glob(".*"))


def rewritten(file, name, change):
    """Changes a column of a file, also against its schema of nulls."""
    table = pq.read_table(file)
    at = table.schema.get_field_index(name)
    listed = table.column(name).to_pylist()
    field = table.schema.field(name)
    column = pa.array(change(listed), field.type)
    fields = [one.with_nullable(True) for one in table.schema]
    schema = pa.schema(fields, metadata=table.schema.metadata)
    columns = [column if i == at else table.column(i) for i in range(table.num_columns)]
    pq.write_table(pa.table(columns, schema=schema), file)


WRONG = {
    "a null": ("action", lambda rows: [None, *rows[1:]], "row 0 of the column action: null"),
    "a null in bytes": ("mask", lambda rows: [*rows[:2], None, *rows[3:]], "row 2 of the column mask: null"),
    "a null flag": ("terminated", lambda rows: [*rows[:-1], None], "of the column terminated: null"),
    "a null row": ("rewards", lambda rows: [rows[0], None, *rows[2:]], "row 1 of the column rewards: null"),
    "a null number": (
        "rewards",
        lambda rows: [*rows[:3], [None] * len(rows[3]), *rows[4:]],
        "row 3 of the column rewards: a null in the list",
    ),
    "a player": (
        "seat",
        lambda rows: [*rows[:4], 255, *rows[5:]],
        "row 4 of the column seat: 255, 0 to 1 is",
    ),
    "an action": ("action", lambda rows: [-1, *rows[1:]], "row 0 of the column action: -1, 0 to"),
    "values": (
        "value",
        lambda rows: [[0.0] * 3, *rows[1:]],
        "row 0 of the column value: 3 numbers, 2 players",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_rows_of_files_from_elsewhere_are_named(what, tmp_path):
    name, change, said = WRONG[what]
    ludovec.data.write(tmp_path, "starwars_risk", steps=8, num_envs=2, seed=0)
    (file,) = ludovec.data.Dataset(tmp_path).files
    rewritten(file, name, change)
    data = ludovec.data.Dataset(tmp_path)
    calls = [data.read, lambda: list(data.batches(5)), data.to_torch]
    for call in calls if what != "values" else calls[:2]:
        with pytest.raises(ludovec.InvalidState, match=f"{file.name}: .*{said}") as error:
            call()
        assert "\n" not in str(error.value)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a FIFO")
def test_a_fifo_as_a_part_is_refused_at_once(tmp_path):
    ludovec.data.write(tmp_path, "starwars_risk", steps=4, num_envs=2, seed=0)
    os.mkfifo(tmp_path / "part-00001.parquet")
    for path in (tmp_path, tmp_path / "part-00001.parquet"):
        with pytest.raises(ludovec.InvalidState, match=r"part-00001\.parquet: a regular file is needed"):
            ludovec.data.Dataset(path)


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_the_dataset_of_torch_travels_to_other_processes(method, tmp_path):
    """As a data loader sends it where processes are not forked."""
    torch = pytest.importorskip("torch")
    ludovec.data.write(tmp_path, "starwars_risk", steps=8, num_envs=4, bots="search:4", seed=0)
    data = ludovec.data.Dataset(tmp_path).to_torch()
    again = pickle.loads(pickle.dumps(data))
    for one, two in zip(data.tensors([0, 5]).values(), again.tensors([0, 5]).values()):
        assert torch.equal(one, two) or (one.isnan() == two.isnan()).all()
    loader = torch.utils.data.DataLoader(data, 16, num_workers=2, multiprocessing_context=method)
    assert torch.equal(torch.cat([batch["policy"] for batch in loader]), data.tensors(range(32))["policy"])


def test_one_name_is_one_player_in_files_too(tmp_path):
    """`search` is `search:200`, searches have no noise unless it is asked for, and networks any precision."""

    def written(bots, **more):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        ludovec.data.write(folder, "tilewe", bots=bots, steps=2, num_envs=6, seed=1, players=2, **more)
        found = ludovec.data.Dataset(folder).read()
        schema = pq.read_schema(next(folder.glob("*.parquet")))
        return found, json.loads(schema.metadata[b"ludovec"])

    short, long = written("search")[0], written("search:200")[0]
    for name in ("action", "value"):
        np.testing.assert_array_equal(short[name], long[name])
    assert np.diff(long["policy"][0]).all() and np.diff(written("flat")[0]["policy"][0]).all()
    plain, told = written("net:champion:4")
    # A deterministic game and a search without noise: all games are the same game.
    assert told["explore"] is False and len(set(plain["action"][:6].tolist())) == 1
    noisy, told = written("net:champion:4", explore=True)
    assert told["explore"] is True and len(set(noisy["action"][:6].tolist())) > 1
    written("net:champion?precision=int8:4")
    written("net:champion?precision=int8")
