"""Runs the examples of a page, without those that need a missing library, or names from them."""

import ast
import re
import symtable
from types import ModuleType


def blocks(file):
    """The examples of a page."""
    return re.findall(r"^```python\n(.*?)^```", file.read_text(), re.M | re.S)


def _tables(table):
    yield table
    for child in table.get_children():
        yield from _tables(child)


def needed_and_bound(statement):
    """Names and modules (``a.b``) that a statement uses, and those that it binds."""
    top = symtable.symtable(ast.unparse(statement), "statement", "exec")
    needed = {
        symbol.get_name()
        for table in _tables(top)
        for symbol in table.get_symbols()
        if symbol.is_referenced() and (table is top or symbol.is_global())
    }
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute):
            needed.add(ast.unparse(node))
        elif isinstance(node, ast.Import):
            bound.update(alias.name for alias in node.names if alias.asname is None)
    return needed, bound


class Page:
    """The names of a page while its examples run.

    Args:
        file: The name of the page in tracebacks.
        optional: Libraries that may be missing: an example ends where it imports one.
    """

    def __init__(self, file, optional):
        self.file, self.optional = file, optional
        self.names = {}
        #: Names and modules that examples would have bound.
        self.lost = set()

    def run(self, code):
        """Runs an example. Returns whether it ran to its end: it is left out if it needs a lost name, and
        ends where it imports a missing library. All other errors are raised."""
        statements = ast.parse(code).body
        bound = set()
        for statement in statements:
            needed, more = needed_and_bound(statement)
            if needed & self.lost - bound:
                self._lose(statements)
                return False
            bound |= more
        try:
            exec(compile(code, self.file, "exec"), self.names)
        except ImportError as error:
            if (error.name or "").partition(".")[0] not in self.optional:
                raise
            line = self._line(error.__traceback__)
            self._lose([each for each in statements if each.end_lineno >= line])
            return False
        self.lost -= bound
        return True

    def _line(self, traceback):
        while traceback.tb_frame.f_code.co_filename != self.file:
            traceback = traceback.tb_next
        return traceback.tb_lineno

    def _lose(self, statements):
        for statement in statements:
            _, bound = needed_and_bound(statement)
            # Modules that other examples imported stay.
            self.lost |= {name for name in bound if not isinstance(self.names.get(name), ModuleType)}
