"""stable-baselines3 and sb3-contrib: the learner plays one seat, bots play the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .._shared.extras import extra
from ..envs.make import make
from ..envs.seats import SeatVectorEnv
from ..envs.vector import RENDERING, Array, VectorEnv
from ..spec import spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..envs.vector import RenderMode
    from ..players import Opponents
    from ..typing import EnvId, Options

with extra("sb3"):
    from stable_baselines3.common.vec_env import VecEnv


__all__ = ["SeatVecEnv"]


class SeatVecEnv(VecEnv):
    """A VecEnv in which the learner plays one seat of every game, for example with MaskablePPO.

    A step plays the learner's action, then the bots until the learner is the current player again; the reward
    is the sum of the learner's rewards in between. ``infos[i]["terminal_observation"]`` is the learner's last
    observation of a finished game, ``infos[i]["returns"]`` the outcome of each player.

    >>> model = sb3_contrib.MaskablePPO("MlpPolicy", SeatVecEnv("tilewe", 64, players=2))
    """

    def __init__(
        self,
        id: EnvId,
        num_envs: int,
        *,
        seat: Any = None,
        opponents: Opponents = "random",
        seed: int | None = None,
        num_threads: int | None = None,
        render_mode: RenderMode | None = None,
        **options: Unpack[Options],
    ) -> None:
        """``seat``: the learner's seat in every game, as for :func:`ludovec.make`; by default seat
        ``i % players`` in game ``i``.

        ``opponents``: the players of the other seats, as for :func:`ludovec.make`.

        ``render_mode``: ``"rgb_array"`` for ``render`` and stable-baselines3's ``VecVideoRecorder``.
        """
        players = spec(id, **options).players
        self.env: SeatVectorEnv = make(
            id,
            num_envs,
            opponents=opponents,
            seat=np.arange(num_envs) % players if seat is None else seat,
            seed=seed,
            num_threads=num_threads,
            render_mode=render_mode,
            **options,
        )
        self.render_mode = render_mode
        self._actions: Array | None = None
        self.metadata = {**RENDERING}
        super().__init__(num_envs, self.env.single_observation_space, self.env.single_action_space)

    @property
    def games(self) -> VectorEnv:
        """The games from the view of all seats."""
        return self.env.games

    @property
    def seats(self) -> Array:
        """int32 [N]: the learner's seat in the current game."""
        return self.env.seats

    def reset(self) -> Array:
        """Starts new games and plays up to the learner's first decision."""
        obs, _ = self.env.reset(seed=self._seeds[0])
        self._reset_seeds()
        return np.copy(obs)

    def step_async(self, actions: Array) -> None:
        """Stores the learner's actions."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Plays them, then the opponents: observations, rewards, dones, infos."""
        info: Any
        obs, reward, terminated, truncated, info = self.env.step(self._actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done).tolist():
            infos[i] = {
                "terminal_observation": info["final_obs"][i],
                "TimeLimit.truncated": bool(truncated[i]),
                "returns": info["final_info"]["returns"][i].copy(),
                "seat": int(info["final_info"]["seat"][i]),
            }
        return obs.copy(), reward, done, infos

    def action_masks(self) -> Array:
        """bool [N, A]: the learner's legal actions."""
        return np.copy(self.env.action_masks())

    def close(self) -> None:
        """Releases the games and the players."""
        self.env.close()

    def get_images(self) -> Sequence[Array | None]:
        """The frame of every game, uint8 [height, width, 3], with ``render_mode="rgb_array"``."""
        frames = self.env.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if frames is None else frames

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The attribute, repeated for every game."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the whole batch."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Calls a method once and returns the row of each game."""
        rows = getattr(self, method_name)(*args, **kwargs)
        return [rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Always False: single games have no wrappers."""
        return [False] * len(list(self._get_indices(indices)))
