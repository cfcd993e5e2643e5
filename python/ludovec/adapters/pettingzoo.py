"""PettingZoo environments: turn by turn (AEC) and cycle by cycle (parallel).

Agents are ``player_0`` and so on, in seat order. Observations are dicts of ``"observation"`` (uint8) and
``"action_mask"`` (int8 [A], all zero unless the agent decides now). With ``masks="infos"``
observations are plain arrays, as for SuperSuit's wrappers, and the mask is ``infos[agent]["action_mask"]``.
``state()`` is the observations of all players, uint8 ``[players, *observation_shape]``.

The module has the names of PettingZoo's own environments: ``raw_env`` is :func:`aec_env`, ``env`` has
PettingZoo's usual wrappers around it, and ``parallel_env``. After its import, or if ``pettingzoo`` was
imported before ``ludovec``, ``pettingzoo.make("aec", "ludovec/Chess-v4")`` makes ``env`` and ``"parallel"``
makes ``parallel_env``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error, illegal_action
from .._shared.extras import extra
from ..envs.spaces import action_space, mask_space, observation_space
from ..envs.vector import RENDERING, described
from ..spec import list_envs
from ..spec import spec as spec_of
from ._one_game import OneGame

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..envs.vector import RenderMode
    from ..typing import EnvId, OptionsOfRules

with extra("pettingzoo"):
    import pettingzoo
    from gymnasium.spaces import Box, Dict
    from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper

    from .pettingzoo_games import register as register


__all__ = ["AECEnv", "ParallelEnv", "aec_env", "env", "parallel_env", "raw_env", "register"]


#: Observations, rewards, terminations, truncations, infos by agent.
ParallelResult = tuple[
    dict[str, dict[str, Any]], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


class _PettingZooGame(OneGame):
    """Base of both kinds of environment."""

    def __init__(
        self, id: EnvId, render_mode: RenderMode | None, masks: str, options: dict[str, Any]
    ) -> None:
        if checks.word("masks", masks) not in ("observations", "infos"):
            raise config_error(f"masks={masks!r}: observations or infos is allowed")
        self._masks_in_infos = masks == "infos"
        #: 1 if there is an action that does nothing, after those of the game.
        self._noop = 0
        spec = self._make(id, render_mode=render_mode, **options)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{id}_v{spec.version}",
            **RENDERING,
            "is_parallelizable": False,
        }
        self.agents: list[str] = []

    @cached_property
    def _observation_spaces(self) -> dict[str, Any]:
        spec = self.game.game_spec
        if self._masks_in_infos:
            return {agent: observation_space(spec) for agent in self.possible_agents}
        return {
            agent: Dict({"observation": observation_space(spec), "action_mask": mask_space(spec, self._noop)})
            for agent in self.possible_agents
        }

    @cached_property
    def _action_spaces(self) -> dict[str, Any]:
        return {agent: action_space(self.game.game_spec, self._noop) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """The observation space of an agent."""
        return self._observation_spaces[self.possible_agents[self._seat_of(agent)]]

    def action_space(self, agent: str) -> Any:
        """The action space of an agent."""
        return self._action_spaces[self.possible_agents[self._seat_of(agent)]]

    def observe(self, agent: str) -> Any:
        """The current observation of an agent."""
        if self._masks_in_infos:
            return self._seen(agent)
        return {"observation": self._seen(agent), "action_mask": self._mask(agent)}

    @cached_property
    def state_space(self) -> Any:
        """The space of :meth:`state`."""
        one = observation_space(self.game.game_spec)
        players = len(self.possible_agents)
        return Box(np.stack([one.low] * players), np.stack([one.high] * players), dtype=np.uint8)

    def state(self) -> Any:
        """The observations of all players, uint8 [players, *observation_shape]."""
        return np.stack([self._seen(agent) for agent in self.possible_agents])

    def _infos(self, **more: Any) -> dict[str, dict[str, Any]]:
        """Infos with ``more`` entries, and with the masks if ``masks="infos"``."""
        if self._masks_in_infos:
            return {agent: {"action_mask": self._mask(agent), **more} for agent in self.agents}
        return {agent: {**more} for agent in self.agents}

    def __repr__(self) -> str:
        return f"<ludovec.pettingzoo.{type(self).__name__} {described(self.game)}>"

    def _begin(self, seed: int | None) -> None:
        self.game.reset(seed=seed)
        self.agents = self.possible_agents[:]

    def _check_begun(self) -> None:
        if not self.agents:
            raise LudovecError("the game is over, or has not started: call reset first")

    def _rewards(self, action: Any) -> dict[str, float]:
        """Plays for the current agent and returns the reward of every agent."""
        return dict(zip(self.possible_agents, self._play(action)))

    def _same(self, value: Any) -> dict[str, Any]:
        return dict.fromkeys(self.agents, value)

    def render(self) -> Any:
        """Renders the position as ``render_mode`` says: pixels, text, or printed text."""
        return None if self.render_mode is None else super().render()

    def close(self) -> None:
        """Releases the game."""
        self.game.close()


class AECEnv(_PettingZooGame, pettingzoo.AECEnv[str, Any, Any]):
    """One game, turn by turn; :func:`aec_env` makes one."""

    def __init__(
        self,
        id: EnvId,
        render_mode: RenderMode | None,
        masks: str,
        max_cycles: int | None,
        options: dict[str, Any],
    ) -> None:
        super().__init__(id, render_mode, masks, options)
        self._max_cycles = checks.positive_or_none("max_cycles", max_cycles)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new game; without a seed, the next one of the last seed, which the infos show."""
        self._begin(seed)
        self._turns = 0
        self.rewards = self._same(0.0)
        self._cumulative_rewards = self._same(0.0)
        self.terminations = self._same(False)
        self.truncations = self._same(False)
        self.infos = self._infos(seed=self.game.seed)
        self.agent_selection = self._current_agent

    def step(self, action: Any) -> None:
        """Plays for ``agent_selection``; a terminated or truncated agent steps with None."""
        self._check_begun()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = self._rewards(action)
        self._accumulate_rewards()
        self._turns += 1
        terminated, truncated = self._ended
        if self._max_cycles is not None and self._turns >= self._max_cycles and not terminated:
            truncated = True
        self.terminations, self.truncations = self._same(terminated), self._same(truncated)
        self.infos = self._infos()
        self.agent_selection = self._current_agent
        if self.render_mode == "human":
            self.render()


class ParallelEnv(_PettingZooGame, pettingzoo.ParallelEnv[str, Any, Any]):
    """One game, cycle by cycle: all agents pass an action, and only the current agent's is played.

    Phases of simultaneous decisions are one cycle, in which the actions of all their agents are played.
    :func:`parallel_env` makes one.
    """

    def __init__(
        self,
        id: EnvId,
        render_mode: RenderMode | None,
        masks: str,
        max_cycles: int | None,
        on_illegal: str,
        noop: bool,
        options: dict[str, Any],
    ) -> None:
        if checks.word("on_illegal", on_illegal) not in ("pass", "raise", "lose"):
            raise config_error(f"on_illegal={on_illegal!r}: one of pass, raise, lose is allowed")
        super().__init__(
            id, render_mode, masks, options if on_illegal == "pass" else {**options, "on_illegal": on_illegal}
        )
        self._max_cycles = checks.positive_or_none("max_cycles", max_cycles)
        self._passes = on_illegal == "pass"
        self._noop = int(checks.switch("noop", noop))
        self._may_raise = on_illegal == "raise"
        #: The legal actions of the agents that decide in this cycle, in turn.
        self._deciding: dict[str, Any] = {}

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Starts a new game; without a seed, the next one of the last seed, which the infos show."""
        self._begin(seed)
        self._cycles = 0
        self._deciding = self._deciders()
        return self._observations(), self._infos(seed=self.game.seed)

    def step(self, actions: dict[str, Any]) -> ParallelResult:
        """Plays one cycle: observations, rewards, terminations, truncations, infos by agent."""
        self._check_begun()
        if not isinstance(actions, Mapping):
            raise config_error(f"actions={actions!r:.100}: a dict from agents to actions is needed")
        chosen = {}
        for agent in self._deciding:
            if agent not in actions:
                raise config_error(f"actions: an action of {agent}, a current agent, is needed")
            chosen[agent] = checks.index(f"actions[{agent!r}]", actions[agent])
        illegal = [agent for agent, action in chosen.items() if not self._is_legal(agent, action)]
        if illegal and self._may_raise:
            # Before anything is played.
            raise illegal_action(f"{illegal[0]}: {chosen[illegal[0]]} is not among its legal actions")
        self._cycles += 1
        rewards, terminated, truncated = self._same(0.0), False, False
        if not (illegal and self._passes):
            for action in chosen.values():
                for agent, reward in self._rewards(action).items():
                    rewards[agent] += reward
                terminated, truncated = self._ended
                if terminated or truncated:
                    break
            self._deciding = self._deciders()
        if self._max_cycles is not None and self._cycles >= self._max_cycles and not terminated:
            truncated = True
        infos = self._infos()
        if self._passes:
            for agent in illegal:
                infos[agent]["illegal_action"] = True
        result = self._observations(), rewards, self._same(terminated), self._same(truncated), infos
        if terminated or truncated:
            self.agents = []
        if self.render_mode == "human":
            self.render()
        return result

    def _observations(self) -> dict[str, Any]:
        return {agent: self.observe(agent) for agent in self.agents}

    def _deciders(self) -> dict[str, Any]:
        """The legal actions of the agents that decide in the coming cycle, in turn.

        The legal actions of the later agents of a phase are found in a copy of the game in which the earlier
        ones have made any decision: they do not depend on it.
        """
        found = {self._current_agent: super()._mask(self._current_agent)}
        spec = self.game.game_spec
        if not spec.simultaneous or any(self._ended):
            return found
        game = self.game.game(0)
        while True:
            game.step(game.legal_actions()[0])
            seat = game.current_player
            if game.is_terminal or not spec.continues_phase(game.observation(seat).ravel()):
                return found
            found[self.possible_agents[seat]] = game.action_mask()

    def _is_legal(self, agent: str, action: int) -> bool:
        mask = self._deciding[agent]
        return 0 <= action < len(mask) and bool(mask[action])

    def _mask(self, agent: str) -> Any:
        mask = self._deciding.get(self.possible_agents[self._seat_of(agent)])
        mask = np.zeros(self.game.game_spec.num_actions, np.int8) if mask is None else mask.copy()
        return np.append(mask, np.int8(not mask.any())) if self._noop else mask


def aec_env(
    id: EnvId,
    *,
    render_mode: RenderMode | None = None,
    masks: Literal["observations", "infos"] = "observations",
    max_cycles: int | None = None,
    on_illegal: Literal["lose", "raise"] = "lose",
    **options: Unpack[OptionsOfRules],
) -> AECEnv:
    """One game as an AEC environment, truncated after ``max_cycles`` actions.

    ``masks`` is the place of the action masks: ``"observations"`` or ``"infos"``. ``on_illegal`` is an option
    of the environment: with ``"lose"`` an illegal action ends the game at -1 for its player, as PettingZoo's
    wrappers do; ``"raise"`` raises :class:`ludovec.IllegalAction`.
    """
    return AECEnv(id, render_mode, masks, max_cycles, {**options, "on_illegal": on_illegal})


def parallel_env(
    id: EnvId,
    *,
    render_mode: RenderMode | None = None,
    masks: Literal["observations", "infos"] = "observations",
    max_cycles: int | None = None,
    on_illegal: Literal["pass", "lose", "raise"] = "pass",
    noop: bool = False,
    **options: Unpack[OptionsOfRules],
) -> ParallelEnv:
    """One game as a parallel environment of at most ``max_cycles`` cycles.

    A cycle is one decision, or a phase of simultaneous ones (:attr:`ludovec.Spec.simultaneous`): then all
    agents of the phase have legal actions at once, and observe nothing of the decisions of the others.

    With ``noop`` there is one more action, the last one. It does nothing, and it is the only legal action of
    an agent that waits; without it, such an agent has no legal action. TorchRL's ``PettingZooWrapper`` and
    other samplers of masked actions need it.

    ``masks`` as for :func:`aec_env`. ``on_illegal``: with ``"pass"`` an illegal action ends the cycle without
    a move and sets ``infos[agent]["illegal_action"]``; ``"lose"`` and ``"raise"`` are as for :func:`aec_env`.
    """
    return ParallelEnv(id, render_mode, masks, max_cycles, on_illegal, noop, {**options})


#: :func:`aec_env` under PettingZoo's name.
raw_env = aec_env


def env(id: EnvId, **arguments: Any) -> Any:
    """:func:`aec_env` in PettingZoo's usual wrappers: calls out of order and actions out of bounds raise its
    errors."""
    return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(aec_env(id, **arguments)))


def register_ids() -> None:
    """Registers every environment with PettingZoo; importing this module does so.

    The version of an id is the version of the environment.
    """
    # PettingZoo before 1.27 has no registry.
    if not hasattr(pettingzoo, "aec_registry"):
        return
    for id in list_envs():
        known = spec_of(id)
        name = f"ludovec/{known.name}-v{known.version}"
        given: Any = {"kwargs": {"id": id}}
        if name not in pettingzoo.aec_registry:
            pettingzoo.register("aec", name, f"{__name__}:env", **given)
            pettingzoo.register("parallel", name, f"{__name__}:parallel_env", **given)


register_ids()
