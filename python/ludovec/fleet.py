"""Games that one process owns and any program on the machine attaches to by name. Linux only."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, overload

from . import _arguments, _core
from ._core import FleetError
from ._errors import config_error
from .asynchronous import AsyncVectorEnv
from .vector import RenderMode, VectorEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._core import Fleet
    from .typing import Autoreset, EnvId, MaskFormat, ObservationFormat, Options

__all__ = ["attach", "serve"]


@overload
def attach(
    name: str,
    *,
    blocks: int | None = None,
    batch_size: None = None,
    copy: bool = False,
    render_mode: RenderMode | None = None,
    timeout: float | None = None,
) -> VectorEnv: ...
@overload
def attach(
    name: str,
    *,
    blocks: int | None = None,
    batch_size: int,
    copy: bool = False,
    render_mode: RenderMode | None = None,
    timeout: float | None = None,
) -> AsyncVectorEnv: ...
def attach(
    name: str,
    *,
    blocks: int | None = None,
    batch_size: int | None = None,
    copy: bool = False,
    render_mode: RenderMode | None = None,
    timeout: float | None = None,
) -> VectorEnv | AsyncVectorEnv:
    """Claims games of a running fleet; the result is used like one of :func:`ludovec.make`.

    Arrays are views of the fleet's shared memory. Games go on from wherever their last client left them:
    call ``reset`` first. ``close()`` (or the end of this process, however it comes) frees them for others.

    Args:
        name: The fleet's name.
        blocks: How many of the fleet's blocks, side by side; ``None`` for the longest run that is free.
        batch_size: The games of one block, to get an :class:`AsyncVectorEnv` that steps blocks while the
            caller thinks about others.
        copy: Return copies instead of views that the next step overwrites.
        render_mode: ``"rgb_array"``, ``"ansi"`` or ``"human"``.
        timeout: Seconds that a call waits for the fleet at most: its process may be stopped, or busy;
            ``None`` waits for as long as it lives.

    Ctrl-C ends a call that waits. After that, or a timeout, games may have moved or not, and the next call
    first waits for what is under way: ``reset``, or look at the arrays.

    Raises:
        FleetError: This is not Linux, no such fleet runs, it may not be opened, it was made by another
            version, or too few blocks are free. Later calls raise it within a second when the fleet is gone,
            and when it gives no answer within ``timeout``.
        InvalidConfig: ``timeout`` is not a positive number, ``blocks`` or ``batch_size`` do not fit.
    """
    _check_platform()
    name, blocks = _arguments.word("name", name), _arguments.positive_or_none("blocks", blocks)
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
        raise config_error(f"timeout={timeout!r}: a positive number of seconds, or None")
    cores, autoreset = _core.attach(name, blocks, batch_size is not None, timeout)
    envs = [VectorEnv(core, autoreset=autoreset, copy=copy, render_mode=render_mode) for core in cores]
    for env in envs:
        # What another client left behind is not a fresh episode.
        env._fresh = False
    if batch_size is None:
        return envs[0]
    sizes = {env.num_envs for env in envs}
    if sizes != {batch_size}:
        raise config_error(f"batch_size={batch_size}: the claimed blocks have {_words(sizes)} games each")
    return AsyncVectorEnv(envs, threads=len(envs))


def serve(
    id: EnvId,
    name: str,
    num_envs: int = 1,
    *,
    blocks: int | None = None,
    num_threads: int | None = None,
    seed: int | None = 0,
    autoreset: Autoreset = "same_step",
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    mode: int = 0o600,
    **options: Unpack[Options],
) -> Fleet:
    """Starts a fleet in this process, as ``ludovec serve`` does in one of its own; threads serve it.

    >>> with ludovec.serve("tilewe", name="games", num_envs=256):
    ...     env = ludovec.attach("games")

    Args:
        id: One of :func:`ludovec.list_envs`.
        name: What clients attach to: 1 to 64 letters, digits, ``-``, ``_`` and ``.``.
        num_envs: Number of games.
        blocks: Runs of games that clients claim and step each on its own; by default four a thread, but none
            with fewer than 64 games.
        num_threads, seed, autoreset, obs, mask, options: As for :func:`ludovec.make`.
        mode: Permissions of the segment: ``0o600`` lets this user attach, ``0o660`` the group, ``0o666``
            everybody.

    Raises:
        FleetError: This is not Linux, a fleet of this name runs, or there is no room in shared memory.
        InvalidConfig: Names the argument, its value and what is allowed.
    """
    _check_platform()
    config = _arguments.batch_config(
        num_envs=num_envs, num_threads=num_threads, seed=seed, autoreset=autoreset, obs=obs, mask=mask
    )
    blocks = _arguments.positive_or_none("blocks", blocks)
    return _core.Fleet(
        _arguments.word("id", id),
        {**options},
        {**config, "first_game": 0, "total_games": None},
        _arguments.word("name", name),
        blocks,
        mode,
    )


def _check_platform() -> None:
    """Raises where fleets cannot be."""
    if not hasattr(_core, "Fleet"):
        system = platform.system() or "another system"
        raise FleetError(
            f"fleets need Linux (POSIX shared memory and futexes), this is {system}: ludovec.make "
            "has games in this process, first_game= splits them over several"
        )


def _words(sizes: set[int]) -> str:
    return " or ".join(str(size) for size in sorted(sizes))
