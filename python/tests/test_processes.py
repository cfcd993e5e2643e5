"""Forked processes: every kind of call before a fork succeeds again after it, or is refused."""

import os
import signal
import threading
import time
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

import ludovec
import numpy as np
import pytest

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork"),
]

ENV = "tilewe" if "tilewe" in ludovec.list_envs() else ludovec.list_envs()[0]
#: Number of rows for which a network uses several threads.
MANY = 300


class Bot(BaseHTTPRequestHandler):
    """A bot in another program with invalid answers, so that it loses its game at once."""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    server = HTTPServer(("127.0.0.1", 0), Bot)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


def make(num_envs=4, **arguments):
    return ludovec.make(ENV, num_envs, **{"num_threads": 2, "seed": 1, **arguments})


def step(env):
    return env.step(env.sample_actions())[0].copy()


def sent(env):
    env.send(env.action_mask.argmax(axis=1))
    return env.recv()[0].copy()


def searched(search):
    search.start()
    return search.run(
        lambda rows, bits: (np.zeros((len(rows), search_actions()), np.float32), np.zeros(len(rows)))
    )


def search_actions():
    return ludovec.spec(ENV, players=2).num_actions


def played(search):
    search.start()
    return search.run()


def network(**arguments):
    return ludovec.Network("champion", ENV, players=2, **arguments)


def answered(given):
    rows = np.zeros((MANY, *ludovec.spec(ENV, players=2).observation_shape), np.uint8)
    return np.concatenate([part.ravel() for part in given(rows)])


def likeliest(observations, masks):
    return masks.argmax(axis=1)


def game(given):
    return np.frombuffer(given.clone().to_json().encode(), np.uint8)


def tournament(players):
    table = ludovec.tournament(ENV, players, 2, players=2, num_threads=2)
    return np.array([row.games for row in table.standings])


def evaluated(player):
    table = ludovec.evaluate(player, "random", 8, env=ENV, players=2, num_threads=2)
    return np.array([row.mean_return for row in table.standings])


#: A function that makes an object before the fork, and a call on it before and after the fork.
CALLS = {
    "step": (make, step),
    "send and recv": (make, sent),
    "step_sampled": (make, lambda env: env.step_sampled(3)[0].copy()),
    "sample_actions": (make, lambda env: env.sample_actions()),
    "bot_actions": (make, lambda env: env.bot_actions("greedy")),
    "search by playouts": (make, lambda env: env.bot_actions("search:8")),
    "get_state": (make, lambda env: np.frombuffer(env.get_state(), np.uint8)),
    "asynchronous": (lambda: make(batch_size=2), lambda env: (env.async_reset(), env.recv()[0].copy())[1]),
    "opponents": (lambda: make(players=2, opponents="greedy"), step),
    "opponents, network": (lambda: make(100, players=2, opponents="net:champion"), step),
    "opponents, function": (lambda: make(players=2, opponents=likeliest), step),
    "search": (lambda: ludovec.TreeSearch(make(100, players=2), 4, num_threads=2), searched),
    "search, two groups": (lambda: ludovec.TreeSearch(make(100, players=2), 4, groups=2), searched),
    "search, playouts": (lambda: ludovec.TreeSearch.playouts(make(), 8, num_threads=2), played),
    "network": (lambda: network(num_threads=2), answered),
    "network, all cores": (network, answered),
    "network, one thread": (lambda: network(num_threads=1), answered),
    "game": (lambda: ludovec.Game(ENV, players=2, seed=0), game),
    "game, bot": (lambda: ludovec.Game(ENV, players=2), lambda game: np.array(game.bot_action("search:8"))),
    "game, network": (
        lambda: ludovec.Game(ENV, players=2),
        lambda g: np.array(g.bot_action("net:champion:8")),
    ),
    "game, drawing": (lambda: ludovec.Game(ENV), lambda game: np.frombuffer(game.to_png(), np.uint8)),
    "batch, drawing": (lambda: make(render_mode="rgb_array"), lambda env: np.array(env.render()[0])),
    "tournament": (lambda: {"a": "random", "b": "greedy"}, tournament),
    "tournament, functions": (lambda: {"a": "random", "b": likeliest}, tournament),
    "evaluate, network": (lambda: "net:champion", evaluated),
    "evaluate, object": (lambda: network(num_threads=2), evaluated),
}


def wait(child, seconds=60):
    """Waits for a child and returns its status; kills it after a time limit."""
    for _ in range(int(seconds * 50)):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    pytest.fail("the child hangs")


def in_child(work):
    """Runs `work` in a forked process; errors there fail the test."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        child = os.fork()
    if child == 0:
        status = 1
        try:
            # The parent's test runner may ignore SIGINT.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            work()
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(5)
                os.write(writing, b"SIGINT is lost")
            except KeyboardInterrupt:
                status = 0
        except BaseException as error:
            os.write(writing, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(status)
    os.close(writing)
    status = wait(child)
    said = os.read(reading, 10_000).decode()
    os.close(reading)
    assert status == 0, said or f"status {status}"


def same(made, before, after):
    """Asserts that both results have the same type, shape and dtype."""
    assert type(before) is type(after) and before.shape == after.shape and before.dtype == after.dtype


@pytest.mark.parametrize("name", CALLS)
def test_calls_before_a_fork_are_made_again_after_it(name):
    prepare, call = CALLS[name]
    made = prepare()
    before = call(made)

    def work():
        try:
            same(made, before, call(made))
        except ludovec.LudovecError as error:
            assert "another process" in str(error), error
        # The parent's objects can be dropped, and new ones always work.
        fresh = prepare()
        same(fresh, before, call(fresh))

    in_child(work)
    # The parent's object still works.
    same(made, before, call(made))


def test_networks_answer_the_same_in_forked_processes():
    made = {threads: network(num_threads=threads) for threads in (1, 2, None)}
    wanted = answered(made[1])
    for given in made.values():
        np.testing.assert_array_equal(answered(given), wanted)

    def work():
        for given in made.values():
            np.testing.assert_array_equal(answered(given), wanted)

        def grandchild():
            np.testing.assert_array_equal(answered(made[2]), wanted)

        in_child(grandchild)

    in_child(work)


def test_bots_in_other_programs_can_be_called_after_a_fork(address):
    def call():
        return ludovec.evaluate(address, "random", 2, env=ENV, players=2, time_limit=5.0)[address].games

    assert call() == 2

    def work():
        assert call() == 2

    in_child(work)


def test_networks_use_the_given_number_of_threads():
    def threads():
        return set(os.listdir("/proc/self/task"))

    if not os.path.isdir("/proc/self/task"):
        pytest.skip("needs /proc")
    before = threads()
    made = network(num_threads=2)
    answered(made)
    answered(made)
    # Threads of earlier tests may end meanwhile.
    own = threads() - before
    assert len(own) == 1, "two threads: the caller's and one more"
    del made
    for _ in range(100):
        if not threads() & own:
            return
        time.sleep(0.05)
    pytest.fail("its threads outlive a network")


@pytest.mark.parametrize("threads", [0, -1])
def test_numbers_of_threads_are_checked(threads):
    with pytest.raises(ludovec.InvalidConfig, match="num_threads"):
        answered(network(num_threads=threads))
