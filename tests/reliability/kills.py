"""Kills clients and fleets by the thousands, stops and continues them, fills the shared memory, and counts leftovers.

    python tests/reliability/kills.py [--program target/release/ludovec] [--clients 1000] [--fleets 200]

Needs the program and Linux. Rows that need root (a small /dev/shm, another clock, another user) are skipped without it, and
the table says so. Prints a table; exits with 1 if a process did not end as expected or left files behind.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SHM = Path("/dev/shm")
ENV = "starwars_risk"
NOBODY = 65534


class Failed(Exception):
    """A process did not behave as expected."""


class Left(Exception):
    """A row that cannot run on this machine."""


def check(condition: object, what: str) -> None:
    """Raises `Failed(what)` unless the condition holds."""
    if not condition:
        raise Failed(what)


class Runs:
    """Starts the program and ends all its processes."""

    def __init__(self, program: Path) -> None:
        self.program = str(program)
        self.prefix = f"kills-{os.getpid()}"
        self.children: list[subprocess.Popen[str]] = []

    def name(self, what: str) -> str:
        """A fleet name unique to this run."""
        return f"{self.prefix}-{what}"

    def start(self, *arguments: str, before: tuple[str, ...] = (), **options: object) -> subprocess.Popen[str]:
        """Starts the program as a process."""
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, **options}
        child = subprocess.Popen([*before, self.program, *arguments], **pipes)  # type: ignore[call-overload]
        self.children.append(child)
        return child

    def fleet(self, name: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
        """Starts a fleet and waits until it serves."""
        size = () if "--num-envs" in arguments else ("--num-envs", "512", "--blocks", "2")
        fleet = self.start("serve", ENV, "--name", name, "--threads", "1", *size, *arguments, **options)
        line = fleet.stdout.readline()
        check(name in line, f"no fleet {name}: {line}{fleet.stderr.read() if not line else ''}")
        return fleet

    def client(self, name: str, *arguments: str, **options: object) -> subprocess.Popen[str]:
        """Starts a client that steps one block of the fleet."""
        return self.start("bench", "--attach", name, *arguments, **options)

    def steps(self, name: str, before: tuple[str, ...] = (), **options: object) -> str:
        """Output of a client that makes 50 steps in every free block; it must succeed."""
        client = self.client(name, "--steps", "50", before=before, **options)
        said, wrong = client.communicate(timeout=60)
        check(client.returncode == 0, f"a client of {name} failed: {wrong}")
        return said

    def end(self, child: subprocess.Popen[str], sent: int) -> None:
        """Sends a signal and waits for the end of the process."""
        child.send_signal(sent)
        child.communicate(timeout=30)
        self.children.remove(child)

    def left(self) -> list[str]:
        """Files of this run in the shared memory."""
        return sorted(path.name for path in SHM.iterdir() if self.prefix in path.name)

    def end_all(self) -> None:
        """Ends every process."""
        for child in self.children:
            if child.poll() is None:
                child.kill()
        for child in self.children:
            child.communicate()
        self.children.clear()


def clients(runs: Runs, count: int) -> str:
    """Kills one client after the other at a random moment: the fleet serves the next one."""
    name, rng = runs.name("clients"), random.Random(1)
    fleet = runs.fleet(name)
    for _ in range(count):
        client = runs.client(name, "--seconds", "60", stdout=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.0, 0.03))
        runs.end(client, signal.SIGKILL)
    checksum = re.compile("checksum (\\w+)")
    fresh = runs.fleet(runs.name("fresh"))
    found = [checksum.findall(runs.steps(fleet_name)) for fleet_name in (name, runs.name("fresh"))]
    check(found[0] == found[1] and found[0], f"after the kills games go otherwise: {found}")
    for process in (fleet, fresh):
        check(process.poll() is None, "a fleet ended by itself")
        runs.end(process, signal.SIGTERM)
    return f"{count} killed; the fleet's games are those of a new fleet"


def fleets(runs: Runs, count: int) -> str:
    """Kills a fleet under a stepping client; it restarts under its name, and the client reports the end."""
    name, rng = runs.name("fleets"), random.Random(2)
    slowest = 0.0
    for _ in range(count):
        fleet = runs.fleet(name)
        client = runs.client(name, "--seconds", "60")
        time.sleep(rng.uniform(0.0, 0.1))
        runs.end(fleet, signal.SIGKILL)
        begun = time.monotonic()
        _, wrong = client.communicate(timeout=30)
        slowest = max(slowest, time.monotonic() - begun)
        runs.children.remove(client)
        one_line = wrong.startswith("ludovec: ") and wrong.count("\n") == 1
        check(client.returncode == 1 and one_line, f"a client of a killed fleet: {client.returncode} {wrong!r}")
    fleet = runs.fleet(name)
    runs.steps(name)
    runs.end(fleet, signal.SIGINT)
    return f"{count} killed and started again under the name; clients knew after {slowest:.1f} s at most"


def stops(runs: Runs, count: int) -> str:
    """Stops and continues a fleet and a client at random moments: both keep running."""
    name, rng = runs.name("stops"), random.Random(3)
    fleet = runs.fleet(name)
    client = runs.client(name, "--seconds", "60", "--json")
    for _ in range(count):
        process = rng.choice((fleet, client))
        process.send_signal(signal.SIGSTOP)
        time.sleep(rng.uniform(0.0, 0.05))
        process.send_signal(signal.SIGCONT)
        time.sleep(rng.uniform(0.0, 0.02))
        check(client.poll() is None, f"the client ended: {client.stderr.read() if client.poll() else ''}")
        check(fleet.poll() is None, "the fleet ended")
    runs.end(client, signal.SIGKILL)
    runs.steps(name)
    runs.end(fleet, signal.SIGTERM)
    return f"{count} times stopped and continued"


def full(runs: Runs, _: int) -> str:
    """Starts a fleet with full shared memory: one line of error, nothing left behind."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        raise Left("needs root and unshare")
    serve = f"{runs.program} serve {ENV} --name {runs.name('full')} --num-envs 65536"
    script = f"mount -t tmpfs -o size=1m none /dev/shm && {serve}; echo code $?; ls -A /dev/shm; df --output=used /dev/shm"
    done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True, timeout=60, check=False)
    check("code 1" in done.stdout, f"a fleet without room: {done.stdout} {done.stderr}")
    check("no room" in done.stderr and done.stderr.count("\n") == 1, f"it said {done.stderr!r}")
    check("ludovec" not in done.stdout, f"it left {done.stdout}")
    check(done.stdout.split()[-1] == "0", f"it kept memory: {done.stdout}")
    return "refused in one line, no byte kept"


def others(runs: Runs, _: int) -> str:
    """Files of other users, links, folders and devices under the fleet's name are reported and left unchanged."""
    cases: list[tuple[str, Callable[[Path], None]]] = [
        ("file", lambda path: path.write_bytes(b"not yours")),
        ("symbolic link", lambda path: path.symlink_to("/etc/passwd")),
        ("folder", lambda path: path.mkdir()),
        ("special file", lambda path: os.mkfifo(path)),
    ]
    for kind, make in cases:
        name = runs.name("others")
        path = SHM / f"ludovec.{name}"
        make(path)
        if os.geteuid() == 0:
            os.lchown(path, NOBODY, NOBODY)
        before = path.lstat()
        done = subprocess.run(
            [runs.program, "serve", ENV, "--name", name], capture_output=True, text=True, timeout=60, check=False
        )
        said = done.stderr
        check(done.returncode == 1 and kind in said and said.count("\n") == 1, f"{kind}: {done.returncode} {said!r}")
        now = path.lstat()
        same = (now.st_ino, now.st_size, now.st_mtime) == (before.st_ino, before.st_size, before.st_mtime)
        check(same, f"the {kind} was changed")
        path.rmdir() if kind == "folder" else path.unlink()
    if os.geteuid() != 0:
        return f"{len(cases)} kinds of files in the way (of this user: not root)"
    name = runs.name("mine")
    fleet = runs.fleet(name)
    with contextlib.ExitStack() as stack:
        copy = stack.enter_context(_for_everybody(Path(runs.program)))
        done = subprocess.run(
            [str(copy), "bench", "--attach", name, "--steps", "1"],
            user=NOBODY, cwd="/", capture_output=True, text=True, timeout=60, check=False,
        )
    check(done.returncode == 1 and "permission denied" in done.stderr, f"another user: {done.stderr!r}")
    runs.end(fleet, signal.SIGTERM)
    return f"{len(cases)} kinds of files of another user in the way; another user kept out"


@contextlib.contextmanager
def _for_everybody(program: Path) -> Iterator[Path]:
    copy = Path("/tmp") / f"ludovec-{os.getpid()}"
    shutil.copy(program, copy)
    copy.chmod(0o755)
    try:
        yield copy
    finally:
        copy.unlink()


def clocks(runs: Runs, _: int) -> str:
    """Runs a client under clocks a month off the fleet's."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        raise Left("needs root and unshare")
    name = runs.name("clocks")
    fleet = runs.fleet(name)
    plain = runs.steps(name)
    for offset in ("2592000", "-3600"):
        shifted = ("unshare", "--time", "--fork", "--monotonic", offset, "--boottime", offset)
        probe = subprocess.run([*shifted, "true"], capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            if offset.startswith("-"):
                # No clock may be before boot time.
                continue
            runs.end(fleet, signal.SIGTERM)
            raise Left(f"no time namespaces: {probe.stderr.strip()}")
        shown = runs.steps(name, before=shifted)
        check("checksum" in shown and "checksum" in plain, "no checksum")
    client = runs.client(name, "--seconds", "60", before=("unshare", "--time", "--fork", "--monotonic", "2592000"))
    time.sleep(0.3)
    runs.end(fleet, signal.SIGKILL)
    begun = time.monotonic()
    client.communicate(timeout=30)
    noticed = time.monotonic() - begun
    check(client.returncode == 1 and noticed < 5, f"the end of the fleet was noticed after {noticed:.1f} s")
    # The name of a killed fleet is free: the next fleet removes the leftovers.
    runs.end(runs.fleet(name), signal.SIGTERM)
    return "clocks a month apart: stepped, and the fleet's end noticed"


def main() -> int:
    """Runs every row and prints the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--program", type=Path, default=Path("target/release/ludovec"))
    parser.add_argument("--clients", type=int, default=1000, help="clients to kill")
    parser.add_argument("--fleets", type=int, default=200, help="fleets to kill")
    parser.add_argument("--stops", type=int, default=200, help="stops and continues")
    given = parser.parse_args()
    if not given.program.exists():
        print(f"{given.program} is not there: cargo build --release", file=sys.stderr)
        return 2
    runs = Runs(given.program.resolve())
    rows = [
        ("kill -9 of clients", clients, given.clients),
        ("kill -9 of fleets", fleets, given.fleets),
        ("SIGSTOP, SIGCONT", stops, given.stops),
        ("full /dev/shm", full, 0),
        ("files of others", others, 0),
        ("clocks", clocks, 0),
    ]
    wrong = False
    try:
        for title, row, count in rows:
            begun = time.monotonic()
            try:
                found = row(runs, count)
            except Left as why:
                found = f"left out: {why}"
            except (Failed, subprocess.TimeoutExpired) as error:
                wrong, found = True, f"FAILED: {error}"
            runs.end_all()
            left = runs.left()
            wrong |= bool(left)
            took = time.monotonic() - begun
            print(f"{title:20} {found}; {len(left)} files left; {took:.0f} s", flush=True)
            for name in left:
                (SHM / name).unlink()
    finally:
        runs.end_all()
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
