"""The generated types, and their use by type checkers."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import ludovec
import ludovec.typing
import pytest
from typing_source import source


def test_the_types_match_the_engine():
    file = Path(ludovec.typing.__file__)
    if os.environ.get("LUDOVEC_UPDATE"):
        file.write_text(source())
    assert file.read_text() == source(), "LUDOVEC_UPDATE=1 rewrites it"


PROJECT = Path(__file__).parents[2]
USE = Path(__file__).parent / "typed_use.py"


def checked(checker, file):
    """Output of mypy or pyright for a file; skips if the checker is not installed."""
    if importlib.util.find_spec(checker) is None:
        pytest.skip(f"{checker} is not installed: make lint checks it")
    if checker == "pyright" and shutil.which("node") is None:
        pytest.skip("pyright needs Node.js")
    more = ["--pythonpath", sys.executable] if checker == "pyright" else []
    command = [sys.executable, "-m", checker, *more, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=PROJECT)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(not (PROJECT / "pyproject.toml").exists(), reason="needs the checkout")
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_typos_are_type_errors(checker):
    """Every error is marked, and every mark has an error."""
    code, said = checked(checker, USE)
    assert code == 0, said


@pytest.mark.skipif(not (PROJECT / "pyproject.toml").exists(), reason="needs the checkout")
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_marks_hide_errors_of_typos(checker, tmp_path):
    """Without the marks, exactly the marked lines are errors."""
    lines = USE.read_text().splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# type: ignore[" in line]
    bare = tmp_path / "bare.py"
    bare.write_text("\n".join(line.split("  # type: ignore[")[0] for line in lines))
    _, said = checked(checker, bare)
    found = {int(number) for number in re.findall(r"bare\.py:(\d+):.*error", said)}
    assert found == set(marked) and len(marked) > 15, said
