"""Draws the pictures of the rules in `docs/watch/rules/`: python docs/rules_pictures.py.

Each is a position of a real game between bots, drawn by the renderer of the package.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ludovec

PICTURES = Path(__file__).parent / "pictures" / "rules"
#: File, environment, options, seed, bot, decisions before the picture, arguments of the drawing.
SCENES: list[tuple[str, str, dict[str, Any], int, str, int, dict[str, Any]]] = [
    ("smallworld_pick", "smallworld", {"players": 2, "map": "board"}, 2, "conqueror", 0, {}),
    ("smallworld_conquer", "smallworld", {"players": 2, "map": "board"}, 2, "conqueror", 1, {"legal": True}),
    ("smallworld_later", "smallworld", {"players": 2, "map": "board"}, 2, "conqueror", 90, {}),
    ("tilewe_second", "tilewe", {"mode": "blokus_duo"}, 2, "greedy", 2, {"legal": True}),
    ("tilewe_end", "tilewe", {"mode": "blokus_duo"}, 2, "greedy", 1000, {}),
    ("chess_check", "chess", {"fen": "4k3/8/8/8/8/8/4r3/4K2R w K - 0 1"}, 1, "greedy", 0, {"legal": True}),
    ("starwars_risk_start", "starwars_risk", {}, 2, "shield", 0, {}),
    ("starwars_risk_battle", "starwars_risk", {}, 2, "shield", 40, {"legal": True}),
    ("empires_start", "empires", {"players": 2, "width": 12, "height": 8}, 2, "greedy", 0, {"legal": True}),
    ("empires_later", "empires", {"players": 2, "width": 12, "height": 8}, 2, "greedy", 160, {}),
]


def made() -> dict[Path, str]:
    """The files with their contents."""
    files = {}
    for name, env, options, seed, bot, decisions, view in SCENES:
        game = ludovec.Game(env, seed=seed, **options)
        for _ in range(decisions):
            if game.is_terminal:
                break
            game.step(game.bot_action(bot))
        files[PICTURES / f"{name}.svg"] = game.to_svg(size=560, **view).rstrip() + "\n"
    return files


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for file, text in made().items():
        file.write_text(text, encoding="utf-8", newline="\n")
        print(file)
