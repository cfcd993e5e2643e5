"""Whole runs of the trainer: same bytes after any interruption, files, learning.

The tests share an uninterrupted run, so the file is long.
"""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise

import ludovec
import numpy as np
import pytest
from ludovec.train import Config, configuration

torch = pytest.importorskip("torch")

from ludovec import nets  # noqa: E402
from ludovec.players.python_bots import Chooser  # noqa: E402
from ludovec.train import Budget, Training  # noqa: E402
from ludovec.train.budget import Costs, fitted  # noqa: E402
from ludovec.train.self_play import legal_actions  # noqa: E402
from ludovec.train.shards import PlayerMaker  # noqa: E402
from small_trainings import FLAGS, SMALL, contents, small  # noqa: E402


def play_rounds(config, out, parts):
    """Runs in several parts, each from the checkpoint of the one before."""
    for i, rounds in enumerate(parts):
        training = Training(config, out, resume=i > 0)
        assert training.run(Budget(rounds=rounds))
        found = contents(training)
        training.close()
    return training, found


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """An uninterrupted run on one thread."""
    training, found = play_rounds(small(workers=0), tmp_path_factory.mktemp("whole"), [10])
    assert training.learner.updates > 25 and training.games() > 10 and training.curve
    assert training.learner.updates > training.config.imitate
    return training, found


def same(a, b):
    assert [name for name in a[0] if a[0][name] != b[0].get(name)] == []
    assert a[1] == b[1] and a[2] == b[2]


@pytest.mark.parametrize("parts", [[4, 6], [1, 2, 6, 1]])
def test_a_resumed_run_has_the_same_bytes(whole, parts, tmp_path):
    same(whole[1], play_rounds(small(workers=0), tmp_path, parts)[1])


def test_threads_do_not_change_a_byte(whole, tmp_path):
    same(whole[1], play_rounds(small(workers=-1), tmp_path, [5, 5])[1])
    assert play_rounds(small(seed=1), tmp_path / "other", [10])[1][2] != whole[1][2]


def test_a_run_of_the_policy_alone_has_the_same_bytes(tmp_path):
    config = small(simulations=0, reuse=1.0, moves=8, workers=0, buffer=5_000)
    training, found = play_rounds(config, tmp_path / "whole", [9])
    assert training.learner.updates > training.config.imitate
    for buffer in training.buffers:
        # Bots played the first games, and began the next ones.
        advantages = buffer.rows(0, buffer.added).advantages
        assert buffer.first == 0 and np.isnan(advantages[: buffer.imitated]).all()
        assert 10 < (~np.isnan(advantages)).sum()
    same(found, play_rounds(config.changed(workers=-1), tmp_path / "parts", [1, 6, 2])[1])


def test_a_schedule_is_fitted_to_minutes():
    config = small(imitate=100)
    # A tenth is for evaluations: 90 minutes of updates.
    found = fitted(config, 100, Costs(imitation=0.1, self_play=0.5))
    assert (found.imitate, found.updates, found.evaluate_every) == (100, 100 + 160, 40)
    # Imitation has 36 minutes at most.
    found = fitted(config, 100, Costs(imitation=1, self_play=0.5))
    assert (found.imitate, found.updates, found.evaluate_every) == (36, 36 + 108, 27)
    assert fitted(config, 1e-6, Costs(imitation=1, self_play=1)).updates == 1
    assert found == config.changed(imitate=36, updates=144, evaluate_every=27)


@pytest.mark.parametrize("workers", [0, -1])
def test_a_run_with_a_budget_is_the_run_of_its_configuration(tmp_path, workers):
    """Bytes are the same without a clock, and when the run was interrupted before its schedule was known."""
    budget = Budget(cpu_minutes=5, rounds=3, fits=True)
    first = Training(small(workers=workers, warm_up=400), tmp_path / "timed")
    assert first.run(budget) and first.is_fitting and not first.learner.updates
    first.close()
    timed = Training(first.config, tmp_path / "timed", resume=True)
    assert timed.run(Budget(cpu_minutes=5, rounds=9)) and timed.learner.updates > timed.config.imitate
    assert not timed.is_fitting and timed.config.updates > 200
    assert (timed.config.imitate, timed.config.buffer) == (15, 500)
    again = Training(Config.read(timed.folder.config), tmp_path / "again")
    assert again.run(Budget(rounds=12))
    found, same_run = contents(timed), contents(again)
    found[0].pop(".is_fitting"), same_run[0].pop(".is_fitting")
    same(found, same_run)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(), "   2.5 min"),
        (Budget(minutes=10), "   2.5 of 10 min"),
        (Budget(minutes=10, cpu_minutes=12), "   4.0 of 12 cpu min"),
    ],
)
def test_a_line_shows_the_minutes_of_its_budget(budget, told):
    assert budget.told(2.5, 4) == told


def started(out, checkpoint_every, *more):
    code = (
        "import sys, ludovec.train.run as run; run.CHECKPOINT_EVERY = float(sys.argv[1]); "
        "from ludovec.train.command import main; sys.exit(main(sys.argv[2:]))"
    )
    command = [
        sys.executable,
        "-u",
        "-c",
        code,
        str(checkpoint_every),
        "tilewe",
        *FLAGS,
        "--out",
        str(out),
        *more,
    ]

    def handle_interrupts():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, preexec_fn=handle_interrupts, **pipes)


def goes_on_like_an_uninterrupted_run(out, reference):
    """The checkpoint is a state of the uninterrupted run, and leads to its later states."""
    config = Config.read(out / "config.toml")
    training = Training(config.changed(workers=0), out, resume=True)
    rounds = training.rounds
    other = Training(config.changed(workers=0), reference)
    assert rounds and other.run(Budget(rounds=rounds))
    assert training.run(Budget(rounds=2)) and other.run(Budget(rounds=2))
    same(contents(training), contents(other))


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path):
    out = tmp_path / "killed"
    with started(out, 0.2) as process:
        wait_for(process, lambda: (out / "checkpoint.safetensors").exists())
        first = (out / "checkpoint.safetensors").stat().st_mtime_ns
        wait_for(process, lambda: (out / "checkpoint.safetensors").stat().st_mtime_ns > first)
        os.kill(process.pid, signal.SIGKILL)
    goes_on_like_an_uninterrupted_run(out, tmp_path / "reference")
    assert not list(out.glob("**/.*.part")) or process.returncode == -signal.SIGKILL


def test_checkpoints_are_more_often_than_every_two_minutes():
    from ludovec.train import run

    assert run.CHECKPOINT_EVERY <= 90


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
@pytest.mark.parametrize(("with_", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_saves_and_ends(with_, code, tmp_path):
    out = tmp_path / "stopped"
    # It does not end before the signal, however busy the machine is.
    with started(out, 1e9, "--updates", "1000000") as process:
        wait_for(process, lambda: (out / "curve.csv").exists())
        time.sleep(0.5)
        # Another process may not train there meanwhile.
        refused = started(out, 1e9, "--resume")
        said = refused.communicate(timeout=60)[1]
        assert refused.returncode == 2 and f"{out} is in use: process {process.pid} on " in said, said
        process.send_signal(getattr(signal, with_))
        told, wrong = process.communicate(timeout=60)
    assert process.returncode == code and "--resume goes on" in told and not wrong, wrong
    file = "best" if (out / "best.safetensors").exists() else "last"
    assert f"the network plays as net:{out / file}.safetensors" in told
    has_the_network_of_its_checkpoint(out)
    goes_on_like_an_uninterrupted_run(out, tmp_path / "reference")


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")
def test_nohup_keeps_a_run_alive():
    from ludovec.train.interrupts import Interrupts

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts().handled():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def has_the_network_of_its_checkpoint(out):
    """Equal weights, updates and numbers of games."""
    network, card = nets.from_file(out / "last.safetensors")
    training = Training(Config.read(out / "config.toml").changed(workers=0), out, resume=True)
    for name, weights in training.learner.average.state_dict().items():
        assert torch.equal(weights.half(), network.state_dict()[name].half()), name
    wanted = {"updates": training.learner.updates, "positions": training.positions}
    assert wanted | {"games": training.games()} == {name: card.notes[name] for name in (*wanted, "games")}
    assert training.learner.updates
    training.close()


def rows_of(file):
    with open(file) as lines:
        return list(csv.DictReader(lines))


@pytest.mark.parametrize("place", ["between two matches", "sample", "self-play"])
def test_every_save_has_the_network_and_the_curve_of_its_state(place, tmp_path, monkeypatch, whole):
    from ludovec.train import run

    config = small(workers=0, bots=["random", "greedy"], evaluate_every=15)
    saves = []
    save = Training.save

    def checked(training, state):
        save(training, state)
        weights = state["learner"]["average"]
        network, card = nets.from_file(tmp_path / "last.safetensors")
        assert all(torch.equal(network.state_dict()[n].half(), weights[n].half()) for n in weights)
        assert card.notes["updates"] == state["learner"]["updates"]
        rows = rows_of(tmp_path / "curve.csv") if (tmp_path / "curve.csv").exists() else []
        assert len(rows) == len(state["curve"]) + bool(state["pending"])
        said = [row for row in rows if row.get("players=3, greedy, alone")]
        assert len(said) == len(state["curve"]) + (len(state["pending"]) > 3)
        saves.append((len(state["curve"]), len(state["pending"])))

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Training, "save", checked)
    monkeypatch.setattr(run, "CHECKPOINT_EVERY", 0)
    training = Training(config, tmp_path)
    if place == "sample":
        monkeypatch.setattr(run, "sample_game", interrupted)
    elif place == "between two matches":
        tell = run.tell
        monkeypatch.setattr(run, "tell", lambda text: interrupted() if "greedy" in text else tell(text))
    else:
        train = training.learner.train
        again = lambda *args: interrupted() if training.curve else train(*args)
        monkeypatch.setattr(training.learner, "train", again)
    assert not training.run(Budget(rounds=50))
    assert saves[-1] == {"sample": (1, 0), "between two matches": (0, 2), "self-play": (1, 0)}[place]
    training.close()
    monkeypatch.undo()
    # The next part has one row for each evaluation.
    again = Training(config, tmp_path, resume=True)
    assert again.run(Budget(rounds=6)) and [row["updates"] for row in again.curve][:2] == [15, 30]
    assert len(rows_of(tmp_path / "curve.csv")) == len(again.curve)
    again.close()


def test_a_folder_has_one_training_at_a_time(tmp_path):
    first = Training(small(workers=0), tmp_path)
    for resume in (False, True):
        with pytest.raises(ludovec.InvalidConfig, match=f"is in use: process {os.getpid()} on ") as error:
            Training(small(), tmp_path, resume=resume)
        assert "\n" not in str(error.value)
    assert first.run(Budget(rounds=2))
    # The lock ends with the run, and a later part takes it again.
    second = Training(small(workers=0), tmp_path, resume=True)
    with pytest.raises(ludovec.InvalidConfig, match="is in use"):
        first.run(Budget(rounds=1))
    assert second.run(Budget(rounds=1)) and second.run(Budget(rounds=1)) and second.rounds == 4
    with pytest.raises(ludovec.InvalidConfig, match="another training has gone on from this one"):
        first.run(Budget(rounds=1))
    # A call that fails leaves no lock.
    with pytest.raises(ludovec.InvalidConfig, match="was trained with channels"):
        Training(small(channels=9), tmp_path, resume=True)
    assert second.run(Budget(rounds=1))
    for training in (first, second):
        training.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a FIFO")
def test_a_fifo_in_place_of_the_lock_is_refused(tmp_path):
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(ludovec.InvalidConfig, match="its lock is no regular file"):
        Training(small(), tmp_path)


def test_a_missing_package_is_named_before_the_training(tmp_path):
    code = (
        "import sys; sys.modules['safetensors'] = None; "
        "from ludovec.train.command import main; sys.exit(main(sys.argv[1:]))"
    )
    command = [sys.executable, "-c", code, "tilewe", "--out", str(tmp_path / "out")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.returncode == 1 and not (tmp_path / "out").exists()
    assert found.stderr == "ludovec: train needs safetensors: pip install 'ludovec[torch]'\n"


def wait_for(process, is_there):
    end = time.monotonic() + 240
    while not is_there():
        assert process.poll() is None and time.monotonic() < end, process.stderr.read()
        time.sleep(0.05)


def test_a_resumed_run_keeps_its_network(whole):
    training, _ = whole
    with pytest.raises(ludovec.InvalidConfig, match=r"was trained with channels=8"):
        Training(small(channels=9), training.folder.path, resume=True)
    with pytest.raises(ludovec.InvalidConfig, match="--resume continues it"):
        Training(small(), training.folder.path)
    # Other settings may change.
    changed = Training(
        small(workers=0, learning_rate=1e-4, evaluate_every=7), training.folder.path, resume=True
    )
    assert changed.learner.updates == training.learner.updates
    changed.close()


def test_a_run_with_fewer_inputs_begins_with_the_whole_network(whole, tmp_path):
    """Inputs that are constant under its own options, or left out, keep their weights."""
    from ludovec.nets.exporting import OnObservations

    file = whole[0].folder.path / "last.safetensors"
    spec = ludovec.spec("tilewe", players=3)
    before, _ = nets.from_file(file)
    without = before.inputs.scalars[0].field
    config = small(options=[{"players": 3}], init=str(file), without=without, workers=0)
    assert len(nets.Inputs.of([spec], nets.Board("own", -2), without=without).scalars) < len(
        before.inputs.scalars
    )
    training = Training(config, tmp_path)
    env = ludovec.make("tilewe", 8, seed=0, players=3)
    env.step_sampled(9)
    observations = torch.from_numpy(env.observations)
    with torch.inference_mode():
        for one, two in zip(
            *(OnObservations(net, spec)(observations) for net in (before, training.learner.network))
        ):
            assert one.std() > 0 and torch.allclose(one, two, atol=1e-5)
    training.close()


def test_damaged_files_are_errors_of_one_line(whole, tmp_path):
    import shutil

    for damage, said in [
        (lambda out: (out / "checkpoint.safetensors").write_bytes(b"PK rubbish"), "is not a checkpoint"),
        (lambda out: next((out / "positions").glob("*.npz")).write_bytes(b"rubbish"), "missing or damaged"),
        (lambda out: next((out / "positions").glob("*.npz")).unlink(), "missing or damaged"),
    ]:
        out = tmp_path / said.replace(" ", "_")
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(whole[0].folder.path, out)
        damage(out)
        with pytest.raises(ludovec.InvalidConfig, match=said) as error:
            Training(small(), out, resume=True)
        assert "\n" not in str(error.value)


def test_the_files_of_a_run_are_complete(whole):
    training, _ = whole
    out = training.folder.path
    assert Config.read(out / "config.toml") == training.config
    with open(out / "curve.csv") as file:
        rows = list(csv.DictReader(file))
    name = "players=3, random, alone"
    assert len(rows) == len(training.curve) and 0 <= float(rows[-1][name]) <= 1 and rows[-1][f"{name} margin"]
    assert (out / "curve.svg").read_text().startswith("<svg")
    game = ludovec.Game.from_record(json.loads((out / "sample.json").read_text()))
    assert game.is_terminal and game.spec.env == "tilewe"
    network = ludovec.Network(out / "best.safetensors", "tilewe", players=2)
    assert network.options["players"] == [2, 3] and network.reward == "margin"
    env = ludovec.make("tilewe", 8, seed=0, players=2)
    env.step_sampled(9)
    logits, values = network(env.observations)
    # The file is the averaged network, in half precision.
    best = ludovec.Network(out / "last.safetensors", "tilewe", players=2)(env.observations)
    with torch.inference_mode():
        from ludovec.train.inference import Fitted

        fitted = Fitted(training.learner.average, training.specs[0], torch.device("cpu"), torch.float32)
        outputs, mine = fitted(env.observations)
    assert np.allclose(best[0], outputs[:, fitted.index].numpy(), atol=0.05)
    assert np.allclose(best[1] / 20, mine.numpy(), atol=0.05) and logits.shape == best[0].shape
    # Every library of self-play answers about the same, with logits of the legal actions.
    offsets, legal = legal_actions(env.action_mask_bits, env.game_spec.num_actions)
    rows = np.repeat(np.arange(8), np.diff(offsets))
    for inference in ("auto", "torch", "engine", "int8"):
        maker = PlayerMaker(training.config.changed(inference=inference), torch.device("cpu"), torch.float32)
        player = maker.player(training.learner.average, training.specs[0])
        player.load(training.learner.average)
        found = player.answer(env.observations, offsets, legal)
        assert np.allclose(found[0], outputs[:, fitted.index].numpy()[rows, legal], atol=0.05), inference
        assert np.allclose(found[1] / 20, mine.numpy(), atol=0.05), inference


def test_a_game_without_a_preset_trains(env_id, tmp_path, monkeypatch):
    """Also a game with bots of other names."""
    monkeypatch.setattr(configuration, "PRESETS", tmp_path)
    preset = Config.preset(env_id)
    assert preset.teachers and preset.board == ""
    more = {"max_steps": 12, "reward": "score"} if env_id != "chess" else {"max_steps": 12}
    schedule = {"updates": 12, "imitate": 6, "evaluate_every": 12}
    config = preset.changed(**{**SMALL, **schedule, "options": [more], "reward": "score"})
    training = Training(config, tmp_path / "out")
    assert training.run()
    assert training.learner.updates == 12 and (tmp_path / "out" / "best.safetensors").exists()


def test_a_resumed_run_may_have_bots_with_longer_names():
    from ludovec.train.self_play import Games

    before = Games(small(shards=1, teachers=["random"]), 0, 0)
    games = Games(small(shards=1, teachers=["largest_piece"]), 0, 0)
    games.restore(before.state())
    assert set(games.teachers.ravel()) == {"random"}
    for _ in range(150):
        games.imitate(1, lambda: None)
    assert set(games.teachers.ravel()) == {"largest_piece"}
    before.close()
    games.close()


def test_a_teacher_that_searches_gives_the_shares_of_its_simulations():
    from ludovec.train.self_play import Games

    config = small(options=[{"mode": "blokus_duo"}], shards=1, teachers=["search:40", "greedy"])
    games = Games(config, 0, 0)
    samples = games.env._core.samples()
    player = Chooser(games.env, [("teacher", "search:40")])
    wanted = player.choose(np.zeros((16, games.spec.players), np.int32))
    games.env._core.set_samples(samples)
    games.imitate(1, lambda: None)
    offsets, legal, policies = games.played.columns["legal"]
    for game, (a, b) in enumerate(pairwise(offsets)):
        visits = wanted.policy[2][a:b]
        shares = np.asarray(visits / visits.sum(), np.float16)
        chosen = legal[a:b] == wanted.actions[game]
        is_most = visits[chosen] == visits.max()
        np.testing.assert_array_equal(policies[a:b], shares if is_most else chosen.astype(np.float16))
    games.imitate(40, lambda: None)
    offsets, legal, policies = games.played.columns["legal"]
    choices = games.played.columns["is_choice"]
    moves = [policies[a:b].astype(float) for a, b in pairwise(offsets)]
    assert choices.sum() > 20 and all(abs(policy.sum() - 1) < 0.01 for policy in moves)
    assert np.mean([policy.max() < 0.99 for policy, chose in zip(moves, choices) if chose]) > 0.5
    # A forced move is no position to learn from, and needs no search.
    assert all(policy.tolist() == [1] for policy, chose in zip(moves, choices) if not chose)
    games.close()


def test_games_begin_in_positions_of_a_file(tmp_path):
    from ludovec.train.self_play import Games

    opening = ludovec.Game("tilewe", seed=0, players=2)
    for _ in range(2):
        opening.step(opening.legal_actions()[0])
    file = tmp_path / "openings.jsonl"
    file.write_text(json.dumps(opening.record()) + "\n")
    alone = {"teachers": ["random"], "shards": 1}
    config = small(options=[{"players": 2}], **alone, starts=str(file))
    assert Config.from_toml(config.to_toml(), "copy") == config
    games = Games(config, 0, 0)
    wanted = ludovec.make("tilewe", 1, players=2, reward=config.reward)
    wanted.set_position(0, opening)
    seen = 0
    for _ in range(60):
        # Games without a decision that waits for the result.
        under_way = games.played.columns["games"] if seen else []
        for i in np.setdiff1d(np.arange(games.env.num_envs), under_way):
            assert games.env.observations[i].tobytes() == wanted.observations[0].tobytes()
            seen += 1
        games.imitate(1, lambda: None)
    assert seen > games.env.num_envs
    games.close()
    for wrong, said in (
        ({"starts": str(tmp_path / "none.pgn")}, r"none\.pgn"),
        ({"opening_plies": 2}, "starts must be a file"),
    ):
        with pytest.raises(ludovec.InvalidConfig, match=said):
            Training(small(options=[{"players": 2}], **alone, **wrong), tmp_path / "run")


def test_updates_are_the_budget_and_the_schedule(tmp_path):
    config = small(updates=25, evaluate_every=1000, workers=0)
    training = Training(config, tmp_path)
    assert training.run()
    assert training.learner.updates == 25 and [row["updates"] for row in training.curve] == [15, 25]
    rate = training.learner.optimizer.param_groups[0]["lr"]
    assert np.isclose(rate, config.learning_rate * (1 - 0.9 * 24 / 25))
    # Spent: a second run has nothing to do.
    again = Training(config, tmp_path, resume=True)
    assert again.run() and again.learner.updates == 25 and len(again.curve) == 2
    # Processor time ends a run, too.
    more = Training(config.changed(updates=10**6), tmp_path, resume=True)
    assert more.run(Budget(cpu_minutes=more.cpu_minutes() + 0.02)) and 25 < more.learner.updates < 10**5


def test_a_run_over_patches_writes_a_network_that_plays(tmp_path):
    training = Training(small(updates=20, evaluate_every=1000, workers=0, stride=2), tmp_path)
    assert training.run()
    env = ludovec.make("tilewe", 2, players=3, seed=0)
    logits, values = ludovec.Network(tmp_path / "last.safetensors", env)(env.observations)
    assert logits.std() > 0 and values.shape == (2, 3)
    # Without a stride its layers have no place.
    with pytest.raises(ludovec.InvalidConfig, match=r"has down\.bias, which this one lacks"):
        Training(small(init=str(tmp_path / "last.safetensors")), tmp_path / "other")


def test_engine_and_torch_answer_alike():
    from ludovec.nets import files
    from ludovec.train.inference import EnginePlayer, Player

    spec = ludovec.spec("starwars_risk")
    torch.manual_seed(0)
    network = nets.ResidualNetwork(nets.Inputs.of([spec]), spec, 32, 2)
    for head in (network.policy_others, network.value):
        torch.nn.init.normal_(head.weight, std=0.2)
    card = nets.Card.of(spec, value_scale=3.0)
    players = [
        EnginePlayer(lambda network: files.content(network, card, spec, torch.float32), spec, "float"),
        Player(network, spec, torch.device("cpu"), torch.float32, 3.0),
    ]
    env = ludovec.make("starwars_risk", 16, seed=0, mask="bits")
    env.step_sampled(20)
    from ludovec.train.self_play import legal_actions

    offsets, actions = legal_actions(env.action_mask_bits, spec.num_actions)
    answers = []
    for player in players:
        player.load(network)
        answers.append(player.answer(env.observations, offsets, actions))
    for one, two in zip(*answers):
        assert one.shape == two.shape and np.abs(one).max() > 0.1 and np.allclose(one, two, atol=1e-3)


@pytest.mark.training
def test_a_trained_network_beats_random_play(tmp_path):
    """A minute of processor time; the saved network is far better than random."""
    config = Config.preset("starwars_risk").changed(
        games=64, simulations=4, evaluation_games=8, evaluation_simulations=[0], bots=["random"], channels=64,
        warm_up=500, minibatch=128, imitate=400, updates=600, evaluate_every=600,
    )  # fmt: skip
    assert Training(config, tmp_path).run(Budget(cpu_minutes=3))
    table = ludovec.tournament(
        "starwars_risk", {"trained": f"net:{tmp_path / 'best.safetensors'}:8", "random": "random"}, games=60
    )
    points = {row.bot: row.points / row.comparisons for row in table.standings}
    # The probability of this result between equal players is 1 in 10,000.
    assert points["trained"] > 0.75, points


def wandb_history(file):
    """The numbers in a file of Weights & Biases (a log of LevelDB), by update and name."""
    from wandb.proto import wandb_internal_pb2 as proto

    data, at, whole, found = file.read_bytes(), 7, b"", {}
    while at + 7 <= len(data):
        # Records are in blocks of 32 KiB; the parts of a record are full (1), first, middle or last (4).
        if at % 32768 > 32768 - 7:
            at += -at % 32768
            continue
        length, kind = int.from_bytes(data[at + 4 : at + 6], "little"), data[at + 6]
        whole += data[at + 7 :][:length]
        at += 7 + length
        if kind in (1, 4):
            record = proto.Record.FromString(whole)
            whole = b""
            items = {item.key or item.nested_key[0]: item.value_json for item in record.history.item}
            step = record.history.step.num
            found |= {(step, name): float(value) for name, value in items.items() if name[0] != "_"}
    return found


def test_weights_and_biases_get_the_curve(tmp_path, monkeypatch):
    """Offline: the run's file has the shares of every evaluation, and a resumed run is the same run."""
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    for updates in (20, 40):
        config = small("tilewe", updates=updates, wandb="ludovec-test")
        training = Training(config, tmp_path, resume=updates > 20)
        assert training.run()
        training.close()
    found = {}
    runs = sorted(tmp_path.glob("wandb/offline-run-*/*.wandb"))
    assert len({file.stem for file in runs}) == 1 and len(runs) == 2
    for file in runs:
        found |= wandb_history(file)
    for row in training.curve:
        names = [name for name in row if f"{name} margin" in row]
        assert names and all(round(found[row["updates"], name], 4) == row[name] for name in names)


def test_tensorboard_gets_the_curve(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    training = Training(small("tilewe", updates=20), tmp_path)
    assert training.run()
    training.close()
    events = EventAccumulator(str(tmp_path)).Reload()
    names = [name for name in training.curve[-1] if f"{name} margin" in training.curve[-1]]
    assert len(names) == 2
    for name in names:
        found = {event.step: round(event.value, 4) for event in events.Scalars(name)}
        assert found == {row["updates"]: row[name] for row in training.curve}


def test_without_wandb_the_setting_is_an_error_of_one_line(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "wandb", None)
    with pytest.raises(ImportError, match=r"pip install 'ludovec\[wandb\]'"):
        Training(small("tilewe", updates=15, wandb="some"), tmp_path).run()
