"""Games as a taskset of verifiers: the package's own environment plays them with a scripted model."""

import asyncio
import itertools

import ludovec
import pytest
from chat_servers import good, served, wrong

vf = pytest.importorskip("verifiers.v1", reason="verifiers 0.4 is not installed")

from verifiers.v1.utils.loaders import environment_class, load_environment  # noqa: E402

ID = "ludovec-verifiers"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SCRIPTED_KEY", "none")


def environment(**config):
    config_type = environment_class(ID).__orig_bases__[0].__args__[0]
    return load_environment(config_type.model_validate({"taskset": {"id": ID, **config}}))


def episodes(env, server, count=1):
    """The finished episodes of the first tasks."""
    client = vf.EvalClientConfig(base_url=server.url, api_key_var="SCRIPTED_KEY")
    context = vf.ModelContext(model="scripted", client=client)

    async def play():
        async with env.serving():
            tasks = itertools.islice(iter(env.taskset), count)
            return [await env.run_episode(task, context) for task in tasks]

    return asyncio.run(play())


def test_every_game_is_played_to_its_end(env_id):
    options = {"max_turns": 3, "width": 8, "height": 8} if env_id == "empires" else {"max_steps": 10}
    env = environment(env=env_id, options=options, opponents="random", legal="listed")
    with served(good) as server:
        for seat, episode in enumerate(episodes(env, server, 2)):
            assert episode.ok, episode.errors
            [trace] = episode.traces
            assert trace.task.data.game["seat"] == seat and trace.metrics["refused"] == 0
            game = ludovec.Game.from_record(trace.info["record"])
            assert game.is_terminal and game.steps == trace.metrics["moves"]
            outcome = float(game.returns()[seat])
            assert trace.rewards["outcome"].score == pytest.approx(outcome)


def test_wrong_replies_lose_and_moves_are_graded():
    graded = {"regret_simulations": 4, "regret_weight": 0.5}
    env = environment(env="tilewe", options={"players": 2, "max_steps": 6}, legal="listed", **graded)
    with served(good) as server:
        [episode] = episodes(env, server)
        [trace] = episode.traces
        assert 0 <= trace.metrics["regret"] <= 1
        assert trace.rewards["regret"].score == -trace.metrics["regret"]
        server.behave = wrong
        [episode] = episodes(environment(env="chess", retries=1, seat=0), server)
        [trace] = episode.traces
        assert trace.metrics["refused"] == 2 and trace.rewards["outcome"].score == -1.0


def test_tasks_are_the_same_in_every_process():
    env = environment(env="smallworld", options={"players": 3}, games=4)
    tasks = list(env.taskset)
    assert [task.data.game["seat"] for task in tasks] == [0, 1, 2, 0]
    again = list(environment(env="smallworld", options={"players": 3}, games=4).taskset)
    assert [task.key for task in tasks] == [task.key for task in again]
    assert ludovec.text.rules("smallworld", short=True) in tasks[0].data.prompt
