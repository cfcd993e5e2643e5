"""Fleets: a batch in shared memory, owned by one process and attached to by name. Linux only."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, overload

from .. import _core
from .._core import FleetError
from .._shared import checks
from .._shared.errors import config_error
from .asynchronous import AsyncVectorEnv
from .vector import RenderMode, VectorEnv

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .._core import Fleet
    from ..typing import Autoreset, EnvId, MaskFormat, ObservationFormat, Options

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
    """Claims games of a running fleet and returns an environment like :func:`ludovec.make`.

    Arrays are views of the fleet's shared memory. Games are in the state in which their last client left
    them: call ``reset`` first. ``close()`` (or the end of this process, for any reason) frees them for other
    clients.

    Args:
        name: The fleet's name.
        blocks: Number of adjacent blocks of the fleet; ``None`` for the longest free run.
        batch_size: Number of games of one block; the result is then an :class:`AsyncVectorEnv` that steps
            blocks in the background.
        copy: Return copies instead of views that the next step overwrites.
        render_mode: ``"rgb_array"``, ``"ansi"`` or ``"human"``.
        timeout: Maximum wait for the fleet in seconds, in case its process is stopped or busy; ``None`` waits
            as long as the fleet lives.

    Ctrl-C ends a call that waits. After that, or after a timeout, games may or may not have moved, and the
    next call first waits for the step under way: call ``reset`` or read the arrays.

    Raises:
        FleetError: The system is not Linux, no such fleet runs, access is denied, the fleet has another
            version, or too few blocks are free. Later calls raise it within a second after the fleet ends, or
            if there is no answer within ``timeout``.
        InvalidConfig: ``timeout`` is not positive, or ``blocks`` or ``batch_size`` do not fit.
    """
    _check_platform()
    name, blocks = checks.word("name", name), checks.positive_or_none("blocks", blocks)
    if timeout is not None and not (isinstance(timeout, (int, float)) and timeout > 0):
        raise config_error(f"timeout={timeout!r}: a positive number of seconds, or None, is needed")
    cores, autoreset = _core.attach(name, blocks, batch_size is not None, timeout)
    envs = [VectorEnv(core, autoreset=autoreset, copy=copy, render_mode=render_mode) for core in cores]
    for env in envs:
        # Games left by another client are not at the start of an episode.
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
    seed: int | None = None,
    autoreset: Autoreset = "same_step",
    obs: ObservationFormat = "u8",
    mask: MaskFormat = "bytes",
    permissions: int = 0o600,
    **options: Unpack[Options],
) -> Fleet:
    """Starts a fleet in threads of this process; the command ``ludovec serve`` does it in its own process.

    >>> with ludovec.serve("tilewe", name="games", num_envs=256):
    ...     env = ludovec.attach("games")

    Args:
        id: One of :func:`ludovec.list_envs`.
        name: Name for clients: 1 to 64 letters, digits, ``-``, ``_`` and ``.``.
        num_envs: Number of games.
        blocks: Number of runs of games that clients claim and step separately; by default four per thread,
            with at least 64 games each.
        num_threads, seed, autoreset, obs, mask, options: As for :func:`ludovec.make`.
        permissions: File permissions of the segment: ``0o600`` allows this user, ``0o660`` the group,
            ``0o666`` everyone.

    Raises:
        FleetError: The system is not Linux, a fleet of this name runs, or shared memory is full.
        InvalidConfig: The message names the argument, its value and the allowed values.
    """
    _check_platform()
    config = checks.batch_config(
        num_envs=num_envs, num_threads=num_threads, seed=seed, autoreset=autoreset, obs=obs, mask=mask
    )
    blocks = checks.positive_or_none("blocks", blocks)
    return _core.Fleet(
        checks.word("id", id),
        {**options},
        {**config, "first_game": 0, "total_games": None},
        checks.word("name", name),
        blocks,
        permissions,
    )


def _check_platform() -> None:
    """Raises if the system has no fleets."""
    if not hasattr(_core, "Fleet"):
        system = platform.system() or "another system"
        raise FleetError(
            f"fleets need Linux (POSIX shared memory and futexes), this is {system}: ludovec.make "
            "keeps games in this process, and first_game= splits them over several"
        )


def _words(sizes: set[int]) -> str:
    return " or ".join(str(size) for size in sorted(sizes))
