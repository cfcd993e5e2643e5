"""Positions as compact text: a legend once a game, and the parts that change."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any

from .. import _core
from ..game import Game

_FEATURES = {"MAGIC_SOURCE": "magic", "COASTAL": "coast"}
_MARKERS = {"TROLL_LAIR": "lair", "HOLE_IN_THE_GROUND": "hole"}


def legend(game: Game) -> str:
    """The parts of a game that never change, and the notation of its positions."""
    own = {"smallworld": _regions, "tilewe": _pieces, "starwars_risk": _spaces}.get(game.spec.env)
    return _NOTATION.get(game.spec.env, "") + (own(game) if own else "")


def position(game: Game, player: int | None = None) -> str:
    """The parts of a position that change, as a player sees them: by default the current player.

    Read it beside :func:`legend`.
    """
    player = game.current_player if player is None else game._player(player)
    own = {"smallworld": _smallworld, "chess": _chess, "empires": _empires}.get(game.spec.env)
    return own(game, player) if own else game.to_text(player).rstrip()


_NOTATION = {
    "smallworld": "Regions of the map as number, ground, features: neighbours\n",
    "tilewe": (
        "The board has one letter a tile, * for a corner where the current player may connect, "
        "and . for empty. "
        "Orientations as NAME shape: o is the contact, x are the other squares, rows from the top divided "
        "by /. NAME with the tile of the contact is a move: L3n-a1 and c4 give L3n-a1c4.\n"
    ),
    "chess": "The board has capital letters for White, small letters for Black, and . for empty squares.\n",
    "empires": (
        "Each row of the map has a cell a word: . is free land, 2 a cell of player 2, 2c with a castle, "
        "2f a farm, 2F a fort, ~ no land. The first column is x=0; y is the number before the row.\n"
    ),
    "starwars_risk": (
        "Ships with their number: X X-wings, Y Y-wings, B B-wings, F the Falcon, T TIE fighters, "
        "E the Executor. Spaces as number: neighbours\n"
    ),
}


def _regions(game: Game) -> str:
    return "\n".join(
        f"{region['region_id']} {_ground(region)}: {_numbers(region['adjacent'])}"
        for region in game.observation_object()["map"]["regions"]
    )


def _ground(region: dict[str, Any]) -> str:
    features = [_FEATURES.get(feature, feature.lower()) for feature in region["features"]]
    return " ".join([region["terrain"].lower(), *features])  # pyright: ignore


def _smallworld(game: Game, player: int) -> str:
    shown = game.observation_object(player)
    regions = shown["map"]["regions"]
    lines = [game.standing]
    armies = {entry["player_id"]: entry for entry in [shown["self"], *shown["opponents"]]}
    for seat in range(len(game.names)):
        entry = armies[seat]
        coins = "hidden" if entry["coins"] == "HIDDEN" else entry["coins"]
        lines.append(f"{_named(game, seat, player)}: coins {coins}")
        for kind in ("active", "decline", "decline_spirit"):
            army = entry[kind]
            if army is not None:
                held = [regions[region] for region in army["regions"]]
                held_text = ", ".join(_held(region) for region in held) or "no regions"
                hand = f", {army['tokens_in_hand']} tokens in hand" if army["tokens_in_hand"] else ""
                lost = f", {army['displaced_tokens']} displaced" if army.get("displaced_tokens") else ""
                declined = "" if kind == "active" else " in decline"
                lines.append(f"  {army['power']} {army['race']}{declined}{hand}{lost}: {held_text}")
    free = [region for region in regions if region["owner"] is None]
    tribes = [region["region_id"] for region in free if region["has_lost_tribe"]]
    if tribes:
        lines.append(f"lost tribes: {_numbers(tribes)}")
    other = [f"{region['region_id']}{_marks(region)}" for region in free if _marks(region)]
    if other:
        lines.append(f"markers on free regions: {', '.join(other)}")
    costs = defaultdict(list)
    for region in regions:
        if region["conquest_cost"] is not None:
            costs[region["conquest_cost"]].append(region["region_id"])
    priced = "; ".join(f"{cost}: {_numbers(costs[cost])}" for cost in sorted(costs))
    lines.append(f"tokens to conquer: {priced}")
    row = (
        f"{i} {entry['power']} {entry['race']} ({entry['total_tokens']} tokens, {entry['coins']} coins)"
        for i, entry in enumerate(shown["combo_row"])
    )
    lines.append(f"row: {'; '.join(row)}")
    return "\n".join(lines)


def _held(region: dict[str, Any]) -> str:
    """A region with its tokens and markers: ``12x4 lair``."""
    return f"{region['region_id']}x{region['tokens']}{_marks(region)}"


def _marks(region: dict[str, Any]) -> str:
    """Markers, without ground and lost tribes: these have lines of their own."""
    shown = [mark for mark in region["markers"] if mark not in ("MOUNTAIN", "LOST_TRIBE")]
    return "".join(f" {_MARKERS.get(mark, str(mark).lower())}" for mark in shown)


def _named(game: Game, seat: int, player: int) -> str:
    return f"{game.names[seat]}{' (you)' if seat == player else ''}"


def _numbers(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


def _pieces(game: Game) -> str:
    board = game.spec.options.get("board")
    return _orientations(json.dumps(game.spec.options, sort_keys=True), board if board else 0)


@cache
def _orientations(options: str, board: int) -> str:
    """The shape of each prefix of a move, from one placement of each."""
    game = Game(
        "tilewe", 0, **{key: value for key, value in json.loads(options).items() if value is not None}
    )
    shapes: dict[str, str] = {}
    for action in range(game.spec.num_actions):
        move = game.action_to_move(action)
        target = move["to_tile"]
        name = game.action_to_string(action)[: -len(target)]
        if name not in shapes:
            tiles = [_tile(tile) for tile in game.action_in_words(action).partition(" on ")[2].split()]
            shapes[name] = _shape(tiles, _tile(target))
    return "\n".join(f"{name} {shape}" for name, shape in shapes.items())


def _tile(text: str) -> tuple[int, int]:
    return ord(text[0]) - ord("a"), int(text[1:])


def _shape(tiles: list[tuple[int, int]], contact: tuple[int, int]) -> str:
    columns, rows = [x for x, _ in tiles], [y for _, y in tiles]
    drawn = (
        "".join(
            "o" if (x, y) == contact else "x" if (x, y) in tiles else "."
            for x in range(min(columns), max(columns) + 1)
        )
        for y in range(max(rows), min(rows) - 1, -1)
    )
    return "/".join(drawn)


def _chess(game: Game, player: int) -> str:
    fen = game.observation_object(player)["fen"]
    return f"{game.to_text(player).rstrip()}\nFEN: {fen}"


@cache
def _board() -> list[list[int]]:
    board, _ = _core.starwars_risk_board()
    return [space["neighbours"] for space in json.loads(board)["spaces"]]


def _spaces(game: Game) -> str:
    return "\n".join(f"{number}: {_numbers(neighbours)}" for number, neighbours in enumerate(_board()))


_STRUCTURES = {"land": "", "castle": "c", "farm": "f", "fort": "F"}


def _empires(game: Game, player: int) -> str:
    shown = game.observation_object(player)
    width, height = shown["map_size"]
    numbers = {"mine": player + 1} | {f"player_{seat}": seat + 1 for seat in range(game.spec.players)}

    def cell(x: int, y: int) -> str:
        found = shown["world"].get(f"{x},{y}")
        if found is None:
            return "~"
        structure = _STRUCTURES[found["structure"]]
        return "." if found["owner"] is None else f"{numbers[found['owner']]}{structure}"

    rows = [f"{y}: {' '.join(cell(x, y) for x in range(width))}" for y in range(height)]
    table = game.to_text(player).rstrip().split("\n\n")[-1]
    return "\n".join([*rows, table, f"You are player {player + 1}."])
