"""Serves a Python bot over HTTP.

``python -m ludovec.bot_server ENV FILE [--host HOST] [--port PORT]`` serves the class ``BotLogic`` of a file.
Clients send ``POST /turn`` and get ``{"action": ...}``, for example ``ludovec tournament ENV --bots
http://HOST:PORT,greedy``.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import players
from ._core import LudovecError
from .spec import list_envs

LARGEST_REQUEST = 1 << 20
"""Maximum length of a request in bytes, several times the largest real one."""

PATIENCE = 10.0
"""Timeout in seconds: idle connections are closed."""


def serve_bot(
    env: str, bot: Any, host: str = "127.0.0.1", port: int = 8000, *, patience: float = PATIENCE
) -> ThreadingHTTPServer:
    """A server for an object with ``turn``; ``serve_forever()`` runs it. Port 0 selects a free port.

    Every connection has a thread. A connection without data for ``patience`` seconds is closed.
    """

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = patience

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdigit()):
                return self._refuse(411, "Content-Length is needed")
            if int(length[:20]) > LARGEST_REQUEST:
                return self._refuse(413, f"at most {LARGEST_REQUEST} bytes are read")
            try:
                body = self.rfile.read(int(length))
            except TimeoutError:
                return self._refuse(408, f"the body did not come within {patience:g} s")
            if self.path != "/turn":
                return self._reply(404, {"error": "only /turn is answered"})
            try:
                self._reply(200, players.answer(env, bot, json.loads(body)))
            except Exception as error:
                self._reply(500, {"error": f"{type(error).__name__}: {error}"})

        def _refuse(self, status: int, what: str) -> None:
            # The rest of the request is not read, so the connection cannot be reused.
            self.close_connection = True
            self._reply(status, {"error": what})

        def _reply(self, status: int, value: dict[str, Any]) -> None:
            body = players.encode(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Disables logging: one line per move is too much."""

    return ThreadingHTTPServer((host, port), Handler)


def main(arguments: list[str] | None = None) -> int:
    """Serves the bot of a file until Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="python -m ludovec.bot_server", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("env", choices=list_envs(), help="environment of the bot")
    parser.add_argument("file", help="Python file with a class BotLogic")
    parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 accepts other machines")
    parser.add_argument("--port", type=int, default=8000, help="0 selects a free port")
    given = parser.parse_args(arguments)
    try:
        server = serve_bot(given.env, players.load(given.env, given.file), given.host, given.port)
    except (LudovecError, OSError, OverflowError) as error:
        print(f"ludovec.bot_server: {error}", file=sys.stderr)
        return 2
    host, port = server.socket.getsockname()[:2]
    print(f"{given.file} plays {given.env} at http://{host}:{port}; Ctrl-C stops it", flush=True)
    # SIGTERM acts like Ctrl-C.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
