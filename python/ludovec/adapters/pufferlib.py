"""PufferLib: a batch of games as a native environment over the shared buffers of its workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..envs.make import make
from ..envs.seats import SeatVectorEnv
from ..envs.vector import VectorEnv, described
from ..spec import spec

if TYPE_CHECKING:
    from ..players import Opponents
    from ..typing import EnvId

with extra("pufferlib"):
    import pufferlib
    from gymnasium.spaces import Box, Discrete


__all__ = ["PufferLibEnv"]


class PufferLibEnv(pufferlib.PufferEnv):
    """``num_envs`` games with an agent in each, for ``pufferlib.vector.make``.

    >>> options = {"id": "smallworld", "num_envs": 64, "players": 2}
    >>> serial = pufferlib.vector.Serial
    >>> games = pufferlib.vector.make(
    ...     PufferLibEnv, env_kwargs=options, num_envs=2, backend=serial
    ... )
    >>> observations, infos = games.reset(seed=0)

    With ``opponents`` the agent plays one seat; without (``None``), it plays every turn, and the reward is
    that of the player who acted. A row of observations is uint8 ``[L + A]``: the observation, then the action
    mask, because PufferLib has none. With ``masks=False`` it is the observation alone, which the engine
    writes into PufferLib's buffer itself. An illegal action ends its game at -1, unless
    ``on_illegal="raise"`` is given.

    The info of a finished game has ``episode_return``, ``episode_length`` and, with opponents, ``points``: 1
    for a win, 1/2 for a draw.
    """

    def __init__(
        self,
        id: EnvId,
        num_envs: int = 1,
        *,
        opponents: Opponents | None = "random",
        masks: bool = True,
        buf: Any = None,
        seed: int | None = 0,
        num_threads: int | None = 1,
        **arguments: Any,
    ) -> None:
        """``buf`` and ``seed`` are given by PufferLib, other arguments are as for :func:`ludovec.make`."""
        for name in ("autoreset", "batch_size", "copy", "mask", "obs", "out"):
            if name in arguments:
                raise config_error(f"{name}: it is not an argument of PufferLibEnv")
        places = (
            "num_envs",
            "pin_threads",
            "first_game",
            "render_mode",
            "starts",
            "seat",
            "time_limit",
            "on_fault",
        )
        known = spec(id, **{name: value for name, value in arguments.items() if name not in places})
        self._length, self._actions = known.observation_len, known.num_actions
        self._masks = checks.switch("masks", masks)
        shape = (self._length + self._actions,) if masks else known.observation_shape
        self.single_observation_space = Box(0, 255, shape, np.uint8)
        self.single_action_space = Discrete(self._actions)
        self.num_agents = checks.positive("num_envs", num_envs)
        super().__init__(buf)
        if seed is not None:
            # PufferLib counts workers from a seed that may be any integer.
            seed = int(seed) % 2**64
        all_: Any = {"on_illegal": "lose", **arguments}
        if opponents is not None:
            all_["opponents"] = opponents
        if not masks:
            all_["out"] = {"observations": self.observations}
        made = make(id, self.num_agents, num_threads=num_threads, seed=seed, **all_)
        assert isinstance(made, (VectorEnv, SeatVectorEnv))
        #: The games, of :func:`ludovec.make`.
        self.env: VectorEnv | SeatVectorEnv = made
        self._returns = np.zeros(self.num_agents, np.float64)
        self._lengths = np.zeros(self.num_agents, np.int64)

    def reset(self, seed: int | None = None) -> tuple[Any, list[dict[str, Any]]]:
        """Starts new games."""
        self.env.reset(seed=None if seed is None else int(seed) % 2**64)
        self._returns[:], self._lengths[:] = 0, 0
        self.rewards[:], self.terminals[:], self.truncations[:] = 0, False, False
        self._show()
        return self.observations, []

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, list[dict[str, Any]]]:
        """Plays an action in every game; finished games start again."""
        info: Any
        _, reward, terminated, truncated, info = self.env.step(np.asarray(actions).reshape(-1))
        self.rewards[:], self.terminals[:], self.truncations[:] = reward, terminated, truncated
        self._returns += reward
        self._lengths += 1
        infos = []
        for game in np.flatnonzero(terminated | truncated).tolist():
            told = {"episode_return": float(self._returns[game]), "episode_length": int(self._lengths[game])}
            if isinstance(self.env, SeatVectorEnv):
                final = info["final_info"]
                returns, seat = final["returns"][game], final["seat"][game]
                best = returns.max()
                told["points"] = float((returns[seat] == best) / (returns == best).sum())
            infos.append(told)
            self._returns[game] = self._lengths[game] = 0
        self._show()
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def split(self, rows: Any) -> tuple[Any, Any]:
        """Rows ``[n, L + A]`` of any library as observations ``[n, L]`` and masks ``[n, A]``, for
        networks."""
        return rows[..., : self._length], rows[..., self._length :]

    def close(self) -> None:
        """Releases the games and the players."""
        self.env.close()

    def __repr__(self) -> str:
        return f"<ludovec.pufferlib.PufferLibEnv {described(self.env)}>"

    def _show(self) -> None:
        if self._masks:
            games = self.env.games if isinstance(self.env, SeatVectorEnv) else self.env
            self.observations[:, : self._length] = games.observations.reshape(self.num_agents, -1)
            self.observations[:, self._length :] = games.action_mask
