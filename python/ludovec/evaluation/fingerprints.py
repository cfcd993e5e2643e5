"""Fingerprints of players written in Python: hashes of their code and of the values that it refers to."""

from __future__ import annotations

import functools
import hashlib
import pickle
import sys
import types
from typing import Any

import numpy as np

#: Maximum nesting of objects.
_DEPTH = 12


def fingerprint(value: Any) -> str:
    """A hash of a function or an object, equal in all processes with equal code and values.

    It covers the code of functions and of a class's methods, defaults, closures, used globals, attributes,
    arrays and weights. Objects of installed libraries contribute only their names.
    """
    digest = hashlib.sha256()
    _add(digest, value, {}, 0)
    return digest.hexdigest()


def _add(digest: Any, value: Any, seen: dict[int, Any], depth: int) -> None:
    def tell(*parts: Any) -> None:
        for part in parts:
            text = part if isinstance(part, bytes) else str(part).encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(text) + text)

    def more(*parts: Any) -> None:
        for part in parts:
            _add(digest, part, seen, depth + 1)

    kind = type(value)
    tell(kind.__qualname__)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return tell(value if kind is bytes else repr(value))
    if id(value) in seen or depth > _DEPTH:
        return tell("again")
    # Equal values of these types may or may not be one object, so they are not tracked. Seen objects stay
    # alive, so that no other object gets the same id.
    if not isinstance(value, (tuple, frozenset, np.generic)):
        seen[id(value)] = value
    if isinstance(value, types.CodeType):
        names = value.co_names, value.co_varnames, value.co_freevars
        tell(value.co_code, repr(names))
        return more(*value.co_consts)
    if isinstance(value, types.FunctionType):
        if _of_library(value.__module__):
            return tell(value.__module__, value.__qualname__)
        cells = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        more(value.__code__, value.__defaults__, value.__kwdefaults__, *cells)
        used = sorted(_names(value.__code__) & value.__globals__.keys())
        for name in used:
            tell(name)
            more(value.__globals__[name])
        return None
    if isinstance(value, types.MethodType):
        return more(value.__func__, value.__self__)
    if isinstance(value, functools.partial):
        return more(value.func, value.args, value.keywords)
    if isinstance(value, types.ModuleType):
        return tell(value.__name__)
    if isinstance(value, type):
        tell(value.__module__, value.__qualname__)
        if not _of_library(value.__module__):
            for name, member in sorted(vars(value).items()):
                if isinstance(member, (staticmethod, classmethod)):
                    member = member.__func__
                if isinstance(member, (types.FunctionType, type, property)) or not name.startswith("__"):
                    tell(name)
                    more(member)
            more(*value.__bases__)
        return None
    if isinstance(value, property):
        return more(value.fget)
    if isinstance(value, dict):
        for key, entry in sorted(value.items(), key=lambda item: repr(item[0])):
            more(key, entry)
        return None
    if isinstance(value, (set, frozenset)):
        return tell(*sorted(fingerprint(entry) for entry in value))
    if isinstance(value, (list, tuple)):
        return more(*value)
    if isinstance(value, (np.ndarray, np.generic)):
        tell(value.dtype.str, value.shape)
        return tell(np.ascontiguousarray(value).tobytes()) if value.dtype != object else more(*value.ravel())
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        # A tensor; NumPy has no bfloat16.
        tensor = value.detach().cpu()
        tell(tensor.dtype, tuple(tensor.shape))
        return more(tensor.float().numpy() if tensor.is_floating_point() else tensor.numpy())
    if hasattr(value, "state_dict"):
        more(kind)
        return more(dict(value.state_dict()))
    more(kind)
    state = getattr(value, "__dict__", None)
    if state is not None:
        return more(state)
    try:
        tell(pickle.dumps(value))
    except Exception:
        tell("of no content")
    return None


def _names(code: types.CodeType) -> set[str]:
    """The global names used by code and by its inner functions."""
    inner = [const for const in code.co_consts if isinstance(const, types.CodeType)]
    return set(code.co_names).union(*(_names(part) for part in inner))


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _of_library(module: str | None) -> bool:
    """Whether a module belongs to an installed library, judged by its name and location."""
    name = (module or "").partition(".")[0]
    if name in ("__main__", "__mp_main__", ""):
        return False
    if name in sys.builtin_module_names or name in sys.stdlib_module_names:
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file
