"""The example that trains a chess network on positions that a UCI engine judged."""

import subprocess
import sys
from pathlib import Path

import ludovec
import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "chess_from_engine.py"


@pytest.fixture(scope="module")
def labels(tmp_path_factory):
    """Positions judged by the program of this package."""
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("labels")
    engine = f"{sys.executable} -m ludovec uci --player net:champion:16"
    run(
        "label",
        "--engine",
        engine,
        "--files",
        "3",
        "--processes",
        "1",
        "--nodes",
        "50",
        "--per-file",
        "20",
        "--out",
        folder,
    )
    return folder


def run(*arguments):
    command = [sys.executable, str(EXAMPLE), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_labels_are_learned_and_the_network_plays(labels, tmp_path):
    file = tmp_path / "small.safetensors"
    size = ["--channels", "8", "--blocks", "1", "--minibatch", "32", "--threads", "1"]
    shown = run("learn", "--labels", labels, "--out", file, *size, "--updates", "40", "--report-every", "10")
    policy = [
        float(line.split("policy ")[1].split(",")[0]) for line in shown.splitlines() if "policy" in line
    ]
    assert len(policy) == 4 and policy[-1] < policy[0], shown
    table = ludovec.tournament("chess", [f"net:{file}", "random"], 2, max_steps=10)
    assert table.games == 2 and not table.faults
    # A continued run begins where the first one ended.
    again = run(
        "learn",
        "--labels",
        labels,
        "--out",
        file,
        *size,
        "--updates",
        "50",
        "--report-every",
        "10",
        "--resume",
    )
    assert [line.split()[0] for line in again.splitlines() if "policy" in line] == ["50"], again


def test_a_folder_without_labels_is_refused_in_one_line(tmp_path):
    pytest.importorskip("torch")
    command = [sys.executable, str(EXAMPLE), "learn", "--labels", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and "run `label` first" in done.stderr and len(done.stderr.splitlines()) == 1


def test_engines_that_end_or_have_no_scores_are_refused_in_one_line(tmp_path):
    pytest.importorskip("torch")
    engine = "import sys\nfor line in sys.stdin:\n    {}"
    answer = (
        "print('uciok' if 'uci' in line else 'info depth 1 pv e2e4\\nbestmove e2e4' if 'go' in line else '')"
    )
    for body, problem in {
        "break": "the engine has ended",
        f"{answer}; sys.stdout.flush()": "without scores",
    }.items():
        program = tmp_path / "engine.py"
        program.write_text(engine.format(body))
        command = [sys.executable, str(EXAMPLE), "label", "--engine", f"{sys.executable} {program}"]
        command += ["--processes", "1", "--files", "1", "--out", str(tmp_path / "labels")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 1, done.stderr
        assert problem in done.stderr and len(done.stderr.splitlines()) == 2, done.stderr
