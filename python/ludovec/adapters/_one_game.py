"""Base of the multi-agent interfaces: one game with an agent per player."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..envs.make import make
from ..envs.vector import VectorEnv
from ..spec import Spec, spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..envs.vector import RenderMode
    from ..typing import EnvId, Options

_Self = TypeVar("_Self", bound="OneGame")


class OneGame:
    """A batch of one game. Agents are ``player_0`` and so on, in seat order."""

    game: VectorEnv
    possible_agents: list[str]

    def _make(self, id: EnvId, *, render_mode: RenderMode | None = None, **options: Unpack[Options]) -> Spec:
        # Arguments of batches and formats are not options of a single game: they are refused as unknown
        # options.
        spec(id, **options)
        self.game = make(id, 1, num_threads=1, autoreset="disabled", render_mode=render_mode, **options)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.game_spec.players)]
        self._seat = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        return self.game.game_spec

    def __deepcopy__(self: _Self, memo: Any) -> _Self:
        """An independent copy of the game."""
        twin = type(self).__new__(type(self))
        for name, value in vars(self).items():
            plain = isinstance(value, (VectorEnv, dict, list))
            setattr(twin, name, copy.deepcopy(value, memo) if plain else value)
        return twin

    def __copy__(self: _Self) -> _Self:
        return self.__deepcopy__({})

    @property
    def _current_agent(self) -> str:
        """The current agent."""
        return self.possible_agents[int(self.game.current_player[0])]

    def _play(self, action: Any) -> list[float]:
        """Plays for the current agent and returns the reward of every player."""
        self.game.step([action])
        rewards: list[float] = self.game.rewards[0].tolist()
        return rewards

    @property
    def _ended(self) -> tuple[bool, bool]:
        """Flags: the game is terminated, the game is truncated."""
        return bool(self.game.terminated[0]), bool(self.game.truncated[0])

    def _view(self, agent: str) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int8]]:
        """Observation and action mask of an agent; the mask is all zero for all but the current agent."""
        return self._seen(agent), self._mask(agent)

    def _seat_of(self, agent: str) -> int:
        if not isinstance(agent, str) or agent not in self._seat:
            raise config_error(f"agent={agent!r:.100}: one of {', '.join(self._seat)} is allowed")
        return self._seat[agent]

    def _seen(self, agent: str) -> npt.NDArray[np.uint8]:
        seat = self._seat_of(agent)
        rows = self.game.observations
        if seat == self.game.current_player[0]:
            row: npt.NDArray[np.uint8] = rows[0].copy()
            return row
        return self.game._core.observe(0, seat).reshape(rows.shape[1:])

    def _mask(self, agent: str) -> npt.NDArray[np.int8]:
        mask = self.game.action_mask[0]
        return mask.copy() if self._seat_of(agent) == self.game.current_player[0] else np.zeros_like(mask)

    def render(self) -> Any:
        """Renders the position as ``render_mode`` says: pixels, uint8 [height, width, 3], text, or printed.

        The default is text.
        """
        frames = self.game.render()
        return None if frames is None else frames[0]
