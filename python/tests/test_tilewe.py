"""Tilewe in the original's terms: the examples of its documentation, its engines and tournaments."""

import copy
import doctest
import pickle
import random

import ludovec
import pytest
from ludovec import tilewe


def test_pieces_have_the_documented_tiles_corners_and_contacts():
    assert tilewe.n_piece_tiles(tilewe.O1) == 1 and tilewe.n_piece_tiles(tilewe.X5) == 5
    assert tilewe.piece_tile_coords(tilewe.O1, tilewe.NORTH) == [(0, 0)]
    assert tilewe.piece_tile_coords(tilewe.X5, tilewe.WEST_F) == [(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]
    assert tilewe.n_piece_corners(tilewe.O1) == 4 and tilewe.n_piece_corners(tilewe.X5) == 8
    assert tilewe.n_piece_contacts(tilewe.O1) == 1 and tilewe.n_piece_contacts(tilewe.X5) == 4
    board = tilewe.Board(n_players=4)
    move = board.generate_legal_moves()[0]
    assert len(tilewe.piece_tile_coords(move.piece)) == tilewe.n_piece_tiles(move.piece)
    names = lambda tiles: [tilewe.TILE_NAMES[tile] for tile in tiles]
    assert names(tilewe.piece_contacts(tilewe.V5, tilewe.NORTH)) == ["a1", "c1", "c3"]
    assert names(tilewe.piece_contacts(tilewe.V5, tilewe.EAST)) == ["a1", "c1", "a3"]
    assert names(tilewe.piece_contacts(tilewe.V5, tilewe.WEST)) == ["c1", "a3", "c3"]
    # Relative to a contact.
    assert tilewe.piece_tile_coords(tilewe.I2, tilewe.NORTH, tilewe.A02) == [(0, -1), (0, 0)]
    assert (tilewe.A01, tilewe.T01, tilewe.A20, tilewe.T20) == (0, 19, 380, 399)
    assert tilewe.tile_to_coords(tilewe.D05) == (3, 4) and tilewe.coords_to_tile((3, 4)) == tilewe.D05
    with pytest.raises(ludovec.InvalidConfig, match="rotations 0 to 7"):
        tilewe.piece_tiles(tilewe.O1, 8)


def test_a_board_plays_and_undoes_moves():
    board = tilewe.Board(n_players=4)
    moves = board.generate_legal_moves()
    assert len(moves) == board.n_legal_moves() == 232
    move = random.Random(0).choice(moves)
    assert (
        0 <= move.piece < 21 and 0 <= move.rotation < 8 and move.to_tile in board.player_corners(tilewe.BLUE)
    )
    assert move.contact in tilewe.piece_contacts(move.piece, move.rotation)
    board.push(move)
    assert board.ply == 1 and board.current_player == tilewe.YELLOW and board.moves == [move]
    assert board.generate_legal_moves(for_player=tilewe.GREEN) != board.generate_legal_moves()[:1]
    assert len(board.generate_legal_moves(for_player=tilewe.GREEN)) == 174
    assert board.pop() == move and board.ply == 0
    with pytest.raises(ludovec.IllegalAction, match="no move to take back"):
        board.pop()


def test_moves_are_constructed_and_written_as_documented(capsys):
    board = tilewe.Board(n_players=4)
    move = tilewe.Move(piece=tilewe.W5, rotation=tilewe.NORTH, contact=tilewe.A01, to_tile=tilewe.A01)
    if board.is_legal(move):
        board.push(move)
        print(f"{move} is legal")
    else:
        print(f"{move} is illegal")
    assert capsys.readouterr().out == "W5n-a1a1 is legal\n"
    corners = [tilewe.TILE_NAMES[tile] for tile in board.player_corners(tilewe.BLUE)]
    assert corners == ["d1", "a3", "b4", "d4"]
    follow = tilewe.Move.parse("F5e-a2d4")
    assert follow == (tilewe.F5, tilewe.EAST, tilewe.A02, tilewe.D04) and str(follow) == "F5e-a2d4"
    for m in ("O1n-a1t20", "O1n-a1t1", "O1n-a1a20"):
        board.push(tilewe.Move.parse(m))
    board.push(follow)
    covered = [tilewe.TILE_NAMES[t] for t in tilewe.TILES if board.color_at(t) == tilewe.BLUE]
    assert covered == ["a1", "b1", "b2", "c2", "c3", "f3", "d4", "e4", "f4", "e5"]
    for text, reason in [("W5n", "no move"), ("G5n-a1a1", "no piece"), ("W5n-a1u1", "no tile")]:
        with pytest.raises(ludovec.IllegalAction, match=reason):
            tilewe.Move.parse(text)
    with pytest.raises(ludovec.IllegalAction):
        board.push(follow)


def test_spellings_of_a_move_place_the_same_tiles():
    move = tilewe.Move.parse("W5n-a1a1")
    spellings = move.spellings()
    assert move in spellings and tilewe.Move.parse("W5ef-a1a1") in spellings
    assert {spelling.action for spelling in spellings} == {move.action}
    assert len({str(spelling) for spelling in spellings}) == len(spellings) == 2 * 5
    board = tilewe.Board(1)
    legal = [spelling for spelling in spellings if board.is_legal(spelling)]
    assert {m.rotation for m in legal} == {tilewe.NORTH, tilewe.EAST_F}
    game = ludovec.Game("tilewe", players=1)
    assert {m.action for m in board.generate_legal_moves()} == set(game.legal_actions())


def test_other_properties_and_methods():
    board = tilewe.Board(2)
    rng = random.Random(1)
    while not board.finished:
        assert board.can_play(board.current_player)
        before = board.ply
        board.push(rng.choice(board.generate_legal_moves()))
        assert board.ply == before + 1
    assert board.winners == [c for c in (0, 1) if board.scores[c] == max(board.scores)]
    for player in (tilewe.BLUE, tilewe.YELLOW):
        left = board.remaining_pieces(player)
        assert board.n_remaining_pieces(player) == len(left)
        assert board.scores[player] == board.player_score(player) == 89 - sum(map(tilewe.n_piece_tiles, left))
        assert board.n_player_corners(player) == len(board.player_corners(player))
        assert not board.can_play(player)
    assert sum(board.color_at(t) is not None for t in tilewe.TILES) == sum(board.scores)
    game = board.game()
    assert game.is_terminal and game.scores().tolist() == board.scores
    for twin in (copy.deepcopy(board), pickle.loads(pickle.dumps(board)), board.copy()):
        assert twin.moves == board.moves
        twin.pop()
        assert twin.ply == board.ply - 1
    with pytest.raises(ludovec.InvalidConfig, match="player 2: players are 0 to 1"):
        board.can_play(tilewe.RED)
    with pytest.raises(ludovec.LudovecError):
        tilewe.Board(5)


def test_engines_follow_their_strategies():
    board = tilewe.Board(2)
    engine = tilewe.engine
    # After a few moves, so that values differ.
    for _ in range(4):
        board.push(engine.PieceSizeEngine().search(board))
    moves, player = board.generate_legal_moves(), board.current_player

    def after(move, value):
        with engine.move_executor(board, move):
            return value()

    def corners(move):
        return after(move, lambda: board.n_player_corners(player))

    def lead(move):
        return after(move, lambda: board.n_legal_moves(player) - board.n_legal_moves(1 - player))

    size = lambda move: tilewe.n_piece_tiles(move.piece)
    for make, value in [
        (engine.OpenCornersEngine, corners),
        (engine.PieceSizeEngine, size),
        (engine.MoveDifferenceEngine, lead),
    ]:
        best, worst = make(style="max"), make(style="min")
        assert value(best.search(board)) == max(map(value, moves))
        assert value(worst.search(board)) == min(map(value, moves))
        assert best.name != worst.name
    assert engine.MoveDifferenceEngine(style="min").name == "MinMoveDiff"
    weights = [float(tile == tilewe.T20) for tile in tilewe.TILES]
    custom = engine.TileWeightEngine(custom_weights=weights)
    assert tilewe.T20 in _covered(custom.search(tilewe.Board(1))) and custom.name == "CustomTileWeights"
    assert _covered(engine.TileWeightEngine(style="turtle").search(tilewe.Board(1))) & {0, 19, 380, 399}
    assert engine.SimpleSearchEngine(eval_board=lambda b, p: b.scores[p]).search(board) in moves
    assert board.is_legal(engine.SimpleSearchEngine().search(board))
    for wrong in (
        lambda: engine.TileWeightEngine(custom_weights=[1.0]),
        lambda: engine.TileWeightEngine(style="hare"),
        lambda: engine.PieceSizeEngine(style="mid"),
    ):
        with pytest.raises(ludovec.InvalidConfig):
            wrong()


def _covered(move):
    offset = move.to_tile - move.contact
    return {tile + offset for tile in tilewe.piece_tiles(move.piece, move.rotation)}


def test_a_tournament_has_the_columns(capsys):
    engine = tilewe.engine
    players = [engine.PieceSizeEngine(), engine.RandomEngine(), engine.PieceSizeEngine(style="min")]
    tournament = tilewe.tournament.Tournament(players, move_seconds=1)
    results = tournament.play(9, players_per_game=2, seed=1)
    assert capsys.readouterr().out.split("\n")[0].split() == (
        "Rank Name Elo Score Avg Score Games Wins Draws Losses Win Rate".split()
    )
    assert results.total_games == 9 and sum(results.game_counts) == 18
    assert sum(results.win_counts) + sum(results.draw_counts) / 2 == 9
    assert results.elo_end[0] == max(results.elo_end) and abs(sum(results.elo_end)) < 1e-6
    again = tournament.play(9, players_per_game=2, seed=1, verbose_rankings=False)
    assert [m.board.moves for m in again.match_data] == [m.board.moves for m in results.match_data]
    table = results.get_engine_rankings_display("total_scores", "asc").split("\n")[1:]
    assert len(table) == 3 and len(results.get_matches_by_engine(0)) == results.game_counts[0]
    with pytest.raises(ludovec.InvalidConfig, match="win_counts"):
        results.get_engine_rankings_display("beauty")
    with pytest.raises(ludovec.InvalidConfig, match="players_per_game"):
        tournament.play(1, players_per_game=4)

    class Cheat(engine.Engine):
        def on_search(self, board, seconds):
            return tilewe.Move(tilewe.O1, tilewe.NORTH, tilewe.A01, tilewe.H08)

    with pytest.raises(ludovec.IllegalAction):
        tilewe.tournament.Tournament([Cheat("Cheat")]).play(1, players_per_game=1)


def test_a_tournament_is_played_by_several_processes():
    tournament = tilewe.tournament.Tournament([tilewe.engine.PieceSizeEngine(), tilewe.engine.RandomEngine()])
    results = tournament.play(3, n_threads=2, players_per_game=1, seed=2, verbose_rankings=False)
    assert results.total_games == 3 and sum(results.win_counts) == 3


#: All examples of the original's documentation verbatim, with their output; "(varies)" as in the document.
DOCUMENT = """
>>> tilewe.n_piece_tiles(tilewe.O1)
1
>>> tilewe.n_piece_tiles(tilewe.X5)
5
>>> board = tilewe.Board(n_players=4)
>>> move = board.generate_legal_moves()[0]
>>> tilewe.n_piece_tiles(move.piece)
(varies)
>>> tilewe.piece_tile_coords(tilewe.O1, tilewe.NORTH)
[(0, 0)]
>>> tilewe.piece_tile_coords(tilewe.X5, tilewe.WEST_F)
[(0, 1), (1, 0), (1, 1), (1, 2), (2, 1)]
>>> board = tilewe.Board(n_players=4)
>>> move = board.generate_legal_moves()[0]
>>> tilewe.piece_tile_coords(move.piece)
(varies)
>>> tilewe.n_piece_corners(tilewe.O1)
4
>>> tilewe.n_piece_corners(tilewe.X5)
8
>>> board = tilewe.Board(n_players=4)
>>> move = board.generate_legal_moves()[0]
>>> tilewe.n_piece_corners(move.piece)
(varies)
>>> tilewe.n_piece_contacts(tilewe.O1)
1
>>> tilewe.n_piece_contacts(tilewe.X5)
4
>>> board = tilewe.Board(4)
>>> move = board.generate_legal_moves()[0]
>>> tilewe.n_piece_contacts(move.piece)
(varies)
>>> import random
>>> board = tilewe.Board(n_players=4)
>>> moves = board.generate_legal_moves()
>>> moves
(varies)
>>> move = random.choice(moves) # select a random move
>>> move.piece # piece constant
(varies)
>>> move.rotation # rotation constant
(varies)
>>> move.contact # tile constant (contact tile)
(varies)
>>> move.to_tile # tile constant (open corner)
(varies)
>>> board.push(move) # make a move
>>> board.pop() # undo the last played move
(varies)
>>> board.generate_legal_moves(for_player=tilewe.GREEN)
(varies)
>>> board = tilewe.Board(n_players=4)
>>> move = tilewe.Move(
...     piece=tilewe.W5,
...     rotation=tilewe.NORTH,
...     contact=tilewe.A01,
...     to_tile=tilewe.A01
... )
>>> if board.is_legal(move):
...     board.push(move)
...     print(f"{move} is legal")
... else:
...     print(f"{move} is illegal")
...
W5n-a1a1 is legal
"""


def test_every_example_of_the_original_document(capsys):
    class Varies(doctest.OutputChecker):
        def check_output(self, want, got, flags):
            return (want == "(varies)\n" and bool(got)) or super().check_output(want, got, flags)

    test = doctest.DocTestParser().get_doctest(DOCUMENT, {"tilewe": tilewe}, "document", None, 0)
    result = doctest.DocTestRunner(Varies()).run(test)
    assert result.failed == 0 and result.attempted == 35, capsys.readouterr().out


WRONG = [
    None,
    "a1",
    1.5,
    -1,
    10**30,
    (1, 2),
    (18, 0, 0, "a"),
    (18, 0, -1, 0),
    (18, 0, 0, 10**30),
    tilewe.Move(99, 0, 0, 0),
]


@pytest.mark.parametrize("value", WRONG)
def test_wrong_arguments_are_refused(value):
    """Of any type and size; None means the current player, and the number of players of the mode."""
    board = tilewe.Board(2)
    calls = [tilewe.Move.parse, board.action, tilewe.tile_to_coords, tilewe.n_piece_tiles]
    calls += [board.push, board.is_legal, board.color_at]
    of_players = [board.can_play, board.player_score, board.remaining_pieces, board.n_player_corners]
    calls += (
        [] if value is None else [tilewe.Board, *of_players, board.generate_legal_moves, board.n_legal_moves]
    )
    for call in calls:
        with pytest.raises(ludovec.LudovecError) as refused:
            call(value)
        assert "\n" not in str(refused.value) and board.ply == 0


def test_an_invalid_move_can_be_printed():
    assert str(tilewe.Move(99, 0, 0, 0)) == "Move(piece=99, rotation=0, contact=0, to_tile=0)"


def test_the_original_example_programs_run_apart_from_imports(capsys):
    """The original's two examples: a printed random game, and a tournament of all engines."""
    tilewe.print_color = True
    board = tilewe.Board(4)
    while not board.finished:
        board.push(random.choice(board.generate_legal_moves(unique=True)))
        print(board)
    assert capsys.readouterr().out.count("\n") > 20 * board.ply
    engines = [
        tilewe.engine.SimpleSearchEngine(name="SimpleSearch"),
        *(tilewe.engine.MoveDifferenceEngine(style=style) for style in ("max", "min")),
        *(tilewe.engine.PieceSizeEngine(style=style) for style in ("max", "min")),
        *(tilewe.engine.TileWeightEngine(style=style) for style in ("wall_crawl", "turtle")),
        *(tilewe.engine.OpenCornersEngine(style=style) for style in ("max", "min")),
        tilewe.engine.RandomEngine(name="Random"),
    ]
    results = tilewe.tournament.Tournament(engines).play(1, n_threads=1, move_seconds=1, elo_mode="estimated")
    assert results.real_time > 0 and results.average_match_duration > 0
    assert "Random" in results.get_engine_rankings_display("win_counts", "desc")


def test_equivalent_moves_are_generated_on_demand():
    board = tilewe.Board(2)
    unique, every = board.generate_legal_moves(unique=True), board.generate_legal_moves(unique=False)
    assert (
        unique == board.generate_legal_moves() and set(unique) < set(every) and len(set(every)) == len(every)
    )
    assert {move.action for move in every} == {move.action for move in unique}
    assert all(board.is_legal(move) for move in every)
    # There is an open corner at every board corner: each fitting contact has 8 rotations.
    single = [move for move in every if move.piece == tilewe.O1]
    assert len(single) == 8 * len([move for move in unique if move.piece == tilewe.O1])
    assert board.cur_player == board.current_player


def test_the_originals_constants_exist():
    assert (tilewe.NO_COLOR, tilewe.COLOR_COUNT, tilewe.NO_PIECE, tilewe.PIECE_COUNT) == (4, 4, 21, 21)
    assert tilewe.ROTATION_COUNT == 8
    for piece in tilewe.PIECES:
        assert tilewe.N_PIECE_TILES[piece] == tilewe.n_piece_tiles(piece)
        assert tilewe.N_PIECE_CORNERS[piece] == tilewe.n_piece_corners(piece)
        assert tilewe.N_PIECE_CONTACTS[piece] == tilewe.n_piece_contacts(piece)


def test_ratings_may_follow_the_games():
    engines = [tilewe.engine.PieceSizeEngine(style="max"), tilewe.engine.PieceSizeEngine(style="min")]
    given = {"n_games": 3, "players_per_game": 2, "verbose_rankings": False, "seed": 3}
    tournament = tilewe.tournament.Tournament(engines)
    live = tournament.play(elo_mode="live", **given)
    expected = [0.0, 0.0]
    for match in live.match_data:
        winners = {match.player_to_engine[seat] for seat in match.board.winners}
        outcome = 0.5 if len(winners) == 2 else float(0 in winners)
        change = 8 * (outcome - 1 / (1 + 10 ** ((expected[1] - expected[0]) / 400)))
        expected = [expected[0] + change, expected[1] - change]
    assert live.elo_end == pytest.approx(expected) and live.elo_end != [0.0, 0.0]
    begun = tournament.play(elo_mode="live_initial", **given)
    assert sum(begun.elo_end) == pytest.approx(sum(engine.estimated_elo or 0 for engine in engines))
    with pytest.raises(ludovec.InvalidConfig, match="'estimated', 'live' or 'live_initial'"):
        tournament.play(elo_mode="best", **given)


MODES = {"blokus": (4, 4, 20), "blokus_duo": (2, 2, 14), "blokus_2": (2, 4, 20)}


@pytest.mark.parametrize("mode", MODES)
def test_boards_of_the_modes_play_the_games_of_the_environment(mode):
    players, colors, size = MODES[mode]
    board = tilewe.Board(mode=mode)
    assert (board.n_players, len(board.colors), board.size) == (players, colors, size)
    assert board.options["mode"] == mode and board.options["players"] == players
    game = ludovec.Game("tilewe", mode=mode)
    rng = random.Random(3)
    while not board.finished:
        assert game.current_player == board.current_player % players
        assert {board.action(move) for move in board.generate_legal_moves()} == set(game.legal_actions())
        move = rng.choice(board.generate_legal_moves())
        text = ",".join(tilewe.TILE_NAMES[tile] for tile in sorted(move.tiles))
        assert board.action(board.parse(text)) == board.action(move) == game.string_to_action(text)
        board.push(move)
        game.step(board.action(move))
    assert game.is_terminal and game.scores().tolist() == board.scores
    assert board.scores == [sum(board.color_scores[p::players]) for p in range(players)]
    assert board.winners == [p for p in range(players) if board.scores[p] == max(board.scores)]
    assert all(board.player_score(color) == board.color_scores[color] for color in board.colors)
    assert board.game().to_json() == game.to_json()
    for twin in (pickle.loads(pickle.dumps(board)), board.copy()):
        assert twin.moves == board.moves and twin.options == board.options


def test_engines_play_the_modes():
    engine = tilewe.engine
    engines = [
        engine.OpenCornersEngine(),
        engine.PieceSizeEngine(),
        engine.MoveDifferenceEngine(style="min"),
        engine.TileWeightEngine(style="turtle"),
        engine.TileWeightEngine(style="wall_crawl"),
        engine.SimpleSearchEngine(),
    ]
    for mode in MODES:
        board = tilewe.Board(mode=mode)
        for ply in range(18):
            board.push(engines[ply % len(engines)].search(board, seconds=5.0))
        assert board.ply == 18
    # On 14x14 the walls are nearer: a later piece of Duo goes as near to the edge as it can.
    board = tilewe.Board(2, board=14)
    move = engine.TileWeightEngine(style="wall_crawl").search(board)
    edges = [min(x, y, 13 - x, 13 - y) for x, y in (tilewe.tile_to_coords(tile) for tile in move.tiles)]
    assert edges == [0] * 5


def test_boards_of_other_rules_are_made_by_options():
    board = tilewe.Board(3, mode="blokus", board=15)
    assert (board.n_players, board.size, board.options["start"]) == (3, 15, "own")
    duo = tilewe.Board(mode="blokus_duo")
    assert duo.parse("e9,d10,e10,f10,e11").piece == tilewe.X5
    with pytest.raises(ludovec.IllegalAction, match="must cover e10"):
        duo.parse("a1")
    with pytest.raises(ludovec.InvalidConfig, match="only two players have two colours"):
        tilewe.Board(4, colors=2)
    with pytest.raises(ludovec.InvalidConfig, match="board=21"):
        tilewe.Board(board=21)


def test_duo_in_batches_has_smaller_arrays_and_packed_rows():
    env = ludovec.make("tilewe", num_envs=8, seed=0, mode="blokus_duo", reward="score")
    packed = ludovec.make("tilewe", num_envs=8, seed=0, mode="blokus_duo", reward="score", obs="packed")
    (obs, info), (rows, _) = env.reset(seed=0), packed.reset(seed=0)
    assert obs.shape == (8, 830) and info["action_mask"].shape == (8, 13729)
    ended = 0
    for _ in range(90):
        assert (ludovec.unpack(rows, packed.game_spec) == obs).all()
        actions = env.sample_actions()
        obs, _, terminated, *_ = env.step(actions)
        rows, *_ = packed.step(actions)
        ended += int(terminated.sum())
    assert ended > 8


def test_games_are_written_as_files_of_pentobi():
    game = ludovec.Game("tilewe", mode="blokus_duo")
    game.step(game.string_to_action("e8,d9,e9,f9,e10"))
    game.step(game.string_to_action("i4,h5,i5,j5,i6"))
    lines = game.export("blksgf").splitlines()
    assert lines == ["(", ";GM[Blokus Duo]CA[UTF-8]", ";B[e8,d9,e9,f9,e10]", ";W[i4,h5,i5,j5,i6]", ")"]
    with pytest.raises(ludovec.LudovecError, match="blokus_duo"):
        ludovec.Game("tilewe").export("blksgf")


def test_a_shipped_network_plays_each_mode_for_one_colour():
    games = [{}, {"players": 2}, {"mode": "blokus"}, {"mode": "blokus_duo"}]
    sizes = {}
    for options in games:
        env = ludovec.make("tilewe", 4, seed=1, **options)
        logits, values = ludovec.Network("champion", env)(env.observations)
        assert logits.shape == (4, env.game_spec.num_actions) and values.shape == (4, env.game_spec.players)
        env.step(env.bot_actions("net:champion"))
        sizes[str(options)] = env.observations.shape
    assert len(set(sizes.values())) == 3
    # The first network says why it does not play.
    for options, what in ({"mode": "blokus_2"}, "colors=1"), ({"board": 9, "players": 2}, "board=20"):
        env = ludovec.make("tilewe", 1, **options)
        with pytest.raises(ludovec.InvalidConfig, match=f"net:champion: it plays tilewe with {what}, not"):
            ludovec.Network("champion", env)
        with pytest.raises(ludovec.InvalidConfig, match=f"net:champion: it plays tilewe with {what}, not"):
            env.bot_actions("net:champion:4")
