"""Legal moves and recent moves as text."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal

from .._shared import checks
from .._shared.errors import config_error
from ..game import Game

Listing = Literal["grouped", "dense", "listed", "withheld"]
LISTINGS = ("grouped", "dense", "listed", "withheld")

#: The price or the means at the end of an action in words: equal ones form a group.
_PRICE = re.compile(r" (?:for (\d+ \w+|nothing)|with the (die))$")
#: An action as head, target and tail: ``CONQUER``, ``12``, `` rest``.
_TARGET = re.compile(r"^(.*\D)(\d+(?:,\d+)?)( rest)?$")
_TILE = re.compile(r"^(.*-[a-e]\d)([a-t]\d+)$")


def legal_moves(game: Game, listing: Listing = "grouped") -> str:
    """The legal moves: ``"grouped"`` by kind (``CONQUER (2 tokens): 3 12 17``), ``"dense"`` with runs as
    ``3-5`` and kinds of equal targets on one line, ``"listed"`` with words, one a line, or ``"withheld"``, an
    empty text. Empty once the game is over."""
    if listing not in LISTINGS:
        raise config_error(f"legal={listing!r:.100}: {', '.join(LISTINGS)} are allowed")
    actions = game.legal_actions()
    if listing == "withheld" or not actions:
        return ""
    if listing == "listed":
        told = (f"{game.action_to_string(a)}  {game.action_in_words(a)}".rstrip() for a in actions)
        return "\n".join(["Legal moves, with their meaning:", *told])
    if game.spec.env == "chess":
        return f"Legal moves: {' '.join(map(game.action_in_words, actions))}"
    groups = _groups(game, actions)
    if listing == "dense":
        return _dense(game, groups)
    lines: list[str] = []
    for (head, tail, note), targets in groups.items():
        if targets == [""]:
            lines.append(f"{head}{note}")
        else:
            after = f" N{tail}" if tail else ""
            lines.append(f"{head.rstrip()}{after}{note}: {' '.join(targets)}")
    return "\n".join(["Legal moves, a kind and its targets a line:", *lines])


def _groups(game: Game, actions: list[int]) -> dict[tuple[str, str, str], list[str]]:
    """The targets of moves by kind: head, tail, and price of a move."""
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for action in actions:
        label = game.action_to_string(action)
        found = (_TILE if game.spec.env == "tilewe" else _TARGET).match(label)
        price = _PRICE.search(game.action_in_words(action))
        note = f" ({price[1] or price[2]})" if price else ""
        if found is None:
            groups[label, "", note].append("")
        else:
            tail = found[3] if found.re is _TARGET else None
            groups[found[1], tail or "", note].append(found[2])
    return groups


def _dense(game: Game, groups: dict[tuple[str, str, str], list[str]]) -> str:
    """Kinds with equal targets share a line, and targets are runs."""
    kinds: dict[str, list[str]] = defaultdict(list)
    rows: dict[str, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    head = "Legal moves, kinds and their targets a line; 3-5 is 3, 4 and 5:"
    for (kind, _, note), targets in groups.items():
        if kind.endswith(","):  # Cells x,y of a grid: a row has the cells of all columns.
            head = "Legal moves, kinds and their cells a line; y=4: 1 3-5 is 1,4 and 3,4 and 4,4 and 5,4:"
            name, _, x = kind.rpartition(" ")
            for y in targets:
                rows[f"{name} X,Y{note}"][int(y)].append(int(x.rstrip(",")))
    for kind, found in rows.items():
        kinds["; ".join(f"y={y}: {_runs(found[y])}" for y in sorted(found))].append(kind)
    for (kind, tail, note), targets in groups.items():
        if targets == [""]:
            kinds[f"{kind}{note}"] = []
        elif not kind.endswith(","):
            after = f" N{tail}" if tail else ""
            text = _runs(map(int, targets)) if targets[0].isdecimal() else " ".join(targets)
            kinds[text].append(f"{kind.rstrip()}{after}{note}")
    lines = (f"{' or '.join(names)}: {text}" if names else text for text, names in kinds.items())
    return "\n".join([head, *lines])


def _runs(numbers: Iterable[int]) -> str:
    """Increasing numbers with runs of three or more as ``3-5``."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else " ".join(map(str, run)) for run in runs)


def moves_since(game: Game, player: int | None = None, start: int | None = None, most: int = 60) -> str:
    """The moves since a player's last decision, that one included, with the results of dice.

    Cards that other players order stay hidden.

    Args:
        game: The game with its history.
        player: The reader; ``None`` is the current player.
        start: Index of the first step; ``None`` is the player's last decision, or the start of the game.
        most: Maximum number of moves; earlier ones are counted.
    """
    player = game.current_player if player is None else game._player(player)
    most = checks.positive("most", most)
    log = game.log
    if start is None:
        own = [i for i, entry in enumerate(log) if entry["player"] == player]
        start = own[-1] if own else 0
    first = max(checks.count("start", start), len(log) - most)
    lines: list[tuple[int, list[str]]] = []
    for i in range(first, len(log)):
        seat = log[i]["player"]
        text = game._core.describe(i) or log[i]["label"]
        if seat != player and log[i]["move"].get("type") == "order":
            # The other side's card is hidden; the card that it turns is not.
            text = "; ".join(["Order a card", *text.split("; ")[1:]])
        if lines and lines[-1][0] == seat:
            lines[-1][1].append(text)
        else:
            lines.append((seat, [text]))
    if not lines:
        return ""
    omitted = [f"{first - start} earlier moves are left out."] if first > start else []
    told = [
        f"{game.names[seat]}{' (you)' if seat == player else ''}: {' | '.join(texts)}"
        for seat, texts in lines
    ]
    return "\n".join(["Since your last decision:", *omitted, *told])
