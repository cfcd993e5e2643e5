"""Tests with the parameter `env_id` run for every registered environment."""

import signal

import ludovec
import pytest
from ludovec.rules import registration


def pytest_addoption(parser):
    parser.addoption("--run-training", action="store_true", help="run the tests that train")
    parser.addoption("--run-builds", action="store_true", help="run the tests that compile a game in Rust")


@pytest.fixture(autouse=True)
def drawn_seeds(request, monkeypatch):
    """A drawn seed is 0 in tests, so that nothing depends on luck; tests of the drawing are marked."""
    if request.node.get_closest_marker("draws_seeds") is None:
        monkeypatch.setattr(ludovec._shared.checks, "drawn_seed", lambda: 0)


@pytest.fixture(autouse=True)
def own_games(request):
    """Games that a test registers are gone after it, or after the tests of its module."""
    yield
    if request.module.__name__ != "test_python_games":
        registration.forget_all()


def pytest_configure(config):
    config.addinivalue_line("markers", "draws_seeds: seeds are drawn as for users")
    config.addinivalue_line("markers", "training: trains for real; runs with --run-training")
    config.addinivalue_line("markers", "builds: compiles a game in Rust; runs with --run-builds")
    # A runner in the background (`nohup make test &`) ignores SIGINT, and child processes inherit that.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    for option, marker, target in (("training", "training", "test-torch"), ("builds", "builds", "test-game")):
        if not config.getoption(f"--run-{option}"):
            skip = pytest.mark.skip(reason=f"needs --run-{option} (make {target})")
            for item in items:
                if marker in item.keywords:
                    item.add_marker(skip)


def pytest_generate_tests(metafunc):
    if "env_id" in metafunc.fixturenames:
        metafunc.parametrize("env_id", ludovec.list_envs())
    if "autoreset" in metafunc.fixturenames:
        metafunc.parametrize("autoreset", ["same_step", "next_step", "disabled"])
