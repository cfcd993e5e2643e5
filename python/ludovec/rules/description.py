"""The description of a game by its class, in the form that the engine takes."""

from __future__ import annotations

import ctypes
import difflib
import json
import math
import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .._core import RulesError
from .._shared.errors import config_error, shown

#: Most bytes of a state.
LARGEST_STATE = 16 * 1024 - 64

#: Methods that every class has, and methods that it may have.
NEEDED = ("init", "current_player", "legal", "step", "observe", "returns")
OPTIONAL = ("scores", "estimate", "determinize", "validate", "action_to_string", "to_text", "to_svg")
#: All members of classes.
MEMBERS = (
    *NEEDED,
    *OPTIONAL,
    *("players", "actions", "state", "observation", "highest", "options", "bots", "champion", "score"),
    *("id", "name", "version", "summary", "max_episode_steps", "reward_range", "payoff"),
    *("hidden_actions", "hidden_scores", "simultaneous"),
)
#: Methods that stay in Python: their answers are texts.
_TEXTS = ("action_to_string", "to_text", "to_svg")

#: Compiled functions that environments call, which must not be freed before the program ends.
_kept: list[Any] = []

#: The base class of C functions in ctypes.
_POINTERS: Any = ctypes.CFUNCTYPE(None).__mro__[1]


def methods_of(game: Any, id: str) -> dict[str, Any]:
    """The methods of a class or of its instance by name.

    Raises:
        InvalidConfig: A method is missing.
    """
    methods: dict[str, Any] = {}
    for name in (*NEEDED, *OPTIONAL):
        method = getattr(game, name, None)
        if method is None and name in NEEDED:
            raise config_error(f"{id}: the method {name} is missing")
        if method is not None:
            methods[name] = method
    return methods


def is_compiled(method: Any) -> bool:
    """Whether a method runs without the interpreter."""
    return _is_dispatcher(method) or address_of(method) is not None


def _is_dispatcher(method: Any) -> bool:
    """Whether a method is a function that ``numba.njit`` compiles."""
    function = method.__func__ if isinstance(method, types.MethodType) else method
    return type(function).__module__.startswith("numba.") and hasattr(function, "py_func")


def address_of(method: Any) -> int | None:
    """The address of a C function: of ctypes, of ``numba.cfunc``, or a number."""
    if isinstance(method, bool):
        return None
    if isinstance(method, int):
        return method
    if type(method).__module__.startswith("numba.") and isinstance(getattr(method, "address", None), int):
        return int(method.address)
    if isinstance(method, _POINTERS):
        return ctypes.cast(method, ctypes.c_void_p).value
    return None


class Description(dict[str, Any]):
    """The game under some options."""

    @classmethod
    def of(cls, game: Callable[..., Any], id: str, summary: str, **options: Any) -> Description:
        """The description of ``game(**options)``.

        Raises:
            RulesError: A member makes no sense.
        """
        rules = game(**options)
        _refuse_slips(id, rules)
        players = _whole(id, rules, "players", 1, 8)
        actions = _actions(id, rules)
        count = sum(number for _, number, _ in actions)
        fields, shape = _observation(id, rules)
        state = _state(id, rules)
        hidden = getattr(rules, "determinize", None) is not None
        bots = _bots(id, rules)
        spec = {
            "version": _whole(id, rules, "version", 1, 2**31, 1),
            "players": players,
            "actions": [_named(("name", "count", "meaning"), action) for action in actions],
            "observation": [_named(("name", "shape", "high", "meaning"), field) for field in fields],
            "observation_shape": shape,
            "score": _text(
                id, rules, "score", "scores if the game keeps them, otherwise the returns at the end"
            ),
            **_pay(id, rules),
            "max_episode_steps": _whole(id, rules, "max_episode_steps", 1, 2**31, 10_000),
            "hidden_information": hidden,
            "simultaneous": _simultaneous(id, rules, [name for name, *_ in fields], hidden),
            "hides_actions": bool(getattr(rules, "hidden_actions", False)),
            "hides_scores": bool(getattr(rules, "hidden_scores", False)),
            "state": [_column(state, name) for name in state.names or ()],
            "state_bytes": state.itemsize,
            "bots": [{"name": name, "help": help} for name, help, _ in bots],
        }
        elements = sum(math.prod(shape) for _, shape, _, _ in fields)
        methods = {
            name: _method(id, name, method, state, players, count, elements)
            for name, method in methods_of(rules, id).items()
        }
        return cls(
            summary=summary,
            spec=json.dumps(spec),
            make_state=partial(np.zeros, 1, state),
            as_bytes=_as_bytes,
            methods=methods,
            bots=[act for _, _, act in bots],
        )


def _named(names: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    return dict(zip(names, values, strict=True))


def _wrong(id: str, what: str) -> RulesError:
    return RulesError(f"{id}.{shown(what)}")


def _refuse_slips(id: str, rules: Any) -> None:
    """Refuses members that are almost spelled like one of a game: a missing one, or one with a long name."""
    own = {name for kind in type(rules).__mro__[:-1] for name in vars(kind)}
    own |= {*getattr(rules, "__dict__", ())}
    candidates = [name for name in MEMBERS if name not in own or len(name) >= 10]
    for name in sorted(own.difference(MEMBERS)):
        meant = difflib.get_close_matches(name, candidates, n=1, cutoff=0.88)
        if meant and not name.startswith("_"):
            raise _wrong(
                id,
                f"{name}: games have no such member (did you mean {meant[0]}?); your own begin with _",
            )


def _whole(id: str, rules: Any, name: str, least: int, most: int, default: int | None = None) -> int:
    value = getattr(rules, name, default)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not least <= value <= most:
        raise _wrong(id, f"{name}={value!r:.100}: an integer from {least} to {most} is needed")
    return int(value)


def _text(id: str, rules: Any, name: str, default: str) -> str:
    value = getattr(rules, name, default)
    if not isinstance(value, str):
        raise _wrong(id, f"{name}={value!r:.100}: a text is needed")
    return value


def _simultaneous(id: str, rules: Any, fields: list[str], hidden: bool) -> str:
    value = _text(id, rules, "simultaneous", "")
    if value and value not in fields:
        raise _wrong(
            id, f"simultaneous={value!r:.100}: a field of the observation is needed: {', '.join(fields)}"
        )
    if value and not hidden:
        raise _wrong(id, "determinize: a game with simultaneous decisions redraws those that are sealed")
    return value


def _range(id: str, rules: Any) -> tuple[float, float]:
    value = getattr(rules, "reward_range", (-1.0, 1.0))
    try:
        least, most = map(float, value)
    except (TypeError, ValueError):
        least = most = math.nan
    if not (math.isfinite(least) and math.isfinite(most) and least <= most):
        raise _wrong(id, f"reward_range={value!r:.100}: the smallest and the largest number are needed")
    return least, most


def _pay(id: str, rules: Any) -> dict[str, Any]:
    """The payoff, and the smallest and the largest change of a score."""
    low, high = _range(id, rules)
    value = getattr(rules, "payoff", "ranks")
    if value not in ("ranks", "common", "general"):
        raise _wrong(id, f"payoff={value!r:.100}: ranks, common or general is allowed")
    if value == "ranks":
        return {"score_change": (low, high)}
    # The range is that of scores, which can fall as well as rise.
    change = (min(low, low - high), max(high, high - low))
    return {"payoff": {"type": value, "low": low, "high": high}, "score_change": change}


def _actions(id: str, rules: Any) -> list[tuple[str, int, str]]:
    """The families of actions: of one number, they are one family."""
    value = getattr(rules, "actions", None)
    families: Mapping[Any, Any] = value if isinstance(value, Mapping) else {"action": value}
    for name, number in families.items():
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not isinstance(name, str) or not whole or not 1 <= number < 2**31:
            raise _wrong(id, f'actions={value!r:.100}: a number of actions, or {{"name": number}}, is needed')
    if not families or sum(map(int, families.values())) >= 2**31:
        raise _wrong(id, f"actions={value!r:.100}: 1 to {2**31 - 1} actions are allowed")
    return [(name, int(number), f"{name} i" if number > 1 else name) for name, number in families.items()]


_Field = tuple[str, tuple[int, ...], int, str]


def _observation(id: str, rules: Any) -> tuple[list[_Field], tuple[int, ...]]:
    """The fields of the observation and its shape."""
    value = getattr(rules, "observation", None)
    if isinstance(value, Mapping) and value:
        fields = []
        for name, given in value.items():
            if not isinstance(given, tuple) or len(given) != 2:
                raise _wrong(
                    id, f"observation: {name!r:.100}: {given!r:.100}: (shape, highest value) is needed"
                )
            shape, high = given
            fields.append((str(name), _shape(id, shape), _high(id, name, high), str(name)))
        return fields, (sum(math.prod(shape) for _, shape, _, _ in fields),)
    shape = _shape(id, value)
    return [
        ("observation", shape, _high(id, "observation", getattr(rules, "highest", 255)), "element")
    ], shape


def _shape(id: str, value: Any) -> tuple[int, ...]:
    shape = (value,) if isinstance(value, (int, np.integer)) else value
    if not isinstance(shape, Sequence) or isinstance(shape, str):
        raise _wrong(
            id, f'observation={value!r:.100}: a shape, or {{"name": (shape, highest value)}}, is needed'
        )
    sizes = [size for size in shape if isinstance(size, (int, np.integer)) and not isinstance(size, bool)]
    if len(sizes) != len(shape) or not all(size >= 1 for size in sizes) or math.prod(map(int, sizes)) > 2**24:
        raise _wrong(
            id, f"observation={value!r:.100}: sizes from 1 on are needed, with a product up to {2**24}"
        )
    return tuple(map(int, sizes))


def _high(id: str, name: Any, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not 1 <= value <= 255:
        raise _wrong(
            id, f"observation: {name!r:.100} has the highest value {value!r:.100}, 1 to 255 are allowed"
        )
    return int(value)


#: Types of fields.
_TYPES = {
    "bool",
    *(f"{kind}{size}" for kind in ("int", "uint") for size in (8, 16, 32, 64)),
    "float32",
    "float64",
}


def _state(id: str, rules: Any) -> np.dtype[Any]:
    """The type of states, with aligned fields."""
    value = getattr(rules, "state", None)
    try:
        given = np.dtype(value)
    except TypeError as error:
        raise _wrong(id, f"state={value!r:.200}: the fields of a NumPy dtype are needed: {error}") from None
    if value is None or not given.names or given.fields is None:
        raise _wrong(id, f'state={value!r:.200}: fields are needed, as in [("board", np.int8, 9)]')
    fields = []
    for name in given.names:
        field = given.fields[name][0]
        base, shape = field.subdtype or (field, ())
        if base.name not in _TYPES or not base.isnative or name.startswith("_"):
            types = ", ".join(sorted(_TYPES))
            raise _wrong(
                id,
                f"state: the field {name!r:.100} of {base}: a name without _ at its start, one of {types}",
            )
        fields.append((name, base, shape))
    state = np.dtype(fields, align=True)
    if state.itemsize > LARGEST_STATE:
        raise _wrong(id, f"state: {state.itemsize} bytes, at most {LARGEST_STATE} are allowed")
    return state


def _column(state: np.dtype[Any], name: str) -> dict[str, Any]:
    """A field of the state."""
    assert state.fields is not None
    field, offset = state.fields[name][:2]
    base, shape = field.subdtype or (field, ())
    return {"name": name, "offset": offset, "dtype": base.name, "shape": shape}


def _as_bytes(value: Any) -> npt.NDArray[np.uint8]:
    """An observation of another type than bytes or bools."""
    array = np.asarray(value)
    if array.dtype.kind not in "iub":
        raise TypeError(f"an array of {array.dtype} is returned, integers from 0 to 255 or bools are needed")
    if array.size and (array.min() < 0 or array.max() > 255):
        raise ValueError(f"{array.min()} to {array.max()} are returned, integers from 0 to 255 are needed")
    return np.ascontiguousarray(array, np.uint8)


def _bots(id: str, rules: Any) -> list[tuple[str, str, Any]]:
    """Name, description and function of each bot."""
    bots = getattr(rules, "bots", {})
    if not isinstance(bots, Mapping):
        raise _wrong(id, f'bots={bots!r:.100}: {{"name": "method"}} is needed')
    found = []
    for name, method in bots.items():
        act = getattr(rules, method, None) if isinstance(method, str) else method
        if not isinstance(name, str) or not name.replace("_", "").isalnum() or not callable(act):
            raise _wrong(
                id,
                f"bots: {name!r:.100}: {method!r:.100}: a name and the name of a method are needed",
            )
        found.append((name, " ".join((act.__doc__ or "").split()).rstrip("."), act))
    return found


def _method(
    id: str, name: str, method: Any, state: np.dtype[Any], players: int, actions: int, elements: int
) -> Any:
    """A function of Python, or the address of a C function."""
    if _is_dispatcher(method):
        if isinstance(method, types.MethodType):
            raise _wrong(id, f"{name}: functions of Numba have no self: put @staticmethod above @numba.njit")
        if name in _TEXTS:
            return method.py_func
        from .compiled import compiled

        method = compiled(id, name, method, state, players, actions, elements)
    address = address_of(method)
    if address is None:
        if not callable(method):
            raise _wrong(id, f"{name}={method!r:.100}: a method is needed")
        return method
    if address == 0 or name in _TEXTS:
        raise _wrong(id, f"{name}: a function of Python is needed")
    _kept.append(method)
    return address
