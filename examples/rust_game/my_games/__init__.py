"""Games in Rust for ludovec; importing the module registers them."""

from pathlib import Path

import ludovec

(library,) = (
    file for file in Path(__file__).parent.glob("_games*") if file.suffix in (".so", ".pyd", ".dylib")
)
#: The ids of the games.
GAMES = ludovec.load(library)
