"""The suite of positions: reproducible, with correct answers, and scored by regret."""

import random

import ludovec
import pytest
from chat_servers import good, served, wrong
from ludovec import _core
from ludovec.text import suite

FEW = {"positions": 2, "simulations": 8, "repeats": 2}


def content(made):
    """A suite as plain data."""
    return [
        (one.name, one.group, one.exact, one.best, one.answers, one.game.to_json(), one.message)
        for one in made
    ]


@pytest.fixture(scope="module")
def small():
    return suite.make("small", **FEW)


def test_every_game_has_positions(small):
    groups = {one.group for one in small}
    assert groups == {"smallworld", "tilewe", "starwars_risk", "empires", "chess variants"}
    for one in small:
        assert len(one.answers) > 1 and set(one.answers) == set(one.game.legal_actions())
        assert one.regret(one.best) == 0.0
        assert all(0 <= answer.share <= 1 and answer.error >= 0 for answer in one.answers.values())
        # A position in which all moves are alike measures nothing.
        assert max(map(one.regret, one.answers)) > 0.05
        assert one.regret(None) == one.answers[one.best].share
        assert one.message == ludovec.text.prompt(one.game)
    versions = {env: ludovec.spec(env).version for env in ludovec.list_envs()}
    assert small.versions == versions | {"replies": ludovec.text.READER_VERSION}


def test_each_chess_variant_is_in_one_size():
    found = []
    for size in ("small", "medium", "large"):
        for options, group, _ in suite._settings("chess", size, 1):
            found.append(options.get("variant", "chess"))
            assert group == ("chess variants" if options else "chess")
    assert sorted(found) == sorted(_core.chess_variants())


@pytest.mark.parametrize("env", ["smallworld", "tilewe", "empires"])
def test_equal_arguments_give_equal_suites(env):
    def made(**more):
        return content(suite.make("small", envs=[env], **{**FEW, **more}))

    first = made()
    assert first == made(num_threads=1)
    assert first != made(seed=1)


def outcome(game, player, depth):
    """The outcome of a position by plain search to a depth; ``None`` if it is open."""
    if game.is_terminal:
        return float(game.returns()[player])
    if depth == 0:
        return None
    found = []
    for action in game.legal_actions():
        child = game.clone()
        child.step(action)
        found.append(outcome(child, player, depth - 1))
    if game.current_player == player:
        return 1.0 if 1.0 in found else None if None in found else max(found)
    return -1.0 if -1.0 in found else None if None in found else min(found)


@pytest.mark.parametrize("env,depth", [("tilewe", 4), ("chess", 2)])
def test_proved_answers_are_those_of_a_plain_search(env, depth):
    """A shallower search agrees wherever it decides."""
    checked = 0
    made = [one for one in suite.make("small", envs=[env], **{**FEW, "positions": 4}) if one.exact]
    assert len(made) >= 2
    for one in made:
        player = one.game.current_player
        for action, answer in one.answers.items():
            child = one.game.clone()
            child.step(action)
            found = outcome(child, player, depth)
            if found is not None:
                assert answer.share == (found + 1) / 2 and answer.error == 0.0
                checked += 1
    assert checked > 5


def test_better_players_have_less_regret(small):
    worst = [min(one.answers, key=lambda action: one.answers[action].share) for one in small]
    score = small.grade(worst, name="worst")
    best = small.grade([one.best for one in small])
    played = small.run("random")
    assert best.regret == 0.0 and best.rows[-1].solved == 1.0
    assert 0 < played.regret < score.regret
    assert [row.group for row in score.rows][-1] == "all" and score.rows[-1].positions == len(small)
    assert str(score).splitlines()[0].split() == ["group", "positions", "regret", "+/-", "solved", "refused"]
    without = small.grade([None] * len(small))
    assert without.rows[-1].refused == len(small) and without.regret >= score.regret


def test_functions_and_language_models_are_asked(small):
    draw = random.Random(0)
    said = []

    def model(message):
        said.append(message)
        return draw.choice(["Move: nonsense", "I give up."])

    score = small.run(model)
    assert score.player == "model" and score.rows[-1].refused == len(small) == len(said)
    with served(good) as server:
        text = f"llm:some-model@{server.url}?legal=listed"
        score = small.run(text)
        assert score.rows[-1].refused == 0 and len(server.requests) == len(small)
        first = small.grade([one.game.legal_actions()[0] for one in small])
        assert score.rows == first.rows
        server.behave = wrong
        assert small.run(f"{text},retries=0").rows[-1].refused == len(small)


def test_positions_that_a_player_does_not_play_are_left_out(small):
    score = small.run("largest_piece")
    assert {row.group for row in score.rows} == {"tilewe", "all"}
    assert score.left_out == len(small) - score.rows[0].positions and "left out" in str(score)
    with pytest.raises(ludovec.InvalidConfig, match="none of the positions"):
        small.run("nobody")


@pytest.mark.parametrize(
    "arguments,word",
    [
        ({"size": "huge"}, "small, medium, large"),
        ({"envs": ["go"]}, "smallworld"),
        ({"positions": 0}, "positions"),
        ({"repeats": 3}, "an even number"),
        ({"simulations": 0}, "simulations"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_named(arguments, word):
    with pytest.raises(ludovec.LudovecError, match=word):
        suite.make(**arguments)


def test_wrong_grades_are_named(small):
    with pytest.raises(ludovec.InvalidConfig, match="1 actions were given"):
        small.grade([None])
    with pytest.raises(ludovec.InvalidConfig, match="is not legal"):
        small.grade([10**6] * len(small))
    with pytest.raises(ludovec.InvalidConfig, match="a function from a message"):
        small.run(7)
