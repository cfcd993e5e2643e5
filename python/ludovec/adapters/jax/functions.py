"""JAX: environments inside jitted functions."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ..._shared.errors import config_error
from ..._shared.extras import extra
from ...envs.packed import unpack_bits
from ...envs.seats import SeatVectorEnv
from ...envs.vector import VectorEnv

with extra("jax"):
    import jax
    from jax.experimental import io_callback


class TimeStep(NamedTuple):
    """Result of a step of a batch, as JAX arrays."""

    observation: Any
    """uint8 or float32 [N, ...]"""
    action_mask: Any
    """bool [N, A], unpacked from the bits on the device, where it is used."""
    action_mask_bits: Any
    """uint32 [N, 2 W]: the legal actions as bits, for :func:`ludovec.unpack_bits`."""
    reward: Any
    """float32 [N]: of the player who acted, or with opponents of the own seat."""
    rewards: Any
    """float32 [N, P]: of all players in this step."""
    credit: Any
    """float32 [N, P]: reward of each player since that player's last decision."""
    credit_of_mover: Any
    """float32 [N]: credit of the current player; 0 at the start of a game."""
    terminated: Any
    """bool [N]"""
    truncated: Any
    """bool [N]"""
    player: Any
    """int32 [N]: the player of the observation."""
    final_observation: Any
    """As ``observation``: the last one of the games that ended in this step; other rows are older. Without
    ``autoreset="same_step"`` there are no rows."""
    final_returns: Any
    """float32 [N, P]: the outcome of the last finished episode of each game."""
    order: Any
    """uint32 []: the number of the state, which :func:`compiled` checks; 0 with :func:`functions`."""


#: The errors of calls that JAX has wrapped, until :func:`raising` takes them.
_failed: list[BaseException] = []


def noted(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, with its error kept for :func:`raising`."""

    def noting(*arguments: Any) -> Any:
        try:
            return call(*arguments)
        except BaseException as error:
            _failed[:] = [error]
            raise

    return noting


@contextmanager
def raising() -> Iterator[None]:
    """Raises the errors of environments in jitted functions as they are, for example :class:`IllegalAction`.

    JAX raises an error of its own, with the text of ours. The block waits for all calls under way.

    >>> with ludovec.jax.raising():
    ...     now = jax.jit(reset)(0)
    """
    _failed.clear()
    try:
        yield
        jax.effects_barrier()  # pyright: ignore[reportAttributeAccessIssue]
    except Exception as error:
        if _failed:
            raise _failed.pop() from error
        for head, kind in _ERRORS.items():
            if (at := str(error).find(head)) >= 0 and not isinstance(error, _core.LudovecError):
                raise kind(str(error)[at:]) from error
        raise


#: The beginnings of error messages of the engine.
_ERRORS = {
    "illegal action: ": _core.IllegalAction,
    "wrong phase: ": _core.InvalidPhase,
    "game over: ": _core.GameOver,
    "invalid configuration: ": _core.InvalidConfig,
}


def functions(
    env: VectorEnv | SeatVectorEnv,
) -> tuple[Callable[[Any], TimeStep], Callable[[Any], TimeStep]]:
    """Returns ``reset(seed)`` and ``step(actions)`` of an environment for jitted functions and loops.

    The games stay on the host: JAX calls back in order and gets copies, of masks the bits. A second loop
    continues with the same games; call ``reset`` first.

    >>> env = ludovec.make("tilewe", 256, players=2, mask="bits")
    >>> reset, step = ludovec.jax.functions(env)
    >>> @jax.jit
    ... def rollout(key):
    ...     def play(now, key):
    ...         logits = jax.numpy.where(now.action_mask, 0.0, -1e9)
    ...         actions = jax.random.categorical(key, logits)
    ...         now = step(actions)
    ...         return now, now.reward
    ...     return jax.lax.scan(play, reset(0), jax.random.split(key, 100))
    """
    if not isinstance(env, (VectorEnv, SeatVectorEnv)):
        raise config_error(f"env={env!r:.100}: an environment of ludovec.make is needed")
    games = env.games if isinstance(env, SeatVectorEnv) else env
    rows = games.observations
    final = np.zeros_like(rows if env.autoreset == "same_step" else rows[:0])

    def shown(reward: Any, terminated: Any, truncated: Any) -> TimeStep:
        return TimeStep(
            observation=rows.copy(),
            action_mask=np.zeros((), np.bool_),
            action_mask_bits=games.action_mask_bits.view(np.uint32).copy(),
            reward=np.array(reward),
            rewards=games.rewards.copy(),
            credit=games.credit.copy(),
            credit_of_mover=games.credit_of_mover.copy(),
            terminated=np.array(terminated),
            truncated=np.array(truncated),
            player=np.array(env.seats if isinstance(env, SeatVectorEnv) else env.current_player),
            final_observation=final.copy(),
            final_returns=games.final_returns.copy(),
            order=np.zeros((), np.uint32),
        )

    @noted
    def reset_games(seed: Any) -> TimeStep:
        env.reset(seed=int(seed))
        nothing = np.zeros(env.num_envs, dtype=np.bool_)
        return shown(nothing.astype(np.float32), nothing, nothing)

    @noted
    def step_games(actions: Any) -> TimeStep:
        info: Any
        _, reward, terminated, truncated, info = env.step(np.asarray(actions))
        if final.size and "final_obs" in info:
            for row in np.flatnonzero(terminated | truncated).tolist():
                final[row] = info["final_obs"][row]
        return shown(reward, terminated, truncated)

    nothing = np.zeros(env.num_envs, np.bool_)
    first = shown(nothing.astype(np.float32), nothing, nothing)
    # Without JAX, pyright takes partial stubs for the whole package.
    shape = jax.ShapeDtypeStruct  # pyright: ignore[reportAttributeAccessIssue]
    result = TimeStep(*(shape(array.shape, array.dtype) for array in first))

    def unpacked(step: TimeStep) -> TimeStep:
        mask = unpack_bits(step.action_mask_bits, env.game_spec.num_actions)
        return step._replace(action_mask=mask)

    def reset(seed: Any) -> TimeStep:
        """Resets the games with a seed."""
        step: TimeStep = io_callback(reset_games, result, seed, ordered=True)
        return unpacked(step)

    def step(actions: Any) -> TimeStep:
        """Plays ``actions``, int32 [N]."""
        step: TimeStep = io_callback(step_games, result, actions, ordered=True)
        return unpacked(step)

    return reset, step


#: The name of the custom call of XLA.
_TARGET = "ludovec"
#: Whether it is registered.
_registered = False


def custom_call(results: Any) -> Callable[..., Any]:
    """The custom call of XLA that returns arrays of these shapes."""
    global _registered
    # Without JAX, pyright takes partial stubs for the whole package.
    ffi = getattr(jax, "ffi", None)
    if ffi is None:
        raise config_error(f"jax {jax.__version__}: custom calls need JAX 0.5")  # pyright: ignore
    if not _registered:
        capsule = ffi.pycapsule(ctypes.c_void_p(_core.xla_target()))
        ffi.register_ffi_target(_TARGET, capsule, platform="cpu")
        _registered = True
    call: Callable[..., Any] = ffi.ffi_call(_TARGET, results, has_side_effect=True)
    return call


#: The columns that a custom call returns, as the fields of :class:`TimeStep` name them, with their types.
_COLUMNS: dict[str, tuple[str, Any]] = {
    "observation": ("observations", None),
    "action_mask_bits": ("mask_bits", np.uint32),
    "reward": ("reward", np.float32),
    "rewards": ("rewards", np.float32),
    "credit": ("credit", np.float32),
    "credit_of_mover": ("credit_of_mover", np.float32),
    "terminated": ("terminated", np.bool_),
    "truncated": ("truncated", np.bool_),
    "player": ("current_player", np.int32),
    "final_observation": ("final_observations", None),
    "final_returns": ("final_returns", np.float32),
}
_ROWS_OF_ONE = ("reward", "credit_of_mover", "terminated", "truncated", "player")


def compiled(
    env: VectorEnv,
) -> tuple[Callable[[Any], TimeStep], Callable[[TimeStep, Any], TimeStep]]:
    """Returns ``reset(seed)`` and ``step(now, actions)`` as custom calls of XLA, for jitted functions on the
    CPU.

    No Python runs in the loop. A state is used once: ``step`` takes the newest one, so that XLA keeps the
    order of calls, and refuses an older one. The games are those of ``env``; their bytes are those of
    ``env.step``.

    >>> env = ludovec.make("tilewe", 256, players=2, mask="bits")
    >>> reset, step = ludovec.jax.compiled(env)
    >>> @jax.jit
    ... def rollout(key):
    ...     def play(now, key):
    ...         logits = jax.numpy.where(now.action_mask, 0.0, -1e9)
    ...         actions = jax.random.categorical(key, logits)
    ...         return step(now, actions), now.reward
    ...     return jax.lax.scan(play, reset(0), jax.random.split(key, 100))

    Errors arrive as with :func:`functions`, in :func:`raising` as they are. The seeds of ``env`` are not kept
    up to date.

    Raises:
        InvalidConfig: ``env`` is no :class:`ludovec.VectorEnv` of this process, or JAX has no custom calls.
    """
    if not isinstance(env, VectorEnv) or env._remake is None:
        raise config_error(f"env={env!r:.100}: a batch of ludovec.make, with all seats, is needed")
    n, players = env.num_envs, env.game_spec.players
    rows = env.observations
    shape = jax.ShapeDtypeStruct  # pyright: ignore[reportAttributeAccessIssue]
    shapes: dict[str, Any] = {}
    for field in _COLUMNS:
        if field == "final_observation" and env.autoreset != "same_step":
            continue
        if "observation" in field:
            shapes[field] = shape(rows.shape, rows.dtype)
            continue
        width = () if field in _ROWS_OF_ONE else (players,)
        width = (2 * env.action_mask_bits.shape[1],) if field == "action_mask_bits" else width
        shapes[field] = shape((n, *width), _COLUMNS[field][1])
    suffix = "_f32" if rows.dtype == np.float32 else ""
    names = [_COLUMNS[field][0] + (suffix if "observation" in field else "") for field in shapes]
    if "mask_bits_shown" in env.columns:
        # The engine's own bits may be behind.
        names[names.index("mask_bits")] = "mask_bits_shown"
    number = env._core.register_for_xla(names)
    results = (shape((), np.uint32), *shapes.values())
    call = custom_call(results)
    absent = np.empty((0, *rows.shape[1:]), rows.dtype)

    def shown(order: Any, *columns: Any) -> TimeStep:
        found = dict(zip(shapes, columns))
        mask = unpack_bits(found["action_mask_bits"], env.game_spec.num_actions)
        # The constants need JAX's arrays inside loops.
        found.setdefault("final_observation", jax.numpy.asarray(absent))  # pyright: ignore
        return TimeStep(action_mask=mask, order=order, **found)

    def reset(seed: Any) -> TimeStep:
        """Resets the games with a seed, an integer that fits int32."""
        seed = jax.numpy.asarray(seed, np.int32)  # pyright: ignore[reportAttributeAccessIssue]
        return shown(*call(np.uint32(0), seed, object=np.int64(number), call=np.int64(1)))

    def step(now: TimeStep, actions: Any) -> TimeStep:
        """Plays ``actions``, int32 [N], in the newest state."""
        actions = jax.numpy.asarray(actions, np.int32)  # pyright: ignore[reportAttributeAccessIssue]
        return shown(*call(now.order, actions, object=np.int64(number), call=np.int64(0)))

    # Programs that outlive both functions get an error. At the exit of Python, JAX awaits running ones first.
    weakref.finalize(env, _core.forget_for_xla, number).atexit = False
    step.__dict__["env"] = reset.__dict__["env"] = env
    return reset, step
