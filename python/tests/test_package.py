"""The package: errors, optional dependencies, imports, types."""

import ast
import graphlib
import importlib
import importlib.util
import inspect
import json
import os
import pickle
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ludovec
import pytest
from ludovec import _core

PACKAGE = Path(ludovec.__file__).parent


def test_exceptions_have_a_common_base():
    for name in ("IllegalAction", "InvalidPhase", "GameOver", "InvalidConfig", "InvalidType", "InvalidState"):
        exception = getattr(ludovec, name)
        assert issubclass(exception, ludovec.LudovecError) and exception.__module__ == "ludovec"
        assert isinstance(pickle.loads(pickle.dumps(exception("x"))), exception)


def run_without(modules, code):
    hide = f"import sys\nfor m in {modules!r}: sys.modules[m] = None\n"
    return subprocess.run([sys.executable, "-c", hide + code], capture_output=True, text=True)


def test_an_import_brings_only_what_most_programs_use():
    late = [
        "text",
        "Collector",
        "serve",
        "Analysis",
        "Checkpoints",
        "TextEnv",
        "evaluate",
        "exploit",
        "export",
        "nash_average",
        "play",
    ]
    code = f"""
import numpy
before = set(sys.modules)
import ludovec
new = set(sys.modules) - before
heavy = {{"email", "zipfile", "importlib.metadata", "secrets", "hashlib", "socket", "tempfile", "csv"}}
assert not new & heavy, new & heavy
assert not [name for name in new if name.startswith(("ludovec.text", "ludovec.evaluation"))]
for name in {late!r}:
    assert name in dir(ludovec) and name in ludovec.__all__ and name not in vars(ludovec)
    assert getattr(ludovec, name) is getattr(ludovec, name) and name in vars(ludovec)
assert ludovec.text.TextEnv is ludovec.TextEnv
assert ludovec.tournament.__module__ == "ludovec.evaluation.tournaments"
try:
    ludovec.tournamint
except AttributeError as error:
    print(error)
"""
    found = run_without(["gymnasium"], code)
    assert found.returncode == 0, found.stderr
    assert found.stdout == "module 'ludovec' has no attribute 'tournamint'\n"


def test_every_offered_name_works_after_the_import():
    code = """
import ludovec
assert "ludovec.chess" not in sys.modules and "ludovec.train" not in sys.modules
names = dir(ludovec)
package = Path(ludovec.__file__).parent
public = {file.stem for folder in (package, package / "adapters") for file in folder.iterdir()}
assert ludovec._MODULES.keys() <= public, "modules that are no files"
for name in names:
    assert getattr(ludovec, name) is getattr(ludovec, name), name
print(*names)
"""
    code = "from pathlib import Path\n" + code
    libraries = set(" ".join(ludovec._MODULES.values()).split())
    bare = run_without(libraries, code)
    assert bare.returncode == 0, bare.stderr
    missing = {name for name, needed in ludovec._MODULES.items() if needed}
    assert set(bare.stdout.split()) == {*ludovec.__all__, *ludovec._MODULES} - missing
    full = run_without(set(), code)
    assert full.returncode == 0, full.stderr
    found = {name for name in missing if all(map(importlib.util.find_spec, ludovec._MODULES[name].split()))}
    assert set(full.stdout.split()) == set(bare.stdout.split()) | found


def test_a_module_without_its_library_names_the_extra():
    code = "import ludovec; ludovec.sb3"
    done = run_without(["stable_baselines3"], code)
    assert done.returncode == 1 and "pip install 'ludovec[sb3]'" in done.stderr
    code = "from ludovec import sb3"
    done = run_without(["stable_baselines3"], code)
    assert done.returncode == 1 and "pip install 'ludovec[sb3]'" in done.stderr


def test_the_package_needs_only_numpy():
    hidden = ["gymnasium", "pettingzoo", "torch", "jax", "ray", "stable_baselines3", "tianshou"]
    code = """
import ludovec
for id in ludovec.list_envs():
    env = ludovec.make(id, 4)
    env.reset(seed=0)
    obs, reward, terminated, truncated, info = env.step(env.sample_actions())
    ludovec.Game(id).to_svg()
assert env.metadata["autoreset_mode"] == "same_step"
try:
    env.single_observation_space
except ImportError as error:
    assert "ludovec[gym]" in str(error)
else:
    raise AssertionError
extras = {"pettingzoo": "pettingzoo", "sb3": "sb3", "nets": "torch", "rllib": "rllib", "ray": "ray"}
extras["tianshou"] = "tianshou"
for module, extra in extras.items():
    try:
        __import__(f"ludovec.{module}")
    except ImportError as error:
        assert f"ludovec[{extra}]" in str(error), error
    else:
        raise AssertionError(module)
"""
    result = run_without(hidden, code)
    assert result.returncode == 0, result.stderr


PUBLIC = {
    "gym": [
        "SeatEnv",
        "action_space",
        "batched",
        "make_selfplay",
        "make_vec",
        "not_alone",
        "observation_space",
        "register",
    ],
    "jax": ["CompiledSearch", "Found", "Leaves", "TimeStep", "compiled", "functions", "raising"],
    "pettingzoo": ["AECEnv", "ParallelEnv", "aec_env", "env", "parallel_env", "raw_env", "register"],
    "rllib": ["RLlibEnv", "RLlibVectorEnv"],
    "sb3": ["SeatVecEnv"],
    "tianshou": ["TianshouEnv"],
    "torchrl": ["TorchRLEnv"],
}


@pytest.mark.parametrize("adapter", PUBLIC)
def test_adapters_are_found_by_their_public_names(adapter):
    try:
        module = importlib.import_module(f"ludovec.{adapter}")
    except ImportError as error:
        assert "pip install" in str(error)
        pytest.skip(str(error))
    assert sorted(module.__all__) == sorted(PUBLIC[adapter])
    for name in PUBLIC[adapter]:
        # A pickle names classes and functions by module and name.
        assert pickle.loads(f"cludovec.{adapter}\n{name}\n.".encode()) is getattr(module, name)
    assert module is importlib.import_module(f"ludovec.adapters.{adapter}") is getattr(ludovec, adapter)


def test_adapters_have_one_module_whatever_the_import():
    code = """
import ludovec.{0} as dotted
from ludovec import {0} as attribute
import ludovec.adapters.{0}
assert dotted is attribute is ludovec.adapters.{0} is sys.modules["ludovec.{0}"]
assert dotted.__spec__.name == dotted.__name__ == "ludovec.adapters.{0}"
"""
    for name, libraries in ludovec.adapters.LIBRARIES.items():
        if all(map(importlib.util.find_spec, libraries.split())):
            done = run_without([], code.format(name))
            assert done.returncode == 0, done.stderr


def test_the_top_of_the_package_is_short():
    shown = {file.name for file in PACKAGE.iterdir()} - {"__pycache__"}
    assert len(shown) <= 30, sorted(shown)


def modules():
    """Every module of the package with its source: its full name, its file."""
    for file in (*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.pyi")):
        parts = ("ludovec", *file.relative_to(PACKAGE).with_suffix("").parts)
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), file


def imported(name, file, known):
    """The modules of the package that a module imports, at its top or in a function."""
    package = name.split(".") if file.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            inside = [f"{source}.{alias.name}" for alias in node.names]
            yield from (module if module in known else source for module in inside)


def test_imports_have_no_cycles():
    files = dict(modules())
    graph = {name: set(imported(name, file, files)) & files.keys() for name, file in files.items()}
    assert "ludovec.envs.vector" in graph["ludovec.envs.make"]
    assert "ludovec.game.game" in graph["ludovec.envs.vector"]
    # Raises a CycleError that lists the cycle.
    order = list(graphlib.TopologicalSorter(graph).static_order())
    assert order.index("ludovec.envs.vector") < order.index("ludovec.envs.make") < order.index("ludovec")


def test_the_package_is_typed():
    assert (PACKAGE / "py.typed").is_file()


@pytest.mark.skipif(not hasattr(_core, "Fleet"), reason="the stub holds what there is on Linux")
def test_the_stub_matches_the_extension(tmp_path):
    pytest.importorskip("mypy.stubtest")
    (tmp_path / "allowed").write_text("ludovec._core.__all__\n")
    command = [sys.executable, "-m", "mypy.stubtest", "ludovec._core", "--allowlist", "allowed"]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_everything_public_is_documented():
    for name in ludovec.__all__:
        thing = getattr(ludovec, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert thing.__doc__, name
            for member, value in vars(thing).items() if inspect.isclass(thing) else ():
                if not member.startswith("_") and callable(value):
                    assert value.__doc__, f"{name}.{member}"


def test_gymnasium_finds_the_ids_by_module():
    gymnasium = pytest.importorskip("gymnasium")
    id, name, _ = ludovec._core.list_envs()[0]
    env = gymnasium.make_vec(f"ludovec:ludovec/{name}-v{ludovec.spec(id).version}", num_envs=3)
    assert env.num_envs == 3


def test_gymnasium_finds_the_ids_without_an_import_by_module_only():
    """Gymnasium has no entry points for packages since 1.0: an id names the module to import."""
    gymnasium = pytest.importorskip("gymnasium")
    assert not hasattr(gymnasium.envs.registration, "load_plugin_envs"), "it has them again: name one"
    code = """
import gymnasium, sys
try:
    gymnasium.make_vec("ludovec/Chess-v3", num_envs=2)
except gymnasium.error.NamespaceNotFound:
    pass
else:
    raise AssertionError
assert "ludovec" not in sys.modules
assert gymnasium.make_vec("ludovec:ludovec/Chess-v3", num_envs=2).num_envs == 2
assert gymnasium.make("ludovec:ludovec/Chess-v3").reset(seed=0)[0].shape == (8, 8, 119)
assert gymnasium.make_vec("ludovec/Chess-v3", num_envs=3).num_envs == 3
"""
    version = ludovec.spec("chess").version
    code = code.replace("Chess-v3", f"Chess-v{version}")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not hasattr(ludovec, "Fleet"), reason="fleets need Linux")
def test_the_benchmark_measures_all_ways():
    id = ludovec.list_envs()[0]
    command = [
        sys.executable,
        "-m",
        "ludovec.envs.bench",
        id,
        "--num-envs",
        "8",
        "--seconds",
        "0.05",
        "--json",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    times = json.loads(result.stdout)[id]
    assert set(times) == {"native", "python", "attached"} and min(times.values()) > 0


def test_an_error_without_fleets_names_their_requirements(monkeypatch):
    monkeypatch.delattr(_core, "Fleet", raising=False)
    monkeypatch.setattr("platform.system", lambda: "Darwin")
    for call in (lambda: ludovec.serve("tilewe", name="x"), lambda: ludovec.attach("x")):
        with pytest.raises(ludovec.FleetError, match=r"need Linux .* this is Darwin: ludovec\.make"):
            call()


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not shutil.which("qemu-x86_64"), reason="needs qemu-user"
)
@pytest.mark.parametrize("feature", ["avx2", "bmi2"])
def test_an_older_processor_gets_an_error(feature):
    """A portable build can be imported, another one is refused: neither ends with a signal."""
    code = f"import sys; sys.path[:] = {sys.path!r}; import numpy; import ludovec"
    python = os.path.realpath(sys.executable)
    command = ["qemu-x86_64", "-cpu", f"Haswell,-{feature}", python, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 or "which this one lacks" in done.stderr, done.stderr


def test_files_are_replaced_atomically(tmp_path):
    file, link = tmp_path / "a", tmp_path / "link"
    with ludovec.files.replaced(file) as out:
        out.write(b"one")
        assert not file.exists()
    file.chmod(0o640)
    link.symlink_to("a")
    with pytest.raises(RuntimeError), ludovec.files.replaced(file) as out:
        out.write(b"two")
        raise RuntimeError
    assert file.read_bytes() == b"one"
    with ludovec.files.replaced(link) as out, ludovec.files.replaced(file) as other:
        out.write(b"three")
        other.write(b"four")
    assert file.read_bytes() == b"three" and link.is_symlink() and file.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "link"]
    with pytest.raises(OSError), ludovec.files.replaced(tmp_path / "no" / "such"):
        pass


def test_pictures_of_the_readme_have_absolute_addresses():
    """PyPI shows README.md without the files beside it."""
    root = Path(__file__).parents[2]
    pictures = re.findall(r"!\[[^]]*\]\(([^)]*)\)|<img[^>]*src=\"([^\"]*)", (root / "README.md").read_text())
    assert len(pictures) > 2
    for address in map("".join, pictures):
        base, _, file = address.partition("/ludovec/ludovec/main/")
        assert base == "https://raw.githubusercontent.com" and (root / file).is_file(), address


def test_extras_are_named_by_library():
    """Each extra brings its library alone: torch brings neither trainers nor Gymnasium."""
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    names = {re.split(r"[>\[]", need)[0] for need in extras["torch"]}
    # Python 3.10 has no reader of TOML, the format of trainings' configurations.
    assert names == {"torch", "safetensors", "tomli"}
    listed = re.search(r"\[(.*)\]", extras["all"][0])[1].split(",")
    # RLlib brings Ray, and `llm` brings mcp. `openenv` and `verifiers` exclude its versions and each other's.
    # Three are built from source on some platforms, LightZero needs NumPy 1, and wandb is a service.
    apart = {"openenv", "verifiers", "kaggle", "minari", "openspiel", "pufferlib", "lightzero", "wandb"}
    assert set(listed) == set(extras) - {"all", "ray", "mcp"} - apart
    assert set(extras["mcp"]) <= set(extras["llm"])
    named = {
        name for file in PACKAGE.rglob("*.py") for name in re.findall(r'extra\("(\w+)"\)', file.read_text())
    }
    assert named <= set(extras)
    guide = (Path(__file__).parents[2] / "docs" / "use" / "install.md").read_text()
    for extra in extras:
        assert f"| `{extra}` |" in guide, extra


CHECKOUT = PACKAGE.parents[1]


@pytest.mark.skipif(not (CHECKOUT / ".ci" / "released.py").exists(), reason="needs the checkout")
@pytest.mark.parametrize("released", [False, True])
def test_one_variable_says_how_to_install(released, monkeypatch):
    """README.md, pages and notebooks are what `.ci/released.py` writes, and it can write both forms."""
    monkeypatch.syspath_prepend(CHECKOUT / ".ci")
    script = importlib.import_module("released")
    assert list(script.findings()) == []
    for file, text in script.written(released):
        if file.suffix != ".md":
            assert ("pip install --quiet ludovec" in text) == released
            json.loads(text)
