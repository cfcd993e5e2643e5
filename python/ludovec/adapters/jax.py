"""JAX: environments inside jitted functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from .._errors import config_error
from .._extras import extra
from ..packed import unpack_bits
from ..seats import SeatVectorEnv
from ..vector import VectorEnv

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


#: The errors of calls that JAX has wrapped, until :func:`raising` takes them.
_failed: list[BaseException] = []


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
        raise


def functions(
    env: VectorEnv | SeatVectorEnv,
) -> tuple[Callable[[Any], TimeStep], Callable[[Any], TimeStep]]:
    """Returns ``reset(seed)`` and ``step(actions)`` of an environment for jitted functions and loops.

    The games stay on the host: JAX calls back in order and gets copies, of masks the bits. A second loop
    continues with the same games; call ``reset`` first.

    >>> reset, step = ludovec.jax.functions(ludovec.make("tilewe", 256, players=2, mask="bits"))
    >>> @jax.jit
    ... def rollout(key):
    ...     def play(now, key):
    ...         actions = jax.random.categorical(key, jax.numpy.where(now.action_mask, 0.0, -1e9))
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
        )

    def noted(call: Callable[[Any], TimeStep]) -> Callable[[Any], TimeStep]:
        """The call, with its error kept for :func:`raising`."""

        def noting(argument: Any) -> TimeStep:
            try:
                return call(argument)
            except BaseException as error:
                _failed[:] = [error]
                raise

        return noting

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
