"""Ratings from counts, and tables as text."""

import csv
import io
import json
import math

import ludovec
import numpy as np
import pytest


def test_a_match_has_the_rating_of_its_points():
    found = ludovec.rating({("a", "b"): (640, 0, 360)})
    assert [*found] == ["a", "b"]
    lead = found["a"].elo - found["b"].elo
    assert abs(lead - 400 * math.log10(640 / 360)) < 0.2
    assert found["a"].elo + found["b"].elo == pytest.approx(0, abs=1e-6)
    drawn = ludovec.rating({("a", "b"): (100, 800, 100)})
    assert drawn["a"].margin < ludovec.rating({("a", "b"): (500, 0, 500)})["a"].margin / 1.5


def test_known_ratings_stay():
    counts = {("a", "b"): (6, 2, 2), ("c", "b"): (1, 0, 9)}
    found = ludovec.rating(counts, known={"b": 1500})
    assert found["b"] == (1500, 0) and found["a"].elo > 1550 and found["c"].elo < 1350
    free = ludovec.rating(counts)
    assert found["a"].elo - 1500 == pytest.approx(free["a"].elo - free["b"].elo, abs=1e-3)


def test_a_matrix_has_players_by_index():
    points = np.array([[0, 7.5, 9], [2.5, 0, 6], [1, 4, 0]])
    found = ludovec.rating(points)
    pairs = {(0, 1): (7.5, 0, 2.5), (0, 2): (9, 0, 1), (1, 2): (6, 0, 4)}
    assert found == ludovec.rating(pairs) and [*found] == [0, 1, 2]
    apart = ludovec.rating({("a", "b"): (1, 0, 1), ("c", "d"): (0, 0, 0)})
    assert math.isinf(apart["c"].margin)


@pytest.mark.parametrize(
    ("counts", "known", "word"),
    [
        ({("a", "b"): (1, 2)}, None, "wins, draws, losses"),
        ({("a", "b"): (1, 2, -1)}, None, "wins, draws, losses"),
        ({"ab": 3}, None, "wins, draws, losses"),
        ({("a", "a"): (1, 2, 3)}, None, "two players"),
        ({("a", "b"): (1, 2, 3)}, {"c": 1}, "no games"),
        ({("a", "b"): (1, 2, 3)}, {"a": "1"}, "known"),
        ([[0, 1, 2]], None, "square"),
        ([[0, math.nan], [1, 0]], None, "points"),
        ("text", None, "counts"),
        ({("a", "b"): (1, 2, 1e300)}, None, "counts"),
    ],
)
def test_wrong_counts_are_refused_in_one_line(counts, known, word):
    with pytest.raises(ludovec.InvalidConfig, match=word) as error:
        ludovec.rating(counts, known=known)
    assert "\n" not in str(error.value)


def test_tables_are_json_and_csv():
    table = ludovec.tournament("tilewe", ["greedy", "random", "pass"], 12, players=2, seed=1)
    found = json.loads(table.to_json())
    assert [row["bot"] for row in found["standings"]] == [row.bot for row in table.standings]
    rows = [*csv.DictReader(io.StringIO(table.to_csv()))]
    assert [float(row["elo"]) for row in rows] == [row.elo for row in table.standings]
    result = ludovec.evaluate("tilewe", "greedy", ["random", "pass"], 8, players=2, seed=1)
    assert [row["opponents"] for row in csv.DictReader(io.StringIO(result.to_csv()))] == ["random", "pass"]


def test_pairings_have_the_statistics_of_engine_testing():
    how = {"players": 2, "openings": 2, "seed": 1}
    pair = ludovec.tournament("tilewe", ["greedy", "random"], 40, **how).pairings[0]
    assert pair.bots == ("greedy", "random") and pair.wins + pair.draws + pair.losses == 40
    assert sum(pair.pentanomial) == 20 and pair.superiority > 0.9
    points = sum(count * score for count, score in zip(pair.pentanomial, (0, 0.5, 1, 1.5, 2)))
    assert points == pair.points
