"""The configuration of a training: fields by section, defaults by environment, TOML files.

This module does not need torch.
"""

# Every default is made by `_setting`, with a factory for lists.
# ruff: noqa: RUF009

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from .. import _core
from .._shared.errors import config_error
from ..game.openings import Openings, openings
from ..spec import Spec, list_envs
from ..spec import spec as spec_of

#: Packaged configuration files, one per environment.
PRESETS = Path(__file__).parent / "presets"


def _setting(section: str, default: Any, help: str, **more: Any) -> Any:
    """A field of the configuration.

    ``fixed``: a resumed run cannot change it. ``choices``, ``low`` and ``high``: the allowed values.
    """
    metadata = {"section": section, "help": help, **more}
    if isinstance(default, (list, dict)):
        return field(default_factory=default.copy, metadata=metadata)
    return field(default=default, metadata=metadata)


#: Fields of the sections of the configuration.
_run, _network, _self_play, _imitation, _learning, _evaluation, _card = (
    partial(_setting, section)
    for section in ("run", "network", "self_play", "imitation", "learning", "evaluation", "card")
)


@dataclass(frozen=True)
class Config:
    """Settings of a training: each is a key of a TOML file, and a flag of ``ludovec train``.

    Sections are tables of the file; the section ``run`` is its top level.
    """

    env: str = _run("", "environment", fixed=True)
    options: list[dict[str, Any]] = _run([{}], "options, a table for every kind of game", fixed=True)
    seed: int = _run(0, "seed of everything", low=0, high=2**63 - 1, fixed=True)
    updates: int = _run(10_000, "updates of the whole schedule", low=0)
    device: str = _run("auto", "cpu, cuda, cuda:N, or auto")
    precision: str = _run(
        "auto",
        "numbers of the network; auto: bfloat16 where the device computes with it",
        choices=("auto", "float32", "bfloat16"),
    )
    shards: int = _run(2, "groups of games that play at the same time", low=1, high=256, fixed=True)
    workers: int = _run(
        -1, "threads that play; 0: playing and learning take turns, -1: a thread per shard", low=-1
    )
    ray: str = _run(
        "", "address of a Ray cluster that plays; local starts one on this machine; empty: threads here"
    )
    ray_gpus: float = _run(
        0.0, "share of a GPU for each shard on a Ray cluster; 0: shards on processors", low=0, high=1
    )
    wandb: str = _run("", "project of Weights & Biases that gets the curves; empty: none")

    network: str = _network("residual", "architecture", choices=("residual", "graph"), fixed=True)
    board: str = _network("", "field with the board, for convolutions; empty: none", fixed=True)
    board_axis: int = _network(-2, "first axis of the board in a field", choices=(0, -2), fixed=True)
    one_hot: list[str] = _network([], "fields to encode one-hot as well", fixed=True)
    without: str = _network("", "fields to ignore, as a regular expression", fixed=True)
    channels: int = _network(128, "width", low=1, high=4096, fixed=True)
    blocks: int = _network(2, "residual blocks, or rounds of messages", low=0, high=100, fixed=True)
    stride: int = _network(
        1, "side of the patches of a board that the blocks are over", low=1, high=16, fixed=True
    )
    init: str = _network(
        "", "file of a network of this width and depth, on any options, to begin with; empty: new weights"
    )

    games: int = _self_play(256, "parallel games", low=1, fixed=True)
    moves: int = _self_play(8, "moves of every game between two versions of the network", low=1)
    simulations: int = _self_play(
        32, "simulations per move; 0: the policy plays alone and learns from its games by PPO", low=0
    )
    considered: int = _self_play(16, "maximum number of actions at the root", low=1)
    reward: str = _self_play(
        "outcome", "the quantity to win", choices=("outcome", "score", "margin"), fixed=True
    )
    scale: float = _self_play(1.0, "reward that is 1 to the network", low=1e-6, fixed=True)
    td_lambda: float = _self_play(0.95, "1: values from results only", low=0, high=1)
    starts: str = _self_play(
        "",
        "file of openings from which games begin, as for tournaments, drawn by weight; empty: none",
    )
    opening_plies: int = _self_play(0, "plies after which the games of that file are cut; 0: none", low=0)
    opening_nodes: str = _self_play(
        "end", "positions of that file that are starts", choices=("end", "leaves", "all")
    )
    inference: str = _self_play(
        "auto",
        "library of the network in self-play; int8 is the engine in 8 bits; auto is the engine on the CPU",
        choices=("auto", "torch", "engine", "int8"),
    )

    teachers: list[str] = _imitation([], "bots that play first; the first one is imitated")
    imitate: int = _imitation(0, "updates of imitation", low=0)
    astray: float = _imitation(0.05, "share of random moves in games of bots", low=0, high=1)

    buffer: int = _learning(150_000, "positions per replay buffer", low=1, fixed=True)
    warm_up: int = _learning(8_000, "positions before learning begins", low=1)
    reuse: float = _learning(4.0, "times that a position is learned", low=0.01)
    minibatch: int = _learning(512, "positions per update", low=1)
    learning_rate: float = _learning(1e-3, "learning rate at the beginning", low=0)
    final_rate: float = _learning(
        0.1, "share of the learning rate at the end of its linear decay", low=0, high=1
    )
    weight_decay: float = _learning(1e-4, "weight decay of AdamW", low=0)
    average: float = _learning(0.995, "decay of the averaged weights that play; 0: none", low=0, high=0.99999)
    symmetries: bool = _learning(True, "one symmetry of the rules per minibatch")

    bots: list[str] = _evaluation(["greedy"], "opponents")
    evaluate_every: int = _evaluation(2_000, "updates between evaluations", low=1)
    evaluation_games: int = _evaluation(40, "games against each bot", low=1)
    evaluation_simulations: list[int] = _evaluation([0, 16], "simulations per move; 0: policy alone", low=0)
    method: str = _evaluation("gumbel", "search of the finished network", choices=("gumbel", "puct"))
    c_init: float = _evaluation(1.25, "puct: weight of the policy relative to values", low=0)

    allowed: dict[str, Any] = _card({}, "further values of options that the network may play")

    @classmethod
    def preset(cls, env: str) -> Config:
        """The packaged configuration of an environment, or defaults from its spec."""
        if env not in list_envs():
            # The engine's message suggests a similar id.
            _core.spec_json(env, {})
        file = PRESETS / f"{env}.toml"
        if file.is_file():
            return cls.from_toml(file.read_text(encoding="utf-8"), file.name)
        bots = list(spec_of(env).bots)
        best = "greedy" if "greedy" in bots else next((bot for bot in bots if bot != "random"), "random")
        return cls(env=env, teachers=[best], imitate=1_000, bots=[best]).checked()

    @classmethod
    def read(cls, file: str | Path) -> Config:
        """A TOML file; settings that it lacks are from the preset of its environment."""
        try:
            return cls.from_toml(Path(file).read_text(encoding="utf-8"), str(file), over_preset=True)
        except OSError as error:
            raise config_error(f"{file}: {error.strerror}") from error
        except UnicodeDecodeError as error:
            raise config_error(f"{file}: {error}") from error

    @classmethod
    def from_toml(cls, text: str, name: str, over_preset: bool = False) -> Config:
        """Parses the text of a TOML file; ``name`` is for errors."""
        try:
            data = _toml().loads(text)
        except ValueError as error:
            raise config_error(f"{name}: {error}") from error
        found: dict[str, Any] = {}
        sections = {section(setting) for setting in fields(cls)} - {"run"}
        for key, value in data.items():
            if key in sections:
                if not isinstance(value, dict):
                    raise config_error(f"{name}: {key} is a table")
                for inner, setting in value.items():
                    found[_known(name, inner, key)] = setting
            else:
                found[_known(name, key, "run")] = value
        if not isinstance(found.get("env"), str):
            raise config_error(f"{name}: env is missing; one of {', '.join(list_envs())}")
        try:
            base = cls.preset(found["env"]) if over_preset else cls()
            return base.changed(**found)
        except _core.InvalidConfig as error:
            told = str(error).removeprefix("invalid configuration: ")
            raise config_error(f"{name}: {told}") from error

    def changed(self, **settings: Any) -> Config:
        """The configuration with other settings, checked.

        Other ``options`` keep the entries of ``allowed`` that have their values.
        """
        for name in settings:
            _known("settings", name)
        other = replace(self, **{name: _read(name, value) for name, value in settings.items()})
        if "options" in settings and "allowed" not in settings:
            missing = other.not_allowed()
            other = replace(other, allowed={k: v for k, v in other.allowed.items() if k not in missing})
        return other.checked()

    def checked(self) -> Config:
        """The same configuration.

        Raises:
            InvalidConfig: A setting is outside its range, or settings contradict each other.
        """
        for setting in fields(self):
            _check(setting, getattr(self, setting.name))
        if not self.options:
            raise config_error("options: at least one table is needed")
        specs = self.specs()
        for name in ("teachers", "bots"):
            # Networks, searches and servers are checked when they first play.
            for bot in getattr(self, name):
                if re.fullmatch(r"\w+", bot) and any(bot not in spec.bots for spec in specs):
                    raise config_error(
                        f'{name}: unknown bot "{bot}"; {self.env} has {", ".join(specs[0].bots)}'
                    )
        for name, value in self.not_allowed().items():
            raise config_error(f"allowed: {name} leaves out {value!r}, which an entry of options has")
        if self.imitate and not self.teachers:
            raise config_error("imitate: teachers are needed")
        if not self.starts and (self.opening_plies or self.opening_nodes != "end"):
            raise config_error("opening_plies, opening_nodes: starts must be a file")
        if self.games < self.shards * len(self.options):
            raise config_error(
                f"games={self.games}: {self.shards} shards of {len(self.options)} kinds of games need more"
            )
        if self.ray_gpus and not self.ray:
            raise config_error(f"ray_gpus={self.ray_gpus}: ray is needed, the address of a cluster")
        if self.ray_gpus and self.inference in ("engine", "int8"):
            raise config_error(
                f"inference={self.inference}: it computes on processors, and ray_gpus asks for GPUs"
            )
        if self.network == "graph" and self.board:
            raise config_error("network=graph: a board is for network=residual")
        if self.stride > 1 and not self.board:
            raise config_error(f"stride={self.stride}: a board is needed")
        return self

    def specs(self) -> list[Spec]:
        """The spec of every kind of game."""
        return [_spec(self.env, json.dumps({**options, "reward": self.reward})) for options in self.options]

    def not_allowed(self) -> dict[str, Any]:
        """The first value of each option that is trained and that ``allowed`` leaves out."""
        found: dict[str, Any] = {}
        for spec in self.specs():
            for name, value in spec.options.items():
                allowed = self.allowed.get(name, "any")
                if isinstance(allowed, dict) and isinstance(value, int):
                    is_in = allowed.get("min", value) <= value <= allowed.get("max", value)
                else:
                    is_in = not isinstance(allowed, list) or value in allowed
                if not is_in:
                    found.setdefault(name, value)
        return found

    def openings(self, kind: int) -> Openings | None:
        """The start positions of a kind of game; ``None`` for the start of the rules.

        Raises:
            InvalidConfig: The file cannot be read, or an entry is no opening of the game.
        """
        if not self.starts:
            return None
        plies = self.opening_plies or None
        nodes: Any = self.opening_nodes
        return openings(self.env, self.starts, plies=plies, nodes=nodes, **self.options[kind])

    def fixed(self) -> dict[str, Any]:
        """The settings that a resumed run cannot change."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.metadata.get("fixed")}

    def to_toml(self) -> str:
        """The whole configuration as a TOML file with comments."""
        by_section: dict[str, list[Field[Any]]] = {}
        for setting in fields(self):
            by_section.setdefault(section(setting), []).append(setting)
        lines = []
        for name, settings in by_section.items():
            if name != "run":
                lines += ["", f"[{name}]"]
            for setting in settings:
                told = f"{setting.name} = {_written(getattr(self, setting.name))}"
                lines.append(f"{told:<40} # {setting.metadata['help']}")
        return "\n".join(lines) + "\n"


def section(setting: Field[Any]) -> str:
    """The table of a setting in TOML files; ``run`` is the top level."""
    return str(setting.metadata["section"])


@cache
def settings() -> dict[str, Field[Any]]:
    """All settings by name."""
    return {setting.name: setting for setting in fields(Config)}


@cache
def _spec(env: str, options: str) -> Spec:
    return spec_of(env, **json.loads(options))


def _known(file: str, name: str, table: str | None = None) -> str:
    found = settings().get(name)
    if found is None or (table is not None and section(found) != table):
        names = [s.name for s in settings().values() if table is None or section(s) == table]
        there = "" if table in (None, "run") else f" in [{table}]"
        raise config_error(f"{file}: unknown setting {name!r}{there}; there are {', '.join(names)}")
    return name


def _read(name: str, value: Any) -> Any:
    """A setting in its own type: whole numbers are also floats, tuples also lists."""
    kind = _kind(settings()[name])
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is list and isinstance(value, (list, tuple)):
        return [dict(item) if isinstance(item, Mapping) else item for item in value]
    if name == "options" and isinstance(value, Mapping):
        return [dict(value)]
    return value


def _kind(setting: Field[Any]) -> type:
    factory: Any = setting.default_factory
    return type(getattr(Config, setting.name) if setting.name in _PLAIN else factory())


#: Settings with a default that is an attribute of the class; lists and tables have factories instead.
_PLAIN = {setting.name for setting in fields(Config) if hasattr(Config, setting.name)}
#: The types of the entries of lists.
_ENTRIES = {"options": dict, "evaluation_simulations": int}


def _check(setting: Field[Any], value: Any) -> None:
    name, kind = setting.name, _kind(setting)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise config_error(f"{name}={value!r:.100}: {_in_words(kind)} is needed")
    entries: Any = value if kind is list else [value]
    if kind is list:
        inner = _ENTRIES.get(name, str)
        for entry in entries:
            if not isinstance(entry, inner) or isinstance(entry, bool):
                raise config_error(f"{name}: {entry!r:.100} is not {_in_words(inner)}")
    choices = setting.metadata.get("choices")
    low, high = setting.metadata.get("low"), setting.metadata.get("high")
    for entry in entries:
        if choices is not None and entry not in choices:
            raise config_error(f"{name}={entry!r:.100}: one of {', '.join(map(str, choices))} is allowed")
        if low is not None and not low <= entry <= (float("inf") if high is None else high):
            upper = "or more" if high is None else f"to {high}"
            raise config_error(f"{name}={entry}: {low} {upper} is allowed")


def _in_words(kind: type) -> str:
    words = {str: "text", int: "an integer", float: "a number", bool: "true or false", dict: "a table"}
    return words.get(kind, "a list")


def _written(value: Any) -> str:
    """A value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, Mapping):
        pairs = [f"{key} = {_written(inner)}" for key, inner in value.items()]
        return "{ " + ", ".join(pairs) + " }" if pairs else "{}"
    if isinstance(value, str):
        # The escapes of JSON are escapes of TOML.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _toml() -> Any:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib
