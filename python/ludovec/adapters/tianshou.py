"""tianshou: one game with its multi-agent keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._shared.extras import extra
from ..envs.spaces import action_space, observation_space
from ..envs.vector import RENDERING
from ._one_game import OneGame

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..envs.vector import RenderMode
    from ..typing import EnvId, Options

with extra("tianshou"):
    from gymnasium import Env


__all__ = ["TianshouEnv"]


class TianshouEnv(OneGame, Env[Any, Any]):
    """One game turn by turn, for tianshou's ``MultiAgentPolicyManager``.

    Observations are ``{"agent_id", "obs", "mask"}``: the current agent, its observation, a list of bools.
    Rewards are a list with one entry per player.
    """

    def __init__(
        self, id: EnvId, *, render_mode: RenderMode | None = None, **options: Unpack[Options]
    ) -> None:
        spec = self._make(id, render_mode=render_mode, **options)
        self.metadata = {**RENDERING}
        self.render_mode = render_mode
        self.agents = self.possible_agents
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

    # Gymnasium's reward is a scalar; tianshou's is a list with one entry per player.
    def step(  # type: ignore[override]
        self, action: Any
    ) -> tuple[dict[str, Any], list[float], bool, bool, dict[str, Any]]:
        """Plays for the current agent."""
        self.rewards = self._play(action)
        return self._observation(), self.rewards, *self._ended, {}

    def _observation(self) -> dict[str, Any]:
        observation, mask = self._view(self._current_agent)
        return {"agent_id": self._current_agent, "obs": observation, "mask": mask.astype(bool).tolist()}
