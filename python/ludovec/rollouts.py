"""Rollouts: decisions of all players with the rewards that a learner stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arguments
from ._errors import config_error
from .seats import SeatVectorEnv
from .vector import VectorEnv

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]

#: ``policy(observations, infos)`` returns actions [N], or a mapping with ``"actions"`` and further columns
#: [N, ...].
Policy = Callable[[Array, Any], Any]


@dataclass
class Rollout:
    """``T`` consecutive decisions in each of ``N`` games: columns ``[T, N, ...]``.

    The next decision of a player, or the end of its game, closes a decision: its reward is the sum of the
    player's rewards until then. In the last steps some decisions are still open: ``known`` is False.
    """

    observations: Array
    """As the environment's, of the current player."""
    action_mask_bits: npt.NDArray[np.uint64]
    """Its legal actions as bits, [T, N, W]."""
    seats: npt.NDArray[np.int32]
    """The current player."""
    actions: npt.NDArray[np.int32]
    """Its action."""
    rewards: Floats
    """Its reward until its next decision, the end of the game or of the rollout."""
    next: npt.NDArray[np.int32]
    """The step of its next decision in this game, -1 if there is none in the rollout."""
    done: npt.NDArray[np.bool_]
    """The game ended before its next decision, by rule or by a limit."""
    ended: npt.NDArray[np.bool_]
    """This decision ended the game."""
    more: dict[str, Array] = field(default_factory=dict)
    """Further columns of the policy, by name: ``values``, ``log_probs``."""
    advantages: Floats | None = None
    """Generalized advantage estimates, if asked for; 0 in open decisions."""
    returns: Floats | None = None
    """``advantages`` plus ``values``: the targets of a value network."""

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """bool [T, N]: the reward is complete and the successor known. Learn from these decisions."""
        return self.done | (self.next >= 0)

    def __len__(self) -> int:
        return len(self.actions)


def rollout(
    env: VectorEnv | SeatVectorEnv,
    policy: Policy | str | None,
    steps: int,
    *,
    gamma: float | None = None,
    gae_lambda: float = 0.95,
    reward_scale: float = 1.0,
    shaping: Callable[[Any], Any] | None = None,
) -> Rollout:
    """Plays ``steps`` decisions in every game, from the current positions, and returns them as columns.

    >>> env = ludovec.make("smallworld", 64, reward="score")
    >>> obs, info = env.reset()
    >>> batch = ludovec.rollout(env, None, 32)
    >>> known = batch.known
    >>> obs, action = batch.observations[known], batch.actions[known]
    >>> reward = batch.rewards[known]

    Args:
        env: Games with ``autoreset="same_step"``, from the view of all seats or of one.
        policy: ``policy(observations, infos)``, with what a step returns: the actions [N], or a mapping with
            ``"actions"`` and further columns, such as ``"values"`` and ``"log_probs"``. A text is a bot, as
            for :meth:`VectorEnv.bot_actions`; ``None`` samples legal actions uniformly.
        steps: Decisions per game.
        gamma: If given, :attr:`Rollout.advantages` and :attr:`Rollout.returns` are computed with this
            discount per decision of the same player. The policy must return ``"values"``.
        gae_lambda: The parameter of generalized advantage estimation.
        reward_scale: A factor of all rewards.
        shaping: ``shaping(env)`` returns rewards to add after every step, as for
            :meth:`VectorEnv.add_reward`.

    Raises:
        InvalidConfig: The message names the argument and the allowed values.
        IllegalAction: An action of the policy is illegal; the games are where they were before this step.
    """
    if not isinstance(env, (VectorEnv, SeatVectorEnv)):
        raise config_error(f"env={env!r:.100}: a VectorEnv or SeatVectorEnv is needed")
    if env.autoreset != "same_step":
        raise config_error(f'env: autoreset="same_step" is needed, it has {env.autoreset}')
    steps = _arguments.positive("steps", steps)
    scale = _arguments.number("reward_scale", reward_scale)
    discounts = checked_discounts(gamma, gae_lambda)
    games = env.games if isinstance(env, SeatVectorEnv) else env
    choose = _policy(policy, games)
    columns = _Columns(steps, games)
    for t in range(steps):
        info: Any = env._info() if isinstance(env, SeatVectorEnv) else env._info.copy()
        columns.seats[t] = games.current_player
        columns.observations[t] = games.observations
        columns.action_mask_bits[t] = games.action_mask_bits
        actions = columns.take(t, choose(games.observations, info))
        _, reward, terminated, truncated, _ = env.step(actions)
        if shaping is not None:
            # A seat's rewards are added in place.
            env.add_reward(shaping(env))
        if games is env:
            columns.paid[t] = games.rewards
        else:
            columns.paid[t, :, 0] = reward
        columns.ended[t] = terminated | truncated
    return columns.finish(one_seat=games is not env, scale=scale, discounts=discounts)


class _Columns:
    """The columns of a rollout while it is played."""

    def __init__(self, steps: int, games: VectorEnv) -> None:
        shape = (steps, games.num_envs)
        self.observations = np.empty((*shape, *games.observations.shape[1:]), games.observations.dtype)
        self.action_mask_bits = np.empty((*shape, games.action_mask_bits.shape[1]), np.uint64)
        self.seats = np.empty(shape, np.int32)
        self.actions = np.empty(shape, np.int32)
        #: Reward of every player in every step; of one seat: the first column, its reward until its next
        #: decision.
        self.paid = np.zeros((*shape, games.game_spec.players), np.float32)
        self.ended = np.empty(shape, np.bool_)
        self.more: dict[str, Array] = {}

    def take(self, t: int, answer: Any) -> Array:
        """Stores the answer of the policy at step ``t``; returns its actions."""
        games = self.actions.shape[1]
        more: Mapping[str, Any] = {}
        if isinstance(answer, Mapping):
            if "actions" not in answer:
                raise config_error(f'policy: "actions" are needed, it returned {", ".join(map(str, answer))}')
            more = {name: column for name, column in answer.items() if name != "actions"}
            answer = answer["actions"]
        actions = _arguments.actions(_plain(answer), games)
        if t and more.keys() != self.more.keys():
            raise config_error(f"policy: the columns {', '.join(self.more)} are needed in every step")
        for name, column in more.items():
            column = np.asarray(_plain(column))
            if column.shape[:1] != (games,):
                raise config_error(f"policy: {name} of {games} rows is needed, shape is {column.shape}")
            if t == 0:
                self.more[name] = np.empty((len(self.actions), *column.shape), column.dtype)
            self.more[name][t] = column
        self.actions[t] = actions
        return actions

    def finish(self, *, one_seat: bool, scale: float, discounts: tuple[float, float] | None) -> Rollout:
        """The rollout."""
        return assembled(
            self.observations,
            self.action_mask_bits,
            self.seats,
            self.actions,
            self.paid,
            self.ended,
            self.more,
            payees=np.zeros_like(self.seats) if one_seat else self.seats,
            scale=scale,
            discounts=discounts,
        )


def assembled(
    observations: Array,
    action_mask_bits: npt.NDArray[np.uint64],
    seats: npt.NDArray[np.int32],
    actions: npt.NDArray[np.int32],
    paid: Floats,
    ended: npt.NDArray[np.bool_],
    more: dict[str, Array],
    *,
    payees: npt.NDArray[np.int32],
    valid: npt.NDArray[np.bool_] | None = None,
    scale: float = 1.0,
    discounts: tuple[float, float] | None = None,
) -> Rollout:
    """A rollout from columns of every step: ``paid`` [T, N, P] is summed for the player ``payees`` [T, N].

    Decisions that are not ``valid`` stay open, with reward 0. ``discounts`` are the discount and the
    parameter of generalized advantage estimation.
    """
    rewards, following, done = until_next(paid, payees, ended)
    rewards *= np.float32(scale)
    if valid is not None:
        rewards[~valid], following[~valid], done[~valid] = 0, -1, False
    found = Rollout(observations, action_mask_bits, seats, actions, rewards, following, done, ended, more)
    if discounts is not None:
        if "values" not in more:
            raise config_error('gamma: the policy must return "values", too')
        values = more["values"].astype(np.float32).reshape(rewards.shape)
        found.advantages = advantages(rewards, values, following, done, *discounts)
        found.returns = found.advantages + values
    return found


def checked_discounts(gamma: float | None, gae_lambda: float) -> tuple[float, float] | None:
    """The discounts of :func:`assembled` from arguments; None without ``gamma``."""
    return None if gamma is None else (_share("gamma", gamma), _share("gae_lambda", gae_lambda))


def until_next(
    rewards: Floats, seats: npt.NDArray[Any], ended: npt.NDArray[np.bool_]
) -> tuple[Floats, npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """The reward of every decision until the player's next one, the step of that one, and whether the game
    ended before.

    ``rewards`` [T, N, P] are the rewards of each step, ``seats`` [T, N] the deciding players, and ``ended``
    [T, N] the steps that end a game.
    """
    steps, games, players = rewards.shape
    rows = np.arange(games)
    # The next decision of every player, found from the last step backwards.
    coming = np.zeros((games, players), np.float32)
    at = np.full((games, players), -1, np.int32)
    over = np.zeros((games, players), np.bool_)
    reward = np.empty((steps, games), np.float32)
    following = np.empty((steps, games), np.int32)
    done = np.empty((steps, games), np.bool_)
    for t in range(steps - 1, -1, -1):
        end, mine = ended[t], (rows, seats[t])
        coming[end], at[end], over[end] = 0, -1, True
        coming += rewards[t]
        reward[t], following[t], done[t] = coming[mine], at[mine], over[mine]
        coming[mine], at[mine], over[mine] = 0, t, False
    return reward, following, done


def advantages(
    rewards: Floats,
    values: Floats,
    following: npt.NDArray[np.int32],
    done: npt.NDArray[np.bool_],
    gamma: float,
    gae_lambda: float,
) -> Floats:
    """Generalized advantage estimates [T, N] along the decisions of each player; 0 in open decisions."""
    steps, games = rewards.shape
    rows = np.arange(games)
    found = np.zeros((steps, games), np.float32)
    for t in range(steps - 1, -1, -1):
        then, goes_on = following[t], following[t] >= 0
        value = np.where(goes_on, values[then, rows], 0)
        rest = np.where(goes_on, found[then, rows], 0)
        delta = rewards[t] + gamma * value - values[t]
        found[t] = np.where(done[t] | goes_on, delta + gamma * gae_lambda * rest, 0)
    return found


def _policy(policy: Any, games: VectorEnv) -> Policy:
    if policy is None:
        return lambda _, __: games.sample_actions()
    if isinstance(policy, str):
        return lambda _, __: games.bot_actions(policy)
    if not callable(policy):
        raise config_error(f"policy={policy!r:.100}: a function, the name of a bot, or None is needed")
    function: Policy = policy
    return function


def _plain(column: Any) -> Any:
    """Tensors as something that NumPy can read."""
    return column.detach().cpu() if hasattr(column, "detach") else column


def _share(name: str, value: Any) -> float:
    number = _arguments.number(name, value)
    if not 0 <= number <= 1:
        raise config_error(f"{name}={value!r}: 0 to 1 is allowed")
    return number
