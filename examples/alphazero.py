"""Gumbel AlphaZero self-play in one file: one network plays all seats, improved by a tree search.

    pip install '.[torch]'
    python examples/alphazero.py                         # Small World, 2 players, 30 minutes on the CPU
    python examples/alphazero.py --resume                # continues a stopped run (Ctrl-C, SIGTERM)
    python examples/alphazero.py --resume --minutes 0 --bots random search:200   # evaluates a trained network
    python examples/alphazero.py --env tilewe --set players=2 --one-hot

Many games are played in parallel. Before every move `ludovec.TreeSearch` grows a tree in each of them and
evaluates the leaves of all trees in one network call. Every position is stored with two targets:

- policy: the improved policy of the search;
- values, one per player: its future rewards, mixed with the search values of the positions in between
  (TD(lambda)). Observations start with the current player, then the others in turn order; the values are in
  the same order.

Rewards are points minus the mean of the others' (`--reward margin`), which are paid as they are earned and
can be estimated from the board.
The outcome cannot if points are hidden: a player knows only its own points, so outcome values would jump with
every change of player. For games without points: `--reward outcome --scale 1`.

At intervals the network plays one seat against bots, with rotating seats and a search. Its share of wins is
printed with a 95 % margin, and written to `--out` as a table and as a picture.
"""

import argparse
import copy
import csv
import secrets
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ludovec
import numpy as np
import torch
from ludovec import unpack_bits
from torch import nn
from torch.nn import functional

# ---- arguments ----

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--env", default="smallworld", choices=ludovec.list_envs())
parser.add_argument(
    "--set",
    nargs="*",
    metavar="KEY=VALUE",
    help="options of the environment; players=2 by default where that is one",
)
parser.add_argument("--minutes", type=float, default=30.0, help="time for training and evaluation")
parser.add_argument("--games", type=float, default=np.inf, help="stop earlier, after this many games")
parser.add_argument("--seed", type=int, help="of games, search and network; drawn and printed by default")
parser.add_argument("--threads", type=int, default=2, help="threads of the tree search")
parser.add_argument("--device", default="auto", help="cpu, cuda, cuda:N, or auto: a GPU if there is one")
parser.add_argument(
    "--bfloat16",
    action=argparse.BooleanOptionalAction,
    default=True,
    help="matrices in bfloat16: twice as fast on GPUs and where the processor has AMX",
)
parser.add_argument(
    "--out", type=Path, default=Path("alphazero"), help="folder for the checkpoint and the curve"
)
parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")

play = parser.add_argument_group("self-play")
play.add_argument("--num-envs", type=int, default=256, help="parallel games")
play.add_argument("--simulations", type=int, default=32)
play.add_argument("--considered", type=int, default=16, help="maximum number of actions at the root")
play.add_argument("--td-lambda", type=float, default=0.97, help="1: values from results only")
play.add_argument("--reward", default="margin", choices=["margin", "outcome"])
play.add_argument("--scale", type=float, default=20.0, help="reward that is 1 to the network; outcomes: 1")

learn = parser.add_argument_group("learning")
learn.add_argument("--hidden", type=int, default=256, help="width of the network")
learn.add_argument("--blocks", type=int, default=2, help="residual blocks")
learn.add_argument("--one-hot", nargs="*", default=["seats", "row"], help="fields to encode one-hot")
learn.add_argument("--buffer", type=int, default=150_000, help="positions in the replay buffer")
learn.add_argument("--warm-up", type=int, default=10_000, help="positions before learning begins")
learn.add_argument("--reuse", type=float, default=4.0, help="times that a position is trained on")
learn.add_argument("--minibatch", type=int, default=512)
learn.add_argument("--learning-rate", type=float, default=1e-3, help="falls linearly to a tenth")
learn.add_argument("--value-weight", type=float, default=1.0)

measure = parser.add_argument_group("measurement")
measure.add_argument("--bots", nargs="*", default=["greedy"], help="opponents of the evaluation")
measure.add_argument("--eval-every", type=float, default=4.0, help="minutes")
measure.add_argument("--eval-games", type=int, default=60)
measure.add_argument("--eval-simulations", type=int, default=64)
measure.add_argument("--final-games", type=int, default=400, help="games per bot at the end")
args = parser.parse_args()

if args.seed is None:
    args.seed = secrets.randbits(32)
if args.device == "auto":
    args.device = "cuda" if torch.cuda.is_available() else "cpu"
try:
    device = torch.device(args.device)
    torch.zeros(1, device=device)
except (RuntimeError, AssertionError) as error:
    parser.error(f"--device {args.device}: {str(error).strip().splitlines()[0]}")
torch.manual_seed(args.seed)
# Self-play and learning use one thread each; more threads would spend their time waiting for each other.
torch.set_num_threads(1)
rng = np.random.default_rng(args.seed)
if args.set is None:
    args.set = ["players=2"] if "players" in ludovec.spec(args.env).options else []
options = dict(pair.split("=", 1) for pair in args.set)


def make(num_envs, seed):
    settings = {"num_threads": args.threads, "seed": seed, "mask": "bits", "reward": args.reward, **options}
    return ludovec.make(args.env, num_envs, **settings)


def make_search(env, simulations, **settings):
    # A GPU prefers batches of one size.
    settings = {
        "considered": args.considered,
        "num_threads": args.threads,
        "pad": device.type != "cpu",
        **settings,
    }
    # Without a seed, the search takes the seeds of the games.
    return ludovec.TreeSearch(env, simulations, value="seats", **settings)


def moved(array):
    """An array as a tensor on the device; copies to a GPU do not wait."""
    tensor = torch.from_numpy(array)
    return tensor if device.type == "cpu" else tensor.pin_memory().to(device, non_blocking=True)


# ---- the network ----


class Inputs:
    """Encodes bytes as floats: numbers as logarithms; sets and one-hot fields as one input per member."""

    def __init__(self, spec):
        # The values of every byte in random games; constant bytes carry no information.
        env = make(256, seed=0)
        seen = np.zeros((int(np.prod(spec.observation_shape)), 256), bool)
        for _ in range(400):
            seen[np.arange(len(seen)), env.step_sampled(5)[0].reshape(256, -1)] = True
        flags, numbers = [], []
        for field in spec.observation:
            for column in field.indices.ravel():
                values = np.flatnonzero(seen[column])
                if len(values) == 1:
                    continue
                if field.meaning.startswith("set"):
                    varying = np.bitwise_or.reduce(values) ^ np.bitwise_and.reduce(values)
                    flags += [(column, 1 << bit, 1 << bit) for bit in range(8) if varying >> bit & 1]
                else:
                    numbers.append(column)
                    if field.name in args.one_hot and len(values) <= 32:
                        flags += [(column, 255, value) for value in values]
        self.numbers = np.array(numbers, np.int64)
        self.columns, masks, wanted = np.array(flags, np.int64).reshape(-1, 3).T
        self.masks, self.wanted = masks.astype(np.uint8), wanted.astype(np.uint8)
        self.size = len(flags) + len(numbers)

    def __call__(self, observations):
        """float32 [B, size]."""
        rows = observations.reshape(len(observations), -1)
        inputs = np.empty((len(rows), self.size), np.float32)
        flags = len(self.columns)
        np.equal(rows.take(self.columns, 1) & self.masks, self.wanted, out=inputs[:, :flags])
        np.log1p(rows.take(self.numbers, 1), out=inputs[:, flags:], dtype=np.float32)
        return moved(inputs)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, width)
        )

    def forward(self, x):
        return x + self.inner(x)


class Network(nn.Module):
    def __init__(self, spec):
        super().__init__()
        self.inputs = Inputs(spec)
        blocks = [Block(args.hidden) for _ in range(args.blocks)]
        self.body = nn.Sequential(
            nn.Linear(self.inputs.size, args.hidden), nn.ReLU(), *blocks, nn.LayerNorm(args.hidden), nn.ReLU()
        )
        self.policy = nn.Linear(args.hidden, spec.num_actions)
        self.value = nn.Linear(args.hidden, spec.players)
        # A new network has a uniform policy and value 0.
        for head in (self.policy, self.value):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def forward(self, observations):
        """Logits [B, A], also of illegal actions; values [B, P] by `--scale`, the current player's first."""
        with torch.autocast(device.type, torch.bfloat16, enabled=args.bfloat16):
            features = self.body(self.inputs(observations))
        features = features.float()
        return self.policy(features), self.value(features)

    @torch.inference_mode()
    def answer(self, observations, action_mask_bits):
        """The network as :meth:`ludovec.TreeSearch.run` calls it."""
        global network_seconds
        start = time.perf_counter()
        logits, values = self(observations)
        network_seconds += time.perf_counter() - start
        return logits.cpu(), values.cpu() * args.scale


# ---- self-play ----


class Buffer:
    """A ring buffer of positions."""

    def __init__(self, spec, capacity):
        words = -(-spec.num_actions // 64)
        self.observations = np.zeros((capacity, *spec.observation_shape), np.uint8)
        self.mask_bits = np.zeros((capacity, words), np.uint64)
        self.policies = np.zeros((capacity, spec.num_actions), np.float16)
        self.values = np.zeros((capacity, spec.players), np.float32)
        self.added = 0

    def add(self, *position):
        columns = self.observations, self.mask_bits, self.policies, self.values
        for column, row in zip(columns, position):
            column[self.added % len(column)] = row
        self.added += 1

    def sample(self, rows):
        """Observations, masks, policies and values of random positions."""
        at = rng.integers(min(self.added, len(self.values)), size=rows)
        masks = unpack_bits(self.mask_bits[at], self.policies.shape[1])
        arrays = masks, self.policies[at].astype(np.float32), self.values[at]
        return self.observations[at], *map(moved, arrays)


def store(episode):
    """Adds the positions of a finished game, last position first."""
    value = np.zeros(spec.players, np.float32)
    for observation, mask_bits, policy, seat, found, rewards in reversed(episode):
        value = value + rewards
        # The network's order: the current player first.
        buffer.add(observation, mask_bits, policy, np.roll(value / args.scale, -seat))
        value = args.td_lambda * value + (1 - args.td_lambda) * found


def self_play(moves):
    """Plays this many moves in all games and returns the games that ended; they restart automatically."""
    ended = []
    for _ in range(moves):
        observations, mask_bits = env.observations.copy(), env.action_mask_bits.copy()
        seats = env.current_player.copy()
        actions = search.run(player.answer)
        policies, values = search.policy.astype(np.float16), search.values
        env.step(actions)
        rows = zip(observations, mask_bits, policies, seats, values, env.rewards.copy())
        for episode, row in zip(episodes, rows):
            episode.append(row)
        for i in np.flatnonzero(env.done):
            # A truncated game has no outcome to learn from.
            if env.terminated[i]:
                ended.append(episodes[i])
            episodes[i] = []
        search.advance(actions)
    return ended


# ---- learning ----


def train(updates):
    """Mean losses of the policy (above the entropy of the target) and of the values, and seconds."""
    began = time.perf_counter()
    losses = np.zeros(2)
    for group in optimizer.param_groups:
        group["lr"] = args.learning_rate * max(0.1, 1 - 0.9 * minutes() / args.minutes)
    for _ in range(updates):
        observations, masks, policies, values = buffer.sample(args.minibatch)
        logits, predicted = network(observations)
        log_policy = torch.log_softmax(logits.masked_fill(~masks, -1e9), 1)
        policy_loss = functional.kl_div(log_policy, policies, reduction="batchmean")
        value_loss = functional.mse_loss(predicted, values)
        optimizer.zero_grad()
        (policy_loss + args.value_weight * value_loss).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        losses += policy_loss.item(), value_loss.item()
    return *losses / max(updates, 1), time.perf_counter() - began


# ---- evaluation ----


def win_share(bot, games, seed):
    """Share of wins of the network with search, and its 95 % margin; shared wins count in part."""
    env = make(games, seed)
    search = make_search(env, args.eval_simulations, gumbel_scale=0.0)
    seats = np.arange(games) % env.game_spec.players
    wins = np.full(games, np.nan)
    while len(playing := np.flatnonzero(np.isnan(wins))):
        mine = env.current_player[playing] == seats[playing]
        actions = np.zeros(games, np.int32)
        if not mine.all():
            actions[playing[~mine]] = env.bot_actions(bot, playing[~mine])
        if mine.any():
            search.start(playing[mine])
            actions[playing[mine]] = search.run(player.answer)[playing[mine]]
        env.step_games(playing, actions[playing])
        for i in playing[env.done[playing]]:
            first = env.final_returns[i] == env.final_returns[i].max()
            wins[i] = first[seats[i]] / first.sum() if env.terminated[i] else 0.0
    # Wilson's margin, because 100 % of a sample is not certain.
    return float(wins.mean()), float(1.96 * (wins.var() / games + (0.98 / games) ** 2) ** 0.5)


def evaluate(games):
    row = {"minutes": minutes(), "cpu_minutes": cpu_minutes(), "games": finished_games}
    text = f"{minutes():5.1f} min  {cpu_minutes():5.1f} CPU-min  {finished_games:>6,} games "
    for bot in args.bots:
        row[bot], row[f"{bot}_margin"] = win_share(bot, games, seed=10**6 + len(curve))
        text += f"  {bot} {100 * row[bot]:5.1f} % +- {100 * row[f'{bot}_margin']:.1f} %"
    curve.append(row)
    print(text, flush=True)
    save()


# ---- checkpoints ----


def minutes():
    return before["minutes"] + (time.monotonic() - start) / 60


def cpu_minutes():
    """CPU time of all threads."""
    return before["cpu_minutes"] + (time.process_time() - cpu_start) / 60


def save():
    """Writes a checkpoint atomically: after a crash the file is the old or the new one."""
    args.out.mkdir(parents=True, exist_ok=True)
    content = {
        "network": network.state_dict(),
        "optimizer": optimizer.state_dict(),
        "curve": curve,
        "minutes": minutes(),
        "cpu_minutes": cpu_minutes(),
        "games": finished_games,
        "network_of": network_of,
    }
    with ludovec.files.replaced(args.out / "checkpoint.pt") as file:
        torch.save(content, file)
    with open(args.out / "curve.csv", "w", newline="") as file:
        table = csv.DictWriter(file, list(dict.fromkeys(name for row in curve for name in row)))
        table.writeheader()
        table.writerows(curve)


def draw():
    shares = {}
    for bot in args.bots:
        names = "cpu_minutes", bot, f"{bot}_margin"
        shares[f"against {bot}"] = [tuple(row[name] for name in names) for row in curve if bot in row]
    drawing = ludovec.plots.curves(
        {name: points for name, points in shares.items() if points},
        f"{args.env}, {spec.players} players, Gumbel AlphaZero by self-play",
        "minutes of processor time",
        "share of wins",
        level=1 / spec.players,
    )
    (args.out / "curve.svg").write_text(drawing)
    print(f"curve saved to {args.out / 'curve.svg'}")


# ---- main program ----


def stop(*_):
    raise KeyboardInterrupt


# Like Ctrl-C.
signal.signal(signal.SIGTERM, stop)
env = make(args.num_envs, args.seed)
spec = env.game_spec
search = make_search(env, args.simulations)
network = Network(spec).to(device)
optimizer = torch.optim.AdamW(network.parameters(), lr=args.learning_rate, weight_decay=1e-4)
buffer = Buffer(spec, args.buffer)
episodes = [[] for _ in range(args.num_envs)]

curve, finished_games, network_seconds = [], 0, 0.0
before = {"minutes": 0.0, "cpu_minutes": 0.0}
# Settings that a checkpoint must agree with; all others may change between runs.
network_of = {
    name: getattr(args, name) for name in ("env", "set", "reward", "scale", "hidden", "blocks", "one_hot")
}
if args.resume:
    # Games and positions are not saved, because new ones are played quickly.
    before = torch.load(args.out / "checkpoint.pt", map_location=device, weights_only=True)
    if before["network_of"] != network_of:
        parser.error(f"--resume: {args.out} was trained with {before['network_of']}")
    network.load_state_dict(before["network"])
    optimizer.load_state_dict(before["optimizer"])
    curve, finished_games = before["curve"], before["games"]
    # A run that goes on with the seed of its beginning must not play its first games again.
    env.reset(seed=args.seed + finished_games)
player = copy.deepcopy(network)
start, cpu_start = time.monotonic(), time.process_time()

weights = sum(p.numel() for p in network.parameters())
print(
    f"{args.env}, {spec.players} players (an equal share is {100 / spec.players:.1f} %), "
    f"{weights:,} weights, seed {args.seed}"
)
next_eval = minutes() + (args.eval_every if curve else 0.0)
search.start()
learner = ThreadPoolExecutor(1)
due = 0.0
try:
    while minutes() < args.minutes and finished_games < args.games:
        if minutes() >= next_eval:
            evaluate(args.eval_games)
            next_eval += args.eval_every
        # One core plays with the previous network while the other one learns.
        began, asked = time.perf_counter(), network_seconds
        learning = learner.submit(train, int(due))
        ended = self_play(moves=16)
        played, asked = time.perf_counter() - began, network_seconds - asked
        policy_loss, value_loss, learned = learning.result()
        if due >= 1:
            print(
                f"{minutes():5.1f} min  {finished_games:>6,} games  "
                f"policy loss {policy_loss:.3f}  value loss {value_loss:.3f}  "
                f"seconds: network {asked:.1f}, trees {played - asked:.1f}; learning {learned:.1f}",
                flush=True,
            )
        due -= int(due)
        player.load_state_dict(network.state_dict())
        for episode in ended:
            store(episode)
            due += args.reuse * len(episode) / args.minibatch
        finished_games += len(ended)
        due *= buffer.added >= args.warm_up
    evaluate(args.final_games)
except KeyboardInterrupt:
    print(f"stopped after {minutes():.1f} minutes; continue with --resume")
finally:
    learner.shutdown()
    save()
if curve:
    draw()
