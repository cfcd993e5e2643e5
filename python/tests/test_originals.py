"""The originals' interfaces: each public name of their documents is here, or has a documented reason."""

import importlib
import json
import re
from dataclasses import is_dataclass
from pathlib import Path

import pytest
from ludovec import chess, smallworld, starwars_risk, tilewe

NAMES = json.loads((Path(__file__).parent / "originals.json").read_text())
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "originals.md"
HEADINGS = {
    "smallworld": "Small World",
    "tilewe": "Tilewe",
    "chess": "Chess",
    "starwars_risk": "Star Wars Risk",
    "empires": "Terminal of Empires",
}
#: Objects with attributes that their classes lack.
EXAMPLES = {
    "SmallWorldGame": smallworld.SmallWorldGame(),
    "HeadlessAgentGame": starwars_risk.HeadlessAgentGame(
        starwars_risk.RandomAgent(), starwars_risk.RandomAgent()
    ),
    "Player": chess.Player("white"),
    ("tilewe", "Board"): tilewe.Board(n_players=4),
    ("chess", "Board"): chess.Game("chess").board,
}


def found(game, name):
    """Whether a dotted name of a module exists; fields of dataclasses count."""
    here = importlib.import_module(f"ludovec.{game}")
    for part in name.split("."):
        if is_dataclass(here) and isinstance(here, type) and part in here.__dataclass_fields__:
            return True
        if not hasattr(here, part):
            return False
        here = EXAMPLES.get((game, part), EXAMPLES.get(part, getattr(here, part)))
    return True


def excused(game):
    """Names that the table "not here" of a game's section lists; each has a reason."""
    section = re.search(
        rf"^## {HEADINGS[game]}\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.DOTALL | re.MULTILINE
    )
    rows = re.search(r"^\| not here \| reason \|\n\|---\|---\|\n((?:\|.*\n)+)", section[1], re.MULTILINE)
    names = {}
    for row in rows[1].splitlines() if rows else []:
        listed, reason = row.strip("|").split("|")
        names |= dict.fromkeys(re.findall(r"`([\w.]+)`", listed), reason.strip())
    return names


@pytest.mark.parametrize("game", NAMES)
def test_every_name_of_the_document_exists_or_has_a_reason(game):
    reasons = excused(game)
    missing = [name for name in NAMES[game] if not found(game, name)]
    assert not [name for name in missing if name not in reasons]
    assert all(len(reason.split()) > 3 for reason in reasons.values())
    assert not [name for name in reasons if found(game, name)], "the page lists names that exist"
    assert not [name for name in reasons if name not in NAMES[game]], "not in the document"
