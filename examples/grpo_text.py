"""GRPO in one file: a tiny language model learns to play from text, and every move is graded by regret.

    pip install '.[torch]'
    python examples/grpo_text.py                         # Tilewe on a small board, 50 steps, minutes on a CPU

The model is made here: it reads bytes and predicts the next byte, like any language model, but it has 44,000
weights and has read nothing. A message is a position as text. An answer is one of the legal moves, sampled
by the model's own probabilities of its bytes (constrained decoding). Each step samples a group of answers for
each of a few messages. The reward of an answer is minus its regret: the share of the points that a search
finds lost. GRPO compares the answers of a group with each other, so it needs no value network.

A large model takes the place of `Reader` with nothing else changed: it only returns log-probabilities.
"""

import argparse
import random
import time

import ludovec
import torch
from ludovec import text
from torch import nn

# ---- arguments ----

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--env", default="tilewe", choices=ludovec.list_envs())
parser.add_argument("--set", nargs="*", metavar="KEY=VALUE", help="options of the environment")
parser.add_argument("--steps", type=int, default=50, help="updates of the model")
parser.add_argument("--messages", type=int, default=8, help="positions per step")
parser.add_argument("--group", type=int, default=16, help="answers per position")
parser.add_argument("--simulations", type=int, default=16, help="simulations of the searches that grade")
parser.add_argument("--hidden", type=int, default=64, help="width of the model")
parser.add_argument("--learning-rate", type=float, default=1e-2, help="falls linearly to 0")
parser.add_argument("--clip", type=float, default=0.2, help="clipping range of the policy ratio")
parser.add_argument("--epochs", type=int, default=1, help="passes over the answers of a step")
parser.add_argument("--test-positions", type=int, default=24, help="held-out positions, before and after")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--threads", type=int, default=1, help="one is fastest for so small a model")
args = parser.parse_args()

torch.manual_seed(args.seed)
torch.set_num_threads(args.threads)
pairs = args.set if args.set is not None else ["players=2", "board=8"] if args.env == "tilewe" else []
options = dict(pair.split("=", 1) for pair in pairs)

# ---- positions as messages ----


def positions(count, seed):
    """Positions from random games, some moves after the start, with at least two legal moves."""
    draw, found = random.Random(seed), []
    while len(found) < count:
        game = ludovec.Game(args.env, draw.getrandbits(63), **options)
        for _ in range(draw.randrange(4, 8)):
            if not game.is_terminal:
                game.step(draw.choice(game.legal_actions()))
        if not game.is_terminal and len(game.legal_actions()) > 1:
            found.append(game)
    return found


def message(game):
    """The position as text, without the rules, which never change."""
    return f"{text.position(game)}\nMove: "


def regrets(decisions, seed, simulations, repeats):
    """Mean regrets of decisions; equal ones are graded once."""
    keys = [(id(game), action) for game, action in decisions]
    distinct = dict(zip(keys, decisions))
    how = {"simulations": simulations, "repeats": repeats, "num_threads": args.threads}
    graded = text.regret(distinct.values(), seed=seed, **how)
    found = dict(zip(distinct, graded))
    return torch.tensor([found[key].regret for key in keys])


# ---- the model ----


class Reader(nn.Module):
    """A language model over bytes: it reads messages, then gives the log-probability of continuations."""

    def __init__(self, hidden):
        super().__init__()
        self.embed = nn.Embedding(257, 32)
        self.cells = nn.GRU(32, hidden, batch_first=True)
        self.next = nn.Linear(hidden, 257)

    def read(self, messages):
        """The state after each message."""
        rows = [self.embed(torch.tensor([*row.encode()])) for row in messages]
        packed = nn.utils.rnn.pack_sequence(rows, enforce_sorted=False)
        return self.cells(packed)[1].squeeze(0)

    def write(self, state, answers):
        """Log-probabilities of answers after a message."""
        rows = [torch.tensor([*row.encode(), END]) for row in answers]
        answers = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=END)
        begin = torch.full((len(answers), 1), END)
        written = self.embed(torch.cat([begin, answers[:, :-1]], 1))
        out, _ = self.cells(written, state.expand(1, len(answers), -1).contiguous())
        of_bytes = self.next(out).log_softmax(-1).gather(-1, answers.unsqueeze(-1)).squeeze(-1)
        # The first end of an answer counts, the padding after it does not.
        padding = (answers == END).cumsum(1) > 1
        return of_bytes.masked_fill(padding, 0.0).sum(1)


#: The byte that ends an answer.
END = 256


def log_policies(model, games):
    """Log-probabilities of the legal moves of each game, as if the model wrote only legal moves."""
    states = model.read([message(game) for game in games])
    moves = [[game.action_to_string(action) for action in game.legal_actions()] for game in games]
    return [model.write(state, answers).log_softmax(0) for state, answers in zip(states, moves)]


def test(model, games):
    """Mean regret of sampled answers, graded more exactly than in training."""
    with torch.no_grad():
        picked = [policy.exp().multinomial(4, replacement=True) for policy in log_policies(model, games)]
    decisions = []
    for game, indices in zip(games, picked):
        for index in indices.tolist():
            reply = f"Move: {game.action_to_string(game.legal_actions()[index])}"
            # The replies go through the reader of replies, like those of any model.
            decisions.append((game, text.read_move(game, reply).action))
    return float(regrets(decisions, seed=args.seed + 1, simulations=32, repeats=8).mean())


# ---- training ----

model = Reader(args.hidden)
optimizer = torch.optim.Adam(model.parameters(), args.learning_rate)
falling = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, max(1, args.steps))
print(f"{args.env}, {sum(weights.numel() for weights in model.parameters()):,} weights")
held_out = positions(args.test_positions, seed=10**9)
before = test(model, held_out)
print(f"held-out positions before training: regret {before:.3f}")
begun, recent = time.monotonic(), []
for step in range(1, args.steps + 1):
    games = positions(args.messages, seed=args.seed * 10**6 + step)
    with torch.no_grad():
        old = log_policies(model, games)
        picked = [torch.multinomial(p.exp(), args.group, replacement=True) for p in old]
    decisions = [
        (game, game.legal_actions()[index])
        for game, indices in zip(games, picked)
        for index in indices.tolist()
    ]
    lost = regrets(decisions, step, args.simulations, repeats=4).view(args.messages, args.group)
    # The advantage of an answer: its reward against the others of its group, in standard deviations.
    advantages = (lost.mean(1, keepdim=True) - lost) / (lost.std(1, keepdim=True) + 1e-4)
    for _ in range(args.epochs):
        losses = []
        for policy, at_first, indices, gains in zip(log_policies(model, games), old, picked, advantages):
            ratio = (policy[indices] - at_first[indices]).exp()
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            losses.append(-torch.minimum(ratio * gains, clipped * gains).mean())
        loss = torch.stack(losses).mean()
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    falling.step()
    recent.append(float(lost.mean()))
    if step % 10 == 0 or step == args.steps:
        seconds = time.monotonic() - begun
        print(f"step {step:3}: regret {sum(recent) / len(recent):.3f}, {seconds:.0f} s", flush=True)
        recent = []
after = test(model, held_out)
print(f"held-out positions after training: regret {after:.3f}")
