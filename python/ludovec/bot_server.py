"""Lets a Python bot play for other programs that ask it over HTTP.

``python -m ludovec.bot_server ENV FILE [--host HOST] [--port PORT]`` serves the class ``BotLogic`` of a file.
The programs ask with ``POST /turn`` and get ``{"action": ...}``; ``ludovec tournament ENV --bots
http://HOST:PORT,greedy`` is one of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import players
from ._core import LudovecError
from .spec import list_envs


def serve_bot(env: str, bot: Any, host: str = "127.0.0.1", port: int = 8000) -> ThreadingHTTPServer:
    """A server for an object with ``turn``; ``serve_forever()`` runs it. Port 0 takes a free one."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if self.path != "/turn":
                return self._reply(404, {"error": "only /turn is answered"})
            try:
                self._reply(200, players.answer(env, bot, json.loads(body)))
            except Exception as error:
                self._reply(500, {"error": f"{type(error).__name__}: {error}"})

        def _reply(self, status: int, value: dict[str, Any]) -> None:
            body = players.encode(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Says nothing: a line a move would be too much."""

    return ThreadingHTTPServer((host, port), Handler)


def main(arguments: list[str] | None = None) -> int:
    """Serves the bot in a file until Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m ludovec.bot_server", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("env", choices=list_envs(), help="what the bot plays")
    parser.add_argument("file", help="Python file with a class BotLogic")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 lets other machines ask")
    parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")
    given = parser.parse_args(arguments)
    try:
        server = serve_bot(given.env, players.load(given.env, given.file), given.host, given.port)
    except (LudovecError, OSError, OverflowError) as error:
        print(f"ludovec.bot_server: {error}", file=sys.stderr)
        return 2
    host, port = server.server_address[:2]
    print(f"{given.file} plays {given.env} at http://{host}:{port}; Ctrl-C stops it", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
