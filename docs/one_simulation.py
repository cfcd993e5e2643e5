"""Draws the search tree after each of ten simulations: python docs/one_simulation.py.

Small World with three players and the shipped network. Writes `docs/pictures/simulations/`, and the part of
`docs/search/one_simulation.md` between its marks.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

import ludovec

DOCS = Path(__file__).parent
PAGE, PICTURES = DOCS / "search" / "one_simulation.md", DOCS / "pictures" / "simulations"
BEGIN, END = "<!-- written by docs/one_simulation.py -->", "<!-- end of docs/one_simulation.py -->"
#: The game, and its decisions before the search.
SEED, GAME, STEPS, SIMULATIONS = 1, 290, 58, 10
#: Width and height of a node, and the distances between nodes.
WIDTH, HEIGHT, ACROSS, DOWN = 132, 44, 146, 96
COLOURS = ("#0072b2", "#d55e00", "#009e73")

Node = dict[str, Any]
#: The way to a node: an action and the index of its outcome at every step.
Way = tuple[tuple[int, int], ...]


def trees() -> list[Node]:
    """The tree with the root alone, and after each simulation."""
    network = ludovec.Network("champion", "smallworld", players=3)
    options = {"players": 3, "reward": network.reward}
    env = ludovec.make("smallworld", 1, seed=SEED, first_game=GAME, **options)
    env.reset()
    for _ in range(STEPS):
        env.step(env.bot_actions("conqueror"))
    search = ludovec.TreeSearch(
        env, SIMULATIONS, method="puct", c_init=network.c_init, value="seats", reward=network.reward, seed=1
    )
    search.start()
    found = []
    while leaves := search.select():
        search.expand(*network(search.observations[:leaves], search.action_mask_bits[:leaves]))
        tree = search.tree_json(0, 16)
        assert tree is not None
        found.append(tree)
    return found


def nodes(node: Node, way: Way = ()) -> dict[Way, Node]:
    """All nodes below a node, by the way to them."""
    found = {way: node}
    for action in node.get("actions", []):
        for index, outcome in enumerate(action["outcomes"]):
            found |= nodes(outcome, (*way, (action["action"], index)))
    return found


def newest(before: Node, after: Node) -> Way:
    """The way to the node that a simulation added."""
    (way,) = nodes(after).keys() - nodes(before).keys()
    return way


def names(tree: Node, way: Way) -> list[str]:
    """The actions of a way as text, with the number of the outcome if there are several."""
    found, node = [], tree
    for action, index in way:
        taken = next(each for each in node["actions"] if each["action"] == action)
        found.append(taken["text"] + (f", outcome {index + 1}" if len(taken["outcomes"]) > 1 else ""))
        node = taken["outcomes"][index]
    return found


def values(node: Node) -> str:
    """The values of a node's players."""
    return ", ".join(f"{value:.1f}" for value in node["values"])


def drawing(tree: Node, new: Way) -> str:
    """The tree as SVG: the way of the newest simulation is bold, its leaf is filled."""
    places: dict[Way, tuple[float, int]] = {}

    def place(node: Node, way: Way, left: float) -> float:
        below = [
            (outcome, (*way, (action["action"], index)))
            for action in node.get("actions", [])
            for index, outcome in enumerate(action["outcomes"])
        ]
        right = left
        for outcome, child in below:
            right = place(outcome, child, right)
        right = max(right, left + ACROSS)
        inner = [places[child][0] for _, child in below]
        places[way] = (sum(inner) / len(inner) if inner else (left + right) / 2, len(way))
        return right

    width = place(tree, (), 0.0)
    height = (1 + max(depth for _, depth in places.values())) * DOWN - (DOWN - HEIGHT) + 8
    edges, boxes = [], []
    for way, node in nodes(tree).items():
        x, depth = places[way]
        y = depth * DOWN + 4
        on_way = new[: len(way)] == way
        for action in node.get("actions", []):
            for index, _ in enumerate(action["outcomes"]):
                child = (*way, (action["action"], index))
                bold = new[: len(child)] == child
                to, top = places[child][0], y + DOWN
                text = action["text"] + (f" #{index + 1}" if len(action["outcomes"]) > 1 else "")
                halo = 'text-anchor="middle" paint-order="stroke" stroke="#fff" stroke-width="4"'
                edges.append(
                    f'<path d="M{x:.0f} {y + HEIGHT}L{to:.0f} {top}" stroke="#6b7280" '
                    f'stroke-width="{3 if bold else 1}"/>'
                    f'<text x="{to:.0f}" y="{top - 22}" font-size="10.5" {halo} fill="#111827">'
                    f"{escape(text)}</text>"
                    f'<text x="{to:.0f}" y="{top - 10}" font-size="9.5" {halo} fill="#6b7280">'
                    f"prior {action['prior']:.2f}</text>"
                )
        colour, fill = COLOURS[node["player"]], "#fef3c7" if way == new else "#fff"
        visits = f"{node['visits']} visit{'s' if node['visits'] > 1 else ''}"
        boxes.append(
            f'<rect x="{x - WIDTH / 2:.0f}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="6" '
            f'fill="{fill}" stroke="{colour}" stroke-width="{3 if on_way else 1.5}"/>'
            f'<text x="{x:.0f}" y="{y + 18}" text-anchor="middle" font-size="12" fill="{colour}">'
            f"player {node['player']}, {visits}</text>"
            f'<text x="{x:.0f}" y="{y + 35}" text-anchor="middle" font-size="11.5" fill="#111827">'
            f"{values(node)}</text>"
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{width:.0f}" height="{height}" '
        f'viewBox="0 0 {width:.0f} {height}" font-family="Arial, Helvetica, sans-serif">'
        f"<title>a search tree with {tree['visits'] - 1} simulations</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(edges)}{"".join(boxes)}</svg>\n'
    )


def told(found: list[Node]) -> str:
    """The part of the page about each simulation."""
    parts = []
    for number, (before, after) in enumerate(pairwise(found), 1):
        way = newest(before, after)
        path, leaf = names(after, way), nodes(after)[way]
        root = after["values"][after["player"]]
        parts.append(
            f"### Simulation {number}\n\n"
            f"- Selection: {', '.join(f'`{name}`' for name in path)}.\n"
            f"- Expansion: player {leaf['player']} decides, with {leaf['legal_actions']} legal actions. "
            f"The network says {values(leaf)}.\n"
            f"- Backup: {len(way)} node{'s' if len(way) > 1 else ''} above. "
            f"The root's own value is now {root:.1f}.\n\n"
            f"![the tree after {number} simulation{'s' if number > 1 else ''}]"
            f"(../pictures/simulations/{number:02}.svg)\n"
        )
    return "\n".join(parts)


def made() -> dict[Path, str]:
    """The files with their contents."""
    found = trees()
    page = PAGE.read_text(encoding="utf-8")
    begin, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    files = {PAGE: f"{page[:begin]}\n\n{told(found)}\n{page[end:]}"}
    for number, (before, after) in enumerate(pairwise(found), 1):
        files[PICTURES / f"{number:02}.svg"] = drawing(after, newest(before, after))
    return files


if __name__ == "__main__":
    PICTURES.mkdir(parents=True, exist_ok=True)
    for file, text in made().items():
        file.write_text(text, encoding="utf-8", newline="\n")
        print(file)
