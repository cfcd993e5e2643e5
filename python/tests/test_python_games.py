"""Games of one's own: classes as environments.

The tests share their classes of rules, so the file is long.
"""

import json
import pickle
import shutil
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import ludovec
import ludovec.testing
import numpy as np
import pytest
from ludovec.rules import registration

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "python_games"
pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="needs the checkout")


@pytest.fixture(scope="module", autouse=True)
def games():
    for example in ("tic_tac_toe", "leduc"):
        ludovec.load(EXAMPLES / f"{example}.py")
    yield
    registration.forget_all()


class Dice:
    """Players roll a die in turn; the higher sum after two rounds wins."""

    players = 2
    actions = {"roll": 1, "roll_two": 1}
    state = [("points", np.int32, 2), ("rolls", np.uint8)]
    observation = {"points": (2, 24), "rolls": (1, 4)}
    max_episode_steps = 4
    bots = {"careful": "one"}

    def init(self, state, chance):
        state["points"] = 0

    def legal(self, state):
        return [0, 1]

    def step(self, state, action, chance):
        player = int(state["rolls"]) % 2
        for _ in range(1 + action):
            state["points"][player] += 1 + chance.uniform(6)
        state["rolls"] += 1

    def current_player(self, state):
        return -1 if state["rolls"] == 4 else int(state["rolls"]) % 2

    def observe(self, state, player):
        points = state["points"]
        return np.array([points[player], points[1 - player], state["rolls"]])

    def returns(self, state):
        difference = int(state["points"][0]) - int(state["points"][1])
        return [np.sign(difference), -np.sign(difference)]

    def one(self, state, legal, chance):
        """Rolls one die."""
        return legal[0]


def position(game):
    return json.loads(game.to_json())["position"]


def placed(id, position):
    return ludovec.Game.from_json(json.dumps({"env": id, "position": position}))


def wrong(name="wrong", **members):
    """A variant of the game with other members."""
    variant = type("Wrong", (Dice,), {"id": name, **members})
    ludovec.register(variant)
    return name


# ---- the whole package knows the games ----


def test_examples_are_as_short_as_promised():
    for example in ("tic_tac_toe", "leduc"):
        assert len((EXAMPLES / f"{example}.py").read_text().splitlines()) <= 60


@pytest.mark.parametrize("id", ["tic_tac_toe", "leduc"])
def test_games_are_environments(id):
    assert id in ludovec.list_envs()
    assert ludovec.testing.check_vector_env(ludovec.make(id, 8, seed=0)) == []
    spec = ludovec.spec(id)
    assert spec.env == id and spec.hidden_information == (id == "leduc")
    env, twin = ludovec.make(id, 32, seed=3), ludovec.make(id, 32, seed=3, num_threads=2)
    for _ in range(20):
        actions = env.sample_actions()
        for one in (env, twin):
            one.step(actions)
        assert np.array_equal(env.observations, twin.observations)
        assert np.array_equal(env.rewards, twin.rewards)
    saved, actions = env.get_state(), env.sample_actions()
    env.step(actions)
    twin.set_state(None, saved)
    twin.step(actions)
    assert np.array_equal(env.observations, twin.observations)


def test_tic_tac_toe_follows_its_rules():
    game = ludovec.Game("tic_tac_toe", seed=0)
    for action in (0, 3, 1, 4, 2):
        assert game.current_player == len(game.log) % 2 and not game.is_terminal
        game.step(action)
    assert game.is_terminal and game.returns().tolist() == [1, -1]
    assert game.to_text().splitlines() == ["X X X", "O O .", ". . ."]
    assert [action in ludovec.Game("tic_tac_toe").legal_actions() for action in (0, 8)] == [True, True]
    with pytest.raises(ludovec.GameOver):
        game.step(8)
    again = ludovec.Game.from_record(game.record())
    assert again.to_json() == game.to_json()


def test_search_and_bots_play_well():
    results = ludovec.tournament("tic_tac_toe", ["search:100", "random"], games=20, seed=1)
    best = results.standings[0] if hasattr(results, "standings") else results[0]
    assert (best["bot"] if isinstance(best, dict) else best.bot) == "search:100"
    env = ludovec.make("tic_tac_toe", 4, seed=0)
    env.reset(seed=0)
    search = ludovec.TreeSearch(env, simulations=32)
    search.start()
    while n := search.select():
        search.expand(np.zeros((n, 9), np.float32), np.zeros(n, np.float32))
    env.step(search.actions)
    search = ludovec.TreeSearch.playouts(ludovec.make("leduc", 4, seed=0), simulations=32)
    search.start()
    search.run()
    assert search.visits.sum(1).min() >= 32


def test_hidden_cards_stay_hidden():
    """Positions that the player cannot tell apart give the same search."""
    game = ludovec.Game("leduc", seed=5)
    seat = game.current_player
    worlds = {}
    for seed in range(40):
        other = game.determinize(seat, seed=seed)
        assert other.observation(seat).tolist() == game.observation(seat).tolist()
        worlds[tuple(position(other)["cards"])] = position(other)
    assert len(worlds) == 3
    visits = set()
    for world in worlds.values():
        search = ludovec.TreeSearch.playouts(ludovec.make("leduc", 2, seed=0, starts=[world]), simulations=64)
        search.start()
        search.run()
        visits.add(search.visits.tobytes())
    assert len(visits) == 1


def test_chance_can_be_listed():
    ludovec.register(Dice)
    outcomes = list(ludovec.Game("dice", seed=0).outcomes(1))
    assert len(outcomes) == 36
    assert sum(outcome[0] for outcome in outcomes) == pytest.approx(1)
    assert ludovec.bots("dice")["careful"] == "Rolls one die"
    assert ludovec.Game("dice", seed=0).bot_action("careful") == 0


def test_records_positions_and_pickles():
    game = ludovec.Game("leduc", seed=2)
    while not game.is_terminal:
        game.step(game.legal_actions()[-1])
    assert (
        ludovec.Game.from_record(json.loads(json.dumps(game.record()))).returns().tolist()
        == game.returns().tolist()
    )
    assert pickle.loads(pickle.dumps(game)).to_json() == game.to_json()
    env = ludovec.make("leduc", 4, seed=1)
    env.step(env.sample_actions())
    twin = pickle.loads(pickle.dumps(env))
    assert np.array_equal(twin.observations, env.observations)
    start = position(ludovec.Game("tic_tac_toe"))
    assert start == {"board": [0] * 9, "marks": 0, "winner": 0, "_decisions": 0}
    with pytest.raises(ludovec.InvalidState, match="board"):
        placed("tic_tac_toe", {**start, "board": [0]})


def test_states_are_columns():
    env = ludovec.make("leduc", 16, seed=0)
    columns = env.state_columns()
    assert columns["cards"].shape == (16, 2) and columns["cards"].dtype == np.int8
    assert set(np.unique(columns["cards"])) <= {1, 2, 3}


def test_a_class_can_be_registered_again():
    first = wrong("again")
    env = ludovec.make(first, 2, seed=0)
    wrong("again", players=3, step=Dice.step, returns=lambda self, state: [0, 0, 0])
    assert ludovec.spec("again").players == 3 and env.game_spec.players == 2
    with pytest.raises(ludovec.InvalidConfig, match="registered already"):
        ludovec.register(type("Chess", (Dice,), {"id": "chess"}))


class Sized(Dice):
    """Dice with options."""

    options = {"sides": range(2, 10), "torus": bool, "deck": ["short", "long"]}

    def __init__(self, sides=6, torus=False, deck="short"):
        self.sides, self.torus, self.deck = sides, torus, deck
        self.observation = {"points": (2, 4 * sides), "rolls": (1, 4)}

    def step(self, state, action, chance):
        state["points"][int(state["rolls"]) % 2] += 1 + chance.uniform(self.sides)
        state["rolls"] += 1


def test_options_are_those_of_init():
    ludovec.register(Sized)
    spec = ludovec.spec("sized", sides=3)
    assert spec.observation[0].high == 12 and spec.options["sides"] == 3 and spec.options["deck"] == "short"
    assert len(list(ludovec.Game("sized", sides=9, torus=True, deck="long").outcomes(0))) == 9
    with pytest.raises(ludovec.InvalidConfig, match="sides=10: an integer from 2 to 9"):
        ludovec.make("sized", sides=10)
    with pytest.raises(ludovec.InvalidConfig, match="default"):
        ludovec.register(type("Other", (Dice,), {"options": {"sides": range(3)}}))


# ---- wrong rules ----


def play(id, num_envs=4):
    env = ludovec.make(id, num_envs, seed=0)
    for _ in range(6):
        env.step(env.sample_actions())


def boom(self, *arguments):
    raise KeyError("no such card")


@pytest.mark.parametrize("method", ["init", "legal", "step", "current_player", "observe", "returns"])
@pytest.mark.parametrize("num_envs", [4, 100])
def test_exceptions_arrive_as_they_are(method, num_envs):
    with pytest.raises(KeyError, match="no such card") as caught:
        # The registration starts a game.
        play(wrong(**{method: boom}), num_envs)
    assert any(
        f"{method}() of the game wrong" in note for note in getattr(caught.value, "__notes__", [method])
    )
    frames = [entry.name for entry in caught.traceback]
    assert frames[-1] == "boom"


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"current_player": lambda self, state: 2}, "wrong.current_player: player 2 of 2"),
        ({"current_player": lambda self, state: "white"}, "a player or None is needed"),
        (
            {"legal": lambda self, state: np.ones(3, bool)},
            "wrong.legal: a mask of 3 elements is returned, 2 are",
        ),
        ({"legal": lambda self, state: [True]}, "wrong.legal: a mask of 1 elements is returned, 2 are"),
        ({"legal": lambda self, state: [2]}, "wrong.legal: action 2: actions are 0 to 1"),
        ({"legal": lambda self, state: []}, "wrong.legal: no action is legal, but the game is not over"),
        ({"legal": lambda self, state: np.ones(2, np.uint8)}, "an array of uint8 is returned"),
        ({"legal": lambda self, state: 3}, "a mask or the legal actions are needed"),
        ({"observe": lambda self, state, player: np.zeros(2)}, "an array of float64 is returned"),
        (
            {"observe": lambda self, state, player: np.zeros(2, np.uint8)},
            "2 elements are returned, 3 are needed",
        ),
        ({"observe": lambda self, state, player: [0, 0, 5]}, "element 2 is 5, at most 4 is allowed"),
        ({"observe": lambda self, state, player: [-1, 0, 0]}, "integers from 0 to 255 are needed"),
        ({"returns": lambda self, state: [float("nan"), 0]}, "wrong.returns: NaN, a finite number is needed"),
        ({"returns": lambda self, state: [1]}, "2 numbers are needed"),
        ({"step": lambda self, state, action, chance: state.copy()}, "changes the state in place"),
    ],
)
def test_nonsense_is_one_clear_error(members, said):
    with pytest.raises(ludovec.RulesError) as caught:
        play(wrong(**members))
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert str(caught.value).startswith("wrong.")


def test_methods_that_read_must_not_write():
    def observe(self, state, player):
        state["rolls"] = 3
        return [0, 0, 0]

    with pytest.raises(ludovec.RulesError, match=r"wrong\.observe: it has changed the state"):
        play(wrong(observe=observe))


def test_a_failed_batch_says_so_and_a_single_game_stays():
    id = wrong(step=boom)
    env = ludovec.make(id, 2, seed=0)
    with pytest.raises(KeyError):
        env.step([0, 0])
    with pytest.raises(ludovec.LudovecError, match="a rule of its game has failed"):
        env.step([0, 0])
    game = ludovec.Game(id, seed=0)
    before = game.to_json()
    with pytest.raises(KeyError):
        game.step(0)
    assert game.to_json() == before


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"players": 9}, "players=9"),
        ({"actions": 0}, "actions=0"),
        ({"actions": {"a": True}}, "actions="),
        ({"observation": "wide"}, "observation="),
        ({"observation": {"a": ((2,), 300)}}, "1 to 255"),
        ({"observation": {"a": 2}}, "(shape, highest value)"),
        ({"state": []}, "state"),
        ({"state": [("a", "U3")]}, "state: the field 'a'"),
        ({"state": [("_a", np.int8)]}, "without _"),
        ({"state": [("a", np.int8, 20_000)]}, "20000 bytes"),
        ({"reward_range": (1, -1)}, "reward_range"),
        ({"bots": {"x": "missing"}}, "bots"),
        ({"max_episode_steps": 0}, "max_episode_steps"),
    ],
)
def test_wrong_descriptions_are_refused_at_once(members, said):
    with pytest.raises(ludovec.RulesError) as caught:
        wrong("described", **members)
    assert said in str(caught.value)


def test_missing_methods_and_wrong_ids_are_refused():
    for members, said in (
        ({"step": None}, "the method step is missing"),
        ({"id": "My Game"}, "lower-case"),
        ({"__init__": lambda self, size: None}, "__init__ needs size"),
    ):
        with pytest.raises(ludovec.InvalidConfig, match=said):
            ludovec.register(type("Wrong", (Dice,), {"id": "unnamed", **members}))
    with pytest.raises(ludovec.InvalidConfig, match="a class is needed"):
        ludovec.register(3)


def test_chance_refuses_nonsense_and_other_times():
    kept = []

    def init(self, state, chance):
        kept.append(chance)
        for call in (lambda: chance.uniform(0), lambda: chance.weighted([0, 0]), lambda: chance.choice([])):
            with pytest.raises(ValueError, match=r"uniform|weighted|choice"):
                call()
        deck = list(range(10))
        chance.shuffle(deck)
        rows = np.arange(10).reshape(5, 2)
        chance.shuffle(rows)
        assert sorted(deck) == list(range(10)) and sorted(rows[:, 0].tolist()) == [0, 2, 4, 6, 8]
        assert (rows[:, 1] - rows[:, 0] == 1).all()

    ludovec.Game(wrong(init=init), seed=0)
    with pytest.raises(RuntimeError, match="while the method"):
        kept[0].uniform(2)


def test_positions_from_outside_are_checked():
    def validate(self, state):
        if not 0 <= state["rolls"] <= 4:
            raise ValueError("too many rolls")

    id = wrong("checked", validate=validate)
    with pytest.raises(ludovec.InvalidState, match="too many rolls"):
        placed(id, {**position(ludovec.Game(id)), "rolls": 9})
    env = ludovec.make(id, 1, seed=0)
    state = bytearray(env.get_state())
    for at in range(len(state)):
        damaged = bytes(state[:at]) + bytes([state[at] ^ 0x55]) + bytes(state[at + 1 :])
        try:
            env.set_state(None, damaged)
        except ludovec.InvalidState:
            continue
    env.step(env.sample_actions())


# ---- threads, signals and processes ----


def test_threads_share_a_game():
    game = ludovec.Game("tic_tac_toe", seed=0)
    found = []

    def ask():
        for _ in range(50):
            found.append(len(game.legal_actions()))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [9] * 200


def python(code, *arguments, **given):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        **given,
    )


SLOW_CALLS = {
    "step": "ludovec.make('slow', 1, seed=0).step([0])",
    "step of many": "ludovec.make('slow', 100, seed=0).step([0] * 100)",
    "bot": "ludovec.Game('slow', seed=0).bot_action('search:10')",
    "search": "(s := ludovec.TreeSearch.playouts(ludovec.make('slow', 4), 8), s.start(), s.run())",
    "tournament": "ludovec.tournament('slow', ['greedy', 'random'], games=2)",
}


@pytest.mark.parametrize("call", SLOW_CALLS.values(), ids=SLOW_CALLS)
def test_ctrl_c_ends_a_rule_that_never_ends(call):
    """Also the process ends afterwards, although the rule runs in a thread."""
    code = f"""
    import os, signal, sys, threading, time
    sys.path.insert(0, sys.argv[1])
    import ludovec
    from test_python_games import Dice
    def slow(self, state, action, chance):
        sent or threading.Timer(0.3, interrupt).start()
        while True:
            pass
    sent = []
    def interrupt():
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
    ludovec.register(type("Slow", (Dice,), {{"step": slow}}))
    try:
        {call}
    except KeyboardInterrupt:
        print(time.monotonic() - sent[0])
    """
    done = python(code, Path(__file__).parent)
    # Half a second on an idle machine.
    assert done.returncode == 0 and float(done.stdout) < 5, done.stderr


def test_ctrl_c_leaves_fast_rules_consistent():
    code = """
    import signal, sys
    sys.path.insert(0, sys.argv[1])
    import ludovec
    import numpy as np
    from test_python_games import Dice
    ludovec.register(Dice)
    env, twin = (ludovec.make("dice", 8, seed=0) for _ in range(2))
    armed = False

    def interrupt(*_):
        # A signal that comes late is ignored: only the step is to be interrupted.
        if armed:
            raise KeyboardInterrupt

    signal.signal(signal.SIGALRM, interrupt)
    interrupts = 0
    for i in range(300):
        actions, before = twin.sample_actions(), twin.observations.copy()
        try:
            armed = True
            signal.setitimer(signal.ITIMER_REAL, 0.00005 + 0.00001 * (i % 50))
            env.step(actions)
            for _ in range(10_000):
                pass
            armed = False
        except KeyboardInterrupt:
            interrupts += 1
            armed = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        if np.array_equal(env.observations, before):
            env.step(actions)
        twin.step(actions)
        assert np.array_equal(env.observations, twin.observations), i
    print(interrupts > 0)
    """
    done = python(code, Path(__file__).parent)
    assert done.stdout == "True\n", done.stderr


def test_other_processes_find_the_class(tmp_path):
    env = ludovec.make("tic_tac_toe", 2, seed=0)
    env.step([4, 0])
    game = ludovec.Game("leduc", seed=1)
    (tmp_path / "games.pickle").write_bytes(pickle.dumps([env, game]))
    code = """
    import pickle, sys
    with open(sys.argv[1], "rb") as file:
        env, game = pickle.load(file)
    print(env.observations.sum(), game.current_player)
    """
    done = python(code, tmp_path / "games.pickle")
    assert done.stdout.split() == [str(env.observations.sum()), str(game.current_player)], done.stderr
    # A class that is nowhere is a clear error.
    module = tmp_path / "vanishing.py"
    module.write_text((EXAMPLES / "tic_tac_toe.py").read_text().replace("class TicTacToe", "class Vanishing"))
    (id,) = ludovec.load(module)
    (tmp_path / "games.pickle").write_bytes(pickle.dumps([ludovec.Game(id), ludovec.Game(id)]))
    module.unlink()
    done = python(code, tmp_path / "games.pickle")
    assert "InvalidConfig" in done.stderr and "the class Vanishing of the module vanishing" in done.stderr


def test_text_agents_play_own_games():
    """Texts of a class of rules come from its spec; hidden cards stay hidden."""
    with ludovec.make_text("leduc", "random", seed=0) as env:
        message, info = env.reset()
        assert "hidden from the others" in message and "You are Player 1." in message
        assert "Legal moves" in message and "\n\n\n" not in message
        assert env.spec.env == "leduc"
        for seed in range(4):
            assert ludovec.text.prompt(env.game.determinize(0, seed), 0) == message
        assert env.step("Move: xyzzy")[4]["reason"]
        while not env.game.is_terminal:
            label = env.game.action_to_string(env.game.legal_actions()[-1])
            _, reward, terminated, _, info = env.step(f"I will play {label}.")
            assert info["reason"] is None
        assert terminated and reward == info["outcomes"][0]


@pytest.mark.skipif(not hasattr(ludovec, "Fleet"), reason="fleets need Linux")
def test_fleets_and_workers_play_own_games():
    with ludovec.serve("leduc", name="own_games", num_envs=4, seed=3):
        env, twin = ludovec.attach("own_games"), ludovec.make("leduc", 4, seed=3)
        env.reset(seed=3)
        twin.reset(seed=3)
        for _ in range(5):
            actions = twin.sample_actions()
            env.step(actions)
            twin.step(actions)
            assert np.array_equal(env.observations, twin.observations)
        env.close()
    env = ludovec.make("leduc", 8, batch_size=4, seed=0)
    env.async_reset()
    for _ in range(6):
        _, _, _, _, info = env.recv()
        env.send(info["action_mask"].argmax(1), info["env_id"])


def test_forked_processes_have_the_game():
    code = """
    import multiprocessing, sys
    import ludovec
    ludovec.load(sys.argv[1])
    def child(queue):
        game = ludovec.Game("tic_tac_toe", seed=0)
        game.step(game.bot_action("search:20"))
        queue.put(len(game.legal_actions()))
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    ludovec.Game("tic_tac_toe").bot_action("random")
    process = context.Process(target=child, args=(queue,))
    process.start()
    print(queue.get(timeout=60))
    process.join()
    """
    done = python(code, EXAMPLES / "tic_tac_toe.py")
    assert done.stdout == "8\n", done.stderr


# ---- the program ----


def program(*arguments, **given):
    command = [sys.executable, "-m", "ludovec", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=240, **given)


def test_the_program_plays_loaded_games(tmp_path):
    load = ("--load", EXAMPLES / "tic_tac_toe.py")
    done = program(*load, "bench", "tic_tac_toe", "--steps", 20, "--num-envs", 4, "--json")
    report = json.loads(done.stdout)
    assert report["env"] == "tic_tac_toe" and report["steps"] == 80, done.stderr
    done = program(
        *load, "tournament", "tic_tac_toe", "--players", "search:20,random", "--games", 4, "--json"
    )
    assert json.loads(done.stdout)["env"] == "tic_tac_toe", done.stderr
    done = program(*load, "spec", "tic_tac_toe")
    assert json.loads(done.stdout)["name"] == "TicTacToe", done.stderr
    record = tmp_path / "game.json"
    game = ludovec.Game("tic_tac_toe", seed=0)
    for action in (0, 3, 1, 4, 2):
        game.step(action)
    record.write_text(json.dumps(game.record()))
    assert "5 steps replay exactly" in program(*load, "replay", record).stdout
    for wrong, said in ((["--load"], "needs"), (["--load", "missing.py"], "no such file")):
        done = program(*wrong)
        assert done.returncode == 2 and said in done.stderr


def test_the_program_trains_loaded_games(tmp_path):
    pytest.importorskip("torch")
    out = tmp_path / "run"
    done = program("--load", EXAMPLES / "leduc.py", "train", "leduc", "--updates", 1, "--out", out)
    assert done.returncode == 0 and (out / "last.safetensors").exists(), done.stderr
    # The network becomes the champion of the class, by a path beside the file.
    text = (EXAMPLES / "leduc.py").read_text()
    file = tmp_path / "with_champion.py"
    file.write_text(text.replace("    players = 2", '    champion = "run/last.safetensors"\n    players = 2'))
    command = ["tournament", "leduc", "--players", "net:champion:4,random", "--games", 4, "--json"]
    done = program("--load", file, *command)
    assert json.loads(done.stdout)["standings"][0]["games"] == 4, done.stderr
    file.write_text(text.replace("    players = 2", '    champion = "run/none.safetensors"\n    players = 2'))
    done = program("--load", file, *command)
    assert done.returncode == 2 and "leduc.champion='run/none.safetensors': No such file" in done.stderr
    done = program("--load", "missing.py", "train", "leduc")
    assert done.returncode == 2 and "no such file" in done.stderr


def test_the_program_reports_wrong_rules(tmp_path):
    file = tmp_path / "faulty.py"
    text = (EXAMPLES / "tic_tac_toe.py").read_text().replace("class TicTacToe", "class Faulty")
    file.write_text(text.replace("board[action] = player", "board[action + 100] = player"))
    done = program("--load", file, "selfplay", "faulty", "--games", 2, "--num-envs", 2)
    assert done.returncode == 1 and "IndexError" in done.stderr and "faulty" in done.stderr


# ---- entry points and files ----


@pytest.mark.parametrize("form", ["folder", "egg-info", "archive"])
def test_packages_offer_games_by_entry_points(tmp_path, form):
    tmp_path = tmp_path / "packages"
    package = tmp_path / "offered"
    package.mkdir(parents=True)
    text = (EXAMPLES / "tic_tac_toe.py").read_text().replace("class TicTacToe", "class Offered")
    (package / "__init__.py").write_text(text)
    info = tmp_path / ("offered.egg-info" if form == "egg-info" else "offered-1.0.dist-info")
    info.mkdir()
    (info / ("PKG-INFO" if form == "egg-info" else "METADATA")).write_text(
        "Metadata-Version: 2.1\nName: offered\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(
        "[ludovec.games]\noffered = offered:Offered\nbroken = nowhere:Game\nother = offered\n"
    )
    element = shutil.make_archive(str(tmp_path), "zip", tmp_path) if form == "archive" else tmp_path
    code = """
    import sys, warnings
    sys.path.insert(0, sys.argv[1])
    warnings.simplefilter("ignore")
    import ludovec
    print(ludovec.make("offered", 2).num_envs, "offered" in ludovec.list_envs())
    for id in ("broken", "other"):
        try:
            ludovec.make(id)
        except Exception as error:
            print(type(error).__name__, error)
    """
    done = python(code, element)
    lines = done.stdout.splitlines()
    assert lines[:1] == ["2 True"], done.stderr
    assert "nowhere" in lines[1] and "registers no game" in lines[2]


def test_the_environment_variable_loads_games():
    code = "import ludovec; print(ludovec.Game('tic_tac_toe').spec.env)"
    import os

    variable = os.pathsep.join([str(EXAMPLES / "leduc.py"), str(EXAMPLES / "tic_tac_toe.py")])
    assert python(code, env={**os.environ, "LUDOVEC_LOAD": variable}).stdout == "tic_tac_toe\n"
    said = python(code, env={**os.environ, "LUDOVEC_LOAD": "missing.py"}).stderr
    assert "missing.py" in said and "no such file" in said


def test_load_refuses_what_is_no_game(tmp_path):
    for name, said in (
        ("missing.so", "no such file"),
        ("missing.py", "no such file"),
        ("no.such.module", "no such module"),
        ("game.txt", "a library"),
    ):
        with pytest.raises(ludovec.InvalidConfig, match=said):
            ludovec.load(name if "module" in name else tmp_path / name)
    library = tmp_path / "wrong.so"
    library.write_bytes(b"no library")
    with pytest.raises(ludovec.InvalidConfig, match=r"wrong\.so"):
        ludovec.load(library)
    import _ctypes

    with pytest.raises(ludovec.InvalidConfig, match="no library of games"):
        ludovec.load(_ctypes.__file__)


@pytest.mark.skipif(sys.platform != "linux", reason="the files of Linux")
def test_a_damaged_library_is_refused_with_the_reason(tmp_path):
    import _ctypes

    whole = Path(_ctypes.__file__).read_bytes()
    library = tmp_path / "short.so"
    for length in (0, 10, 64, 200, 4096, len(whole) // 3, len(whole) // 2, len(whole) * 3 // 4):
        library.write_bytes(whole[:length])
        # In another process, which a part that is missing would end with a signal.
        done = python(f"import ludovec; ludovec.load({str(library)!r})")
        last = done.stderr.strip().splitlines()[-1]
        assert done.returncode == 1 and "InvalidConfig" in last and "truncated" in last, (length, last)
    # The system's own sentence.
    library.write_bytes(Path(sys.executable).resolve().read_bytes())
    with pytest.raises(ludovec.InvalidConfig, match=r"short\.so: dlopen failed: .*cannot"):
        ludovec.load(library)


def test_a_game_that_is_over_at_its_start_is_refused():
    class Over(Dice):
        """A game without decisions under some options."""

        options = {"over": bool}

        id = "over_at_start"

        def __init__(self, over=True):
            self.over = over

        def current_player(self, state):
            return -1 if self.over else super().current_player(state)

    said = r"over_at_start\.init: the game is over at its start"
    with pytest.raises(ludovec.RulesError, match=said):
        ludovec.register(Over)
    assert "over_at_start" not in ludovec.list_envs()

    class Later(Over):
        def __init__(self, over=False):
            self.over = over

    ludovec.register(Later)
    assert ludovec.Game("over_at_start", 0).current_player == 0
    for play in (
        lambda: ludovec.Game("over_at_start", 0, over=True),
        lambda: ludovec.make("over_at_start", 2, seed=0, over=True).reset(),
        lambda: ludovec.tournament("over_at_start", ["search:5", "random"], games=2, over=True),
    ):
        with pytest.raises(ludovec.RulesError, match=said) as caught:
            play()
        assert len(str(caught.value).splitlines()) == 1
