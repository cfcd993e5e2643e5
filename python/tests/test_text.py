"""Games as text: legal moves are read back, hidden information stays hidden, equal games have equal texts."""

import json
import random

import ludovec
import pytest
from ludovec import _core, text
from ludovec.text import rulebook

#: One setting per environment, and others with other spellings of moves or other rules.
SETTINGS = [
    ("smallworld", {"players": 3}),
    ("smallworld", {"players": 5}),
    ("tilewe", {}),
    ("tilewe", {"players": 2}),
    ("tilewe", {"mode": "blokus"}),
    ("tilewe", {"mode": "blokus_duo"}),
    ("tilewe", {"mode": "blokus_2"}),
    ("chess", {}),
    ("chess", {"variant": "crazyhouse"}),
    ("starwars_risk", {}),
    ("empires", {"width": 20, "height": 14}),
]
each_setting = pytest.mark.parametrize("env,options", SETTINGS, ids=lambda value: str(value))


def positions(env, options, games=2, most=120, every=1):
    """Positions of random games, with a generator of random numbers."""
    for seed in range(games):
        game, draw = ludovec.Game(env, seed, **options), random.Random(seed)
        while not game.is_terminal and game.steps < most:
            if game.steps % every == 0:
                yield game, draw
            game.step(draw.choice(game.legal_actions()))


@each_setting
def test_every_legal_move_is_read_back(env, options):
    seen = 0
    for game, draw in positions(env, options, every=6):
        actions = game.legal_actions()
        # Large lists are sampled; every action of small ones is read.
        for action in actions if len(actions) <= 30 else draw.sample(actions, 30):
            label, move = game.action_to_string(action), game.action_to_move(action)
            replies = [
                label,
                f"I compared them all.\n\n**Move: {label}**",
                f"<think>hard</think><move>{label}</move>",
                f"Here it is: ```json\n{json.dumps({'reason': 'good', 'move': label})}\n```",
                json.dumps({"action": move}),
                {"name": "play", "arguments": {"move": label}},
                {"type": "function", "function": {"name": "play", "arguments": json.dumps({"move": move})}},
                {"action": action},
            ]
            for reply in replies:
                said = text.read_move(game, reply)
                assert said.action == action and said.reason is None, (label, reply, said)
            seen += 1
    assert seen > 15


@each_setting
def test_moves_in_words_and_as_grouped_are_read_back(env, options):
    for game, draw in positions(env, options, games=1, every=6):
        written = text.legal_moves(game).splitlines()
        if env == "chess":
            targets = written[0].removeprefix("Legal moves: ").split()
        else:
            targets = []
            for line in written[1:]:
                head, colon, listed = line.partition(": ")
                head = head.split(" (")[0] if not colon or " (" in head else head
                for target in listed.split() or [""]:
                    form = head.replace(" N ", f" {target} ") if " N " in head else f"{head} {target}"
                    targets.append(form.replace(" ", "") if env == "tilewe" else form.strip())
        read = [text.read_move(game, target) for target in targets]
        assert sorted(said.action for said in read if said) == game.legal_actions(), (written, targets)
        for action in draw.sample(game.legal_actions(), min(10, len(game.legal_actions()))):
            said = text.read_move(game, f"My move: {game.action_in_words(action)}.")
            assert said.action == action


def dense_moves(written):
    """The moves of a dense list, by the rules that its first line tells."""
    for line in written.splitlines()[1:]:
        kinds, colon, listed = line.partition(": ")
        for kind in kinds.split(" or "):
            head = kind.split(" (")[0]
            if not colon:
                yield head
            for part in listed.split("; "):
                row, _, listed_targets = part.rpartition(": ")
                for target in listed_targets.split():
                    first, _, last = target.partition("-")
                    run = range(int(first), int(last or first) + 1) if first.isdecimal() else [target]
                    for number in run:
                        if row:
                            yield head.replace("X,Y", f"{number},{row.removeprefix('y=')}")
                        else:
                            yield head.replace(" N ", f" {number} ") if " N " in head else f"{head} {number}"


@each_setting
def test_dense_moves_are_read_back_and_shorter(env, options):
    for game, _ in positions(env, options, games=1, most=200, every=7):
        written, grouped = (text.legal_moves(game, listing) for listing in ("dense", "grouped"))
        if env == "chess":
            assert written == grouped
            continue
        moves = [move.replace(" ", "") if env == "tilewe" else move for move in dense_moves(written)]
        assert sorted(text.read_move(game, move).action for move in moves) == game.legal_actions(), written
        # The first line is longer; the list is short for runs of cells.
        assert len(written) < (1500 if env == "empires" else len(grouped) + 100)


@each_setting
def test_replies_without_a_move_have_a_reason(env, options):
    game = ludovec.Game(env, 0, **options)
    replies = [
        "",
        "   ",
        "...",
        "I resign!",
        "Move: xyzzy 999",
        '{"move": null}',
        '{"move": "xyzzy"}',
        "{" * 5000,
    ]
    replies += [
        "\u202e\x00",
        "Move: ...",
        {},
        [],
        {"arguments": "{"},
        {"action": 10**30},
        {"move": True},
        "[" * 99999,
    ]
    replies += [{"arguments": {"arguments": {"arguments": {}}}}, "Move: " + "a" * 10**6, {"type": 7}]
    for reply in replies:
        said = text.read_move(game, reply)
        assert said.action is None and said.reason, reply
        assert "\n" not in said.reason and len(said.reason) < 500


def test_the_last_answer_counts_and_ambiguity_is_refused():
    game = ludovec.Game("chess", 0)
    e4, d4 = map(game.string_to_action, ["e4", "d4"])
    assert text.read_move(game, "Move: d4\nNo, better:\nMove: e4").action == e4
    assert text.read_move(game, '{"move": "e4"} is wrong. Final answer: d4').action == d4
    assert text.read_move(game, "I like e4 and d4.").action is None
    assert text.read_move(game, "I like e4 and d4.\nI play d4 now.").action == d4
    assert "e5" in text.read_move(game, "Move: e5").reason
    # A stated illegal move is never replaced by a legal one of the thoughts before it.
    assert text.read_move(game, "e4 was my first idea.\nMove: Ke5").action is None
    refused = text.read_move(game, 'e4 looked fine. {"move": "Ke5"}')
    assert refused.action is None and "'Ke5' is not a legal move" in refused.reason
    for several in ("Move: e4 or d4", "Move: e4, d4"):
        assert "names 2 legal moves" in text.read_move(game, several).reason


@pytest.mark.parametrize(
    "reply,move",
    [
        ("I considered e4, d4 and Nf3. In the end I'll go with Nf3.", "Nf3"),
        ("1. e4 is best by test; 1. d4 is also fine. I will play 1. e4.", "e4"),
        ("Let's play e4, since after d4 Black has options.", "e4"),
        ("I play e4. If I play d4, I lose a pawn.", "e4"),
        ("I would play d4, but I play e4.", "e4"),
        ("I choose 1. e4 and not 1. d4.", "e4"),
        ("I play Ke5. No: I play e4.", "e4"),
        ("I take 5 minutes to think. e4 it is.", "e4"),
        ("e4 was tempting. I will play Ke5.", None),
        ("I play e4. I play d4.", None),
    ],
)
def test_sentences_that_decide_count_more_than_other_moves(reply, move):
    game = ludovec.Game("chess", 0)
    said = text.read_move(game, reply)
    assert said.action == (None if move is None else game.string_to_action(move))
    assert said or said.reason


def test_decisions_of_moves_with_several_words_are_read():
    game = ludovec.Game("empires", 0, width=8, height=8, players=2)
    while len(game.legal_actions()) < 4:
        game.step(game.bot_action("greedy"))
    first, second = game.legal_actions()[1:3]
    one, other = game.action_to_string(first), game.action_to_string(second)
    assert text.read_move(game, f"{one} or {other}? I play {other}.").action == second
    assert text.read_move(game, f"I choose {one}, because {other} is worse.").action == first
    assert text.read_move(game, f"{one} was an idea. I choose conquer 99,99.").action is None


@pytest.mark.parametrize(
    "reply,move",
    [
        ("I considered e4, d4 and Nf3. In the end I'll go with Nf3.", "Nf3"),
        ("1. e4 is best by test; 1. d4 is also fine. I will play e4.", "e4"),
        ("Let's play e4, since after d4 Black has options.", "e4"),
        ("I choose 1. e4 and not 1. d4.", "e4"),
        ("I play e4. If I play d4, I lose a pawn.", "e4"),
        ("I would play d4, but I play e4.", "e4"),
        ("I play e4. I play d4.", None),
        ("e4 (not d4)", None),
        ("Move: e4 or d4", None),
        ("e4 was tempting. I will play Ke5.", None),
        ('e4 looked fine. {"move": "Ke5"}', None),
        ('{"move": "Ke5", "thoughts": "e4 is solid"}', None),
    ],
)
def test_prose_with_several_moves_needs_a_decision(reply, move):
    game = ludovec.Game("chess", 0)
    said = text.read_move(game, reply)
    assert said.action == (None if move is None else game.string_to_action(move)), said
    if move is None:
        assert ("names 2 legal moves" in said.reason) != ("Ke5" in reply), said
        assert ("'Ke5' is not a legal move" in said.reason) == ("Ke5" in reply), said


def test_prose_with_several_moves_of_another_game():
    game = ludovec.Game("empires", 0, width=8, height=8, players=2)
    while len(game.legal_actions()) < 4:
        game.step(game.bot_action("greedy"))
    first, second = (game.action_to_string(action) for action in game.legal_actions()[:2])
    assert first.startswith("conquer") and second.startswith("conquer")
    said = text.read_move(game, f"{first} or {second}? I choose {second}, because {first} is worse.")
    assert said.action == game.legal_actions()[1]
    assert "99,99" in text.read_move(game, f"{first} is near. I choose conquer 99,99.").reason


#: Replies in the position after some moves, with the move that is said; None for none or several.
REPLIES = [
    ([], "Move: Ng1-f3", "g1f3"),
    ([], "Move: Ng1\u2013f3", "g1f3"),
    ([], '{"move": "Ng1-f3"}', "g1f3"),
    ([], "e2-e4", "e2e4"),
    ([], "Ng1 - f3", "g1f3"),
    ([], "\u2658f3", "g1f3"),
    ([], "\u265ef3", "g1f3"),
    ([], "\u2659e4", "e2e4"),
    ([], "N f3", "g1f3"),
    ([], "N-f3", "g1f3"),
    ([], "knight to f3", "g1f3"),
    ([], "Knight g1 to f3.", "g1f3"),
    ([], "Knight from g1 to f3", "g1f3"),
    ([], "I play knight to f3, because e4 can wait.", "g1f3"),
    ([], "pawn to e4", "e2e4"),
    ([], "pawn e2 to e4", "e2e4"),
    ([], "1. Nf3 d5 2. c4", "g1f3"),
    ([], "Nf3 \u2013 controls e5 and d4", "g1f3"),
    ([], "Move: **Nf3** (it controls e5)", "g1f3"),
    ([], "Move: e4 instead of d4", "e2e4"),
    ([], "e4 it is.", "e2e4"),
    (["e4", "d5"], "exd5", "e4d5"),
    (["e4", "d5"], "e4\u00d7d5", "e4d5"),
    (["e4", "d5"], "e\u00d7d5", "e4d5"),
    (["e4", "d5"], "pawn takes d5", "e4d5"),
    (["e4", "e5"], "Bishop to c4", "f1c4"),
    (["e4", "e5"], "B-d3", "f1d3"),
    (["Nf3", "e5"], "N\u00d7e5", "f3e5"),
    (["Nf3", "e5"], "knight takes e5", "f3e5"),
    (["Nf3", "e5"], "knight captures on e5", "f3e5"),
    (["Nf3", "a6", "g3", "a5", "Bg2", "a4"], "0-0", "e1g1"),
    (["Nf3", "a6", "g3", "a5", "Bg2", "a4"], "castle kingside", "e1g1"),
    (["Nf3", "a6", "g3", "a5", "Bg2", "a4"], "Move: castles short", "e1g1"),
    # Nothing is played that the reply does not say.
    ([], "Move: Qh5 (not e4)", None),
    ([], '{"move": "Qh5, not e4"}', None),
    ([], "Move: Ke2 instead of d4", None),
    ([], "Move: Bb5 because e4 was bad", None),
    ([], "Move: Ng1-f3-e5", None),
    ([], "Move: Nb1-f3", None),
    ([], "Move: knight", None),
    ([], "Move: not e4", None),
    ([], "Move: e4 or d4", None),
    ([], "Move: e4/d4", None),
    ([], "Move: e4 if that is legal", None),
    ([], "Move: e4?", None),
    ([], "Should I play e4?", None),
    ([], "Do not play e4.", None),
    ([], "I will not play e4.", None),
    ([], "I can't play e4", None),
    ([], "If I play e4, Black answers e5", None),
    ([], "Anything but e4", None),
    ([], "e4 is illegal", None),
    ([], "e4 loses", None),
    ([], "e4.\nNo, d4.", None),
    ([], "Move: e4. No, d4.", None),
    ([], "Move: e4 - wait, d4 is better", None),
    ([], "My worst move: e4", None),
    ([], "Illegal move: e4", None),
    ([], '{"move": "Ke5", "answer": "e4"}', None),
    ([], '{"tool_calls": [{"arguments": {"move": "e4"}}, {"arguments": {"move": "d4"}}]}', None),
    (["e4", "d5", "exd5", "e6"], "pawn takes", None),
    (["e4", "e5"], "Move: knight to e2 or f3", None),
]


@pytest.mark.parametrize(("before", "reply", "move"), REPLIES, ids=[reply for _, reply, _ in REPLIES])
def test_chess_moves_are_read_in_every_notation_and_nothing_else_is(before, reply, move):
    game = ludovec.Game("chess", 0)
    for played in before:
        game.step(game.string_to_action(played))
    said = text.read_move(game, reply)
    assert (said.action is not None and game.action_to_string(said.action)) == (move or False), said
    assert said or said.reason


@pytest.mark.parametrize("written", ["a8", "a8Q", "a8=Q", "a8(Q)", "a8=Queen", "a7-a8=Q", "a7a8=Q", "a8/Q"])
def test_promotions_are_read_in_every_notation(written):
    game = ludovec.Game("chess", fen="8/P5k1/8/8/8/8/8/K7 w - - 0 1")
    for reply in (written, f"Move: {written}", f"I play {written}.", json.dumps({"move": written})):
        said = text.read_move(game, reply)
        assert said and game.action_to_string(said.action) == "a7a8q", reply
    knight = written.replace("Queen", "knight").replace("Q", "N")
    if knight != written:
        assert game.action_to_string(text.read_move(game, knight).action) == "a7a8n"


def test_replies_in_other_games_name_one_move():
    empires = ludovec.Game("empires", 0, width=8, height=8, players=2)
    while len(empires.legal_actions()) < 4:
        empires.step(empires.bot_action("greedy"))
    conquer = next(
        name for name in map(empires.action_to_string, empires.legal_actions()) if name.startswith("conquer")
    )
    for reply in (
        f"conquer 99,99 (not {conquer})",
        f"Move: conquer 99,99, not {conquer}",
        f"do not {conquer}",
    ):
        assert text.read_move(empires, reply).action is None, reply
    assert text.read_move(empires, f"Move: {conquer}, to grow").action == empires.string_to_action(conquer)
    risk = ludovec.Game("starwars_risk", 0)
    for _ in range(400):
        passing = [a for a in risk.legal_actions() if risk.action_to_string(a).casefold() == "pass"]
        if passing:
            break
        risk.step(risk.legal_actions()[0])
    for reply in ("do not pass", "Move: do not pass", "I will never pass", '{"move": "no pass"}'):
        assert text.read_move(risk, reply).action is None, reply


def said_by(game, action, reply):
    """Whether a reply has a name of an action: its words in order, without the signs between them."""
    squeezed = "".join(letter for letter in reply.casefold() if letter.isalnum() or letter in "@<>/")
    names = [game.action_to_string(action), game.action_in_words(action), str(action)]
    if game.spec.env == "chess":
        start, end, choice = names[0][:2], names[0][2:4], names[0][4:]
        names += [end + choice] if choice else []
        # Pieces and squares of the move, with anything between them.
        pieces = {"N": "knight", "B": "bishop", "R": "rook", "Q": "queen", "K": "king"}
        piece = names[1][0]
        for letter in (piece, pieces.get(piece, "pawn")):
            names += [letter + between + end for between in ("", "to", "takes", f"{start}to", start)]
        names.append(f"{start}to{end}")
    plain = [
        "".join(letter for letter in name.casefold() if letter.isalnum() or letter in "@<>/")
        for name in names
    ]
    return any(name and name in squeezed for name in plain)


@pytest.mark.parametrize("env,options", [SETTINGS[0], SETTINGS[3], SETTINGS[7], SETTINGS[9], SETTINGS[10]])
def test_no_reply_plays_a_move_that_it_does_not_say(env, options):
    """Replies of random parts: legal names, names of other positions, words, signs."""
    words = "Move: |I play |not |no |or |because |instead of |knight |to |takes |x|- |-|(|)|, |. |? |\\n|1. "
    words += "|<move>|</move>"
    words = words.split("|")
    other = ludovec.Game(env, 7, **options)
    for _ in range(9):
        other.step(other.bot_action("random"))
    far = [other.action_to_string(action) for action in other.legal_actions()]
    played = 0
    for game, draw in positions(env, options, games=1, most=60, every=12):
        near = [game.action_to_string(action) for action in game.legal_actions()]
        near += [game.action_in_words(action) for action in game.legal_actions()]
        for _ in range(60):
            kinds = draw.choices((near, far, words), weights=(3, 2, 4), k=draw.randint(1, 5))
            parts = [draw.choice(kind) for kind in kinds]
            reply = draw.choice(["", " "]).join(parts)
            said = text.read_move(game, reply)
            if said:
                played += 1
                assert said_by(game, said.action, reply), (reply, game.action_to_string(said.action))
                assert said.action in game.legal_actions()
    assert played > 10


def test_long_replies_are_read_in_linear_time():
    game = ludovec.Game("chess", 0)
    for reply in (
        "move" + " " * 99_000,
        "\n" * 99_000,
        "I play " * 14_000,
        ". I play e" * 9_000,
        "d4 e4 " * 15_000,
    ):
        assert text.read_move(game, reply).action is None


@pytest.mark.parametrize("variant", _core.chess_variants())
def test_moves_of_chess_variants_are_read_back(variant):
    game, draw = ludovec.Game("chess", 1, variant=variant), random.Random(1)
    for step in range(24):
        if game.is_terminal:
            break
        actions = game.legal_actions()
        if step % 8 == 0:
            for action in draw.sample(actions, min(len(actions), 10)):
                for move in (game.action_to_string(action), game.action_in_words(action)):
                    assert text.read_move(game, f"Good.\nMove: {move}").action == action, move
        game.step(draw.choice(actions))


def test_the_case_of_chess_pieces_counts():
    game = ludovec.Game("chess", fen="4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1")
    assert text.read_move(game, "Bxc3").action == game.string_to_action("d2c3")
    assert text.read_move(game, "bxc3").action == game.string_to_action("b2c3")


@each_setting
def test_texts_are_deterministic_and_equal_for_twins(env, options):
    for game, _ in positions(env, options, games=1, most=60, every=5):
        for player in range(game.spec.players):
            written = text.prompt(game, player)
            assert written == text.prompt(game.clone(), player)
            for seed in (1, 2):
                assert text.prompt(game.determinize(player, seed), player) == written


def test_hidden_orders_do_not_show():
    """All choices of a hidden order lead to one text for the opponent."""
    checked = 0
    for game, _ in positions("starwars_risk", {}, games=3):
        actions = game.legal_actions()
        other = 1 - game.current_player
        if not all(game.action_to_move(action)["type"] == "order" for action in actions) or len(actions) < 2:
            continue
        written = set()
        for action in actions:
            after = game.clone()
            after.step_scripted(action, [])
            if after.current_player != game.current_player:
                break
            written.add(text.observation(after, other))
        else:
            assert len(written) == 1
            checked += 1
    assert checked > 5


def test_rules_are_short(env_id):
    assert len(text.rules(env_id).split()) <= 600
    assert "\n" not in text.rules(env_id, short=True)
    assert text.rules(env_id).startswith(text.rules(env_id, short=True))
    assert "mode=blokus_duo" in text.rules(ludovec.Game("tilewe", 0, mode="blokus_duo"))


@pytest.mark.parametrize("variant", _core.chess_variants())
def test_rules_of_chess_variants_say_what_differs(variant):
    game = ludovec.Game("chess", 0, variant=variant)
    written = text.rules(game)
    assert len(written.split()) <= 600, variant
    if variant == "chess":
        assert written == text.rules("chess")
        return
    told = written.removeprefix(text.rules("chess"))
    assert f"the chess variant {variant}: " in told and told.count("\n- ") >= 1, told
    assert text.rules(game, short=True).startswith(text.rules("chess", short=True))
    # The message of a game has them, and describes every kind of piece that chess does not have.
    assert told.strip() in text.prompt(game)
    for kind in set(game.spec.values["kind"]) - set(ludovec.spec("chess").values["kind"]):
        assert f"{kind.capitalize()} (" in told, (kind, told)


def test_rules_of_chess_options_say_what_differs():
    for flag in next(o for o in ludovec.spec("chess").option_list if o["name"] == "flags")["values"]:
        game = ludovec.Game("chess", 0, flags=[flag])
        assert f"This game is chess with {flag}. What differs from chess:\n- " in text.rules(game)
    both = ludovec.Game("chess", 0, variant="atomic", flags=["knooks"])
    assert "they become a knook" in text.rules(both) and "explodes" in text.rules(both)


def test_variants_in_files_are_told_like_shipped_ones(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text('extends = "chess"\nsummary = "Pawns step sideways"\npieces.P.moves = "mfsWcfF"\n')
    game = ludovec.Game("chess", 0, variant=str(file))
    written = text.rules(game)
    assert "the chess variant mine: Pawns step sideways" in written and "one step sideways" in written
    assert str(tmp_path) not in written
    file.unlink()
    assert "the chess variant" in text.rules(game)


def test_a_game_that_is_not_part_of_the_package_has_general_texts(monkeypatch):
    """A sixth game has no texts of its own; its spec, notation and drawings are enough to play."""
    for table in (rulebook._SHORT, rulebook._FULL, text.positions._NOTATION):
        monkeypatch.delitem(table, "starwars_risk")
    game = ludovec.Game("starwars_risk", 0)
    shape = game.spec
    written = text.rules(game)
    assert written.startswith(shape.summary) and shape.score in written and "hidden" in written
    assert all(family.name in written for family in shape.actions[:20])
    assert len(text.rules("starwars_risk", short=True).split()) < 60
    message = text.prompt(game)
    assert written in message and text.legal_moves(game) in message
    label = game.action_to_string(game.legal_actions()[0])
    assert text.read_move(game, f"Move: {label}").action == game.legal_actions()[0]


@pytest.mark.parametrize("env,options", [SETTINGS[0], SETTINGS[-1]])
def test_the_longest_texts_stay_short(env, options):
    """1,500 tokens are about 3,600 characters of these texts; the documentation has counts of tokens."""
    for game, _ in positions(env, options, most=400, every=20):
        written = text.observation(game)
        assert len(written) < 3600, written
        assert len(text.legal_moves(game, "withheld")) == 0


def test_recent_moves_show_own_dice_and_what_others_did():
    game = ludovec.Game("empires", 0, players=2, width=8, height=8)
    first = game.current_player
    game.step(game.string_to_action("harvest"))
    while game.current_player != first:
        game.step(game.string_to_action("pass"))
    told = text.moves_since(game)
    assert "Harvest 5 gold" in told and "(you)" in told
    assert text.moves_since(ludovec.Game("chess", 0)) == ""


def test_regret_finds_the_mate_and_the_blunder():
    """A mate in one loses nothing, and a move that allows one loses."""
    mate = ludovec.Game("chess", fen="6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    best, waste = mate.string_to_action("Ra8"), mate.string_to_action("Rb1")
    good, bad = text.regret([(mate, best), (mate, waste)], simulations=64, repeats=3)
    assert good.best == best and good.regret == 0.0 and good.share_best == 1.0
    assert bad.best == best and bad.regret == pytest.approx(1.0 - bad.share)
    assert bad.regret > 0.05 and bad.error >= 0.0
    assert mate.steps == 0


def test_regret_takes_all_games_at_once_and_repeats_itself(env_id):
    decisions = []
    for seed in range(2):
        game = ludovec.Game(env_id, seed)
        decisions.append((game, game.legal_actions()[-1]))
    how = {"simulations": 4, "repeats": 2, "seed": 3}
    if env_id == "chess":
        decisions = [(ludovec.Game("chess", fen="8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"), None)]
        decisions = [(game, game.legal_actions()[0]) for game, _ in decisions]
    grades = text.regret(decisions, **how)
    assert grades == text.regret(decisions, num_threads=1, **how)
    assert all(
        0.0 <= grade.regret <= 1.0 and grade.best in game.legal_actions()
        for grade, (game, _) in zip(grades, decisions)
    )
    with pytest.raises(ludovec.IllegalAction, match="decision 0"):
        text.regret([(decisions[0][0], 10**6)])
