"""Environments by name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import numpy.typing as npt

from . import _arguments, _core
from ._errors import config_error
from .asynchronous import AsyncVectorEnv
from .seats import SeatVectorEnv, seat_env
from .vector import _VIEWS, VectorEnv

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode
    from typing_extensions import Unpack

    from .players import OnFault, Opponents
    from .typing import Autoreset, EnvId, MaskFormat, ObservationFormat, Options
    from .vector import RenderMode


@overload
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    num_threads: int | None = None,
    pin_threads: bool = False,
    seed: int | None = 0,
    autoreset: Autoreset | AutoresetMode = "same_step",
    batch_size: None = None,
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    copy: bool = False,
    out: Mapping[str, Any] | None = None,
    first_game: int = 0,
    render_mode: RenderMode | None = None,
    opponents: None = None,
    **options: Unpack[Options],
) -> VectorEnv: ...
@overload
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    num_threads: int | None = None,
    pin_threads: bool = False,
    seed: int | None = 0,
    autoreset: Autoreset | AutoresetMode = "same_step",
    batch_size: int,
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    copy: bool = False,
    out: Mapping[str, Any] | None = None,
    first_game: int = 0,
    render_mode: RenderMode | None = None,
    opponents: None = None,
    **options: Unpack[Options],
) -> AsyncVectorEnv: ...
@overload
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    num_threads: int | None = None,
    pin_threads: bool = False,
    seed: int | None = 0,
    autoreset: Autoreset | AutoresetMode = "same_step",
    batch_size: None = None,
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    copy: bool = False,
    out: Mapping[str, Any] | None = None,
    first_game: int = 0,
    render_mode: RenderMode | None = None,
    opponents: Opponents,
    seat: int | Sequence[int] | npt.NDArray[np.integer[Any]] | Literal["rotating", "random"] = "rotating",
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    **options: Unpack[Options],
) -> SeatVectorEnv: ...
def make(
    id: EnvId,
    num_envs: int = 1,
    *,
    num_threads: int | None = None,
    pin_threads: bool = False,
    seed: int | None = 0,
    autoreset: Autoreset | AutoresetMode = "same_step",
    batch_size: int | None = None,
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    copy: bool = False,
    out: Mapping[str, Any] | None = None,
    first_game: int = 0,
    render_mode: RenderMode | None = None,
    opponents: Opponents | None = None,
    seat: int | Sequence[int] | npt.NDArray[np.integer[Any]] | Literal["rotating", "random"] = "rotating",
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    **options: Unpack[Options],
) -> VectorEnv | AsyncVectorEnv | SeatVectorEnv:
    """Makes a batch of games.

    Args:
        id: One of :func:`ludovec.list_envs`.
        num_envs: Number of games.
        num_threads: Threads that step; ``None`` uses all cores. Results never depend on it.
        pin_threads: Whether every thread stays on a core of its own and steps the same games in every call,
            which then lie in memory near that core: for machines with several memory nodes (NUMA) that nobody
            else uses. Linux only; a single thread is the caller's and stays where it is.
        seed: Seed of all games; game ``i`` of a seed is always the same game. ``None`` draws a seed.
        autoreset: ``"same_step"``, ``"next_step"`` or ``"disabled"``, as in Gymnasium.
        batch_size: Given, the result is an :class:`AsyncVectorEnv`, which steps blocks of so many games while
            the caller thinks. Must divide ``num_envs``.
        obs: ``"u8"``, ``"f32"`` (bytes times their field's scale), ``"packed"`` (uint8 [N, row_bytes], every
            number in the fewest bits; :func:`ludovec.unpack` makes bytes of them) or ``"none"``.
        mask: ``"bytes"`` writes ``action_mask`` [N, A]; ``"bits"`` only ``action_mask_bits`` [N, ceil(A/64)],
            an eighth of the memory traffic, which counts where there are thousands of actions.
        copy: Return copies instead of views that the next step overwrites.
        out: Arrays of yours to be written, by attribute name of :class:`VectorEnv`: C-contiguous NumPy
            arrays, CPU tensors (pinned ones too), anything writeable that speaks DLPack or the buffer
            protocol. Every column but ``action_mask_bits`` can be given. Nobody else may write there: memory
            of another environment is refused until that one is closed or gone.
        first_game: Number of the first game, for a batch that is split over processes.
        render_mode: ``"rgb_array"``, ``"ansi"`` or ``"human"``.
        opponents: Given, the result is a :class:`SeatVectorEnv`: one seat is the caller's, players have the
            others. A player is what it is to :func:`ludovec.tournament`: a text, a function on arrays, an
            object with ``turn``. Of a list, each episode has the next entry, a player or a tuple of one a
            seat, in turn order from the caller on.
        seat: The caller's with ``opponents``: a seat, one a game, ``"rotating"`` from episode to episode, or
            ``"random"``.
        time_limit, on_fault: Of opponents, as for :func:`ludovec.tournament`.
        options: The environment's own options (``ludovec.spec(id).option_list``).

    Raises:
        InvalidConfig: Names the argument, its value and what is allowed.
    """
    _arguments.word("id", id)
    if opponents is None:
        for name, value, usual in (
            ("seat", seat, "rotating"),
            ("time_limit", time_limit, None),
            ("on_fault", on_fault, "raise"),
        ):
            if value is not usual and not (isinstance(value, str) and value == usual):
                raise config_error(f"{name}={value!r:.100}: it goes with opponents, and none were given")
    if opponents is not None and batch_size is not None:
        raise config_error("batch_size: games with opponents are stepped together")
    if out is not None and not isinstance(out, Mapping):
        raise config_error(f"out={out!r:.100}: a mapping from names to arrays is needed")
    copy = _arguments.switch("copy", copy)
    config = _arguments.batch_config(
        num_envs=num_envs,
        num_threads=num_threads,
        pin_threads=pin_threads,
        seed=seed,
        autoreset=autoreset,
        obs=obs,
        mask=mask,
    )
    if config["pin_threads"] and batch_size is not None:
        raise config_error("pin_threads: blocks of batch_size games are stepped by whichever worker is free")
    num_envs = config["num_envs"]
    first_game = _arguments.integer("first_game", first_game)
    if batch_size is not None and num_envs % _arguments.positive("batch_size", batch_size):
        raise config_error(f"batch_size={batch_size}: a divisor of num_envs={num_envs} is needed")
    buffers = {_arguments.word("out", name): _buffer(name, array) for name, array in (out or {}).items()}
    for name, array in buffers.items():
        if array.shape[:1] != (num_envs,):
            raise config_error(f"out[{name!r}]: {num_envs} rows are needed, shape is {array.shape}")

    # With opponents it is the environment of the one seat that makes them.
    copies = copy and opponents is None

    def block(first: int, games: int, threads: int | None) -> VectorEnv:
        part = {name: array[first : first + games] for name, array in buffers.items()}
        places = {_column(name, obs): _storage(array) for name, array in part.items()}
        which = {"num_envs": games, "first_game": first_game + first, "total_games": num_envs}
        given = {**config, **which, "num_threads": threads}
        core = _core.Batch(id, {**options}, given, places)
        env = VectorEnv(core, autoreset=config["autoreset"], copy=copies, render_mode=render_mode)
        for name, array in part.items():
            wanted = getattr(env, name)
            if array.shape != wanted.shape:
                raise config_error(f"out[{name!r}]: shape {wanted.shape[1:]} a game is needed")
        return env

    if opponents is not None:
        autoreset, config["autoreset"] = config["autoreset"], "disabled"
        if autoreset not in ("same_step", "next_step", "disabled"):
            # The engine says what is allowed.
            config["autoreset"] = autoreset
        return seat_env(
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
    if batch_size is None:
        env = block(0, num_envs, config["num_threads"])
        if not out:
            env._remake = partial(make, id, copy=copy, first_game=first_game, **config, **options)
        return env
    blocks = num_envs // batch_size
    threads = config["num_threads"] or _cores()
    # One worker a block while there are threads; more threads than blocks split the blocks.
    envs = [block(first, batch_size, max(1, threads // blocks)) for first in range(0, num_envs, batch_size)]
    return AsyncVectorEnv(envs, threads=min(threads, blocks))


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _column(name: str, obs: str) -> str:
    """The engine's name of a column."""
    if name in ("observations", "final_observations"):
        return f"{name}_f32" if obs == "f32" else name
    return {public: column for column, (public, _, _) in _VIEWS.items()}.get(name, name)


def _storage(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as the engine's element type: flags and mask bytes are its bytes."""
    return array.view(np.uint8) if array.dtype in (np.bool_, np.int8) else array


def _buffer(name: str, array: Any) -> npt.NDArray[Any]:
    """An array over somebody's memory, never a copy."""
    try:
        if isinstance(array, np.ndarray):
            return array
        if type(array).__module__ == "torch":
            # Its DLPack export is read-only in older versions.
            memory: npt.NDArray[Any] = array.numpy()
            return memory
        if hasattr(array, "__dlpack__"):
            return np.from_dlpack(array)
        return np.asarray(memoryview(array))
    except Exception as error:
        raise config_error(f"out[{name!r}]: memory that NumPy can write is needed: {error}") from error
