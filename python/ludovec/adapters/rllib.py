"""RLlib: one game as a ``MultiAgentEnv``."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._extras import require
from ..gym import action_space, observation_space
from ..registry import make

_env = require("ray.rllib.env.multi_agent_env", "ray")
_spaces = require("gymnasium.spaces", "ray")


class RLlibEnv(_env.MultiAgentEnv):
    """One game turn by turn, with RLlib's keys: ``config = {"id": ..., **options}``.

    Only the seat to move gets an observation, ``{"observations", "action_mask"}``; at the end every seat gets
    its last one. Rewards are paid to all seats at every step. An illegal action loses the game, unless
    ``on_illegal`` says otherwise.

    >>> ray.tune.register_env("ludovec", ludovec.rllib.RLlibEnv)
    >>> config.environment("ludovec", env_config={"id": "tilewe", "players": 2})
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__()
        # RLlib tries an environment out with actions that know no masks.
        options = {"on_illegal": "lose", **config}
        self.game = make(options.pop("id"), 1, num_threads=1, autoreset="disabled", **options)
        spec = self.game.game_spec
        self.possible_agents = [f"player_{seat}" for seat in range(spec.players)]
        # RLlib wants every name that a last step mentions to be here.
        self.agents = self.possible_agents[:]
        # RLlib's networks take floats.
        self._scale = np.zeros(spec.observation_len, dtype=np.float32)
        for field in spec.observation:
            self._scale[field.indices] = field.scale
        self._scale = self._scale.reshape(spec.observation_shape)
        view = _spaces.Dict(
            {
                "observations": observation_space(spec, np.float32),
                "action_mask": _spaces.Box(0, 1, (spec.num_actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, view)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space(spec))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a new game: the first mover's observation."""
        self.game.reset(seed=seed)
        return {self._mover: self._observation()}, {}

    def step(self, action_dict: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        """Plays the mover's action: observations, rewards, terminateds, truncateds, infos."""
        self.game.step(np.array([action_dict[self._mover]], dtype=np.int64))
        rewards = dict(zip(self.possible_agents, self.game.rewards[0].tolist()))
        terminated, truncated = bool(self.game.terminated[0]), bool(self.game.truncated[0])
        if terminated or truncated:
            nothing = np.zeros(self.game.game_spec.num_actions, dtype=np.int8)
            end = self.game.game(0)
            seats = enumerate(self.possible_agents)
            views = {
                a: {"observations": end.observation(seat) * self._scale, "action_mask": nothing}
                for seat, a in seats
            }
        else:
            views = {self._mover: self._observation()}
        return views, rewards, {"__all__": terminated}, {"__all__": truncated}, {}

    @property
    def _mover(self) -> str:
        return self.possible_agents[self.game.current_player[0]]

    def _observation(self) -> dict[str, Any]:
        return {
            "observations": self.game.observations[0] * self._scale,
            "action_mask": self.game.action_mask[0].copy(),
        }

    def render(self) -> str:
        """The position as text."""
        return self.game.game(0).to_text()
