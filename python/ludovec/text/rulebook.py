"""The rules of each game: a paragraph, and at most 600 words."""

from __future__ import annotations

from typing import Any

from .. import _arguments, _core
from .._errors import shown
from ..game import Game
from ..spec import Spec, spec

#: Most kinds of moves in the rules of a game that is not part of the package.
_MOST_KINDS = 20

_SHORT = {
    "smallworld": (
        "Small World: two to five players conquer regions of a map with fantasy races, each joined with a "
        "special power. Take a race from the row, conquer regions by spending its tokens, spread the "
        "tokens over your regions, and earn a coin for each region, plus the bonuses of race and power. "
        "When a race is worn out, put it in decline and take another one. The most coins after the last "
        "turn win."
    ),
    "tilewe": (
        "Tilewe: each player places pieces of one to five squares on a square board. The first piece "
        "covers a start square. Every later piece touches a piece of the same colour at a corner and "
        "never along a side. The most placed squares win."
    ),
    "chess": (
        "Chess: two players move pieces on a board, White first. A king under attack is in check and its "
        "player must save it at once. Checkmate wins. A player without a legal move and not in check "
        "draws. Variants change the armies, the boards and the goals."
    ),
    "starwars_risk": (
        "Star Wars Risk: the Rebels and the Empire fight at once in space, on Endor and in the throne "
        "room. Each round both sides order three of their cards in secret, turn them up in turn, and "
        "carry out one icon of each. The Rebels win by destroying the Death Star, the Empire by "
        "destroying every rebel ship."
    ),
    "empires": (
        "Terminal of Empires: two to eight players spread over a grid from one castle each. A player has "
        "one action a turn: conquer a cell beside its own, build a farm, a fort or a castle, harvest, or "
        "pass. A player without castles at the end of a turn is eliminated. The last player wins."
    ),
}

_FULL = {
    "smallworld": """\
Goal: the most coins after the last turn (turn 10 with 2 or 3 players, 9 with 4, 8 with 5).

PICK_COMBO i: without an active race, take entry i of the row, a race with a power. Each entry before i \
gets a coin of yours. Coins on yours are your gain.
EXPAND or DECLINE: with an active race, go on, or put it in decline, which takes the whole turn. A \
declined race keeps one token a region and still earns coins. An older one leaves the map.
CONQUER r: take region r for 2 tokens, plus 1 for a mountain and 1 for every token, lost tribe, \
encampment, fortress or lair in it; at least 1. Begin at the border of the map, go on beside your \
regions. Seas and lakes are closed. The loser of a region loses one token for good and takes the others \
back.
FINAL_CONQUEST r: with too few tokens, the die (0, 0, 0, 1, 2 or 3) helps. It ends the conquests, won or \
not. SKIP_CONQUEST ends them, too. ABANDON r gives up a region of yours.
REDEPLOY r: put a token from your hand on a region of yours, one at a time; "REDEPLOY r rest" puts all \
the rest. OPPONENT_REDEPLOY r: the same for tokens that you lost in another player's turn.
Then each region earns 1 coin, with bonuses.

Races. Amazons: 4 more tokens for conquests only. Dwarves: 1 coin more for each mine, in decline too. \
Elves: lose no token when conquered. Ghouls: keep all tokens in decline and still conquer. Giants: 1 \
less beside a mountain of theirs. Halflings: enter anywhere; holes in the first two regions make them \
immune. Humans: 1 coin more for each farmland. Orcs: 1 coin for each non-empty region conquered this \
turn. Ratmen: many tokens. Skeletons: 1 more token for every two non-empty regions conquered this turn. \
Sorcerers: USE_SORCERER replaces a lone neighbouring active token. Tritons: 1 less on coasts. Trolls: a \
lair in each region adds 1 to its defence. Wizards: 1 coin more for each magic source.

Powers. Alchemist: 2 coins a turn. Berserk: ROLL_DIE before every conquest. Bivouacking: 5 encampments, \
each adds 1 to the defence (PLACE_BIVOUACS). Commando: 1 less for every conquest. Diplomat: choose a \
player who may not attack your active race (CHOOSE_DIPLOMAT_ALLY). Dragon Master: once a turn conquer a \
region with 1 token, and it is immune (USE_DRAGON). Flying: conquer any region, near or not. Forest, \
Hill, Swamp: 1 coin more for each such region. Fortified: a fortress each turn adds 1 to the defence and \
earns 1 coin (PLACE_FORTRESS). Heroic: two heroes make regions immune (PLACE_HEROES). Merchant: 1 coin \
more for each region. Mounted: 1 less on hills and farmland. Pillaging: 1 coin for each non-empty region \
conquered this turn. Seafaring: seas and lakes may be conquered. Spirit: its decline does not remove the \
older declined race. Stout: decline at the end of an ordinary turn (STOUT_DECLINE). Underworld: 1 less \
for caverns, and caverns are neighbours. Wealthy: 7 coins once.

Coins of other players are hidden.""",
    "tilewe": """\
Goal: the most placed squares. Ties share the win.

Each colour has 21 pieces, one of each shape of one to five squares: O1; I2; I3, L3; O4, I4, L4, Z4, T4; \
F5, I5, L5, N5, P5, T5, U5, V5, W5, X5, Y5, Z5. The digit is the number of squares. A piece may be \
turned and flipped.

The first piece of a colour covers a start square: a free corner of the board, or the \
colour's own square in some modes. Every later piece touches a piece of the same colour at a corner, and \
never along a side. Pieces of other colours may touch in any way. Pieces do not overlap and stay where \
they are.

Columns are letters from the left, rows are numbers from below. A move names the piece, its rotation, \
one of its squares (the contact) and the tile that this square covers: "L3n-a1c4". A list of the covered \
tiles is a move as well: "c4,c5,d4".

The game skips a colour without a placement; there is no pass. When no colour can move, the game is over. \
In modes with a bonus, a colour with all pieces on the board gets 15 points, and 5 more if the single \
square was the last one.

Hints: place large pieces early, move to the middle, and keep corners open for yourself and closed for \
the others.""",
    "chess": """\
Goal: checkmate the king of the opponent, unless the variant sets another goal.

White moves first, then the players alternate. A piece moves to an empty square or captures a piece of \
the opponent by moving to its square. King: one step in any direction. Queen: any distance in a straight \
or diagonal line. Rook: straight. Bishop: diagonal. Knight: a leap of two squares straight and one \
aside, over other pieces. Pawn: one step forward, or two from its first rank; it captures one step \
diagonally forward. A pawn that just made two steps may be captured as if it had made one (en passant). \
A pawn on the last rank becomes a queen, rook, bishop or knight.

Castling: a king and a rook that have not moved, with nothing between them; the king is not in check and \
crosses no attacked square. The king moves two squares towards the rook, and the rook jumps over it \
(O-O, O-O-O).

A player in check must end the check. Check without an escape is checkmate. No legal move without check \
is stalemate, a draw. The game is also drawn by the third repetition of a position, by 50 moves of both \
players without a capture or pawn move, and when no series of moves can mate.

Moves are written in standard algebraic notation (Nf3, exd5, e8=Q, O-O) or as squares (g1f3, e7e8q). \
Capital letters are White's pieces on the board, small letters are Black's. Variants may use other \
pieces, boards, drops (N@f3) and goals; the legal moves follow their rules.""",
    "starwars_risk": """\
Two sides: the Rebels (player 1) and the Empire (player 2). The Rebels win by destroying the Death Star. \
The Empire wins when no rebel ship is left.

Each round both sides hold six cards. Each orders three of them in secret, the first ordered card is \
turned last: the text lists your stack from the next card on. Then the sides turn their cards up one by \
one, and the owner carries out one icon of its card, or plays nothing.

Icons. move_SHIP: move ships of one kind to a neighbouring space ("move from", "move to", "move COUNT"), \
then attack ("attack SPACE" or "hold"). Falcon and Executor move one step or two; "stop" ends the move. \
The attack rolls a die for each ship that moved, five at most; the Falcon rolls 2 and the Executor 4. A \
die hits X-wings and TIE fighters from 3 on, Y-wings from 4 on, and the others from 5 on. With a choice, \
"hit SHIP" names the ship. The Falcon takes 6 hits and the Executor 8. spawn: four TIE fighters at the \
Executor. fire_deathstar SPACE: the Death Star rolls 2 dice at ships in a space and hits from 5 on. \
shield: the strike team on Endor runs along the track of the shield with five dice; every die that \
reaches the number of the next space advances it. stormtroopers: the Empire posts troops against it. \
lightsaber and lightning: Luke and Vader lower each other's counter: 1 for each of four dice from 4 on, \
or 2. hat: ends the duel of the throne room. The winner of the throne room draws bonus cards.

When the shield is down, rebel ships next to the Death Star may attack the station, and one 6 destroys \
it.

Hands, orders and decks of the opponent are hidden. The discarded cards are open.""",
    "empires": """\
Goal: be the last player with a castle. All players alive after the last turn share the win.

The map is a grid; cells are x,y with 0,0 at the upper left. Two cells are neighbours if they share a \
side. Every player begins with one castle. In a turn each player acts once, in a random order.

harvest: gains 5 gold from every farm and castle of yours.
farm x,y; fort x,y; castle x,y: build on a cell of yours without a structure, for 5, 25 or 75 gold. Each \
further castle needs more cells: more than the map's tiles per castle for every castle that you own.
conquer x,y: take a cell beside one of yours. Empty land costs 1 gold, a farm 2, a fort 50, a castle \
100. Land and farms beside a fort or castle of their owner cost 25. A conquered cell becomes land: its \
structure is gone.
pass: do nothing.

A player without castles at the end of a turn is eliminated, and its cells stay where they are.

Hints: gold comes from harvests only, so farms pay back. Every fort protects its neighbouring cells. \
Nothing is hidden: maps, gold and structures are open.""",
}

_DIFFERENT = {"mode", "rules", "board", "start", "colors", "bonus", "public_coins"}


def rules(game: Game | str, *, short: bool = False) -> str:
    """The rules of a game in at most 600 words, or in one paragraph.

    A game adds its mode, or its chess variant with everything that differs from chess. The rules of a game
    that is not part of the package follow from its spec.

    Args:
        game: A game, or the id of an environment.
        short: One paragraph.

    Raises:
        InvalidConfig: The environment is unknown.
    """
    shape = game.spec if isinstance(game, Game) else spec(_arguments.word("game", game))
    usual = spec(shape.env).options
    if shape.env not in _SHORT:
        return _general(shape, short)
    parts = [_SHORT[shape.env], *([] if short else [_FULL[shape.env]])]
    changed = {key: value for key, value in shape.options.items() if value != usual.get(key)}
    own = {key: value for key, value in changed.items() if key in _DIFFERENT}
    if own:
        listed = ", ".join(f"{key}={_shown(value)}" for key, value in own.items())
        parts.append(f"This game is played with {listed}.")
    if shape.env == "chess" and ("variant" in changed or "flags" in changed):
        parts.append(_variant(shape.options, short))
    return (" " if short else "\n\n").join(parts)


def _shown(value: object) -> str:
    return "+".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _variant(options: dict[str, Any], short: bool) -> str:
    """A chess variant: its name, and what differs from chess."""
    flags = list(options["flags"])
    added = f" with {', '.join(flags)}" if flags else ""
    try:
        name, summary, differences = _core.chess_variant(options["variant"], flags)
    except _core.InvalidConfig:
        # The file of a running game has gone or changed.
        return f"This game is the chess variant {shown(str(options['variant']), 100)}{added}."
    if options["variant"] == "chess":
        head = f"This game is chess{added}."
    else:
        head = f"This game is the chess variant {name}{added}: {summary}."
    if short:
        # Flags have no summary.
        return " ".join([head, *(differences if flags else [])])
    listed = "\n".join(f"- {sentence}" for sentence in differences)
    return f"{head} What differs from chess:\n{listed}"


def _general(shape: Spec, short: bool) -> str:
    """The rules of any game, as far as its spec tells them."""
    players = f"{shape.players} players take part" if shape.players > 1 else "One player takes part"
    hidden = ", and parts of the position are hidden from the others" if shape.hidden_information else ""
    first = f"{shape.summary.rstrip('.')}. {players}{hidden}."
    if short:
        return " ".join(first.split())
    kinds = "\n".join(f"- {family.name}: {family.meaning}" for family in shape.actions[:_MOST_KINDS])
    more = len(shape.actions) - _MOST_KINDS
    rest = f"\n- {more} further kinds" if more > 0 else ""
    parts = [
        " ".join(first.split()),
        f"The kinds of moves:\n{kinds}{rest}",
        f"The score is {shape.score}. A game without a result ends after {shape.max_episode_steps} "
        "decisions. The legal moves follow all rules.",
    ]
    return "\n\n".join(parts)
