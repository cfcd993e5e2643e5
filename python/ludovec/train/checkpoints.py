"""Checkpoints in the folder of a run: after a crash, the files are those of the last complete one. The files
carry no code.

The positions of the replay buffers are in files of their own: a checkpoint writes the positions since the one
before.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .._core import LudovecError
from .._shared.errors import config_error
from ..data.replay_buffer import load, save
from ..files import replaced
from ..spec import Spec
from .evaluation import Match, Share
from .replay import Buffer, Positions
from .state_file import from_bytes, to_bytes

#: The name of the file.
CHECKPOINT = "checkpoint.safetensors"
#: Version of the format.
_FORMAT = 9
#: Types of tuples with names in a checkpoint.
_TUPLES: dict[str, type[tuple[Any, ...]]] = {"match": Match, "share": Share}


class Folder:
    """The files of a run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.checkpoint = path / CHECKPOINT
        self.config = path / "config.toml"
        self.curve, self.picture = path / "curve.csv", path / "curve.svg"
        self.sample = path / "sample.json"
        self._positions = path / "positions"
        #: Kind of game, first and last row of every file of positions.
        self._chunks: list[tuple[int, int, int]] = []

    def network(self, stem: str) -> Path:
        """The file of a network."""
        return self.path / f"{stem}.safetensors"

    def make(self) -> None:
        """Makes the folder.

        Raises:
            InvalidConfig: It cannot be made.
        """
        try:
            self._positions.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise config_error(f"--out {self.path}: {error.strerror}") from error

    def write(self, file: Path, content: str | bytes) -> None:
        """Replaces a file."""
        with replaced(file) as out:
            out.write(content.encode() if isinstance(content, str) else content)

    def save(self, state: dict[str, Any], buffers: Sequence[Buffer]) -> None:
        """Writes a checkpoint."""
        for kind, buffer in enumerate(buffers):
            start = max((end for k, _, end in self._chunks if k == kind), default=0)
            start = max(start, buffer.first)
            if buffer.added > start:
                rows = buffer.rows(start, buffer.added)
                with replaced(self._chunk(kind, start)) as out:
                    save(out, rows.columns())
                self._chunks.append((kind, start, buffer.added))
        kept = [(k, start, end) for k, start, end in self._chunks if end > buffers[k].first]
        whole = {
            **state,
            "format": _FORMAT,
            "chunks": kept,
            "buffers": [(buffer.first, buffer.added, buffer.imitated) for buffer in buffers],
        }
        with replaced(self.checkpoint) as out:
            out.write(to_bytes(whole, _TUPLES))
        self._chunks = kept
        self._remove_unused()

    def load(self) -> dict[str, Any]:
        """The last checkpoint; :meth:`fill` reads its positions.

        Raises:
            InvalidConfig: There is none, or it is unreadable.
        """
        try:
            state = from_bytes(self.checkpoint.read_bytes(), _TUPLES)
        except FileNotFoundError as error:
            raise config_error(f"--resume: there is no {self.checkpoint}") from error
        except (OSError, ValueError) as error:
            raise config_error(f"--resume: {self.checkpoint} is not a checkpoint: {error!s:.200}") from error
        if not isinstance(state, dict) or state.get("format") != _FORMAT:
            raise config_error(f"--resume: {self.checkpoint} is a checkpoint of another version")
        self._chunks = [tuple(chunk) for chunk in state["chunks"]]
        found: dict[str, Any] = state
        return found

    def fill(self, buffers: Sequence[Buffer], state: dict[str, Any]) -> None:
        """Reads the positions of a checkpoint."""
        for kind, (buffer, (first, added, imitated)) in enumerate(zip(buffers, state["buffers"])):
            spec = buffer.spec
            parts = ((start, self._read(kind, start, spec)) for k, start, _ in self._chunks if k == kind)
            buffer.restore(first, added, imitated, parts)
        self._remove_unused()

    def _chunk(self, kind: int, start: int) -> Path:
        return self._positions / f"{kind}-{start}.npz"

    def _read(self, kind: int, start: int, spec: Spec) -> Positions:
        file = self._chunk(kind, start)
        try:
            rows = Positions.of(load(file))
            rows.check(spec)
            return rows
        except LudovecError:
            raise
        except Exception as error:
            # Damaged archives raise errors of several modules.
            raise config_error(f"--resume: {file} is missing or damaged: {error!s:.200}") from error

    def _remove_unused(self) -> None:
        used = {self._chunk(kind, start) for kind, start, _ in self._chunks}
        for file in self._positions.glob("*.npz"):
            if file not in used:
                file.unlink(missing_ok=True)
