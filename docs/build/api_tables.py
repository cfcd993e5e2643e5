"""The tables of docs/api: the names of each page with the first sentence of their documentation.

    python docs/build/api_tables.py          # writes them
    python docs/build/api_tables.py --check  # fails if a page has other ones

The site shows the full documentation under the table; a code host shows the table alone.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent / "python"
#: Functions with the name of a module, and those that are imported under a condition, by their modules.
FUNCTIONS = {"ludovec.spec": "ludovec.spec.spec", "ludovec.make": "ludovec.envs.make.make"}
BEGIN, END = "<!-- names -->", "<!-- end of names -->"


def source(module: str) -> Path | None:
    """The file of a module, if there is one."""
    path = ROOT / module.replace(".", "/")
    for file in (path / "__init__.py", path.with_suffix(".py"), path.with_suffix(".pyi")):
        if file.is_file():
            return file
    return None


def documentation(name: str, seen: frozenset[str] = frozenset()) -> str | None:
    """The documentation of a module, class or function, also through imports of the package."""
    if name in seen:
        return None
    if file := source(name):
        return ast.get_docstring(ast.parse(file.read_text(encoding="utf-8")))
    module, _, own = name.rpartition(".")
    file = source(module) if module else None
    if file is None:
        return None
    for node in statements(ast.parse(file.read_text(encoding="utf-8")).body):
        kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        if isinstance(node, kinds) and node.name == own and ast.get_docstring(node):
            return ast.get_docstring(node)
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == own:
                    parts = module.split(".")
                    depth = node.level - (1 if file.name == "__init__.py" else 0)
                    base = parts[: len(parts) - depth] if node.level else []
                    found = ".".join([*base, *([node.module] if node.module else []), alias.name])
                    if text := documentation(found, seen | {name}):
                        return text
    return None


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module, those under conditions too."""
    for node in body:
        yield from statements([*node.body, *node.orelse]) if isinstance(node, ast.If) else [node]


def sentence(text: str) -> str:
    """The first sentence, in the Markdown of a table."""
    first = " ".join(text.split("\n\n")[0].split())
    first = re.split(r"(?<=[.])\s+(?=[A-Z>])", first)[0].rstrip(".")
    first = re.sub(r":(?:class|func|meth|attr|mod):`~?\.?([^`]+)`", r"`\1`", first)
    return first.replace("``", "`").replace("|", "\\|")


def names(page: str) -> list[str]:
    """What the site documents on a page."""
    found: list[str] = re.findall(r"^::: (\S+)", page, re.MULTILINE)
    if private := [name for name in found if "._" in name]:
        raise SystemExit(f"{', '.join(private)}: pages publish public names only")
    return found


def table(page: str) -> str:
    """The table of a page's names."""
    lines = ["| name | what it is |", "|---|---|"]
    for name in names(page):
        text = documentation(FUNCTIONS.get(name, name))
        if text is None:
            raise SystemExit(f"{name}: no documentation found")
        lines.append(f"| `{name}` | {sentence(text)} |")
    return "\n".join(lines)


def with_table(page: str) -> str:
    """The page with its table."""
    if not names(page):
        return page
    told = f"{BEGIN}\n\n{table(page)}\n\n{END}"
    if BEGIN in page:
        return page[: page.index(BEGIN)] + told + page[page.index(END) + len(END) :]
    first = page.index("::: ")
    return page[:first] + told + "\n\n" + page[first:]


def main(check: bool) -> int:
    """Writes or compares all pages; returns an exit code."""
    stale = []
    for file in sorted((DOCS / "api").glob("*.md")):
        page = file.read_text(encoding="utf-8")
        wanted = with_table(page)
        if page != wanted:
            stale.append(file.name)
            if not check:
                file.write_text(wanted, encoding="utf-8", newline="\n")
    if check and stale:
        print(f"python docs/build/api_tables.py writes the tables of {', '.join(stale)}", file=sys.stderr)
    return int(check and bool(stale))


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
