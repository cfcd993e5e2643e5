"""Playable boards on pages: the static pages of `make web-pages`, in a frame that the first click opens."""

import json
from html import escape
from pathlib import Path

import environments

#: The static pages, and their folder in the site.
BUILT, FOLDER = environments.ROOT / "target" / "web", "boards"
#: The mark of a page: all games, or the games it names.
MARK = r"<!-- boards:([\w ]*)-->"
#: Levels, and the player of the other seats.
LEVELS = {"easy": "net:champion", "medium": "net:champion:16", "strong": "net:champion:64"}


def built() -> list[str]:
    """The environments with a static page, in the order of the documentation."""
    return [env for env in environments.TITLES if (BUILT / f"{env}.wasm").exists()]


def files() -> list[Path]:
    """The files of the static pages."""
    return [file for file in sorted(BUILT.rglob("*")) if file.is_file()] if built() else []


def address(env: str, level: str, depth: str) -> str:
    """The address that starts a game against a level."""
    others = environments.spec(env)["players"] - 1
    seats = ",".join(["human", *[LEVELS[level]] * others])
    return f"{depth}{FOLDER}/index.html#play/{env}?seats={seats}"


def cards(named: str, depth: str) -> str:
    """The boards of the named games, by default all, as HTML; a sentence or nothing if none is built."""
    games = [env for env in built() if not named.split() or env in named.split()]
    drawn = []
    for env in games:
        title = escape(environments.TITLES[env])
        levels = " ".join(
            f'<a class="md-button" href="{address(env, level, depth)}">{level}</a>' for level in LEVELS
        )
        drawn.append(
            f'<figure><a href="{address(env, "easy", depth)}">'
            f'<img src="{depth}pictures/{env}.svg" alt="a game of {title}" loading="lazy"></a>'
            f"<figcaption>Play {title}<br>{levels}</figcaption></figure>"
        )
    if not drawn:
        return "" if named.split() else "This copy of the site has no boards: `make web-pages` builds them."
    return f'<div class="boards">{"".join(drawn)}</div>'


def state() -> str:
    """One line about the boards of this build."""
    sizes = json.dumps({env: round((BUILT / f"{env}.wasm").stat().st_size / 1e6, 1) for env in built()})
    return (
        f"playable boards (MB): {sizes}"
        if built()
        else "playable boards are left out: make web-pages builds them"
    )
