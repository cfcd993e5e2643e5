"""Optional dependencies: imported when they are needed, with an error that says how to get them."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def require(module: str, extra: str) -> ModuleType:
    """The module, or an ImportError that names the extra which brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportError(f"{module} is needed here: pip install 'ludovec[{extra}]'") from error
