"""The Python extension under valgrind's memcheck: games, searches, a network, a fleet; then random calls.

    python tests/reliability/memcheck.py [--minutes 4]

Memory that nobody may read or write counts if a frame of the extension is on a stack of the error: where it
happened, where the block was allocated, or freed. Values that nobody has written count if the extension used
them: CPython's small integers look like such values to memcheck, wherever they go. Needs valgrind and the
package. Exit code 1 for an error, or for a program that failed.
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
    """The errors of the extension in a report, a text each."""
    found = []
    for error in ET.parse(report).iter("error"):
        kind = error.findtext("kind", "")
        # stress.py looks for leaks: what lives until the end of the process is none.
        if kind.startswith("Leak"):
            continue
        # Memcheck's own `malloc`, `free`, `memcpy` stand for their callers.
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
    """Runs a Python program under memcheck: whether it succeeded, without an error of the extension."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # Python's own allocator is off, because it would hide what is beyond the ends of its blocks.
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
