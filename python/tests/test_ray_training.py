"""Trainings with shards on a Ray cluster: the same bytes as in one process; needs Ray and torch."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import ludovec
import pytest

pytest.importorskip("ray", reason="needs ray (make test-ray)")
torch = pytest.importorskip("torch")

import ray  # noqa: E402
from ludovec.train import Budget, Training  # noqa: E402
from small_trainings import FLAGS, contents, small  # noqa: E402

#: Rounds of a training: of imitation at first, then of self-play.
ROUNDS = 10


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=3, log_to_driver=False, include_dashboard=False, object_store_memory=200 << 20)
    yield
    ray.shutdown()


def run(out, rounds, resume=False, during=None, **settings):
    """Rounds of a training; ``during(training, stopped)`` runs beside it."""
    training = Training(small(**settings), out, resume=resume)
    stopped = threading.Event()
    thread = threading.Thread(target=during, args=(training, stopped)) if during else None
    if thread:
        thread.start()
    assert training.run(Budget(rounds=rounds))
    stopped.set()
    if thread:
        thread.join()
    training.close()
    # As the next part of the run finds it.
    saved = Training(small(**{**settings, "ray": "", "workers": 0}), out, resume=True)
    found = contents(saved)
    saved.close()
    return found


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A training in this process."""
    found = run(tmp_path_factory.mktemp("here"), ROUNDS, workers=0)
    assert found[0][".learner.updates"] > 20
    return found


def same(found, wanted):
    assert [name for name in wanted[0] if found[0].get(name) != wanted[0][name]] == []
    assert found[1:] == wanted[1:]


def test_shards_on_a_cluster_have_the_same_bytes(here, tmp_path):
    same(run(tmp_path, ROUNDS, ray="local"), here)


def test_a_training_moves_to_a_cluster_and_back(here, tmp_path):
    run(tmp_path, 4, workers=0)
    run(tmp_path, 3, resume=True, ray="local")
    same(run(tmp_path, ROUNDS - 7, resume=True, workers=0), here)


def test_shards_of_killed_workers_go_on_in_new_ones(here, tmp_path):
    killed = []

    def kill(training, stopped):
        while not stopped.wait(1.0) and len(killed) < 4:
            shard = training.shards[len(killed) % 2]
            try:
                process = shard.process()
                os.kill(process, signal.SIGKILL)
                killed.append(process)
            except (ray.exceptions.RayError, ProcessLookupError):
                # It died before.
                pass

    same(run(tmp_path, ROUNDS, during=kill, ray="local"), here)
    assert len(set(killed)) > 1


def test_games_of_ones_own_reach_the_actors(tmp_path):
    (env,) = ludovec.load(Path(__file__).parents[2] / "examples" / "python_games" / "tic_tac_toe.py")
    training = Training(small(env, teachers=["random"], ray="local"), tmp_path)
    assert training.run(Budget(rounds=3)) and training.games() > 0
    training.close()


def test_shards_on_gpus_need_gpus(tmp_path):
    with pytest.raises(
        ludovec.LudovecError, match="2 shards need 2 CPU, 1 GPU; the cluster has 3 CPU, 0 GPU"
    ):
        Training(small(ray="local", ray_gpus=0.5), tmp_path)
    with pytest.raises(ludovec.LudovecError, match="8 shards need 8 CPU; the cluster has 3 CPU"):
        Training(small(ray="local", shards=8), tmp_path)


@pytest.mark.skipif(torch.cuda.is_available(), reason="a GPU with CUDA is here")
def test_shards_of_nodes_without_cuda_are_one_error(tmp_path):
    # The cluster believes that it has a GPU.
    program = f"""
import ray
from ludovec.train import Training
from small_trainings import small
ray.init(num_cpus=2, num_gpus=1, log_to_driver=False, include_dashboard=False, object_store_memory=100 << 20)
Training(small(ray="local", ray_gpus=0.5), {str(tmp_path)!r})
"""
    folder = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=folder)
    assert done.returncode == 1
    assert "InvalidConfig: invalid configuration: device=cuda: there is no such device" in done.stderr


def test_an_address_without_a_cluster_is_an_error(tmp_path):
    command = [sys.executable, "-m", "ludovec.train", "tilewe", "--out", tmp_path / "run", "--ray"]
    for address, told in [("127.0.0.1:1", "Connection refused"), ("here", "Invalid address")]:
        done = subprocess.run([*command, address], capture_output=True, text=True)
        lines = done.stderr.splitlines()
        assert done.returncode == 1 and len(lines) == 1, (done.stdout, done.stderr)
        assert lines[0].startswith(f"ludovec: ray={address}: ") and told in lines[0]


def test_ctrl_c_ends_a_training_on_a_cluster(tmp_path):
    command = [sys.executable, "-u", "-m", "ludovec.train", "tilewe", *FLAGS, "--updates", "100000"]
    # An evaluation would put off the next line of progress.
    command += ["--evaluate-every", "100000"]

    def handle_interrupts():
        signal.signal(signal.SIGINT, signal.default_int_handler)

    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command += ["--ray", "local", "--out", tmp_path / "run"]
    process = subprocess.Popen(command, preexec_fn=handle_interrupts, **pipes)
    for line in process.stdout:
        if "min  self-play" in line:
            break
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=300)
    assert process.returncode == 130 and "--resume goes on" in out, (out, error)
    resumed = Training(
        ludovec.train.Config.read(tmp_path / "run" / "config.toml"), tmp_path / "run", resume=True
    )
    assert resumed.rounds > 0
    resumed.close()
