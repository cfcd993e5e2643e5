"""Environments with EnvPool's arguments ``env_id``; ``ludovec.envpool`` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..envs.asynchronous import AsyncVectorEnv
from ..envs.spaces import action_space, observation_space
from ..envs.vector import VectorEnv
from ..spec import Spec

if TYPE_CHECKING:
    from gymnasium.spaces import MultiDiscrete

    from .envpool_xla import Xla


@dataclass(frozen=True)
class EnvSpec:
    """Description of an environment before it is made."""

    task_id: str
    config: dict[str, Any]
    """The arguments of :func:`make_gymnasium`, including the environment's options."""
    game_spec: Spec = field(repr=False)

    @property
    def observation_space(self) -> Any:
        """Gymnasium's space of one observation."""
        return observation_space(self.game_spec)

    @property
    def action_space(self) -> Any:
        """Gymnasium's space of one action."""
        return action_space(self.game_spec)

    @property
    def reward_threshold(self) -> None:
        """None: no reward counts as solved."""


def _xla(self: Pool | AsyncPool) -> Xla:
    """``handle, recv, send, step`` for jitted functions and loops of JAX, in EnvPool's words.

    >>> handle, recv, send, step = env.xla()
    >>> env.async_reset()
    >>> @jax.jit
    ... def play(steps, loop):
    ...     def one(_, loop):
    ...         handle, states = loop
    ...         return step(handle, policy(states), states[-1]["env_id"])
    ...     return jax.lax.fori_loop(0, steps, one, loop)
    >>> handle, states = play(100, recv(handle))

    States are what :meth:`recv` returns, without the rows of finished games. The games stay on the host:
    JAX calls back in order. :func:`ludovec.jax.compiled` steps all games without Python in the loop, and
    :func:`ludovec.jax.raising` raises errors as they are.

    Raises:
        InvalidConfig: JAX is not installed.
    """
    from .envpool_xla import arrays, xla

    return xla(self, arrays(blank(self)), arrays)


def blank(pool: Any) -> tuple[Any, ...]:
    """The arrays of a result of ``recv()``, without receiving games."""
    games: VectorEnv = pool.blocks[0] if isinstance(pool, AsyncVectorEnv) else pool
    info: Any = {**games._info, "env_id": np.arange(games.num_envs, dtype=np.int32)}
    return games.observations, games.reward, games.terminated, games.truncated, info


class _Words:
    """Attributes of EnvPool's environments."""

    __slots__ = ()
    spec: EnvSpec
    num_envs: int
    xla = _xla

    def __len__(self) -> int:
        """Number of games."""
        return self.num_envs

    @property
    def config(self) -> dict[str, Any]:
        """The arguments that made it."""
        return self.spec.config

    @property
    def all_env_ids(self) -> npt.NDArray[np.int32]:
        """Indices of all games."""
        return np.arange(self.num_envs, dtype=np.int32)

    @property
    def is_async(self) -> bool:
        """Whether ``recv`` returns some of the games only."""
        return isinstance(self, AsyncVectorEnv)


def _counted(space: MultiDiscrete) -> MultiDiscrete:
    """The space, with EnvPool's ``n``: the number of actions of one game."""
    vars(space)["n"] = int(space.nvec.flat[0])
    return space


def _split(actions: Any, env_id: Any) -> tuple[Any, Any]:
    """Actions and games of a call in one of EnvPool's forms. A dict has ``action`` and, for some games,
    ``env_id``."""
    if not isinstance(actions, Mapping):
        return actions, env_id
    if env_id is not None or "action" not in actions or set(actions) - {"action", "env_id"}:
        raise config_error("actions: a dict has the keys action and env_id, and no argument env_id beside it")
    return actions["action"], actions.get("env_id")


class Pool(VectorEnv, _Words):
    """A :class:`ludovec.VectorEnv` with EnvPool's arguments ``env_id``."""

    spec: EnvSpec  # type: ignore[assignment]

    @property
    def action_space(self) -> MultiDiscrete:  # type: ignore[override]
        """The batched action space; its ``n`` is the number of actions of one game."""
        return _counted(super().action_space)

    def reset(self, env_id: Any = None, *, seed: Any = None, options: Any = None) -> tuple[Any, Any]:
        """Starts new episodes, in the games ``env_id`` or in all; returns their observations and infos."""
        if env_id is None:
            return super().reset(seed=seed, options=options)
        games = self._ids(env_id)
        chosen = np.zeros(self.num_envs, dtype=np.bool_)
        chosen[games] = True
        part: Any = {**(options or {}), "reset_mask": chosen}
        obs, info = super().reset(seed=seed, options=part)
        return obs[games], _rows(info, games)

    def step(self, actions: Any, env_id: Any = None) -> Any:
        """Plays ``actions[k]`` in game ``env_id[k]``, or one action in every game; returns the rows of these
        games."""
        actions, env_id = _split(actions, env_id)
        if env_id is None:
            return super().step(actions)
        games = self._ids(env_id)
        obs, reward, terminated, truncated, info = self.step_games(games, actions)
        return obs[games], reward[games], terminated[games], truncated[games], _rows(info, games)


class AsyncPool(AsyncVectorEnv, _Words):
    """A :class:`ludovec.AsyncVectorEnv` with EnvPool's ``reset(env_id)``."""

    spec: EnvSpec  # type: ignore[assignment]

    @property
    def action_space(self) -> MultiDiscrete:  # type: ignore[override]
        """The action space of :meth:`send`; its ``n`` is the number of actions of one game."""
        return _counted(self.blocks[0].action_space)

    def send(self, actions: Any, env_id: Any = None) -> None:
        """Sends actions to a received block (default: the last one) and returns at once."""
        super().send(*_split(actions, env_id))

    def reset(self, env_id: Any = None, *, seed: Any = None, options: Any = None) -> tuple[Any, Any]:
        """Starts new episodes in the received block ``env_id``; without it, in all games, and receives a
        block."""
        if env_id is None:
            return super().reset(seed=seed, options=options)
        block = self._block(env_id)
        info: Any
        obs, info = self.blocks[block].reset(seed=seed, options=options)
        info["env_id"] = self._ids[block]
        return obs, info


def _rows(info: Mapping[str, Any], games: Any) -> dict[str, Any]:
    """The rows of some games in infos."""
    shown = {
        key: _rows(value, games) if isinstance(value, dict) else value[games] for key, value in info.items()
    }
    return {**shown, "env_id": games.astype(np.int32)}
