"""The library in C of `examples/c_game`, and libraries that are wrong."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "c_game" / "bluff.c"
COMPILER = shutil.which(os.environ.get("CC", "cc"))
pytestmark = pytest.mark.skipif(
    not SOURCE.exists() or COMPILER is None or os.name == "nt", reason="needs the checkout and a C compiler"
)


@pytest.fixture(scope="module")
def build(tmp_path_factory):
    """Compiles the example, with some parts of its source replaced."""
    folder = tmp_path_factory.mktemp("c_game")

    def build(name, *changes):
        text = SOURCE.read_text()
        for old, new in changes:
            assert old in text
            text = text.replace(old, new)
        source, library = folder / f"{name}.c", folder / f"{name}.so"
        source.write_text(text)
        flags = (
            "-O2",
            "-shared",
            "-fPIC",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-Wno-unused-function",
            "-I",
            ROOT / "src" / "guest",
        )
        subprocess.run([COMPILER, *flags, "-o", library, source], check=True)
        return library

    return build


def python(code, *arguments):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_game_in_c_is_loaded_and_checked(build):
    code = """
import sys
import ludovec
import ludovec.testing
assert ludovec.load(sys.argv[1]) == ["bluff"]
assert ludovec.testing.check_game("bluff", games=20) is None
assert ludovec.testing.check_game("bluff", games=20, stakes=9) is None
env = ludovec.make("bluff", 64, seed=0)
for _ in range(50):
    env.step(env.sample_actions())
game = ludovec.Game("bluff", seed=1, stakes=3)
assert [game.action_to_string(a) for a in game.legal_actions()] == ["fold", "call", "raise"]
game.step(2)
assert "The stake is 2." in game.to_text()
game.step(2)
assert list(game.legal_actions()) == [0, 1]
game.step(0)
assert game.returns().tolist() == [-1, 1]
assert ludovec.Game("bluff", reward="score").spec.reward_range == (-5, 5)
search = ludovec.TreeSearch.playouts(ludovec.make("bluff", 4), simulations=32)
search.start()
search.run()
print("done")
"""
    done = python(code, build("bluff"))
    assert done.stdout == "done\n", done.stderr


def test_the_program_loads_a_game_in_c(build):
    command = [sys.executable, "-m", "ludovec", "--load", build("program"), "bench", "bluff"]
    done = subprocess.run([*map(str, command), "--steps", "50"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [("return LUDOVEC_ABI", "return 77")],
            "version 77 of the interface of libraries, this program has version",
        ),
        ([("ludovec_abi(void)", "other(void)")], "the symbol ludovec_abi is missing"),
        ([("*ludovec_games(", "*other(")], "the symbol ludovec_games is missing"),
        ([("*count = 1", "*count = 0")], "ludovec_games returns no games"),
        ([('.id = "bluff"', '.id = "Big Bluff"')], "lower-case letters, digits and _ are needed"),
        ([('.id = "bluff"', '.id = "chess"')], "registered already"),
        ([(".init = init,", "")], "bluff: the function init is missing"),
        ([("(int)sizeof(state)", "1 << 20")], "1048576 bytes of a state, 1 to 16320 are allowed"),
        ([("(int)sizeof(state)", "2")], "the field stake of shape [] at 2 does not end at 2"),
        ([("(int)sizeof(state)", "5"), ("s->stake = 1;", "memset(at, 7, 99);")], "writes behind the 5 bytes"),
        ([('"{\\"players\\"', '"{players')], "bluff: description: "),
        ([('\\"players\\": 2', '\\"players\\": 9')], "9 players, 1 to 8 are allowed"),
        ([('\\"uint8\\"}]}', '\\"text\\"}]}')], 'the type "text" of end'),
        ([('\\"type\\": \\"int\\"', '\\"type\\": \\"real\\"')], "bluff: options: "),
        ([("if (!r)", "if (r)")], "bluff: create has failed"),
        ([("s->end == RUNNING ? s->player : -1", "7 + s->end")], "player 7 of 2"),
    ],
)
def test_a_wrong_library_is_refused_in_one_line(build, request, changes, said):
    library = build(f"wrong{request.node.callspec.indices['changes']}", *changes)
    done = python("import sys, ludovec; ludovec.load(sys.argv[1])", library)
    last = done.stderr.strip().splitlines()[-1]
    assert done.returncode == 1 and said in last, done.stderr
    assert "InvalidConfig" in last or "RulesError" in last, last


def test_rules_that_return_no_number_are_one_error(build):
    library = build("nan", ("(float)(first * s->stake)", "0.0f / (float)(first - first)"))
    code = """
import sys
import ludovec
ludovec.load(sys.argv[1])
env = ludovec.make("bluff", 16, seed=0)
for _ in range(10):
    env.step(env.sample_actions())
"""
    last = python(code, library).stderr.strip().splitlines()[-1]
    assert "RulesError" in last and "bluff.returns: " in last and "a finite number is needed" in last, last


#: Calls on a game in which `call` never returns.
ENDLESS = {
    "VectorEnv.step": "env.step(np.ones(16, int))",
    "VectorEnv.step_sampled": "env.step_sampled(99)",
    "Game.step": "game.step(1)",
    "Game.outcomes": "list(game.outcomes(1))",
    "Game.from_record": "ludovec.Game.from_record(record)",
    "TreeSearch.run": "(search := ludovec.TreeSearch.playouts(env, simulations=9)).start(), search.run()",
    "Game.bot_action": "game.bot_action('search:100')",
    "Game.analyse": "game.analyse('search:100')",
    "VectorEnv.bot_actions": "env.bot_actions('search:100')",
    "opponents": "ludovec.make('bluff', 4, opponents='search:100', seat=1).step(np.ones(4, int))",
    "evaluate": "ludovec.evaluate('bluff', 'search:100', 'random', games=9)",
    "tournament": "ludovec.tournament('bluff', ['search:100', 'random'], games=9)",
    "play": "ludovec.play('bluff', {'ada': 'search:100', 'ben': 'random'})",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_ctrl_c_ends_an_endless_loop(build, name):
    loop = "static volatile int forever = 1; while (action == CALL && forever) {}"
    old = "    if (action == RAISE) {\n        s->stake++;"
    library = build("endless", (old, f"    {loop}\n{old}"))
    code = f"""
import os, signal, sys, threading, time
import ludovec
import numpy as np
ludovec.load(sys.argv[1])
env, game = ludovec.make("bluff", 16), ludovec.Game("bluff", seed=1)
folded = ludovec.Game("bluff", seed=1)
folded.step(0)
record = {{**folded.record(), "actions": [1], "labels": ["call"]}}
sent = []
def interrupt():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
threading.Timer(1, interrupt).start()
try:
    {ENDLESS[name]}
except KeyboardInterrupt:
    assert game.record()["actions"] == []
    env.close()
    print(time.monotonic() - sent[0])
"""
    done = python(code, library)
    # Half a second on an idle machine.
    assert done.returncode == 0 and float(done.stdout) < 5, done.stderr
