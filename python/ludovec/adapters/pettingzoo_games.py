"""AEC environments of PettingZoo as environments of ludovec: :func:`register`."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.spaces import Discrete
from pettingzoo import AECEnv

from .._core import RulesError
from .._shared import checks
from .._shared.errors import config_error
from ..rules import register as register_class
from ._histories import Histories, MovesGame, whole_bytes

#: Seeds of games that draw: 0 to this number - 1.
_SEEDS = 2**31
#: Games that a determinization tries, at most.
_TRIED = 20_000


def register(
    env: Callable[[], AECEnv[Any, Any, Any]],
    id: str | None = None,
    *,
    draws: bool | None = None,
    max_episode_steps: int = 500,
    highest: int = 255,
) -> str:
    """Makes an AEC environment of PettingZoo an environment of ludovec and returns its id.

    >>> from pettingzoo.classic import connect_four_v3
    >>> ludovec.pettingzoo.register(connect_four_v3.env)
    'connect_four_v3'
    >>> env = ludovec.make("connect_four_v3", num_envs=16)

    Positions are copies of the attributes of the environment by ``copy.deepcopy``. A game that draws is known
    by its seed and its moves. What a player does not know is then another seed with the same moves, under
    which all observations of the player were the same; so the moves of others must not depend on what only
    they saw.

    Args:
        env: Makes an environment, such as ``connect_four_v3.env``.
        id: The id, by default the name in the metadata of the environment.
        draws: Whether its seed matters. By default some games under several seeds are compared.
        max_episode_steps: Moves after which a game is stopped.
        highest: The highest number in an observation.

    Raises:
        InvalidConfig: It cannot be copied, or its spaces are of another kind: discrete actions and
            observations of whole numbers from 0 to 255 are needed.
    """
    if not callable(env):
        raise config_error(f"env={env!r:.100}: a function that makes an AEC environment is needed")
    if not isinstance(env(), AECEnv):
        raise config_error(f"env={env!r:.100}: a function that makes an AEC environment is needed")
    first = _begin(env, 0)
    agents = list(first.env.possible_agents)
    most = max(first.actions(agent) for agent in agents)
    _check_copies(first)
    name = str(first.env.metadata.get("name", "")) if id is None else checks.word("id", id)
    id = re.sub(r"[^a-z0-9_]", "_", name.lower())
    draws = _draws(env) if draws is None else draws
    members = {
        "__doc__": f"{name} of PettingZoo",
        "id": id,
        "name": "".join(part.capitalize() for part in id.split("_")),
        "players": len(agents),
        "actions": most,
        "state": [("seed", np.int32), *MovesGame.fields(max_episode_steps)],
        "observation": {"observation": (len(first.observation(0)), highest)},
        "max_episode_steps": max_episode_steps,
        "reward_range": (-1e6, 1e6),
        "_env": staticmethod(env),
        "_known": {},
    }
    register_class(type(id, (_DrawingGame if draws else _PettingZooGame,), members))
    return id


class _Played:
    """An environment in the middle of a game, with what the agents have earned."""

    def __init__(self, env: AECEnv[Any, Any, Any], seed: int) -> None:
        self.env = env
        env.reset(seed=seed)
        self.earned = dict.fromkeys(env.possible_agents, 0.0)

    def play(self, action: int) -> None:
        env = self.env
        env.step(action)
        for agent, reward in env.rewards.items():
            self.earned[agent] += float(reward)
        # Agents that are out leave by an action None.
        while env.agents and (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
            env.step(None)

    def copy(self) -> _Played:
        new = object.__new__(_Played)
        new.earned = dict(self.earned)
        # Not a copy of the environment itself: those of PettingZoo are pickled as new ones (EzPickle).
        new.env = object.__new__(type(self.env))
        new.env.__dict__ = copy.deepcopy(self.env.__dict__)
        return new

    def player(self) -> int | None:
        """The player to move; None if the game is over."""
        env = self.env
        return env.possible_agents.index(env.agent_selection) if env.agents else None

    def _seen(self, player: int) -> Any:
        return self.env.observe(self.env.possible_agents[player])

    def observation(self, player: int) -> npt.NDArray[np.uint8]:
        seen = self._seen(player)
        return whole_bytes(seen["observation"] if isinstance(seen, Mapping) else seen)

    def actions(self, agent: Any) -> int:
        """The number of actions of an agent."""
        space = self.env.action_space(agent)
        if not isinstance(space, Discrete) or space.start != 0:
            raise config_error("env: actions are not 0 to n - 1 (Discrete), as they must be")
        return int(space.n)

    def mask(self, actions: int) -> npt.NDArray[np.bool_]:
        agent = self.env.agent_selection
        seen = self.env.observe(agent)
        mask = seen.get("action_mask") if isinstance(seen, Mapping) else None
        if mask is None:
            mask = self.env.infos[agent].get("action_mask")
        legal = np.zeros(actions, np.bool_)
        legal[: self.actions(agent)] = True if mask is None else np.asarray(mask, np.bool_)
        return legal


def _begin(env: Callable[[], AECEnv[Any, Any, Any]], seed: int) -> _Played:
    # Without its wrappers: they warn of illegal actions, which are not played here, and slow copies down.
    made = env()
    return _Played(getattr(made, "unwrapped", made), seed)


def _check_copies(first: _Played) -> None:
    """Checks that a copy has the same position, and that a move on it leaves the original as it is."""
    player = first.player()
    actions = max(first.actions(agent) for agent in first.env.possible_agents)

    def shown(played: _Played) -> tuple[Any, ...]:
        return played.player(), played.observation(player or 0).tobytes(), played.mask(actions).tobytes()

    before = shown(first)
    try:
        twin = first.copy()
        same = shown(twin) == before
        twin.play(int(np.flatnonzero(twin.mask(actions))[0]))
    except Exception as error:
        raise config_error(f"env: its state cannot be copied by copy.deepcopy: {error!r:.200}") from error
    if not same or shown(first) != before:
        raise config_error("env: its state cannot be copied by copy.deepcopy: the copy is another position")


def _draws(env: Callable[[], AECEnv[Any, Any, Any]]) -> bool:
    """Whether games under different seeds differ although the moves are the same."""
    games = [_begin(env, seed) for seed in range(6)]
    generator = np.random.default_rng(0)
    for _ in range(40):
        players = {game.player() for game in games}
        if len(players) > 1:
            return True
        (player,) = players
        if player is None:
            return False
        actions = max(games[0].actions(agent) for agent in games[0].env.possible_agents)
        masks = {game.mask(actions).tobytes() for game in games}
        seats = range(len(games[0].env.possible_agents))
        seen = {tuple(game.observation(seat).tobytes() for seat in seats) for game in games}
        if len(masks) > 1 or len(seen) > 1:
            return True
        action = int(generator.choice(np.flatnonzero(games[0].mask(actions))))
        for game in games:
            game.play(action)
    return False


class _PettingZooGame(MovesGame):
    """The rules of an AEC environment."""

    players: int
    actions: int
    _env: Callable[[], AECEnv[Any, Any, Any]]
    _known: dict[int, Histories[_Played]]

    def _of_seed(self, seed: int) -> Histories[_Played]:
        known = self._known.get(seed)
        if known is None:
            if len(self._known) >= 1000:
                self._known.clear()
            known = Histories(lambda: _begin(self._env, seed), _Played.play, _Played.copy)
            self._known[seed] = known
        return known

    def _at(self, state: Any) -> _Played:
        return self._of_seed(int(state["seed"])).at(self.moves(state))

    def init(self, state: Any, chance: Any) -> None:
        pass

    def step(self, state: Any, action: int, chance: Any) -> None:
        self.put(state, self.moves(state) + np.int32(action).tobytes())

    def legal(self, state: Any) -> npt.NDArray[np.bool_]:
        return self._at(state).mask(self.actions)

    def current_player(self, state: Any) -> int | None:
        return self._at(state).player()

    def observe(self, state: Any, player: int) -> npt.NDArray[np.uint8]:
        return self._at(state).observation(player)

    def returns(self, state: Any) -> list[float]:
        return [*self._at(state).earned.values()]

    def scores(self, state: Any) -> list[float]:
        return [*self._at(state).earned.values()]

    def validate(self, state: Any) -> None:
        seed = int(state["seed"])
        if seed < 0:
            raise ValueError(f"seed={seed}: a number from 0 on is needed")
        for before, move in self.beginnings(state):
            played = self._of_seed(seed).at(before)
            if played.player() is None or not 0 <= move < self.actions or not played.mask(self.actions)[move]:
                raise ValueError(f"moves: {move} is illegal after {len(before) // 4} moves")


class _DrawingGame(_PettingZooGame):
    """A game that draws: its seed is hidden."""

    def init(self, state: Any, chance: Any) -> None:
        state["seed"] = chance.uniform(_SEEDS)

    def determinize(self, state: Any, player: int, chance: Any) -> None:
        moves = self.moves(state)
        ends = range(0, len(moves) + 1, 4)
        real = [self._saw(self._of_seed(int(state["seed"])).at(moves[:end]), player) for end in ends]
        for _ in range(_TRIED):
            seed = chance.uniform(_SEEDS)
            if self._fits(seed, moves, player, real):
                state["seed"] = seed
                return
        raise RulesError(f"determinize: none of {_TRIED} seeds fits what player {player} saw")

    def _saw(self, played: _Played, player: int) -> tuple[Any, ...]:
        """The player to move, the own legal actions and the observation of a player."""
        current = played.player()
        own = played.mask(self.actions).tobytes() if current == player else b""
        return current, own, played.observation(player).tobytes() if current is not None else b""

    def _fits(self, seed: int, moves: bytes, player: int, real: list[tuple[Any, ...]]) -> bool:
        played = _begin(self._env, seed)
        for k, saw in enumerate(real):
            if self._saw(played, player) != saw:
                return False
            if k < len(real) - 1:
                action = int(np.frombuffer(moves[4 * k : 4 * k + 4], np.int32)[0])
                if not played.mask(self.actions)[action]:
                    return False
                played.play(action)
        return True
