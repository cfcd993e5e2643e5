"""Records games of other Blokus engines, for `ludovec conform tilewe FILE`.

    python .ci/blokus.py build DIR                                 # pentobi-gtp, from Pentobi's source
    python .ci/blokus.py pentobi PROGRAM --mode blokus_duo --games 5000 > duo.jsonl
    python .ci/blokus.py blokus-rl --games 2500 > classic.jsonl    # pip install blokus-rl numpy

A line is a game: the moves as lists of tiles, the number of legal moves before each, a digest of all lists of
legal moves, and the final scores, or the lead of the first player where the engine tells no more. Moves are chosen
at random from the engine's own lists, in every second game among the largest pieces.
"""

import argparse
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = "https://github.com/enz/pentobi"
TAG = "v22.1"
#: By mode: the game's name in Pentobi, and its colours in turn order.
GAMES = {
    "blokus": ("Blokus", ("1", "2", "3", "4")),
    "blokus_2": ("Blokus Two-Player", ("1", "2", "3", "4")),
    "blokus_duo": ("Blokus Duo", ("B", "W")),
}
WORD = (1 << 64) - 1


def fnv1a(text: str) -> int:
    """64-bit FNV-1a of a text and a line feed."""
    value = 0xCBF29CE484222325
    for byte in text.encode() + b"\n":
        value = (value ^ byte) * 0x100000001B3 & WORD
    return value


class Hashes(dict[str, int]):
    """Hashes of moves, computed once."""

    def __missing__(self, move: str) -> int:
        self[move] = value = fnv1a(move)
        return value


class Recording:
    """A game that is being played."""

    def __init__(self, source: str, mode: str) -> None:
        self.source, self.mode = source, mode
        self.played: list[str] = []
        self.legal: list[int] = []
        self.digest = 0

    def add(self, move: str, legal: int, hashes: int) -> None:
        self.played.append(move)
        self.legal.append(legal)
        self.digest = (self.digest + len(self.played) * hashes) & WORD

    def line(self, **result: object) -> str:
        """The game as JSON."""
        options = {"mode": self.mode}
        game = {"source": self.source, "options": options, "played": self.played, "legal": self.legal}
        return json.dumps({**game, "digest": f"{self.digest:016x}", **result}, separators=(",", ":"))


def choice(moves: list[str], largest: bool, chance: random.Random) -> str:
    """A random move, of all moves or of the largest pieces only."""
    if largest:
        size = max(move.count(",") for move in moves)
        moves = [move for move in moves if move.count(",") == size]
    return chance.choice(moves)


class Pentobi:
    """pentobi-gtp as a child process."""

    def __init__(self, program: str) -> None:
        command = [program, "--quiet", "--nobook", "--level", "1"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, command: str) -> str:
        """The response to a command."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) not in ("\n", ""):
            lines.append(line)
        text = "".join(lines)
        if not text.startswith("="):
            sys.exit(f"pentobi-gtp refuses {command!r}: {text.strip()}")
        return text[1:].strip()


def pentobi_games(program: str, mode: str, games: int, seed: int) -> Iterator[str]:
    """Games of pentobi-gtp."""
    engine = Pentobi(program)
    source = f"pentobi-gtp {engine.ask('version')}"
    name, colors = GAMES[mode]
    engine.ask(f"set_game {name}")
    hashes = Hashes()
    for number in range(games):
        chance = random.Random(f"{seed} {mode} {number}")
        engine.ask("clear_board")
        game, waiting = Recording(source, mode), set(colors)
        while waiting:
            for color in filter(waiting.__contains__, colors):
                moves = engine.ask(f"all_legal {color}").split()
                if not moves:
                    waiting.remove(color)
                    continue
                move = choice(moves, number % 2 == 1, chance)
                game.add(move, len(moves), sum(hashes[move] for move in moves))
                engine.ask(f"play {color} {move}")
        score = engine.ask("final_score")
        if mode == "blokus":
            yield game.line(scores=[int(points) for points in score.split()])
        else:
            winner, _, lead = score.partition("+")
            yield game.line(lead=(-1 if winner == "W" else 1) * int(lead or 0))
    engine.ask("quit")


def blokus_rl_games(games: int, seed: int) -> Iterator[str]:
    """Classic games of blokus-rl."""
    from importlib.metadata import version

    import numpy as np
    from blokus_rl._blokus import PyBlokus

    def tiles(cells: set[tuple[int, int]]) -> str:
        named = sorted((19 - row, column) for row, column in cells)
        return ",".join(f"{chr(ord('a') + column)}{row + 1}" for row, column in named)

    def own(env: PyBlokus, agent: int) -> set[tuple[int, int]]:
        plane = np.frombuffer(env.observe(agent).observation, dtype=bool).reshape(4, 20, 20)[0]
        return {(int(row), int(column)) for row, column in np.argwhere(plane)}

    # The cells of each orientation, learned from placements: relative to the upper left of its bounding box.
    shapes: dict[int, set[tuple[int, int]]] = {}
    chance = random.Random(seed)
    while len(shapes) < 91:
        env = PyBlokus()
        while not env.is_over:
            agent, before = env.agent_selection, own(env, env.agent_selection)
            legal = np.flatnonzero(np.frombuffer(env.observe(agent).action_mask, dtype=np.int8))
            if not len(legal):
                env.step(None)
                continue
            new = [action for action in legal if action // 400 not in shapes]
            action = int(chance.choice(new or list(legal)))
            env.step(action)
            row, column = divmod(action % 400, 20)
            cells = {(r - row, c - column) for r, c in own(env, agent) - before}
            assert shapes.setdefault(action // 400, cells) == cells

    # By agent: the text and the hash of every action. Agents number actions in a board turned to their side.
    texts: list[list[str]] = []
    for agent in range(4):
        of_agent = []
        for action in range(91 * 400):
            row, column = divmod(action % 400, 20)
            cells = {(r + row, c + column) for r, c in shapes[action // 400]}
            for _ in range(agent):
                cells = {(c, 19 - r) for r, c in cells}
            on_board = all(0 <= r < 20 and 0 <= c < 20 for r, c in cells)
            of_agent.append(tiles(cells) if on_board else "")
        texts.append(of_agent)
    hashes = [np.array([fnv1a(text) for text in of_agent], dtype=np.uint64) for of_agent in texts]

    source = f"blokus-rl {version('blokus-rl')}"
    for number in range(games):
        chance = random.Random(f"{seed} blokus-rl {number}")
        env, game = PyBlokus(), Recording(source, "blokus")
        while not env.is_over:
            agent = env.agent_selection
            legal = np.flatnonzero(np.frombuffer(env.observe(agent).action_mask, dtype=np.int8))
            if not len(legal):
                env.step(None)
                continue
            by_text = {texts[agent][action]: int(action) for action in legal}
            move = choice(list(by_text), number % 2 == 1, chance)
            game.add(move, len(legal), int(hashes[agent][legal].sum(dtype=np.uint64)))
            env.step(by_text[move])
        # Its scores count the squares that are left, below zero.
        yield game.line(scores=[score + 89 for score in env.scores])


def build(folder: Path) -> None:
    """Builds pentobi-gtp."""
    source, out = folder / "pentobi", folder / "build"
    if not source.exists():
        subprocess.run(["git", "clone", "--depth", "1", "--branch", TAG, SOURCE, source], check=True)
    flags = ["-DCMAKE_BUILD_TYPE=Release", "-DPENTOBI_BUILD_GUI=OFF", "-DPENTOBI_BUILD_GTP=ON"]
    subprocess.run(["cmake", "-S", source, "-B", out, *flags], check=True)
    subprocess.run(["cmake", "--build", out, "--target", "pentobi-gtp", "--parallel", "2"], check=True)
    print(out / "pentobi_gtp" / "pentobi-gtp")


def main() -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build", help="build pentobi-gtp").add_argument("folder", type=Path)
    pentobi = commands.add_parser("pentobi", help="record games of pentobi-gtp")
    pentobi.add_argument("program")
    pentobi.add_argument("--mode", choices=GAMES, default="blokus_duo")
    for engine in (pentobi, commands.add_parser("blokus-rl", help="record games of blokus-rl")):
        engine.add_argument("--games", type=int, default=100)
        engine.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.command == "build":
        return build(args.folder)
    if args.command == "pentobi":
        lines = pentobi_games(args.program, args.mode, args.games, args.seed)
    else:
        lines = blokus_rl_games(args.games, args.seed)
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()
