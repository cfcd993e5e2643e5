"""The folder `examples/rust_game`, built and installed by pip as its users do: `make test-game`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

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


#: The first line of the rule of a step, before which a fault is put.
MARKS = "if let Some(Action::Mark { cell }) = Action::from_index(action) {"
FAULTS = """match std::env::var("NOUGHTS_FAULT").as_deref() {
            Ok("text") if action == 8 => panic!("cell 8 is broken"),
            Ok("index") => drop(LINES[action as usize + 8]),
            _ => {}
        }
"""


def replace(file, old, new):
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


class Environment(NamedTuple):
    python: Path
    site: Path


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A virtual environment in which pip has built and installed the package."""
    folder = tmp_path_factory.mktemp("game")
    copy, programs = folder / "rust_game", "Scripts" if os.name == "nt" else "bin"
    python = folder / "env" / programs / "python"
    shutil.copytree(TEMPLATE, copy, ignore=shutil.ignore_patterns("target", "build", "*.egg-info"))
    for crate in ("engine", "guest"):
        replace(copy / "Cargo.toml", f'"../../src/{crate}"', f'"{ROOT / "src" / crate}"')
    replace(copy / "src" / "lib.rs", MARKS, f"{FAULTS}        {MARKS}")
    target = os.environ.get("CARGO_TARGET_DIR", str(ROOT / "target"))
    run(sys.executable, "-m", "venv", folder / "env")
    # The new environment has the package and its libraries from here, and nothing else.
    (site,) = (folder / "env").glob("[Ll]ib/**/site-packages")
    package = Path(ludovec.__file__).parents[1]
    others = [folder for folder in sys.path if Path(folder).name == "site-packages"]
    (site / "libraries.pth").write_text("\n".join([str(package), *others]))
    env = {**os.environ, "CARGO_TARGET_DIR": f"{target}/rust_game"}
    run(python, "-m", "pip", "install", "--no-deps", ".", cwd=copy, env=env)
    return Environment(python, site)


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
    run(installed.python, "-c", "import ludovec.testing\n" + code)
    said = run(installed.python, "-m", "ludovec", "spec", "noughts")
    assert '"noughts"' in said
    run(installed.python, "-m", "ludovec", "bench", "noughts", "--steps", 100, "--num-envs", 64)
    run(installed.python, "-m", "pytest", "-q", TEMPLATE / "tests", cwd=TEMPLATE.parent)


def test_gymnasium_knows_the_game(installed):
    pytest.importorskip("gymnasium")
    code = "import gymnasium, ludovec; print(gymnasium.make('ludovec/Noughts-v1').reset(seed=0)[0].shape)"
    assert run(installed.python, "-c", code) == "(18,)\n"


def test_ludovec_train_learns_the_game(installed, tmp_path):
    pytest.importorskip("torch")
    out = tmp_path / "run"
    run(installed.python, "-m", "ludovec", "train", "noughts", "--updates", 10, "--out", out)
    assert (out / "curve.csv").read_text().count("\n") >= 2 and [*out.glob("*.safetensors")]
    network = next(out.glob("*.safetensors"))
    played = run(
        *(installed.python, "-m", "ludovec", "tournament", "noughts"),
        *("--players", f"net:{network}:8,random", "--games", 4, "--json"),
    )
    assert '"games"' in played


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("text", "cell 8 is broken"),
        ("index", "index out of bounds: the len is 8 but the index is"),
    ],
)
def test_a_panic_of_the_rules_is_one_error(installed, fault, said):
    code = """
import ludovec
def batch():
    env = ludovec.make("noughts", 300, num_threads=2, seed=0)
    for _ in range(9):
        env.step(env.sample_actions())

def search():
    trees = ludovec.TreeSearch.playouts(ludovec.make("noughts", 4), simulations=64)
    trees.start()
    trees.run()

def game():
    game = ludovec.Game("noughts")
    for action in (0, 8):
        game.step(action)

calls = {
    "game": game,
    "batch": batch,
    "search": search,
    "bot": lambda: ludovec.Game("noughts").bot_action("search:50"),
    "tournament": lambda: ludovec.tournament("noughts", ["random", "greedy"], games=20),
    "conformance": lambda: ludovec.testing.check_game("noughts"),
}
for name, call in calls.items():
    try:
        call()
    except ludovec.LudovecError as error:
        print(name, type(error).__name__, error)
    else:
        print(name, "nothing")
print("still here")
"""
    env = {**os.environ, "NOUGHTS_FAULT": fault}
    env.pop("RUST_BACKTRACE", None)
    command = [installed.python, "-c", "import ludovec.testing\n" + code]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    *lines, last = done.stdout.splitlines()
    assert last == "still here" and len(lines) == 6, done.stdout
    for line in lines:
        name, kind, text = line.split(" ", 2)
        if name == "conformance":
            assert said in text, line
        else:
            assert kind == "RulesError", line
            assert text.startswith("noughts: the rules panicked at ") and said in text, line
            assert "src/lib.rs:" in text, line
    command = [installed.python, "-m", "ludovec", "bench", "noughts", "--steps", "50", "--num-envs", "8"]
    done = subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)
    assert done.returncode == 1 and said in done.stderr.splitlines()[-1], done.stderr
