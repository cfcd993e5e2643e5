"""What ``ludovec/typing.py`` must hold: names and options as types, from what the engine says of itself."""

import textwrap

import ludovec

ALIASES = {
    "autoreset": ("Autoreset", "What happens when a game ends; as in Gymnasium."),
    "obs": ("ObservationFormat", "How observations are written."),
    "mask": ("MaskFormat", "How legal actions are written."),
    "pairings": ("Pairings", "Who meets whom in a tournament."),
}


def literal(words):
    listed = "".join(f'    "{word}",\n' for word in words)
    return f"Literal[\n{listed}]"


def type_of(option):
    """The type of an option's value."""
    match option["type"]:
        case "int":
            plain = "int"
        case "bool":
            plain = "bool"
        case "choice":
            plain = "Literal[" + ", ".join(f'"{word}"' for word in option["values"]) + "]"
        case "flags":
            # Comma-separated, or a list of words.
            plain = "str | Sequence[str]"
        case _:
            plain = "str | PathLike[str]"
    return f"{plain} | None" if option["default"] is None else plain


def members(options):
    lines = []
    for option in options:
        lines.append(f"    {option['name']}: {type_of(option)}")
        text = option["help"][0].upper() + option["help"][1:] + "."
        lines += [f"    {line}" for line in textwrap.wrap(f'"""{text}"""', 100)]
    return "\n".join(lines)


def everything():
    """The options of all environments: a name is one option wherever it is, or its types are joined."""
    found = {}
    for id in ludovec.list_envs():
        for option in ludovec.spec(id).option_list:
            found.setdefault(option["name"], []).append(type_of(option))
    lines = []
    for name, types in found.items():
        parts = dict.fromkeys(part for type in types for part in type.split(" | "))
        lines.append(f"    {name}: " + " | ".join(parts))
    return "\n".join(lines)


def source():
    """The whole file."""
    blocks = [
        '"""Names and options as types: for annotations, and so that a typo is an error '
        "before anything runs.\n\n"
        "Generated from the engine: ``LUDOVEC_UPDATE=1 pytest python/tests/test_typing.py`` writes it anew.\n"
        '"""',
        "from __future__ import annotations\n\n"
        "from collections.abc import Sequence\nfrom os import PathLike\n"
        "from typing import Literal, TypedDict",
        f'EnvId = {literal(ludovec.list_envs())}\n"""The ids of the environments."""',
    ]
    for argument, words in ludovec._core.words():
        name, help = ALIASES[argument]
        blocks.append(f'{name} = {literal(words)}\n"""{help}"""')
    for id in ludovec.list_envs():
        spec = ludovec.spec(id)
        head = f'class {spec.name}Options(TypedDict, total=False):\n    """Options of ``{id}``."""\n\n'
        blocks.append("\n" + head + members(spec.option_list))
    help = '"""Options of any environment; each has some of them."""'
    head = f"class Options(TypedDict, total=False):\n    {help}\n\n"
    blocks.append("\n" + head + everything())
    return "\n\n".join(blocks) + "\n"
