"""Writing decisions: a writer of shards, and self-play that fills it."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shared import checks
from .._shared.errors import config_error, state_error
from .._shared.extras import extra
from ..envs.make import make
from ..files import replaced
from ..players.python_bots import Chooser, name_of
from ..spec import Spec
from . import _layout
from .columns import chosen, joined
from .fragments import Recorder

with extra("data"):
    import pyarrow as pa
    import pyarrow.parquet as pq

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..players import Player
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
        self.folder = Path(checks.path("folder", folder))
        if not isinstance(spec, Spec):
            raise config_error(f"spec={spec!r:.100}: a ludovec.Spec is needed")
        if compression not in _COMPRESSIONS:
            raise config_error(
                f"compression={compression!r:.100}: one of {', '.join(_COMPRESSIONS)} is allowed"
            )
        self._spec, self._compression = spec, compression
        self._types = _layout.row_types(spec)
        self._schema = _layout.schema(spec, checks.words("players", players))
        self._shard = checks.positive("shard", shard)
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

    def note(self, **settings: Any) -> None:
        """Adds settings of the players to the metadata of the files."""
        self._schema = _layout.noted(self._schema, settings)

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
        array = checks.array(name, array)
        of_row = self._types[name]
        dtype, shape = of_row.base, (rows, *of_row.shape)
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
    bots: Player | Sequence[Player] = "random",
    games: int | None = None,
    steps: int | None = None,
    seconds: float | None = None,
    num_envs: int = 4096,
    num_threads: int | None = None,
    seed: int | None = None,
    shard: int = 1 << 20,
    compression: str = "none",
    explore: bool = False,
    **options: Unpack[Options],
) -> dict[str, Any]:
    """Plays games and writes every decision into a folder, as ``ludovec selfplay --out`` does.

    Args:
        out: The folder; it may not have shards yet.
        env: One of :func:`ludovec.list_envs`.
        bots: One player for all seats, or one per seat: a text such as ``"greedy"``, ``"search:N"`` or
            ``"net:FILE:N"``, a network, or a function. Searches, networks and functions that return logits
            write their policy and values, too.
        games: The number of games to write, whole ones ...
        steps: ... or decisions of each of the ``num_envs`` games ...
        seconds: ... or a time.
        num_envs, num_threads, seed, options: As for :func:`ludovec.make`.
        shard, compression: As for :class:`Writer`.
        explore: Searches explore as in self-play: Gumbel noise at the root, or Dirichlet noise and a
            temperature with PUCT. It is in the metadata of the files. Otherwise they play as in tournaments.

    Returns:
        A report: ``rows``, ``games``, ``shards``, ``seconds``, ``rows_per_second``, ``seed``, ``partial``.

    Ctrl-C completes the last shard; the report then has ``"partial": True``.
    """
    limits = [limit for limit in (games, steps, seconds) if limit is not None]
    if len(limits) != 1:
        raise config_error("games, steps, seconds: exactly one of them is needed")
    quota = None if games is None else checks.positive("games", games)
    most = None if steps is None else checks.positive("steps", steps)
    limit = None if seconds is None else checks.number("seconds", seconds)
    num_envs = checks.positive("num_envs", num_envs)
    if quota is not None:
        num_envs = min(num_envs, quota)
    batch = make(env, num_envs, num_threads=num_threads, seed=seed, obs="packed", mask="bits", **options)
    known, seats = batch.game_spec, batch.game_spec.players
    listed = list(bots) if isinstance(bots, (list, tuple)) else [bots] * seats
    if len(listed) != seats:
        raise config_error(
            f"bots: {len(listed)} were given, {seats} are needed, one per seat, or one for all"
        )
    names = [name_of(bot) for bot in listed]
    explore = checks.switch("explore", explore)
    distinct = list(dict.fromkeys(listed))
    named = [(name_of(bot), bot) for bot in distinct]
    chooser = Chooser(batch, named, explore=explore, batch_size=num_envs)
    #: int32 [N, P]: the player of every seat.
    who = np.tile(np.array([distinct.index(bot) for bot in listed], np.int32), (num_envs, 1))
    left = np.full(num_envs, np.iinfo(np.int64).max)
    if quota is not None:
        left[:] = quota // num_envs + (np.arange(num_envs) < quota % num_envs)
    columns = ("observations", "action_mask_bits", "actions", "seats", "rewards", "terminated", "truncated")
    rows = Recorder(batch, max(1, _GROUP // num_envs), columns)
    counters = {name: np.zeros(num_envs, np.uint32) for name in ("episode", "step")}
    seeds = np.full(num_envs, batch.seed, np.uint64)
    unknown = np.full((num_envs, seats), np.nan, np.float32)
    report: dict[str, Any] = {"rows": 0, "games": 0, "seed": batch.seed, "partial": False}
    begun, played = time.perf_counter(), 0
    with Writer(out, known, players=names, shard=shard, compression=compression) as writer:
        writer.note(explore=explore)
        batch.reset()
        try:
            while left.any():
                if (most is not None and played >= most) or (
                    limit is not None and time.perf_counter() - begun >= limit
                ):
                    break
                is_written = left > 0
                actions, policy, values = chooser.choose(who)
                more: dict[str, Any] = {
                    **counters,
                    "seed": seeds,
                    "is written": is_written,
                    "value": unknown if values is None else values,
                }
                rows.before(actions, more, None if policy is None else policy[:2])
                batch.step(actions)
                rows.after()
                counters["step"] = np.where(batch.done, 0, counters["step"] + 1).astype(np.uint32)
                counters["episode"] = counters["episode"] + batch.done
                ended = batch.done & is_written
                report["games"] += int(ended.sum())
                left[ended] -= 1
                played += 1
                if rows.is_full:
                    _flush(rows, writer)
        except KeyboardInterrupt:
            report["partial"] = True
        finally:
            chooser.close()
        _flush(rows, writer)
    spent = time.perf_counter() - begun
    report |= {"rows": writer.rows, "shards": writer.shards, "seconds": spent}
    return report | {"rows_per_second": writer.rows / max(spent, 1e-9)}


def _flush(rows: Recorder, writer: Writer) -> None:
    """Writes the complete steps."""
    steps, games = rows.at, rows.games
    if not steps:
        return
    found = {name: column.reshape(-1, *column.shape[2:]) for name, column in rows.columns().items()}
    found["game"] = np.tile(np.arange(games), steps)
    policy = joined(rows.policies[:steps], [games] * steps)
    kept = found.pop("is written")
    if not kept.all():
        found = {name: column[kept] for name, column in found.items()}
        policy = None if policy is None else chosen(policy, kept)
    if policy is not None and policy[0][-1] > np.iinfo(np.int32).max:
        raise state_error("policy: too many numbers in one row group; a smaller num_envs is needed")
    found = {_layout.RECORDED.get(name, name): column for name, column in found.items()}
    # Before the call: if Ctrl-C ends it, the rows are not written twice.
    rows.clear()
    writer.append(policy=policy, **found)


def write_ordered(order: str) -> str:
    """Plays and writes what the command ``ludovec selfplay --out`` orders, JSON to JSON."""
    wanted: dict[str, Any] = json.loads(order)
    options = wanted.pop("options")
    return json.dumps(write(wanted.pop("out"), wanted.pop("env"), **wanted, **options))
