"""Checks the language of comments and documents: python .ci/words.py [--check] [DIR].

Comments (Rust, Python, stubs, JavaScript): words that make sentences without a noun have a limit per 10,000
words of the tree and a limit per file. Documents (.md): sentences have a maximum mean length, over all pages and
on each page, and lines have a maximum length. Pages of the site have headings, and narrower lines of code.

Prints a table; with --check, one line per problem, and exits with 1 if there is one.
"""

import argparse
import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path
from typing import NamedTuple


class Limit(NamedTuple):
    """Maximum number of occurrences of a word."""

    #: Per 10,000 words of comments of the tree.
    tree: float
    #: In a single file.
    file: int


WORDS = {
    "what": Limit(12, 4),
    "whose": Limit(2, 2),
    "who": Limit(8, 4),
    "those": Limit(4, 3),
    "whatever": Limit(1, 1),
    "stands": Limit(1, 0),
    "lies": Limit(1, 0),
    "nobody": Limit(0.5, 0),
    "somebody": Limit(0.5, 0),
    "anew": Limit(0.5, 0),
    "whoever": Limit(0.5, 0),
}
#: Maximum mean length of sentences, in words: over all documents, and on a page.
MEAN_SENTENCE, MEAN_SENTENCE_OF_PAGE = 17.0, 20.0
#: Pages with fewer sentences than this have no meaningful mean.
FEWEST_SENTENCES = 5
#: Maximum length of a line of a document outside code, tables and link targets.
LONGEST_LINE = 120
#: Maximum length of a line of code on a page of the site, which fits a window of 1280 pixels without scrolling; and
#: in the examples of docstrings in this folder, which are on pages without a table of contents as wide.
LONGEST_CODE, LONGEST_EXAMPLE, DOCUMENTED = 72, 88, "python/ludovec/"
#: Pages of the site; pages of these folders need no headings, because they are generated or have one part.
SITE, WITHOUT_HEADINGS = "docs/", ("docs/api/", "docs/build/")
#: Pages with narrow code.
NARROW = (SITE, "README.md")

#: A string or a comment of Rust or JavaScript; strings come first, because they may contain `//`.
TOKEN = re.compile(
    r"""
    r(?P<hashes>\#*)".*?"(?P=hashes)        # raw string of Rust
    | "(?:\\.|[^"\\])*"                     # string
    | '(?:\\[^\n]|[^'\\\n])'                # character; a lifetime has no closing quote
    | `(?:\\.|[^`\\])*`                     # template of JavaScript
    | //[/!]?(?P<line>[^\n]*)
    | /\*(?P<block>.*?)\*/
    """,
    re.VERBOSE | re.DOTALL,
)


def comments_of_python(text):
    """Comments and all bare strings, which are docstrings of modules, classes, functions and attributes."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string.lstrip("#:! ")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            if isinstance(node.value.value, str):
                yield node.value.value


def comments_of_braces(text):
    """Comments of Rust and JavaScript."""
    for token in TOKEN.finditer(text):
        comment = token["line"] if token["line"] is not None else token["block"]
        if comment is not None:
            yield comment


COMMENTS = {
    ".py": comments_of_python,
    ".pyi": comments_of_python,
    ".rs": comments_of_braces,
    ".js": comments_of_braces,
}


def words_of(text):
    """Words in lower case, without inline code."""
    return re.findall(r"[a-z']+", re.sub(r"`[^`\n]*`", " ", text).lower())


def prose_of(page):
    """The page without code blocks, tables, headings, pictures and HTML, with list items as paragraphs."""
    page = re.sub(r"^ *```.*?^ *```", "", page, flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in page.split("\n") if not re.match(r"\s*(\||#|!\[|<)", line)]
    return "\n".join(re.sub(r"^\s*([-*]|\d+\.)\s", "\n", line) for line in lines)


def sentence_lengths(page):
    """Number of words of every sentence of a page; fragments of one or two words are skipped."""
    paragraphs = re.split(r"\n\s*\n", prose_of(page))
    sentences = [s for paragraph in paragraphs for s in re.split(r"(?<=[.!?])\s+", paragraph)]
    lengths = [len(re.findall(r"[A-Za-z][A-Za-z'-]*", re.sub(r"\]\([^)]*\)", "]", s))) for s in sentences]
    return [length for length in lengths if length >= 3]


def long_lines(page):
    """Numbers and lengths of lines over the limit, outside code blocks, tables and link targets."""
    in_code = False
    for number, line in enumerate(page.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        length = len(re.sub(r"\]\([^)]*\)|<?https?://\S+", "", line))
        if not in_code and not line.lstrip().startswith("|") and length > LONGEST_LINE:
            yield number, length


def long_code(page):
    """Numbers and lengths of lines of code over the limit of the site."""
    in_code = False
    for number, line in enumerate(page.split("\n"), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif in_code and len(line) > LONGEST_CODE:
            yield number, len(line)


def long_examples(source):
    """Numbers and lengths of lines of docstrings' examples over the limit of the site."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            for line in (ast.get_docstring(node) or "").split("\n"):
                if re.match(r" *(>>>|\.\.\.)", line) and len(line) > LONGEST_EXAMPLE:
                    yield node.body[0].lineno, len(line)


def has_headings(page):
    """Whether a page has a heading below its title."""
    return re.search(r"^## ", re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE), re.M) is not None


class Report:
    """Counts over some files of a tree."""

    def __init__(self, root, names):
        self.words = Counter()
        self.total = 0
        self.files = {}
        self.pages = {}
        self.long_lines = []
        self.long_code = []
        self.without_headings = []
        for name in names:
            path = Path(root, name)
            if path.suffix in COMMENTS and path.is_file():
                self._add_source(name, path)
            elif path.suffix == ".md" and path.is_file():
                self._add_page(name, path.read_text("utf-8"))

    def _add_source(self, name, path):
        comments = COMMENTS[path.suffix](path.read_text("utf-8"))
        found = [word for comment in comments for word in words_of(comment)]
        if name.startswith(DOCUMENTED) and path.suffix == ".py":
            examples = long_examples(path.read_text("utf-8"))
            self.long_code += [(name, number, length, LONGEST_EXAMPLE) for number, length in examples]
        self.total += len(found)
        self.files[name] = Counter(word for word in found if word in WORDS)
        self.words += self.files[name]

    def _add_page(self, name, page):
        self.long_lines += [(name, number, length) for number, length in long_lines(page)]
        if name.startswith(NARROW):
            self.long_code += [(name, number, length, LONGEST_CODE) for number, length in long_code(page)]
        if name.startswith(SITE):
            if not name.startswith(WITHOUT_HEADINGS) and not has_headings(page):
                self.without_headings.append(name)
        lengths = sentence_lengths(page)
        if len(lengths) >= FEWEST_SENTENCES:
            self.pages[name] = lengths

    def rate(self, word):
        """Occurrences per 10,000 words of comments."""
        return 1e4 * self.words[word] / max(self.total, 1)

    def mean(self, name=None):
        """Mean length of sentences in words: of a page, or of all."""
        pages = self.pages.values() if name is None else [self.pages[name]]
        lengths = [length for page in pages for length in page]
        return sum(lengths) / max(len(lengths), 1)

    def problems(self):
        """One line per violation of a limit."""
        for word, limit in WORDS.items():
            rate = self.rate(word)
            if rate > limit.tree:
                yield f"comments: {word!r} {rate:.1f} times per 10,000 words, {limit.tree:g} are allowed"
            for name, found in self.files.items():
                if found[word] > limit.file:
                    yield f"{name}: {word!r} {found[word]} times in comments, {limit.file} are allowed"
        if self.mean() > MEAN_SENTENCE:
            yield f"documents: {self.mean():.1f} words a sentence on average, {MEAN_SENTENCE:g} are allowed"
        for name in self.pages:
            if self.mean(name) > MEAN_SENTENCE_OF_PAGE:
                mean, allowed = self.mean(name), MEAN_SENTENCE_OF_PAGE
                yield f"{name}: {mean:.1f} words a sentence on average, {allowed:g} are allowed"
        for name, number, length in self.long_lines:
            yield f"{name}:{number}: {length} characters, {LONGEST_LINE} are allowed"
        for name, number, length, allowed in self.long_code:
            yield f"{name}:{number}: {length} characters of code, {allowed} are allowed"
        for name in self.without_headings:
            yield f"{name}: no headings"

    def table(self):
        """The counts of words, and the pages with the longest sentences."""
        yield f"{self.total:,} words of comments; per 10,000 words (limit):"
        for word, limit in WORDS.items():
            yield f"  {word:9} {self.rate(word):6.1f} ({limit.tree:g})"
        yield f"documents: {self.mean():.1f} words a sentence ({MEAN_SENTENCE:g}), by page:"
        for name in sorted(self.pages, key=self.mean, reverse=True)[:10]:
            yield f"  {self.mean(name):5.1f} {name}"
        yield f"{len(self.long_lines)} lines of documents over {LONGEST_LINE} characters"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", nargs="?", default=Path(__file__).parents[1], metavar="DIR")
    parser.add_argument("--check", action="store_true", help="print problems only")
    given = parser.parse_args(arguments)
    names = subprocess.run(
        ["git", "-C", given.root, "ls-files", "-z"], check=True, text=True, stdout=subprocess.PIPE
    ).stdout
    report = Report(given.root, names.split("\0"))
    lines = list(report.problems() if given.check else report.table())
    print("\n".join(lines))
    return int(given.check and bool(lines))


if __name__ == "__main__":
    sys.exit(main())
