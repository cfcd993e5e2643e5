"""Chess as objects: all concepts of `ludovec.chess`."""

import itertools
import pickle

import ludovec
import pytest
from ludovec import chess
from ludovec.chess import MoveOption, Position


def at(name):
    return Position(ord(name[0]) - ord("a"), 8 - int(name[1]))


def option(board, origin, target):
    found = [o for o in board.get_move_options(at(origin)) if o.position == at(target)]
    assert found, f"{origin}{target} is no option"
    return found[0]


def play(game, moves):
    for text in moves.split():
        assert game.play(at(text[:2]), option(game.board, text[:2], text[2:])), text


def test_a_board_holds_squares_pieces_and_players():
    board = chess.Game().board
    assert board.size == (8, 8) and len(list(board)) == 64
    assert board[Position(0, 0)].piece.letter == "r" and board[at("e1")].piece.name == "king"
    assert board[Position(8, 0)] is None and board[0, -1] is None
    white, black = board.players
    assert board.current_player is white and len(board.get_player_pieces(black)) == 16
    assert board[at("e2")].piece.player is white
    assert Position(0, 0).offset(1, 2) == Position(1, 2)
    assert len(board.get_pieces()) == 32 and not board.in_check


def test_squares_become_holes_and_squares_again():
    board = chess.Game("hole").board
    assert board[Position(2, 2)] is None and len(list(board)) == 24

    def keep_the_edge(event):
        event.cancelled |= event.position.x == 0

    board.subscribe(chess.BeforeRemoveSquareEvent, keep_the_edge)
    assert not board.remove_square(Position(0, 2)) and board.remove_square(Position(1, 3))
    assert len(board.get_move_options(Position(2, 4))) == 2
    assert board.add_square(Position(1, 3)) and len(board.get_move_options(Position(2, 4))) == 3
    with pytest.raises(ludovec.InvalidState):
        board.remove_square(Position(1, 4))


def squares_of(rows):
    """A board of squares: K and k are kings, R and r rooks, * holes."""
    white, black = chess.Player("white"), chess.Player("black")
    kinds = {"k": chess.King, "r": chess.Rook}

    def square(letter):
        if letter == "*":
            return None
        kind = kinds.get(letter.lower())
        return chess.Square(kind and kind(white if letter.isupper() else black))

    squares = [[square(letter) for letter in row] for row in rows.split()]
    return chess.Board(squares, [white, black], itertools.cycle([white, black]))


def told(board):
    """The names of the events that a board publishes."""
    names = []
    for event in ("RemoveSquare", "AddSquare", "RemovePiece", "AddPiece"):
        for when in ("Before", "After"):
            name = f"{when}{event}Event"
            board.subscribe(
                getattr(chess, name), lambda _, name=name: names.append(name.removesuffix("Event"))
            )
    return names


def test_squares_are_assigned():
    board = squares_of(".k.. .... ..*. R..K")
    white, _ = board.players
    names, hole, old = told(board), Position(2, 2), board[Position(0, 3)]
    board[hole] = square = chess.Square(chess.Rook(white))
    assert names == ["BeforeAddSquare", "AfterAddSquare", "BeforeAddPiece", "AfterAddPiece"]
    assert board[hole] is square and square.position == hole and square.piece.name == "rook"
    assert square.piece.get_move_options() and board.fen.startswith("1k2/4/2R1/R2K")
    names.clear()
    board[0, 3] = None
    assert names == ["BeforeRemovePiece", "AfterRemovePiece", "BeforeRemoveSquare", "AfterRemoveSquare"]
    assert board[0, 3] is None and board.fen.startswith("1k2/4/2R1/*2K")
    board[0, 3] = old
    assert board[0, 3] is old and old.piece is None
    heard = []
    new = chess.Square(chess.Rook(white))
    new.subscribe(chess.BeforeRemovePieceEvent, heard.append)
    board[hole] = new
    assert board[hole] is new and new.piece.board is board and not heard
    assert sum(piece.name == "rook" for piece in board.get_pieces()) == 1
    board[hole] = chess.Square()
    assert board[hole].piece is None and len(heard) == 1
    with pytest.raises(ludovec.InvalidState, match="not on the board"):
        _ = new.position


def test_an_assignment_of_a_square_happens_whole_or_not_at_all():
    board = squares_of(".k.. .... ..*. R..K")
    white, _ = board.players
    fen, rook, place = board.fen, board[Position(0, 3)].piece, Position(0, 3)
    square = chess.Square(chess.Rook(white))
    for event in (
        chess.BeforeRemovePieceEvent,
        chess.BeforeRemoveSquareEvent,
        chess.BeforeAddSquareEvent,
        chess.BeforeAddPieceEvent,
    ):
        for how in ("cancel", "raise"):

            def refuse(event, how=how):
                if how == "raise":
                    raise ZeroDivisionError
                event.cancelled = True

            subscription = board.subscribe(event, refuse)
            before = board[place]
            if how == "raise":
                with pytest.raises(ZeroDivisionError):
                    board[place] = square
            else:
                board[place] = square
            assert board.fen == fen and board[place] is before and before.piece is rook
            board.unsubscribe(subscription)
    with pytest.raises(ludovec.InvalidState):
        board[3, 3] = chess.Square()
    assert board.fen == fen and board[3, 3].piece.name == "king"
    for where, what in (
        ((9, 9), chess.Square()),
        ((0, 3), board[1, 1]),
        ((0, 3), chess.Rook(white)),
        ("a1", chess.Square()),
        ((2, 2), chess.Square(chess.Rook(chess.Player("green")))),
    ):
        with pytest.raises(ludovec.LudovecError):
            board[where] = what
        assert board.fen == fen
    board[place] = square
    assert board[place] is square and square.piece.name == "rook" and square.piece is not rook


def test_options_have_captures_and_extra_data():
    game = chess.Game(fen="4k3/P7/8/3pP3/8/8/8/R3K2R w KQ d6 0 1")
    passing = option(game.board, "e5", "d6")
    assert passing == MoveOption(at("d6"), [at("d5")], {"en_passant": True})
    assert option(game.board, "e1", "g1").extra == {"castling": at("h1")}
    promotions = game.board[at("a7")].piece.get_move_options()
    assert [o.extra["promotion"] for o in promotions] == ["queen", "rook", "bishop", "knight"]
    assert game.board[at("a7")].piece.move(promotions[3])
    assert game.board[at("a8")].piece.name == "knight"


def test_a_game_ends_by_its_result_functions():
    ends = []
    game = chess.Game()
    game.board.subscribe(chess.AfterGameEndEvent, lambda event: ends.append(event.result))
    play(game, "f2f3 e7e5 g2g4 d8h4")
    assert game.result == "checkmate, black wins" and ends == [game.result]
    with pytest.raises(ludovec.GameOver):
        game.play(at("e1"), MoveOption(at("f2")))

    class Bored:
        def __init__(self):
            self.turns = 0

        def __call__(self, board):
            self.turns += 1
            return "enough" if self.turns == 2 else None

    game = chess.Game(results=[Bored()])
    copy = game.clone()
    play(game, "e2e4 e7e5")
    play(copy, "e2e4")
    assert game.result == "enough" and copy.result is None


def test_events_come_in_their_order_and_by_priority():
    game = chess.Game(fen="4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    seen = []
    for event in chess.Event._by_kind.values():
        if "Options" not in event.__name__:
            game.board.subscribe(event, lambda event: seen.append(type(event).__name__))
    play(game, "e4d5")
    assert seen == [
        "BeforeMoveEvent",
        "BeforeCapturedEvent",
        "BeforeRemovePieceEvent",
        "BeforeRemovePieceEvent",
        "BeforeAddPieceEvent",
        "AfterRemovePieceEvent",
        "AfterRemovePieceEvent",
        "AfterAddPieceEvent",
        "AfterCapturedEvent",
        "AfterMoveEvent",
        "BeforeChangeTurnEvent",
        "AfterChangeTurnEvent",
    ]
    game, heard = chess.Game(), []
    priority = chess.EventPriority
    for name, level in [("b", priority.NORMAL), ("d", priority.VERY_LOW), ("a", priority.HIGH)]:
        game.board.subscribe(chess.AfterMoveEvent, lambda _, name=name: heard.append(name), level)
    game.board.unsubscribe(game.board.subscribe(chess.AfterMoveEvent, lambda _: heard.append("never")))
    play(game, "e2e4")
    assert heard == ["a", "b", "d"]


@pytest.mark.parametrize("kind", ["Move", "Captured", "RemovePiece", "AddPiece"])
def test_every_before_event_can_cancel_a_move(kind):
    game = chess.Game(fen="4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    fen = game.board.fen

    def cancel(event):
        event.cancelled = True

    game.board.subscribe(getattr(chess, f"Before{kind}Event"), cancel)
    assert not game.play(at("e4"), option(game.board, "e4", "d5"))
    assert game.board.fen == fen and game.board.current_player.seat == 0


def test_a_listener_can_change_a_move_and_add_options():
    game = chess.Game()

    def no_hurry(event):
        if "double_step" in event.move_option.extra:
            shorter = event.move_option.position.offset(0, 1)
            options = event.piece.get_move_options()
            event.move_option = next(o for o in options if o.position == shorter)

    game.board.subscribe(chess.BeforeMoveEvent, no_hurry)
    play(game, "e2e4")
    assert game.board.fen.startswith("rnbqkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNBQKBNR b")

    def swipe(event):
        if event.piece.name == "rook" and event.piece.player is event.board.current_player:
            far = Position(event.piece.position.x, 7 - event.piece.position.y)
            event.move_options.append(
                MoveOption(far, [far], {"swipe": True, "how far": 7, "from": event.piece.position})
            )

    game = chess.Game()
    game.board.subscribe(chess.BeforeGetMoveOptionsEvent, swipe, chess.EventPriority.VERY_HIGH)
    added = option(game.board, "a1", "a8")
    assert added.extra == {"swipe": True, "how far": 7, "from": at("a1")}
    assert game.board[at("a1")].piece.move(added)
    assert game.board.fen == "Rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/1NBQKBNR b Kk - 0 1"
    with pytest.raises(ludovec.IllegalAction):
        game.play(at("a7"), MoveOption(at("a3")))


class OnlyCaptures(chess.Rule):
    """Only captures are legal after the first capture."""

    def __init__(self):
        self.captures = 0

    def on_join_board(self, board):
        board.subscribe(chess.AfterCapturedEvent, self.count)
        board.subscribe(chess.BeforeMoveEvent, self.forbid)

    def count(self, event):
        self.captures += 1

    def forbid(self, event):
        event.cancelled |= self.captures > 0 and not event.move_option.captures


def test_state_of_rules_is_cloned_with_the_game():
    rule = OnlyCaptures()
    game = chess.Game(rules=[rule])
    play(game, "e2e4 d7d5")
    copy = game.clone()
    play(game, "e4d5")
    assert rule.captures == 1
    assert not game.play(at("e7"), option(game.board, "e7", "e6"))
    play(copy, "a2a3 e7e6")
    assert copy.board.current_player is copy.board.players[0]

    counted = []
    game = chess.Game(rules=[chess.as_rule(lambda board: counted.append(board.fen))()])
    assert counted == [game.board.fen]


def test_the_turn_order_is_an_iterator():
    def again(event):
        if event.piece.name == "king":
            board = event.board
            board.turn_iterator = itertools.chain([board.current_player], board.turn_iterator)

    game = chess.Game(fen="4k3/8/8/8/8/8/8/4K2R w - - 0 1")
    game.board.subscribe(chess.AfterMoveEvent, again)
    copy = game.clone()
    for g in (game, copy):
        play(g, "e1e2")
        assert g.board.current_player is g.board.players[0]
        play(g, "h1h2 e8e7")
        assert g.board.current_player is g.board.players[1]

    game = chess.Game()
    white, black = game.board.players
    game.board.turn_iterator = [white, black]
    game.board.subscribe(chess.BeforeChangeTurnEvent, lambda event: setattr(event, "next", white))
    play(game, "e2e4 d2d4")
    with pytest.raises(ludovec.InvalidState, match="no player"):
        game.play(at("a2"), option(game.board, "a2", "a3"))
    assert game.board[at("a2")].piece is not None


@pytest.mark.parametrize(
    "kind", [kind for kind in chess.Event._by_kind.values() if "Square" not in kind.__name__]
)
def test_a_listener_that_raises_leaves_the_game_unchanged(kind):
    if kind is chess.AfterGameEndEvent:
        game = chess.Game()
        play(game, "f2f3 e7e5 g2g4")
        move = ("d8", MoveOption(at("h4")))
    elif kind is chess.AfterNewPieceEvent:
        game = chess.Game(fen="4k3/P7/8/8/8/8/8/4K3 w - - 0 1")
        move = ("a7", MoveOption(at("a8"), [], {"promotion": "queen"}))
    else:
        game = chess.Game(fen="4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
        move = ("e4", MoveOption(at("d5"), [at("d5")]))
    fen, calls = game.board.fen, []

    def fail(event):
        calls.append(event)
        raise RuntimeError("not today")

    subscription = game.board.subscribe(kind, fail)
    with pytest.raises(RuntimeError, match="not today"):
        game.play(at(move[0]), move[1])
    assert len(calls) == 1 and game.board.fen == fen and game.result is None
    game.board.unsubscribe(subscription)
    assert game.play(at(move[0]), move[1])
    assert game.board.fen != fen


def test_pieces_are_set_and_bad_positions_refused():
    board = chess.Game().board
    board[at("e4")].piece = "N"
    board[at("h1")].piece = None
    assert board[at("e4")].piece.name == "knight" and " w Qkq " in board.fen
    board[at("e5")].piece = board[at("a8")].piece
    assert board[at("e5")].piece.letter == "r"
    fen = board.fen
    for place, piece in [("e1", None), ("e4", "x"), ("e4", "NN")]:
        with pytest.raises(ludovec.InvalidState):
            board[at(place)].piece = piece
    assert board.fen == fen
    with pytest.raises(ludovec.InvalidConfig, match="PieceEvent"):
        board.subscribe(chess.events._PieceEvent, print)
    with pytest.raises(ludovec.InvalidConfig):
        chess.Game("no such variant")


def test_positions_follow_their_pieces():
    game = chess.Game(fen="r3k3/P7/8/8/8/8/8/4K2R w Kq - 0 1")
    board = game.board
    king, rook, victim, pawn = (board[at(name)].piece for name in ["e1", "h1", "a8", "a7"])
    places = []
    board.subscribe(
        chess.BeforeAddPieceEvent, lambda event: places.append((event.piece.position, event.position))
    )
    assert king.move(next(o for o in king.get_move_options() if "castling" in o.extra))
    assert (king.position, rook.position) == (at("g1"), at("f1"))
    assert places == [(at("h1"), at("f1")), (at("e1"), at("g1"))]
    assert board[at("g1")].piece == king and board[at("f1")].piece != king
    assert victim.move(option(board, "a8", "a7"))
    assert victim.position == at("a7") and pawn.position == at("a7"), "where the pawn stood"
    assert pawn.get_move_options() == []
    with pytest.raises(ludovec.IllegalAction, match="pawn has left the board"):
        pawn.move(MoveOption(at("a8")))
    copy = game.clone()
    assert rook.move(option(board, "f1", "f8"))
    assert rook.position == at("f8") and copy.board[at("f1")].piece.position == at("f1")


def test_rules_are_given_as_instances_or_classes():
    heard = []

    class Listener(chess.Rule):
        def on_join_board(self, board):
            board.subscribe(chess.AfterMoveEvent, lambda event: heard.append(type(self).__name__))

    stateless = chess.as_rule(
        lambda board: board.subscribe(chess.AfterMoveEvent, lambda event: heard.append("f"))
    )
    game = chess.Game(rules=[Listener, Listener(), stateless, stateless()])
    assert game.play(at("e2"), option(game.board, "e2", "e4"))
    assert heard == ["Listener", "Listener", "f", "f"]
    with pytest.raises(ludovec.InvalidConfig, match="a Rule or a subclass"):
        chess.Game(rules=["knooks"])


def test_objects_keep_the_history_of_the_game():
    game = ludovec.Game("chess", seed=0)
    for move in "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1".split():
        game.step(game.string_to_action(move))
    objects = game.objects()
    assert objects.result is None
    assert objects.play(at("f6"), option(objects.board, "f6", "g8"))
    assert objects.result == "repetition, draw"
    game.step(game.string_to_action("f6g8"))
    assert game.objects().result == "repetition, draw"

    duck = ludovec.Game("chess", seed=0, flags=["duck_chess"])
    duck.step(duck.string_to_action("e2e4"))
    assert len(duck.objects().board[at("h5")].piece.get_move_options()) == 31

    house = ludovec.Game("chess", seed=0, variant="crazyhouse")
    for move in "e2e4 d7d5 e4d5 d8d5".split():
        house.step(house.string_to_action(move))
    options = house.objects().board.get_move_options(at("e4"))
    assert [o.extra for o in options] == [{"drop": "pawn"}]

    # A king that has moved away and back may not castle, even with both pieces on their squares.
    two = ludovec.Game("chess", seed=0, flags=["beta_decay"], fen="4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    for move in "e1e2 e8e7 e2e1 e7e8".split():
        two.step(two.string_to_action(move))
    assert all("castling" not in o.extra for o in two.objects().board.get_move_options(at("e1")))


def test_games_of_environments_with_objects_have_objects():
    game = ludovec.Game("chess", seed=0, flags=["knooks"])
    game.step(game.string_to_action("e2e4"))
    objects = game.objects()
    assert objects.board[at("e4")].piece.name == "pawn"
    assert objects.board.current_player.name == "black"
    knooks = ludovec.Game("chess", flags=["knooks"], fen="4k3/8/8/8/8/8/8/N2R2K1 w - - 0 1").objects()
    assert option(knooks.board, "d1", "a1").extra == {"merge": "knook"}
    with pytest.raises(ludovec.InvalidConfig, match="tilewe"):
        ludovec.Game("tilewe").objects()


def test_games_are_exported_as_pgn():
    game = ludovec.Game("chess", seed=0)
    for move in ["e2e4", "e7e5", "g1f3"]:
        game.step(game.string_to_action(move))
    assert game.export("pgn").endswith("\n1. e4 e5 2. Nf3 *\n")
    assert pickle.loads(pickle.dumps(game)).export("pgn") == game.export("pgn")
    with pytest.raises(ludovec.InvalidConfig, match="pgn"):
        game.export("sgf")
    with pytest.raises(ludovec.InvalidConfig, match="tilewe"):
        ludovec.Game("tilewe").export("pgn")
