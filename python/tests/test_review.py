"""Reviews of games by players."""

import json

import ludovec
import numpy as np
import pytest


def fools_mate():
    game = ludovec.Game("chess")
    for move in ["f2f3", "e7e5", "g2g4", "d8h4"]:
        game.step(game.string_to_action(move))
    return game


def test_the_fools_mate_is_a_blunder():
    review = fools_mate().review("net:champion", simulations=64)
    assert review.unit == "outcome" and review.reviewer == "net:champion:64"
    assert review.values.shape == (5, 2) and review.values.dtype == np.float32
    assert review.values[-1].tolist() == [-1, 1]
    worst = review.mistakes(1)[0]
    assert (worst.step, worst.player, worst.played, worst.mark) == (2, 0, "g4", "??")
    assert worst.loss > 0.3 and worst.line[0] != "g4"
    assert review.positions[3]["best"]["words"] == "Qh4#" and review.losses[3] == 0
    assert review.grades[3] == "good" and review.positions[-1]["player"] is None
    assert "g4 ??" in str(review) and repr(review).startswith("<ludovec.GameReview of chess")


def test_every_game_is_reviewed_and_its_page_plays_it(env_id):
    game = ludovec.Game(env_id, seed=2)
    for _ in range(12):
        game.step(game.bot_action("random"))
    before = game.record()
    review = game.review("net:champion", simulations=4)
    assert review.values.shape == (13, game.spec.players)
    assert len(review.positions) == 13 and review.losses.shape == (12,) and len(review.grades) == 12
    assert np.nanmin(review.losses) >= 0
    for position, action in zip(review.positions, (step["action"] for step in game.log)):
        assert position["played"]["words"] and position["line"][0] == position["best"]["words"]
        assert position["played"]["action"] == action
    losses = [mistake.loss for mistake in review.mistakes()]
    assert losses == sorted(losses, reverse=True)
    assert game.record() == before, "the game does not change"
    assert str(review).splitlines()[0].endswith(f"({review.unit_words})") and review.unit_words
    shown = review._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and shown.count('"') == 6, "the page is escaped"
    data = review.html.split('"review":')[1]
    assert json.JSONDecoder().raw_decode(data)[0]["values"][0] == pytest.approx(review.values[0].tolist())


def test_players_without_values_do_not_review():
    with pytest.raises(ludovec.InvalidConfig, match="value positions"):
        fools_mate().review("random")
    with pytest.raises(ludovec.InvalidConfig, match="number already"):
        fools_mate().review("search:5", simulations=3)
    assert len(ludovec.Game("chess").review("net:champion").positions) == 1
