"""Hooks for the MkDocs build."""

import logging
import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.insert(0, str(Path(__file__).parent))
import boards
import environments
import notebooks

ROOT = environments.ROOT
#: Pictures outside `docs/` on pages.
PICTURES = ["examples/*.svg", "examples/*.png"]
#: Files at the repository root that are pages too.
PAGES = {"CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md"}


def on_config(config: MkDocsConfig) -> None:
    """Refuses a strict build with suppressed warnings."""
    if config.strict and not logging.getLogger("mkdocs").isEnabledFor(logging.WARNING):
        raise PluginError("with --quiet MkDocs does not count warnings, which are to be errors: leave it out")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds pictures of the repository, and pages from its root."""
    for pattern in PICTURES:
        for file in sorted(ROOT.glob(pattern)):
            name = str(file.relative_to(ROOT))
            files.append(File.generated(config, name, abs_src_path=str(file)))
    for file in boards.files():
        name = str(Path(boards.FOLDER) / file.relative_to(boards.BUILT))
        files.append(File.generated(config, name, abs_src_path=str(file)))
    logging.getLogger("mkdocs.hooks").info(boards.state())
    for source, page in PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / source).read_text()))
    for name, content in notebooks.files().items():
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Redirects links outside `docs/` to the repository and pictures to their copies; appends specs."""
    source = Path(page.file.src_uri)
    depth = "../" * (len(source.parts) - 1)
    # A page is a folder of its own in the site, except for the home page.
    outward = depth + ("" if source.name == "index.md" else "../")
    if source.parent.name == "environments" and source.stem in environments.TITLES:
        markdown += environments.page(source.stem)
        board = f"<!-- boards: {source.stem} -->"
        markdown = re.sub(r"(?m)^!\[.*\]\(.*\)$", lambda found: f"{found[0]}\n\n{board}", markdown, count=1)
    markdown = re.sub(boards.MARK, lambda found: boards.replaced(found, outward), markdown)
    # Pages from the root are beside the others in the site.
    folder = ROOT if page.file.generated_by else ROOT / "docs" / source.parent
    copies = {file for pattern in PICTURES for file in ROOT.glob(pattern)}

    def target(match: re.Match[str]) -> str:
        link, sign, anchor = match[2].partition("#")
        place = sign + anchor
        if not link or "://" in link or link.startswith("mailto:"):
            return match[0]
        file = (folder / link).resolve()
        if file.parent == ROOT and file.name in PAGES:
            return f"{match[1]}{depth}{PAGES[file.name]}{place})"
        inside = file.is_relative_to(ROOT / "docs")
        if file in copies or (inside and folder == ROOT):
            name = file.relative_to(ROOT / "docs" if inside else ROOT)
            return f"{match[1]}{depth}{name}{place})"
        # MkDocs checks links within the site, and reports a missing target outside `docs/`.
        if inside or not file.exists():
            return match[0]
        kind = "tree" if file.is_dir() else "blob"
        return f"{match[1]}{config.repo_url}/{kind}/main/{file.relative_to(ROOT)}{place})"

    return re.sub(r"(\]\()([^)\s]+)\)", target, markdown)
