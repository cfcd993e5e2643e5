"""Batches of games with ``dm_env``'s interface, as EnvPool has it: ``ludovec.envpool.make_dm``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import dm_env
import numpy as np
from dm_env import specs

from .envpool_pools import blank

if TYPE_CHECKING:
    from .envpool_pools import AsyncPool, EnvSpec, Pool
    from .envpool_xla import Xla


class Players(NamedTuple):
    """The players of the rows."""

    env_id: Any
    """int32 [B]: the game of every row."""
    id: Any
    """int32 [B]: the current player."""


class State(NamedTuple):
    """The observation of a time step."""

    obs: Any
    """The observations of the current players, as the environment's."""
    action_mask: Any
    """bool [B, A]: the legal actions."""
    players: Players


class DmEnv(dm_env.Environment):  # type: ignore[misc]
    """A batch of games. Step types, rewards and discounts of a time step are arrays ``[B]``.

    The reward belongs to the player that acted. After a last time step, the next step of a game ignores its
    action and shows the first time step of the next episode.
    """

    def __init__(self, games: Pool | AsyncPool) -> None:
        """Use :func:`ludovec.envpool.make_dm`."""
        #: The games, with Gymnasium's interface.
        self.games = games

    @property
    def spec(self) -> EnvSpec:
        """The description of the environment."""
        return self.games.spec

    @property
    def config(self) -> dict[str, Any]:
        """The arguments that made it."""
        return self.games.config

    def __len__(self) -> int:
        """Number of games."""
        return len(self.games)

    def observation_spec(self) -> State:
        """The specs of one row, in the structure of an observation."""
        known = self.games.game_spec
        obs = specs.BoundedArray(known.observation_shape, np.uint8, 0, 255, name="obs")
        mask = specs.BoundedArray((known.num_actions,), np.bool_, False, True, name="action_mask")
        number = specs.Array((), np.int32, name="env_id")
        return State(obs, mask, Players(number, specs.DiscreteArray(known.players, np.int32, name="id")))

    def action_spec(self) -> Any:
        """The spec of one action."""
        return specs.DiscreteArray(self.games.game_spec.num_actions, np.int32, name="action")

    def reset(self, env_id: Any = None) -> dm_env.TimeStep:
        """Starts new episodes, in the games ``env_id`` or in all."""
        obs, info = self.games.reset(env_id)
        return self._first(obs, info)

    def step(self, action: Any, env_id: Any = None) -> dm_env.TimeStep:
        """Plays an action in every game, or in the games ``env_id``."""
        return self._time_step(*self.games.step(action, env_id))

    def async_reset(self) -> None:
        """Starts new episodes; :meth:`recv` returns their first time steps."""
        self.games.async_reset()

    def send(self, action: Any, env_id: Any = None) -> None:
        """Starts a step in the background."""
        self.games.send(action, env_id)

    def recv(self) -> dm_env.TimeStep:
        """Waits for games."""
        return self._time_step(*self.games.recv())

    def xla(self) -> Xla:
        """``handle, recv, send, step`` for jitted functions and loops of JAX, as :meth:`Pool.xla`; states are
        time steps."""
        from .envpool_xla import xla

        return xla(self, self._time_step(*blank(self.games)), lambda result: result)

    def close(self) -> None:
        """Releases the games."""
        self.games.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["games"], name)

    def _state(self, obs: Any, info: Any) -> State:
        players = info["current_player"]
        ids = info.get("env_id", np.arange(len(players), dtype=np.int32))
        masks = info["legal_action_mask"] if "legal_action_mask" in info else None
        return State(obs, masks, Players(ids, players))

    def _first(self, obs: Any, info: Any) -> dm_env.TimeStep:
        games = len(info["current_player"])
        kind = np.full(games, int(dm_env.StepType.FIRST), np.int32)
        state = self._state(obs, info)
        return dm_env.TimeStep(kind, np.zeros(games, np.float32), np.ones(games, np.float32), state)

    def _time_step(
        self, obs: Any, reward: Any, terminated: Any, truncated: Any, info: Any
    ) -> dm_env.TimeStep:
        started = info["episode_length"] == 0
        kind = np.where(started, int(dm_env.StepType.FIRST), int(dm_env.StepType.MID))
        kind[terminated | truncated] = int(dm_env.StepType.LAST)
        discount = (~terminated).astype(np.float32)
        return dm_env.TimeStep(kind.astype(np.int32), reward, discount, self._state(obs, info))
