"""Tournaments and evaluations on a cluster, with the results of :mod:`ludovec.evaluation.tournaments`."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from .. import _core
from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..evaluation.fingerprints import fingerprint
from ..evaluation.tournaments import (
    Order,
    Tournament,
    _result,
    completed,
    ordered,
)
from ..files import locked
from ..networks import sent
from ..players.python_bots import player_pool
from ..rules.registration import portable
from ..spec import spec
from . import errors
from .pool import Pool, Runner, Task

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..game.positions import PositionLike
    from ..players import OnFault, Opponents, Player
    from ..typing import EnvId, OpeningNodes, Options, Pairings, Sprt

with extra("ray"):
    import ray

#: Maximum number of parts of a tournament; with a sequential test, of parts ahead of the test.
_MOST_PARTS = 64
#: Minimum number of games of a part with a sequential test.
_TESTED_GAMES = 16
#: First slot of a part of a tournament, and the one after the last.
Slots = tuple[int, int]


def tournament(
    env: EnvId,
    bots: Sequence[Player] | Mapping[str, Player],
    games: int = 200,
    *,
    pairings: Pairings = "round_robin",
    openings: int | str | Path | Sequence[PositionLike] | None = None,
    opening_plies: int | None = None,
    opening_nodes: OpeningNodes = "end",
    sprt: Sprt | None = None,
    seed: int | None = None,
    num_threads: int | None = 1,
    batch_size: int | None = None,
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    file: str | Path | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    runtime_env: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> Tournament:
    """:func:`ludovec.tournament` on a Ray cluster; equal seeds give equal tables if players are
    deterministic.

    The games are split into up to 64 parts, which actors play on all available processors of the cluster. If
    a machine is lost, its part is played again elsewhere.

    With ``sprt``, parts have a few games each, in the order of the schedule, and the test considers games in
    this order: the result is the same for any number of processors. Parts that are under way when the test
    decides are ended. Each game has a random stream of its own, so the table equals that of one process if
    players and rules use no chance, or for up to 64 games; otherwise its games are others from the 65th on.

    Args:
        env, bots, games, pairings, sprt, seed, time_limit, on_fault: As for :func:`ludovec.tournament`.
            Functions and objects are pickled, files of networks are sent along.
        openings, opening_plies, opening_nodes: As for :func:`ludovec.tournament`; files are sent along.
        num_threads: Threads per actor.
        batch_size: As for :func:`ludovec.tournament`; a call of a function has at most as many rows as a part
            has parallel games.
        file: Log of finished parts, one line of JSON with a checksum each. The same call resumes from it,
            also in a new process. A file of another tournament is refused: other arguments, or a network or
            function with changed content. One process writes it at a time.
        num_cpus, num_gpus, runtime_env: Resources and environment of an actor in Ray.
        options: The environment's own options.

    An exception, including Ctrl-C, has the table of the finished parts as its attribute ``partial``.

    Raises:
        InvalidConfig: An argument is invalid, or ``file`` belongs to another tournament; the message
            lists the allowed values.
        ClusterError: There is no cluster, or the actors of a part died repeatedly.
    """
    return _played(ordered(locals()), file, num_cpus=num_cpus, num_gpus=num_gpus, runtime_env=runtime_env)


@checks.environment_first
def evaluate(
    env: EnvId,
    policy: Player,
    opponents: Opponents = "random",
    games: int = 100,
    *,
    openings: int | str | Path | Sequence[PositionLike] | None = None,
    opening_plies: int | None = None,
    opening_nodes: OpeningNodes = "end",
    sprt: Sprt | None = None,
    pooled: bool = False,
    seed: int | None = None,
    num_threads: int | None = 1,
    batch_size: int | None = None,
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    file: str | Path | None = None,
    num_cpus: float = 1,
    num_gpus: float = 0,
    runtime_env: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> Tournament:
    """:func:`ludovec.evaluate` on a Ray cluster; equal seeds give equal tables if players are deterministic.

    Args:
        env, policy, opponents, games, pooled, seed, options: As for :func:`ludovec.evaluate`.
        openings, opening_plies, opening_nodes: As for :func:`ludovec.evaluate`.
        sprt: As for :func:`ludovec.ray.tournament`.
        num_threads, batch_size, time_limit, on_fault, file, num_cpus, num_gpus, runtime_env: As for
            :func:`ludovec.ray.tournament`.

    Raises:
        InvalidConfig, ClusterError: As for :func:`ludovec.ray.tournament`.
    """
    return _played(ordered(locals()), file, num_cpus=num_cpus, num_gpus=num_gpus, runtime_env=runtime_env)


def _played(order: Order, file: str | Path | None, **reserved: Any) -> Tournament:
    errors.connected()
    env, options, shape, named, given, asked, _ = order
    content = _content(given["openings"])
    with player_pool(shape, named, **asked) as players:
        given = {**given, "time_limit": players.time_limit}
        width = _core.tournament_slots(env, options, players.players, given)
    if given["sprt"] is None:
        size = -(-width // _MOST_PARTS)
    else:
        # Every game has a slot of its own, so that a part may be any run of them.
        width, size = given["games"], -(-_TESTED_GAMES // shape.players) * shape.players
    parts = [(first, min(first + size, width)) for first in range(0, width, size)]
    names = [name for name, _ in named]
    header = {**errors.versions(shape), "env": env, "options": shape.options, "names": names}
    header |= {name: given[name] for name in ("games", "pairings", "tables", "seed")} | {"width": width}
    if given["sprt"] is not None:
        header["sprt"] = given["sprt"]
    if given["openings"] is not None:
        number, *selection = given["openings"]
        header["openings"] = [number if content is None else hashlib.sha256(content).hexdigest(), *selection]
    if given["positions"] is not None:
        header["openings"] = hashlib.sha256("\n".join(given["positions"]).encode()).hexdigest()
    travelling = [(name, sent(bot)) for name, bot in named]
    if file is not None:
        header["content"] = [fingerprint(bot) for _, bot in travelling]
    finished = _File(file, header)
    how = portable(env), options, {**given, "sprt": None}, asked, width, content
    orders = errors.put("bots", travelling), *how

    def table(played: Sequence[str], partial: bool) -> Tournament:
        with player_pool(shape, named, **asked) as players:
            found = _core.tournament_table(env, options, players.players, given, list(played), partial)
        return _result(json.loads(found))

    monitor = None if given["sprt"] is None else _Monitor(parts, finished, table, shape.players)

    def pool(actors: int) -> Pool:
        versions = errors.versions(shape)
        return Pool(_Parts, actors, ray.put(orders), versions, what="part", queue=1, **reserved)

    try:
        _play(parts, finished, monitor, pool, reserved)
    except (Exception, KeyboardInterrupt) as error:
        setattr(error, "partial", table([*finished.parts.values()], True))  # noqa: B010
        raise
    finally:
        finished.close()
    result = table([finished.parts[part] for part in parts], False) if monitor is None else monitor.result()
    return completed(result, order)


def _play(
    parts: Sequence[Slots],
    finished: _File,
    monitor: _Monitor | None,
    started: Callable[[int], Pool],
    reserved: Mapping[str, Any],
) -> None:
    """Plays the parts that are not finished, until the test decides."""
    tasks = {part: Task(f"slots {part[0]} to {part[1] - 1}") for part in parts if part not in finished.parts}
    queue, waiting = iter(tasks), dict[Slots, Task]()
    pool: Pool | None = None
    try:
        while monitor is None or not monitor.decides():
            most = _MOST_PARTS if monitor is None else monitor.room(waiting)
            for part in islice(queue, max(0, most - len(waiting))):
                waiting[part] = tasks[part]
                tasks[part].arguments = (part,)
            if not waiting:
                break
            # Machines may join.
            actors = min(len(tasks), _MOST_PARTS, _room(**reserved))
            if pool is None:
                pool = started(actors)
            pool.grow(actors)
            pool.send([*waiting.values()])
            pool.wait([*waiting.values()])
            for part, task in [*waiting.items()]:
                if task.result is not None:
                    finished.add(part, task.accept()[0])
                    del waiting[part]
    finally:
        if pool is not None:
            pool.close()


def _room(num_cpus: float, num_gpus: float, **_: Any) -> int:
    """Number of actors that the machines of the cluster have room for, at least 1."""
    needed = {name: share for name, share in (("CPU", num_cpus), ("GPU", num_gpus)) if share}
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    fits = [[int(has.get(name, 0) / share) for name, share in needed.items()] for has in nodes]
    return max(1, sum(min(of_node, default=_MOST_PARTS) for of_node in fits))


class _Monitor:
    """A sequential test over finished parts in the order of the schedule, whatever their order of arrival."""

    def __init__(
        self,
        parts: Sequence[Slots],
        finished: _File,
        table: Callable[[Sequence[str], bool], Tournament],
        seats: int,
    ) -> None:
        self._parts, self._finished, self._table, self._seats = parts, finished, table, seats
        #: Number of parts without a gap, and of parts that the test has considered.
        self._gapless = self._considered = 0
        self._decided: int | None = None

    def room(self, under_way: Collection[Slots]) -> int:
        """Number of parts that may be under way, so that none is far ahead of the test."""
        ahead = sum(part in self._finished.parts for part in self._parts[self._gapless :])
        return max(1, len(under_way), _MOST_PARTS - ahead)

    def decides(self) -> bool:
        """Whether the finished parts decide the test."""
        while self._gapless < len(self._parts) and self._parts[self._gapless] in self._finished.parts:
            self._gapless += 1
        new = self._gapless - self._considered
        # A table takes longer the more games there are, so tables are made more rarely.
        if new > self._considered // 32 or (new and self._gapless == len(self._parts)):
            self._considered = self._gapless
            test = self._table(self._first(), True).sprt
            assert test is not None
            self._decided = None if test.accepted is None else test.runs * self._seats
        return self._decided is not None

    def result(self) -> Tournament:
        """The table of the games up to the decision, or of all games."""
        return self._table(self._first(), False)

    def _first(self) -> list[str]:
        """The parts without a gap, up to the decision."""
        played = [self._finished.parts[part] for part in self._parts[: self._gapless]]
        return played if self._decided is None else [_before(part, self._decided) for part in played]


def _before(played: str, games: int) -> str:
    """A part with the first games of the schedule alone."""
    part = json.loads(played)
    for name in ("games", "faults"):
        part[name] = [one for one in part[name] if one["game"] < games]
    return json.dumps(part)


class _Parts(Runner):
    """Plays parts of a tournament, which keep nothing for one another."""

    title = "_part"

    @cached_property
    def _bots(self) -> list[tuple[str, Any]]:
        bots: list[tuple[str, Any]] = ray.get(self.given[0])
        return bots

    def versions(self) -> Mapping[str, str]:
        _, env, options, *_ = self.given
        return errors.versions(spec(env, **options))

    def played(self, task: None, slots: Slots) -> str:
        """The games of some slots of a tournament."""
        _, env, options, how, asked, width, openings = self.given
        rows = slots[1] - slots[0]
        fewer = {**asked, "batch_size": min(rows, asked["batch_size"]), "fixed": True}
        with TemporaryDirectory() as folder:
            if openings is not None:
                name, *selection = how["openings"]
                # The end of the name selects the reader.
                file = Path(folder) / f"openings{Path(name).suffix}"
                file.write_bytes(openings)
                how = {**how, "openings": (str(file), *selection)}
            with player_pool(spec(env, **options), self._bots, **fewer) as players:
                return _core.tournament_part(env, options, players.players, how, width, slots)


def _content(openings: tuple[str, int | None, str] | None) -> bytes | None:
    """The content of a file of openings; ``None`` for a number of plies."""
    if openings is None or openings[0].isdigit():
        return None
    try:
        return Path(openings[0]).read_bytes()
    except OSError as error:
        raise config_error(f"openings {openings[0]}: {error.strerror}") from error


class _File:
    """Finished parts, also on disk: a header line, then one line with a checksum per part. Incomplete lines
    are ignored."""

    def __init__(self, file: str | Path | None, header: dict[str, Any]) -> None:
        self.parts: dict[tuple[int, int], str] = {}
        self._lines: Any = None
        if file is None:
            return
        path = Path(file)
        try:
            self._lines = open(path, "r+b" if path.exists() else "x+b")
            if not locked(self._lines.fileno()):
                raise config_error(f"file={str(path)!r}: another process plays this tournament")
            known = self._lines.read()
            whole = known[: known.rfind(b"\n") + 1]
            lines = [_checked(path, line) for line in whole.splitlines()]
            if lines:
                _same(path, lines[0], json.loads(json.dumps(header)))
                for slots, played in lines[1:]:
                    self.parts[slots[0], slots[1]] = json.dumps(played)
            self._lines.truncate(len(whole))
            self._lines.seek(len(whole))
            if not lines:
                self._write(json.dumps(header))
        except LudovecError:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise config_error(f"file={str(file)!r}: {error.strerror}") from error
        except (ValueError, TypeError, IndexError) as error:
            self.close()
            raise config_error(f"file={str(file)!r}: it is not a file of a tournament: {error}") from error
        except BaseException:
            self.close()
            raise

    def add(self, slots: Slots, played: str) -> None:
        """Stores a part."""
        self.parts[slots] = played
        if self._lines is not None:
            self._write(f"[{json.dumps(slots)}, {played}]")

    def close(self) -> None:
        """Closes the file and releases its lock; its content is complete."""
        if self._lines is not None:
            self._lines.close()

    def _write(self, line: str) -> None:
        content = line.encode()
        self._lines.write(_checksum(content) + b" " + content + b"\n")
        self._lines.flush()
        os.fsync(self._lines.fileno())


def _checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest()[:16].encode()


def _checked(path: Path, line: bytes) -> Any:
    """Parses a line after verifying its checksum."""
    checksum, _, content = line.partition(b" ")
    if checksum != _checksum(content):
        raise config_error(f"file={str(path)!r}: it is damaged or not the log of a tournament")
    return json.loads(content)


def _same(path: Path, before: Any, now: Any) -> None:
    if not isinstance(before, dict):
        raise config_error(f"file={str(path)!r}: it is not a file of a tournament")
    for name, value in now.items():
        known = before.get(name)
        if known != value:
            difference = f"{known!r:.100} in it, but {value!r:.100} here"
            if name == "content" and isinstance(known, list) and len(known) == len(now.get("names", ())):
                changed = [player for player, *two in zip(now["names"], known, value) if two[0] != two[1]]
                difference = f"another one for {', '.join(changed)}"
            raise config_error(
                f"file={str(path)!r}: it belongs to another tournament: {name} is {difference}"
            )
