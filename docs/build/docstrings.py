"""Converts docstrings to Markdown: roles to links, tables and examples to Markdown's."""

import re

import griffe

ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([\w.]+)`")
RULE = re.compile(r"^=+(?: +=+)+$")
TOGETHER = re.compile(r"^    (\w+(?:, \w+)+): (.*)")
UNPACKED = re.compile(r"Unpack\[(\w+)\]")


def table(lines: list[str]) -> list[str]:
    """Converts a simple table (three rules) to Markdown; lines without a first cell continue a row."""
    ends = [match.span() for match in re.finditer("=+", lines[0])]
    starts = [start for start, _ in ends]
    rows: list[list[str]] = []
    for line in lines[1:]:
        if RULE.match(line):
            continue
        cells = [line[a:b].strip() for a, b in zip(starts, [*starts[1:], None])]
        if cells[0] or not rows:
            rows.append(cells)
        else:
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells)]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    if sum(bool(RULE.match(line)) for line in lines) == 2:
        rows.insert(0, [""] * len(starts))
    rows.insert(1, ["---"] * len(starts))
    return ["| " + " | ".join(row) + " |" for row in rows]


def one_a_line(lines: list[str]) -> list[str]:
    """Splits arguments with a common description, `a, b: ...`, into one entry each."""
    result, at = [], 0
    while at < len(lines):
        together = TOGETHER.match(lines[at])
        end = at + 1
        if together:
            while end < len(lines) and lines[end].startswith(" " * 5):
                end += 1
            for name in together[1].split(", "):
                result += [f"    {name}: {together[2]}", *lines[at + 1 : end]]
        else:
            result.append(lines[at])
        at = end
    return result


def markdown(text: str, scope: griffe.Object) -> str:
    """The Markdown of a docstring of the object ``scope``."""

    def link(match: re.Match[str]) -> str:
        name = match[1]
        path = name
        if not name.startswith("ludovec."):
            try:
                path = scope.resolve(name.split(".")[0]) + name[len(name.split(".")[0]) :]
            except griffe.NameResolutionError:
                return f"`{name}`"
        # Optional: a name without a page stays plain code.
        return f'<autoref optional identifier="{path}"><code>{name}</code></autoref>'

    lines, result, at = one_a_line(text.splitlines()), [], 0
    while at < len(lines):
        line = lines[at]
        if RULE.match(line):
            end = at + 2
            while not (RULE.match(lines[end]) and not "".join(lines[end + 1 : end + 2]).strip()):
                end += 1
            result += ["", *table(lines[at : end + 1]), ""]
            at = end + 1
        elif line.startswith((">>>", "... ")):
            end = at
            while end < len(lines) and lines[end].strip():
                end += 1
            result += ["", "```pycon", *lines[at:end], "```", ""]
            at = end
        else:
            result.append(line)
            at += 1
    return ROLE.sub(link, "\n".join(result))


def spell_out(function: griffe.Function, text: str) -> None:
    """Replaces `**name: Unpack[...]` in the signature by the keys of the TypedDict that `text` documents."""
    for parameter in list(function.parameters):
        unpacked = UNPACKED.fullmatch(str(parameter.annotation))
        if unpacked:
            members = function.modules_collection[function.resolve(unpacked[1])].all_members
            described = [key for key in members if re.search(rf"^    {key}: ", text, re.M)]
            if described:
                del function.parameters[parameter.name]
            for key in described:
                function.parameters.add(
                    griffe.Parameter(
                        key,
                        annotation=members[key].annotation,
                        kind=griffe.ParameterKind.keyword_only,
                        default="...",
                    )
                )


class Docstrings(griffe.Extension):
    """Converts every docstring when its module is loaded."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        """Runs once all names are known."""
        self._visit(pkg)

    def _visit(self, obj: griffe.Object) -> None:
        if obj.docstring and isinstance(obj, griffe.Function):
            spell_out(obj, obj.docstring.value)
        if obj.docstring:
            obj.docstring.value = markdown(obj.docstring.value, obj)
        for member in obj.members.values():
            if not member.is_alias:
                self._visit(member)
