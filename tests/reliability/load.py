"""Loads the servers: 500 connections at once, slow clients, bodies of a megabyte, 1,000 clients that never read; measures
memory and checks answers.

    python tests/reliability/load.py [--program target/release/ludovec] [--connections 500]

Needs the program and Linux. Prints a table; exits with 1 if an answer is missing or wrong, or memory exceeds the bound in
SECURITY.md.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import socket
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

MOST_MEMORY = 192 << 20
"""Maximum memory of a server under this load, in bytes."""
MEGABYTE = 1 << 20
UNREAD_SECONDS = 60
"""Maximum time until a server has ended all clients that never read."""


class Server:
    """A server as a process."""

    def __init__(self, program: Path, *arguments: str) -> None:
        self.process = subprocess.Popen([str(program), *arguments, "--port", "0"], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        address = re.search(r"http://([\d.]+):(\d+)", line)
        assert address, line
        self.address = (address[1], int(address[2]))

    def memory(self, what: str = "VmHWM") -> int:
        """Current (`VmRSS`) or peak (`VmHWM`) memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+) kB", status)[1]) << 10

    def count(self, what: str) -> int:
        """Number of its threads (`task`) or open files (`fd`)."""
        return len(list(Path(f"/proc/{self.process.pid}/{what}").iterdir()))

    def connect(self, timeout: float = 60.0) -> socket.socket:
        """Opens a connection."""
        return socket.create_connection(self.address, timeout=timeout)

    def request(self, method: str, path: str, body: bytes = b"", length: int | None = None) -> bytes:
        """A complete request; `length` overrides the length of the body."""
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self.address[0]}:{self.address[1]}\r\nConnection: close\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body) if length is None else length}\r\n\r\n"
        )
        return head.encode() + body

    def page(self) -> bytes:
        """A request for the first page, on a connection that stays open."""
        return f"GET / HTTP/1.1\r\nHost: {self.address[0]}:{self.address[1]}\r\n\r\n".encode()

    def ask(self, text: bytes) -> int:
        """Status of the answer, 0 if there is none."""
        with self.connect() as connection:
            try:
                connection.sendall(text)
            except (BrokenPipeError, ConnectionResetError):
                # The server answered before everything was sent.
                pass
            return status_of(connection)

    def end(self) -> None:
        """Ends the server."""
        self.process.terminate()
        self.process.wait(10)


def status_of(connection: socket.socket) -> int:
    """Status of the next answer, 0 if there is none."""
    data = b""
    try:
        while chunk := connection.recv(1 << 16):
            data += chunk
    except (ConnectionResetError, TimeoutError):
        pass
    return int(data[9:12]) if data.startswith(b"HTTP/1.") else 0


def counted(statuses: list[int]) -> str:
    """The number of answers by status."""
    return ", ".join(f"{count} x {status or 'none'}" for status, count in sorted(Counter(statuses).items()))


def many(server: Server, text: bytes, count: int, threads: int) -> list[int]:
    """Sends `count` requests from `threads` threads."""
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda _: server.ask(text), range(count)))


def unread(server: Server, good: bytes, text: bytes, count: int) -> list[tuple[str, str, bool]]:
    """Rows about `count` clients that repeat the request `text` and never read an answer."""
    clients: dict[socket.socket, int] = {}
    for _ in range(count):
        client = socket.socket()
        # A small window: answers wait in the server soon.
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(server.address)
        client.setblocking(False)
        clients[client] = client.send(text * 100)
    begun = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        beside: Future[tuple[int, float]] | None = None
        gone = 0
        while time.monotonic() - begun < UNREAD_SECONDS and gone < count:
            if beside is None:
                beside = pool.submit(timed, server, good)
            gone = sum(not pump(client, text, clients) for client in clients)
            time.sleep(0.05)
        assert beside is not None
        status, took = beside.result()
    ended = time.monotonic() - begun
    for client in clients:
        client.close()
    within = f"within {UNREAD_SECONDS} s"
    return [
        (f"{count} that never read", f"an answer beside them: {status} after {took:.1f} s", status in (200, 201) and took < 5),
        (f"... ended {within}", f"{gone} in {ended:.1f} s", gone == count),
    ]


def pump(client: socket.socket, text: bytes, sent: dict[socket.socket, int]) -> bool:
    """Sends as much of repeated `text` as the connection takes, within limits; returns False once the server has ended it."""
    try:
        for _ in range(1000):
            sent[client] += client.send(text[sent[client] % len(text) :])
        return True
    except BlockingIOError:
        return True
    except OSError:
        return False


def timed(server: Server, text: bytes) -> tuple[int, float]:
    """The status of an answer, and the seconds that it took."""
    begun = time.monotonic()
    return server.ask(text), time.monotonic() - begun


def load(server: Server, name: str, good: bytes, path: str, count: int, clients: int) -> bool:
    """Applies every kind of load to a server; returns True if all answers are correct."""
    rows: list[tuple[str, str, bool]] = []

    def row(what: str, found: str, fine: bool) -> None:
        rows.append((what, found, fine))

    begun = time.monotonic()
    assert server.ask(good) in (200, 201), "the server does not answer"
    alone = time.monotonic() - begun

    idle = [server.connect() for _ in range(count)]
    begun = time.monotonic()
    status = server.ask(good)
    row(f"{count} idle connections", f"an answer beside them: {status}", status in (200, 201))
    for connection in idle:
        connection.close()

    begun = time.monotonic()
    statuses = many(server, good, count, count)
    took = time.monotonic() - begun
    row(f"{count} requests at once", f"{counted(statuses)} in {took:.1f} s", set(statuses) <= {200, 201})

    # One byte per second: head or body never complete.
    slow = [server.connect() for _ in range(count)]
    half = [server.connect() for _ in range(20)]
    for connection in half:
        connection.sendall(server.request("POST", path, b"{", length=100))
    begun = time.monotonic()
    text, sent, cut = b"POST /turn HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 60, 0, 0
    while time.monotonic() - begun < 13:
        for connection in slow:
            try:
                connection.send(text[sent % len(text) : sent % len(text) + 1])
            except OSError:
                cut += 1
        sent += 1
        if sent == 3:
            status = server.ask(good)
            row(f"{count} slow heads", f"an answer beside them: {status}", status in (200, 201))
        time.sleep(1)
    ended = [status_of(connection) for connection in slow]
    row("... after 13 s", f"{len(ended)} ended by the server", cut > 0 and set(ended) <= {0, 400, 408})
    statuses = [status_of(connection) for connection in half]
    row("20 slow bodies", counted(statuses), set(statuses) <= {408})
    for connection in slow + half:
        connection.close()

    body = b'"' + b"a" * (MEGABYTE - 2) + b'"'
    statuses = many(server, server.request("POST", path, body), count, 50)
    row(f"{count} bodies of 1 MiB", counted(statuses), set(statuses) <= {400, 413, 422})
    statuses = many(server, server.request("POST", path, body + body), 50, 50)
    row("50 bodies of 2 MiB", counted(statuses), set(statuses) <= {413})
    statuses = many(server, server.request("POST", path, b"", length=1 << 60), 50, 50)
    row("50 that promise 1 EiB", counted(statuses), set(statuses) <= {413})
    deep = b"[" * 200_000
    statuses = many(server, server.request("POST", path, deep), 20, 20)
    row("20 of 200,000 brackets", counted(statuses), set(statuses) <= {400, 413, 422})

    rows += unread(server, good, server.page(), clients)

    time.sleep(1)
    status = server.ask(good)
    row("afterwards", f"{status}, {server.count('fd')} files open, {server.count('task')} threads", status in (200, 201))
    most = server.memory()
    row("memory at most", f"{most >> 20} MiB, {server.memory('VmRSS') >> 20} MiB at the end", most <= MOST_MEMORY)
    print(f"{name}: alone a request takes {1000 * alone:.0f} ms")
    for what, found, fine in rows:
        print(f"    {what:24} {found}{'' if fine else '  FAILED'}", flush=True)
    return all(fine for *_, fine in rows)


def bot_request(program: Path) -> bytes:
    """A request to a bot server, recorded from a tournament."""
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    arguments = ["selfplay", "starwars_risk", "--games", "1", "--players", f"{address},random"]
    with subprocess.Popen([str(program), *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as asking:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            length = 0
            while (line := stream.readline().strip()):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            body = stream.read(length)
        asking.kill()
    listener.close()
    json.loads(body)
    return body


def main() -> int:
    """Loads both servers."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--program", type=Path, default=Path("target/release/ludovec"))
    parser.add_argument("--connections", type=int, default=500)
    parser.add_argument("--unread", type=int, default=1000, help="clients that never read")
    given = parser.parse_args()
    if not given.program.exists():
        print(f"{given.program} is not there: cargo build --release", file=sys.stderr)
        return 2
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(max(soft, 4096), hard), hard))
    fine = True
    web = Server(given.program, "web")
    try:
        begin = json.dumps({"env": "starwars_risk", "seats": ["human", "random"], "seed": 1}).encode()
        fine &= load(web, "ludovec web", web.request("POST", "/api/games", begin), "/api/games", given.connections, given.unread)
    finally:
        web.end()
    bot = Server(given.program, "bot-server", "starwars_risk", "--players", "greedy")
    try:
        turn = bot.request("POST", "/turn", bot_request(given.program))
        fine &= load(bot, "ludovec bot-server", turn, "/turn", given.connections, given.unread)
    finally:
        bot.end()
    return int(not fine)


if __name__ == "__main__":
    sys.exit(main())
