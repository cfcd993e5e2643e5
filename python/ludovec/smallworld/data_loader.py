"""Races and powers as data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, fields
from functools import cache
from os import PathLike
from typing import Any, TypeVar

from .. import _core
from .._shared import checks
from .._shared.errors import config_error
from .enums import PowerName, RaceName

_Config = TypeVar("_Config", "RaceConfig", "PowerConfig")
_Key = TypeVar("_Key", RaceName, PowerName)

CONSTANTS: dict[str, Any] = json.loads(_core.smallworld_constants())
"""The engine's constants."""


@dataclass(frozen=True)
class RaceConfig:
    """A race."""

    name: RaceName
    base_tokens: int
    """Tokens of the race badge."""
    persists_in_decline: bool | str
    """True or False; ``"markers"`` if only its pieces on the map remain."""
    max_tokens: int = 0
    """Most tokens in play."""
    rules: str = ""
    """Its ability, in Markdown."""
    tags: tuple[str, ...] = ()
    """Topics of the ability."""


@dataclass(frozen=True)
class PowerConfig:
    """A power."""

    name: PowerName
    bonus_tokens: int
    """Tokens of the power badge."""
    persists_in_decline: bool | str
    """True or False; ``"markers"`` if only its pieces on the map remain."""
    rules: str = ""
    """Its ability, in Markdown."""
    tags: tuple[str, ...] = ()
    """Topics of the ability."""


def load_races(path: str | PathLike[str] | None = None) -> dict[RaceName, RaceConfig]:
    """The races of a JSON file, by default the shipped ones.

    Raises:
        InvalidConfig: The file is not a list of races; the message names the first wrong entry.
    """
    return _configs(RaceConfig, RaceName, _entries(path, "races"))


def load_powers(path: str | PathLike[str] | None = None) -> dict[PowerName, PowerConfig]:
    """The powers of a JSON file, by default the shipped ones.

    Raises:
        InvalidConfig: The file is not a list of powers; the message names the first wrong entry.
    """
    return _configs(PowerConfig, PowerName, _entries(path, "powers"))


@cache
def get_all_races() -> dict[RaceName, RaceConfig]:
    """The shipped races."""
    return load_races()


@cache
def get_all_powers() -> dict[PowerName, PowerConfig]:
    """The shipped powers."""
    return load_powers()


def get_race_config(name: RaceName | str) -> RaceConfig:
    """A shipped race."""
    return get_all_races()[_named(RaceName, name)]


def get_power_config(name: PowerName | str) -> PowerConfig:
    """A shipped power."""
    return get_all_powers()[_named(PowerName, name)]


def _named(kind: Callable[[Any], _Key], name: object) -> _Key:
    try:
        return kind(name)
    except ValueError:
        known = ", ".join(get_all_races() if kind is RaceName else get_all_powers())
        raise config_error(f"name={name!r:.100}: one of {known} is allowed") from None


def _entries(path: str | PathLike[str] | None, what: str) -> Iterable[Any]:
    if path is None:
        shipped: list[Any] = CONSTANTS[what]
        return shipped
    file = checks.path("path", path)
    try:
        with open(file, encoding="utf-8") as opened:
            entries = json.load(opened)
    except (OSError, ValueError) as error:
        raise config_error(f"path={file!r}: {error}") from None
    if not isinstance(entries, list):
        raise config_error(f"path={file!r}: a list of {what} is needed")
    return entries


def _configs(
    config: Callable[..., _Config], kind: Callable[[Any], _Key], entries: Iterable[Any]
) -> dict[_Key, _Config]:
    names = {field.name: field.default is MISSING for field in fields(config)}  # type: ignore[arg-type]
    required = {name for name, needed in names.items() if needed}
    configs = {}
    for i, entry in enumerate(entries):
        if not isinstance(entry, dict) or not required <= set(entry):
            raise config_error(f"entry {i}: an object with {', '.join(sorted(required))} is needed")
        values = {name: value for name, value in entry.items() if name in names}
        values["name"] = _named(kind, values["name"])
        if "tags" in values:
            values["tags"] = tuple(values["tags"])
        configs[values["name"]] = config(**values)
    return configs
