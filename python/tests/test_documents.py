"""The generated part of the environment pages contains everything of the specs."""

import re
import runpy
from pathlib import Path

import ludovec
import pytest

BUILD = Path(__file__).parents[2] / "docs" / "build"
pytestmark = pytest.mark.skipif(not BUILD.exists(), reason="needs the checkout")


@pytest.fixture(scope="module")
def site():
    return runpy.run_path(str(BUILD / "environments.py"))


def test_pages_contain_the_whole_spec(site, env_id):
    spec, page = ludovec.spec(env_id), site["page"](env_id)
    names = [
        *(family.name for family in spec.actions),
        *(field.name for field in spec.observation),
        *(option["name"] for option in spec.option_list),
        *spec.bots,
        *(column.name for column in spec.state),
        *spec.values,
    ]
    missing = [name for name in names if f"| `{name}` |" not in page]
    assert not missing and f"version {spec.version}" in page and spec.score in page
    assert (BUILD.parent / "environments" / f"{env_id}.md").exists() and env_id in site["TITLES"]
    # Every table row has all cells, and text contains no table markup.
    for table in re.findall(r"(?:^\|.*\n?)+", page, re.M):
        widths = {len(re.sub(r"\\\|", "", line).split("|")) for line in table.splitlines()}
        assert len(widths) == 1, table


def test_layout_drawings_fit_every_number(site):
    width, unit = 12, 3
    drawing = site["layout"]([("a", 0, 100), ("b", 100, 3000), ("c", 3100, 1)], 3101, "numbers")
    assert "a: 0 to 99" in drawing and "c: 3100 to 3100" in drawing
    drawn = sum(map(float, re.findall(r'<rect [^>]* width="([\d.]+)"', drawing)))
    assert abs(drawn - 3101 / unit * width) < 1


def test_versions_match_the_changelog(site):
    said = site["versions"]("chess")
    assert "castling" in said and "Ghouls" not in said
    assert "Ghouls" in site["versions"]("smallworld")


def test_pages_of_the_api_list_their_names():
    """Readers on a code host see the tables that the documentation of the package gives."""
    import subprocess
    import sys

    program = Path(__file__).parents[2] / "docs" / "build" / "api_tables.py"
    told = subprocess.run([sys.executable, program, "--check"], capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
