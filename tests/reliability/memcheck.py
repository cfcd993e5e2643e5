"""The Python extension under valgrind's memcheck: games, searches, a network, a fleet; then random calls.

    python tests/reliability/memcheck.py [--minutes 4]

An invalid access counts if a frame of the extension is in a stack of the error: where it happened, where the block was
allocated, or freed. An uninitialized value counts if the extension used it: memcheck reports CPython's small
integers as uninitialized everywhere. Needs valgrind and the package. Exits with 1 for an error, or if a program failed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import ludovec

PROGRAMS = Path(__file__).resolve().parents[2] / "python" / "tests"
EXTENSION = str(Path(ludovec.__file__).parent)


def of_the_extension(report: Path) -> list[str]:
    """The errors of the extension in a report, as texts."""
    found = []
    for error in ET.parse(report).iter("error"):
        kind = error.findtext("kind", "")
        # stress.py checks for leaks: memory that lives until exit is not a leak here.
        if kind.startswith("Leak"):
            continue
        # Memcheck's own `malloc`, `free` and `memcpy` represent their callers.
        happened = [
            frame
            for frame in error.iterfind("stack[1]/frame")
            if "vgpreload" not in frame.findtext("obj", "")
        ]
        judged = happened[:1] if kind.startswith("Uninit") else error.iter("frame")
        if any(frame.findtext("obj", "").startswith(EXTENSION) for frame in judged):
            calls = [frame.findtext("fn") or frame.findtext("ip", "") for frame in happened[:12]]
            found.append("\n    ".join([error.findtext("what", kind), *map(str, calls)]))
    return found


def watched(*program: str) -> bool:
    """Runs a Python program under memcheck; returns True if it succeeded without an error of the extension."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # Python's own allocator is off, because it hides accesses beyond the ends of its blocks.
        # Locks are fair, because one thread would starve the others.
        memcheck = ["--fair-sched=yes", "--xml=yes", f"--xml-file={report}"]
        done = subprocess.run(
            ["valgrind", "--quiet", *memcheck, sys.executable, *program],
            env={**os.environ, "PYTHONMALLOC": "malloc"},
            check=False,
        )
        errors = of_the_extension(report)
    for error in errors:
        print(error, file=sys.stderr)
    print(f"{Path(program[0]).name}: exit code {done.returncode}, {len(errors)} errors in the extension")
    return done.returncode == 0 and not errors


def main() -> int:
    """Runs both programs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=4, help="of random calls")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("make memcheck needs valgrind, for example: apt install valgrind", file=sys.stderr)
        return 1
    clean = watched(str(PROGRAMS / "smoke.py"))
    clean &= watched(str(PROGRAMS / "stress.py"), "--minutes", str(given.minutes))
    return int(not clean)


if __name__ == "__main__":
    sys.exit(main())
