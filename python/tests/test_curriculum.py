"""Curricula: starts with weights, changed while a batch runs; openings from trees and books."""

import json
import pickle

import ludovec
import numpy as np
import pytest

PGN = "1. e4 e5 (1... c5 2. Nf3 (2. c3) d6) 2. Nf3 Nc6 *\n\n1. e4 e5 2. f4 *\n"


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "book.pgn"
    path.write_text(PGN)
    return path


def fens(env):
    return [json.loads(env.game(i).to_json())["position"]["fen"] for i in range(env.num_envs)]


def test_trees_have_nodes_with_weights(book):
    assert len(ludovec.openings("chess", book)) == 2
    leaves = ludovec.openings("chess", book, plies=2, nodes="leaves")
    assert (len(leaves), leaves.weights) == (2, (2.0, 2.0))
    nodes = ludovec.openings("chess", book, nodes="all")
    assert (len(nodes), sum(nodes.weights)) == (9, 14)
    assert len(nodes[:2]) == 2 and [*nodes] == list(nodes.positions)


@pytest.mark.parametrize("kind", [{}, {"batch_size": 32}, {"opponents": "random"}])
def test_starts_change_while_a_batch_runs(book, kind):
    book = ludovec.openings("chess", book, nodes="all")
    env = ludovec.make("chess", num_envs=64, seed=1, max_steps=6, **kind)
    env.set_starts([book[0], book[1]], weights=[0, 1])
    for _ in range(20):
        if kind.get("batch_size"):
            break
        env.step(env.sample_actions())
    env.reset(seed=3)
    if "opponents" not in kind:
        at = [ludovec.Game.from_json(env.game(i).to_json()).position for i in range(64)]
        assert len(set(at)) == 1
    with pytest.raises(ludovec.InvalidConfig, match="weights"):
        env.set_starts([book[0]], weights=[1, 2])
    with pytest.raises(ludovec.InvalidConfig, match="weights"):
        env.set_starts([book[0]], weights=["x"])
    env.set_starts(None)
    env.reset(seed=3)
    if not kind:
        again = ludovec.make("chess", num_envs=64, seed=3, max_steps=6)
        again.reset(seed=3)
        np.testing.assert_array_equal(env.observations, again.observations)


def test_weights_are_probabilities_and_travel_with_copies(book):
    nodes = ludovec.openings("chess", book, nodes="all")
    env = ludovec.make("chess", num_envs=2000, seed=5, starts=nodes, max_steps=4)
    counts = {}
    for fen in fens(env):
        counts[fen] = counts.get(fen, 0) + 1
    first = max(counts.values()) / 2000
    assert len(counts) == 9 and abs(first - 4 / 14) < 0.05
    env.set_starts(nodes[:1])
    copy = pickle.loads(pickle.dumps(env))
    copy.reset(seed=7)
    assert len(set(fens(copy))) == 1


def test_tournaments_start_from_lists(book):
    starts = ludovec.openings("chess", book, plies=3, nodes="leaves")
    how = {"max_steps": 10, "seed": 1}
    table = ludovec.tournament("chess", ["random", "greedy"], 8, openings=starts, **how)
    assert table.unit == "pair" and table.games == 8
    found = ludovec.tournament(
        "chess", ["random", "greedy"], 8, openings=book, opening_plies=3, opening_nodes="leaves", **how
    )
    assert found == table
    refused = [([], "at least one"), ([3], "needed"), ([b"x"], "snapshots"), (3.5, "list of positions")]
    for wrong, word in refused:
        with pytest.raises(ludovec.LudovecError, match=word):
            ludovec.tournament("chess", ["random", "greedy"], 8, openings=wrong, **how)
    with pytest.raises(ludovec.InvalidConfig, match="openings must be a file"):
        ludovec.tournament("chess", ["random", "greedy"], 8, openings=starts, opening_nodes="all", **how)
    with pytest.raises(ludovec.InvalidConfig, match="end, leaves, all"):
        ludovec.openings("chess", book, nodes="some")


def test_polyglot_books_are_read_by_python_chess(tmp_path):
    chess = pytest.importorskip("chess")
    polyglot = pytest.importorskip("chess.polyglot")
    board = chess.Board()
    rows = []
    for line, weight in [(["e2e4", "e7e5"], 3), (["d2d4", "d7d5"], 1)]:
        at = board.copy()
        for move in line:
            made = chess.Move.from_uci(move)
            code = made.to_square | made.from_square << 6
            rows.append((polyglot.zobrist_hash(at), code, weight))
            at.push(made)
    path = tmp_path / "book.bin"
    path.write_bytes(
        b"".join(
            key.to_bytes(8, "big") + code.to_bytes(2, "big") + weight.to_bytes(2, "big") + bytes(4)
            for key, code, weight in sorted(rows)
        )
    )
    found = ludovec.openings("chess", path)
    assert sorted(found.weights) == [0.25, 0.75]
    assert len(ludovec.openings("chess", path, nodes="all")) == 4
    env = ludovec.make("chess", num_envs=8, starts=found)
    assert {fen.split()[0] for fen in fens(env)} <= {
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR",
    }
    with pytest.raises(ludovec.InvalidConfig, match="standard chess"):
        ludovec.openings("chess", path, variant="atomic")
    (tmp_path / "wrong.bin").write_bytes(b"x")
    with pytest.raises(ludovec.InvalidConfig, match=r"wrong\.bin"):
        ludovec.openings("chess", tmp_path / "wrong.bin")
