"""A chess network from a chess engine: a small network learns positions that a UCI engine judged.

    pip install '.[torch]'                                  # and an engine: apt install stockfish
    python examples/chess_from_engine.py label --minutes 60 --engine stockfish --out labels
    python examples/chess_from_engine.py learn --labels labels --out chess.safetensors
    ludovec tournament chess --players net:chess.safetensors:64,net:champion:64 --games 100

`label` plays games from random openings, some of them of Chess960. In each position the engine names its best
moves with their expected points (MultiPV). One of these is played, or any legal move now and then, so that
positions after mistakes are judged too. A position has three targets:

- the policy: the engine's moves, weighed by their expected points;
- the value: the expected points of the best move;
- the value of the positions after some of the other moves, which cost no further search.

Every file has the positions of `--per-file` searches. Ctrl-C loses at most those of one file, and a second
run adds to the folder. `learn` continues from its checkpoint with `--resume`.
"""

import argparse
import json
import math
import multiprocessing
import os
import shlex
import shutil
import signal
import subprocess
import time
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path

import ludovec
import numpy as np
import torch
from ludovec import nets
from ludovec.train.devices import device_of
from torch.nn import functional
from torch.nn import utils as nn_utils

#: Fields of the observation that the network ignores: positions of two plies ago and before, counters.
WITHOUT = r".*_[2-7]|repetition_1|plies"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    label = commands.add_parser("label", help="let an engine judge positions")
    label.add_argument("--engine", default="stockfish", help="command of a program that speaks UCI")
    label.add_argument("--nodes", type=int, default=500, help="nodes of a search")
    label.add_argument("--moves", type=int, default=5, help="moves that a search judges (MultiPV)")
    label.add_argument("--minutes", type=float, default=60.0, help="time on the wall")
    label.add_argument("--files", type=int, help="end after this many files per process")
    label.add_argument("--processes", type=int, default=os.cpu_count())
    label.add_argument("--chess960", type=float, default=0.1, help="share of games of Chess960")
    label.add_argument("--per-file", type=int, default=1000, help="searches in a file")
    label.add_argument("--seed", type=int, default=0)
    label.add_argument("--out", type=Path, default=Path("labels"), help="folder")
    learn = commands.add_parser("learn", help="train a network on the judged positions")
    learn.add_argument("--labels", type=Path, default=Path("labels"), help="folder")
    learn.add_argument("--updates", type=int, default=20_000, help="the learning rate falls to 0 by then")
    learn.add_argument("--minibatch", type=int, default=512)
    learn.add_argument("--learning-rate", type=float, default=2e-3)
    learn.add_argument("--channels", type=int, default=64)
    learn.add_argument("--blocks", type=int, default=6)
    learn.add_argument("--temperature", type=float, default=0.03, help="of the policy, in expected points")
    learn.add_argument("--device", default="auto", help="cpu, cuda, cuda:N, or auto: a GPU if there is one")
    learn.add_argument("--threads", type=int, default=os.cpu_count())
    learn.add_argument("--seed", type=int, default=0)
    learn.add_argument("--report-every", type=int, default=500, help="updates")
    learn.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    learn.add_argument("--out", type=Path, default=Path("chess.safetensors"))
    return parser.parse_args()


# ---- labels ----


@dataclass
class Rows:
    """Judged positions: packed observations, moves with their points, -1 for none; points of the mover."""

    observations: list = field(default_factory=list)
    actions: list = field(default_factory=list)
    points: list = field(default_factory=list)
    value: list = field(default_factory=list)

    def add(self, observation, actions, points, value, moves):
        rest = moves - len(actions)
        self.observations.append(np.packbits(observation))
        self.actions.append(np.array([*actions, *[-1] * rest], np.int16))
        self.points.append(np.array([*points, *[0] * rest], np.float16))
        self.value.append(np.float16(value))

    def write(self, file):
        with ludovec.files.replaced(file) as out:
            np.savez(out, **{name: np.stack(rows) for name, rows in vars(self).items()})


def inputs_of_chess():
    spec = ludovec.spec("chess")
    return spec, nets.Inputs.of([spec], nets.Board("own_0", 0), without=WITHOUT)


def label(args):
    program = shlex.split(args.engine)[0]
    if not shutil.which(program):
        raise SystemExit(
            f"{program}: no such program; --engine takes the command of an engine that speaks UCI"
        )
    args.out.mkdir(parents=True, exist_ok=True)
    began = len(list(args.out.glob("*.npz")))
    workers = [
        multiprocessing.get_context("spawn").Process(target=label_games, args=(args, began + number))
        for number in range(args.processes)
    ]
    for worker in workers:
        worker.start()
    try:
        for worker in workers:
            worker.join()
    except KeyboardInterrupt:
        for worker in workers:
            worker.terminate()
    else:
        if any(worker.exitcode for worker in workers):
            raise SystemExit("a process that labels positions failed, see above")
    new = len(list(args.out.glob("*.npz"))) - began
    print(f"{new} new files with {args.per_file} searches each are in {args.out}")


class Engine:
    """A program that speaks UCI, one search at a time.

    Reads the lines of a search itself: python-chess takes ten times as long as a search of 500 nodes.
    """

    def __init__(self, command, moves):
        self.command = command
        self.program = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.options = {line.split(" name ")[1].split(" type ")[0] for line in self._until("uci", "uciok")}
        for name, value in {"Threads": 1, "Hash": 16, "MultiPV": moves}.items():
            self._set(name, value)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()
        self.program.wait()

    def begin(self, start, variant):
        """Begins a game of ``variant`` at the FEN ``start``."""
        if variant == "chess960" and "UCI_Chess960" not in self.options:
            raise SystemExit(f"{self.command}: the engine plays no Chess960: --chess960 0")
        self._set("UCI_Chess960", "true" if variant == "chess960" else "false")
        self.start = start

    def judge(self, played, nodes):
        """The best moves after the moves ``played``, the best first, and the expected points of each."""
        found = {}
        position = f"position fen {self.start}" + (f" moves {' '.join(played)}" if played else "")
        for line in self._until(f"{position}\ngo nodes {nodes}", "bestmove"):
            words = line.split()
            if "pv" not in words or {"upperbound", "lowerbound"} & set(words):
                continue
            if "score" not in words:
                raise SystemExit(f"{self.command}: the engine sends moves without scores")
            kind, number = words[words.index("score") + 1 :][:2]
            rank = int(words[words.index("multipv") + 1]) if "multipv" in words else 1
            found[rank] = words[words.index("pv") + 1], expected_points(kind, int(number))
        return [found[rank] for rank in sorted(found)]

    def _until(self, said, last):
        """The engine's lines with moves or options, up to the one that begins with ``last``."""
        self._say(said)
        lines = []
        for line in self.program.stdout:
            if line.startswith(last):
                return lines
            if line.startswith(("info ", "option name ")) and (" pv " in line or " type " in line):
                lines.append(line)
        raise SystemExit(f"{self.command}: the engine has ended")

    def _set(self, name, value):
        if name in self.options:
            self._say(f"setoption name {name} value {value}")

    def _say(self, text):
        try:
            self.program.stdin.write(text + "\n")
            self.program.stdin.flush()
        except OSError:
            raise SystemExit(f"{self.command}: the engine has ended") from None


def expected_points(kind, number):
    """Expected points, in [0, 1], of a score in centipawns (``cp``) or moves to mate (``mate``).

    The logistic curve of lichess's winning chances. Mates are ordered by their length.
    """
    if kind == "mate":
        share = 0.0005 * min(abs(number), 20)
        return 1 - share if number > 0 else share
    return 0.01 + 0.98 / (1 + math.exp(-0.00368208 * max(-5000, min(number, 5000))))


def label_games(args, stream):
    """Plays games until the time is over or all files are written."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    rng = np.random.default_rng([args.seed, stream])
    spec, inputs = inputs_of_chess()
    columns = inputs.encoder(spec).columns
    end = time.monotonic() + 60 * args.minutes
    rows, searches, files = Rows(), 0, 0
    with Engine(args.engine, args.moves) as engine:
        while time.monotonic() < end:
            for judged in game(engine, rng, args):
                seen, actions, points, value, children = judged
                rows.add(seen.ravel()[columns], actions, points, value, args.moves)
                for child, worth in children:
                    rows.add(child.ravel()[columns], [], [], worth, args.moves)
                searches += 1
                if searches % args.per_file == 0:
                    rows.write(args.out / f"{os.getpid()}-{int(time.time())}-{files:05}.npz")
                    rows, files = Rows(), files + 1
                if time.monotonic() > end or files == args.files:
                    return


def game(engine, rng, args):
    """The judged positions of a game: observation, actions, points, value, positions after some moves."""
    variant = "chess960" if rng.random() < args.chess960 else "chess"
    play = ludovec.Game("chess", seed=int(rng.integers(2**31)), variant=variant)
    engine.begin(json.loads(play.to_json())["position"]["fen"], variant)
    played, decided = [], 0

    def move(action):
        played.append(play.action_to_string(action))
        play.step(action)

    for _ in range(rng.integers(0, 13)):
        if not play.is_terminal:
            move(int(rng.choice(play.legal_actions())))
    while not play.is_terminal and decided < 12 and len(played) < 240:
        lines = engine.judge(played, args.nodes)
        if not lines:
            return
        actions = [play.string_to_action(text) for text, _ in lines]
        points = np.array([worth for _, worth in lines])
        value = points.max()
        children = []
        for at in rng.permutation(len(actions))[:2]:
            after = play.clone()
            after.step(actions[at])
            if not after.is_terminal:
                children.append((after.observation(), 1 - points[at]))
        yield play.observation(), actions, points, value, children
        decided = decided + 1 if not 0.03 < value < 0.97 else 0
        if rng.random() < 0.12:
            move(int(rng.choice(play.legal_actions())))
        else:
            weights = np.exp((points - value) / 0.05)
            move(actions[rng.choice(len(actions), p=weights / weights.sum())])


# ---- learning ----


@dataclass
class Labels:
    """Judged positions in the memory of the device."""

    observations: torch.Tensor  # packed, uint8 [n, bytes]
    actions: torch.Tensor  # int16 [n, moves], -1: none
    policy: torch.Tensor  # float16 [n, moves]
    value: torch.Tensor  # float32 [n], the outcome that the mover can expect, -1 to 1

    @classmethod
    def read(cls, files, temperature, device):
        parts = [np.load(file) for file in files]
        read = {name: np.concatenate([part[name] for part in parts]) for name in vars(Rows())}
        actions, points = read["actions"], read["points"].astype(np.float32)
        weights = np.where(actions < 0, 0, np.exp((points - points.max(1, keepdims=True)) / temperature))
        policy = (weights / np.maximum(weights.sum(1, keepdims=True), 1e-9)).astype(np.float16)
        columns = read["observations"], actions, policy, 2 * read["value"].astype(np.float32) - 1
        return cls(*(torch.from_numpy(column).to(device) for column in columns))

    def split(self, searched):
        """The rows that an engine searched, or those after its moves."""
        return self.at(((self.actions[:, 0] >= 0) == searched).nonzero()[:, 0])

    def at(self, rows):
        return Labels(*(part[rows] for part in vars(self).values()))

    def drawn(self, count, generator):
        """Random rows."""
        chosen = torch.randint(len(self.value), (count,), device=self.value.device, generator=generator)
        return self.at(chosen)


class Learner:
    """A network, its optimizer and an average of its weights."""

    def __init__(self, args):
        self.args, self.device = args, args.device
        self.spec, inputs = inputs_of_chess()
        self.network = nets.ResidualNetwork(inputs, self.spec, args.channels, args.blocks).to(self.device)
        self.average = deepcopy(self.network)
        encoder = inputs.encoder(self.spec)
        self.shape = (*encoder.board, len(inputs.planes))
        self.width = len(encoder.columns)
        which = encoder.offsets[: self.width] // 256
        self.zero, self.one = (torch.from_numpy(inputs.tables[which, bit]).to(self.device) for bit in (0, 1))
        index = nets.action_outputs(self.spec, encoder.board).outputs
        self.index = torch.from_numpy(index.astype(np.int64)).to(self.device)
        self.shifts = torch.arange(7, -1, -1, dtype=torch.uint8, device=self.device)
        self.optimizer = torch.optim.AdamW(self.network.parameters(), args.learning_rate, weight_decay=1e-4)
        self.updates = 0

    def answer(self, network, labels):
        bits = (labels.observations[:, :, None] >> self.shifts & 1).flatten(1)[:, : self.width]
        inputs = torch.where(bits > 0, self.one, self.zero)
        cells = self.shape[0] * self.shape[1] * self.shape[2]
        with torch.autocast(self.device.type, torch.bfloat16):
            outputs, values = network(inputs[:, :cells].unflatten(1, self.shape), inputs[:, cells:])
        return outputs.float()[:, self.index], values.float()

    def losses(self, network, labels):
        """Cross-entropy of the policy, squared error of the value, share of best moves named first."""
        logits, values = self.answer(network, labels)
        # Positions after a move have no policy, so they count 0: no shape depends on the data.
        searched = (labels.actions[:, 0] >= 0).float()
        actions, policy = labels.actions.long().clamp_min(0), labels.policy.float()
        logits = functional.log_softmax(logits, 1)
        count = searched.sum().clamp_min(1)
        entropy = -(policy * logits.gather(1, actions)).sum() / count
        error = functional.mse_loss(values, torch.stack([labels.value, -labels.value], 1))
        best = actions.gather(1, policy.argmax(1, keepdim=True))[:, 0]
        return entropy, error, ((logits.argmax(1) == best) * searched).sum() / count

    def learn(self, labels):
        """One update."""
        done = self.updates / self.args.updates
        rate = (
            self.args.learning_rate
            * min(1, self.updates / 200)
            * (0.5 + 0.5 * math.cos(math.pi * min(done, 1)))
        )
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        entropy, error, _ = self.losses(self.network, labels)
        self.optimizer.zero_grad(set_to_none=True)
        (entropy + 2 * error).backward()
        nn_utils.clip_grad_norm_(self.network.parameters(), 2.0)
        self.optimizer.step()
        self.updates += 1
        decay = min(0.999, self.updates / (self.updates + 20))
        with torch.no_grad():
            means, new = (list(network.parameters()) for network in (self.average, self.network))
            torch._foreach_lerp_(means, new, 1 - decay)

    def save(self, notes):
        """The network that plays, and a checkpoint beside it."""
        free = {"fen": "any", "max_plies": "any", "number960": "any"}
        specs = self.spec, ludovec.spec("chess", variant="chess960")
        card = nets.Card.of(*specs, options=free, reward="outcome", notes=notes)
        nets.save(self.average, self.args.out, card, self.spec)
        parts = {name: getattr(self, name).state_dict() for name in ("network", "average", "optimizer")}
        with ludovec.files.replaced(checkpoint(self.args)) as out:
            torch.save({**parts, "updates": self.updates}, out)

    def restore(self):
        saved = torch.load(checkpoint(self.args), weights_only=True, map_location=self.device)
        for name in ("network", "average", "optimizer"):
            getattr(self, name).load_state_dict(saved[name])
        self.updates = saved["updates"]


def checkpoint(args):
    return args.out.with_suffix(".checkpoint.pt")


def learn(args):
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    try:
        args.device = device_of(args.device)
    except ludovec.InvalidConfig as error:
        raise SystemExit(str(error)) from None
    files = sorted(args.labels.glob("*.npz"))
    if len(files) < 2:
        raise SystemExit(
            f"{args.labels}: two files or more are needed, there are {len(files)}: run `label` first"
        )
    tested = max(1, min(20, len(files) // 20))
    test = Labels.read(files[:tested], args.temperature, args.device)
    labels = Labels.read(files[tested:], args.temperature, args.device)
    searched, after = labels.split(True), labels.split(False)
    print(f"{len(searched.value)} searched positions, {len(after.value)} after their moves", flush=True)
    learner = Learner(args)
    if args.resume:
        learner.restore()
    generator = torch.Generator(args.device).manual_seed(1_000_003 * args.seed + learner.updates)
    began, half = time.monotonic(), args.minibatch // 2
    notes = {"labels": len(searched.value), "made by": "examples/chess_from_engine.py"}
    try:
        while learner.updates < args.updates:
            batch = [vars(part.drawn(half, generator)).values() for part in (searched, after)]
            learner.learn(Labels(*map(torch.cat, zip(*batch))))
            if learner.updates % args.report_every == 0 or learner.updates == args.updates:
                report(learner, test, began)
                learner.save({**notes, "updates": learner.updates})
    except KeyboardInterrupt:
        learner.save({**notes, "updates": learner.updates})


@torch.inference_mode()
def report(learner, test, began):
    parts = [
        torch.stack(learner.losses(learner.average, test.at(slice(at, at + 1024))))
        for at in range(0, min(len(test.value), 16 * 1024), 1024)
    ]
    entropy, error, best = torch.stack(parts).mean(0).tolist()
    minutes = (time.monotonic() - began) / 60
    print(
        f"{learner.updates:6} updates, {minutes:5.1f} minutes: policy {entropy:.3f}, value {error:.3f}, "
        f"best move {best:.1%}",
        flush=True,
    )


if __name__ == "__main__":
    given = arguments()
    {"label": label, "learn": learn}[given.command](given)
