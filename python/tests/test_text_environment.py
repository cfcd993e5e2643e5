"""The environment of strings for text agents."""

import ludovec
import pytest


def policy(env):
    """Plays the first legal move of the game, as a reply in prose."""
    return f"Let me see.\nMove: {env.game.action_to_string(env.game.legal_actions()[0])}"


def test_episodes_of_every_game_end_with_an_outcome(env_id):
    options = {"max_turns": 20, "width": 8, "height": 8} if env_id == "empires" else {}
    with ludovec.make_text(env_id, "random", seat="rotating", **options) as env:
        seats = []
        for seed in (0, 1):
            text, info = env.reset(seed=seed)
            seats.append(info["seat"])
            assert ludovec.text.rules(env_id, short=True) in text
            done, total = False, 0.0
            while not done:
                assert env.game.current_player == info["seat"]
                text, reward, terminated, truncated, info = env.step(policy(env))
                done, total = terminated or truncated, total + reward
            assert total == pytest.approx(info["outcomes"][info["seat"]] if terminated else 0.0)
            with pytest.raises(ludovec.LudovecError, match="call reset"):
                env.step("anything")
        assert seats == [0, 1]


def test_equal_seeds_give_equal_texts():
    def texts():
        with ludovec.make_text("starwars_risk", "greedy", seed=5) as env:
            shown = [env.reset()[0]]
            for _ in range(20):
                shown.append(env.step(policy(env))[0])
            return shown + [env.reset()[0]]

    assert texts() == texts()
    assert texts()[0] != texts()[-1]


def test_wrong_replies_get_reasons_and_then_lose():
    with ludovec.make_text("chess", "random", retries=2, seed=0) as env:
        env.reset()
        before = env.game.steps
        for left in (1, 0):
            text, reward, terminated, _, info = env.step("e9")
            assert (reward, terminated, info["tries_left"]) == (0.0, False, left)
            assert text == info["reason"] and env.game.steps == before
        assert env.step("Move: e4")[4]["tries_left"] == 2
        for _ in range(2):
            env.step("nothing")
        text, reward, terminated, truncated, info = env.step("nothing")
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert "lost" in text


def test_opponents_may_be_functions_and_objects():
    calls = []

    def first(observations, masks):
        calls.append(len(observations))
        return masks.argmax(axis=1)

    with ludovec.make_text("smallworld", (first, "greedy"), players=3, seed=0) as env:
        env.reset()
        while not calls and not env.game.is_terminal:
            env.step(policy(env))
    assert calls


@pytest.mark.parametrize(
    "arguments,named",
    [
        ({"opponents": ("greedy",) * 3}, "opponents"),
        ({"legal": "some"}, "legal"),
        ({"seat": 9}, "seat"),
        ({"retries": -1}, "retries"),
        ({"playrs": 3}, "playrs"),
    ],
)
def test_wrong_arguments_are_named(arguments, named):
    with pytest.raises(ludovec.LudovecError, match=named):
        ludovec.make_text("smallworld", **{"players": 3, **arguments})
