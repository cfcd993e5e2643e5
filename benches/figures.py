"""Refreshes figures that take minutes: python benches/figures.py [engine] [search].

Runs a benchmark and writes its table between the marks of its page in `docs/figures/`, with machine, date and
commit at the top. `make figures` runs all of them; other scripts write by :func:`write`, too.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "figures"
SIZES = (256, 1024, 4096, 16384, 65536)


def write(page: Path, writer: str, text: str) -> None:
    """Replaces the part of a page between a writer's marks; writes a page without these marks whole."""
    begin, end = f"<!-- written by {writer} -->", f"<!-- end of {writer} -->"
    before = page.read_text(encoding="utf-8") if page.is_file() else ""
    if begin in before and end in before:
        first, last = before.index(begin) + len(begin), before.index(end)
        text = f"{before[:first]}\n\n{text.strip()}\n\n{before[last:]}"
    page.write_text(text.rstrip() + "\n", encoding="utf-8", newline="\n")


def dated(page: Path, section: str) -> None:
    """Writes machine, date and commit into the row of a section in the table at the top of a page."""
    when, commit = datetime.date.today(), git("rev-parse", "--short=8", "HEAD")
    row = f"| {section} | {machine()} | {when}, {commit} |"
    text = page.read_text(encoding="utf-8")
    new, found = re.subn(rf"(?m)^\| {re.escape(section)} \|.*\|$", lambda _: row, text, count=1)
    if not found:
        raise SystemExit(f"{page}: no row {section!r} at the top")
    page.write_text(new, encoding="utf-8", newline="\n")


def git(*arguments: str) -> str:
    """The output of a command of git, or "unknown"."""
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def machine() -> str:
    """The processor and the number of cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table of Markdown."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, *rows]]
    return "\n".join([lines[0], "|" + "---|" * len(head), *lines[1:]])


def throughput(printed: str) -> str:
    """The table of `cargo bench --bench throughput`: million decisions a second, and the ratio to C."""
    rows = []
    for line in printed.splitlines():
        cells = re.findall(r"([\d.]+) \(([\d.]+)\) +\d+%", line)
        if len(cells) == len(SIZES):
            rows.append([f"`{line.split()[0]}`", *(f"{rate} ({ratio})" for rate, ratio in cells)])
    return table(["environment", *map(str, SIZES)], rows)


def simulations(printed: str) -> str:
    """The table of `cargo bench --bench search`."""
    rows = []
    for line in printed.splitlines():
        cells = line.split()
        if len(cells) == 7 and cells[1].isdigit():
            env, _, rate, ratio, gain, _, size = cells
            rows.append([f"`{env}`", f"{int(rate):,}", ratio, f"{float(gain):.1f} times", f"{int(size):,}"])
    return table(["environment", "simulations/s", "by C", "two threads", "bytes a node"], rows)


def engine() -> None:
    """Decisions a second by the number of games."""
    sizes = ",".join(map(str, SIZES))
    printed = run("cargo", "bench", "--bench", "throughput", "--", "--obs", "u8", "--num-envs", sizes)
    write(PAGES / "engine.md", "cargo bench --bench throughput", throughput(printed))
    dated(PAGES / "engine.md", "decisions a second")


def search() -> None:
    """Simulations a second, and the memory of nodes."""
    write(
        PAGES / "search.md",
        "cargo bench --bench search",
        simulations(run("cargo", "bench", "--bench", "search")),
    )
    dated(PAGES / "search.md", "simulations a second")


def run(*command: str) -> str:
    """The output of a command in the checkout, which is shown, too."""
    print(" ".join(command), file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    print(done.stdout, file=sys.stderr)
    return done.stdout


PARTS = {"engine": engine, "search": search}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=list(PARTS), default=list(PARTS), metavar="PART")
    for part in parser.parse_args().parts:
        PARTS[part]()
