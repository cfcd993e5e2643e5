"""Adapters for other libraries, public as ``ludovec.gym``, ``ludovec.sb3`` and so on."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

#: The public modules, with the libraries that each needs.
LIBRARIES = {
    "dm": "dm_env",
    "envpool": "",
    "gym": "gymnasium",
    "jax": "jax",
    "lightzero": "ding",
    "openspiel": "pyspiel",
    "pettingzoo": "pettingzoo",
    "pufferlib": "pufferlib",
    "rllib": "ray tree",
    "sb3": "stable_baselines3",
    "tianshou": "tianshou",
    "torchrl": "torchrl",
}


class PublicNames:
    """Finder and loader of the import system: ``import ludovec.sb3`` is this folder's module ``sb3``."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        package, _, module = name.rpartition(".")
        found = package == "ludovec" and module in LIBRARIES
        return ModuleSpec(name, PublicNames) if found else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: ModuleSpec) -> None:
        """The default module; :meth:`exec_module` replaces it."""

    @staticmethod
    def exec_module(module: ModuleType) -> None:
        name = module.__name__.rpartition(".")[2]
        sys.modules[module.__name__] = import_module(f".{name}", __name__)


# The last finder: it is asked for modules that are no files.
sys.meta_path.append(PublicNames)
