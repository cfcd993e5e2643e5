"""Paths that are not regular files: a FIFO, a device or a folder is an error in one line for every call."""

import os
import shutil
import signal
import subprocess
import sys

import ludovec
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")

ENV = "tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0]

#: All calls that read a file named by the caller.
CALLS = {
    "Network": lambda file: ludovec.Network(file),
    "make, opponents": lambda file: ludovec.make(ENV, 2, players=2, opponents=f"net:{file}"),
    "evaluate": lambda file: ludovec.evaluate(ENV, f"net:{file}", "random", 2, players=2),
    "tournament": lambda file: ludovec.tournament(ENV, {"a": f"net:{file}", "b": "random"}, 2, players=2),
    "tournament, state": lambda file: ludovec.tournament(ENV, ["random", "greedy"], 2, state=file),
    "tournament, openings": lambda file: ludovec.tournament(ENV, ["random", "greedy"], 2, openings=str(file)),
    "play": lambda file: ludovec.play(ENV, {"a": f"net:{file}", "b": "random"}, players=2),
    "bot_action": lambda file: ludovec.Game(ENV, players=2).bot_action(f"net:{file}"),
    "analyse": lambda file: ludovec.Game(ENV, players=2).analyse(f"net:{file}"),
    "variant": lambda file: ludovec.make("chess", variant=str(file)),
    "variant, path": lambda file: ludovec.Game("chess", variant=file),
    "variant, spec": lambda file: ludovec.spec("chess", variant=str(file)),
    "map": lambda file: ludovec.make("smallworld", map=str(file)),
}


@pytest.fixture(params=["fifo", "device", "folder"])
def no_file(request, tmp_path):
    if request.param == "fifo":
        os.mkfifo(tmp_path / "fifo")
        return tmp_path / "fifo"
    return {"device": "/dev/zero", "folder": str(tmp_path)}[request.param]


@pytest.mark.parametrize("call", CALLS)
def test_a_path_that_is_not_a_regular_file_is_refused_in_one_line(call, no_file):
    if {"variant": "chess", "map": "smallworld"}.get(call.split(",")[0], ENV) not in ludovec.list_envs():
        pytest.skip("another game's")
    with pytest.raises(ludovec.InvalidConfig, match="regular file") as error:
        CALLS[call](no_file)
    assert "\n" not in str(error.value) and str(no_file) in str(error.value)


#: A library in front of the system's: opening a path with the text of `NO_ANSWER` in it never returns.
NO_ANSWER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void answer(const char *path) {
    const char *text = getenv("NO_ANSWER");
    if (text == NULL || path == NULL || strstr(path, text) == NULL) return;
    (void)!write(2, "waits\n", 6);
    for (;;) sleep(1000);
}

#define OPENS(name, PLACE, place)                                                      \
    int name(PLACE const char *path, int flags, ...) {                                 \
        va_list rest;                                                                  \
        va_start(rest, flags);                                                         \
        int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;              \
        va_end(rest);                                                                  \
        answer(path);                                                                  \
        int (*next)(PLACE const char *, int, ...) =                                    \
            (int (*)(PLACE const char *, int, ...))dlsym(RTLD_NEXT, #name);            \
        return next(place path, flags, mode);                                          \
    }
#define COMMA ,
OPENS(open, , )
OPENS(open64, , )
OPENS(openat, int folder COMMA, folder COMMA)
OPENS(openat64, int folder COMMA, folder COMMA)
"""


@pytest.fixture(scope="module")
def no_answer(tmp_path_factory):
    """Starts a program for which a path does not answer, and returns it when it waits."""
    compiler = shutil.which("cc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("needs a C compiler and Linux")
    folder = tmp_path_factory.mktemp("no_answer")
    (folder / "no_answer.c").write_text(NO_ANSWER)
    library = folder / "no_answer.so"
    made = [compiler, "-shared", "-fPIC", "-o", library, folder / "no_answer.c", "-ldl"]
    subprocess.run(made, check=True)
    started = []

    def start(text, *arguments):
        env = {**os.environ, "LD_PRELOAD": str(library), "NO_ANSWER": text}
        child = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            # A runner may ignore the signal.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        started.append(child)
        for line in child.stderr:
            if line == "waits\n":
                return child
        raise AssertionError(f"it ended with {child.wait()}")

    yield start
    for child in started:
        child.kill()
        child.communicate()


@pytest.mark.parametrize("call", CALLS)
def test_ctrl_c_ends_the_wait_for_a_file_system_that_does_not_answer(call, no_answer, tmp_path):
    game = {"variant": "chess", "map": "smallworld"}.get(call.split(",")[0], ENV)
    if game not in ludovec.list_envs():
        pytest.skip("another game's")
    file = tmp_path / "no-answer.toml"
    file.write_bytes(b"anything")
    code = f"""
import signal, sys
sys.path.insert(0, {os.path.dirname(__file__)!r})
import test_files
signal.signal(signal.SIGINT, signal.default_int_handler)
test_files.CALLS[{call!r}]({str(file)!r})
"""
    child = no_answer("no-answer", "-c", code)
    child.send_signal(signal.SIGINT)
    _, errors = child.communicate(timeout=20)
    assert errors.rstrip().endswith("KeyboardInterrupt"), errors


@pytest.mark.parametrize(
    ("text", "option"), [("no-answer.lock", "--state"), (".part", "--state"), (".part", "--plot")]
)
def test_ctrl_c_ends_a_tournament_with_a_file_system_that_does_not_answer(text, option, no_answer, tmp_path):
    call = ["tournament", ENV, "--set", "players=2", "--players", "random,greedy", "--games", "2"]
    child = no_answer(text, "-m", "ludovec", *call, option, tmp_path / "no-answer")
    child.send_signal(signal.SIGINT)
    output, errors = child.communicate(timeout=20)
    assert child.returncode == 130, errors
    if option == "--state":
        assert errors.startswith("ludovec: interrupted: state ") and errors.count("\n") == 1
    else:
        assert "random" in output
    assert not (tmp_path / "no-answer").exists()


def test_arrays_have_the_names_of_attributes():
    env = ludovec.make(ENV, 3, obs="f32")
    size = env.observations[0].size
    for name, array, public in [
        ("observations_f32", np.zeros((3, size), np.float32), "observations"),
        ("final_observations_f32", np.zeros((3, size), np.float32), "final_observations"),
        ("mask_bytes", np.zeros((3, env.game_spec.num_actions), np.uint8), "action_mask"),
        ("mask_bits", np.zeros_like(env.action_mask_bits), "action_mask_bits"),
    ]:
        for obs in ("f32", "u8"):
            with pytest.raises(ludovec.InvalidConfig, match=f"'{public}'"):
                ludovec.make(ENV, 3, obs=obs, out={name: array})
    mine = np.zeros_like(env.observations)
    assert ludovec.make(ENV, 3, obs="f32", seed=1, out={"observations": mine}).observations is not None
    assert mine.any()
    for name in ("spec", "step", "num_envs", "game_spec", "columns"):
        with pytest.raises(ludovec.InvalidConfig, match="no such column"):
            ludovec.make(ENV, 3, out={name: np.zeros((3, 1), np.float32)})


def test_masked_elements_are_refused():
    env = ludovec.make(ENV, 3, seed=1)
    state = env.get_state()
    actions = np.ma.masked_array(env.sample_actions(), [False, True, False])
    room = np.ma.masked_array(np.zeros(3, np.int32), [False, True, False])
    calls = {
        "step": lambda: env.step(actions),
        "step_games": lambda: env.step_games([0, 1, 2], actions),
        "games": lambda: env.get_state(np.ma.masked_array([0, 1], [True, False])),
        "reset_mask": lambda: env.reset(
            options={"reset_mask": np.ma.masked_array([True, True, False], [True, False, False])}
        ),
        "out": lambda: ludovec.make(ENV, 3, out={"current_player": room}),
        "expand": lambda: search.expand(None, np.ma.masked_array(np.zeros((n, players)), True)),
        "network": lambda: ludovec.Network("champion", ENV, players=2)(
            np.ma.masked_array(np.zeros((2, *observation), np.uint8), True)
        ),
    }
    players = env.game_spec.players
    observation = ludovec.spec(ENV, players=2).observation_shape
    search = ludovec.TreeSearch(env, 4, value="seats")
    search.start()
    n = search.select()
    for name, call in calls.items():
        with pytest.raises(ludovec.InvalidConfig, match="mask") as error:
            call()
        assert "\n" not in str(error.value), name
        assert env.get_state() == state, name
    # Without masked elements, they are ordinary arrays.
    env.step(np.ma.masked_array(actions.data, False))
    assert env.get_state() != state


@pytest.mark.parametrize("env", ["num_envs=4", "num_envs=40_000, obs='none', mask='bits'"])
@pytest.mark.parametrize(
    "call", ["reset()", "step(env.sample_actions())", "get_state()", "close()", "step_sampled(2)"]
)
def test_environments_can_be_used_during_interpreter_shutdown(env, call):
    code = f"""
import sys, ludovec

class Holder:
    def __init__(self):
        self.env = ludovec.make({ENV!r}, num_threads=2, seed=0, {env})
        self.env.reset()

    def __del__(self):
        env = self.env
        try:
            env.{call}
        except ludovec_error as error:
            write("error " + str(error) + "\\n")
        else:
            write("done\\n")

ludovec_error, write = ludovec.LudovecError, sys.stdout.write
holder = Holder()
holder.itself = holder
"""
    for ending in ("", "\nsys.exit(0)\n"):
        done = subprocess.run(
            [sys.executable, "-c", code + ending], capture_output=True, text=True, timeout=60
        )
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert done.stdout in ("", "done\n") or done.stdout.startswith("error "), done.stdout
        assert done.stdout.count("\n") <= 1
