"""The notebooks run from top to bottom with few games and updates, each in its own kernel."""

import json
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
nbformat = pytest.importorskip("nbformat")

FOLDER = Path(__file__).parents[2] / "examples" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LITTLE = {
    "LUDOVEC_NOTEBOOK_GAMES": "20",
    "LUDOVEC_NOTEBOOK_SECONDS": "1",
    "LUDOVEC_NOTEBOOK_SIMULATIONS": "4",
}


@pytest.mark.skipif(not NOTEBOOKS, reason="needs the checkout")
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_run(file, tmp_path, monkeypatch):
    for name, value in LITTLE.items():
        monkeypatch.setenv(name, value)
    notebook = nbformat.read(file, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": tmp_path}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert shown and not any(output.get("name") == "stderr" for output in shown), shown


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_notebooks_have_no_outputs(file):
    cells = json.loads(file.read_text())["cells"]
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in cells)


OUTPUTS = FOLDER.parents[1] / "docs" / "build" / "notebooks"
SHOWN = sorted(file.stem for file in OUTPUTS.glob("*.json"))


@pytest.mark.parametrize("name", SHOWN)
def test_outputs_on_the_site_are_of_this_code(name):
    """`python docs/notebooks.py` runs the notebooks for the site."""
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text())["cells"]
    ran = json.loads((OUTPUTS / f"{name}.json").read_text())
    assert [each["source"] for each in ran] == [
        "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"
    ]
    assert any(each["outputs"] for each in ran)
    # A formatter breaks neither strings nor comments.
    shown = [line for each in ran[1:] for line in each["shown"].splitlines()]
    assert all(len(line) <= 72 or '"' in line or "#" in line for line in shown)


def test_the_navigation_lists_the_notebooks_with_outputs():
    navigation = (FOLDER.parents[1] / "mkdocs.yml").read_text()
    assert len(SHOWN) >= 2
    assert [file.stem for file in NOTEBOOKS if f"train/notebooks/{file.stem}.md" in navigation] == SHOWN
