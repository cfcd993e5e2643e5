"""Out of memory: calls raise `OutOfMemory` and lose nothing; repeated with enough memory, they succeed."""

import os
import subprocess
import sys

import ludovec
import pytest

pytest.importorskip("resource")

ENV = "tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0]

#: Start of every child program. A limit of the address space acts like full memory without filling it.
HEAD = f"""
import resource, sys
import ludovec, numpy as np

ENV = {ENV!r}

held = []

def limit(mib):
    "Allows so many MiB more than are taken. Free blocks that the C library keeps are taken, too."
    taken = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken, resource.RLIM_INFINITY))
    for size in (1 << 20, 1 << 16, 1 << 14):
        try:
            while True:
                held.append(bytearray(size))
        except MemoryError:
            pass
    resource.setrlimit(resource.RLIMIT_AS, (taken + (mib << 20), resource.RLIM_INFINITY))

def free():
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    held.clear()

def refused(call, mib):
    "Makes a call with too little memory, and again without a limit."
    limit(mib)
    try:
        call()
    except MemoryError as error:
        assert isinstance(error, ludovec.LudovecError) and isinstance(error, ludovec.OutOfMemory), error
        assert "\\n" not in str(error) and str(error), error
    else:
        raise AssertionError("there was memory")
    finally:
        free()
    return call()
"""

CALLS = {
    "make": """
        made = refused(lambda: ludovec.make(ENV, 20_000, num_threads=1), 20)
        assert made.num_envs == 20_000
    """,
    "get_state": """
        env = ludovec.make(ENV, 30_000, num_threads=1, obs="none", mask="bits")
        env.step_sampled(2)
        state = env.get_state()
        assert refused(env.get_state, 1) == state
    """,
    "set_state": """
        env = ludovec.make(ENV, 30_000, num_threads=1, obs="none", mask="bits")
        state = env.get_state()
        env.step_sampled(2)
        refused(lambda: env.set_state(None, state), 1)
        assert env.get_state() == state
    """,
    "network": """
        network = ludovec.Network("champion", ENV, players=2, num_threads={threads})
        rows = np.zeros((300, *ludovec.spec(ENV, players=2).observation_shape), np.uint8)
        network(rows[:200])
        logits, values = refused(lambda: network(rows), 10)
        assert len(logits) == len(rows) and np.isfinite(values).all()
    """,
    "network in a search": """
        network = ludovec.Network("champion", ENV, players=2, num_threads={threads})
        env = ludovec.make(ENV, 300, num_threads=1, obs="u8", mask="bits", players=2)
        network(env.observations)
        search = ludovec.TreeSearch(env, 1, value="seats", reward=network.reward, num_threads={threads})
        search.start()
        assert len(refused(lambda: search.run(network), 10)) == 300
    """,
    "to_png": """
        game = ludovec.Game(ENV)
        small = game.to_png(size=100)
        assert len(refused(lambda: game.to_png(size=8000), 60)) > len(small)
        assert game.to_png(size=100) == small
    """,
    "to_rgb": """
        env = ludovec.make(ENV, 1, render_mode="rgb_array")
        def frame():
            return ludovec._core.png(env.game(0).to_svg(size=8000))
        assert len(refused(frame, 60)) > 1000
    """,
    "new trees": """
        env = ludovec.make(ENV, 20_000, num_threads=1, mask="bits")
        search = refused(lambda: ludovec.TreeSearch(env, 1, value="seats", num_threads={threads}), 5)
        search.start()
        assert search.select() == 20_000
    """,
    "roots": """
        env = ludovec.make(ENV, 2000, num_threads=1, mask="bits")
        search = ludovec.TreeSearch(env, 64, value="seats", num_threads={threads})
        refused(search.start, 10)
        assert search.select() == 2000
    """,
}


def run(code):
    # One arena: further arenas of glibc reserve addresses that a thread can then fill without a new mapping.
    # Without backtraces: they need megabytes, and abort the process if there are none.
    env = {**os.environ, "MALLOC_ARENA_MAX": "1", "RUST_BACKTRACE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", HEAD + code], capture_output=True, text=True, timeout=300, env=env
    )
    assert done.returncode == 0, done.stderr[-2000:] or f"status {done.returncode}"
    return done.stdout


def dedented(code, **values):
    lines = [line[8:] for line in code.splitlines()]
    text = "\n".join(lines)
    for name, value in values.items():
        text = text.replace("{" + name + "}", repr(value))
    return text


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", CALLS)
def test_calls_without_memory_are_refused_and_lose_nothing(name, threads):
    if threads == 2 and "{threads}" not in CALLS[name]:
        pytest.skip("one thread makes it")
    run(dedented(CALLS[name], threads=threads))


#: Calls with many small allocations that are not checked one by one.
SMALL = {
    "clone": "game.clone",
    "determinize": "lambda: game.determinize(0, seed=1)",
    "Game": "lambda: ludovec.Game(ENV)",
    "to_svg": "game.to_svg",
    "str": "lambda: str(game)",
    "to_json": "game.to_json",
    "log": "game._core.log",
    "get_state": "env.get_state",
    "game": "lambda: env.game(1)",
    "tree_json": "lambda: search.tree_json(0)",
    "Network": "lambda: ludovec.Network('champion', ENV, players=2, num_threads=1)",
}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses")
@pytest.mark.parametrize("name", SMALL)
def test_memory_full_of_small_results_is_an_error(name):
    run(f"""
game, env = ludovec.Game(ENV), ludovec.make(ENV, 4, num_threads=1)
for _ in range(8):
    game.step(game.legal_actions()[0])
search = ludovec.TreeSearch(env, 8, evaluator="null", value="seats", num_threads=1)
search.start()
search.run()
call = {SMALL[name]}
call()
for _ in range(3):
    kept = []
    limit(60)
    try:
        while True:
            kept.append(call())
    except MemoryError:
        # Nothing else happens here: the interpreter itself may hang without any memory.
        error = None
    except ludovec.InvalidConfig as wrong:
        # The stack of a thread needs memory, too.
        error = wrong
    free()
    assert error is None or "no thread could be started" in str(error), error
    assert len(kept) > 10
    kept.clear()
    call()
""")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("evaluator", ["playout", "null"])
def test_a_search_without_a_network_that_fills_the_memory_is_an_error(evaluator, threads):
    """And says how far it came. It goes on as soon as there is memory."""
    run(f"""
simulations = 200_000
env = ludovec.make("chess", {threads}, num_threads=1, obs="none", mask="bits")
how = {{"evaluator": "null"}} if {evaluator!r} == "null" else {{"evaluator": "playout", "max_depth": None}}
search = ludovec.TreeSearch(env, simulations, value="seats", num_threads={threads}, **how)
search.start()
limit(60)
try:
    search.run()
except MemoryError as error:
    assert isinstance(error, ludovec.OutOfMemory), error
else:
    raise AssertionError("there was memory")
free()
assert 0 < search.stats["simulations"] < simulations * {threads}
""")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses")
def test_a_searching_bot_without_memory_says_how_far_it_came():
    """Its choice after a part of the search must not pass for that of all simulations."""
    run("""
game = ludovec.Game("chess")
limit(60)
try:
    game.bot_action("search:1000000")
except MemoryError as error:
    said = str(error)
else:
    raise AssertionError("there was memory")
free()
assert isinstance(said, str) and " of 1000000 simulations" in said, said
assert game.bot_action("search:20") in game.legal_actions()
""")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses")
def test_more_games_than_memory_are_refused_before_they_begin():
    code = """
for arguments in ({}, {"obs": "none", "mask": "bits"}, {"obs": "packed"}):
    try:
        ludovec.make(ENV, 2**30, num_threads=1, **arguments)
    except MemoryError as error:
        assert "num_envs=1073741824" in str(error), error
    else:
        raise AssertionError("there was memory")
# No game was started: maximum resident memory counts written pages only. `ru_maxrss` would also count the
# pages of the process that started this one.
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
assert int(status["VmHWM"].split()[0]) < 500_000
"""
    run(code)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of addresses")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("how", [{}, {"groups": 2}, {"leaves": 4}, {"method": "puct", "pad": True}])
def test_trees_resume_after_running_out_of_memory_with_the_same_results(threads, how):
    code = f"""
games = 80

def searched(steps):
    env = ludovec.make(ENV, games, num_threads=1, seed=3, mask="bits")
    search = ludovec.TreeSearch(
        env, 50, value="seats", reuse=True, num_threads={threads}, seed=5, gumbel_scale=1.0, **{how!r}
    )
    found, lacking = [], 0
    for _ in range(2):
        begin = search.start if not found else lambda: search.advance(found[-1][0])
        if steps:
            limit(steps)
        begun = False
        while True:
            try:
                if not begun:
                    begin()
                    begun = True
                n = search.select()
                if not n:
                    break
                values = np.tile(search.current_player[:n, None] / 10, (1, env.game_spec.players))
                search.expand(None, values.astype(np.float32))
            except MemoryError:
                lacking += 1
                assert lacking < 10_000
                limit(steps)
        free()
        found.append((search.actions.copy(), search.policy.copy(), search.values.copy()))
        env.step(found[-1][0])
    return lacking, found

lacking, found = searched(40)
assert lacking > 0
for ours, theirs in zip(found, searched(0)[1]):
    for a, b in zip(ours, theirs):
        np.testing.assert_array_equal(a, b)
"""
    run(code)
