"""RLlib: a batch of games for its single-agent runners; opponents play the other seats."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared.extras import extra
from ..envs.make import make
from ..envs.seats import SeatVectorEnv
from ..envs.spaces import mask_space

with extra("rllib"):
    from gymnasium.spaces import Dict
    from gymnasium.vector import VectorEnv
    from gymnasium.vector.utils import batch_space

Observations = dict[str, npt.NDArray[Any]]


class RLlibVectorEnv(VectorEnv):
    """``num_envs`` games stepped together for one seat each: ``config = {"id": ..., "num_envs": ...,
    "opponents": ..., **options}``, optionally with ``seat`` and ``seed``.

    Observations are ``{"observations": float32 [N, ...], "action_mask": int8 [N, A]}``, the input of RLlib's
    ``ActionMaskingTorchRLModule``. The step after the end of a game resets it.

    >>> options = {"players": 2, "opponents": "greedy"}
    >>> config.environment("ludovec/tilewe", env_config=options)
    >>> config.env_runners(
    ...     num_envs_per_env_runner=64, gym_env_vectorize_mode="vector_entry_point"
    ... )
    """

    def __init__(self, config: dict[str, Any]) -> None:
        arguments = {"opponents": "random", "num_envs": 1, **config}
        #: The games; ``seats.set_opponents`` changes the opponents.
        self.seats: SeatVectorEnv = make(
            arguments.pop("id"), obs="f32", autoreset="next_step", on_illegal="lose", **arguments
        )
        self.num_envs = self.seats.num_envs
        self.metadata = self.seats.metadata
        self.render_mode = None
        view = {
            "observations": self.seats.single_observation_space,
            "action_mask": mask_space(self.seats.game_spec),
        }
        self.single_observation_space = Dict(view)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = self.seats.single_action_space
        self.action_space = self.seats.action_space

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[Observations, dict[str, Any]]:
        """Starts new games."""
        observations, _ = self.seats.reset(seed=seed, options=options)
        return self._shown(observations), {}

    def step(
        self, actions: Any
    ) -> tuple[Observations, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Plays the learner's actions, then the opponents until the learner is the current player again."""
        observations, rewards, terminated, truncated, _ = self.seats.step(np.asarray(actions))
        return self._shown(observations), rewards, terminated, truncated, {}

    def close(self, **kwargs: Any) -> None:
        """Releases the games."""
        self.seats.close()

    def _shown(self, observations: npt.NDArray[Any]) -> Observations:
        """Copies, because RLlib keeps its observations."""
        return {"observations": observations.copy(), "action_mask": self.seats.action_mask.copy()}
