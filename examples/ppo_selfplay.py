"""PPO self-play in one file: one network plays all seats.

    pip install '.[torch]'
    python examples/ppo_selfplay.py                      # Small World, 3 players
    python examples/ppo_selfplay.py --resume             # goes on after Ctrl-C
    python examples/ppo_selfplay.py --env tilewe --set players=2 --cpu-minutes 30

The same network plays every seat of every game. In a game of several players, the others act between two
decisions of a player; `ludovec.Collector` pays it what it earns meanwhile. At intervals the network plays
one seat against bots: the random one, the greedy one and the last one that the game lists. Its share of wins
is printed with a 95 % margin. `--out` gets a checkpoint, and the shares as a table and as a picture. An equal
share is 1 / players.
"""

import argparse
import csv
import signal
import time
from pathlib import Path

import ludovec
import numpy as np
import torch
from torch import nn

# ---- arguments ----

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--env", default="smallworld", choices=ludovec.list_envs())
parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="options of the environment")
parser.add_argument(
    "--cpu-minutes", type=float, default=12.0, help="processor time of all threads, including evaluation"
)
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--threads", type=int, default=1, help="threads of torch and of the games")
parser.add_argument("--num-envs", type=int, default=256, help="parallel games")
parser.add_argument("--steps", type=int, default=128, help="decisions per game between updates")
parser.add_argument("--epochs", type=int, default=3, help="passes over the decisions of a rollout")
parser.add_argument("--minibatch", type=int, default=2048)
parser.add_argument("--hidden", type=int, default=256)
parser.add_argument("--learning-rate", type=float, default=1e-3, help="falls linearly to a tenth")
parser.add_argument("--gamma", type=float, default=0.998, help="discount per decision of the same player")
parser.add_argument("--gae-lambda", type=float, default=0.95)
parser.add_argument("--clip", type=float, default=0.2, help="clipping range of the policy ratio")
parser.add_argument("--entropy", type=float, default=0.01, help="coefficient of the entropy bonus")
parser.add_argument(
    "--reward", default="score", choices=["score", "outcome"], help="score: dense, own points"
)
parser.add_argument("--reward-scale", type=float, default=0.1)
parser.add_argument("--eval-every", type=float, default=1.5, help="minutes of processor time")
parser.add_argument(
    "--bots", nargs="*", help="opponents of the evaluation; default: random, greedy and the game's last bot"
)
parser.add_argument("--eval-games", type=int, default=300)
parser.add_argument(
    "--ignore", nargs="*", default=["adjacency"], help="observation fields hidden from the network"
)
parser.add_argument(
    "--out", type=Path, default=Path("ppo_selfplay"), help="folder of the checkpoint and the curve"
)
parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in the folder")
args = parser.parse_args()

torch.manual_seed(args.seed)
options = dict(pair.split("=", 1) for pair in args.set)


def make(num_envs, seed, **more):
    return ludovec.make(args.env, num_envs, num_threads=args.threads, seed=seed, **options, **more)


# ---- the network ----


class Inputs(nn.Module):
    """Encodes bytes as floats: sets as one input per member, everything else as logarithms."""

    def __init__(self, spec):
        super().__init__()
        sets, numbers = [], []
        for field in spec.observation:
            if field.name not in args.ignore:
                (sets if field.meaning.startswith("set") else numbers).extend(field.indices.ravel())
        self.register_buffer("sets", torch.tensor(np.array(sets, dtype=np.int64)))
        self.register_buffer("numbers", torch.tensor(np.array(numbers, dtype=np.int64)))
        self.register_buffer("bits", 2 ** torch.arange(8, dtype=torch.uint8))
        self.size = 8 * len(sets) + len(numbers)

    def forward(self, observations):
        observations = observations.flatten(1)
        members = (observations[:, self.sets, None] & self.bits).ne(0).flatten(1).float()
        return torch.cat([members, torch.log1p(observations[:, self.numbers].float())], 1)


class Agent(nn.Module):
    def __init__(self, spec):
        super().__init__()
        inputs = Inputs(spec)
        self.body = nn.Sequential(
            inputs,
            nn.Linear(inputs.size, args.hidden),
            nn.ReLU(),
            nn.Linear(args.hidden, args.hidden),
            nn.ReLU(),
        )
        self.policy = nn.Linear(args.hidden, spec.num_actions)
        self.value = nn.Linear(args.hidden, 1)
        # A new network has a uniform policy and value 0.
        nn.init.zeros_(self.policy.weight)
        nn.init.zeros_(self.value.weight)

    def forward(self, observations, masks):
        """Log-probabilities [B, A] of legal actions, and values [B]."""
        features = self.body(observations)
        logits = self.policy(features).masked_fill(~masks, -1e9)
        return torch.log_softmax(logits, 1), self.value(features).squeeze(1)


def choose(log_probs):
    """Samples one action per row."""
    noise = -torch.empty_like(log_probs).exponential_().log()
    return (log_probs + noise).argmax(1)


# ---- evaluation ----


@torch.no_grad()
def act(agent, observations, masks):
    """Actions, log-probabilities and values, from arrays of the environment."""
    # With few rows, one thread is faster than waking others.
    torch.set_num_threads(1)
    log_p, value = agent(torch.from_numpy(observations), torch.from_numpy(masks))
    action = choose(log_p)
    return action, log_p.gather(1, action[:, None]).squeeze(1), value


def policy(observations, info):
    """Actions, log-probabilities and values of the network, for `ludovec.Collector`."""
    actions, log_probs, values = act(agent, observations, info["legal_action_mask"])
    return {"actions": actions, "log_probs": log_probs, "values": values}


def win_share(agent, bot, games, seed):
    """Share of games that the network wins in one seat against bots, and its 95 % margin; shared first places
    count in part."""
    env = make(games, seed)
    players = env.game_spec.players
    seats = np.arange(games) % players
    obs, info = env.reset(seed=seed)
    wins = np.full(games, np.nan)
    while np.isnan(wins).any():
        actions = env.bot_actions(bot)
        mine = np.flatnonzero((info["current_player"] == seats) & np.isnan(wins))
        if len(mine):
            actions[mine] = act(agent, obs[mine], info["legal_action_mask"][mine])[0].numpy()
        obs, _, terminated, truncated, info = env.step(actions)
        for i in np.flatnonzero((terminated | truncated) & np.isnan(wins)):
            returns = env.final_returns[i]
            first = returns == returns.max()
            wins[i] = first[seats[i]] / first.sum() if terminated[i] else 0.0
    # Wilson's margin, because 100 % of a sample is not certain.
    return float(wins.mean()), float(1.96 * (wins.var() / games + (0.98 / games) ** 2) ** 0.5)


# ---- training ----

env = make(args.num_envs, args.seed, reward=args.reward)
spec = env.game_spec
agent = Agent(spec)
optimizer = torch.optim.Adam(agent.parameters(), lr=args.learning_rate, eps=1e-5)

P = spec.players
bots = args.bots or ["random", "greedy", list(spec.bots)[-1]]
curve, decisions, finished_games = [], 0, 0
before = {"cpu_minutes": 0.0, "minutes": 0.0}
# Settings that a checkpoint must agree with; all others may change between runs.
network_of = {name: getattr(args, name) for name in ("env", "set", "hidden", "ignore")}
if args.resume:
    # The games are not saved, because new ones are played quickly.
    before = torch.load(args.out / "checkpoint.pt", weights_only=True)
    if before["network_of"] != network_of:
        parser.error(f"--resume: {args.out} was trained with {before['network_of']}")
    agent.load_state_dict(before["network"])
    optimizer.load_state_dict(before["optimizer"])
    curve, decisions, finished_games = before["curve"], before["decisions"], before["games"]
env.reset(seed=args.seed + decisions)
start, cpu_start = time.monotonic(), time.process_time()


def minutes():
    return before["minutes"] + (time.monotonic() - start) / 60


def cpu_minutes():
    """Processor time of all threads."""
    return before["cpu_minutes"] + (time.process_time() - cpu_start) / 60


def evaluate():
    row = {"cpu_minutes": cpu_minutes(), "minutes": minutes(), "decisions": decisions}
    told = f"{row['cpu_minutes']:5.1f} CPU-min  {decisions:>10,} decisions  {finished_games:>7,} games  wins"
    for bot in bots:
        row[bot], row[f"{bot}_margin"] = win_share(agent, bot, args.eval_games, seed=10**6 + len(curve))
        told += f"  against {bot} {100 * row[bot]:5.1f} % +- {100 * row[f'{bot}_margin']:.1f} %"
    curve.append(row)
    print(told, flush=True)
    save()


def save():
    """Writes the checkpoint atomically, and the curve as a table and as a picture."""
    args.out.mkdir(parents=True, exist_ok=True)
    content = {
        "network": agent.state_dict(),
        "optimizer": optimizer.state_dict(),
        "curve": curve,
        "cpu_minutes": cpu_minutes(),
        "minutes": minutes(),
        "decisions": decisions,
        "games": finished_games,
        "network_of": network_of,
    }
    with ludovec.files.replaced(args.out / "checkpoint.pt") as file:
        torch.save(content, file)
    if not curve:
        return
    with open(args.out / "curve.csv", "w", newline="") as file:
        table = csv.DictWriter(file, list(curve[0]))
        table.writeheader()
        table.writerows(curve)
    shares = {
        f"against {bot}": [(row["cpu_minutes"], row[bot], row[f"{bot}_margin"]) for row in curve]
        for bot in bots
    }
    drawing = ludovec.plots.curves(
        shares,
        f"{args.env}, {P} players, PPO by self-play",
        "minutes of processor time",
        "share of wins",
        level=1 / P,
    )
    (args.out / "curve.svg").write_text(drawing)


def stop(*_):
    raise KeyboardInterrupt


# Like Ctrl-C.
signal.signal(signal.SIGTERM, stop)
weights = sum(p.numel() for p in agent.parameters())
print(f"{args.env}, {P} players, {weights:,} weights; an equal share of wins is {100 / P:.1f} %", flush=True)
next_eval = cpu_minutes() + (args.eval_every if curve else 0.0)


collector = ludovec.Collector(
    env, policy, gamma=args.gamma, gae_lambda=args.gae_lambda, reward_scale=args.reward_scale
)


def update():
    """Plays some steps and learns from them."""
    global decisions, finished_games
    # Play: every decision of every game is a sample of the player that made it.
    played = collector.collect(args.steps)
    decisions += args.steps * args.num_envs
    finished_games += int(played.ended.sum())

    # Learn from the decisions with a known successor.
    known = played.known
    observations, actions, log_probs, flat_advantages, returns = (
        torch.from_numpy(column[known])
        for column in (
            played.observations,
            played.actions,
            played.more["log_probs"],
            played.advantages,
            played.returns,
        )
    )
    masks = torch.from_numpy(ludovec.unpack_bits(played.action_mask_bits[known], spec.num_actions))
    optimizer.param_groups[0]["lr"] = args.learning_rate * max(0.1, 1 - cpu_minutes() / args.cpu_minutes)
    torch.set_num_threads(args.threads)
    for _ in range(args.epochs):
        for batch in torch.randperm(len(actions)).split(args.minibatch):
            batch_masks = masks[batch]
            log_p, new_values = agent(observations[batch], batch_masks)
            new_log_probs = log_p.gather(1, actions[batch, None].long()).squeeze(1)
            ratio = (new_log_probs - log_probs[batch]).exp()
            advantage = flat_advantages[batch]
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
            value_loss = 0.5 * (new_values - returns[batch]).square().mean()
            entropy = -(log_p.exp() * log_p).masked_fill(~batch_masks, 0).sum(1).mean()
            loss = policy_loss + 0.5 * value_loss - args.entropy * entropy
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


try:
    while cpu_minutes() < args.cpu_minutes:
        if cpu_minutes() >= next_eval:
            evaluate()
            next_eval += args.eval_every
        update()
    evaluate()
except KeyboardInterrupt:
    save()
    print(f"stopped after {cpu_minutes():.1f} minutes of processor time; continue with --resume")
else:
    print(f"curve saved to {args.out / 'curve.svg'}")
