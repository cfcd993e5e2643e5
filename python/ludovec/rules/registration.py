"""Registration of classes and libraries as environments."""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import json
import os
import re
import sys
import warnings
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .. import _core
from .._shared import checks
from .._shared.errors import config_error
from .description import Description, is_compiled, methods_of
from .options import declared

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

#: The group of entry points by which packages offer games: the name is the environment's id.
GROUP = "ludovec.games"
#: Files and modules that are loaded when an unknown environment is asked for, separated like ``PATH``.
VARIABLE = "LUDOVEC_LOAD"

Class = TypeVar("Class", bound=type)

# Rules that still run in threads when the interpreter ends would use it afterwards.
atexit.register(_core.stop_rules)

#: The registered classes by id.
_classes: dict[str, type] = {}
#: The names of the modules of files.
_files: set[str] = set()
#: The names of entry points and the words of :data:`VARIABLE` that have been loaded.
_loaded: set[str] = set()


def register(game: Class) -> Class:
    """Makes a class an environment: ``ludovec.make``, ``Game``, ``TreeSearch``, bots, tournaments and the
    program know it by its id. :mod:`ludovec.rules` lists the members of the class.

    Also a decorator. A class with the same id replaces an earlier one; environments that exist keep their
    rules.

    Raises:
        InvalidConfig: The id is that of another kind of environment, or the class lacks a member.
        RulesError: A member of the class makes no sense.
    """
    if not isinstance(game, type):
        raise config_error(f"register({game!r:.100}): a class is needed")
    id = getattr(game, "id", None) or _snake(game.__name__)
    if not isinstance(id, str) or not re.fullmatch(r"[a-z][a-z0-9_]{0,63}", id):
        raise config_error(f"{game.__name__}.id={id!r:.100}: lower-case letters, digits and _ are needed")
    text = (getattr(game, "summary", None) or (game.__doc__ or "").strip().split("\n")[0]).rstrip(".")
    name = getattr(game, "name", None) or _camel(id)
    options = declared(game, id)
    methods = methods_of(game, id)
    compiled = {is_compiled(method) for name, method in methods.items() if name in _RULES}
    python, c = False in compiled, True in compiled
    describe = partial(Description.of, game, id, text)
    # The class is described once under its defaults, so that its mistakes are found here.
    describe(**{option["name"]: option["default"] for option in options})
    _core.register_game(id, name, text, json.dumps(options), describe, python, c, _champion(game, id))
    _classes[id] = game
    _refresh()
    return game


def _champion(game: type, id: str) -> bytes | None:
    """The file of the network that a class brings along; its path is relative to the file of the class."""
    given = getattr(game, "champion", None)
    if given is None:
        return None
    if not isinstance(given, (str, os.PathLike)):
        raise config_error(f"{id}.champion={given!r:.100}: the path of a network is needed")
    module = sys.modules.get(game.__module__)
    path = Path(getattr(module, "__file__", None) or "").parent / given
    try:
        return path.read_bytes()
    except OSError as error:
        raise config_error(f"{id}.champion={str(given)!r:.200}: {error.strerror or error}") from None


def forget_all() -> None:
    """Removes all classes; for tests."""
    for id in [*_classes]:
        _core.forget_game(id)
        del _classes[id]
    while _files:
        sys.modules.pop(_files.pop(), None)
    if "gymnasium" in sys.modules:
        from gymnasium.envs import registration

        known = {name for _, name, _ in _core.list_envs()}
        for full in [*registration.registry]:
            if full.startswith("ludovec/") and re.split("-selfplay-v|-v", full[8:])[0] not in known:
                del registration.registry[full]


#: The methods that run in every step.
_RULES = {
    *("init", "legal", "step", "current_player", "observe", "returns"),
    *("determinize", "scores", "estimate", "validate"),
}


def load(path: str | os.PathLike[str]) -> list[str]:
    """Loads games and returns their ids: a compiled library (``.so``, ``.dll`` or ``.dylib``), a Python file,
    or a module by its name. A Python file or module registers its classes itself, by :func:`register`.

    ``python -m ludovec --load PATH`` does the same for the program, and ``LUDOVEC_LOAD`` in the environment
    for every process.

    Raises:
        InvalidConfig: There is no such file, or the library has another version of the interface.
        RulesError: A game of the library does not start.
    """
    text = checks.path("path", path)
    before = set(_known())
    if text.endswith((".so", ".dll", ".dylib", ".pyd")):
        # Games of a library that is loaded again are there already.
        found: list[str] = _libraries.get(os.path.realpath(text)) or list(_core.load_library(text))
        _libraries[os.path.realpath(text)] = found
        _refresh()
        return found
    if text.endswith(".py"):
        names = _import_file(Path(text))
    elif all(part.isidentifier() for part in text.split(".")):
        try:
            names = {importlib.import_module(text).__name__}
        except ModuleNotFoundError as error:
            if error.name is None or not (text + ".").startswith(error.name + "."):
                raise
            raise config_error(f"load({text!r:.100}): no such module") from None
    else:
        raise config_error(
            f"load({text!r:.100}): a library (.so, .dll, .dylib), a Python file or a module's name is needed"
        )
    of_module = [id for id, game in _classes.items() if game.__module__ in names]
    return sorted({*of_module, *(set(_known()) - before)})


_libraries: dict[str, list[str]] = {}


def _import_file(path: Path) -> set[str]:
    """Runs a Python file as the module of its name."""
    if not path.is_file():
        raise config_error(f"load({str(path)!r:.200}): no such file")
    name = path.stem
    known = sys.modules.get(name)
    if known is not None and os.path.realpath(getattr(known, "__file__", None) or "") == os.path.realpath(
        path
    ):
        return {name}
    spec = importlib.util.spec_from_file_location(name, path)
    if known is not None or spec is None or spec.loader is None:
        raise config_error(f"load({str(path)!r:.200}): another module is called {name}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    _files.add(name)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return {name}


def search(id: str) -> None:
    """Loads what may register the unknown environment ``id``: the words of ``LUDOVEC_LOAD``, and the entry
    point of this name. The engine calls it."""
    _load_variable()
    for point in _points(tuple(sys.path)):
        if point.name == id and id not in _known():
            _load_point(point)


def search_all() -> None:
    """Loads every game of installed packages; one that fails is a warning."""
    _load_variable()
    for point in _points(tuple(sys.path)):
        if point.name not in _known() and point.name not in _loaded:
            _loaded.add(point.name)
            try:
                _load_point(point)
            except Exception as error:
                warnings.warn(
                    f"the game {point.name} of {point.value} cannot be loaded: {error}", stacklevel=3
                )


@lru_cache(maxsize=4)
def _points(path: tuple[str, ...]) -> list[EntryPoint]:
    """The entry points of the packages on ``sys.path``."""
    # A search for the group's name first: the module of the standard library and its parser take as long as
    # a fifth of the package's import, and most installations have no such package.
    if not any(_may_have_points(element) for element in path):
        return []
    from importlib.metadata import entry_points

    return [*entry_points(group=GROUP)]


def _may_have_points(element: str) -> bool:
    """Whether an element of ``sys.path`` may have a package with entry points of the group."""
    try:
        names = os.listdir(element or ".")
    except OSError:
        # An archive, if it exists.
        return os.path.exists(element)
    for name in names:
        if name.endswith(".egg"):
            return True
        if name.endswith((".dist-info", ".egg-info")):
            try:
                with open(os.path.join(element, name, "entry_points.txt"), "rb") as file:
                    if GROUP.encode() in file.read():
                        return True
            except OSError:
                # No entry points.
                continue
    return False


def _load_variable() -> None:
    for word in filter(None, os.environ.get(VARIABLE, "").split(os.pathsep)):
        if word not in _loaded:
            _loaded.add(word)
            load(word)


def _load_point(point: EntryPoint) -> None:
    found = point.load()
    if isinstance(found, type) and point.name not in _known():
        register(found)
    elif isinstance(found, (str, os.PathLike)):
        load(found)
    if point.name not in _known():
        raise config_error(f"the entry point {point.name} = {point.value!r} registers no game of this id")


def _known() -> list[str]:
    return [id for id, _, _ in _core.list_envs()]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _camel(id: str) -> str:
    return "".join(part.capitalize() for part in id.split("_"))


def _refresh() -> None:
    """Brings the ids of Gymnasium and PettingZoo up to date, if they are there."""
    if "gymnasium" in sys.modules and "ludovec.adapters.gym" in sys.modules:
        sys.modules["ludovec.adapters.gym"].register()
    if "ludovec.adapters.pettingzoo" in sys.modules:
        sys.modules["ludovec.adapters.pettingzoo"].register_ids()


class Reference(NamedTuple):
    """Where another process finds the class of an environment."""

    id: str
    module: str
    qualname: str
    #: The file of the module, in case that it cannot be imported by its name.
    file: str | None
    #: The class itself, if no other process can import it: pickle explains, cloudpickle sends its code.
    game: type | None

    def find(self) -> None:
        """Registers the environment in this process, unless it is registered.

        Raises:
            InvalidConfig: The class cannot be found.
        """
        if self.id in _known():
            return
        if self.game is not None:
            register(self.game)
            return
        try:
            found: Any = importlib.import_module(self.module)
        except ImportError as error:
            if self.file is None or not os.path.isfile(self.file):
                raise config_error(
                    f"the environment {self.id} is the class {self.qualname} of the module {self.module}, "
                    f"which this process cannot import: {error}"
                ) from error
            load(self.file)
            found = sys.modules[self.module]
        if self.id in _known():
            return
        for part in self.qualname.split("."):
            found = getattr(found, part, None)
        if not isinstance(found, type):
            raise config_error(
                f"the environment {self.id} is the class {self.qualname} of the module {self.module}, "
                f"which has no such class in this process"
            )
        register(found)


def reference(id: str) -> Reference | None:
    """The reference to send along with games of an environment; None if every process has it."""
    game = _classes.get(id)
    if game is None:
        return None
    module = sys.modules.get(game.__module__)
    importable = game.__module__ != "__main__" and "<locals>" not in game.__qualname__
    file = getattr(module, "__file__", None)
    return Reference(id, game.__module__, game.__qualname__, file, None if importable else game)


class PortableId(str):
    """The id of an environment that brings its class along when it is pickled."""

    def __reduce__(self) -> Any:
        return _arrived, (reference(str(self)), str(self))


def _arrived(sent: Reference | None, id: str) -> str:
    if sent is not None:
        sent.find()
    return portable(id)


def portable(id: str) -> str:
    """The id, in a form that other processes can use if it is sent to them pickled."""
    return PortableId(id) if id in _classes else id
