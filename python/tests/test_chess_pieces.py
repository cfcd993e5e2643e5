"""Chess with custom pieces: the examples of the original document, verbatim."""

import copy
import itertools
from collections.abc import Iterable
from itertools import chain

import ludovec
import pytest
from ludovec import chess
from ludovec.chess import (
    AfterAddPieceEvent,
    AfterCapturedEvent,
    AfterGameEndEvent,
    AfterMoveEvent,
    AfterNewPieceEvent,
    AfterRemovePieceEvent,
    BeforeAddPieceEvent,
    BeforeGetMoveOptionsEvent,
    Board,
    EventPriority,
    Game,
    King,
    MoveOption,
    Pawn,
    Piece,
    Player,
    Position,
    Queen,
    Rook,
    Rule,
    Square,
    as_rule,
    is_in_board,
)


class GetDumbResult:
    def __init__(self):
        self.move_count = 0

    def __call__(self, board: Board) -> str | None:
        self.move_count += 1
        if self.move_count > 100:
            return "Draw - I'm bored"
        return None


class CoolPiece(Piece):
    """
    A piece that can move one square diagonally (down and right).
    """

    name = "CoolPiece"

    def _get_move_options(self) -> Iterable[MoveOption]:
        move_position = self.position.offset(1, 1)

        if not is_in_board(self.board, move_position):
            return

        if (
            self.board[move_position].piece is not None
            and self.board[move_position].piece.player == self.player
        ):
            return

        yield MoveOption(self.position, captures=[move_position])


class CoolerPiece(CoolPiece):
    """
    A piece that can move one square diagonally (down and right) and turn into a Queen when capturing another
    cool piece.
    """

    # The document omits the player in the constructor; the piece would be neutral without it.
    def __init__(self, player):
        super().__init__(player)
        # When listening to yourself, it's a good practice to use a high priority,
        # to emulate being the default behavior of the piece.
        self.subscribe(AfterMoveEvent, self._on_after_move, EventPriority.VERY_HIGH)

    name = "CoolerPiece"

    def _get_move_options(self) -> Iterable[MoveOption]:
        move_options = super()._get_move_options()
        for move_option in move_options:
            if isinstance(self.board[move_option.position].piece, CoolPiece):
                move_option.extra = dict(turn_into_queen=True)
                yield move_option

    def _on_after_move(self, event: AfterMoveEvent):
        if event.move_option.extra.get("turn_into_queen"):
            # To make this extendible, it's a good practice to send Before and After events for this
            # "promotion".
            self.board[event.move_option.position].piece = Queen(self.player)


def _on_after_move(event: AfterMoveEvent):
    if isinstance(event.piece, King):
        event.board.turn_iterator = chain(
            [event.board.current_player],
            event.board.turn_iterator,
        )


def extra_turn_if_moved_king(board: Board):
    board.subscribe(AfterMoveEvent, _on_after_move, EventPriority.HIGH)


ExtraTurnIfMovedKing = as_rule(extra_turn_if_moved_king)


class ExtraTurnIfMovedKingFirst(Rule):
    def __init__(self):
        self.any_king_moved = False

    # The document uses the name _on_before_move in the subscription, and omits self here.
    def _on_after_move(self, event: AfterMoveEvent):
        if not self.any_king_moved and isinstance(event.piece, King):
            event.board.turn_iterator = chain(
                [event.board.current_player],
                event.board.turn_iterator,
            )
            self.any_king_moved = True

    def on_join_board(self, board: Board):
        board.subscribe(AfterMoveEvent, self._on_after_move, EventPriority.HIGH)


def made(pieces, rules=(), size=(5, 5), holes=(), **more):
    """A board, its players, and squares with pieces by position: (class, seat)."""
    players = [Player("white"), Player("black")]
    squares = [[None if (x, y) in holes else Square() for x in range(size[0])] for y in range(size[1])]
    for (x, y), (kind, seat) in pieces.items():
        squares[y][x].piece = kind(players[seat])
    return Board(squares, players, itertools.cycle(players), rules, **more)


KINGS = {(4, 0): (King, 1), (4, 4): (King, 0)}


def step(board, origin, target):
    piece = board[origin].piece
    return piece.move(next(o for o in piece.get_move_options() if o.position == target))


def test_the_document_examples_of_board_square_and_player():
    player0 = Player()
    player1 = Player("white")
    assert (player0.name, player1.name) == ("", "white") and player0 != Player()
    squares = [[Square() for _ in range(3)] for _ in range(4)]
    squares[0][0].piece, squares[3][2].piece = King(player1), King(player0)
    squares[1][2] = None
    board = Board(squares, [player0, player1], itertools.cycle([player0, player1]))

    # Get a square
    square = board[Position(0, 0)]
    piece = square.piece
    assert square is squares[0][0] and isinstance(piece, King)
    assert [square.position for square in board] == [
        (x, y) for y in range(board.size[1]) for x in range(board.size[0]) if (x, y) != (2, 1)
    ]
    assert board.get_player_pieces(piece.player) == [piece] and board.players == (player0, player1)
    assert board[2, 1] is None and board.current_player is player0

    position = Position(0, 0)
    assert (position.x, position.y) == (position[0], position[1])
    assert position.offset(1, 1) == Position(1, 1)

    heard = []
    square = board[Position(2, 2)]
    square.subscribe(AfterAddPieceEvent, lambda event: heard.append(event.piece))
    square.piece = Pawn(player0)
    board[Position(1, 2)].piece = Pawn(player0)
    assert heard == [square.piece] and isinstance(square.piece, Pawn) and square.piece.player is player0
    assert (square.position, square.piece.position) == ((2, 2), (2, 2))


def test_a_piece_is_asked_for_its_own_options():
    board = made({**KINGS, (1, 1): (CoolPiece, 0), (2, 2): (Rook, 1)})
    cool, rook = board[1, 1].piece, board[2, 2].piece
    assert type(cool) is CoolPiece and cool.get_move_options() == [MoveOption((1, 1), [(2, 2)])]
    seen = []
    board.subscribe(AfterCapturedEvent, lambda event: seen.append(event.piece))
    board.subscribe(AfterRemovePieceEvent, lambda event: seen.append(event.position))
    assert cool.move(cool.get_move_options()[0])
    assert seen == [(2, 2), rook] and board[1, 1].piece is cool and board[2, 2].piece is None
    assert board.current_player is board.players[1] and cool.get_move_options() == []
    with pytest.raises(ludovec.IllegalAction, match="left the board"):
        rook.move(MoveOption(Position(0, 0)))
    with pytest.raises(ludovec.InvalidState, match="not on the board yet"):
        CoolPiece(board.players[0]).board  # noqa: B018
    with pytest.raises(TypeError):
        Piece(board.players[0])


def test_a_piece_that_listens_to_itself_turns_into_a_queen():
    for cooler, other in itertools.permutations([(0, 0), (2, 2)]):
        board = made({**KINGS, cooler: (CoolerPiece, 0), other: (CoolPiece, 0), (3, 3): (CoolPiece, 1)})
        other_piece = board[other].piece
        piece = board[cooler].piece
        [option] = piece.get_move_options()
        assert option.extra == {"turn_into_queen": True}
        news = []
        board.subscribe(AfterNewPieceEvent, lambda event, news=news: news.append(type(event.piece)))
        assert piece.move(option)
        assert news == [Queen] and type(board[cooler].piece) is Queen and board[other].piece is other_piece
        assert board[cooler].piece.player is board.players[0]
        assert step(board, (4, 0), (4, 1))
        assert len(board[cooler].piece.get_move_options()) > 3, "a queen's"


def test_kings_that_move_have_extra_turns():
    board = made(KINGS, rules=[ExtraTurnIfMovedKing])
    assert step(board, (4, 4), (4, 3)) and board.current_player is board.players[0]
    board = made(KINGS, rules=[ExtraTurnIfMovedKingFirst])
    white, black = board.players
    assert step(board, (4, 4), (3, 4)) and board.current_player is white
    assert step(board, (3, 4), (2, 4)) and board.current_player is black
    both = made(KINGS, rules=[ExtraTurnIfMovedKing, ExtraTurnIfMovedKingFirst])
    assert [step(both, (4, 4), (3, 4)), step(both, (3, 4), (3, 3)), step(both, (3, 3), (2, 3))] == [True] * 3
    assert both.current_player is both.players[0]


def test_a_game_ends_by_its_result_function(capsys):
    game = Game(made(KINGS, size=(5, 5)), GetDumbResult())
    game.subscribe(AfterGameEndEvent, lambda event: print(event.result))
    there_and_back = [((4, 4), (3, 4)), ((4, 0), (3, 0)), ((3, 4), (4, 4)), ((3, 0), (4, 0))]
    for origin, target in itertools.islice(itertools.cycle(there_and_back), 100):
        assert game.result is None and step(game.board, origin, target)
    assert step(game.board, (4, 4), (3, 4)) and game.result == "Draw - I'm bored"
    assert capsys.readouterr().out == "Draw - I'm bored\n"
    with pytest.raises(ludovec.GameOver):
        step(game.board, (4, 0), (3, 0))
    with pytest.raises(ludovec.InvalidConfig, match="another game"):
        Game(game.board, GetDumbResult())


def test_pieces_and_squares_get_their_own_events():
    board = made({**KINGS, (0, 3): (Pawn, 0), (2, 3): (Pawn, 0)})
    first, second, heard = board[0, 3].piece, board[2, 3].piece, []
    first.subscribe(AfterMoveEvent, lambda event: heard.append(("first", event.move_option.position)))
    board[2, 2].subscribe(BeforeAddPieceEvent, lambda event: heard.append(("square", event.piece)))
    assert step(board, (2, 3), (2, 2)) and heard == [("square", second)]
    assert step(board, (4, 0), (3, 0)) and step(board, (0, 3), (0, 2))
    assert heard[1:] == [("first", (0, 2))]
    asked = []
    first.subscribe(BeforeGetMoveOptionsEvent, lambda event: asked.append(len(event.move_options)))
    assert step(board, (3, 0), (4, 0))
    second.get_move_options()
    first.get_move_options()
    assert asked == [1]


class Counting(CoolPiece):
    """Has state, and prepares itself when it joins a board."""

    name = "counting"

    def on_join_board(self):
        self.moves = 0
        self.subscribe(AfterMoveEvent, self.count)
        self.joined_at = self.position

    def _get_move_options(self):
        return (
            [MoveOption(self.position.offset(1, 0))]
            if is_in_board(self.board, self.position.offset(1, 0))
            else []
        )

    def count(self, event):
        self.moves += 1


def test_pieces_are_cloned_with_their_state():
    board = made({**KINGS, (0, 2): (Counting, 0)})
    game = Game(board, lambda board: None)
    piece = board[0, 2].piece
    assert piece.joined_at == (0, 2) and step(board, (0, 2), (1, 2)) and step(board, (4, 0), (4, 1))
    twin = game.clone()
    other = twin.board[1, 2].piece
    assert other is not piece and (other.moves, other.board) == (1, twin.board)
    assert other.player is twin.board.players[0] and other.player is not piece.player
    assert step(board, (1, 2), (2, 2)) and (piece.moves, other.moves) == (2, 1)
    assert other.position == (1, 2) and piece.position == (2, 2)
    assert step(twin.board, (1, 2), (2, 2)) and other.moves == 2
    added = twin.board[0, 0]
    added.piece = Counting(twin.board.players[1])
    assert added.piece.joined_at == (0, 0) and board[0, 0].piece is None


def test_custom_pieces_replace_each_other():
    board = made({**KINGS, (0, 0): (CoolPiece, 0)})
    white, black = board.players
    first = board[0, 0].piece
    second = CoolPiece(white)
    board[0, 0].piece = second
    assert board[0, 0].piece is second and board[0, 0].piece is not first
    board[0, 0].piece = Counting(black)
    assert type(board[0, 0].piece) is Counting and board[0, 0].piece.letter.islower()
    board[0, 0].piece = None
    assert board[0, 0].piece is None
    never = CoolPiece(white)
    subscription = board.subscribe(BeforeAddPieceEvent, lambda event: setattr(event, "cancelled", True))
    assert not board.set_piece((0, 0), never) and board[0, 0].piece is None
    board.unsubscribe(subscription)
    assert board.set_piece((0, 0), never) and board[0, 0].piece is never
    with pytest.raises(ludovec.InvalidState, match="player"):
        board[1, 1].piece = CoolPiece(Player("stranger"))
    with pytest.raises(ludovec.InvalidState, match=r"make one with Board\(\)"):
        standard = chess.Game("chess").board
        standard[0, 3].piece = CoolPiece(standard.players[0])


class Amazon(Queen):
    """Moves like a queen, and like a knight in the forward directions."""

    name = "amazon"

    def _get_move_options(self):
        yield from super()._get_move_options()
        for dx in (-1, 1):
            to = self.position.offset(dx, -2)
            if is_in_board(self.board, to) and self.board[to].piece is None:
                yield MoveOption(to)


def test_a_piece_can_build_on_a_standard_one():
    board = made({**KINGS, (1, 4): (Amazon, 0)})
    targets = {tuple(o.position) for o in board[1, 4].piece.get_move_options()}
    plain = made({**KINGS, (1, 4): (Queen, 0)})
    queens = {tuple(o.position) for o in plain[1, 4].piece.get_move_options()}
    assert targets == queens | {(0, 2), (2, 2)} and len(queens) > 8
    assert step(board, (1, 4), (2, 2)) and type(board[2, 2].piece) is Amazon


def test_a_class_property_as_name_of_a_piece():
    class Documented(CoolPiece):
        @classmethod
        @property
        def name(cls):
            return "CoolPiece"

    board = made({**KINGS, (1, 1): (Documented, 0)})
    assert "CoolPiece" in repr(board[1, 1].piece)


def test_kings_are_royal_if_all_pieces_are_standard():
    known = made({**KINGS, (4, 2): (Rook, 1), (0, 3): (Pawn, 0)})
    assert known.in_check and known[0, 3].piece.get_move_options() == []
    own = made({**KINGS, (4, 2): (Rook, 1), (0, 0): (CoolPiece, 0)})
    assert not own.in_check and own[4, 4].piece.get_move_options()
    mate = Game(made({(0, 0): (King, 1), (5, 5): (King, 0), (4, 1): (Rook, 0)}, size=(8, 8)))
    assert step(mate.board, (4, 1), (4, 0)) and mate.result is None
    mate = Game(made({(0, 0): (King, 1), (0, 2): (King, 0), (4, 1): (Rook, 0)}, size=(8, 8)))
    assert step(mate.board, (4, 1), (4, 0)) and mate.result == "checkmate, white wins"
    castles = [[Square() for _ in range(8)] for _ in range(8)]
    white, black = Player("w"), Player("b")
    for y, player in ((0, black), (7, white)):
        for x, kind in ((0, Rook), (4, King), (7, Rook)):
            castles[y][x].piece = kind(player)
    board = Board(castles, [white, black], itertools.cycle([white, black]))
    assert sum("castling" in o.extra for o in board[4, 7].piece.get_move_options()) == 2


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda s, p: ([[], []], p, p), "rows"),
        (lambda s, p: (s, p[:1], p), "players"),
        (lambda s, p: (s, p, []), "turn_iterator"),
        (lambda s, p: ([s[0], s[1][:2]], p, p), "rows of equal length"),
        (lambda s, p: ([[Square(CoolPiece())]], p, p), "neither player"),
    ],
)
def test_invalid_boards_are_refused_with_a_reason(change, reason):
    players = [Player("a"), Player("b")]
    squares = [[Square() for _ in range(3)] for _ in range(3)]
    squares, given, turns = change(squares, players)
    with pytest.raises(ludovec.InvalidConfig, match=reason):
        Board(squares, given, turns)


def test_a_failed_move_leaves_pieces_unchanged():
    board = made({**KINGS, (0, 1): (Pawn, 0)})
    game = Game(board, lambda board: None)

    def fail(event):
        raise RuntimeError("no promotion today")

    subscription = board.subscribe(AfterNewPieceEvent, fail)
    pawn = board[0, 1].piece
    rook = next(o for o in pawn.get_move_options() if o.extra.get("promotion") == "rook")
    with pytest.raises(RuntimeError):
        pawn.move(rook)
    assert board[0, 1].piece is pawn and game.result is None
    board.unsubscribe(subscription)
    knight = next(o for o in pawn.get_move_options() if o.extra.get("promotion") == "knight")
    assert pawn.move(knight) and type(board[0, 0].piece) is chess.Knight
    assert copy.copy(board.players) == board.players


WRONG = [None, "a1", 3, (1,), ("a", 2), Position(0, "b")]


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_arguments_of_boards_are_refused(wrong):
    board = chess.Game().board
    option = board[Position(4, 6)].piece.get_move_options()[0]
    white, black = Player(), Player()
    squares = [[Square() for x in "abc"] for y in "123"]
    for call in (
        lambda: board[wrong],
        lambda: board.get_move_options(wrong),
        lambda: board.set_piece(wrong, None),
        lambda: board.play(wrong, option),
        lambda: board.play(Position(4, 6), wrong),
        lambda: board.subscribe(wrong, print),
        lambda: board.subscribe(AfterMoveEvent, wrong),
        lambda: Board(wrong, [white, black], [white]),
        lambda: Board([[wrong and 3]], [white, black], [white]),
        lambda: Board(squares, wrong, [white]),
        lambda: Board(squares, [white, black], wrong),
        lambda: chess.Game(wrong),
    ):
        with pytest.raises(ludovec.LudovecError):
            call()
    assert board[Position(10**30, 0)] is None and board.fen == chess.Game().board.fen


def test_a_board_may_be_one_row():
    white, black = Player("white"), Player("black")
    row = [Square(King(white)), Square(), Square(), Square(King(black)), Square(Rook(black))]
    board = Board([row], [white, black], itertools.cycle([white, black]))
    options = board[Position(0, 0)].piece.get_move_options()
    assert [option.position for option in options] == [Position(1, 0)]
