"""RLlib: one game as a ``MultiAgentEnv``, or a batch for one seat; registered as ``"ludovec/<id>"``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._shared.extras import extra
from ..envs.spaces import action_space, mask_space, observation_space
from ..envs.vector import RENDERING
from ..spec import list_envs
from ._one_game import OneGame

with extra("rllib"):
    from gymnasium.spaces import Dict
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from ray.tune import register_env

    from .rllib_vector import RLlibVectorEnv


__all__ = ["RLlibEnv", "RLlibVectorEnv"]


class RLlibEnv(OneGame, MultiAgentEnv):
    """One game turn by turn, with RLlib's keys: ``config = {"id": ..., **options}``.

    Only the current player gets an observation, ``{"observations", "action_mask"}``; at the end every player
    gets a last one. All players get rewards at every step. An illegal action loses the game, unless
    ``on_illegal`` says otherwise. ``render_mode`` is one of the keys of ``config``.

    >>> ray.tune.register_env("ludovec", ludovec.rllib.RLlibEnv)
    >>> config.environment("ludovec", env_config={"id": "tilewe", "players": 2})
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        # RLlib checks an environment with random actions that ignore masks.
        options = {"on_illegal": "lose", **config}
        spec = self._make(options.pop("id"), **options)
        self.metadata = {**RENDERING}
        self.render_mode = self.game.render_mode
        # RLlib requires all agents of the last step in this list.
        self.agents = self.possible_agents[:]
        # RLlib's networks take floats.
        self._scale = spec.scales.reshape(spec.observation_shape)
        view = Dict({"observations": observation_space(spec, np.float32), "action_mask": mask_space(spec)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, view)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space(spec))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a new game; returns the observation of the first player."""
        self.game.reset(seed=seed)
        return {self._current_agent: self._observation(self._current_agent)}, {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Plays the current agent's action: observations, rewards, terminateds, truncateds, infos."""
        rewards = dict(zip(self.possible_agents, self._play(action_dict[self._current_agent])))
        terminated, truncated = self._ended
        seen = self.possible_agents if terminated or truncated else [self._current_agent]
        views = {agent: self._observation(agent) for agent in seen}
        return views, rewards, {"__all__": terminated}, {"__all__": truncated}, {}

    def _observation(self, agent: str) -> dict[str, Any]:
        observation, mask = self._view(agent)
        return {"observations": observation * self._scale, "action_mask": mask}


def _register(id: str) -> None:
    def create(config: dict[str, Any]) -> Any:
        # RLlib requests a batch by passing its size.
        return (RLlibVectorEnv if "num_envs" in config else RLlibEnv)({"id": id, **config})

    register_env(f"ludovec/{id}", create)


for _id in list_envs():
    _register(_id)
