"""Types that are generated, and what they are for."""

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


def test_the_types_are_what_the_engine_says():
    file = Path(ludovec.typing.__file__)
    if os.environ.get("LUDOVEC_UPDATE"):
        file.write_text(source())
    assert file.read_text() == source(), "LUDOVEC_UPDATE=1 writes it anew"


PROJECT = Path(__file__).parents[2]
USE = Path(__file__).parent / "typed_use.py"


def checked(checker, file):
    """What mypy or pyright says of a file; skipped where it is not there."""
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
    """What is mistyped is marked, and a mark where there is no error would be one."""
    code, said = checked(checker, USE)
    assert code == 0, said


@pytest.mark.skipif(not (PROJECT / "pyproject.toml").exists(), reason="needs the checkout")
@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_marks_hide_errors_of_typos(checker, tmp_path):
    """Without the marks every marked line is an error, and no other."""
    lines = USE.read_text().splitlines()
    marked = [number for number, line in enumerate(lines, 1) if "# type: ignore[" in line]
    bare = tmp_path / "bare.py"
    bare.write_text("\n".join(line.split("  # type: ignore[")[0] for line in lines))
    _, said = checked(checker, bare)
    found = {int(number) for number in re.findall(r"bare\.py:(\d+):.*error", said)}
    assert found == set(marked) and len(marked) > 15, said
