"""The word check of the repository, .ci/words.py: bad text is reported, good text is not."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

spec = importlib.util.spec_from_file_location("words", Path(__file__).parents[2] / ".ci/words.py")
words = importlib.util.module_from_spec(spec)
spec.loader.exec_module(words)

#: 24,000 words of comments, so that single words stay under the limits of the tree.
FILLER = "# The batch steps all games in one call.\n" * 3000


def problems(folder, **files):
    """Problems of files, by name with `_` for the last dot, beside a file of good comments."""
    files = {name[::-1].replace("_", ".", 1)[::-1]: text for name, text in files.items()}
    for name, text in {"filler.py": FILLER, **files}.items():
        (folder / name).write_text(text, "utf-8")
    return list(words.Report(folder, ["filler.py", *files]).problems())


@pytest.mark.parametrize("word", [word for word, limit in words.WORDS.items() if limit.file == 0])
@pytest.mark.parametrize(
    "name, text",
    [
        ("comment_py", "x = 1  # here it {}\n"),
        ("docstring_py", 'def f():\n    """Here it {}."""\n'),
        ("attribute_pyi", 'class A:\n    x: int\n    """Here it {}."""\n'),
        ("line_rs", 'let url = "http://a"; // here it {}\n'),
        ("doc_rs", "/// Here it\n/// {}.\nfn f<'a>() {{}}\n"),
        ("block_rs", "/* Here\n it {} */\n"),
        ("script_js", "const quote = '\"'; // here it {}\n"),
    ],
)
def test_a_forbidden_word_in_a_comment_is_reported(tmp_path, name, text, word):
    (problem,) = problems(tmp_path, **{name: text.format(word)})
    assert problem.startswith(f"{name[::-1].replace('_', '.', 1)[::-1]}: '{word}' 1 times"), problem


@pytest.mark.parametrize(
    "name, text",
    [
        ("code_py", 'nobody = "stands"\nprint("nobody", nobody)\n'),
        ("inline_py", "# The variable `nobody` is a player.\n"),
        ("part_py", "# Somebodys and understands are other words.\n"),
        ("code_rs", 'let nobody = "// stands"; let raw = r#"/* lies "anew" */"#; let c = \'"\';\n'),
        ("url_js", "const url = `https://nobody/${stands}`;\n"),
    ],
)
def test_code_strings_and_other_words_are_not_reported(tmp_path, name, text):
    assert problems(tmp_path, **{name: text}) == []


def test_a_file_may_have_a_few_of_the_other_words(tmp_path):
    most = words.WORDS["who"].file
    assert problems(tmp_path, a_py="# who\n" * most) == []
    assert problems(tmp_path, a_py="# who\n" * (most + 1)) == [
        f"a.py: 'who' {most + 1} times in comments, {most} are allowed"
    ]


def test_the_tree_has_a_limit_per_10000_words(tmp_path):
    most = words.WORDS["what"].file
    spread = {f"part{k}_py": "# what\n" * most for k in range(8)}
    (problem,) = problems(tmp_path, **spread)
    assert problem.startswith("comments: 'what'") and problem.endswith("per 10,000 words, 12 are allowed")


def sentence(length):
    return " ".join(["word"] * length) + "."


def lines(length):
    return "\n".join([sentence(length)] * 6)


def test_long_sentences_are_reported_for_the_page_and_for_all(tmp_path):
    short = "\n\n".join([sentence(10)] * 40)
    assert problems(tmp_path, short_md=short, even_md=lines(20)) == []
    (problem,) = problems(tmp_path, short_md=short, long_md=lines(21))
    assert problem == "long.md: 21.0 words a sentence on average, 20 are allowed"
    (problem,) = problems(tmp_path, long_md=lines(18))
    assert problem == "documents: 18.0 words a sentence on average, 17 are allowed"


def test_code_tables_headings_and_link_targets_are_not_prose():
    long = sentence(50)
    page = f"# {long}\n\n```text\n{long}\n```\n\n| {long} |\n\n- {sentence(4)}\n- {sentence(6)}\n"
    assert words.sentence_lengths(page) == [4, 6]
    assert words.sentence_lengths("Read [the guide](one-two-three/four_five.md) and play. Then go on!") == [
        5,
        3,
    ]


def test_long_lines_are_reported_outside_code_tables_and_links(tmp_path):
    long = "x" * 121
    link = f"[a page](https://example.org/{long})"
    fine = f"```\n{long}\n```\n| {long} |\n{link}\nhttps://example.org/{long}\n{'x' * 120}\n"
    assert problems(tmp_path, page_md=fine) == []
    assert problems(tmp_path, page_md=f"{fine}{long}\n") == ["page.md:8: 121 characters, 120 are allowed"]


def test_pages_of_the_site_have_headings_and_narrow_code(tmp_path):
    (tmp_path / "docs" / "api").mkdir(parents=True)
    code = f"```python\n{'x' * 72}\n{'x' * 73}\n## no heading\n```\n"
    inside, outside = {"docs/page.md": code, "docs/api/page.md": code}, {"page.md": code}
    for name, text in {**inside, **outside}.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert list(words.Report(tmp_path, [*inside, *outside]).problems()) == [
        "docs/page.md:3: 73 characters of code, 72 are allowed",
        "docs/api/page.md:3: 73 characters of code, 72 are allowed",
        "docs/page.md: no headings",
    ]
    (tmp_path / "docs" / "page.md").write_text(f"# Page\n\n## Part\n\n{code.replace('x' * 73, 'x')}", "utf-8")
    assert list(words.Report(tmp_path, ["docs/page.md"]).problems()) == []


def test_the_command_reads_committed_files_and_exits_with_1_for_problems(tmp_path, capsys):
    (tmp_path / "good.py").write_text("# The batch steps all games.\n")
    (tmp_path / "ignored.py").write_text("# Nobody stands.\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "-C", tmp_path, "add", "good.py"], check=True)
    assert words.main([str(tmp_path), "--check"]) == 0
    assert capsys.readouterr().out.strip() == ""
    subprocess.run(["git", "-C", tmp_path, "add", "ignored.py"], check=True)
    assert words.main([str(tmp_path), "--check"]) == 1
    assert "ignored.py: 'nobody' 1 times in comments, 0 are allowed" in capsys.readouterr().out.splitlines()
    assert words.main([str(tmp_path)]) == 0
    assert "words of comments" in capsys.readouterr().out


def test_examples_in_docstrings_of_the_package_are_narrow(tmp_path):
    """They are code on pages of the site; other code may be as wide as the formatter lets it be."""
    (tmp_path / "python" / "ludovec").mkdir(parents=True)
    narrow, wide = f">>> {'x' * 84}", f">>> {'x' * 85}"
    function = f'def f():\n    """Function.\n\n    {wide}\n    """\n'
    text = f'"""Module.\n\n{narrow}\n"""\n\n\n{function}\n\n{wide[4:]} = 1\n'
    for name in ["python/ludovec/page.py", "page.py"]:
        (tmp_path / name).write_text(text, "utf-8")
    assert list(words.Report(tmp_path, ["python/ludovec/page.py", "page.py"]).problems()) == [
        "python/ludovec/page.py:8: 89 characters of code, 88 are allowed"
    ]
