"""Games as environments of Kaggle, and their side of its harness for language models.

``kaggle_environments.make(ludovec.text.kaggle.register("chess"))`` makes one, and
``create_agent_fn(ludovec.text.kaggle.Harness())`` an agent for it.

Observations have the keys of Kaggle's OpenSpiel environments. The package ``kaggle-environments`` pins old
versions of other libraries: install it in an environment of its own.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .._shared.errors import config_error
from .._shared.extras import extra
from ..game import Game
from ..spec import spec
from .moves import Listing
from .positions import legend
from .prompts import observation
from .replies import read_move
from .rulebook import rules

if TYPE_CHECKING:
    from ..typing import EnvId

with extra("kaggle"):
    import kaggle_environments

#: The reward of a player that sends no legal action; the others get its negative, as in Kaggle's OpenSpiel.
FORFEIT = -1.0


class Harness:
    """A game for ``create_agent_fn`` of ``kaggle_environments.core_harness``.

    It takes the observations of :func:`register`, and needs nothing else of the environment: agents run in
    processes of their own.
    """

    def get_legal_moves(self, observation: Mapping[str, Any]) -> dict[int, str]:
        """The legal actions with their labels; none while another player decides."""
        return dict(zip(observation["legalActions"], observation["legalActionStrings"]))

    def make_prompt(
        self,
        observation: Mapping[str, Any],
        move_history: Sequence[str] = (),
        previous_response: str | None = None,
        previous_action: str | None = None,
    ) -> str:
        """Rules, legend, recent moves and position; after a reply without a legal move, the reason why."""
        game = _game(observation)
        parts = [rules(game), legend(game).rstrip(), observation["observationString"]]
        if previous_response is not None:
            parts.append(read_move(game, previous_response).reason or "")
        return "\n\n".join(part for part in parts if part)

    def parse_response(
        self,
        response: str,
        legal_action_strings: Sequence[str] | None = None,
        *,
        observation: Mapping[str, Any],
    ) -> Any:
        """The move of a reply as a ``ParseResult``, by :func:`ludovec.text.read_move`."""
        from kaggle_environments.core_harness import ParseResult

        said = read_move(_game(observation), response)
        moves = self.get_legal_moves(observation)
        return ParseResult(
            legal_action=None if said.action is None else moves[said.action], raw_action=said.read or None
        )


def register(env: EnvId, *, legal: Listing = "grouped", **options: Any) -> str:
    """Registers a game with Kaggle's environments and returns its name there, ``ludovec-ENV``.

    Actions are ``{"submission": ACTION}``. A player with another action forfeits the game. Rewards are
    outcomes in [-1, 1]. The configuration has a ``seed``. The game of an observation is redrawn for its
    reader, so that it holds no hidden information of others.

    Args:
        env: One of :func:`ludovec.list_envs`.
        legal: Legal moves in texts, as for :func:`ludovec.text.legal_moves`.
        options: The environment's own options.
    """
    found = spec(env, **options)
    name = f"ludovec-{found.env}"

    def interpret(state: list[Any], environment: Any) -> list[Any]:
        if all(seat.status == "INACTIVE" for seat in state):
            # A reset.
            environment.ludovec_game = Game(found.env, environment.configuration.get("seed"), **options)
        else:
            _play(state, environment.ludovec_game)
        _show(state, environment.ludovec_game, legal)
        return state

    def render(state: list[Any], environment: Any) -> str:
        return str(environment.ludovec_game)

    kaggle_environments.register(
        name,
        {
            "specification": _specification(name, found.name, found.summary, found.players),
            "interpreter": interpret,
            "renderer": render,
            "html_renderer": lambda: "",
            "agents": {"random": _random_agent, "first": _first_agent},
        },
    )
    return name


def _play(state: list[Any], game: Game) -> None:
    """Plays the action of the current player, who forfeits the game by another one."""
    acting = state[game.current_player]
    if acting.status == "ACTIVE":
        action = acting.action.get("submission") if isinstance(acting.action, Mapping) else None
        if isinstance(action, int) and not isinstance(action, bool) and action in game.legal_actions():
            game.step(action)
            return
        acting.status = "INVALID"
    for seat in state:
        seat.reward = FORFEIT if seat.status in ("INVALID", "TIMEOUT", "ERROR") else -FORFEIT
        # An agent that failed keeps its status, and Kaggle takes its reward away.
        seat.status = seat.status if seat.status in ("TIMEOUT", "ERROR") else "DONE"


def _show(state: list[Any], game: Game, legal: Listing) -> None:
    over = any(seat.status in ("DONE", "TIMEOUT", "ERROR") for seat in state)
    outcomes = game.returns().tolist() if game.is_terminal else None
    for player, seat in enumerate(state):
        asked = not over and outcomes is None and player == game.current_player
        if outcomes is not None:
            seat.status, seat.reward = "DONE", outcomes[player]
        elif not over:
            seat.status = "ACTIVE" if asked else "INACTIVE"
        actions = game.legal_actions() if asked else []
        shown = game if game.is_terminal else game.determinize(player, game.steps)
        seat.observation.update(
            {
                "observationString": observation(game, player, legal=legal),
                "serializedGameAndState": shown.to_json(),
                "legalActions": actions,
                "legalActionStrings": [game.action_to_string(action) for action in actions],
                "currentPlayer": -4 if game.is_terminal else game.current_player,
                "playerId": player,
                "isTerminal": game.is_terminal,
            }
        )


def _specification(name: str, title: str, summary: str, players: int) -> dict[str, Any]:
    return {
        "name": name,
        "title": title,
        "description": summary,
        "version": "1.0.0",
        "agents": [players],
        "configuration": {
            "episodeSteps": 2**31 - 1,
            "actTimeout": 3600,
            "runTimeout": 2 * 24 * 3600,
            "seed": {"description": "Seed of chance.", "type": "integer", "minimum": 0},
            "illegalMoveForfeit": {
                "description": "Whether the harness forfeits after its last try, where it raises otherwise.",
                "type": "boolean",
                "default": True,
            },
        },
        "observation": {
            "observationString": {"description": "Recent moves and position in words.", "type": "string"},
            "serializedGameAndState": {"description": "The game as JSON, redrawn.", "type": "string"},
            "legalActions": {"description": "The legal actions.", "type": "array"},
            "legalActionStrings": {"description": "Their labels.", "type": "array"},
            "currentPlayer": {"description": "The current player, -4 at the end.", "type": "integer"},
            "playerId": {"description": "The reader.", "type": "integer"},
            "isTerminal": {"description": "Whether the game is over.", "type": "boolean"},
            "remainingOverageTime": 60,
            "step": 0,
        },
        "action": {"description": "An object with submission, the action.", "type": "object", "default": {}},
        "reward": {"description": "Outcome in [-1, 1].", "type": "number", "default": 0.0},
    }


def _game(observation: Mapping[str, Any]) -> Game:
    text = observation.get("serializedGameAndState")
    if not isinstance(text, str):
        raise config_error("observation: one of ludovec.text.kaggle.register is needed")
    return Game.from_json(text, 0)


def _random_agent(observation: Mapping[str, Any]) -> dict[str, int]:
    return {"submission": random.choice(observation["legalActions"])}


def _first_agent(observation: Mapping[str, Any]) -> dict[str, int]:
    return {"submission": observation["legalActions"][0]}
