"""Texts are part of the version of an environment: a hash per game changes only together with it.

``LUDOVEC_UPDATE=1`` writes the hashes of environments with a new version, and of new environments.
"""

import hashlib
import json
import os
import random
from pathlib import Path

import ludovec
import pytest
from ludovec import _core, text

FILE = Path(__file__).parents[2] / "tests" / "data" / "texts.json"

#: Settings of the hashed texts, by environment.
SETTINGS = {
    "smallworld": [{"players": players} for players in (2, 3, 5)],
    "tilewe": [{}, {"players": 2}, {"mode": "blokus"}, {"mode": "blokus_duo"}, {"mode": "blokus_2"}],
    "chess": [{"variant": name} for name in _core.chess_variants()],
    "starwars_risk": [{}],
    "empires": [{"width": 20, "height": 14}, {"players": 2, "width": 8, "height": 8}],
}


def texts(env):
    """All texts of some positions of an environment."""
    yield text.rules(env, short=True)
    for seed, options in enumerate(SETTINGS[env]):
        game, draw = ludovec.Game(env, seed, **options), random.Random(seed)
        yield text.rules(game)
        yield text.legend(game)
        for step in range(40):
            if game.is_terminal:
                break
            if step % 13 == 0:
                for player in range(game.spec.players):
                    yield text.observation(game, player)
                yield text.legal_moves(game, "listed")
                yield text.read_move(game, "no move at all").reason
            game.step(draw.choice(game.legal_actions()))


def hashed(env):
    whole = hashlib.sha256()
    for part in texts(env):
        whole.update(part.encode() + b"\0")
    return whole.hexdigest()


@pytest.mark.skipif(not FILE.parent.exists(), reason="needs the checkout")
def test_texts_change_only_with_the_version(env_id):
    known = json.loads(FILE.read_text()) if FILE.exists() else {}
    now = {"version": ludovec.spec(env_id).version, "sha256": hashed(env_id)}
    before = known.get(env_id)
    if os.environ.get("LUDOVEC_UPDATE") and (before is None or before["version"] != now["version"]):
        known[env_id] = before = now
        FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")
    assert before is not None, f"{env_id} has no hash: LUDOVEC_UPDATE=1 writes it"
    assert now["version"] == before["version"], "a new version: LUDOVEC_UPDATE=1 writes its hash"
    assert now == before, f"texts of {env_id} changed: raise the VERSION of the environment"


def test_every_environment_is_hashed(env_id):
    assert env_id in SETTINGS


def test_the_hash_depends_on_the_texts(monkeypatch):
    before = hashed("starwars_risk")
    monkeypatch.setitem(text.rulebook._FULL, "starwars_risk", "other rules")
    assert hashed("starwars_risk") != before
