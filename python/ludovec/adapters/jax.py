"""JAX: environments inside jitted functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .._errors import config_error
from .._extras import extra
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
    """bool [N, A]"""
    reward: Any
    """float32 [N]"""
    terminated: Any
    """bool [N]"""
    truncated: Any
    """bool [N]"""
    player: Any
    """int32 [N]: the player of the observation."""


def functions(
    env: VectorEnv | SeatVectorEnv,
) -> tuple[Callable[[Any], TimeStep], Callable[[Any], TimeStep]]:
    """Returns ``reset(seed)`` and ``step(actions)`` of an environment for jitted functions and loops.

    The games stay on the host: JAX calls back in order and gets copies. A second loop continues with the same
    games; call ``reset`` first.

    >>> reset, step = ludovec.jax.functions(ludovec.make("tilewe", 256, players=2))
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

    def shown(reward: Any, terminated: Any, truncated: Any) -> TimeStep:
        player = env.seats if isinstance(env, SeatVectorEnv) else env.current_player
        seen = (games.observations, env.action_masks(), reward, terminated, truncated, player)
        return TimeStep(*(np.array(array) for array in seen))

    def reset_games(seed: Any) -> TimeStep:
        env.reset(seed=int(seed))
        nothing = np.zeros(env.num_envs, dtype=np.bool_)
        return shown(nothing.astype(np.float32), nothing, nothing)

    def step_games(actions: Any) -> TimeStep:
        _, reward, terminated, truncated, _ = env.step(np.asarray(actions))
        return shown(reward, terminated, truncated)

    # Without JAX, pyright takes partial stubs for the whole package.
    n, shape = env.num_envs, jax.ShapeDtypeStruct  # pyright: ignore[reportAttributeAccessIssue]
    result = TimeStep(
        shape(games.observations.shape, games.observations.dtype),
        shape((n, env.game_spec.num_actions), np.bool_),
        shape((n,), np.float32),
        shape((n,), np.bool_),
        shape((n,), np.bool_),
        shape((n,), np.int32),
    )

    def reset(seed: Any) -> TimeStep:
        """Resets the games with a seed."""
        step: TimeStep = io_callback(reset_games, result, seed, ordered=True)
        return step

    def step(actions: Any) -> TimeStep:
        """Plays ``actions``, int32 [N]."""
        step: TimeStep = io_callback(step_games, result, actions, ordered=True)
        return step

    return reset, step
