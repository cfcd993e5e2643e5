"""Writing decisions: a writer of shards, and self-play that fills it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _arguments
from .._errors import config_error, state_error
from .._extras import extra
from ..files import replaced
from ..registry import make
from ..spec import Spec
from . import _layout
from ._players import Chooser

with extra("data"):
    import pyarrow as pa
    import pyarrow.parquet as pq

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..typing import EnvId, Options

#: Rows of a row group: small enough for a cache of the processor, large enough that its head costs nothing.
_GROUP = 1 << 16
#: Compressions of Parquet that every reader knows.
_COMPRESSIONS = ("none", "snappy", "lz4", "zstd")


class Writer:
    """Writes rows into the shards ``part-00000.parquet`` and so on of a folder. A shard appears when it is
    whole.

    >>> env = ludovec.make("starwars_risk", 8, obs="packed", mask="bits", seed=0)
    >>> with ludovec.data.Writer("mine", env.game_spec) as writer:
    ...     observation, mask = env.observations.copy(), env.action_mask_bits.copy()
    ...     action, seat = env.sample_actions(), env.current_player.copy()
    ...     env.step(action)
    ...     decision = {"observation": observation, "mask": mask, "action": action}
    ...     writer.append(**decision, seat=seat, rewards=env.rewards)

    Columns that are not given are 0, ``policy`` and ``value`` unknown.
    """

    def __init__(
        self,
        folder: str | Path,
        spec: Spec,
        *,
        players: Sequence[str] = (),
        shard: int = 1 << 20,
        compression: str = "none",
    ) -> None:
        """Makes the folder.

        Args:
            folder: It may not have shards yet.
            spec: The spec of the games.
            players: The names of the players, by seat, for the metadata.
            shard: Rows per shard, about.
            compression: ``"none"``, ``"snappy"``, ``"lz4"`` or ``"zstd"``.

        Raises:
            InvalidConfig: An argument is wrong, or the folder has shards.
        """
        self.folder = Path(_arguments.path("folder", folder))
        if not isinstance(spec, Spec):
            raise config_error(f"spec={spec!r:.100}: a ludovec.Spec is needed")
        if compression not in _COMPRESSIONS:
            raise config_error(
                f"compression={compression!r:.100}: one of {', '.join(_COMPRESSIONS)} is allowed"
            )
        self._spec, self._compression = spec, compression
        self._schema = _layout.schema(spec, _arguments.words("players", players))
        self._shard = _arguments.positive("shard", shard)
        #: Rows and shards so far.
        self.rows = self.shards = 0
        self._in_shard = 0
        self._open: ExitStack | None = None
        self._parquet: Any = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            taken = next(self.folder.glob("part-*.parquet"), None)
        except OSError as error:
            raise config_error(f"folder={str(folder)!r}: {error.strerror}") from error
        if taken is not None:
            raise config_error(
                f"folder={str(folder)!r}: it has data already ({taken.name}); give a new folder"
            )

    def append(self, *, policy: Any = None, **columns: Any) -> None:
        """Appends rows: arrays by name of column, all of the same length.

        ``policy`` is a pair: offsets, integers ``[n + 1]``, and the probabilities of the legal actions of all
        rows; a row without any is unknown.
        """
        for name in ("observation", "mask", "action", "seat", "rewards"):
            if name not in columns:
                raise config_error(f"append: {name} is needed")
        rows = len(columns["action"])
        made = []
        for name in _layout.NAMES:
            array: Any = policy
            if name in columns:
                array = self._checked(name, columns.pop(name), rows)
            elif name in _layout.NUMBERS:
                array = np.zeros(rows, _layout.NUMBERS[name])
            elif name == "value" or policy is None:
                made.append(pa.nulls(rows, self._schema.field(name).type))
                continue
            made.append(_layout.to_arrow(name, array, self._spec))
        if columns:
            raise config_error(f"append: {', '.join(columns)}: the columns are {', '.join(_layout.NAMES)}")
        self._write(pa.RecordBatch.from_arrays(made, schema=self._schema))

    def _checked(self, name: str, array: Any, rows: int) -> Any:
        array = _arguments.array(name, array)
        players = (self._spec.players,)
        dtype: Any = _layout.NUMBERS.get(name, np.float32)
        shape: tuple[int, ...] = (rows, *players) if name in _layout.FLOATS else (rows,)
        if name == "observation":
            dtype, shape = np.uint8, (rows, self._spec.packed.row_bytes)
        if name == "mask":
            dtype, shape = np.uint64, (rows, -(-self._spec.num_actions // 64))
        fits = array.shape == shape and np.can_cast(array.dtype, dtype, "same_kind")
        other = array.dtype != dtype
        if other and array.shape == shape and array.dtype.kind in "iu" and np.dtype(dtype).kind in "iu":
            ends = np.iinfo(dtype)
            fits = array.dtype.itemsize * rows == 0 or bool(
                array.min() >= ends.min and array.max() <= ends.max
            )
        if not fits:
            raise config_error(
                f"{name}: {np.dtype(dtype).name} {list(shape)} is needed, "
                f"{array.dtype} {list(array.shape)} was given"
            )
        return array.astype(dtype, copy=False)

    def _write(self, batch: Any) -> None:
        if self._open is None:
            self._open = ExitStack()
            out = self._open.enter_context(replaced(self.folder / f"part-{self.shards:05}.parquet"))
            # Arrow's own file, without Python in every write.
            out = self._open.enter_context(pa.OSFile(out.name, "wb"))
            # Dictionaries would not make bits and packed rows smaller.
            self._parquet = pq.ParquetWriter(
                out,
                self._schema,
                compression=self._compression,
                use_dictionary=["seed", "episode"],
                write_statistics=False,
                store_schema=True,
            )
        self._parquet.write_batch(batch, row_group_size=_GROUP)
        self.rows += len(batch)
        self._in_shard += len(batch)
        if self._in_shard >= self._shard:
            self._finish()

    def _finish(self) -> None:
        if self._open is not None:
            self._parquet.close()
            self._open.close()
            self._open, self._parquet = None, None
            self.shards += 1
            self._in_shard = 0

    def close(self) -> None:
        """Completes the last shard."""
        self._finish()

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None:
            self.close()
        elif self._open is not None:
            # The unfinished shard is removed; its writer would complete it later, when it is collected.
            with suppress(Exception):
                self._parquet.close()
            self._open.__exit__(kind, error, trace)


def write(
    out: str | Path,
    env: EnvId,
    *,
    bots: str | Sequence[str] = "random",
    games: int | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    num_envs: int = 4096,
    num_threads: int | None = None,
    seed: int | None = None,
    shard: int = 1 << 20,
    compression: str = "none",
    **options: Unpack[Options],
) -> dict[str, Any]:
    """Plays games and writes every decision into a folder, as ``ludovec selfplay --out`` does.

    Args:
        out: The folder; it may not have shards yet.
        env: One of :func:`ludovec.list_envs`.
        bots: One text for all players, or one per seat: a bot of :func:`ludovec.bots`, ``"search:N"``,
            ``"net:FILE"`` or ``"net:FILE:N"``. Searches and networks write their policy and values, too.
        games: The number of games to write, whole ones ...
        steps: ... or decisions of each of the ``num_envs`` games ...
        seconds: ... or a time.
        num_envs, num_threads, seed, options: As for :func:`ludovec.make`.
        shard, compression: As for :class:`Writer`.

    Returns:
        A report: ``rows``, ``games``, ``shards``, ``seconds``, ``rows_per_second``, ``seed``, ``partial``.

    Ctrl-C completes the last shard; the report then has ``"partial": True``.
    """
    limits = [limit for limit in (games, steps, seconds) if limit is not None]
    if len(limits) != 1:
        raise config_error("games, steps, seconds: exactly one of them is needed")
    quota = None if games is None else _arguments.positive("games", games)
    most = None if steps is None else _arguments.positive("steps", steps)
    limit = None if seconds is None else _arguments.number("seconds", seconds)
    num_envs = _arguments.positive("num_envs", num_envs)
    if quota is not None:
        num_envs = min(num_envs, quota)
    batch = make(env, num_envs, num_threads=num_threads, seed=seed, obs="packed", mask="bits", **options)
    known, seats = batch.game_spec, batch.game_spec.players
    texts = [bots] * seats if isinstance(bots, str) else _arguments.words("bots", bots)
    if len(texts) != seats:
        raise config_error(f"bots: {len(texts)} were given, {seats} are needed, one per seat, or one for all")
    chooser = Chooser(batch, texts)
    left = np.full(num_envs, np.iinfo(np.int64).max)
    if quota is not None:
        left[:] = quota // num_envs + (np.arange(num_envs) < quota % num_envs)
    rows = _Rows(batch, max(1, _GROUP // num_envs))
    report: dict[str, Any] = {"rows": 0, "games": 0, "seed": batch.seed, "partial": False}
    begun, played = time.perf_counter(), 0
    with Writer(out, known, players=texts, shard=shard, compression=compression) as writer:
        batch.reset()
        try:
            while left.any():
                if (most is not None and played >= most) or (
                    limit is not None and time.perf_counter() - begun >= limit
                ):
                    break
                counts = left > 0
                actions, policy, values = chooser.choose()
                rows.before(actions, policy, values)
                batch.step(actions)
                rows.after(counts)
                ended = batch.done & counts
                report["games"] += int(ended.sum())
                left[ended] -= 1
                played += 1
                if rows.full:
                    rows.flush(writer)
        except KeyboardInterrupt:
            report["partial"] = True
        rows.flush(writer)
    spent = time.perf_counter() - begun
    report |= {"rows": writer.rows, "shards": writer.shards, "seconds": spent}
    return report | {"rows_per_second": writer.rows / max(spent, 1e-9)}


class _Rows:
    """Rows of some steps of all games, before they are written."""

    def __init__(self, batch: Any, steps: int) -> None:
        self._batch, self._steps, self._at = batch, steps, 0
        shape = (steps, batch.num_envs)
        self._columns: dict[str, Any] = {
            "observation": np.empty((*shape, batch.observations.shape[1]), np.uint8),
            "mask": np.empty((*shape, batch.action_mask_bits.shape[1]), np.uint64),
            "rewards": np.empty((*shape, batch.game_spec.players), np.float32),
            "value": np.empty((*shape, batch.game_spec.players), np.float32),
            **{name: np.empty(shape, dtype) for name, dtype in _layout.NUMBERS.items()},
        }
        self._columns["seed"][:] = batch.seed
        self._columns["game"][:] = np.arange(batch.num_envs)
        self._episode = np.zeros(batch.num_envs, np.uint32)
        self._step = np.zeros(batch.num_envs, np.uint32)
        self._counts = np.empty(shape, np.bool_)
        self._policies: list[Any] = []
        self._valued = False

    @property
    def full(self) -> bool:
        return self._at == self._steps

    def before(self, actions: Any, policy: Any, values: Any) -> None:
        """Stores what is known before the step."""
        batch, t, columns = self._batch, self._at, self._columns
        columns["observation"][t] = batch.observations
        columns["mask"][t] = batch.action_mask_bits
        columns["action"][t] = actions
        columns["seat"][t] = batch.current_player
        columns["episode"][t], columns["step"][t] = self._episode, self._step
        columns["value"][t] = np.nan if values is None else values
        self._valued |= values is not None
        self._policies.append(policy)

    def after(self, counts: Any) -> None:
        """Stores the results of the step; ``counts`` are the games that are written."""
        batch, t = self._batch, self._at
        for name in ("rewards", "terminated", "truncated"):
            self._columns[name][t] = getattr(batch, name)
        self._counts[t] = counts
        self._step += 1
        self._step[batch.done] = 0
        self._episode += batch.done
        self._at += 1

    def flush(self, writer: Writer) -> None:
        """Writes the complete steps."""
        steps = self._at
        if not steps:
            return
        kept = self._counts[:steps].reshape(-1)
        everything = bool(kept.all())
        shown = {}
        for name, column in self._columns.items():
            if name == "value" and not self._valued:
                continue
            flat = column[:steps].reshape(-1, *column.shape[2:])
            shown[name] = flat if everything else flat[kept]
        policy = None
        if any(made is not None for made in self._policies[:steps]):
            policy = _policy_of(self._policies[:steps], kept.reshape(steps, -1))
        # Before the call: if Ctrl-C ends it, the rows are not written twice.
        self._at = 0
        self._policies.clear()
        writer.append(policy=policy, **shown)


def _policy_of(made: list[Any], kept: Any) -> tuple[Any, Any]:
    """The policies of some steps, each ``(offsets, shares)`` or None, of the kept rows."""
    lengths, shares = [], []
    for policy, rows in zip(made, kept):
        if policy is None:
            lengths.append(np.zeros(int(rows.sum()), np.int64))
            continue
        offsets, values = policy
        counts = np.diff(offsets)
        lengths.append(counts[rows])
        shares.append(values if rows.all() else values[np.repeat(rows, counts)])
    offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
    if offsets[-1] > np.iinfo(np.int32).max:
        raise state_error("policy: too many numbers in one row group; a smaller num_envs is needed")
    return offsets, np.concatenate(shares) if shares else np.empty(0, np.float32)


def write_ordered(order: str) -> str:
    """Plays and writes what the command ``ludovec selfplay --out`` orders, JSON to JSON."""
    wanted: dict[str, Any] = json.loads(order)
    options = wanted.pop("options")
    return json.dumps(write(wanted.pop("out"), wanted.pop("env"), **wanted, **options))
