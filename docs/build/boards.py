"""Playable boards on pages: the static pages of `make web-pages`, in a frame that the first click opens."""

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import environments

#: The static pages, and their folder in the site.
BUILT, FOLDER = environments.ROOT / "target" / "web", "boards"
#: The mark of a page: all games, or the games it names. A picture before it is for copies without boards.
MARK = r"(!\[[^\]]*\]\([^)]*\)\n\n)?<!-- boards:([\w ]*)-->"
ABSENT = "`make web-pages` builds them"


@cache
def listed() -> dict[str, dict[str, Any]]:
    """The environments of the static pages, with their seats and levels."""
    file = BUILT / "environments.json"
    entries = json.loads(file.read_text()) if file.exists() else []
    return {entry["id"]: entry for entry in entries if (BUILT / f"{entry['id']}.wasm").exists()}


def files() -> list[Path]:
    """The files of the static pages."""
    return [file for file in sorted(BUILT.rglob("*")) if file.is_file()] if listed() else []


def address(env: str, player: str, depth: str) -> str:
    """The address that starts a game against a player."""
    others = len(listed()[env]["seats"]) - 1
    seats = ",".join(["human", *[player] * others])
    return f"{depth}{FOLDER}/index.html#play/{env}?seats={seats}"


def cards(named: str, depth: str) -> str:
    """The boards of the named games, by default all, as HTML; a sentence or nothing if none is built."""
    drawn = []
    for env in environments.TITLES:
        if env not in listed() or (named.split() and env not in named.split()):
            continue
        title, levels = escape(environments.TITLES[env]), listed()[env]["levels"]
        links = " ".join(
            f'<a class="md-button" href="{address(env, level["player"], depth)}" '
            f'title="{escape(level["help"])}">{level["name"]}</a>'
            for level in levels
        )
        drawn.append(
            f'<figure><a href="{address(env, levels[1]["player"], depth)}">'
            f'<img src="{depth}pictures/{env}.svg" alt="a game of {title}" loading="lazy"></a>'
            f"<figcaption>Play {title}<br>{links}</figcaption></figure>"
        )
    if not drawn:
        return "" if named.split() else f"This copy of the site has no boards: {ABSENT}."
    return f'<div class="boards">{"".join(drawn)}</div>'


def replaced(mark: re.Match[str], depth: str) -> str:
    """The boards in place of a mark and of the picture before it, or the picture if none is built."""
    return cards(mark[2], depth) if listed() else (mark[1] or "") + cards(mark[2], depth)


def state() -> str:
    """One line about the boards of this build."""
    return (
        f"playable boards: {', '.join(listed())}" if listed() else f"playable boards are left out: {ABSENT}"
    )
