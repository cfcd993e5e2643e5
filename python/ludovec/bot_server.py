"""Serves a Python bot over HTTP.

``python -m ludovec.bot_server ENV FILE [--host HOST] [--port PORT]`` serves the class ``BotLogic`` of a file.
Clients send ``POST /turn`` and get ``{"action": ...}``, for example ``ludovec tournament ENV --players
http://HOST:PORT,greedy``.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import ipaddress
import json
import selectors
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

from . import players
from ._core import LudovecError
from ._shared.errors import shown
from .spec import list_envs

LARGEST_REQUEST = 1 << 20
"""Maximum length of a request in bytes, several times the largest real one."""

PATIENCE = 10.0
"""Time limit in seconds for the head of a request, for its body, and for reading the answer."""

MOST_CONNECTIONS = 250
"""Connections served at a time, one thread each; further ones wait."""


def serve_bot(
    env: str,
    bot: Any,
    host: str = "127.0.0.1",
    port: int = 8000,
    *,
    patience: float = PATIENCE,
    connections: int = MOST_CONNECTIONS,
) -> ThreadingHTTPServer:
    """A server for an object with ``turn``; ``serve_forever()`` runs it. Port 0 selects a free port.

    Every connection has a thread, at most ``connections`` at a time. The head of a request, its body and the
    reading of the answer each have a timeout of ``patience`` seconds. Pages of other origins are
    rejected. A server on the loopback address also rejects requests that name another host.
    """

    class Handler(_Handler):
        patience_s = patience

        def answer(self, body: bytes) -> dict[str, Any]:
            return players.answer(env, bot, json.loads(body))

    return _Server((host, port), Handler, connections)


class _Server(ThreadingHTTPServer):
    """A server with a maximum number of connections; further ones wait in the system's queue."""

    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[_Handler], connections: int) -> None:
        self._free = threading.BoundedSemaphore(connections)
        self._ended = threading.Event()
        super().__init__(address, handler)
        self.watcher = _Watcher()

    def process_request(self, request: Any, client_address: Any) -> None:
        while not self._free.acquire(timeout=0.05):
            if self._ended.is_set():
                return self.shutdown_request(request)
        try:
            super().process_request(request, client_address)
        except BaseException:
            # The thread could not be started.
            self._free.release()
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Logs nothing: disconnecting clients are normal."""

    def shutdown(self) -> None:
        self._ended.set()
        super().shutdown()

    def server_close(self) -> None:
        self.watcher.end()
        super().server_close()


class _Handler(BaseHTTPRequestHandler):
    """A connection of a client, which may be slow or hostile."""

    protocol_version = "HTTP/1.1"
    patience_s: float

    def answer(self, body: bytes) -> dict[str, Any]:
        """The bot's reply to a request."""
        raise NotImplementedError

    def setup(self) -> None:
        super().setup()
        self._reader = _Reader(self.connection)
        self.rfile.close()
        self.rfile = io.BufferedReader(self._reader)

    def handle_one_request(self) -> None:
        self._reader.deadline = time.monotonic() + self.patience_s
        super().handle_one_request()

    def do_POST(self) -> None:
        refused = self._refused()
        if refused is not None:
            return self._refuse(403, refused)
        given = self.headers.get_all("Content-Length", [])
        length = given[0] if len(given) == 1 and "Transfer-Encoding" not in self.headers else ""
        if not (length.isascii() and length.isdigit()):
            return self._refuse(411, "one Content-Length is needed")
        digits = length.lstrip("0") or "0"
        if len(digits) > len(str(LARGEST_REQUEST)) or int(digits) > LARGEST_REQUEST:
            return self._refuse(413, f"at most {LARGEST_REQUEST} bytes are read")
        self._reader.deadline = time.monotonic() + self.patience_s
        try:
            body = self.rfile.read(int(digits))
        except TimeoutError:
            return self._refuse(408, f"the body did not come within {self.patience_s:g} s")
        if len(body) < int(digits):
            # The client disconnected in the middle of the request.
            self.close_connection = True
            return
        if self.path != "/turn":
            return self._reply(404, {"error": "only /turn is answered"})
        try:
            server = cast(_Server, self.server)
            with server.watcher.watching(self.connection):
                status, reply = 200, self.answer(body)
        except _ClientLeft:
            self.close_connection = True
            return
        except Exception as error:
            status, reply = 500, {"error": f"{type(error).__name__}: {error}"}
        self._reply(status, reply)

    def _refused(self) -> str | None:
        """An error message for cross-site requests (including DNS rebinding), or ``None``."""
        # Browsers always send the Host header; simple programs may omit it.
        host, origin = self.headers.get("Host"), self.headers.get("Origin")
        is_local = ipaddress.ip_address(self.connection.getsockname()[0]).is_loopback
        if is_local and host is not None and not _is_this_machine(host):
            return f"host {host!r:.100}: this server is called localhost or 127.0.0.1"
        if origin is not None and origin.partition("://")[2] != host:
            return f"origin {origin!r:.100}: pages of other sites may not ask"
        return None

    def _refuse(self, status: int, what: str) -> None:
        # The rest of the request is not read, so the connection cannot be reused.
        self.close_connection = True
        self._reply(status, {"error": what})

    def _reply(self, status: int, value: dict[str, Any]) -> None:
        try:
            body = players.encode(value).encode()
        except Exception as error:
            status, body = 500, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode()
        # The timeout applies to each send as a whole.
        self.connection.settimeout(self.patience_s)
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        """Disables logging: one line per move is too much."""


class _Reader(io.RawIOBase):
    """Reads from a connection until a deadline that applies to all reads together."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.deadline = 0.0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is over")
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _ClientLeft(BaseException):
    """Ends a bot's call after its client disconnected."""


class _Watcher:
    """Raises :class:`_ClientLeft` in threads that work for clients that have disconnected.

    One thread looks at all connections ten times a second. The exception arrives between two Python
    instructions: a bot that computes in Python ends at once, a call of compiled code is finished first.
    """

    def __init__(self) -> None:
        self._lock, self._ended = threading.Lock(), threading.Event()
        self._watched: dict[int, socket.socket] = {}
        threading.Thread(target=self._look, daemon=True).start()

    def end(self) -> None:
        self._ended.set()

    @contextmanager
    def watching(self, connection: socket.socket) -> Iterator[None]:
        """Watches a connection on behalf of the current thread."""
        thread = threading.get_ident()
        with self._lock:
            self._watched[thread] = connection
        try:
            yield
        finally:
            # Under the lock none is raised later, and one that has not arrived yet is withdrawn.
            with self._lock:
                self._watched.pop(thread, None)
                _raise_in(thread, None)

    def _look(self) -> None:
        while not self._ended.wait(0.1):
            with self._lock:
                left = [thread for thread, connection in self._watched.items() if _has_left(connection)]
                for thread in left:
                    del self._watched[thread]
                    _raise_in(thread, _ClientLeft)


def _raise_in(thread: int, exception: type[BaseException] | None) -> None:
    """Raises an exception in a thread, or withdraws one that has not arrived yet."""
    given = None if exception is None else ctypes.py_object(exception)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), given)


def _has_left(connection: socket.socket) -> bool:
    """Whether the other end has closed a connection."""
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(connection, selectors.EVENT_READ)
            return bool(selector.select(0)) and not connection.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):
        return True


def _is_this_machine(authority: str) -> bool:
    """Whether a host, with or without a port, is a loopback address or ``localhost``."""
    host, colon, port = authority.rpartition(":")
    if not (colon and port.isdigit()):
        host = authority
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


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
        print(f"ludovec.bot_server: {shown(str(error))}", file=sys.stderr)
        return 2
    host, port = server.socket.getsockname()[:2]
    print(f"{shown(given.file)} plays {given.env} at http://{host}:{port}; Ctrl-C stops it", flush=True)
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
