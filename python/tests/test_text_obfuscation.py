"""Renamed games: no usual name is in a message, and every move reads back to its action."""

import random
import re

import ludovec
import pytest
from ludovec import text

NAMES = [
    name.removesuffix("s")
    for table in ("race", "power", "terrain")
    for words in ludovec.spec("smallworld").values[table]
    for name in words.split()
]
#: Words that begin like a usual name of the game.
USUAL = {
    "smallworld": re.compile(
        rf"\b(?i:{'|'.join(NAMES)}|small|world|conque|redeploy|declin|abandon|fortress|heroes|holes?\b|lair"
        r"|tribe|coast|cavern|mine)"
    ),
    "chess": re.compile(
        r"\b(?i:chess|king|queen|rook|bishop|knight|pawn|white|black|castl|check|stalemate|mates?\b|fen\b)"
        r"|\b[KQRBNP]?[a-h]?[1-8]?x?[a-h][1-8]|\b[KQRBNP]\b|O-O"
    ),
}


def games(env, count, **options):
    """Positions of random games."""
    for seed in range(count):
        rng = random.Random(seed)
        game = ludovec.Game(env, seed=seed, **options)
        while not game.is_terminal:
            if rng.random() < 0.15:
                yield game
            game.step(rng.choice(game.legal_actions()))


@pytest.mark.parametrize(("env", "options"), [("smallworld", {"players": 3}), ("chess", {"max_steps": 120})])
@pytest.mark.parametrize("seed", [0, 7])
def test_messages_have_no_usual_name_and_moves_read_back(env, options, seed):
    positions = moves = 0
    for game in games(env, 2, **options):
        names = text.Obfuscation(game, seed)
        for legal in ("grouped", "dense", "listed"):
            shown = names.hide(text.prompt(game, legal=legal))
            assert not USUAL[env].search(shown), USUAL[env].search(shown)
        positions += 1
        for action in game.legal_actions():
            for written in (game.action_to_string(action), game.action_in_words(action)):
                hidden = names.hide(written)
                said = text.read_move(game, names.read(f"I think.\nMove: {hidden}"))
                assert said.action == action, (written, hidden, said)
                # Names without a drawn one, such as ROLL_DIE, are read as they are.
                plain = text.read_move(game, names.read(f"Move: {written}"))
                assert hidden == written or plain.action is None, (written, hidden)
                moves += 1
    assert positions > 10 and moves > 400


def test_environments_of_text_have_drawn_names():
    with (
        ludovec.make_text("chess", "random", obfuscate=3, seed=0) as env,
        ludovec.make_text("chess", "random", seed=0) as usual,
    ):
        shown, plain = env.reset()[0], usual.reset()[0]
        names = text.Obfuscation(env.game, 3)
        assert shown == names.hide(plain) and shown == text.Obfuscation(env.spec, 3).hide(plain)
        assert shown != text.Obfuscation(env.game, 4).hide(plain)
        refused, _, _, _, info = env.step("Move: e4")
        assert info["action"] is None and not USUAL["chess"].search(info["reason"].replace("e4", ""))
        assert refused == info["reason"] and "e4" in refused
        hidden = {"name": "play", "arguments": {"move": names.hide("e4")}}
        after, _, _, _, info = env.step(hidden)
        assert info["action"] == usual.step("Move: e4")[4]["action"] and not USUAL["chess"].search(after)
        # Numbers of actions are in no message.
        assert env.step({"move": env.game.legal_actions()[0]})[4]["action"] is None


@pytest.mark.parametrize("reply", ["\u265e f6", "0-0", "o-o", "knight f6", "castle short", "Ng1-f3"])
def test_usual_notations_of_chess_are_no_moves(reply):
    game = ludovec.Game("chess", fen="r3k2r/8/8/8/8/8/8/R3K1NR w KQkq - 0 1")
    assert text.read_move(game, text.Obfuscation(game, 1).read(reply)).action is None


@pytest.mark.parametrize(
    ("env", "options", "seed", "said"),
    [
        ("tilewe", {}, 0, "smallworld and chess with variant=chess"),
        ("chess", {"variant": "atomic"}, 0, "smallworld and chess with variant=chess"),
        ("smallworld", {}, -1, "seed"),
    ],
)
def test_wrong_arguments(env, options, seed, said):
    with pytest.raises(ludovec.InvalidConfig, match=said):
        ludovec.make_text(env, "random", obfuscate=seed, **options)
