"""One game, seat by seat: what the multi-agent interfaces share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ..registry import make
from ..spec import Spec
from ..vector import VectorEnv


class OneGame:
    """A batch of one game. Agents are ``player_0`` and so on, seat by seat."""

    game: VectorEnv
    possible_agents: list[str]

    def _make(self, id: str, **arguments: Any) -> Spec:
        self.game = make(id, 1, num_threads=1, autoreset="disabled", **arguments)
        spec = self.game.game_spec
        self.possible_agents = [f"player_{seat}" for seat in range(spec.players)]
        return spec

    @property
    def _mover(self) -> str:
        """The agent to move."""
        return self.possible_agents[int(self.game.current_player[0])]

    def _play(self, action: Any) -> list[float]:
        """Plays for the agent to move and returns the reward of every seat."""
        self.game.step(np.array([action], dtype=np.int64))
        rewards: list[float] = self.game.rewards[0].tolist()
        return rewards

    @property
    def _ended(self) -> tuple[bool, bool]:
        """Whether the game has terminated, and whether it was truncated."""
        return bool(self.game.terminated[0]), bool(self.game.truncated[0])

    def _view(self, agent: str) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
        """What an agent sees, and its action mask: all zero for who is not to move."""
        if agent == self._mover:
            return self.game.observations[0].copy(), self.game.action_mask[0].copy()
        seat = self.possible_agents.index(agent)
        return self.game.game(0).observation(seat), np.zeros_like(self.game.action_mask[0])

    def _text(self) -> str:
        return self.game.game(0).to_text()
