"""Reading decisions: NumPy, Hugging Face and Minari."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shared import checks
from .._shared.errors import config_error, state_error
from .._shared.extras import extra
from ..envs.packed import unpack, unpack_bits
from ..spec import Spec
from . import _layout
from .advantages import until_next
from .fragments import Fragment

with extra("data"):
    import pyarrow as pa
    import pyarrow.parquet as pq

if TYPE_CHECKING:
    from ._torch import TorchDataset


class Dataset:
    """The decisions in a folder of shards, or in one file.

    >>> data = ludovec.data.Dataset("games")
    >>> len(data), data.spec.env
    >>> for batch in data.batches(4096, ["observation", "mask", "action"]):
    ...     observations = ludovec.unpack(batch["observation"], data.spec)
    ...     masks = ludovec.unpack_bits(batch["mask"], data.spec.num_actions)
    """

    def __init__(self, path: str | Path, *, allow_options: Mapping[str, Any] | None = None) -> None:
        """Reads the heads of the files.

        Args:
            path: The folder or file.
            allow_options: Options with paths that the files may have, such as ``{"variant": "my.toml"}``.
                Others are refused, because files may come from elsewhere.

        Raises:
            InvalidConfig: There are no shards, or an option is a path.
            InvalidState: A file has other columns, another version of the environment, or other options.
        """
        where = Path(checks.path("path", path))
        #: The files, in order.
        self.files: list[Path] = sorted(where.glob("*.parquet")) if where.is_dir() else [where]
        if not self.files or not self.files[0].exists():
            raise config_error(f"path={str(path)!r}: there is no file *.parquet")
        heads, self._rows = [], []
        for file in self.files:
            if not file.is_file():
                raise state_error(f"{file}: a regular file is needed")
            try:
                parquet = pq.ParquetFile(file)
            except (OSError, pa.ArrowException) as error:
                raise state_error(f"{file}: {error}") from error
            with parquet:
                heads.append(_layout.head(parquet.schema_arrow, str(file), allow_options or {}))
                self._rows.append(parquet.metadata.num_rows)
        #: The spec of the games.
        self.spec: Spec = heads[0].spec
        #: The names of the players, by seat, as far as the writer gave them.
        self.players: list[str] = heads[0].players
        for file, found in zip(self.files, heads):
            if (found.spec.env, found.spec.options) != (self.spec.env, self.spec.options):
                raise state_error(f"{file}: it has other games than {self.files[0]}")

    def __len__(self) -> int:
        return sum(self._rows)

    def __repr__(self) -> str:
        return f"<ludovec.data.Dataset {self.spec.env} rows={len(self)} files={len(self.files)}>"

    # ---- NumPy ----

    def read(self, columns: str | Sequence[str] | None = None, *, files: Any = None) -> dict[str, Any]:
        """Columns of all rows, or of the rows in some files, as arrays by name; all columns by default.

        ``observation`` is uint8 ``[n, row_bytes]``, ``mask`` uint64 ``[n, W]``, ``rewards`` and ``value``
        float32 ``[n, P]`` (NaN where unknown), ``policy`` a pair: offsets int64 ``[n + 1]`` and the
        probabilities of the legal actions of all rows, float32 ``[total]``. Columns of files of one row group
        are views of the file's memory.
        """
        names = _layout.checked_columns(columns)
        chosen = range(len(self.files)) if files is None else checks.indices("files", files)
        if any(number >= len(self.files) for number in chosen):
            raise config_error(f"files: 0 to {len(self.files) - 1} exist")
        tables = [_read(self.files[number], names, self.spec) for number in chosen]
        whole = pa.concat_tables(tables) if tables else None
        if whole is None:
            raise config_error("files: at least one is needed")
        return {name: _layout.from_arrow(name, whole.column(name), self.spec) for name in names}

    def batches(self, rows: int, columns: str | Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
        """The rows in order, ``rows`` at a time, as arrays in the stored form that :meth:`read` returns
        (:meth:`to_torch` unpacks); the last batch may be smaller."""
        names, rows = _layout.checked_columns(columns), checks.positive("rows", rows)
        kept: list[Any] = []
        count = 0
        for file in self.files:
            with pq.ParquetFile(file) as parquet:
                for batch in parquet.iter_batches(batch_size=rows, columns=names):
                    _layout.check(batch, self.spec, file)
                    while len(batch):
                        part = batch.slice(0, rows - count)
                        kept.append(part)
                        count += len(part)
                        batch = batch.slice(len(part))
                        if count == rows:
                            yield self._arrays(kept, names)
                            kept, count = [], 0
        if kept:
            yield self._arrays(kept, names)

    def _arrays(self, batches: list[Any], names: list[str]) -> dict[str, Any]:
        table = pa.Table.from_batches(batches)
        return {name: _layout.from_arrow(name, table.column(name), self.spec) for name in names}

    def until_next(self) -> dict[str, Any]:
        """The reward of every decision until the player's next one, as :func:`ludovec.rollout` has it.

        Returns ``reward`` float32 ``[n]``, ``next``, int64 ``[n]``: the row of the player's next decision, -1
        if there is none, and ``done``, bool ``[n]``: the game ended before it. A decision with neither is
        open: the data end before.
        """
        found = self.read(["seat", "rewards", "terminated", "truncated", "seed", "game", "episode", "step"])
        order = _by_game(found)
        reward = np.zeros(len(order), np.float32)
        following = np.full(len(order), -1, np.int64)
        done = np.zeros(len(order), np.bool_)
        ended = (found["terminated"] | found["truncated"])[order]
        # One game of all decisions, in which each episode ends, also the unfinished ones.
        last = np.append(np.flatnonzero(found["step"][order][1:] == 0), len(order) - 1)
        cut = np.zeros(len(order), np.bool_)
        cut[last[last >= 0]] = True
        if len(order):
            parts = until_next(
                found["rewards"][order][:, None], found["seat"][order][:, None].astype(np.int64), cut[:, None]
            )
            reward[order] = parts[0][:, 0]
            after = parts[1][:, 0].astype(np.int64)
            following[order] = np.where(after >= 0, order[after], -1)
            # The end of a game closes its decisions; the end of the data does not.
            closes = ended[last][np.searchsorted(last, np.arange(len(order)))]
            done[order] = parts[2][:, 0] & closes
        return {"reward": reward, "next": following, "done": done}

    def fragment(self) -> Fragment:
        """All decisions, with packed observations and the rewards of :meth:`until_next`.

        ``policy`` and the column ``values`` are there if some rows have them; unknown values are NaN.
        """
        found, after = self.read(), self.until_next()
        known = ~np.isnan(found["value"]).all()
        return Fragment(
            observations=found["observation"],
            action_mask_bits=found["mask"],
            seats=found["seat"].astype(np.int32),
            actions=found["action"],
            games=found["game"].astype(np.int32),
            rewards=after["reward"],
            next=after["next"],
            done=after["done"],
            ended=found["terminated"] | found["truncated"],
            policy=found["policy"] if found["policy"][0][-1] else None,
            more={"values": found["value"]} if known else {},
        )

    # ---- other libraries ----

    def to_torch(self, columns: str | Sequence[str] | None = None) -> TorchDataset:
        """A map-style dataset of torch, in memory; see :func:`ludovec.data.torch_dataset`."""
        from ._torch import TorchDataset

        return TorchDataset(self, _layout.checked_columns(columns))

    def to_hugging_face(self, **arguments: Any) -> Any:
        """A ``datasets.Dataset`` over the files, memory-mapped by that library; arguments as for its
        ``from_parquet``."""
        with extra("data"):
            from datasets import Dataset as Table
            from datasets import Features, Value
            from datasets import Sequence as Listed

        numbers = {
            name: Value(np.dtype(dtype).name.replace("_", "")) for name, dtype in _layout.NUMBERS.items()
        }
        floats = {name: Listed(Value("float32")) for name in ("policy", "value")}
        floats["rewards"] = Listed(Value("float32"), length=self.spec.players)
        octets = {name: Value("binary") for name in _layout.BYTES}
        features = Features({**octets, **numbers, **floats})
        files = [str(file) for file in self.files]
        features = Features({name: features[name] for name in _layout.NAMES})
        return Table.from_parquet(files, features=features, **arguments)

    def to_minari(self, dataset_id: str, *, player: int | None = None, **arguments: Any) -> Any:
        """Writes a data set of Minari: one episode for each player of each finished game, or for ``player``
        alone.

        Observations are dicts of ``observation`` and ``action_mask``, rewards the sums until the player's
        next decision. The position after a player's last decision is not in the data: its observation is
        repeated there. ``arguments`` are those of ``minari.create_dataset_from_buffers``.
        """
        from ._minari import to_minari

        seat = None if player is None else checks.seat("player", player, self.spec.players)
        found, reward = self.read(), self.until_next()["reward"]
        name = checks.word("dataset_id", dataset_id)
        return to_minari(self.spec, found, episodes(found), reward, name, seat, arguments)

    def observations(self, rows: Any) -> Any:
        """Packed rows as observations, uint8 ``[n, *observation_shape]``."""
        return unpack(rows, self.spec)

    def masks(self, bits: Any) -> Any:
        """Mask bits as bool ``[n, A]``."""
        return unpack_bits(bits, self.spec.num_actions)


def _read(file: Path, names: list[str], known: Spec) -> Any:
    try:
        table = pq.read_table(file, columns=names, memory_map=True, partitioning=None)
    except (OSError, pa.ArrowException) as error:
        raise state_error(f"{file}: {error}") from error
    _layout.check(table, known, file)
    return table


def _by_game(found: dict[str, Any]) -> Any:
    """The order of rows by seed, game, episode and step."""
    return np.lexsort([found[name] for name in ("step", "episode", "game", "seed")])


def episodes(found: dict[str, Any]) -> list[Any]:
    """The rows of each episode, in the order of its decisions."""
    order = _by_game(found)
    starts = np.flatnonzero(found["step"][order] == 0)
    return np.split(order, starts[1:]) if len(order) else []


def torch_dataset(data: Dataset, columns: str | Sequence[str] | None = None) -> TorchDataset:
    """A dataset of torch over columns of ``data``, which are read into memory as they are stored.

    A row is a dict of tensors: ``observation`` uint8 in its shape, ``mask`` bool ``[A]``, ``policy`` float32
    ``[A]``, ``rewards`` and ``value`` float32 ``[P]``, others numbers (``seed`` as int64). By default all
    columns.

    >>> rows = ludovec.data.Dataset("games").to_torch(["observation", "mask", "action"])
    >>> loader = torch.utils.data.DataLoader(rows, batch_size=256, shuffle=True)

    ``rows.tensors(indices)`` is a batch without a detour over single rows, and much faster. Data loaders may
    have workers of any start method.
    """
    if not isinstance(data, Dataset):
        raise config_error(f"data={data!r:.100}: a ludovec.data.Dataset is needed")
    return data.to_torch(columns)
