"""LightZero: one game as an environment of DI-engine, for MuZero and its relatives."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..envs.make import make
from ..envs.seats import SeatVectorEnv
from ..envs.vector import VectorEnv
from ..spec import spec

with extra("lightzero"):
    from ding.envs import BaseEnv, BaseEnvTimestep
    from ding.utils import ENV_REGISTRY
    from easydict import EasyDict
    from gymnasium.spaces import Box, Dict, Discrete


__all__ = ["LightZeroEnv"]


@ENV_REGISTRY.register("ludovec")
class LightZeroEnv(BaseEnv):
    """A game for LightZero's policies, registered as ``ludovec``.

    ``cfg.env`` takes these keys, and those of LightZero:

    ==============  =====================================================================================
    key             value
    ==============  =====================================================================================
    ``env_id``      the environment
    ``options``     its options, as a dict
    ``opponents``   players of the other seats, as for :func:`ludovec.make`; ``None``: both seats are
                    LightZero's
    ``seat``        the seat of LightZero
    ``on_illegal``  ``"lose"`` (default) ends the game at -1, ``"raise"`` raises
    ==============  =====================================================================================

    Observations are dicts of ``observation`` (float32 [L], from 0 to 1), ``action_mask`` (int8 [A]),
    ``to_play`` and ``timestep``. With opponents, ``to_play`` is -1 and the reward that of the own seat.
    Without, it is 1 or 2, and the reward is that of the player who acted.

    LightZero's search takes turns in strict order. Without opponents, choose a game of two players that does
    so, such as chess.

    >>> env = dict(env_id="tilewe", options=dict(players=2), opponents="random")
    >>> env["collector_env_num"] = 8
    >>> create = dict(env=dict(type="ludovec", import_names=["ludovec.lightzero"]))
    """

    config = {
        "env_id": "smallworld",
        "options": {},
        "opponents": "random",
        "seat": 0,
        "on_illegal": "lose",
    }

    @classmethod
    def default_config(cls) -> Any:
        """The keys above with their defaults."""
        return EasyDict({**copy.deepcopy(cls.config), "cfg_type": cls.__name__ + "Dict"})

    def __init__(self, cfg: dict[str, Any] | None = None) -> None:
        """Takes ``cfg``; the game is made by the first :meth:`reset`."""
        given = {**self.config, **(cfg or {})}
        for name in ("obs", "mask", "num_envs", "autoreset", "num_threads"):
            if name in given["options"]:
                raise config_error(f"options.{name}: it is not an option of LightZeroEnv")
        self._cfg = EasyDict(copy.deepcopy(given))
        #: The description of the environment, of :func:`ludovec.spec`.
        self.game_spec = spec(given["env_id"], **self._options)
        if self._cfg.opponents is None and self.game_spec.players != 2:
            raise config_error(
                "opponents=None: two players are needed, because LightZero's search knows no more; "
                f"{given['env_id']} has {self.game_spec.players} here"
            )
        length, actions = self.game_spec.observation_len, self.game_spec.num_actions
        self._observation_space = Dict(
            {
                "observation": Box(0.0, 1.0, (length,), np.float32),
                "action_mask": Box(0, 1, (actions,), np.int8),
                "to_play": Box(-1, 2, (), np.int64),
                "timestep": Box(0, 2**62, (), np.int64),
            }
        )
        self._action_space = Discrete(actions)
        self._reward_space = Box(-np.inf, np.inf, (), np.float32)
        self._seed: int | None = None
        self._random = np.random.default_rng()
        self._dynamic = True
        self._seeded = False

    @property
    def _options(self) -> dict[str, Any]:
        return dict(self._cfg.options)

    @property
    def observation_space(self) -> Any:
        """The space of observations."""
        return self._observation_space

    @property
    def action_space(self) -> Any:
        """``Discrete(A)``"""
        return self._action_space

    @property
    def reward_space(self) -> Any:
        """float32 numbers."""
        return self._reward_space

    @property
    def legal_actions(self) -> list[int]:
        """The legal actions of the current player."""
        return [int(action) for action in np.flatnonzero(self._games.legal_action_mask[0])]

    def seed(self, seed: int, dynamic_seed: bool = True) -> None:
        """The seed of the next :meth:`reset`. Without ``dynamic_seed``, every episode has it."""
        self._seed = checks.integer("seed", seed)
        self._random = np.random.default_rng(self._seed)
        self._dynamic = checks.switch("dynamic_seed", dynamic_seed)
        self._seeded = False

    def reset(self) -> dict[str, Any]:
        """Starts a new game."""
        if not hasattr(self, "_env"):
            options: dict[str, Any] = {"on_illegal": self._cfg.on_illegal, **self._options}
            if self._cfg.opponents is not None:
                options |= {"opponents": self._cfg.opponents, "seat": self._cfg.seat}
            made = make(
                self._cfg.env_id,
                1,
                num_threads=1,
                seed=self._seed,
                autoreset="disabled",
                obs="f32",
                **options,
            )
            assert isinstance(made, (VectorEnv, SeatVectorEnv))
            self._env: VectorEnv | SeatVectorEnv = made
        fresh = self._seed is not None and (not self._seeded or not self._dynamic)
        self._seeded = True
        self._env.reset(seed=self._seed if fresh else None)
        self._steps, self._return = 0, 0.0
        return self._observation()

    def step(self, action: Any) -> Any:
        """Plays an action, and those of the opponents: ``BaseEnvTimestep(obs, reward, done, info)``."""
        if not hasattr(self, "_env"):
            raise config_error("step: call reset() first")
        mover = self._mover
        _, reward, terminated, truncated, _ = self._env.step(np.asarray(action, np.int64).reshape(1))
        self._steps += 1
        # In self-play the return is that of the first player.
        won = float(reward[0])
        self._return += won if self._cfg.opponents is not None else float(self._games.rewards[0, 0])
        done = bool(terminated[0] or truncated[0])
        info: dict[str, Any] = {"player": mover}
        if done:
            returns = np.array(self._games.final_returns[0], np.float32)
            best = returns == returns.max()
            seat = self._cfg.seat if self._cfg.opponents is not None else 0
            info |= {
                "eval_episode_return": np.array(self._return, np.float32),
                "returns": returns,
                "points": float(best[seat] / best.sum()),
            }
        return BaseEnvTimestep(self._observation(), np.array(won, np.float32), done, info)

    def random_action(self) -> Any:
        """A legal action by chance. It draws from a generator of its own: opponents play the same with it."""
        return np.array(self._random.choice(self.legal_actions), np.int64)

    def close(self) -> None:
        """Releases the game and the players."""
        if hasattr(self, "_env"):
            self._env.close()
            del self._env

    @staticmethod
    def create_collector_env_cfg(cfg: dict[str, Any]) -> list[dict[str, Any]]:
        """The configuration, once for each environment that collects."""
        return [cfg for _ in range(cfg.pop("collector_env_num"))]

    @staticmethod
    def create_evaluator_env_cfg(cfg: dict[str, Any]) -> list[dict[str, Any]]:
        """The configuration, once for each environment that evaluates."""
        return [cfg for _ in range(cfg.pop("evaluator_env_num"))]

    def __repr__(self) -> str:
        opponents = self._cfg.opponents
        return f"<ludovec.lightzero.LightZeroEnv {self._cfg.env_id} opponents={opponents}>"

    @property
    def _games(self) -> VectorEnv:
        return self._env.games if isinstance(self._env, SeatVectorEnv) else self._env

    @property
    def _mover(self) -> int:
        seats = self._env.seats if isinstance(self._env, SeatVectorEnv) else self._env.current_player
        return int(seats[0])

    def _observation(self) -> dict[str, Any]:
        games = self._games
        to_play = -1 if isinstance(self._env, SeatVectorEnv) else self._mover + 1
        return {
            "observation": np.array(games.observations[0], np.float32).reshape(-1),
            "action_mask": np.array(games.action_mask[0], np.int8),
            "to_play": np.array(to_play, np.int64),
            "timestep": np.array(self._steps, np.int64),
        }
