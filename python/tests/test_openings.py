"""Tournaments from openings, sequential tests, payoffs, and tournaments that grow."""

import json

import ludovec
import numpy as np
import pytest
from test_bots import short


def first(observations, action_masks):
    return action_masks.argmax(axis=1)


def last(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


def test_openings_make_games_of_deterministic_players_distinct():
    how = {"max_steps": 60, "seed": 2}
    without = ludovec.tournament("chess", {"first": first, "last": last}, 20, **how)
    assert (without.repeated, without.unit) == (18, "game")
    assert "18 of 20 games repeat" in without.remarks[0] and without.remarks[0] in str(without)
    table = ludovec.tournament("chess", {"first": first, "last": last}, 20, openings=8, **how)
    assert (table.repeated, table.unit, len(table.remarks)) == (0, "pair", 1)
    assert table.remarks[0].startswith("first against last: 0 wins, ")
    assert table == ludovec.tournament("chess", {"first": first, "last": last}, 20, openings=8, **how)
    assert table != ludovec.tournament("chess", {"first": first, "last": last}, 20, openings=7, **how)


def test_a_match_starts_from_an_opening(tmp_path):
    file = tmp_path / "book.pgn"
    file.write_text("1. e4 e5 2. Nf3 *")
    (opening,) = ludovec.openings("chess", file)
    start = {"bots": {"a": "random", "b": "random"}, "position": opening}
    one, two = (ludovec.play("chess", **start, seed=1) for _ in range(2))
    assert one.log == two.log and one.seed == 1
    other = ludovec.play("chess", **start, seed=2)
    assert other.log != one.log
    while other.undo():
        pass
    assert other.observation_object(0)["fen"].startswith(
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b"
    )
    with pytest.raises(ludovec.InvalidState, match="position=3: a game, its JSON"):
        ludovec.play("chess", {"a": "random", "b": "random"}, position=3)


def test_openings_come_from_a_file(tmp_path):
    game = ludovec.Game("chess", max_steps=60)
    for label in ("e2e4", "e7e5"):
        game.step(game.string_to_action(label))
    file = tmp_path / "openings.jsonl"
    record = json.dumps(game.record())
    queen = ludovec.Game("chess", max_steps=60)
    queen.step(queen.string_to_action("d2d4"))
    file.write_text("\n".join(["# two openings", queen.to_json(), record]))
    seen = []

    def spy(observations, masks, info):
        seen.extend(game.to_text() for game, valid in zip(info["games"], info["valid"]) if valid)
        return first(observations, masks)

    how = {"env": "chess", "max_steps": 60, "games": 8, "openings": file}
    result = ludovec.evaluate(spy, "random", **how)
    assert result.games == 8 and result.unit == "pair"
    assert game.to_text() in seen and queen.to_text() in seen
    # After one ply of the record, Black is to move.
    seen.clear()
    file.write_text(record)
    ludovec.evaluate(spy, "random", **{**how, "opening_plies": 1})
    start = ludovec.Game("chess", max_steps=60)
    start.step(start.string_to_action("e2e4"))
    assert start.to_text() in seen and game.to_text() not in seen
    # The same from PGN.
    seen.clear()
    pgn = tmp_path / "openings.pgn"
    pgn.write_text("1. e4 e5 *")
    ludovec.evaluate(spy, "random", **{**how, "openings": pgn})
    assert game.to_text() in seen


def test_every_game_has_openings_from_every_seat(env_id):
    players = ludovec.spec(env_id, **short(env_id)).players
    result = ludovec.evaluate("greedy", "random", 4 * players, env=env_id, openings=3, **short(env_id))
    assert result.games == 4 * players and result.unit == "pair" and result.mean_game_length >= 3


def test_a_sequential_test_ends_the_tournament():
    how = {"players": 2, "openings": 2, "sprt": {"elo0": 0, "elo1": 100}}
    table = ludovec.tournament("tilewe", ["greedy", "random"], 4000, **how)
    test = table.sprt
    assert test.accepted == "H1" and test.llr >= test.upper and not table.partial
    assert table.games == 2 * test.runs < 4000
    assert "H1 accepted" in str(table)
    result = ludovec.evaluate("random", "greedy", 4000, env="tilewe", **how)
    assert result.sprt.accepted == "H0" and result.sprt.llr <= result.sprt.lower
    undecided = ludovec.tournament("tilewe", ["random", "random 2"][:1] + ["pass"], 4, **how)
    assert undecided.sprt.accepted is None and "undecided" in str(undecided)


def test_an_evaluation_has_one_row_per_opponent():
    opponents = {"g": "greedy", "r": "random", "mixed": "pass"}
    result = ludovec.evaluate(first, opponents, 30, env="tilewe", players=3)
    assert [row.opponents for row in result.opponents] == [("g", "g"), ("r", "r"), ("mixed", "mixed")]
    assert [row.games for row in result.opponents] == [12, 9, 9]
    assert sum(row.points for row in result.opponents) == result["first"].points
    lines = str(result).splitlines()
    # With a line about points, and the seed.
    assert len(lines) == 6 and "g, g" in lines[1] and "Elo difference" in lines[0]
    row = result.against("r")
    assert row == result.against("r", "r") and row.point_low <= row.point_share <= row.point_high
    share = row.point_share
    assert (
        row.elo is None if share in (0, 1) else row.elo == pytest.approx(400 * np.log10(share / (1 - share)))
    )
    with pytest.raises(ludovec.InvalidConfig, match="g, g; r, r"):
        result.against("nobody")
    pooled = ludovec.evaluate(first, opponents, 30, env="tilewe", players=3, pooled=True)
    assert pooled.opponents[:3] == result.opponents
    assert (pooled.opponents[3].opponents, pooled.opponents[3].games) == ((), 30)
    assert "(all)" in str(pooled)
    gauntlet = ludovec.tournament("tilewe", ["greedy", "random", "pass"], 8, pairings="gauntlet", players=2)
    assert [(row.opponents, row.games) for row in gauntlet.opponents] == [(("random",), 4), (("pass",), 4)]


def test_games_is_the_total():
    table = ludovec.tournament("tilewe", ["greedy", "random", "pass"], 18, players=2)
    assert table.games == 18 and [p.games for p in table.pairings] == [6, 6, 6]
    assert all(s.games == 12 == s.seats for s in table.standings)
    shared = ludovec.tournament("tilewe", ["greedy", "random"], 6, players=3)
    assert shared.games == 6 and all(s.games == 6 for s in shared.standings)
    assert sum(s.seats for s in shared.standings) == 18


def test_payoffs_and_rankings_are_arrays_of_the_standings():
    table = ludovec.tournament("tilewe", ["random", "greedy", "pass"], 60, players=2)
    names = [s.bot for s in table.standings]
    assert table.payoffs.shape == (3, 3) and (np.diag(table.payoffs) == 0.5).all()
    np.testing.assert_allclose(table.payoffs + table.payoffs.T, 1)
    for pairing in table.pairings:
        a, b = (names.index(bot) for bot in pairing.bots)
        assert table.payoffs[a, b] == pytest.approx(pairing.point_share)
    weights, ratings = ludovec.nash_average(table.payoffs)
    assert weights.tolist() == list(table.rankings.nash) and ratings.tolist() == list(
        table.rankings.nash_ratings
    )
    assert ludovec.alpha_rank(table.payoffs).tolist() == list(table.rankings.alpha_rank)
    evaluated = ludovec.evaluate("greedy", ["random", "pass"], 8, env="tilewe", players=2)
    assert evaluated.rankings is None and np.isnan(evaluated.payoffs).sum() == 2


def test_rankings_of_rock_paper_scissors():
    payoffs = [[0.5, 0, 1], [1, 0.5, 0], [0, 1, 0.5]]
    weights, ratings = ludovec.nash_average(payoffs)
    np.testing.assert_allclose(weights, 1 / 3)
    np.testing.assert_allclose(ratings, 0, atol=1e-9)
    np.testing.assert_allclose(ludovec.alpha_rank(np.array(payoffs), alpha=10, population=20), 1 / 3)
    for wrong in ([], [0.5], [[0.5, 1]], [[0.5, np.nan], [0.5, 0.5]], [["a"]], None):
        with pytest.raises(ludovec.InvalidConfig, match="payoffs"):
            ludovec.nash_average(wrong)
        with pytest.raises(ludovec.InvalidConfig, match="payoffs"):
            ludovec.alpha_rank(wrong)
    for how in ({"alpha": 0}, {"alpha": "x"}, {"alpha": np.inf}, {"population": 1}, {"population": 2**40}):
        with pytest.raises(ludovec.InvalidConfig, match=next(iter(how))):
            ludovec.alpha_rank(payoffs, **how)


def test_skills_are_part_of_games_of_several():
    table = ludovec.tournament("tilewe", ["greedy", "random", "pass"], 30, players=3)
    best = table.standings[0]
    assert best.mu > 25 > table.standings[-1].mu and 0 < best.sigma < 25 / 3
    assert "skill" in str(table).splitlines()[0]
    two = ludovec.tournament("tilewe", ["greedy", "random"], 4, players=2)
    assert two.standings[0].mu is None and "skill" not in str(two)


def test_a_tournament_grows_without_playing_games_again(tmp_path):
    file = tmp_path / "table.state"
    how = {"players": 2, "openings": 4, "state": file}
    calls = []

    def counting(observations, masks):
        calls.append(len(masks))
        return masks.argmax(axis=1)

    bots = {"counting": counting, "random": "random"}
    small = ludovec.tournament("tilewe", bots, 20, **how)
    calls.clear()
    larger = ludovec.tournament("tilewe", {**bots, "greedy": "greedy", "pass": "pass"}, 120, **how)
    assert larger.games == 120 and [p.games for p in larger.pairings] == [20] * 6
    known = next(p for p in larger.pairings if p.bots == ("counting", "random"))
    assert known == small.pairings[0] and calls
    calls.clear()
    assert ludovec.tournament("tilewe", {**bots, "greedy": "greedy", "pass": "pass"}, 120, **how) == larger
    assert not calls
    with pytest.raises(ludovec.InvalidConfig, match="games was 120, it is 20"):
        ludovec.tournament("tilewe", {**bots, "greedy": "greedy", "pass": "pass"}, 20, **how)
    with pytest.raises(ludovec.InvalidConfig, match="openings was 4"):
        ludovec.tournament(
            "tilewe", {**bots, "greedy": "greedy", "pass": "pass"}, 120, **{**how, "openings": 5}
        )
    # An evaluation takes further opponents, too.
    file = tmp_path / "evaluation.state"
    one = ludovec.evaluate("greedy", ["random"], 10, env="tilewe", players=2, state=file)
    two = ludovec.evaluate("greedy", ["random", "pass"], 20, env="tilewe", players=2, state=file)
    assert two.opponents[0] == one.opponents[0] and two.opponents[1].games == 10


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"openings": 0}, "openings"),
        ({"openings": True}, "openings"),
        ({"openings": 2.5}, "openings"),
        ({"openings": "nowhere.epd"}, "nowhere"),
        ({"openings": 10**30}, "openings"),
        ({"openings": 3, "opening_plies": 2}, "file"),
        ({"opening_plies": 2}, "file"),
        ({"sprt": 3}, "sprt"),
        ({"sprt": {"elo0": 0}}, "sprt"),
        ({"sprt": {"elo0": 0, "elo1": "x"}}, "sprt"),
        ({"sprt": {"elo0": 5, "elo1": 5}}, "sprt"),
        ({"sprt": {"elo0": 0, "elo1": float("nan")}}, "sprt"),
        ({"sprt": {"elo0": 0, "elo1": 5, "alpha": 0.7}}, "alpha"),
        ({"bots": ["random", "greedy", "pass"], "sprt": {"elo0": 0, "elo1": 5}}, "two bots"),
        ({"pairings": "swiss"}, "gauntlet"),
    ],
)
def test_wrong_arguments_are_refused(arguments, word):
    given = {"bots": ["random", "greedy"], "games": 4, "players": 2, **arguments}
    with pytest.raises(ludovec.InvalidConfig, match=word) as refused:
        ludovec.tournament("tilewe", **given)
    assert "\n" not in str(refused.value)
