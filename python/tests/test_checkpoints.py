"""Opponents from a folder of checkpoints."""

import os
import pickle
import shutil
from pathlib import Path

import ludovec
import numpy as np
import pytest

CHAMPION = Path(__file__).resolve().parents[2] / "assets" / "networks"


def champion():
    return next(file for file in sorted(CHAMPION.iterdir()) if file.name.startswith("tilewe"))


@pytest.fixture
def folder(tmp_path):
    for k in range(2):
        file = tmp_path / f"step-{k}.safetensors"
        shutil.copy(champion(), file)
        os.utime(file, (1000 + k, 1000 + k))
    return tmp_path


def test_the_newest_files_and_extra_opponents_take_part(folder):
    (folder / "notes.txt").write_text("no network")
    found = ludovec.Checkpoints(folder, extra=["random", "random"], simulations=4)
    assert found.opponents == (
        "random",
        f"net:{folder / 'step-0.safetensors'}:4",
        f"net:{folder / 'step-1.safetensors'}:4",
    )
    newest = ludovec.Checkpoints(folder, most=1)
    assert newest.opponents == (f"net:{folder / 'step-1.safetensors'}",)
    shutil.copy(champion(), folder / "step-2.safetensors")
    assert newest.rescan() and not newest.rescan()
    assert newest.opponents == (f"net:{folder / 'step-2.safetensors'}",)


def test_probabilities_follow_the_shares_of_points(tmp_path):
    made = lambda **how: ludovec.Checkpoints(tmp_path, extra=["a", "b", "c"], **how)
    hard, even, uniform = made(power=1), made(priority="even", power=1), made(priority="uniform")
    for one in (hard, even, uniform):
        np.testing.assert_allclose(one.probabilities(), 1 / 3)
        # Shares with a virtual draw: 9.5 of 10, 4.5 of 9 and 0.5 of 10.
        for name, points in (("a", [1] * 9), ("b", [0.5] * 8), ("c", [0] * 9)):
            for value in points:
                one.record(name, value)
    shares = np.array([0.95, 0.5, 0.05])
    np.testing.assert_allclose(hard.shares(), shares, atol=0.01)
    np.testing.assert_allclose(hard.probabilities(), (1 - shares) / (1 - shares).sum(), atol=0.01)
    weights = shares * (1 - shares)
    np.testing.assert_allclose(even.probabilities(), weights / weights.sum(), atol=0.01)
    np.testing.assert_allclose(uniform.probabilities(), 1 / 3)
    # Draws have these frequencies.
    drawn = np.bincount(hard.draw((np.arange(10_000) + 0.5) / 10_000), minlength=3) / 10_000
    np.testing.assert_allclose(drawn, hard.probabilities(), atol=2e-4)
    assert hard.draw([0.0, 1 - 2**-53]).tolist() == [0, 2]
    # A result fades to half of its weight.
    fading = made(memory=1)
    for points in (1, 0):
        fading.record("a", points)
    assert fading.results["a"] == (0.5, 1.5)
    other = made()
    other.load_state(hard.state())
    assert other.results == hard.results and pickle.loads(pickle.dumps(hard)).results == hard.results


def points(env, steps):
    """Plays the first legal action; returns the opponents at the seats, and the counted games."""
    env.reset(seed=3)
    seen = []
    for _ in range(steps):
        seen.append(env._opponent_at.copy())
        env.step(env.action_masks().argmax(axis=1))
    return np.array(seen)


def test_episodes_draw_opponents_and_count_their_results(env_id, tmp_path):
    options = {"max_steps": 30}

    def play(seed):
        league = ludovec.Checkpoints(tmp_path, extra=["random", "greedy", "pass"], seed=seed)
        env = ludovec.make(env_id, num_envs=16, opponents=league, seed=3, **options)
        seen = points(env, 120)
        return seen, league

    seen, league = play(1)
    again, same = play(1)
    np.testing.assert_array_equal(seen, again)
    assert league.results == same.results and set(np.unique(seen)) == {-1, 0, 1, 2}
    assert set(league.results) == {"random", "greedy", "pass"}
    assert all(0 <= won <= games for won, games in league.results.values())
    players = ludovec.spec(env_id, **options).players
    games = sum(count for _, count in league.results.values())
    assert games > 16 * (players - 1)
    # Every seat but the learner's has an opponent.
    assert ((seen >= 0).sum(axis=2) == players - 1).all()
    assert not np.array_equal(seen, play(2)[0])


def test_a_learner_that_wins_meets_the_harder_opponents(tmp_path):
    league = ludovec.Checkpoints(tmp_path, extra=["pass", "move_difference"], power=2)
    env = ludovec.make("tilewe", num_envs=32, opponents=league, seed=0, players=2)
    env.reset(seed=0)
    for _ in range(400):
        env.step(env.games.bot_actions("greedy"))
    easy, hard = league.probabilities()
    assert league.shares()[0] > league.shares()[1] and hard > easy


def test_new_checkpoints_become_opponents(folder, caplog):
    league = ludovec.Checkpoints(folder, rescan=4)
    env = ludovec.make("tilewe", num_envs=8, opponents=league, players=2, max_steps=4)
    points(env, 10)
    shutil.copy(champion(), folder / "step-2.safetensors")
    points(env, 10)
    assert len(league.opponents) == 3
    points(env, 60)
    assert f"net:{folder / 'step-2.safetensors'}" in league.results
    # A broken file is reported; the earlier opponents stay.
    (folder / "step-3.safetensors").write_text("nothing")
    before = league.opponents
    points(env, 10)
    assert league.opponents == before and "step-3" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({}, "no .*safetensors"),
        ({"folder": "nowhere/at/all"}, "nowhere"),
        ({"extra": "random"}, "extra"),
        ({"extra": [3]}, "extra"),
        ({"priority": "easy"}, "priority"),
        ({"power": -1}, "power"),
        ({"power": "two"}, "power"),
        ({"memory": 0}, "memory"),
        ({"most": 0}, "most"),
        ({"rescan": 0}, "rescan"),
        ({"simulations": 0}, "simulations"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_arguments_are_refused(tmp_path, arguments, word):
    with pytest.raises(ludovec.InvalidConfig, match=word) as refused:
        ludovec.Checkpoints(**{"folder": tmp_path, **arguments})
    assert "\n" not in str(refused.value)
    with pytest.raises(ludovec.InvalidConfig, match="state"):
        ludovec.Checkpoints(tmp_path, extra=["random"]).load_state({"results": 3})
