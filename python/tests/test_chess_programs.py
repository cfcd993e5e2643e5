"""Engines in and out: ``ludovec uci`` driven by python-chess, programs as players, PGN."""

import os
import shutil
import sys
from pathlib import Path

import ludovec
import pytest

pytestmark = pytest.mark.skipif("chess" not in ludovec.list_envs(), reason="needs chess")

#: A program that plays the first legal move, as JSON lines.
FIRST = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"action": json.loads(line)["legal_moves"][0]}), flush=True)
"""


def program() -> str:
    """The program ``ludovec``, of the environment or of the checkout."""
    target = Path(os.environ.get("CARGO_TARGET_DIR", Path(__file__).parents[2] / "target"))
    built = [shutil.which("ludovec"), *(target / kind / "ludovec" for kind in ("release", "debug"))]
    for file in built:
        if file and Path(file).is_file():
            return str(file)
    pytest.skip("needs the program ludovec (cargo build)")


#: An engine that finds the fool's mate, and thinks that every other position is even.
ENGINE = """
import sys
lines, position = 1, ""
for line in sys.stdin:
    words = line.split()
    if words[0] == "uci":
        print("id name fake\\noption name MultiPV type spin default 1 min 1 max 500\\nuciok")
    elif words[0] == "setoption" and "MultiPV" in words:
        lines = int(words[-1])
    elif words[0] == "isready":
        print("readyok")
    elif words[0] == "position":
        position = line
    elif words[0] == "go":
        moves = position.split("moves")[1].split() if "moves" in position else []
        is_black = len(moves) % 2 or " b " in position
        first, score = "e7e5" if is_black else "e2e4", "cp 0"
        if moves and moves[-1] == "g2g4":
            first, score = "d8h4", "mate 1"
        print("info depth 1 multipv 1 score", score, "nodes 1 pv", first)
        if lines > 1:
            print("info depth 1 multipv 2 score cp -300 nodes 1 pv", "a7a6" if is_black else "a2a3")
        print("bestmove", first)
    elif words[0] == "quit":
        break
    sys.stdout.flush()
"""


def test_an_engine_reviews_a_game(tmp_path):
    file = tmp_path / "engine.py"
    file.write_text(ENGINE)
    game = ludovec.Game("chess")
    for move in ["f2f3", "e7e5", "g2g4", "d8h4"]:
        game.step(game.string_to_action(move))
    review = game.review(f"uci:'{sys.executable}' '{file}'")
    assert review.values[3].tolist() == [-1, 1] and review.positions[3]["best"]["label"] == "d8h4"
    assert [mistake.played for mistake in review.mistakes()] == ["g4"]
    assert review.grades[2] == "blunder" and review.confirmed[2]
    assert 1.0 in dict(review.positions[3]["action_values"]).values()
    with pytest.raises(ludovec.InvalidConfig, match="/no/such/engine"):
        game.review("uci:/no/such/engine")


@pytest.mark.parametrize("variant", ["chess", "atomic", "crazyhouse"])
def test_python_chess_plays_and_analyses(variant):
    chess = pytest.importorskip("chess", reason="needs python-chess (pip install chess)")
    pytest.importorskip("chess.engine")
    pytest.importorskip("chess.variant")

    board = {"atomic": chess.variant.AtomicBoard, "crazyhouse": chess.variant.CrazyhouseBoard}.get(
        variant, chess.Board
    )()
    with chess.engine.SimpleEngine.popen_uci(
        [program(), "uci", "--player", "search:12"], timeout=60
    ) as engine:
        info = engine.analyse(board, chess.engine.Limit(nodes=30))
        assert info["nodes"] == 30
        assert info["pv"][0] in board.legal_moves
        for _ in range(16):
            result = engine.play(board, chess.engine.Limit(nodes=6))
            assert result.move in board.legal_moves
            board.push(result.move)
            if board.is_game_over():
                break


def test_python_chess_plays_a_whole_game_under_a_clock():
    chess = pytest.importorskip("chess", reason="needs python-chess (pip install chess)")
    pytest.importorskip("chess.engine")

    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci([program(), "uci", "--player", "greedy"], timeout=60) as engine:
        while not board.is_game_over(claim_draw=True) and len(board.move_stack) < 300:
            board.push(engine.play(board, chess.engine.Limit(white_clock=5, black_clock=5)).move)
        with engine.analysis(chess.Board(), multipv=2) as analysis:
            analysis.stop()
            assert analysis.wait().move in chess.Board().legal_moves


def test_python_chess_limits_the_strength():
    chess = pytest.importorskip("chess", reason="needs python-chess (pip install chess)")
    pytest.importorskip("chess.engine")

    board, limit = chess.Board(), chess.engine.Limit(time=1)
    with chess.engine.SimpleEngine.popen_uci([program(), "uci", "--seed", "1"], timeout=60) as engine:
        elo, level = engine.options["UCI_Elo"], engine.options["Level"]
        assert (level.min, level.max, engine.options["UCI_LimitStrength"].type) == (0, 8, "check")
        for rating in (elo.min, elo.default):
            engine.configure({"UCI_LimitStrength": True, "UCI_Elo": rating})
            board.push(engine.play(board, limit).move)
        engine.configure({"UCI_LimitStrength": False, "Level": 3})
        assert engine.play(board, limit).move in board.legal_moves
        with pytest.raises(chess.engine.EngineError):
            engine.configure({"UCI_Elo": elo.max + 1})
    players = [f"net:champion?elo={elo.max}", "net:champion?level=1"]
    table = ludovec.tournament("chess", players, 2, max_steps=20)
    assert table.games == 2 and not table.faults


def test_python_chess_ponders():
    chess = pytest.importorskip("chess", reason="needs python-chess (pip install chess)")
    pytest.importorskip("chess.engine")

    board = chess.Board()
    # A slow machine expects no reply under a clock: its searches see the first moves only.
    nodes, clock = chess.engine.Limit(nodes=60), chess.engine.Limit(white_clock=2, black_clock=2)
    hits = 0
    with chess.engine.SimpleEngine.popen_uci(
        [program(), "uci", "--player", "search:50"], timeout=60
    ) as engine:
        for ply in range(6):
            found = engine.play(board, nodes if ply < 3 else clock, ponder=True)
            assert found.move in board.legal_moves
            board.push(found.move)
            if board.is_game_over():
                break
            # The opponent plays the expected reply, every third time another one.
            replies = list(board.legal_moves)
            expected = found.ponder in replies and ply % 3 < 2
            hits += expected
            board.push(found.ponder if expected else replies[0])
            if board.is_game_over():
                break
        # Draws are the opponent's to claim.
        board = chess.Board()
        for move in "g1f3 g8f6 f3g1 f6g8".split() * 2:
            board.push_uci(move)
        assert engine.play(board, chess.engine.Limit(nodes=20)).move in board.legal_moves
    assert hits > 0


def test_a_program_is_a_player(tmp_path):
    file = tmp_path / "first.py"
    file.write_text(FIRST)
    text = f"cmd:'{sys.executable}' '{file}'"
    game = ludovec.Game("chess")
    assert game.bot_action(text) == game.legal_actions()[0]
    env = ludovec.make("chess", 3, max_plies=20)
    env.reset(seed=1)
    assert (env.bot_actions(text) == env.action_masks().argmax(axis=1)).all()
    table = ludovec.tournament("chess", {"first": text, "random": "random"}, games=4, max_plies=20)
    assert sum(standing.faults for standing in table.standings) == 0
    against = ludovec.make("chess", 2, opponents=text, max_plies=20)
    against.reset(seed=1)
    for _ in range(5):
        against.step(against.sample_actions())
    result = ludovec.evaluate(text, "random", games=2, env="chess", max_plies=20)
    assert result


@pytest.mark.parametrize(
    ("text", "word"),
    [("uci:/no/such/engine", "/no/such/engine"), ("gtp:sh", "no GTP engine"), ("cmd:", "command")],
)
def test_wrong_programs_are_refused(text, word):
    with pytest.raises(ludovec.InvalidConfig, match=word):
        ludovec.tournament("chess", [text, "random"], games=2)


def test_games_are_read_from_pgn():
    game = ludovec.Game("chess", seed=3, max_plies=60)
    while not game.is_terminal:
        game.step(game.bot_action("random"))
    again = ludovec.Game.from_pgn(game.export("pgn"))
    assert [entry["label"] for entry in again.log] == [entry["label"] for entry in game.log]
    opening = ludovec.Game.from_pgn('[Variant "Three-check"]\n\n1. e4 {a comment} e5 (1... c5) 2. Nf3 *')
    assert opening.spec.options["variant"] == "3check"
    mate = "1. f3 e5 2. g4 Qh4# "
    with pytest.warns(UserWarning, match="the moves end in 0-1, the result is said to be 1-0"):
        assert ludovec.Game.from_pgn(f'[Result "1-0"]\n\n{mate}1-0').returns().tolist() == [-1, 1]
    # An unclaimed draw ends no game.
    shuffle = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 "
    game = ludovec.Game.from_pgn(f"{shuffle}5. e4 e5 1/2-1/2")
    assert (game.steps, game.is_terminal, game.spec.options["draws"]) == (10, False, "claimed")
    # The result of the tag stays beside the scores, until the next step.
    assert game.record()["result"] == [0, 0] and "returns" not in game.record()
    assert ludovec.Game.from_record(game.record()).export("pgn").endswith("1/2-1/2\n")
    game.step(game.string_to_action("Nf3"))
    assert "result" not in game.record()
    assert ludovec.Game("chess", draws="claimed").record()["options"]["draws"] == "claimed"
    for text, word in [("", "no game"), ("1. e5 *", "move 1"), ('[Variant "x"]\n\n*', "x")]:
        with pytest.raises(ludovec.LudovecError, match=word):
            ludovec.Game.from_pgn(text)
