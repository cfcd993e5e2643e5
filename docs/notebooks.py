"""Runs the notebooks and keeps their outputs for the site: python docs/notebooks.py [NAME ...].

The site shows the notebooks of `examples/notebooks/` with the outputs in `docs/build/notebooks/`. Needs
nbclient, ipykernel and ruff, which formats the code that pages show; takes some minutes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

NOTEBOOKS = Path(__file__).parents[1] / "examples" / "notebooks"
OUTPUTS = Path(__file__).parent / "build" / "notebooks"
#: Columns of code on a page.
WIDTH = 72


def narrow(code: str) -> str:
    """The code in lines that fit a page."""
    command = ["ruff", "format", "--isolated", f"--line-length={WIDTH}", "--stdin-filename=cell.py", "-"]
    done = subprocess.run(command, input=code, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else code


def kept(output: dict[str, Any]) -> dict[str, str] | None:
    """An output as text or SVG, or None if a page cannot show it."""
    if output["output_type"] == "stream":
        return {"text": output["text"].rstrip()} if output["name"] == "stdout" else None
    data = output.get("data", {})
    if "image/svg+xml" in data:
        return {"svg": data["image/svg+xml"]}
    text = data.get("text/plain", "").rstrip()
    return {"text": text} if text and not text.startswith("<ludovec.") else None


def run(notebook: Path) -> list[dict[str, Any]]:
    """The code cells of a notebook with their outputs."""
    import nbformat
    from nbclient import NotebookClient

    read = nbformat.read(notebook, as_version=4)
    NotebookClient(read, timeout=1200, resources={"metadata": {"path": str(notebook.parent)}}).execute()
    return [
        {
            "source": cell.source,
            "shown": narrow(cell.source),
            "outputs": [each for each in map(kept, cell.outputs) if each],
        }
        for cell in read.cells
        if cell.cell_type == "code"
    ]


def main(names: list[str]) -> None:
    """Runs the named notebooks, by default all."""
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        if not names or notebook.stem in names:
            file = OUTPUTS / f"{notebook.stem}.json"
            file.write_text(json.dumps(run(notebook), indent=1) + "\n", encoding="utf-8", newline="\n")
            print(file)


if __name__ == "__main__":
    main(sys.argv[1:])
