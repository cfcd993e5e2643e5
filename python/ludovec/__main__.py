"""The program ``ludovec``: ``python -m ludovec``, and the command that the package installs.

It is the program of the Rust crate ``ludovec-cli``: the same commands, output, exit codes and signals. The
command ``train`` is Python's.
"""

from __future__ import annotations

import signal
import sys

from . import _core


def main() -> int:
    """Runs the program with the arguments of this process; returns its exit code."""
    if sys.argv[1:2] == ["train"]:
        from .train.command import main as train

        return train(sys.argv[2:])
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # Python's handler would run only after the call into the program. Ctrl-C ends the process instead,
        # unless the command handles it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.program(["ludovec", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
