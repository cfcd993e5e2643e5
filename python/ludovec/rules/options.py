"""The options of a class, read from its attribute ``options`` and the defaults of ``__init__``."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from .._shared.errors import config_error


def declared(game: type, id: str) -> list[dict[str, Any]]:
    """The options as in the spec of an environment.

    Raises:
        InvalidConfig: An option has no default, or its values are none of those allowed.
    """
    given = getattr(game, "options", {})
    if not isinstance(given, Mapping):
        raise config_error(f"{id}.options={given!r:.100}: a mapping from names to values is needed")
    parameters = inspect.signature(game).parameters
    for name, parameter in parameters.items():
        needed = parameter.default is parameter.empty and parameter.kind not in _MANY
        if name not in given and needed:
            raise config_error(
                f"{id}: __init__ needs {name}: options names its values, __init__ has its default"
            )
    return [_option(id, name, values, parameters) for name, values in given.items()]


_MANY = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _option(id: str, name: Any, values: Any, parameters: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(name, str) or not name.isidentifier():
        raise config_error(f"{id}.options: {name!r:.100} is no name")
    parameter = parameters.get(name)
    if parameter is None or parameter.default is parameter.empty:
        raise config_error(f"{id}.options: {name} needs a default, as in def __init__(self, {name}=...)")
    default = parameter.default
    option = {"name": name, "help": "", "default": default}
    if values is bool and isinstance(default, bool):
        return {**option, "type": "bool"}
    if isinstance(values, range) and values.step == 1 and default in values:
        return {**option, "default": int(default), "type": "int", "min": values.start, "max": values.stop - 1}
    if values is str and default is None:
        return {**option, "type": "text"}
    if isinstance(values, Sequence) and not isinstance(values, (str, range)):
        words = [*values]
        if default in words and all(isinstance(word, str) for word in words):
            return {**option, "type": "choice", "values": words}
    raise config_error(
        f"{id}.options: {name}={values!r:.100} with the default {default!r:.100}: a range that has the "
        f"default, bool with a bool, a list of words that has the default, or str with None is needed"
    )
