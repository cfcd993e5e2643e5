"""A replay buffer sharded over actors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..data.columns import (
    Array,
    Columns,
    Ragged,
    length,
    offsets_of,
    padded,
    together,
)
from ..data.replay_buffer import ReplayBuffer, load, save
from ..files import replaced
from . import errors

with extra("ray"):
    import ray
    from ray.exceptions import RayError, RayTaskError

_MANIFEST = "replay.json"


class Rows:
    """A :class:`ReplayBuffer` in an actor of :class:`Replay`."""

    def __init__(self, capacity: int) -> None:
        self._rows = ReplayBuffer(capacity)

    def add(self, columns: Columns) -> int:
        """Adds rows; returns the number of rows."""
        self._rows.add(columns)
        return len(self._rows)

    def sample(self, rows: int, half_life: float | None, seed: Sequence[int]) -> dict[str, Any]:
        """Samples rows with replacement, uniformly or by age."""
        return self._rows.sample(np.random.default_rng(seed), rows, half_life=half_life)

    def dump(self) -> tuple[int, dict[str, Any]]:
        """Number of rows ever added, and the remaining rows, oldest first."""
        return self._rows.added, self._rows.rows(0, self._rows.added)

    def load(self, added: int, columns: Columns) -> int:
        """Replaces all rows by the output of :meth:`dump`."""
        self._rows = ReplayBuffer(self._rows.capacity)
        self._rows.first = self._rows.added = added - length(columns)
        self._rows.add(columns)
        return len(self._rows)


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
        seed: int | None = None,
        num_cpus: float = 0,
        resources: Mapping[str, float] | None = None,
    ) -> None:
        """Starts the actors.

        Args:
            capacity: Total number of rows.
            shards: Number of actors, each with an equal part of the rows.
            seed: Seed of samples: equal seeds and calls return the same rows. ``None`` draws one, which
                ``seed`` shows.
            num_cpus, resources: Resources that Ray reserves for every actor.

        Raises:
            InvalidConfig: The message names the argument and the allowed values.
            ClusterError: There is no cluster.
        """
        errors.connected()
        self.capacity = checks.positive("capacity", capacity)
        shards = checks.positive("shards", shards)
        if capacity < shards:
            raise config_error(f"shards={shards}: at most {capacity}, the capacity, are allowed")
        self.seed = checks.seed(seed)
        actor = ray.remote(Rows).options(num_cpus=num_cpus, resources=resources)
        self._rooms = [capacity * (k + 1) // shards - capacity * k // shards for k in range(shards)]
        self._shards = [actor.remote(room) for room in self._rooms]
        self._sizes = [0] * shards
        self._adds = self._samples = 0

    def __len__(self) -> int:
        return sum(self._sizes)

    def add(self, rows: Mapping[str, Any]) -> int:
        """Adds rows; returns the new number of rows.

        Raises:
            InvalidConfig: Columns have different lengths, or differ from earlier ones.
        """
        lengths = {name: len(column) for name, column in rows.items()}
        if len(set(lengths.values())) != 1:
            raise config_error(f"rows: columns of one length are needed, {lengths} were given")
        if not next(iter(lengths.values())):
            return len(self)
        columns = {
            name: _ragged(column) if isinstance(column, list) else np.asarray(column)
            for name, column in rows.items()
        }
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
        rows = checks.positive("rows", rows)
        if half_life is not None and not checks.number("half_life", half_life) > 0:
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
        return lambda: _batch(_get(calls))

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
            with replaced(file) as out:
                save(out, columns)
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
            shards = [(entry["added"], load(folder / entry["file"])) for entry in told["shards"]]
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


def _batch(parts: list[dict[str, Any]]) -> dict[str, Array]:
    """Columns of all shards as one batch."""
    columns = together(parts).items()
    return {name: padded(column)[0] if isinstance(column, tuple) else column for name, column in columns}


def _ragged(rows: list[Any]) -> Ragged:
    arrays = [np.asarray(row) for row in rows]
    return offsets_of(np.array([len(row) for row in arrays])), np.concatenate(arrays)
