"""The command ``ludovec train``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import Field
from pathlib import Path
from typing import Any, NoReturn

from .._core import InvalidConfig, LudovecError
from .configuration import Config, section, settings
from .interrupts import Interrupts

#: Exit codes of the program: the subject is wrong, the call is wrong.
_WRONG, _USAGE = 1, 2
#: Settings that are no flags: the environment is an argument, and tables are for files.
_NO_FLAGS = ("env", "options", "allowed")
_TITLES = {
    "run": "run",
    "network": "network",
    "self_play": "self-play",
    "imitation": "imitation",
    "learning": "learning",
    "evaluation": "evaluation",
}
_EXAMPLES = """Examples:
  ludovec train smallworld
  ludovec train chess --cpu-minutes 60 --out trained/chess
  ludovec train chess --out trained/chess --resume
  ludovec train tilewe --set players=2 --print-config > mine.toml
  ludovec train tilewe --config mine.toml --device cuda"""


class _Parser(argparse.ArgumentParser):
    """Errors are one line, as in the other commands."""

    def error(self, message: str) -> NoReturn:
        self.exit(_USAGE, f"ludovec: {message}; see --help\n")


def parser() -> argparse.ArgumentParser:
    """The parser of the command."""
    root = _Parser(
        prog="ludovec train",
        description="Trains a network for an environment by imitation of bots and by self-play.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    root.add_argument(
        "env", nargs="?", metavar="ENV", help="environment; a file or a resumed run may name it"
    )
    root.add_argument(
        "--config", type=Path, metavar="FILE", help="settings as TOML, over those of the preset"
    )
    root.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="an option of the environment; repeatable",
    )
    root.add_argument("--out", type=Path, metavar="DIR", help="folder of the run [trained/ENV]")
    root.add_argument("--resume", action="store_true", help="continue the run in the folder")
    root.add_argument(
        "--minutes", type=_positive, help="end after this time, earlier parts of the run included"
    )
    root.add_argument("--cpu-minutes", type=_positive, help="end after this processor time of all threads")
    root.add_argument("--print-config", action="store_true", help="print the configuration and end")
    groups = {name: root.add_argument_group(title) for name, title in _TITLES.items()}
    for name, setting in settings().items():
        if name not in _NO_FLAGS:
            _add_flag(groups[section(setting)], name, setting)
    return root


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns its exit code."""
    interrupts = Interrupts()
    with interrupts.handled():
        try:
            return _run(parser().parse_args(arguments), interrupts)
        except (ImportError, OSError, LudovecError) as error:
            told = str(error).removeprefix("invalid configuration: ")
            if isinstance(error, ImportError):
                needed = "wandb" if error.name == "wandb" else "torch"
                told = f"train needs {error.name or 'torch'}: pip install 'ludovec[{needed}]'"
            print(f"ludovec: {told}", file=sys.stderr)
            return _USAGE if isinstance(error, InvalidConfig) else _WRONG
        except KeyboardInterrupt:
            return interrupts.exit_code


def _run(args: argparse.Namespace, interrupts: Interrupts) -> int:
    config, out, is_of_preset = _configuration(args)
    if args.print_config:
        print(config.to_toml(), end="")
        return 0
    from . import Budget, Training
    from .progress import tell

    training = Training(config, out, resume=args.resume)
    print(config.to_toml())
    weights = sum(part.numel() for part in training.learner.network.parameters())
    tell(f"{config.env} in {out}: {weights:,} weights on {training.device} in {str(training.dtype)[6:]}")
    try:
        budget = Budget(args.minutes, args.cpu_minutes, fits=is_of_preset)
        is_done = training.run(budget, interrupts)
    except InvalidConfig as error:
        _leave(training, _USAGE, f"ludovec: {str(error).removeprefix('invalid configuration: ')}")
        raise
    file = training.folder.network("best")
    # Without an evaluation there is no best network yet.
    file = file if file.exists() else training.folder.network("last")
    try:
        tell(f"the network plays as net:{file}")
    except OSError:
        # After a hangup there is no terminal, and Python's end would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if not is_done:
        _leave(training, interrupts.exit_code)
    training.close()
    return 0 if is_done else interrupts.exit_code


def _leave(training: Any, code: int, told: str = "") -> None:
    """Ends the process at once if calls still run: Python's own end would abort threads inside of torch."""
    if training.team.is_busy():
        if told:
            print(told, file=sys.stderr)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _configuration(args: argparse.Namespace) -> tuple[Config, Path, bool]:
    """The configuration: of the run that is resumed, the file, or the preset, under the flags.

    The last result is whether its schedule is the preset's.
    """
    if args.env is None and args.config is None and args.out is None:
        raise InvalidConfig("ENV is missing; see --help")
    flags = {name: getattr(args, name) for name in settings() if getattr(args, name, None) is not None}
    flags.pop("env", None)
    out = args.out
    if args.resume:
        if out is None:
            out = Path("trained") / (args.env or Config.read(str(args.config)).env)
        if not (out / "checkpoint.safetensors").is_file() or not (out / "config.toml").is_file():
            raise InvalidConfig(f"--resume: there is no {out / 'checkpoint.safetensors'}")
        config = Config.read(args.config or out / "config.toml")
    elif args.config is not None:
        config = Config.read(args.config)
    elif args.env is not None:
        config = Config.preset(args.env)
    else:
        raise InvalidConfig("ENV is missing; see --help")
    if args.env is not None and args.env != config.env:
        raise InvalidConfig(f"{args.env}: the configuration is for {config.env}")
    if args.set:
        flags["options"] = [_options(args.set)]
    is_of_preset = args.config is None and not {"updates", "imitate"} & set(flags)
    return config.changed(**flags), out or Path("trained") / config.env, is_of_preset


def _options(pairs: Sequence[str]) -> dict[str, Any]:
    options = {}
    for text in pairs:
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise InvalidConfig(f"--set {text}: KEY=VALUE is needed")
        options[key] = int(value) if value.isdecimal() and len(value) < 19 else value
    return options


def _add_flag(group: Any, name: str, setting: Field[Any]) -> None:
    flag, help = f"--{name.replace('_', '-')}", setting.metadata["help"]
    kind = str(setting.type)
    if kind == "bool":
        group.add_argument(flag, default=None, action=argparse.BooleanOptionalAction, help=help)
    elif kind.startswith("list"):
        entry = int if "int" in kind else str
        group.add_argument(flag, nargs="*", type=entry, help=help, metavar="N" if entry is int else "TEXT")
    else:
        read = {"int": _whole, "float": float, "str": str}[kind]
        choices = setting.metadata.get("choices")
        group.add_argument(flag, type=read, choices=choices, help=help, metavar=None if choices else "X")


def _whole(text: str) -> int:
    return int(text)


def _positive(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError
    return number


_whole.__name__, _positive.__name__ = "integer", "number"
