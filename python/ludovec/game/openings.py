"""Openings: start positions from files of games, with weights."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from .. import _core
from .._shared import checks
from .._shared.errors import config_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..typing import EnvId, OpeningNodes, Options


@dataclass(frozen=True)
class Openings(Sequence["str | bytes"]):
    """Positions with weights: the argument ``starts`` of :func:`ludovec.make`, and ``openings`` of
    :func:`ludovec.tournament`."""

    positions: tuple[str | bytes, ...]
    weights: tuple[float, ...]
    """Draws of starts are in proportion to them; tournaments play all positions equally often."""

    @overload
    def __getitem__(self, index: int) -> str | bytes: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str | bytes]: ...
    def __getitem__(self, index: int | slice) -> str | bytes | Sequence[str | bytes]:
        return self.positions[index]

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[str | bytes]:
        return iter(self.positions)


@checks.environment_first
def openings(
    env: EnvId,
    file: str | Path,
    *,
    plies: int | None = None,
    nodes: OpeningNodes = "end",
    **options: Unpack[Options],
) -> Openings:
    """The positions of a file of games, for ``starts`` and ``openings``.

    >>> book = ludovec.openings("chess", "book.pgn", plies=8, nodes="leaves")
    >>> env = ludovec.make("chess", num_envs=64, starts=book)

    Args:
        env: One of :func:`ludovec.list_envs`.
        file: ``.pgn``, ``.epd`` or ``.fen`` (chess), ``.blksgf`` (Tilewe, with all variations), ``.bin`` (a
            Polyglot book; needs python-chess), otherwise a position or a record per line.
        plies: Lines are cut after this many plies.
        nodes: ``"end"``: the last position of every game; ``"leaves"``: of every game and variation;
            ``"all"``: every position of both after the first one. Leaves and nodes are distinct, without
            finished games.
        options: The environment's own options.

    Returns:
        Positions, each with the number of lines that have it; of a Polyglot book, with the probability that
        the book reaches it.

    Raises:
        InvalidConfig: The file cannot be read, or an entry is no opening of the environment.
    """
    path = checks.path("file", file)
    most = checks.positive_or_none("plies", plies)
    how = checks.word("nodes", nodes)
    if path.lower().endswith(".bin"):
        return _of_polyglot(env, path, most, how, {**options})
    found = _core.openings(env, {**options}, path, most, how)
    return Openings(*_columns(found))


def _columns(found: Sequence[tuple[str, float]]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return tuple(position for position, _ in found), tuple(float(weight) for _, weight in found)


def _of_polyglot(env: str, path: str, plies: int | None, nodes: str, options: dict[str, Any]) -> Openings:
    """The positions of a Polyglot book, reached from the start by its moves."""
    if env != "chess" or options.get("variant", "chess") not in ("chess", "standard"):
        raise config_error(f"file={path!r:.200}: a Polyglot book has openings of standard chess only")
    try:
        import chess
        import chess.polyglot
    except ImportError as error:
        raise config_error(
            f"file={path!r:.200}: python-chess reads Polyglot books: pip install chess"
        ) from error
    start = chess.Board()
    # By level: FEN without counts to board and probability; transpositions are one position.
    level: dict[str, tuple[Any, float]] = {start.epd(): (start, 1.0)}
    found: dict[str, float] = {}
    try:
        with chess.polyglot.open_reader(path) as book:
            ply = 0
            while level and (plies is None or ply <= plies):
                following: dict[str, tuple[Any, float]] = {}
                for board, probability in level.values():
                    entries = [] if ply == plies else [*book.find_all(board)]
                    if ply and (nodes == "all" or not entries) and not board.is_game_over():
                        fen = board.fen()
                        found[fen] = found.get(fen, 0.0) + probability
                    total = sum(entry.weight for entry in entries)
                    for entry in entries:
                        after = board.copy(stack=False)
                        after.push(entry.move)
                        share = entry.weight / total if total else 1 / len(entries)
                        known, before = following.get(after.epd(), (after, 0.0))
                        following[after.epd()] = known, before + probability * share
                level, ply = following, ply + 1
                if ply > _LONGEST:
                    break
    except (OSError, ValueError) as error:
        raise config_error(f"file={path!r:.200}: it is no Polyglot book: {error}") from error
    if not found:
        raise config_error(f"file={path!r:.200}: it has no moves from the start of chess")
    # A slow import, which few programs need.
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        lines = os.path.join(folder, "book.fen")
        Path(lines).write_text("\n".join(found) + "\n", encoding="ascii")
        positions = _core.openings(env, options, lines, None, "end")
    return Openings(tuple(position for position, _ in positions), tuple(found.values()))


#: Most moves of a line of a Polyglot book: moves may repeat positions without end.
_LONGEST = 60
