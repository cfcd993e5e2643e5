"""The folder `examples/rust_game`, built and installed by pip as its users do: `make test-game`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import ludovec
import pytest

ROOT = Path(__file__).parents[2]
TEMPLATE = ROOT / "examples" / "rust_game"
pytestmark = [
    pytest.mark.builds,
    pytest.mark.skipif(
        not TEMPLATE.exists() or shutil.which("cargo") is None, reason="needs the checkout and cargo"
    ),
]


def run(*command, **given):
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=1800, **given)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The environment of a process in which the package is installed."""
    folder = tmp_path_factory.mktemp("game")
    copy, site = folder / "rust_game", folder / "site"
    shutil.copytree(TEMPLATE, copy, ignore=shutil.ignore_patterns("target", "build", "*.egg-info"))
    for name in ("Cargo.toml",):
        text = (copy / name).read_text()
        (copy / name).write_text(text.replace('"../../src/engine"', f'"{ROOT / "src" / "engine"}"'))
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    env = {**os.environ, "CARGO_TARGET_DIR": f"{target}/rust_game"}
    run(sys.executable, "-m", "pip", "install", "--no-deps", "--target", site, ".", cwd=copy, env=env)
    package = Path(ludovec.__file__).parents[1]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), str(package), *sys.path])}


def test_pip_installs_a_game_that_everything_knows(installed):
    code = """
import ludovec
env = ludovec.make("noughts", 64, seed=0)
for _ in range(100):
    env.step(env.sample_actions())
assert "noughts" in ludovec.list_envs() and ludovec.testing.check_game("noughts") is None
search = ludovec.TreeSearch.playouts(ludovec.make("noughts", 4), simulations=32)
search.start()
search.run()
ludovec.tournament("noughts", ["search:20", "random"], games=4)
"""
    run(sys.executable, "-c", "import ludovec.testing\n" + code, env=installed)
    said = run(sys.executable, "-m", "ludovec", "spec", "noughts", env=installed)
    assert '"noughts"' in said
    run(sys.executable, "-m", "ludovec", "bench", "noughts", "--steps", 100, "--num-envs", 64, env=installed)
    run(sys.executable, "-m", "pytest", "-q", TEMPLATE / "tests", env=installed, cwd=TEMPLATE.parent)


def test_gymnasium_knows_the_game(installed):
    pytest.importorskip("gymnasium")
    code = "import gymnasium, ludovec; print(gymnasium.make('ludovec/Noughts-v1').reset(seed=0)[0].shape)"
    assert run(sys.executable, "-c", code, env=installed) == "(18,)\n"


def test_ludovec_train_learns_the_game(installed, tmp_path):
    pytest.importorskip("torch")
    out = tmp_path / "run"
    run(sys.executable, "-m", "ludovec", "train", "noughts", "--updates", 10, "--out", out, env=installed)
    assert (out / "curve.csv").read_text().count("\n") >= 2 and [*out.glob("*.safetensors")]
    network = next(out.glob("*.safetensors"))
    played = run(
        *(sys.executable, "-m", "ludovec", "tournament", "noughts"),
        *("--bots", f"net:{network}:8,random", "--games", 4, "--json"),
        env=installed,
    )
    assert '"games"' in played


def test_another_stamp_is_refused(installed, tmp_path):
    (library,) = Path(installed["PYTHONPATH"].split(os.pathsep)[0]).glob("my_games/_games*")
    built = library.read_bytes()
    assert built.count(b"rustc 1.") >= 1
    other = tmp_path / "other.so"
    other.write_bytes(built.replace(b"rustc 1.", b"rustc 0."))
    code = f"import ludovec; ludovec.load({str(other)!r})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=installed, timeout=60
    )
    last = done.stderr.strip().splitlines()[-1]
    assert "InvalidConfig" in last and 'built for "rustc 0.' in last and "build it again" in last
