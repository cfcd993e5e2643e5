"""The program ``ludovec``: ``python -m ludovec``, and the command that the package installs.

It is the program of the Rust crate ``ludovec-cli``: the same commands, output, exit codes and signals.
"""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> int:
    """Runs the program with the arguments of this process; returns its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python's handler would run only after the call into the program. Ctrl-C ends the process instead,
        # unless the command handles it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.program(["ludovec", *sys.argv[1:]], _write_data)


def _write_data(order: str) -> str:
    """Plays and writes what ``ludovec selfplay --out`` orders."""
    # Python's handler again: Ctrl-C completes the last shard.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        from .data._write import write_ordered
    except ImportError as error:
        raise _core.LudovecError(str(error)) from error
    return write_ordered(order)


if __name__ == "__main__":
    sys.exit(main())
