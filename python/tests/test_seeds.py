"""Seeds: every public function that draws has the default None, draws a seed, shows it, and repeats by it."""

import importlib.util
import inspect
import itertools
import os
import pkgutil

import ludovec
import numpy as np
import pytest

pytestmark = pytest.mark.draws_seeds

#: Functions with another default, and those that draw nothing of their own, by the reason.
EXEMPT = {
    "a reset without a seed goes on with the next episode": [
        "AECEnv.reset",
        "AsyncPool.reset",
        "AsyncVectorEnv.async_reset",
        "AsyncVectorEnv.reset",
        "ParallelEnv.reset",
        "Pool.reset",
        "RLlibVectorEnv.reset",
        "SeatEnv.reset",
        "SeatVectorEnv.reset",
        "TextEnv.reset",
        "TianshouEnv.reset",
        "VectorEnv.async_reset",
        "VectorEnv.reset",
    ],
    "made by functions that draw": ["Pool", "TextEnv", "VectorEnv"],
    "a check repeats itself": ["check_game", "check_vector_env", "play of testing", "trace"],
    "a suite and its grades are known by their arguments": ["make of text", "regret"],
    "a training is known by its configuration": ["Config"],
    "the default of another program": ["GameConfig", "make_gym", "make_gymnasium"],
    "the original's games, whose agents seed themselves": [
        "HeadlessAgentGame",
        "Tournament.play",
        "testAgents",
        "test_agents",
    ],
    "room for copies of games": ["scratch"],
    "on a cluster": ["Replay", "SelfPlay", "evaluate of ray", "tournament of ray"],
}
EXEMPT_NAMES = {name for names in EXEMPT.values() for name in names}
#: Those of them whose default is not None.
FIXED = {
    "Config",
    "GameConfig",
    "check_game",
    "check_vector_env",
    "make of text",
    "make_gym",
    "make_gymnasium",
    "play of testing",
    "regret",
    "scratch",
    "trace",
}

NAMES = map("ludovec-seeds-{}-{}".format, itertools.repeat(os.getpid()), itertools.count())


def with_hidden_cards():
    game = ludovec.Game("starwars_risk", seed=0)
    for _ in range(4):
        game.step(game.legal_actions()[0])
    return game


def played_on(game):
    while not game.is_terminal and game.steps < 60:
        game.step(game.legal_actions()[-1])
    return game.to_json()


def make(seed):
    env = ludovec.make("smallworld", 2, seed=seed)
    return env.observations.tobytes(), env.seed


def game(seed):
    made = ludovec.Game("smallworld", seed)
    assert made.clone().seed == made.record()["stream"]["seed"] == made.seed
    return made.to_json(), made.seed


def from_json(seed):
    made = ludovec.Game.from_json(with_hidden_cards().to_json(), seed)
    number = made.seed
    return played_on(made), number


def determinize_game(seed):
    made = with_hidden_cards().determinize(seed=seed)
    return made.to_json(), made.seed


def determinize_batch(seed, **more):
    env = ludovec.make("starwars_risk", 4, seed=1, **more)
    env.reset()
    for _ in range(3 if more else 0):
        env.recv()
    number = env.determinize(seed=seed)
    return [env.game(i).to_json() for i in range(4)], number


def search(seed):
    # Without a seed, that of the environment.
    env = ludovec.make("chess", 4)
    made = ludovec.TreeSearch(env, 16, evaluator="null", seed=seed)
    made.start()
    made.run()
    assert f"seed={made.seed}" in repr(made)
    return made.visits.tobytes(), made.seed


def evaluate(seed):
    result = ludovec.evaluate("smallworld", "random", "random", 3, seed=seed, players=2)
    assert str(result).endswith(f"seed {result.seed}")
    return result, result.seed


def tournament(seed):
    result = ludovec.tournament("smallworld", {"a": "random", "b": "random"}, 4, seed=seed, players=2)
    return result, result.seed


def play(seed):
    made = ludovec.play("smallworld", {"a": "random", "b": "random"}, seed=seed)
    return made.to_json(), made.seed


def exploit(seed):
    short = {"env": "tilewe", "players": 2, "max_steps": 12, "num_envs": 2}
    found = ludovec.exploit("random", decisions=40, games=4, seed=seed, **short)
    assert str(found).endswith(f"seed {found.seed}")
    return [response.row for response in found.responses], found.seed


def make_text(seed):
    text, info = ludovec.text.make_text("smallworld", "random", seed=seed).reset()
    return text, info["seed"]


def write(seed, tmp_path):
    out = tmp_path / next(NAMES)
    report = ludovec.data.write(out, "smallworld", games=2, num_envs=2, seed=seed)
    return ludovec.data.Dataset(out).read(["action"])["action"].tobytes(), report["seed"]


def serve(seed):
    with ludovec.serve("smallworld", name := next(NAMES), num_envs=2, seed=seed):
        env = ludovec.attach(name)
        found = env.observations.tobytes(), int(env.seeds()[0])
        env.close()
    return found


def checkpoints(seed, tmp_path):
    made = ludovec.Checkpoints(tmp_path, extra=["random", "greedy"], seed=seed)
    env = ludovec.make("smallworld", 64, players=2, seed=0, opponents=made)
    assert f"seed={made.seed}" in repr(made)
    return env._opponent_at.tobytes(), made.seed


def referee(seed):
    made = ludovec.empires.Referee(["a", "b"], seed)
    return repr(made.observation()), made.seed


def board(seed):
    made = ludovec.tilewe.Board().game(seed)
    return made.seed, made.seed


CALLS = {
    "AsyncVectorEnv.determinize": lambda seed: determinize_batch(seed, batch_size=1),
    "Board.game": board,
    "Checkpoints": checkpoints,
    "Game": game,
    "Game.determinize": determinize_game,
    "Game.from_json": from_json,
    "Referee": referee,
    "TreeSearch": search,
    "VectorEnv.determinize": determinize_batch,
    "evaluate": evaluate,
    "exploit": exploit,
    "make": make,
    "make_text": make_text,
    "play": play,
    "serve": serve,
    "tournament": tournament,
    "write": write,
}


def modules():
    yield ludovec
    for found in pkgutil.walk_packages(ludovec.__path__, "ludovec."):
        if not any(part.startswith("_") for part in found.name.split(".")[1:]):
            try:
                yield importlib.import_module(found.name)
            except ImportError:
                # A library of others is not installed.
                continue


def with_seeds():
    """Public functions, classes and methods with an optional parameter `seed`, by name, with its default."""
    found = {}
    for module in modules():
        for name in dir(module):
            try:
                value = getattr(module, name)
            except ImportError:
                continue
            home = getattr(value, "__module__", None)
            if name.startswith("_") or not isinstance(home, str) or not home.startswith("ludovec."):
                continue
            callables = [(name, value)]
            if inspect.isclass(value):
                methods = [(k, getattr(value, k)) for k in vars(value) if not k.startswith("_")]
                callables += [(f"{name}.{k}", method) for k, method in methods]
            for called, function in callables:
                try:
                    parameters = inspect.signature(function).parameters
                except (TypeError, ValueError):
                    continue
                seed = parameters.get("seed")
                if seed is None or seed.default is inspect.Parameter.empty:
                    continue
                home = function.__module__.split(".")[1]
                title = f"{called} of {home}" if home in ("testing", "ray") else called
                title = "make of text" if (called, home) == ("make", "text") else title
                title = title if title in EXEMPT_NAMES else called
                found[title] = seed.default
    return found


def test_every_function_that_draws_has_the_default_none():
    found = with_seeds()
    # The module of files is imported where there is pyarrow.
    calls = set(CALLS) - (set() if importlib.util.find_spec("pyarrow") else {"write"})
    assert set(found) - EXEMPT_NAMES == calls, "new functions with a seed belong to CALLS or EXEMPT"
    assert {name for name, default in found.items() if default is not None} <= FIXED


@pytest.mark.parametrize("name", CALLS)
def test_a_drawn_seed_is_reported_and_repeats_the_call(name, tmp_path):
    if name == "serve" and not hasattr(ludovec._core, "Fleet"):
        pytest.skip("fleets need Linux")
    if name == "write":
        pytest.importorskip("pyarrow")
    call = CALLS[name]
    if "tmp_path" in inspect.signature(call).parameters:
        call = lambda seed, given=call: given(seed, tmp_path)
    (one, first), (other, second) = call(None), call(None)
    assert first != second and one != other
    assert call(first) == (one, first)


def test_workers_without_seeds_play_different_games():
    """And a restart of the worker does not play its first games again."""

    def worker(**seeds):
        env = ludovec.make("chess", 8, **seeds)
        env.reset()
        search = ludovec.TreeSearch.playouts(env, 4)
        played = []
        search.start()
        for _ in range(3):
            played.append(search.run().copy())
            env.step(played[-1])
            search.advance(played[-1])
        return np.array(played), env.seed

    (one, seed), (other, _) = worker(), worker()
    assert not (one == other).all()
    np.testing.assert_array_equal(worker(seed=seed)[0], one)


def test_the_search_follows_the_seeds_of_the_games():
    env = ludovec.make("chess", 4, seed=1)
    search = ludovec.TreeSearch(env, 16, evaluator="null")

    def visits():
        search.start()
        search.run()
        return search.visits

    one = visits()
    env.reset(seed=[1, 1, 2, 2])
    other = visits()
    assert search.seed is None and env.seed is None
    # With a seed of its own, every game is the first one of that seed.
    for found, same in ((other[0], one[0]), (other[1], one[0]), (other[2], other[3])):
        np.testing.assert_array_equal(found, same)
    assert (other[2] != other[0]).any()


def test_a_resumed_tournament_takes_the_seed_of_its_file(tmp_path):
    call = ("smallworld", {"a": "random", "b": "greedy"}, 6)
    first = ludovec.tournament(*call, state=tmp_path / "state", players=2)
    assert ludovec.tournament(*call, state=tmp_path / "state", players=2) == first
    with pytest.raises(ludovec.InvalidConfig, match="seed was"):
        ludovec.tournament(*call, state=tmp_path / "state", players=2, seed=first.seed ^ 1)
