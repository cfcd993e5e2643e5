"""Games as environments of TextArena: all seats are agents. Needs the package ``textarena``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..game import Game
from ..spec import list_envs, spec
from .moves import Listing
from .prompts import observation, prompt
from .replies import read_move

if TYPE_CHECKING:
    from ..typing import EnvId

with extra("llm"):
    import textarena as ta


class TextArenaEnv(ta.Env):
    """A game as a ``textarena.Env``.

    Each agent gets rules and position at its first decision, then recent moves and the position, and never
    the hidden information of others. Rewards are outcomes in [-1, 1]. An agent that sends no legal move
    ``retries`` + 1 times in a row loses with -1, and the others get 0.
    """

    def __init__(self, env: EnvId, *, legal: Listing = "grouped", retries: int = 2, **options: Any) -> None:
        """Makes the environment; :meth:`reset` starts a game.

        Args:
            env: One of :func:`ludovec.list_envs`.
            legal: Legal moves in observations, as for :func:`ludovec.text.legal_moves`.
            retries: Further tries after a reply without a legal move.
            options: The environment's own options.
        """
        self.env = spec(env, **options).env
        self.legal: Listing = legal
        self.retries = checks.count("retries", retries)
        self.options = options

    def reset(self, num_players: int, seed: int | None = None) -> None:
        """Starts a game with this many agents."""
        options = {**self.options}
        if "players" in spec(self.env).options:
            options["players"] = num_players
        self.game = Game(self.env, seed, **options)
        if self.game.spec.players != num_players:
            raise config_error(f"num_players={num_players}: the game has {self.game.spec.players}")
        self.state = ta.State(num_players=num_players)
        self.state.standard_resets(role_mapping={k: name for k, name in enumerate(self.game.names)})
        self.game_state = self.state
        self._met: set[int] = set()
        self._tries = self.retries
        self._ask()

    def step(self, action: str) -> tuple[bool, dict[str, Any]]:
        """Plays the reply of the current agent."""
        state, player = self.state, self.state.current_player_id
        state.game_info[player]["turn_count"] += 1
        said = read_move(self.game, action)
        if said.action is not None:
            self.game.step(said.action)
            self._tries = self.retries
            if self.game.is_terminal:
                outcomes = self.game.returns().tolist()
                self._end(dict(enumerate(outcomes)), self.game.standing)
            else:
                self._ask()
        elif self._tries:
            self._tries -= 1
            state.add_observation(said.reason, ta.ObservationType.GAME_ADMIN, to_id=player)
        else:
            state.game_info[player]["invalid_move"] = True
            self._end({k: -1.0 if k == player else 0.0 for k in range(state.num_players)}, said.reason or "")
        done, info = state.step()
        return bool(done), info

    def _ask(self) -> None:
        player = self.state.current_player_id = self.game.current_player
        written = (observation if player in self._met else prompt)(self.game, player, legal=self.legal)
        kind = ta.ObservationType.GAME_BOARD if player in self._met else ta.ObservationType.PROMPT
        self._met.add(player)
        self.state.add_observation(written, kind, to_id=player)

    def _end(self, rewards: dict[int, float], reason: str) -> None:
        self.state.rewards, self.state.done = rewards, True
        self.state.step_info["reason"] = reason
        for info in self.state.game_info.values():
            info["reason"] = reason


def register() -> list[str]:
    """Registers every game with TextArena as ``ludovec-ENV`` and returns the ids."""
    ids = []
    for env in list_envs():
        ids.append(f"ludovec-{env}")
        if ids[-1] not in ta.envs.registration.ENV_REGISTRY:
            ta.register(ids[-1], entry_point=TextArenaEnv, env=env)
    return ids
