"""All Python examples in documents and docstrings run, with fewer games and steps."""

import ast
import doctest
import importlib.util
import itertools
import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import ludovec
import numpy as np
import pytest
from pages import Page, blocks

PACKAGE = Path(ludovec.__file__).parent
ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", *sorted(str(file.relative_to(ROOT)) for file in ROOT.glob("docs/**/*.md"))]

SMALLER = {
    r"\b4096\b": "16",
    r"\b1024\b": "4",
    r"simulations=64": "simulations=2",
    r"\b(64|256)\b": "4",
    r"\brange\(\d+\)": "range(2)",
    r"games=\d+": "games=2",
    r"tests=\d+": "tests=1",
    r"play\(10,": "play(2,",
    r", 400,": ", 2,",
    r"\(key, 100\)": "(key, 3)",
    r"search:50\b": "search:2",
    r"while True:": "for _ in range(2):",
}


def smaller(code):
    for pattern, text in SMALLER.items():
        code = re.sub(pattern, text, code)
    return code


#: Libraries without which an example of a page is only compiled.
OPTIONAL = {"torch", "torchrl", "tensordict", "pyspiel", "pyarrow", "jax"}


def network(observations, bits):
    n = len(observations)
    return np.zeros((n, network.actions), np.float32), np.zeros(n, np.float32)


network.actions = ludovec.spec("chess").num_actions


@pytest.mark.skipif(len(DOCUMENTS) == 1, reason="needs the checkout")
@pytest.mark.skipif(not hasattr(ludovec, "Fleet"), reason="fleets need Linux")
@pytest.mark.parametrize("document", DOCUMENTS)
def test_documents_run_from_top_to_bottom(document, tmp_path, monkeypatch):
    """Each page runs on its own. Cluster examples are only compiled; `test_ray.py` runs them."""
    monkeypatch.chdir(tmp_path)
    page = Page(document, OPTIONAL)
    with ludovec.serve("tilewe", name="fleet", num_envs=4):
        for block in blocks(ROOT / document):
            code = smaller(block)
            if document == "docs/large/cluster.md":
                compile(code, document, "exec")
                continue
            page.run(code)
            env = page.names.get("env")
            if env is not None and "attach" in block:
                env.close()


def test_examples_are_left_out_only_if_they_need_what_a_missing_library_would_have_defined():
    page = Page("page", {"no_such_library", "ludovec"})
    run = lambda *lines: page.run("\n".join(lines))
    assert run("import json", "old, kept = 1, 2")
    assert not run(
        "before = 3", "import no_such_library as lib, json", "old = model = lib.Model()", "import a.b"
    )
    assert page.names["before"] == 3 and page.lost == {"lib", "old", "model", "a", "a.b"}
    # Needs nothing that was lost; a parameter and a local name are others.
    assert run("def f(old):", "    model = old", "    return model + kept", "g = [lib for lib in [before]]")
    for lost in (
        "y = f(old)",
        "def g():\n    return model",
        "x = [model.a for _ in range(3)]",
        "import json\njson.a.b, a.b",
    ):
        assert not run(lost), lost
    assert page.lost >= {"g", "x", "y"}
    assert not run("z = y")
    # A name that is bound again is found again.
    assert run("old = 5", "y = old") and not page.lost & {"old", "y"}
    assert run("y + old")
    # Any other error is a fault of the page.
    with pytest.raises(NameError, match="unknown"):
        run("unknown")
    with pytest.raises(AttributeError):
        run("json.no_such_function")
    with pytest.raises(ModuleNotFoundError):
        run("import no_such_other_library")
    # A module of this package that needs the library.
    assert not run("import ludovec", "import ludovec.no_such_part")
    assert run("ludovec.make") and not run("ludovec.no_such_part.Network")


#: Commands that take longer than 20 seconds.
LONG = re.compile(
    r"^ludovec train (?!.*--print-config)|^python examples/|^python benches/|^make bench"
    r"|^make report|^cargo run .*ludovec-report -- --machine|--games \d{5,}|champion:\d+.*--games [3-9]\d\d",
)


@pytest.mark.skipif(len(DOCUMENTS) == 1, reason="needs the checkout")
def test_long_commands_say_how_long_they_take():
    found = 0
    for document in DOCUMENTS:
        for block in re.findall(r"^```sh\n(.*?)^```", (ROOT / document).read_text(), re.M | re.S):
            comments = ""
            for line in block.replace("\\\n", " ").splitlines():
                if line.startswith("#"):
                    comments += line
                    continue
                if LONG.search(line):
                    found += 1
                    told = comments + line.partition("  #")[2]
                    assert re.search("second|minute|hour", told), f"{document}: {line}"
                elif line:
                    comments = ""
    assert found >= 8


@pytest.mark.skipif(len(DOCUMENTS) == 1, reason="needs the checkout")
def test_the_learning_guide_is_correct():
    """Its sums equal the total reward of each player, and its picture equals the program's output."""
    docs = ROOT / "docs"
    code = next(block for block in blocks(docs / "use" / "step.md") if "earned" in block)
    names = {}
    code = re.sub(r"\b64\b", "6", code).replace("range(300)", "range(80)")
    exec(compile(code, "step.md", "exec"), names)
    earned, still_open = np.array(names["earned"]), names["open_decisions"]
    closed = np.setdiff1d(np.arange(len(earned)), still_open)
    assert set(earned[closed].tolist()) > {0.0, 1.0, -1.0} and earned[still_open[still_open >= 0]].sum() == 0
    # Outcomes are zero-sum, and all of them were paid.
    assert abs(earned.sum()) < 1e-4 and np.abs(earned).sum() >= 6
    drawn = runpy.run_path(str(docs / "credit.py"))["drawing"]()
    assert drawn == (docs / "credit.svg").read_text()


def docstrings():
    """All docstrings of the package with examples: location, and the examples as one program."""
    parser = doctest.DocTestParser()
    for file in sorted(PACKAGE.rglob("*.py")):
        tree = ast.parse(file.read_text())
        for node in ast.walk(tree):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                examples = parser.get_examples(ast.get_docstring(node) or "")
                if examples:
                    name = getattr(node, "name", "")
                    yield f"{file.relative_to(PACKAGE)}:{name}", "".join(e.source for e in examples)


#: Names that some examples assume, and libraries that they need.
GIVEN = {
    "envs/asynchronous.py:AsyncVectorEnv": "env = ludovec.make('tilewe', 4, batch_size=2)\n"
    "policy = lambda obs, info: info['action_mask'].argmax(axis=1)",
    "search.py:TreeSearch": "env = ludovec.make('chess', 2)",
    "evaluation/tournaments.py:evaluate": "def my_function(o, m): return m.argmax(axis=1)",
    "envs/packed.py:unpack_bits": "env = ludovec.make('tilewe', 4)",
    "text/environment.py:make_text": "def model(text): return 'I pass.'",
    "text/regrets.py:regret": "game = ludovec.Game('chess')\naction = game.legal_actions()[0]",
    "text/suite.py:": "def ask(message): return 'I pass.'",
    "players/functions.py:player": "actions = ludovec.spec('tilewe').num_actions; "
    "network = lambda rows, bits: np.zeros((len(rows), actions), np.float32)",
    "networks/network.py:Network": "env = ludovec.make('smallworld', 4, players=2)",
    "nets/__init__.py:": "import torch, ludovec.nets\nenv = ludovec.make('smallworld', 4, players=2)",
    "train/__init__.py:": "import ludovec.train",
    "game/openings.py:openings": "open('book.pgn', 'w').write('1. e4 (1. d4 d5) e5 2. Nf3 Nc6 *')",
    "game/game.py:Game": "from ludovec import Game",
    "_shared/extras.py:extra": "from ludovec._shared.extras import extra",
    "adapters/jax/functions.py:functions": "import jax, ludovec.jax",
    "adapters/jax/functions.py:raising": "import jax, ludovec.jax\n"
    "reset, step = ludovec.jax.functions(ludovec.make('tilewe', 2))",
    "adapters/jax/functions.py:compiled": "import jax, ludovec.jax",
    "adapters/jax/search.py:CompiledSearch": "import jax, ludovec.jax\n"
    "network = lambda rows, bits: (jax.numpy.zeros((len(rows), 212)), jax.numpy.zeros(len(rows)))",
    "adapters/openspiel.py:load_game": "import ludovec.openspiel",
    "adapters/pufferlib.py:PufferLibEnv": "import pufferlib.vector\n"
    "from ludovec.pufferlib import PufferLibEnv",
    "data/__init__.py:": "import ludovec.data",
    "data/_write.py:Writer": "import ludovec.data",
    "data/_read.py:Dataset": "import ludovec.data\n"
    "ludovec.data.write('games', 'tilewe', steps=2, num_envs=2)",
    "data/_read.py:torch_dataset": "import torch, ludovec.data\n"
    "ludovec.data.write('games', 'tilewe', steps=2, num_envs=2)",
    "adapters/envpool_pools.py:_xla": "import jax\nfrom ludovec import envpool\n"
    "env = envpool.make('tilewe', num_envs=4, players=2)\n"
    "policy = lambda states: states[-1]['action_mask'].argmax(1)",
    "adapters/torchrl.py:TorchRLEnv": "from ludovec.torchrl import TorchRLEnv",
    "adapters/sb3.py:SeatVecEnv": "import sb3_contrib\nfrom ludovec.sb3 import SeatVecEnv",
    "adapters/rllib.py:RLlibEnv": "import ray, ludovec.rllib\n"
    "from ray.rllib.algorithms.ppo import PPOConfig\nconfig = PPOConfig()",
    "chess/board.py:turn_iterator": "from ludovec import chess\nboard = chess.Game('chess').board",
    "chess/game.py:subscribe": "from ludovec.chess import AfterGameEndEvent, Game",
    "empires.py:Referee": "from ludovec.empires import Position, Referee",
    "smallworld/engine.py:get_legal_sequences": "from ludovec.smallworld import SmallWorldGame\n"
    "game = SmallWorldGame()",
    "tilewe/engine.py:move_executor": "from ludovec import tilewe\n"
    "from ludovec.tilewe.engine import move_executor\nboard = tilewe.Board(2)",
    "adapters/rllib_vector.py:RLlibVectorEnv": "import ludovec.rllib\n"
    "from ray.rllib.algorithms.ppo import PPOConfig\nconfig = PPOConfig()",
    "ray/self_play.py:SelfPlay": "import ray, ludovec.ray\nweights = None\ndef learn(*columns): pass",
    "ray/episodes.py:Episodes": "import ludovec.ray\nself_play = []",
    "ray/replay.py:Replay": "import ray, ludovec.ray\nray.init()\nobservations = np.zeros((9, 3), np.uint8)\n"
    "policies, values = np.zeros((9, 5)), np.zeros((9, 2))",
}
NEEDS = {
    "nets/__init__.py": "torch",
    "adapters/envpool_pools.py": "jax",
    "adapters/jax/functions.py": "jax",
    "adapters/jax/search.py": "jax",
    "adapters/torchrl.py": "torchrl",
    "adapters/openspiel.py": "pyspiel",
    "adapters/pufferlib.py": "pufferlib",
    "data/__init__.py": "pyarrow",
    "data/_write.py": "pyarrow",
    "data/_read.py": "pyarrow",
    "data/_read.py:torch_dataset": "torch",
    "data/_torch.py": "torch",
    "adapters/sb3.py": "sb3_contrib",
    "adapters/openspiel_games.py": "pyspiel",
    "adapters/pettingzoo_games.py": "pygame",
    "adapters/rllib.py": "ray",
    "adapters/rllib_vector.py": "ray",
    # Ray without the extra of RLlib lacks it.
    "adapters/rllib.py:RLlibEnv": "tree",
    "adapters/rllib_vector.py:RLlibVectorEnv": "tree",
    "ray/self_play.py": "ray",
    "ray/episodes.py": "ray",
    "ray/replay.py": "ray",
}
AFTER = {
    "ray/self_play.py:SelfPlay": "ray.shutdown()",
    "ray/replay.py:Replay": "ray.shutdown()",
    "adapters/jax/functions.py:functions": "rollout(jax.random.key(0))",
    "adapters/jax/functions.py:compiled": "rollout(jax.random.key(0))",
    "adapters/jax/search.py:CompiledSearch": "jax.block_until_ready(play(0))",
}


@pytest.mark.parametrize(("where", "code"), docstrings(), ids=[where for where, _ in docstrings()])
def test_examples_of_docstrings_run(where, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for library in {NEEDS.get(where), NEEDS.get(where.split(":")[0])} - {None}:
        if importlib.util.find_spec(library) is None:
            pytest.skip(f"needs {library}")
    names = {"ludovec": ludovec, "np": np, "itertools": itertools, "network": network}
    names["beside"] = ludovec.empires.beside
    for part in (GIVEN.get(where, ""), smaller(code), AFTER.get(where, "")):
        exec(compile(part, where, "exec"), names)
    assert set(GIVEN) <= {where for where, _ in docstrings()}


@pytest.mark.skipif(len(DOCUMENTS) == 1, reason="needs the checkout")
def test_the_match_of_two_models_is_the_page_of_the_documents(tmp_path):
    example, page = ROOT / "examples" / "text_match.py", ROOT / "docs" / "text_match.html"
    done = subprocess.run(
        [sys.executable, example, "--out", tmp_path], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    game = ludovec.Game.from_record(json.loads((tmp_path / "match.json").read_text()))
    exchanges = (tmp_path / "match.transcript.jsonl").read_text().splitlines()
    assert game.is_terminal and len(exchanges) == game.steps
    assert all(json.loads(line)["fault"] is None for line in exchanges)
    made = (tmp_path / "match.html").read_text()
    if os.environ.get("LUDOVEC_UPDATE"):
        page.write_text(made)
    assert page.read_text() == made, "LUDOVEC_UPDATE=1 rewrites it"


@pytest.mark.skipif(len(DOCUMENTS) == 1, reason="needs the checkout")
def test_grpo_runs_and_says_its_regret(tmp_path):
    pytest.importorskip("torch")
    few = ["--steps", "2", "--messages", "2", "--group", "2", "--simulations", "2", "--test-positions", "2"]
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "grpo_text.py", *few],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"step   2: regret 0\.\d+", done.stdout), done.stdout
    assert len(re.findall(r"held-out positions (?:before|after) training: regret", done.stdout)) == 2


@pytest.mark.training
def test_grpo_lowers_regret():
    """Fifty steps, as in the documents."""
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "grpo_text.py"], capture_output=True, text=True, timeout=3600
    )
    before, after = map(float, re.findall(r"training: regret ([\d.]+)", done.stdout))
    assert after < before - 0.03, done.stdout
