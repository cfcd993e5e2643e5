"""Construction of environments by id."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import InvalidConfig
from .._shared import checks
from .._shared.buffers import buffer, storage
from .._shared.errors import config_error
from ..game.positions import openings_of_starts
from ..rules.registration import portable
from ..spec import list_envs, spec
from .asynchronous import AsyncVectorEnv
from .seats import SeatVectorEnv, seat_env
from .vector import _VIEWS, VectorEnv

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode
    from typing_extensions import Unpack

    from ..game.positions import PositionLike
    from ..players import OnFault, Opponents
    from ..typing import (
        Autoreset,
        EnvId,
        MaskFormat,
        ObservationFormat,
        Options,
        SeatId,
    )
    from .vector import RenderMode

    class Arguments(Options, total=False):
        """Options, and arguments of :func:`make` for every kind of result."""

        num_threads: int | None
        pin_threads: bool
        seed: int | None
        autoreset: Autoreset | AutoresetMode
        obs: ObservationFormat
        mask: MaskFormat
        copy: bool
        out: Mapping[str, Any] | None
        first_game: int
        render_mode: RenderMode | None
        starts: Sequence[PositionLike] | None

    class SeatArguments(Arguments, total=False):
        """The same with the arguments for :class:`SeatVectorEnv`."""

        seat: int | Sequence[int] | npt.NDArray[np.integer[Any]] | Literal["rotating", "random"]
        time_limit: float | None
        on_fault: OnFault


# Type checkers list all signatures in an error, so there is one for each kind of result.
@overload
def make(  # type: ignore[overload-overlap]
    id: SeatId,
    num_envs: int = 1,
    *,
    batch_size: None = None,
    opponents: Opponents | None = None,
    **arguments: Unpack[SeatArguments],
) -> SeatVectorEnv: ...
@overload
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    batch_size: None = None,
    opponents: None = None,
    **arguments: Unpack[Arguments],
) -> VectorEnv: ...
@overload
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    batch_size: int,
    opponents: None = None,
    **arguments: Unpack[Arguments],
) -> AsyncVectorEnv: ...
@overload
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    batch_size: None = None,
    opponents: Opponents,
    **arguments: Unpack[SeatArguments],
) -> SeatVectorEnv: ...
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    num_threads: int | None = None,
    pin_threads: bool = False,
    seed: int | None = None,
    autoreset: Autoreset | AutoresetMode = "same_step",
    batch_size: int | None = None,
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    copy: bool = False,
    out: Mapping[str, Any] | None = None,
    first_game: int = 0,
    render_mode: RenderMode | None = None,
    starts: Sequence[PositionLike] | None = None,
    opponents: Opponents | None = None,
    seat: int | Sequence[int] | npt.NDArray[np.integer[Any]] | Literal["rotating", "random"] = "rotating",
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    **options: Unpack[Options],
) -> VectorEnv | AsyncVectorEnv | SeatVectorEnv:
    """Makes a batch of games.

    Args:
        id: One of :func:`ludovec.list_envs`, or a full id of Gymnasium, which pins the version of the rules:
            ``"ludovec/Chess-selfplay-v4"`` for the batch, ``"ludovec/Chess-v4"`` for the problem of one seat,
            with ``opponents="random"`` and ``on_illegal="lose"`` by default.
        num_envs: Number of games.
        num_threads: Number of threads; ``None`` uses all cores. Results do not depend on it.
        pin_threads: Pin every thread to a core. A thread then steps the same games in every call, in memory
            near its core. For NUMA machines without other load. Linux only; with a single thread, which is
            the caller's, nothing is pinned.
        seed: Seed of all games; game ``i`` of a seed is always the same game. ``None`` draws a seed, which
            the attribute ``seed``, the repr and ``info["seed"]`` of a reset show.
        autoreset: ``"same_step"``, ``"next_step"`` or ``"disabled"``, as in Gymnasium.
        batch_size: If given, the result is an :class:`AsyncVectorEnv` that steps blocks of this many games in
            the background. Must divide ``num_envs``.
        obs: ``"u8"``, ``"f32"`` (bytes times the scale of their field), ``"packed"`` (uint8 [N, row_bytes],
            every number in the fewest bits; decode with :func:`ludovec.unpack`) or ``"none"``.
        mask: ``"bytes"`` writes ``action_mask`` [N, A]; ``"bits"`` writes only ``action_mask_bits``
            [N, ceil(A/64)], an eighth of the memory traffic. Choose bits with thousands of actions, where
            bytes cost more than the step: Tilewe, chess.
        copy: Return copies instead of views that the next step overwrites.
        out: Your own arrays to write to, by attribute name of :class:`VectorEnv`: C-contiguous NumPy arrays,
            CPU tensors (also pinned), or any writeable object with DLPack or the buffer protocol. Every
            column can be given, ``action_mask_bits`` as a copy of the engine's own. Do not write to them.
            Memory of another environment is refused until that environment is closed or deleted.
        first_game: Index of the first game, for a batch that is split over several processes.
        render_mode: ``"rgb_array"``, ``"ansi"`` or ``"human"``.
        starts: Positions from which episodes start, also after auto-resets: each episode draws one from its
            own random stream, by the weights of :func:`ludovec.openings` or equally. Change them with
            ``set_starts``. A position is a ``"position"`` of :meth:`Game.to_json`, as text or object, or
            the bytes of :meth:`VectorEnv.get_state`, which are read much faster.
        opponents: If given, the result is a :class:`SeatVectorEnv`: the caller plays one seat, opponents play
            the others. An opponent is a player as for :func:`ludovec.tournament`: a text, a function on
            arrays, an object with ``turn``. Of a list, each episode takes the next entry: an opponent, or a
            tuple with one per seat, in turn order after the caller.
        seat: The caller's seat with ``opponents``: an index, one per game, ``"rotating"`` from episode to
            episode, or ``"random"``.
        time_limit, on_fault: For opponents, as for :func:`ludovec.tournament`.
        options: The environment's own options (``ludovec.spec(id).option_list``).

    Raises:
        InvalidConfig: The message names the argument, its value and the allowed values.
    """
    id, single = full_id(id)
    if single:
        opponents = "random" if opponents is None else opponents
        options.setdefault("on_illegal", "lose")
    if opponents is None:
        for name, value, usual in (
            ("seat", seat, "rotating"),
            ("time_limit", time_limit, None),
            ("on_fault", on_fault, "raise"),
        ):
            if value is not usual and not (isinstance(value, str) and value == usual):
                raise config_error(f"{name}={value!r:.100}: it is allowed with opponents only")
    if opponents is not None and batch_size is not None:
        raise config_error("batch_size: it is not allowed with opponents")
    if out is not None and not isinstance(out, Mapping):
        raise config_error(f"out={out!r:.100}: a mapping from names to arrays is needed")
    copy = checks.switch("copy", copy)
    config = checks.batch_config(
        num_envs=num_envs,
        num_threads=num_threads,
        pin_threads=pin_threads,
        seed=seed,
        autoreset=autoreset,
        obs=obs,
        mask=mask,
    )
    if config["pin_threads"] and batch_size is not None:
        raise config_error(
            "pin_threads: it is not allowed with batch_size, where any free worker steps a block"
        )
    num_envs = config["num_envs"]
    first_game = checks.integer("first_game", first_game)
    if batch_size is not None and num_envs % checks.positive("batch_size", batch_size):
        raise config_error(f"batch_size={batch_size}: a divisor of num_envs={num_envs} is needed")
    buffers = {_public(name): buffer(name, array) for name, array in (out or {}).items()}
    for name, array in buffers.items():
        if array.shape[:1] != (num_envs,):
            raise config_error(f"out[{name!r}]: {num_envs} rows are needed, shape is {array.shape}")

    # With opponents, the SeatVectorEnv makes the copies.
    copies = copy and opponents is None

    given_starts = openings_of_starts(starts)
    given_options: dict[str, Any] = {**options}

    def block(first: int, games: int, threads: int | None) -> VectorEnv:
        part = {name: array[first : first + games] for name, array in buffers.items()}
        places = {_column(name, obs): storage(name, array) for name, array in part.items()}
        which = {"num_envs": games, "first_game": first_game + first, "total_games": num_envs}
        given = {**config, **which, "num_threads": threads}
        try:
            core = _core.Batch(id, given_options, given, places)
        except InvalidConfig as error:
            said = str(error)
            for name in part:
                # The engine's name of the column.
                said = said.replace(f'out["{_column(name, obs)}"]', f"out[{name!r}]")
            raise _with_suggestion(InvalidConfig(said), given_options) from None
        env = VectorEnv(
            core, autoreset=config["autoreset"], copy=copies, render_mode=render_mode, seed=config["seed"]
        )
        if given_starts:
            env._start_from(given_starts)
        for name, array in part.items():
            wanted = getattr(env, name)
            if array.shape != wanted.shape:
                raise config_error(f"out[{name!r}]: shape {wanted.shape[1:]} per game is needed")
        return env

    remake: Callable[..., Any] = make
    again = {
        **config,
        "copy": copy,
        "first_game": first_game,
        "starts": given_starts or None,
        **given_options,
    }
    if opponents is not None:
        autoreset, config["autoreset"] = config["autoreset"], "disabled"
        if autoreset not in ("same_step", "next_step", "disabled"):
            # The engine raises the error and lists the allowed values.
            config["autoreset"] = autoreset
        seats = seat_env(
            block(0, num_envs, config["num_threads"]),
            opponents,
            seat=seat,
            autoreset=autoreset,
            seed=config["seed"],
            first_game=first_game,
            copy=copy,
            time_limit=time_limit,
            on_fault=on_fault,
        )
        seats._remake = partial(
            remake, portable(id), seat=seat, time_limit=time_limit, on_fault=on_fault, **again
        )
        return seats
    if batch_size is None:
        env = block(0, num_envs, config["num_threads"])
        env._remake = partial(remake, portable(id), **again)
        return env
    blocks = num_envs // batch_size
    threads = config["num_threads"] or _cores()
    # One worker per block while there are threads; surplus threads split the blocks.
    envs = [block(first, batch_size, max(1, threads // blocks)) for first in range(0, num_envs, batch_size)]
    batch = AsyncVectorEnv(envs, threads=min(threads, blocks))
    batch._remake = partial(remake, portable(id), batch_size=batch_size, **again)
    return batch


#: The ending of the names of batches in full ids.
SELFPLAY = "-selfplay"


def full_id(id: Any) -> tuple[Any, bool]:
    """The environment id of an id, and whether it is the full id of the problem of one seat.

    Raises:
        InvalidConfig: The full id names another version than that of the environment, or no environment.
    """
    text = checks.word("id", id)
    if not text.startswith("ludovec/"):
        return text, False
    name, _, version = text.removeprefix("ludovec/").rpartition("-v")
    known: dict[str, Any] = {name: id for id, name, _ in _core.list_envs()}
    env = known.get(name.removesuffix(SELFPLAY))
    if env is None:
        raise config_error(f"id={id!r}: ludovec/ and one of {', '.join(known)} is needed, as in {_example()}")
    current = spec(env).version
    if version != str(current):
        raise config_error(f"id={id!r}: these are the rules of version {current}, ludovec/{name}-v{current}")
    return env, not name.endswith(SELFPLAY)


def _example() -> str:
    known = spec(list_envs()[0])
    return f"ludovec/{known.name}{SELFPLAY}-v{known.version}"


#: The arguments of :func:`make` that are not options of environments.
_ARGUMENTS = tuple(name for name in inspect.signature(make).parameters if name != "options")


def _with_suggestion(error: InvalidConfig, options: Mapping[str, Any]) -> InvalidConfig:
    """The error about an unknown option; an argument of :func:`make` may have been meant."""
    said = str(error)
    for key in filter(str.isidentifier, options):
        head = f"invalid configuration: unknown option {key}"
        meant = _core.similar(key, list(_ARGUMENTS))
        if meant is not None and said.startswith(f"{head}:"):
            return InvalidConfig(said.replace(head, f"{head} (did you mean {meant}?)", 1))
    return error


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


#: Public names of the engine's columns, if they differ.
_PUBLIC = {column: public for column, (public, _, _) in _VIEWS.items() if public != column} | {
    "observations_f32": "observations",
    "final_observations_f32": "final_observations",
}


def _public(name: Any) -> str:
    """Checks the name of an output array provided by the caller."""
    if (public := _PUBLIC.get(checks.word("out", name))) is not None:
        raise config_error(f"out[{name!r}]: the array is called {public!r} here")
    return str(name)


def _column(name: str, obs: str) -> str:
    """The engine's name of a column."""
    if name in ("observations", "final_observations"):
        return f"{name}_f32" if obs == "f32" else name
    # Of the two columns of mask bits, the last one is the copy for callers.
    return {public: column for column, (public, _, _) in _VIEWS.items()}.get(name, name)
