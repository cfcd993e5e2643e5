"""Generates the reference part of an environment's page from its spec, `env_spec/<env>.json`."""

import json
import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from math import ceil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
#: Titles of the environments in CHANGELOG.md.
TITLES = {
    "smallworld": "Small World",
    "tilewe": "Tilewe",
    "chess": "Chess",
    "starwars_risk": "Star Wars Risk",
    "empires": "Terminal of Empires",
}
Spec = dict[str, Any]


def spec(env: str) -> Spec:
    """The spec of an environment, as printed by `ludovec spec ENV`."""
    text = (ROOT / "env_spec" / f"{env}.json").read_text()
    read: Spec = json.loads(text)
    return read


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in lines)


def colour(index: int) -> str:
    """A colour that differs from its neighbours'."""
    return f"hsl({index * 137.508 % 360:.0f} 65% {(74, 62, 82)[index % 3]}%)"


def layout(parts: Sequence[tuple[str, int, int]], total: int, what: str) -> str:
    """Draws ranges (name, first, count) of `total` numbers line by line, as SVG.

    For large totals a column represents several numbers; the ruler at the left counts single numbers.
    """
    columns, lines = 64, 20
    unit = max(1, ceil(total / (columns * lines)))
    a_line = columns * unit
    width, height, left = 12, 24, 64
    drawn = []
    for index, (name, first, count) in enumerate(parts):
        end, at, pieces = first + count, first, []
        while at < end:
            line, until = at // a_line, min(end, (at // a_line + 1) * a_line)
            x, w = left + (at % a_line) / unit * width, (until - at) / unit * width
            pieces.append((w, x, line * height))
            at = until
        drawn.append(f"<g><title>{escape(name)}: {first} to {end - 1}</title>")
        for w, x, y in pieces:
            drawn.append(
                f'<rect x="{x:.2f}" y="{y}" width="{w:.2f}" height="{height - 3}" fill="{colour(index)}" '
                'stroke="#fff" stroke-width=".8"/>'
            )
        w, x, y = max(pieces)
        if w > 7 * len(name) + 4:
            drawn.append(
                f'<text x="{x + w / 2:.1f}" y="{y + 15}" font-size="11" text-anchor="middle" fill="#111">'
                f"{escape(name)}</text>"
            )
        drawn.append("</g>")
    rows = ceil(total / a_line)
    ruler = [
        f'<text x="{left - 6}" y="{line * height + 15}" font-size="10" text-anchor="end" '
        f'fill="currentColor">{line * a_line:,}</text>'
        for line in range(rows)
    ]
    said = f"{total:,} {what}"
    return (
        f'<svg viewBox="0 0 {left + columns * width} {rows * height}" role="img" '
        'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif">'
        f"<title>{escape(said)}</title>{''.join(ruler)}{''.join(drawn)}</svg>"
    )


def elements(field: Spec) -> int:
    """Number of elements of a field."""
    count = 1
    for size in field["shape"]:
        count *= size
    return count


def sizes(part: Spec) -> str:
    """The shape of a part, with the table that names the indices along an axis: "3 x 3 `army` x 6"."""
    shape = part.get("shape") or ([part["count"]] if "count" in part else [])
    axes = part.get("values", {}).get("axes", [])
    names = [*axes, *[None] * (len(shape) - len(axes))]
    return " x ".join(f"{size} `{name}`" if name else str(size) for size, name in zip(shape, names))


def meaning(part: Spec) -> str:
    """The meaning of a part, with the tables that name its numbers or bits."""
    values = part.get("values", {})
    named = [
        f"{key}: `{values[word]}`"
        for key, word in (("numbers", "element"), ("bits", "bits"))
        if word in values
    ]
    named += [f"{name}: `{of}`" for name, of in values.get("elements", {}).items()]
    return f"{part['meaning']} ({'; '.join(named)})" if named else str(part["meaning"])


def actions(env: Spec) -> str:
    """The action families: a drawing and a table."""
    families = env["actions"]
    drawing = layout([(f["name"], f["offset"], f["count"]) for f in families], env["num_actions"], "actions")

    def count(family: Spec) -> str:
        return f"{family['count']} = {sizes(family)}" if "shape" in family else sizes(family)

    rows = [
        (f"`{f['name']}`", f["offset"], f["offset"] + f["count"] - 1, count(f), meaning(f)) for f in families
    ]
    return (
        f"An action is an integer from 0 to {env['num_actions'] - 1:,}. It belongs to one of these "
        "families, in which it has the index `i`. Read the lines of the drawing like text. The number before "
        "a line is its first action."
        f"\n\n{drawing}\n\n{table(('family', 'first', 'last', 'actions', 'i-th action'), rows)}"
    )


def observation(env: Spec) -> str:
    """The observation fields: a drawing and a table."""
    fields = env["observation"]
    shape = env["observation_shape"]
    if len(shape) == 3:
        # Channel-last planes: draws the numbers of one square.
        parts = [(f["name"], f["offset"], f["shape"][-1]) for f in fields]
        drawing = layout(parts, shape[-1], f"numbers of a square, of {shape[0]} x {shape[1]}")
        which = f"the {shape[-1]} numbers of one square"
    else:
        parts = [(f["name"], f["offset"], elements(f)) for f in fields]
        drawing = layout(parts, shape[0], "numbers")
        which = "its numbers"

    def row(field: Spec) -> tuple[object, ...]:
        scale = "1" if field["scale"] == 1 else f"1/{round(1 / field['scale'])}"
        return f"`{field['name']}`", field["offset"], sizes(field), field["high"], scale, meaning(field)

    return (
        f"uint8 [{', '.join(map(str, shape))}]: the observation of the current player, which comes first. "
        f"The drawing shows {which}.\n\n{drawing}\n\n"
        + table(("field", "offset", "shape", "highest", "scale", "meaning"), map(row, fields))
        + "\n\nAn offset counts elements of the flattened observation. `float32` observations are these "
        "numbers times their scale. Packed observations have "
        f"{env['packed']['row_bytes']:,} bytes ([packed observations](../use/step.md#packed-observations))."
    )


def entries(names: Sequence[str]) -> str:
    """The entries of a table; equal neighbours are joined, and a long table is cut in the middle."""
    parts = []
    for name, group in groupby(enumerate(names), lambda entry: entry[1]):
        numbers = [number for number, _ in group]
        parts.append(f"{numbers[0]}{f' to {numbers[-1]}' if len(numbers) > 1 else ''}: {name}")
    return "; ".join(parts if len(parts) <= 30 else [*parts[:10], "...", parts[-1]])


def values(env: Spec) -> str:
    """The tables that name indices, numbers and bits."""
    families = {family["name"] for family in env["actions"]}
    tables = env["values"]
    rows = [(f"`{name}`", entries(names)) for name, names in tables.items() if name not in families]
    tiles = [(f"`{name}`", " ".join(names)) for name, names in tables.items() if name in families]
    said = (
        f'`ludovec.spec("{env["env"]}").values` has these tables. Above, the name of a table follows the '
        "size of the axis that it names, or the word numbers or bits.\n\n" + table(("table", "entries"), rows)
    )
    if tiles:
        said += (
            "\n\nThe tables of action families list the covered tiles, with the lower left of the bounding "
            "box on a1.\n\n" + table(("family", "tiles"), tiles)
        )
    return said


def state(env: Spec) -> str:
    """The columns of the true state."""
    rows = [(f"`{c['name']}`", c["dtype"], sizes(c) or "scalar", meaning(c)) for c in env["state"]]
    hidden = ", hidden information included" if env["hidden_information"] else ""
    return (
        f"`env.state_columns()` shows the true state of every game{hidden} ([columns of the "
        "state](../use/state.md#columns-of-the-state)). The largest number of a type means none."
        f"\n\n{table(('column', 'type', 'shape', 'meaning'), rows)}"
    )


def allowed(option: Spec) -> str:
    """The allowed values of an option."""
    if option["type"] == "int":
        return f"{option['min']:,} to {option['max']:,}"
    if option["type"] in ("choice", "flags"):
        words = ", ".join(f"`{value}`" for value in option["values"])
        return words if option["type"] == "choice" else f"any of {words}"
    return {"bool": "`true`, `false`", "text": "text"}[option["type"]]


def options(env: Spec) -> str:
    """The options of the environment as a table."""

    def default(option: Spec) -> str:
        value = env["options"][option["name"]]
        return "none" if value in (None, []) else f"`{json.dumps(value).strip(chr(34))}`"

    rows = [(f"`{o['name']}`", allowed(o), default(o), o["help"]) for o in env["option_list"]]
    return table(("option", "allowed", "default", "meaning"), rows)


def versions(env: str) -> str:
    """The versions of the environment: its rows in the tables of CHANGELOG.md."""
    text = (ROOT / "CHANGELOG.md").read_text()
    rows = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        release, _, body = section.partition("\n")
        for line in body.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells[0] == TITLES[env]:
                rows.append((release.strip(), *cells[1:]))
    said = (
        f"This page describes version {spec(env)['version']}. The version changes whenever the same seed and "
        "actions would lead to other bytes. See also the [changes of the package](../changelog.md)."
    )
    return f"{said}\n\n{table(('release', 'version', 'changes'), rows)}" if rows else said


def page(env: str) -> str:
    """The generated part of an environment's page."""
    s = spec(env)
    low, high = s["reward_range"]
    facts = [
        ("players", s["players"]),
        ("actions", f"{s['num_actions']:,}"),
        ("observation", " x ".join(map(str, s["observation_shape"])) + " uint8"),
        ("state", f"{s['state_bytes']:,} bytes"),
        ("hidden information", "yes" if s["hidden_information"] else "no"),
        ("longest episode", f"{s['max_episode_steps']:,} decisions"),
        ("version", s["version"]),
    ]
    bots = table(("bot", "plays"), ((f"`{b['name']}`", b["help"]) for b in s["bots"]))
    return f"""
## In figures

These figures are for the default options. `ludovec spec {env} --set key=value` prints them for others.

{table(("", ""), facts)}

## Actions

{actions(s)}

## Observation

{observation(s)}

## State

{state(s)}

## Names of numbers

{values(s)}

## Options

`ludovec.make("{env}", num_envs, key=value)`, or `--set key=value` on the command line.

{options(s)}

## Rewards

The score is: {s["score"]}. With the options above, a step pays a player {low:g} to {high:g}.

| `reward=` | pays |
|---|---|
| `outcome` | 0 until the end, then by rank in [-1, 1]; zero-sum |
| `score` | the change of the score at every step |

A learner stores the [credit](../use/step.md#turns-and-credit) with a decision, not the reward of one step.

## Bots

{bots}

[Players](../search/players.md) lists the players of every environment, with networks and programs.

## Versions

{versions(env)}

Programs read the same from [`env_spec/{env}.json`](../../env_spec/{env}.json).
"""
