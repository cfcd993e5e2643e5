"""Writes how to install Ludovec, before and after its first release: python .ci/released.py [--check].

`RELEASED` decides for README.md, the pages and the notebooks; the texts of pages are between the marks
`<!-- installation N -->`. `make release-check` and the tests fail where something else is written.
"""

import json
import sys
from pathlib import Path

#: Whether the package is on PyPI.
RELEASED = False

ROOT = Path(__file__).parents[1]
#: The text of each mark of a page: before the first release, and after it.
PAGES = {
    "README.md": [
        (
            """Ludovec is not on PyPI yet. Installing it from a checkout compiles the engine: you need Rust 1.89 or later, Python 3.10
or later, and one and a half to six minutes on two cores for the first build.

```sh
git clone https://github.com/ludovec/ludovec
cd ludovec
pip install .
# play in the browser; ludovec --help lists the rest
ludovec web
```""",
            """You need Python 3.10 or later, and no compiler.

```sh
pip install ludovec
# play in the browser; ludovec --help lists the rest
ludovec web
```""",
        )
    ],
    "docs/use/install.md": [
        (
            """Install the Python package, the program or the Rust library. Ludovec has no release yet, so you install from a
checkout. You need Rust 1.89 or later, and Python 3.10 or later for the package. The first build compiles 211 crates:
it takes one and a half to six minutes on two cores.""",
            """Install the Python package, the program or the Rust library. The package needs Python 3.10 or later. The program and
the library are built from a checkout, with Rust 1.89 or later. The first build compiles 211 crates: it takes one and a
half to six minutes on two cores.""",
        ),
        (
            """```sh
python3 -m venv .venv
.venv/bin/pip install .       # numpy is all that it needs
# the program is part of it; python -m ludovec is the same
.venv/bin/ludovec web
.venv/bin/pip install '.[gym]'  # an extra for each library, and all
```""",
            """```sh
python3 -m venv .venv
.venv/bin/pip install ludovec  # numpy is all that it needs
# the program is part of it; python -m ludovec is the same
.venv/bin/ludovec web
# an extra for each library, and all
.venv/bin/pip install 'ludovec[gym]'
```""",
        ),
    ],
    "docs/use/quickstart.md": [
        (
            """```sh
# in a checkout; builds the engine, so Rust is needed
pip install .
# the program comes with the package: play in the browser
ludovec web
```""",
            """```sh
pip install ludovec
# the program comes with the package: play in the browser
ludovec web
```""",
        )
    ],
    "docs/train/notebooks.md": [
        (
            """```sh
pip install . jupyterlab
```

The package is on no index yet. The first cell of each notebook installs it from the checkout, two folders above,
where it is missing. Each has a badge that opens it in Colab: clone the repository and install Rust there first.""",
            """```sh
pip install ludovec jupyterlab
```

The first cell of each notebook installs the package where it is missing. Each has a badge that opens it in Colab.""",
        )
    ],
    "docs/use/verify.md": [
        (
            "Ludovec has no release yet. From the first one on:",
            "Each release has checksums, attestations and lists of its parts:",
        )
    ],
}
#: The first code cell of every notebook: before the first release, and after it.
CELL = (
    """# The package is on no index: it is installed from a checkout. Set FOLDER to it if the notebook is elsewhere.
# In Colab, clone the repository and install Rust first.
from importlib.util import find_spec

FOLDER = "../.."
if find_spec("ludovec") is None:
    %pip install --quiet {FOLDER}""",
    """from importlib.util import find_spec

if find_spec("ludovec") is None:
    %pip install --quiet ludovec""",
)


def page(text, pairs, released):
    """A page with the texts of its marks."""
    for number, pair in enumerate(pairs, 1):
        begin, end = f"<!-- installation {number} -->\n", f"\n<!-- end of installation {number} -->"
        if text.count(begin) != 1 or text.count(end) != 1:
            raise SystemExit(f"the marks of installation {number} are needed once")
        text = text[: text.index(begin) + len(begin)] + pair[released] + text[text.index(end) :]
    return text


def notebook(text, released):
    """A notebook, or its outputs for the site, with the cell that installs."""

    def lines(cell):
        """A cell as a list of its lines in a notebook."""
        return json.dumps(cell.splitlines(keepends=True), indent=1).replace("\n", "\n   ")

    for cell in CELL:
        text = text.replace(lines(cell), lines(CELL[released]))
        text = text.replace(json.dumps(cell), json.dumps(CELL[released]))
    return text


def written(released=RELEASED):
    """The files that say how to install, with their texts."""
    for name, pairs in PAGES.items():
        yield ROOT / name, page((ROOT / name).read_text(encoding="utf-8"), pairs, released)
    for pattern in ("examples/notebooks/*.ipynb", "docs/build/notebooks/*.json"):
        for file in sorted(ROOT.glob(pattern)):
            yield file, notebook(file.read_text(encoding="utf-8"), released)


def findings():
    """The files that say something else."""
    for file, text in written():
        if file.read_text(encoding="utf-8") != text:
            yield f"{file.relative_to(ROOT)}: other words on installing: python .ci/released.py writes them"


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        found = list(findings())
        sys.exit("\n".join(found) or 0)
    for file, text in written():
        file.write_text(text, encoding="utf-8", newline="\n")
