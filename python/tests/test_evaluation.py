"""Evaluation and tournaments: measures, faulty players, and threads of functions."""

import logging
import math
import subprocess
import sys
import threading
import time

import ludovec
import numpy as np
import pytest
from ludovec.evaluation.fingerprints import fingerprint
from ludovec.players.python_bots import opponents_of
from test_bots import SMALL, short

KEYS = {
    "bot", "elo", "margin", "games", "wins", "points", "comparisons", "mean_score", "mean_return", "faults",
    "repeated", "seats", "mu", "sigma", "win_low", "win_high", "point_low", "point_high",
}  # fmt: skip


def first(observations, action_masks):
    return action_masks.argmax(axis=1)


def test_a_policy_plays_its_opponents_from_every_seat(env_id):
    seats = []

    def policy(observations, action_masks, info):
        seats.extend(info["current_player"][info["valid"]].tolist())
        return action_masks.argmax(axis=1)

    result = ludovec.evaluate(env_id, policy, ["greedy", "random"], 12, seed=3, **short(env_id))
    assert (result.env, result.seed, result.games, result.partial) == (env_id, 3, 12, False)
    assert result.version == ludovec.spec(env_id).version and result.options["max_steps"] == 30
    assert {s.bot for s in result.standings} == {"policy", "greedy", "random"}
    assert KEYS <= set(vars(result["policy"]))
    players = ludovec.spec(env_id, **short(env_id)).players
    assert result["policy"].games == 12 and set(seats) == set(range(players))
    runs = [sum(1 for game in range(12) if game // players % 2 == k) for k in (0, 1)]
    assert [result[bot].games for bot in ("greedy", "random")] == runs
    assert [result[bot].seats for bot in ("greedy", "random")] == [n * (players - 1) for n in runs]
    assert 0 < result.mean_game_length <= 30
    assert {p.bots for p in result.pairings} == {("policy", "greedy"), ("policy", "random")}


def test_results_are_equal_for_equal_seeds_only():
    play = lambda **how: ludovec.evaluate("empires", first, "random", 30, **SMALL, **how)
    assert play(seed=1) == play(seed=1, num_threads=1)
    assert play(seed=1).standings != play(seed=2).standings
    drawn = play(seed=None)
    assert drawn == play(seed=drawn.seed)


def test_shares_come_with_the_margins_of_their_games():
    result = ludovec.evaluate("starwars_risk", "greedy", "random", 60, max_steps=200)
    best = result["greedy"]
    assert best.win_share == best.wins / best.games and best.point_share == best.points / best.comparisons
    # Wilson score interval of a binomial share; games without a result do not count as wins.
    z2, share = 1.96**2, best.win_share
    middle = (60 * share + z2 / 2) / (60 + z2)
    half = 1.96 * math.sqrt(60 * share * (1 - share) + z2 / 4) / (60 + z2)
    assert (best.win_low, best.win_high) == pytest.approx((middle - half, middle + half))
    assert best.win_margin == pytest.approx(half)
    assert 0 < best.point_margin < 0.2 and best.point_low <= best.point_share <= best.point_high


def test_repeated_games_are_reported_and_do_not_narrow_margins():
    last = lambda observations, masks: masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
    for games in (2, 40):
        result = ludovec.tournament("chess", {"first": first, "last": last}, games, max_steps=40)
        assert result.repeated == games - 2
        for standing in result.standings:
            assert (standing.games, standing.repeated) == (games, games - 2)
            assert standing.win_margin > 0.3 and standing.margin > 50
    assert "repeated" in str(result).splitlines()[0] and " 38 " in str(result)
    varied = ludovec.evaluate("chess", first, "random", 20, max_steps=40)
    assert varied.repeated == 0


def test_clean_sweeps_have_margins():
    result = ludovec.evaluate("tilewe", "greedy", "pass", 20, players=2)
    for standing in result.standings:
        assert standing.margin > 10 and standing.win_margin > 0.05 and standing.point_margin > 0.05


def test_a_function_is_always_called_with_the_same_number_of_rows(env_id):
    shapes, valid = set(), []

    def policy(observations, action_masks, info):
        shapes.add((observations.shape, action_masks.shape, len(info["games"])))
        count = int(info["valid"].sum())
        assert info["valid"][:count].all() and action_masks.any(axis=1).all()
        np.testing.assert_array_equal(observations[count:], np.repeat(observations[:1], 8 - count, axis=0))
        np.testing.assert_array_equal(info["games"][0].observation(), observations[0])
        np.testing.assert_array_equal(info["games"][count - 1].action_mask(), action_masks[count - 1])
        valid.append(count)
        return action_masks.argmax(axis=1)

    options = short(env_id)
    ludovec.evaluate(env_id, policy, "random", 60, batch_size=8, **options)
    spec = ludovec.spec(env_id, **options)
    assert shapes == {((8, *spec.observation_shape), (8, spec.num_actions), 8)}
    assert max(valid) == 8 and sum(valid) > 20


def test_arrays_kept_by_a_function_are_not_overwritten():
    kept = []

    def policy(observations, action_masks):
        kept.append((observations[0], observations[0].copy()))
        return action_masks.argmax(axis=1)

    ludovec.evaluate("tilewe", policy, "random", 4, players=2)
    assert len(kept) > 20
    for seen, copied in kept:
        np.testing.assert_array_equal(seen, copied)


def test_a_function_runs_in_the_calling_thread():
    """Thread-local settings of a program, for example of gradients, apply in its functions."""
    threads = set()

    def policy(observations, action_masks):
        threads.add(threading.get_ident())
        return action_masks.argmax(axis=1)

    ludovec.evaluate("tilewe", policy, "random", 4, players=2)
    assert threads == {threading.get_ident()}


def test_tournaments_leave_no_threads():
    class Last:
        def turn(self, request):
            return request["legal_moves"][-1]

    before = threading.active_count()
    for _ in range(4):
        ludovec.tournament("tilewe", [Last(), first, "random"], games=1, players=2, max_steps=4)
        ludovec.tournament("tilewe", [Last(), first], games=1, time_limit=5, players=2, max_steps=4)
        with pytest.raises(ludovec.InvalidConfig):
            ludovec.tournament("tilewe", [Last(), "nobody"], games=1)
    for thread in threading.enumerate():
        if thread.name == "ludovec bot":
            thread.join(5)
    assert threading.active_count() == before


def illegal(observations, action_masks):
    return action_masks.argmin(axis=1)


def raises(observations, action_masks):
    raise ZeroDivisionError("by nothing")


@pytest.mark.parametrize(
    ("function", "error", "words"),
    [
        (raises, ZeroDivisionError, "by nothing"),
        (illegal, ludovec.IllegalAction, "bot illegal, player"),
        (lambda o, m: m, ludovec.IllegalAction, "integers of shape"),
        (lambda o, m: None, ludovec.IllegalAction, "integers of shape .* NoneType was returned"),
        (lambda o, m: [0.5] * len(m), ludovec.IllegalAction, "an integer from 0 to"),
        (lambda o, m: np.full(len(m), -3), ludovec.IllegalAction, "action -3: actions are 0 to"),
    ],
)
def test_a_broken_function_raises_unless_it_may_lose_moves(function, error, words, caplog):
    how = {"env": "tilewe", "players": 2, "max_steps": 20}
    with pytest.raises(error, match=words) as raised:
        ludovec.evaluate(function, "random", 4, **how)
    assert raised.value.partial is None or raised.value.partial.partial
    with caplog.at_level(logging.WARNING, logger="ludovec"):
        result = ludovec.evaluate(function, "random", 4, on_fault="lose_move", **how)
    name = function.__name__
    assert result[name].faults > 0 and result.games == 4 and name in caplog.text
    assert str(result[name].faults) in str(result) and "faults" in str(result)


def test_a_slow_first_call_loses_no_move():
    """A network that compiles in its first call exceeds the usual time limit of a bot."""
    calls = []

    def compiled(observations, action_masks):
        if not calls:
            threading.Event().wait(2.5)
        calls.append(1)
        return action_masks.argmax(axis=1)

    result = ludovec.evaluate("tilewe", compiled, "random", 2, players=2, max_steps=4)
    assert result["compiled"].faults == 0


def test_an_interrupted_evaluation_raises_soon_with_a_partial_result():
    code = """
import ludovec, os, signal
calls = []
def policy(observations, action_masks):
    calls.append(len(action_masks))
    if len(calls) == 50:
        os.kill(os.getpid(), signal.SIGINT)
    return action_masks.argmax(axis=1)
try:
    ludovec.evaluate("tilewe", policy, "random", 10**6, players=2, max_steps=2)
except KeyboardInterrupt as error:
    partial = error.partial
    print(partial.partial, partial.games > 0, partial["policy"].games == partial.games)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True True True\n"), done.stderr


def test_opponents_may_be_a_player_tables_or_a_mapping():
    one, two = (lambda o, m: 0), (lambda o, m: 1)
    assert opponents_of("random", 3) == ([("random", "random")], [[0, 0]])
    assert opponents_of(["random", ("greedy", one)], 3)[1] == [[0, 0], [1, 2]]
    assert opponents_of({"a": one, "b": two}, 2) == ([("a", one), ("b", two)], [[0], [1]])
    named, tables = opponents_of([one, two, one], 2)
    assert [name for name, _ in named] == ["<lambda>", "<lambda> 2"] and tables == [[0], [1], [0]]
    few = [("random",)]
    for bad, word in (([], "at least one"), (3, "a player"), (few, "other seat"), ([None], "None")):
        with pytest.raises(ludovec.InvalidConfig, match=word):
            opponents_of(bad, 3)


def test_a_player_can_play_itself():
    result = ludovec.evaluate("tilewe", "random", "random", 20, players=2)
    assert {s.bot for s in result.standings} == {"random", "random 2"}


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"env": None}, "env"),
        ({"env": "halma"}, "halma"),
        ({"games": 0}, "games"),
        ({"on_fault": "explode"}, "on_fault"),
        ({"on_fault": None}, "on_fault"),
        ({"batch_size": 0}, "batch_size"),
        ({"time_limit": "soon"}, "time_limit"),
        ({"time_limit": -1}, "time_limit"),
        ({"seed": -1}, "seed"),
        ({"opponents": [("random", "random")]}, "other seat"),
        ({"policy": 3}, "turn"),
        ({"policy": "nobody"}, "nobody"),
        ({"players": 1}, "two players"),
    ],
)
def test_a_wrong_evaluation_is_refused(arguments, word):
    both = {"policy": "random", "opponents": "random"}
    given = {**both, "games": 2, "env": "tilewe", "players": 2, **arguments}
    with pytest.raises(ludovec.InvalidConfig, match=word) as refused:
        ludovec.evaluate(**given)
    assert "\n" not in str(refused.value)


RUN = """
import json, sys
import ludovec
class Bot:
    level = {level}
    def __call__(self, observations, masks):
        return masks.argmax(axis=1) if self.level else masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)
bots = {{"function": Bot(), "greedy": "greedy", "search": "search:{playouts}"}}
table = ludovec.tournament("chess", bots, 18, state={state!r}, seed=0, max_steps=40, batch_size=1)
print(repr(table))
"""


def resumed(state, level=1, playouts=20):
    """Plays or resumes a tournament in a new process; returns the finished process."""
    code = RUN.format(state=state, level=level, playouts=playouts)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)


def test_a_tournament_resumes_after_its_process_was_killed(tmp_path):
    file = tmp_path / "table.state"
    whole = resumed(None)
    assert whole.returncode == 0, whole.stderr
    code = RUN.format(state=str(file), level=1, playouts=20)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL)
    while not file.exists() or file.read_text().splitlines()[1] == "null":
        assert process.poll() in (None, 0)
        time.sleep(0.002)
    process.kill()
    process.wait()
    assert resumed(str(file)).stdout == whole.stdout
    # A finished tournament is not played again; other players are refused.
    assert resumed(str(file)).stdout == whole.stdout
    for changed in ({"level": 0}, {"playouts": 21}):
        told = resumed(str(file), **changed)
        assert told.returncode and "another tournament: players was" in told.stderr, told.stderr


def test_a_state_file_belongs_to_one_tournament_and_one_process(tmp_path):
    file = tmp_path / "table.state"

    def play(policy=first, **more):
        return ludovec.evaluate(
            policy, "random", 4, **{"env": "chess", "state": file, "max_steps": 20, **more}
        )

    def busy(observations, masks):
        with pytest.raises(ludovec.InvalidConfig, match="another process plays this tournament"):
            play(state=tmp_path / "busy.state")
        return first(observations, masks)

    play(busy, state=tmp_path / "busy.state")
    with pytest.raises(ludovec.InvalidConfig, match="another process plays this tournament"):
        play(lambda observations, masks: play() and masks.argmax(axis=1))
    file.unlink()
    table = play()
    assert play() == table
    for change in ({"seed": 1}, {"max_steps": 21}, {"policy": lambda o, m: m.argmax(axis=1) + 0}):
        with pytest.raises(ludovec.InvalidConfig, match="another tournament"):
            play(**change)
    damaged = file.read_text().replace("\n", " ", 1)
    file.write_text(damaged)
    with pytest.raises(ludovec.InvalidConfig, match="damaged"):
        play()
    assert file.read_text() == damaged
    with pytest.raises(ludovec.InvalidConfig, match="such"):
        play(state=tmp_path / "no" / "such")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["busy.state", "table.state"]


def test_fingerprints_depend_on_code_and_values():
    def made(source, name="f"):
        space = {"np": np, "__name__": "somewhere"}
        exec(source, space)
        return space[name]

    same = "def f(o, m):\n    return m.argmax(axis=1)"
    assert fingerprint(made(same)) == fingerprint(made(same))
    different = [
        same,
        same.replace("axis=1", "axis=0"),
        same.replace("argmax", "argmin"),
        same.replace("o, m", "o, m, k=1"),
        "A = np.ones(3)\ndef f(o, m):\n    return A",
        "A = np.ones(4)\ndef f(o, m):\n    return A",
        "def g():\n    return 1\ndef f(o, m):\n    return g()",
        "def g():\n    return 2\ndef f(o, m):\n    return g()",
        "def h(k):\n    return lambda o, m: k\nf = h(1)",
        "def h(k):\n    return lambda o, m: k\nf = h(2)",
        "class C:\n    def __call__(self, o, m):\n        return 1\nf = C()",
        "class C:\n    def __call__(self, o, m):\n        return 2\nf = C()",
        "class C:\n    def __call__(self, o, m):\n        return 2\nf = C()\nf.weights = np.arange(3)",
        "class B:\n    a = 1\nclass C(B):\n    pass\nf = C()",
        "class B:\n    a = 2\nclass C(B):\n    pass\nf = C()",
        "import functools\nf = functools.partial(max, 1)",
        "import functools\nf = functools.partial(max, 2)",
    ]
    prints = [fingerprint(made(source)) for source in different]
    assert prints == [fingerprint(made(source)) for source in different]
    assert len(set(prints)) == len(different)
    cyclic = [1]
    cyclic.append(cyclic)
    assert fingerprint(cyclic) == fingerprint(cyclic)


def test_the_environment_comes_first_or_by_keyword():
    first_ = ludovec.evaluate("empires", "greedy", "random", 4, seed=2, **SMALL)
    assert first_ == ludovec.evaluate("greedy", "random", 4, env="empires", seed=2, **SMALL)
    assert first_ == ludovec.evaluate(policy="greedy", games=4, env="empires", seed=2, **SMALL)
    with pytest.raises(TypeError):
        ludovec.evaluate()


def test_a_league_of_functions_asks_for_few_rows():
    """Eight functions in a round robin: a call has no padding, and a power of two of rows."""
    asked, counted, sizes = [], [], set()

    def function():
        def play(observations, masks, info):
            asked.append(len(observations))
            counted.append(int(info["valid"].sum()))
            sizes.add(len(observations))
            return masks.argmax(axis=1)

        return play

    bots = {f"f{number}": function() for number in range(8)}
    table = ludovec.tournament("starwars_risk", bots, games=280, seed=1, max_rounds=2)
    assert table.games == 280
    assert sum(asked) <= 1.1 * sum(counted)
    assert all(size & (size - 1) == 0 or size == 70 for size in sizes)
    # With a size of one's own, every call has it.
    sizes.clear()
    ludovec.tournament("starwars_risk", bots, games=28, seed=1, max_rounds=1, batch_size=16)
    assert sizes == {16}


@pytest.mark.parametrize(
    ("env", "players"), [("smallworld", 3), ("smallworld", 5), ("tilewe", 3), ("tilewe", 4), ("empires", 3)]
)
def test_points_of_several_seats_follow_the_final_ranks(env, players):
    """As the outcome pays: the places from 1 to -1, and from 100 % to 0 % of the points."""
    if env not in ludovec.list_envs():
        pytest.skip("without this game")
    small = {"width": 10, "height": 8, "max_turns": 10} if env == "empires" else {}
    result = ludovec.evaluate(env, first, ["greedy", "random"], 4 * players, players=players, seed=1, **small)
    assert result.truncated == 0
    for row in result.opponents:
        assert row.point_share == pytest.approx((1 + row.mean_return) / 2, abs=1e-6)
    shares = result.equal_point_share, result.last_point_share, result.equal_win_share
    assert shares == pytest.approx((0.5, 0.0, 1 / players))
    told = f"has 50.0 % (and {100 / players:.1f} % of the wins), one that is always last 0.0 %"
    assert told in str(result)


def test_two_seats_have_no_line_about_points():
    result = ludovec.evaluate("smallworld", "random", "random", 2, players=2)
    assert (result.equal_point_share, result.last_point_share, result.equal_win_share) == (0.5, 0.0, 0.5)
    assert "always last" not in str(result)


class Guess:
    """A card of two is dealt; each player guesses it. The player with more right guesses wins."""

    players = 2
    actions = 2
    state = [("card", np.uint8), ("right", np.int8, 2), ("guesses", np.uint8)]
    observation = (2,)
    #: Whether the card is dealt before or after the decisions.
    late = False

    def init(self, state, chance):
        state["card"] = 0 if self.late else chance.uniform(2)

    def legal(self, state):
        return [True, True]

    def step(self, state, action, chance):
        player = int(state["guesses"])
        state["guesses"] += 1
        if self.late and player == 1:
            state["card"] = chance.uniform(2)
        state["right"][player] = action == state["card"]

    def current_player(self, state):
        return int(state["guesses"]) if state["guesses"] < 2 else None

    def observe(self, state, player):
        return [player, state["guesses"]]

    def returns(self, state):
        lead = int(state["right"][0]) - int(state["right"][1])
        return [lead, -lead]


class LateGuess(Guess):
    """The card is dealt by the last decision."""

    late = True


@pytest.mark.parametrize("rules", [Guess, LateGuess])
def test_games_of_chance_are_samples_of_their_own(rules, tmp_path):
    """Few decisions repeat soon, but the chance of every game is drawn for itself. The card of a position in
    a file was dealt before: there the same decisions are the same game."""
    ludovec.register(rules)
    id = "late_guess" if rules.late else "guess"
    table = ludovec.tournament(id, {"a": "random", "b": "random"}, 400, seed=1)
    assert table.repeated == 0 and table.standings[0].point_margin < 0.06
    players = {"a": first, "b": lambda obs, masks: first(obs, masks)}
    assert ludovec.tournament(id, players, 40, seed=1).repeated == 0
    position = tmp_path / "positions.jsonl"
    position.write_text(ludovec.Game(id, seed=0).to_json() + "\n")
    table = ludovec.tournament(id, players, 40, seed=1, openings=position)
    assert table.repeated == (0 if rules.late else 38)
