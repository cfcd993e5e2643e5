"""A replay buffer sharded over actors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _arguments
from .._errors import config_error
from .._extras import extra
from ..files import replaced
from ..vector import Array
from . import errors

with extra("ray"):
    import ray
    from ray.exceptions import RayError, RayTaskError

#: A column: an array [n, ...], or a list of n arrays of different lengths.
Column = Any
_MANIFEST = "replay.json"


class Rows:
    """A ring buffer of rows; an actor of :class:`Replay`."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._columns: dict[str, Any] = {}
        self.added = 0

    def add(self, columns: Mapping[str, Column]) -> int:
        """Adds rows; returns the number of rows."""
        if self._columns and set(columns) != set(self._columns):
            wanted = ", ".join(sorted(self._columns))
            raise config_error(
                f"rows: the columns {wanted} are needed, {', '.join(sorted(columns))} were given"
            )
        count = len(next(iter(columns.values())))
        # Keeps the newest rows if there are more than the capacity.
        skipped = max(0, count - self._capacity)
        at = np.arange(self.added + skipped, self.added + count) % self._capacity
        for name, column in columns.items():
            self._check(name, column)
        for name, column in columns.items():
            if isinstance(column, list):
                held = self._columns.setdefault(name, [None] * self._capacity)
                for place, row in zip(at.tolist(), column[skipped:]):
                    held[place] = np.array(row)
            else:
                held = self._columns.setdefault(
                    name, np.zeros((self._capacity, *column.shape[1:]), column.dtype)
                )
                held[at] = column[skipped:]
        self.added += count
        return len(self)

    def __len__(self) -> int:
        return min(self.added, self._capacity)

    def size(self) -> int:
        """Number of rows."""
        return len(self)

    def sample(self, rows: int, half_life: float | None, seed: Sequence[int]) -> dict[str, Column]:
        """Samples rows with replacement, uniformly or by age."""
        rng = np.random.default_rng(seed)
        size = len(self)
        if half_life is None:
            ages = rng.integers(size, size=rows)
        else:
            # Inverse CDF of 2 ** (-age / half_life), truncated at the oldest row.
            oldest = 1 - 2.0 ** (-size / half_life)
            ages = np.minimum(-np.log2(1 - rng.random(rows) * oldest) * half_life, size - 1).astype(np.int64)
        at = (self.added - 1 - ages) % self._capacity
        return {
            name: [held[i] for i in at.tolist()] if isinstance(held, list) else held[at]
            for name, held in self._columns.items()
        }

    def dump(self) -> tuple[int, dict[str, Column]]:
        """Number of rows ever added, and the remaining rows, oldest first."""
        at = np.arange(self.added - len(self), self.added) % self._capacity
        columns = {
            name: [held[i] for i in at.tolist()] if isinstance(held, list) else held[at]
            for name, held in self._columns.items()
        }
        return self.added, columns

    def load(self, added: int, columns: Mapping[str, Column]) -> int:
        """Replaces all rows by the output of :meth:`dump`."""
        self._columns, self.added = {}, 0
        if columns:
            self.added = added - len(next(iter(columns.values())))
            self.add(columns)
        return len(self)

    def _check(self, name: str, column: Column) -> None:
        held = self._columns.get(name)
        if held is not None and isinstance(held, list) != isinstance(column, list):
            raise config_error(f"rows: {name} is a list of arrays in some rows and an array in others")
        if held is not None and not isinstance(held, list):
            if (held.shape[1:], held.dtype) != (column.shape[1:], column.dtype):
                raise config_error(
                    f"rows: {name} is {held.dtype} {held.shape[1:]} per row, "
                    f"{column.dtype} {column.shape[1:]} was given"
                )


class Replay:
    """A bounded replay buffer over actors of a cluster: the newest ``capacity`` rows; the oldest are
    overwritten first.

    >>> replay = ludovec.ray.Replay(capacity=100_000, shards=2)
    >>> replay.add({"observations": observations, "policy": policies, "values": values})
    >>> batch = replay.sample(512)
    >>> batch["observations"]                        # uint8 [512, ...]

    A row is one element of every column. A column is an array ``[n, ...]``, or a list of ``n`` arrays of
    different lengths (for example legal actions of a position and their policy), which samples pad to
    ``[rows, longest]``: integers with -1, floats with 0. Calls of :meth:`add` go to the shards in turn.
    """

    def __init__(
        self,
        capacity: int,
        shards: int = 1,
        *,
        seed: int | None = 0,
        num_cpus: float = 0,
        resources: Mapping[str, float] | None = None,
    ) -> None:
        """Starts the actors.

        Args:
            capacity: Total number of rows.
            shards: Number of actors, each with an equal part of the rows.
            seed: Seed of samples; the same calls return the same rows.
            num_cpus, resources: Resources that Ray reserves for every actor.

        Raises:
            InvalidConfig: The message names the argument and the allowed values.
            ClusterError: There is no cluster.
        """
        errors.connected()
        self.capacity = _arguments.positive("capacity", capacity)
        shards = _arguments.positive("shards", shards)
        if capacity < shards:
            raise config_error(f"shards={shards}: at most {capacity}, the capacity, are allowed")
        self.seed = _arguments.seed(seed)
        actor = ray.remote(Rows).options(num_cpus=num_cpus, resources=resources)
        self._rooms = [capacity * (k + 1) // shards - capacity * k // shards for k in range(shards)]
        self._shards = [actor.remote(room) for room in self._rooms]
        self._sizes = [0] * shards
        self._adds = self._samples = 0

    def __len__(self) -> int:
        return sum(self._sizes)

    def add(self, rows: Mapping[str, Column]) -> int:
        """Adds rows; returns the new number of rows.

        Raises:
            InvalidConfig: Columns have different lengths, or differ from earlier ones.
        """
        columns = {
            name: rows[name] if isinstance(rows[name], list) else np.asarray(rows[name]) for name in rows
        }
        lengths = {name: len(column) for name, column in columns.items()}
        if len(set(lengths.values())) != 1:
            raise config_error(f"rows: columns of one length are needed, {lengths} were given")
        if not next(iter(lengths.values())):
            return len(self)
        shard = self._adds % len(self._shards)
        self._sizes[shard] = _get(self._shards[shard].add.remote(columns))
        self._adds += 1
        return len(self)

    def sample(self, rows: int, *, half_life: float | None = None) -> dict[str, Array]:
        """Samples rows with replacement: columns ``[rows, ...]``, padded where rows differ in length.

        Args:
            rows: Number of rows.
            half_life: ``None`` samples uniformly; otherwise a row has half the weight of one that was added
                this many rows later.
        """
        batch: dict[str, Array] = self.sample_later(rows, half_life=half_life)()
        return batch

    def sample_later(self, rows: int, *, half_life: float | None = None) -> Any:
        """Starts sampling and returns a function that waits for the rows, to prefetch the next batch."""
        rows = _arguments.positive("rows", rows)
        if half_life is not None and not _arguments.number("half_life", half_life) > 0:
            raise config_error(f"half_life={half_life!r}: a positive number of rows is needed")
        if not len(self):
            raise config_error("sample: there are no rows yet")
        number, shards = self._samples, len(self._shards)
        self._samples += 1
        shares = np.array(self._sizes) / len(self)
        counts = np.random.default_rng([self.seed, number]).multinomial(rows, shares)
        calls = [
            shard.sample.remote(
                int(count), None if half_life is None else half_life / shards, [self.seed, number, k]
            )
            for k, (shard, count) in enumerate(zip(self._shards, counts))
            if count
        ]
        return lambda: _joined(_get(calls))

    def save(self, folder: str | Path) -> None:
        """Writes a checkpoint to a folder, atomically."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        told = {"capacity": self.capacity, "seed": self.seed, "adds": self._adds, "samples": self._samples}
        old = {file for file in folder.glob("rows-*.npz")}
        files = []
        for k, shard in enumerate(self._shards):
            added, columns = _get(shard.dump.remote())
            file = folder / f"rows-{self._adds}-{k}.npz"
            parts: dict[str, Array] = {}
            for name, column in columns.items():
                if isinstance(column, list):
                    parts[f"ragged {name}"] = np.concatenate(column)
                    parts[f"lengths {name}"] = np.array([len(row) for row in column])
                else:
                    parts[f"column {name}"] = column
            with replaced(file) as out:
                np.savez(out, **parts)  # type: ignore[arg-type]
            files.append({"file": file.name, "added": added})
        with replaced(folder / _MANIFEST) as out:
            out.write(json.dumps({**told, "shards": files}).encode())
        for file in old - {folder / entry["file"] for entry in files}:
            file.unlink()

    @classmethod
    def restore(cls, folder: str | Path, **arguments: Any) -> Replay:
        """Reads a checkpoint; later samples are the same as from the saved buffer.

        Args:
            folder: The folder of :meth:`save`.
            **arguments: ``num_cpus`` and ``resources``.

        Raises:
            InvalidConfig: The folder has no checkpoint.
        """
        folder = Path(folder)
        try:
            told = json.loads((folder / _MANIFEST).read_text())
            shards = [(entry["added"], _columns(folder / entry["file"])) for entry in told["shards"]]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise config_error(f"{folder}: there is no saved replay buffer: {error}") from error
        replay = cls(told["capacity"], len(shards), seed=told["seed"], **arguments)
        replay._adds, replay._samples = told["adds"], told["samples"]
        replay._sizes = _get([actor.load.remote(*rows) for actor, rows in zip(replay._shards, shards)])
        return replay

    def close(self) -> None:
        """Ends the actors and drops the rows."""
        for shard in self._shards:
            ray.kill(shard)

    def __repr__(self) -> str:
        return f"<ludovec.ray.Replay rows={len(self)} of {self.capacity} shards={len(self._shards)}>"


def _get(calls: Any) -> Any:
    try:
        return ray.get(calls)
    except RayTaskError as error:
        raise errors.raised(error) from None
    except RayError as error:
        reason = str(error).strip().splitlines()[0]
        raise errors.ClusterError(
            f"a shard of the replay buffer is lost, restore a checkpoint: {reason}"
        ) from error


def _joined(parts: list[dict[str, Column]]) -> dict[str, Array]:
    """Columns of all shards as one batch."""
    batch = {}
    for name, first in parts[0].items():
        if isinstance(first, list):
            batch[name] = _padded([row for part in parts for row in part[name]])
        else:
            batch[name] = np.concatenate([part[name] for part in parts])
    return batch


def _padded(rows: list[npt.NDArray[Any]]) -> Array:
    filler = -1 if rows[0].dtype.kind == "i" else 0
    padded = np.full((len(rows), max(map(len, rows)), *rows[0].shape[1:]), filler, rows[0].dtype)
    for out, row in zip(padded, rows):
        out[: len(row)] = row
    return padded


def _columns(file: Path) -> dict[str, Column]:
    columns: dict[str, Column] = {}
    with np.load(file) as parts:
        for part in parts.files:
            kind, name = part.split(" ", 1)
            if kind == "column":
                columns[name] = parts[part]
            elif kind == "ragged":
                columns[name] = np.split(parts[part], np.cumsum(parts[f"lengths {name}"])[:-1])
    return columns
