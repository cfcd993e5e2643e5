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


ROOT = BUILD.parents[1]
#: A measured number: a share other than 0, 50 and 100 %, which are definitions; a margin; millions.
MEASURED = re.compile(r"(?<!\d)(?!0 %|50 %|100 %)[\d.]+ ?%|± ?\d|\d ?[MG]B?/s|\d ?M$|^\d+ ?ms$")
#: Words of a table's head over measured numbers.
MEASURED_HEAD = re.compile(r"/s\b|\bElo\b|a second|\bms\b|milliseconds|\bregret\b")


def tables(text):
    """The tables of a document: the head, and the rows below it, as lists of cells."""
    text = re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)
    for found in re.findall(r"(?:^\|.*\n?)+", text, re.M):
        head, _, *rows = (
            [cell.strip() for cell in line.strip().strip("|").split("|")] for line in found.splitlines()
        )
        yield head, rows


def has_figures(head, rows):
    """Whether a table has measured numbers in most of its rows."""
    if any(MEASURED_HEAD.search(cell) for cell in head[1:]):
        return any(re.search(r"\d", cell) for row in rows for cell in row[1:])
    measured = sum(any(MEASURED.search(cell) for cell in row[1:]) for row in rows)
    return 2 * measured > len(rows)


def repeated(documents):
    """Pairs of tables that share a row with three cells of numbers, or two rows with two of them."""
    seen, found = {}, []
    for name, text in documents.items():
        for index, (head, rows) in enumerate(tables(text)):
            shared = {}
            for row in rows:
                numbers = tuple(cell for cell in row if re.search(r"\d", cell))
                if len(numbers) < 2:
                    continue
                key = (row[0], *numbers)
                for place in seen.get(key, ()):
                    shared[place] = shared.get(place, 0) + (2 if len(numbers) > 2 else 1)
                seen.setdefault(key, set()).add((name, index))
            found += [
                (place[0], name, head)
                for place, times in shared.items()
                if times > 1 and place != (name, index)
            ]
    return found


def texts():
    """All documents with tables, by their names."""
    files = [*sorted((ROOT / "docs").glob("**/*.md")), ROOT / "README.md", ROOT / "assets/networks/README.md"]
    return {file.relative_to(ROOT).as_posix(): file.read_text(encoding="utf-8") for file in files}


def test_a_figure_is_in_one_place():
    """Guides keep a sentence with a link; `docs/figures/` has the table, once."""
    documents = texts()
    assert repeated(documents) == []
    misplaced = [
        (name, head)
        for name, text in documents.items()
        if not name.startswith("docs/figures/")
        for head, rows in tables(text)
        if has_figures(head, rows)
    ]
    assert misplaced == []


def test_tables_that_are_repeated_or_misplaced_are_found():
    table = "| a | points | games |\n|---|---|---|\n| `x` | 81 % ± 2 % | 400 |\n| `y` | 47 % | 20 |\n"
    speeds = "| env | decisions/s |\n|---|---|\n| chess | 5,000 |\n"
    plain = "| key | meaning |\n|---|---|\n| `n` | 1 to 5 |\n| `m` | 2 to 7 |\n"
    assert [
        len(list(tables(text))) for text in (table, f"text\n\n{speeds}\n{plain}", f"```\n{table}```\n")
    ] == [1, 2, 0]
    assert [has_figures(*next(tables(text))) for text in (table, speeds, plain)] == [True, True, False]
    assert [pair[:2] for pair in repeated({"one": table, "two": f"# Two\n\n{table}"})] == [("one", "two")]
    assert [pair[:2] for pair in repeated({"one": f"{table}\ntext\n\n{table}"})] == [("one", "one")]
    assert (
        repeated({"one": table, "two": plain, "three": speeds})
        == []
        == repeated({"one": plain + "\n" + speeds})
    )


def test_every_figures_page_names_machine_and_date_at_its_top():
    for name, text in texts().items():
        if name.startswith("docs/figures/") and "reliability" not in name:
            head, rows = next(tables(text))
            assert head == ["section", "machine", "date, commit"] and rows, name


@pytest.mark.parametrize("program", ["one_simulation", "rules_pictures"])
def test_drawings_of_pages_are_those_of_their_programs(program):
    for file, text in runpy.run_path(str(ROOT / "docs" / f"{program}.py"))["made"]().items():
        assert file.read_text(encoding="utf-8") == text, f"python docs/{program}.py writes {file.name}"


def test_benchmarks_write_their_part_of_a_page(tmp_path):
    figures = runpy.run_path(str(ROOT / "benches" / "figures.py"))
    cells = "       5.28 (0.77) 12%       5.09 (0.74) 9%" * 2 + "   4.79 (0.70) 11%"
    assert figures["throughput"](
        f"environment   processor\nchess  avx2  u8  779 {cells}\nC: 7.20\n"
    ).splitlines() == [
        "| environment | 256 | 1024 | 4096 | 16384 | 65536 |",
        "|---|---|---|---|---|---|",
        "| `chess` | 5.28 (0.77) | 5.09 (0.74) | 5.28 (0.77) | 5.09 (0.74) | 4.79 (0.70) |",
    ]
    printed = "64 simulations a move\nempires   5600000   431000   0.073   2.10   4.2   1270\n"
    assert figures["simulations"](printed).endswith("| `empires` | 431,000 | 0.073 | 2.1 times | 1,270 |")
    page = tmp_path / "page.md"
    page.write_text(
        "# P\n\n| speed | an old one | 2020 |\n\n<!-- written by w -->\nold\n<!-- end of w -->\n\nafter\n"
    )
    figures["write"](page, "w", "new\n")
    figures["dated"](page, "speed")
    text = page.read_text()
    assert "<!-- written by w -->\n\nnew\n\n<!-- end of w -->\n\nafter\n" in text and "old" not in text
    assert re.search(r"^\| speed \| .*cores \| \d{4}-\d\d-\d\d, \w+ \|$", text, re.M)
    with pytest.raises(SystemExit, match="no row 'memory'"):
        figures["dated"](page, "memory")


def test_writers_find_their_marks():
    """Each command writes into a part of a page that is there."""
    texts_of = texts()
    named = [writer for text in texts_of.values() for writer in re.findall("<!-- written by (.*) -->", text)]
    assert len(named) == len(set(named)) >= 6
    for name, text in texts_of.items():
        for writer in re.findall("<!-- written by (.*) -->", text):
            assert text.count(f"<!-- end of {writer} -->") == 1, (name, writer)
            assert (ROOT / writer).exists() or writer.startswith("cargo bench --bench "), writer
