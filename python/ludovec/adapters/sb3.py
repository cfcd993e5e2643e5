"""stable-baselines3 and sb3-contrib: one seat learns, bots play the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .._errors import config_error
from .._extras import extra
from ..registry import make
from ..spaces import action_space, observation_space
from ..vector import Array, VectorEnv

with extra("torch"):
    from stable_baselines3.common.vec_env import VecEnv


class SeatVecEnv(VecEnv):
    """Games in which one seat is the learner's: what MaskablePPO trains on.

    A step plays the learner's action and then the bots until the learner is to move again; the reward is
    what its seat earned meanwhile. ``infos[i]["terminal_observation"]`` is the seat's last view of a finished
    game, ``infos[i]["returns"]`` the outcome by seat.

    >>> model = sb3_contrib.MaskablePPO("MlpPolicy", SeatVecEnv("tilewe", 64, players=2))
    """

    def __init__(
        self,
        id: str,
        num_envs: int,
        *,
        seat: int | None = None,
        opponents: str | Sequence[str] = "random",
        seed: int = 0,
        num_threads: int | None = None,
        **options: Any,
    ) -> None:
        """``seat``: the learner's in every game; by default game ``i`` has it at seat ``i % players``.

        ``opponents``: a bot for all other seats, or one a seat (the learner's own entry is not used).
        """
        self.games: VectorEnv = make(
            id, num_envs, seed=seed, num_threads=num_threads, autoreset="disabled", **options
        )
        spec = self.games.game_spec
        if seat is not None and not 0 <= seat < spec.players:
            raise config_error(f"seat={seat}: 0 to {spec.players - 1} are allowed")
        everywhere = np.arange(num_envs)
        self.seats = everywhere % spec.players if seat is None else np.full(num_envs, seat)
        self._opponents = opponents
        self._actions: Array | None = None
        self.metadata = {"render_modes": ["ansi"]}
        super().__init__(num_envs, observation_space(spec), action_space(spec))

    render_mode = None

    def reset(self) -> Array:
        """New games, up to the learner's first decision."""
        if self._seeds[0] is not None:
            self.games.reset(seed=self._seeds[0])
        else:
            self.games.reset()
        self._reset_seeds()
        self._bring_to_turn(np.ones(self.num_envs, dtype=bool))
        return np.copy(self.games.observations)

    def step_async(self, actions: Array) -> None:
        """Notes the learner's actions."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Array, Array, Array, list[dict[str, Any]]]:
        """Plays them and the bots: observations, rewards, dones, infos."""
        games, everywhere = self.games, np.arange(self.num_envs)
        games.step(self._actions)
        reward = games.rewards[everywhere, self.seats]
        done = games.done.copy()
        self._play_bots(done, reward)
        infos: list[dict[str, Any]] = [{} for _ in everywhere]
        for i in np.flatnonzero(done).tolist():
            infos[i] = {
                "terminal_observation": games.game(i).observation(int(self.seats[i])),
                "TimeLimit.truncated": bool(games.truncated[i]),
                "returns": games.final_returns[i].copy(),
            }
        self._restart(done)
        return games.observations.copy(), reward, done, infos

    def action_masks(self) -> Array:
        """bool [N, A]: the learner's legal actions."""
        return np.copy(self.games.action_masks())

    def _play_bots(self, done: Array, reward: Array) -> None:
        """Lets the bots move until the learner is to move in every game that is not done."""
        games = self.games
        while True:
            ids = np.flatnonzero(~done & (games.current_player != self.seats))
            if not len(ids):
                return
            games.step_games(ids, games.bot_actions(self._opponents, ids))
            reward[ids] += games.rewards[ids, self.seats[ids]]
            done[ids] = games.done[ids]

    def _bring_to_turn(self, fresh: Array) -> None:
        """Plays new games up to the learner's first decision; one that ends before it is played again."""
        done = ~fresh
        self._play_bots(done, np.zeros(self.num_envs, dtype=np.float32))
        self._restart(done & fresh)

    def _restart(self, done: Array) -> None:
        if done.any():
            self.games.reset(options={"reset_mask": done})
            self._bring_to_turn(done)

    def close(self) -> None:
        """Nothing is open."""

    def get_images(self) -> Sequence[None]:
        """No pixel frames: ``games.game(i).to_svg()`` draws a game."""
        return [None] * self.num_envs

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same attribute for every game."""
        return [getattr(self, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Sets an attribute of the whole batch."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Calls a method once; one that returns a row a game is handed out row by row."""
        rows = getattr(self, method_name)(*args, **kwargs)
        return [rows[i] for i in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Nothing wraps a single game."""
        return [False] * len(list(self._get_indices(indices)))
