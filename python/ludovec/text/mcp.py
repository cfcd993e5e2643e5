"""A server of the Model Context Protocol over standard input and output: ``ludovec mcp``, or ``python -m
ludovec.text.mcp``.

Needs the package ``mcp``. Games live as long as the server.
"""

from __future__ import annotations

import itertools
import json
import threading
from typing import Any

from .. import _core
from .._errors import config_error, shown, state_error
from ..game import Game
from ..spec import list_envs
from .moves import legal_moves as listed_moves
from .prompts import observation, prompt
from .replies import read_move

#: Games of a server at a time.
MOST_GAMES = 100


class Table:
    """The games of a server, by number."""

    def __init__(self) -> None:
        self._games: dict[int, Game] = {}
        self._numbers = itertools.count(1)
        # Tools run in threads of the server.
        self.lock = threading.RLock()

    def add(self, game: Game) -> int:
        """Keeps a game and returns its number."""
        if len(self._games) >= MOST_GAMES:
            raise state_error(f"{MOST_GAMES} games are open: close one")
        number = next(self._numbers)
        self._games[number] = game
        return number

    def game(self, number: int) -> Game:
        """The game with a number."""
        if number not in self._games:
            some = ", ".join(map(str, self._games)) or "none"
            raise config_error(f"game={number}: the open games are {some}")
        return self._games[number]

    def close(self, number: int) -> None:
        """Forgets a game."""
        self.game(number)
        del self._games[number]


def server() -> Any:
    """The server with its tools, as an ``MCPServer`` of the package ``mcp``."""
    try:
        from mcp.server import MCPServer
    except ImportError as error:
        raise config_error("mcp: the package is needed: pip install 'mcp>=2'") from error
    from mcp.server.mcpserver.exceptions import ToolError

    table = Table()
    made = MCPServer(
        "ludovec",
        version=_core.__version__,
        instructions="Board games. Begin with list_games and new_game, then play by the number of the game.",
    )

    def tool(call: Any) -> Any:
        """Registers a tool; the package's own errors become answers of one line."""
        from functools import wraps

        @wraps(call)
        def guarded(*args: Any, **named: Any) -> Any:
            try:
                with table.lock:
                    return call(*args, **named)
            except _core.LudovecError as error:
                raise ToolError(shown(str(error))) from error

        made.tool(structured_output=False)(guarded)
        return call

    @tool
    def list_games() -> str:
        """Lists the games that can be played."""
        return "\n".join(list_envs())

    @tool
    def new_game(env: str, seed: int | None = None, options: dict[str, Any] | None = None) -> str:
        """Starts a game, such as env="smallworld", options={"players": 3}. Returns its number and rules."""
        game = Game(env, seed, **(options or {}))
        return f"game {table.add(game)}\n\n{prompt(game)}"

    @tool
    def view(game: int, player: int | None = None) -> str:
        """Shows a position as a player sees it (from 0; default: the current player), with legal moves."""
        return observation(table.game(game), player)

    @tool
    def legal_moves(game: int, listed: bool = False) -> str:
        """Lists the legal moves, grouped by kind, or with their meaning."""
        return listed_moves(table.game(game), "listed" if listed else "grouped") or "The game is over."

    @tool
    def play(game: int, move: str, opponents: str | None = None) -> str:
        """Plays a move. With opponents (a bot such as "greedy" or "search:200"), they play until the same
        player decides again."""
        held = table.game(game)
        said = read_move(held, move)
        if said.action is None:
            raise state_error(said.reason or "no move")
        player = held.current_player
        # The game changes only if every step succeeds.
        after = held.clone()
        after.step(said.action)
        while opponents and not after.is_terminal and after.current_player != player:
            after.step(after.bot_action(opponents))
        table._games[game] = after
        text = observation(after, player if opponents else None)
        return f"{text}\n\n{after.standing}" if after.is_terminal else text

    @tool
    def undo(game: int, moves: int = 1) -> str:
        """Takes moves back."""
        held = table.game(game)
        done = sum(held.undo() for _ in range(min(max(moves, 0), held.steps)))
        return f"{done} taken back.\n\n{observation(held)}"

    @tool
    def analyse(game: int, player: str = "net:champion", simulations: int | None = None) -> str:
        """Analyses a position by a network ("net:champion") or a search ("search"): moves and values."""
        return str(table.game(game).analyse(player, simulations))

    @tool
    def export_game(game: int, format: str = "record") -> str:
        """Writes a game: "record" (JSON, for import_game), or a format of other programs like "pgn"."""
        held = table.game(game)
        return json.dumps(held.record()) if format == "record" else held.export(format)

    @tool
    def import_game(text: str) -> str:
        """Reads a record, or a chess game in PGN. Returns the number of the game and its position."""
        is_record = text.lstrip().startswith("{")
        game = Game.from_record(text) if is_record else Game.from_pgn(text)
        return f"game {table.add(game)}\n\n{prompt(game)}"

    @tool
    def close_game(game: int) -> str:
        """Forgets a game."""
        table.close(game)
        return f"game {game} is closed"

    return made


def serve() -> None:
    """Serves until the input ends.

    Raises:
        InvalidConfig: The package ``mcp`` is missing.
    """
    server().run("stdio")


def main() -> int:
    """Serves until the input ends; returns the exit code."""
    import sys

    try:
        serve()
    except _core.InvalidConfig as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
