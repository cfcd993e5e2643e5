"""Pages of the site from notebooks: cells from `examples/notebooks/`, outputs from `docs/notebooks.py`."""

import json
from pathlib import Path

import environments

NOTEBOOKS = environments.ROOT / "examples" / "notebooks"
OUTPUTS = Path(__file__).parent / "notebooks"
#: The folder of the pages in the site.
FOLDER = "train/notebooks"
#: The first code cell installs the package.
INSTALLS = "%pip install"


def page(notebook: Path) -> dict[str, str]:
    """A notebook as files of the site: its page, and one file for each drawing."""
    name = notebook.stem
    ran = iter(json.loads((OUTPUTS / f"{name}.json").read_text(encoding="utf-8")))
    parts, files = [], {}
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
            continue
        done = next(ran)
        if done["source"] != source:
            raise ValueError(
                f"{name}: its outputs are of other code; python docs/notebooks.py {name} runs it"
            )
        if INSTALLS in source:
            continue
        parts.append(f"```python\n{done['shown']}\n```")
        for output in done["outputs"]:
            if "svg" in output:
                drawing = f"{name}-{len(files) + 1}.svg"
                files[f"{FOLDER}/{drawing}"] = output["svg"]
                parts.append(f"![output]({drawing})")
            else:
                parts.append(f"```text\n{output['text']}\n```")
    link = f"https://github.com/ludovec/ludovec/blob/main/examples/notebooks/{notebook.name}"
    text = "\n\n".join(parts)
    # The badge is a picture from another server, and pages load nothing from elsewhere.
    lines = [line for line in text.splitlines() if not line.startswith("[![Open in Colab]")]
    files[f"{FOLDER}/{name}.md"] = "\n".join(
        [*lines, "", f"[The notebook]({link}) runs from a checkout.", ""]
    )
    return files


def files() -> dict[str, str]:
    """All notebooks that were run as files of the site."""
    found: dict[str, str] = {}
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        if (OUTPUTS / f"{notebook.stem}.json").exists():
            found |= page(notebook)
    return found
