"""Draws docs/credit.svg from a real game: python docs/credit.py"""

from pathlib import Path

import ludovec

SHOWN = 8
LANE, LEFT, STEP, TOP = 56, 120, 86, 72
FONT = "Arial, Helvetica, sans-serif"
COLORS = ("#2f6fb0", "#b8860b", "#b03a2e")


def played():
    """The last decisions of a game and the first of the next: player, and infos after the decision."""
    env = ludovec.make("tilewe", 1, players=3, seed=3)
    _, info = env.reset()
    rows, more = [], 3
    while more:
        mover = int(info["current_player"][0])
        *_, info = env.step(env.sample_actions())
        ended = bool(env.done[0])
        credit = info["final_info"]["credit"] if ended else info["credit"]
        following = int(info["current_player"][0])
        rows.append((mover, ended, credit[0].tolist(), following, float(info["credit_of_mover"][0])))
        more -= more < 3 or ended
    return rows[-SHOWN - 2 :]


def text(x, y, words, **attributes):
    style = {"font-size": 13, "text-anchor": "middle", "fill": "#222", **attributes}
    given = " ".join(f'{key}="{value}"' for key, value in style.items())
    return f'<text x="{x:g}" y="{y:g}" {given}>{words}</text>'


def drawing():
    rows = played()
    end = next(k for k, row in enumerate(rows) if row[1])
    width, height = LEFT + STEP * len(rows) + 30, TOP + 3 * LANE + 84
    x = lambda k: LEFT + STEP * k + STEP / 2
    y = lambda seat: TOP + LANE * seat + LANE / 2
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{FONT}">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        text(
            LEFT,
            24,
            "Credit of a decision: the rewards until the same seat decides again",
            **{"text-anchor": "start"},
        ),
    ]
    border = x(end) + STEP / 2
    below = TOP + 3 * LANE
    parts.append(f'<path d="M{border:g} {TOP - 22} V{below + 60}" stroke="#999" stroke-dasharray="4 4"/>')
    parts.append(text(border - 6, TOP - 10, "the game ends", **{"text-anchor": "end"}))
    parts.append(text(border + 6, TOP - 10, "the next one", **{"text-anchor": "start"}))
    for seat in range(3):
        parts.append(
            text(LEFT - 14, y(seat) + 5, f"seat {seat}", **{"text-anchor": "end", "fill": COLORS[seat]})
        )
        turns = [k for k, row in enumerate(rows) if row[0] == seat]
        for k in turns:
            later = min([t for t in turns if t > k] + [end if k <= end else len(rows) - 1])
            stop = border if (later == end and rows[end][0] != seat) or k == end else x(later)
            if stop > x(k):
                parts.append(
                    f'<path d="M{x(k):g} {y(seat) - 9:g} Q{(x(k) + stop) / 2:g} {y(seat) - 34:g} {stop:g} '
                    f'{y(seat) - 9:g}" fill="none" stroke="{COLORS[seat]}"/>'
                )
            if stop == border:
                middle = (x(k) + stop) / 2
                parts.append(text(middle, y(seat) - 25, f"{rows[end][2][seat]:+g}", fill=COLORS[seat]))
            parts.append(f'<circle cx="{x(k):g}" cy="{y(seat):g}" r="8" fill="{COLORS[seat]}"/>')
    said = {
        "then to move": lambda row: f"seat {row[3]}",
        "its credit": lambda row: f"{row[2][row[3]]:g}",
        "credit_of_mover": lambda row: f"{row[4]:g}",
    }
    for line, (name, show) in enumerate(said.items()):
        parts.append(text(LEFT - 14, below + 22 + 22 * line, name, **{"text-anchor": "end", "font-size": 11}))
        for k, row in enumerate(rows):
            parts.append(text(x(k), below + 22 + 22 * line, show(row), fill=COLORS[row[3]]))
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(drawing())
