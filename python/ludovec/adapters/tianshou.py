"""tianshou: one game with its multi-agent keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._extras import require
from ..gym import action_space, observation_space
from ..registry import make

_gymnasium = require("gymnasium", "gym")


class TianshouEnv(_gymnasium.Env):
    """One game turn by turn, as tianshou's ``MultiAgentPolicyManager`` takes it.

    Observations are ``{"agent_id", "obs", "mask"}``: the seat to move, what it sees, a list of bools; rewards
    are a list, one a seat.
    """

    def __init__(self, id: str, *, render_mode: str | None = None, **options: Any) -> None:
        self.game = make(id, 1, num_threads=1, autoreset="disabled", **options)
        spec = self.game.game_spec
        self.metadata = {"render_modes": ["ansi"]}
        self.render_mode = render_mode
        self.agents = [f"player_{seat}" for seat in range(spec.players)]
        self.possible_agents = self.agents
        self.agent_idx = {agent: seat for seat, agent in enumerate(self.agents)}
        self.rewards = [0.0] * spec.players
        self.observation_space = observation_space(spec)
        self.action_space = action_space(spec)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a new game."""
        self.game.reset(seed=seed)
        return self._observation(), {}

    def step(self, action: Any) -> tuple[dict[str, Any], list[float], bool, bool, dict[str, Any]]:
        """Plays for the seat to move."""
        self.game.step(np.array([action], dtype=np.int64))
        self.rewards = self.game.rewards[0].tolist()
        return (
            self._observation(),
            self.rewards,
            bool(self.game.terminated[0]),
            bool(self.game.truncated[0]),
            {},
        )

    def render(self) -> str:
        """The position as text."""
        return self.game.game(0).to_text()

    def _observation(self) -> dict[str, Any]:
        return {
            "agent_id": self.agents[self.game.current_player[0]],
            "obs": self.game.observations[0].copy(),
            "mask": self.game.action_mask[0].astype(bool).tolist(),
        }
