"""EnvPool's ``xla()``: a handle and functions for jitted loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._shared.extras import extra
from .jax.functions import noted

with extra("jax"):
    import jax
    from jax.experimental import io_callback


class Xla(NamedTuple):
    """What ``env.xla()`` returns, in EnvPool's order."""

    handle: Any
    """uint32 []: the number of calls so far. A loop passes it on, so that XLA keeps their order."""
    recv: Callable[[Any], tuple[Any, Any]]
    """``recv(handle)`` returns the new handle and what ``env.recv()`` returns."""
    send: Callable[..., Any]
    """``send(handle, action, env_id=None)`` returns the new handle."""
    step: Callable[..., tuple[Any, Any]]
    """``step(handle, action, env_id=None)`` is ``send`` and ``recv``."""


def xla(env: Any, example: Any, select: Callable[[Any], Any]) -> Xla:
    """The functions of ``env``, a pool or its ``dm_env`` view.

    ``select`` takes the result of ``env.recv()`` and returns the arrays that a loop gets, in the structure
    and with the shapes of ``example``.
    """
    # Without JAX, pyright takes partial stubs for the whole package.
    tree: Any = getattr(jax, "tree")  # noqa: B009
    shape: Any = getattr(jax, "ShapeDtypeStruct")  # noqa: B009
    number = shape((), np.uint32)
    result = number, tree.map(lambda array: shape(array.shape, array.dtype), example)

    @noted
    def sent(handle: Any, action: Any, env_id: Any = None) -> npt.NDArray[np.uint32]:
        env.send(np.asarray(action), None if env_id is None else np.asarray(env_id))
        return _next(handle)

    @noted
    def received(handle: Any) -> tuple[npt.NDArray[np.uint32], Any]:
        # Copies: the next call overwrites the environment's arrays.
        return _next(handle), tree.map(np.array, select(env.recv()))

    def send(handle: Any, action: Any, env_id: Any = None) -> Any:
        """Starts a step in the background."""
        given = (action,) if env_id is None else (action, env_id)
        return io_callback(sent, number, handle, *given, ordered=True)

    def recv(handle: Any) -> tuple[Any, Any]:
        """Waits for games."""
        found: tuple[Any, Any] = io_callback(received, result, handle, ordered=True)
        return found

    def step(handle: Any, action: Any, env_id: Any = None) -> tuple[Any, Any]:
        """Plays actions and waits for games."""
        return recv(send(handle, action, env_id))

    return Xla(np.zeros((), np.uint32), recv, send, step)


def arrays(result: tuple[Any, ...]) -> tuple[Any, ...]:
    """The part of Gymnasium's result of a step that has the same arrays in every step.

    Arrays of 64 bits, which JAX has only on request, are shown as twice as many numbers of 32 bits.
    """
    *columns, info = result
    shown = {
        name: value.view(np.uint32) if value.dtype == np.uint64 else value
        for name, value in info.items()
        if name[0] != "_" and name not in _OMITTED and not name.startswith("final_")
    }
    return (*columns, shown)


#: Seeds come with resets alone; the mask of type bool repeats the one of type int8.
_OMITTED = ("seed", "legal_action_mask")


def _next(handle: Any) -> npt.NDArray[np.uint32]:
    return np.asarray((int(handle) + 1) % 2**32, np.uint32)
