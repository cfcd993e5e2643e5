"""The program ``ludovec``: ``python -m ludovec``, and the command that the package installs.

It is the program of the Rust crate ``ludovec-cli``: the same commands, output, exit codes and signals. The
command ``train`` is Python's. Before the command, ``--load PATH`` loads games as :func:`ludovec.load` does.
"""

from __future__ import annotations

import signal
import sys

from . import _core
from ._core import LudovecError
from .rules import registration


def main() -> int:
    """Runs the program with the arguments of this process; returns its exit code."""
    interrupts = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interrupts:
        # Python's handler would run only after the call into the program. Ctrl-C ends the process instead,
        # unless the command handles it.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    arguments = sys.argv[1:]
    try:
        while arguments[:1] == ["--load"] or (arguments[:1] and arguments[0].startswith("--load=")):
            first = arguments.pop(0)
            word = first.partition("=")[2] if "=" in first else arguments.pop(0) if arguments else ""
            if not word:
                print("error: --load needs a Python file, a module or a compiled library", file=sys.stderr)
                return 2
            registration.load(word)
        if arguments[:1] != ["train"]:
            registration.search_all()
    except LudovecError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if arguments[:1] == ["train"]:
        if interrupts:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        from .train.command import main as train

        return train(arguments[1:])
    return _core.program(["ludovec", *arguments], _write_data)


def _write_data(order: str) -> str:
    """Plays games and writes their decisions, for ``ludovec selfplay --out``."""
    # Python's handler again: Ctrl-C completes the last shard.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        from .data._write import write_ordered
    except ImportError as error:
        raise _core.LudovecError(str(error)) from error
    return write_ordered(order)


if __name__ == "__main__":
    sys.exit(main())
