"""Games as environments of OpenEnv, served to its clients. Needs the package ``openenv``.

``python -m ludovec.text.openenv ENV [--opponents PLAYER] [--set KEY=VALUE]`` serves a game over HTTP and
WebSockets.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error, shown
from .._shared.extras import extra
from ..spec import list_envs
from .environment import TextEnv

if TYPE_CHECKING:
    from ..players import Player
    from ..typing import EnvId

with extra("openenv"):
    from openenv.core.env_server import Action, Environment, Observation, State, create_app

#: Sessions of a server at a time, each with a game of its own.
MOST_SESSIONS = 64


class TextAction(Action):
    """A reply of the agent."""

    message: str


class TextObservation(Observation):
    """A message to the agent; ``metadata`` has the info of :class:`ludovec.TextEnv` without the seed."""

    message: str


class TextState(State):
    """The seat of the agent, and the environment. The position is in the messages only: it may have hidden
    parts."""

    env: str = ""
    version: int = 0
    seat: int = 0


class OpenEnvironment(Environment[TextAction, TextObservation, TextState]):
    """A game as an ``openenv`` environment: :class:`ludovec.TextEnv` with its arguments.

    ``reset(seed=..., seat=...)`` starts a game. The reward of a step is the outcome of the agent at the end,
    and 0 before; -1 after the last try without a legal move.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self, env: EnvId, opponents: Player | tuple[Player, ...] = "greedy", **arguments: Any
    ) -> None:
        """Makes the environment; the arguments are those of :func:`ludovec.make_text`."""
        super().__init__()
        self._played = TextEnv(env, opponents, **arguments)
        shape = self._played.spec
        self._state = TextState(env=shape.env, version=shape.version)

    def reset(self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any) -> TextObservation:
        """Starts a game.

        Args:
            seed: Seed of the game; ``None`` is the next one.
            episode_id: A name for the state.
            kwargs: ``seat`` sets the agent's seat.
        """
        unknown = set(kwargs) - {"seat"}
        if unknown:
            raise config_error(f"reset: {', '.join(sorted(unknown))}: seed, episode_id and seat are allowed")
        message, info = self._played.reset(seed=seed, options=kwargs or None)
        self._state = TextState(
            episode_id=episode_id, env=self._state.env, version=self._state.version, seat=info["seat"]
        )
        return TextObservation(message=message, done=self._played.game.is_terminal, metadata=_shown(info))

    def step(self, action: TextAction, timeout_s: float | None = None, **kwargs: Any) -> TextObservation:
        """Plays a reply, and then the opponents until the agent decides again or the game is over."""
        message, reward, terminated, truncated, info = self._played.step(action.message)
        self._state.step_count += 1
        return TextObservation(
            message=message, reward=reward, done=terminated or truncated, metadata=_shown(info)
        )

    @property
    def state(self) -> TextState:
        """Environment, version, seat, and the number of steps."""
        return self._state

    def close(self) -> None:
        """Ends the opponents."""
        self._played.close()


def _shown(info: dict[str, Any]) -> dict[str, Any]:
    """The seed would tell hidden cards."""
    return {key: value for key, value in info.items() if key != "seed"}


def app(env: EnvId, *, sessions: int = MOST_SESSIONS, **arguments: Any) -> Any:
    """A FastAPI application that serves a game, for ``uvicorn``.

    Args:
        env: One of :func:`ludovec.list_envs`.
        sessions: Games at a time.
        arguments: As for :class:`OpenEnvironment`.

    Raises:
        InvalidConfig: The message names the argument and the allowed values.
    """
    # Wrong arguments are refused here and not in the first session.
    OpenEnvironment(env, **arguments).close()
    return create_app(
        lambda: OpenEnvironment(env, **arguments),
        TextAction,
        TextObservation,
        env_name=f"ludovec-{env}",
        max_concurrent_envs=checks.positive("sessions", sessions),
        state_cls=TextState,
    )


def main(arguments: list[str] | None = None) -> int:
    """Serves a game until Ctrl-C."""
    import argparse

    import uvicorn

    parser = argparse.ArgumentParser(prog="python -m ludovec.text.openenv", description="Serves a game.")
    parser.add_argument("env", choices=list_envs())
    parser.add_argument("--opponents", default="greedy", help="player of the other seats")
    parser.add_argument("--seat", default="0", help="seat of the agent, rotating or random")
    parser.add_argument("--legal", default="grouped", help="grouped, dense, listed or withheld")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="an option")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 accepts other machines")
    parser.add_argument("--port", type=int, default=8000)
    given = parser.parse_args(arguments)
    options = dict(pair.partition("=")[::2] for pair in given.set)
    seat = int(given.seat) if given.seat.isdecimal() else given.seat
    try:
        served = app(given.env, opponents=given.opponents, seat=seat, legal=given.legal, **options)
    except LudovecError as error:
        print(f"ludovec.text.openenv: {shown(str(error))}", file=sys.stderr)
        return 2
    uvicorn.run(served, host=given.host, port=given.port, log_level="warning")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
