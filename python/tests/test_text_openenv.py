"""Games as environments of OpenEnv: the package's own server and client play them."""

import socket
import threading
import time

import ludovec
import pytest

pytest.importorskip("openenv.core", reason="the package openenv is not installed")
uvicorn = pytest.importorskip("uvicorn")

from ludovec.text.openenv import OpenEnvironment, TextAction, app, main  # noqa: E402
from openenv.core import GenericEnvClient  # noqa: E402


@pytest.fixture
def serve():
    """Serves an application; returns its address."""
    servers = []

    def start(application):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        server = uvicorn.Server(uvicorn.Config(application, port=port, log_level="error"))
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        servers.append((server, thread))
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.02)
        return f"http://127.0.0.1:{port}"

    yield start
    for server, thread in servers:
        server.should_exit = True
        thread.join(10)


def test_every_game_is_played_to_its_end_by_the_clients_of_the_package(env_id, serve):
    options = {"max_turns": 5, "width": 8, "height": 8} if env_id == "empires" else {}
    url = serve(app(env_id, opponents="random", legal="listed", **options))
    with GenericEnvClient(base_url=url).sync() as env, GenericEnvClient(base_url=url).sync() as other:
        result = env.reset(seed=3)
        assert other.reset(seed=3).observation == result.observation
        assert ludovec.text.rules(env_id, short=True) in result.observation["message"]
        total, steps = 0.0, 0
        while not result.done:
            message = result.observation["message"]
            listed = message.partition("Legal moves, with their meaning:\n")[2].splitlines()
            result = env.step({"message": f"Move: {listed[0].split('  ')[0]}"})
            total, steps = total + result.reward, steps + 1
        metadata = result.observation.get("metadata") or result.metadata
        assert total == pytest.approx(metadata["outcomes"][0])
        assert "seed" not in metadata
        state = env.state()
        assert (state["env"], state["seat"], state["step_count"]) == (env_id, 0, steps)
        # The sessions are independent of each other.
        assert other.state()["step_count"] == 0


def test_wrong_replies_get_a_reason_and_then_lose(serve):
    with GenericEnvClient(base_url=serve(app("chess", retries=1))).sync() as env:
        env.reset(seed=0, seat=1)
        assert env.state()["seat"] == 1
        result = env.step({"message": "no idea"})
        assert (result.reward, result.done) == (0.0, False)
        assert "not a legal move" in result.observation["message"]
        result = env.step({"message": "no idea"})
        assert (result.reward, result.done) == (-1.0, True)


def test_wrong_arguments_are_refused_before_the_first_session(capsys):
    with pytest.raises(ludovec.InvalidConfig, match="playrs"):
        app("smallworld", playrs=3)
    with pytest.raises(ludovec.InvalidConfig, match="tempo"):
        OpenEnvironment("chess").reset(tempo=3)
    assert main(["chess", "--opponents", "nobody"]) == 2
    assert "nobody" in capsys.readouterr().err
    env = OpenEnvironment("chess")
    with pytest.raises(ludovec.LudovecError, match="call reset"):
        env.step(TextAction(message="e4"))
