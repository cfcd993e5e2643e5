"""A server of the Model Context Protocol over standard input and output: ``ludovec mcp``, or ``python -m
ludovec.text.mcp``.

Needs the package ``mcp``. Games live as long as the server. Its clients are not trusted: players and options
come from a closed list, and calls have limits.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from .. import _core
from .._shared.errors import config_error, shown, state_error
from ..game.game import Game, with_simulations
from ..spec import list_envs
from .moves import legal_moves as listed_moves
from .prompts import observation, prompt
from .replies import read_move

#: Games of a server at a time.
MOST_GAMES = 100
#: Steps of a game.
MOST_STEPS = 20_000
#: Time limit of a call in seconds.
MOST_SECONDS = 30.0
#: Calls that search at a time, and other calls; more wait.
MOST_CALLS = 4
#: Characters of a game to import.
LONGEST_TEXT = 1 << 20
#: Seconds between two reports of progress.
_PROGRESS = 1.0
#: Seconds that calls get to end after the end of the input.
_FAREWELL = 0.25

T = TypeVar("T")


@dataclass(frozen=True)
class Seated:
    """A game with its opponents. Games are replaced, never changed."""

    game: Game
    #: The player of all seats but ``seat``; None if the client decides for every seat.
    opponents: str | None = None
    seat: int = 0

    def answered(self, stop: _core.Stop) -> Seated:
        """The game after the opponents have played until the client decides again."""
        game = self.game.clone()
        while self.opponents and not game.is_terminal and game.current_player != self.seat:
            _go_on(stop)
            game.step(game._core.bot_action(self.opponents, stop))
        return replace(self, game=game)

    def taken_back(self, moves: int, stop: _core.Stop) -> Seated:
        """The game before the client's last moves; before its first one, if there are fewer."""
        kept = self
        for _ in range(moves):
            _go_on(stop)
            game = kept.game.clone()
            while game.undo():
                if self.opponents is None or game.current_player == self.seat:
                    kept = replace(self, game=game)
                    break
            else:
                break
        return kept

    def shown(self, write: Callable[[Game, int | None], str]) -> str:
        """The position as the client sees it, with the result at the end."""
        text = write(self.game, self.seat if self.opponents else None)
        return f"{text}\n\n{self.game.standing}" if self.game.is_terminal else text


class Table:
    """The games of a server, by number."""

    def __init__(self) -> None:
        self._games: dict[int, Seated] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def add(self, game: Seated) -> int:
        """Keeps a game and returns its number."""
        with self._lock:
            if len(self._games) >= MOST_GAMES:
                raise state_error(f"{MOST_GAMES} games are open: close one")
            number = next(self._numbers)
            self._games[number] = game
            return number

    def get(self, number: int) -> Seated:
        """The game with a number."""
        found = self._games.get(number)
        if found is None:
            some = ", ".join(map(str, self._games)) or "none"
            raise config_error(f"game={number}: the open games are {some}")
        return found

    def replace(self, number: int, before: Seated, after: Seated) -> None:
        """Replaces a game, unless another call has replaced it meanwhile."""
        with self._lock:
            if self.get(number) is not before:
                raise state_error(f"game={number}: another call has changed the game meanwhile")
            self._games[number] = after

    def close(self, number: int) -> None:
        """Forgets a game."""
        with self._lock:
            self.get(number)
            del self._games[number]


class Calls:
    """Runs calls in threads: with limits of time and number, progress, and an end at cancellation."""

    def __init__(self) -> None:
        self._running: set[_core.Stop] = set()
        self._limiters: dict[bool, Any] = {}

    async def run(self, context: Any, searches: bool, work: Callable[[_core.Stop], T]) -> T:
        """The result of ``work``, which gets a flag that ends it. Work that ``searches`` does not delay other
        work."""
        import anyio

        # A limiter belongs to an event loop.
        limiter = self._limiters.setdefault(searches, anyio.CapacityLimiter(MOST_CALLS))
        stop = _core.Stop()

        def guarded() -> tuple[T | None, BaseException | None]:
            self._running.add(stop)
            try:
                return work(stop), None
            except BaseException as error:
                # A task group would wrap it.
                return None, error
            finally:
                self._running.discard(stop)

        async def report() -> None:
            begun = time.monotonic()
            while True:
                await anyio.sleep(_PROGRESS)
                # A client that no longer listens needs none.
                with suppress(Exception):
                    await context.report_progress(time.monotonic() - begun, MOST_SECONDS, "computing")

        outcome: tuple[T | None, BaseException | None] | None = None
        try:
            with anyio.move_on_after(MOST_SECONDS):
                async with anyio.create_task_group() as group:
                    group.start_soon(report)
                    outcome = await anyio.to_thread.run_sync(guarded, abandon_on_cancel=True, limiter=limiter)
                    group.cancel_scope.cancel()
        finally:
            stop.set()
        if outcome is None:
            raise state_error(f"no result within {MOST_SECONDS:g} seconds: ask for less")
        found, error = outcome
        if error is not None:
            raise error
        return found  # type: ignore[return-value]

    def end(self) -> None:
        """Ends all calls; returns when they have ended, or after a short time."""
        for stop in [*self._running]:
            stop.set()
        last = time.monotonic() + _FAREWELL
        while self._running and time.monotonic() < last:
            time.sleep(0.01)

    @property
    def are_running(self) -> bool:
        """Whether some have not ended."""
        return bool(self._running)


def _go_on(stop: _core.Stop) -> None:
    """Ends a loop of a call that is over."""
    if stop.is_set():
        raise state_error("the call has ended")


def _count(name: str, value: int, most: int) -> int:
    """A number of a client."""
    if not 0 <= value <= most:
        raise config_error(f"{name}={value}: 0 to {most} are allowed")
    return value


def server(allowed: _core.Trust | None = None, calls: Calls | None = None) -> Any:
    """The server with its tools, as an ``MCPServer`` of the package ``mcp``.

    Args:
        allowed: Players and options that clients may use beside the closed list.
        calls: Runs the calls.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver import Context
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp.server.mcpserver.tools import Tool
    except ImportError as error:
        raise config_error("mcp: the package is needed: pip install 'mcp>=2'") from error

    table = Table()
    texts = allowed or _core.Trust([], {})
    runs = calls or Calls()
    tools: list[Any] = []

    def tool(call: Any, searches: bool = False) -> Any:
        """Registers a tool: a function of a flag that ends it, and of the client's arguments. The package's
        own errors become answers of one line."""

        async def guarded(context: Any, **named: Any) -> Any:
            try:
                return await runs.run(context, searches, partial(call, **named))
            except _core.LudovecError as error:
                raise ToolError(shown(str(error))) from error

        signature = _signature(call, Context)
        guarded.__signature__ = signature  # type: ignore[attr-defined]
        guarded.__annotations__ = {
            name: parameter.annotation for name, parameter in signature.parameters.items()
        }
        made = Tool.from_function(
            guarded, name=call.__name__, description=call.__doc__, structured_output=False
        )
        # An argument that is ignored would mislead the client.
        arguments = made.fn_metadata.arg_model
        arguments.model_config["extra"] = "forbid"
        arguments.model_rebuild(force=True)
        made.parameters = arguments.model_json_schema(by_alias=True)
        tools.append(made)
        return call

    searching_tool = partial(tool, searches=True)

    def check(game: Game, player: str) -> str:
        """Refuses a player that is not allowed."""
        texts.check_player(game.spec.env, dict(game.spec.options), player)
        return player

    @tool
    def list_games(stop: _core.Stop) -> str:
        """Lists the games that can be played."""
        return "\n".join(list_envs())

    @searching_tool
    def new_game(
        stop: _core.Stop,
        env: str,
        seed: int | None = None,
        options: dict[str, Any] | None = None,
        opponents: str | None = None,
        seat: int = 0,
    ) -> str:
        """Starts a game, such as env="smallworld", options={"players": 3}. Returns its number and rules. With
        opponents (a bot such as "greedy" or "search:200"), you play the seat, and they play all others until
        you decide. Without, you decide for every seat."""
        given = dict(options or {})
        texts.check_options(env, given)
        game = Game(env, seed, **given)
        if opponents is not None:
            check(game, opponents)
        seated = Seated(game, opponents, _count("seat", seat, game.spec.players - 1)).answered(stop)
        return f"game {table.add(seated)}\n\n{seated.shown(prompt)}"

    @tool
    def view(stop: _core.Stop, game: int, player: int | None = None) -> str:
        """Shows a position as a player sees it (from 0; default: the current player), with legal moves."""
        return observation(table.get(game).game, player)

    @tool
    def legal_moves(stop: _core.Stop, game: int, listed: bool = False) -> str:
        """Lists the legal moves, grouped by kind, or with their meaning."""
        return listed_moves(table.get(game).game, "listed" if listed else "grouped") or "The game is over."

    @searching_tool
    def play(stop: _core.Stop, game: int, move: str, opponents: str | None = None) -> str:
        """Plays a move. The opponents of the game then play until you decide again. Opponents given here
        (a bot such as "greedy" or "search:200") stay with the game, and you play the seat of this move."""
        held = table.get(game)
        if held.game.steps >= MOST_STEPS:
            raise state_error(f"a game has at most {MOST_STEPS} steps here")
        said = read_move(held.game, move)
        if said.action is None:
            raise state_error(said.reason or "no move")
        after = replace(held, game=held.game.clone())
        if opponents is not None:
            check(held.game, opponents)
            after = replace(after, opponents=opponents, seat=held.game.current_player)
        # The game is replaced only if every step succeeds.
        after.game.step(said.action)
        after = after.answered(stop)
        table.replace(game, held, after)
        return after.shown(observation)

    @tool
    def undo(stop: _core.Stop, game: int, moves: int = 1) -> str:
        """Takes moves back; with opponents, your moves and the replies to them."""
        held = table.get(game)
        after = held.taken_back(_count("moves", moves, MOST_STEPS), stop)
        table.replace(game, held, after)
        return f"{held.game.steps - after.game.steps} taken back.\n\n{after.shown(observation)}"

    @searching_tool
    def analyse(
        stop: _core.Stop, game: int, player: str = "net:champion", simulations: int | None = None
    ) -> str:
        """Analyses a position by a network ("net:champion") or a search ("search"): moves and values."""
        held = table.get(game).game
        return str(held._analysed(check(held, with_simulations(player, simulations)), stop))

    @tool
    def export_game(stop: _core.Stop, game: int, format: str = "record") -> str:
        """Writes a game: "record" (JSON, for import_game), or a format of other programs like "pgn"."""
        held = table.get(game).game
        return json.dumps(held.record()) if format == "record" else held.export(format)

    @tool
    def import_game(stop: _core.Stop, text: str) -> str:
        """Reads a record, or a chess game in PGN. Returns the number of the game and its position."""
        if len(text) > LONGEST_TEXT:
            raise config_error(f"text: {len(text)} characters, {LONGEST_TEXT} are allowed")
        is_record = text.lstrip().startswith("{")
        game = Game._of_record(text, texts) if is_record else Game.from_pgn(text)
        return f"game {table.add(Seated(game))}\n\n{prompt(game)}"

    @tool
    def close_game(stop: _core.Stop, game: int) -> str:
        """Forgets a game."""
        table.close(game)
        return f"game {game} is closed"

    return MCPServer(
        "ludovec",
        version=_core.__version__,
        instructions="Board games. Begin with list_games and new_game, then play by the number of the game.",
        tools=tools,
    )


def _signature(call: Any, context: type) -> Any:
    """The signature of a tool: its context instead of the flag."""
    import inspect
    import typing

    hints = typing.get_type_hints(call)
    given = [
        parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY)
        for name, parameter in inspect.signature(call).parameters.items()
        if name != "stop"
    ]
    first = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=context)
    return inspect.Signature([first, *given], return_annotation=str)


def serve(allowed: _core.Trust | None = None) -> None:
    """Serves until the input ends.

    Args:
        allowed: Players and options that clients may use beside the closed list.

    Raises:
        InvalidConfig: The package ``mcp`` is missing.
    """
    calls = Calls()
    try:
        server(allowed, calls).run("stdio")
    finally:
        calls.end()
        if calls.are_running:
            # Rules in Python and programs of players may not end; their threads would keep the process.
            sys.stdout.flush()
            os._exit(0)


def main() -> int:
    """The command ``ludovec mcp`` with the arguments of this process; returns the exit code."""
    from ..__main__ import main as program

    sys.argv.insert(1, "mcp")
    return program()


if __name__ == "__main__":
    raise SystemExit(main())
