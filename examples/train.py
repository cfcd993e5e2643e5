"""Gumbel AlphaZero for every environment: one network plays all seats, improved by a tree search.

    pip install '.[torch]'
    python examples/train.py smallworld                              # 30 minutes on the CPU
    python examples/train.py smallworld --resume --minutes 60        # continues from the checkpoint
    python examples/train.py chess --resume --minutes 0 --bots greedy search:200     # evaluates only
    ludovec play smallworld --set players=2 --players me,it:net:trained/smallworld/best.safetensors:64

The example is one file of more than 700 lines on purpose: read it from top to bottom, copy it as a whole.

Training starts with `--imitate` minutes of imitation of scripted bots (`--teachers`): their games are cheap
and reach a real end. Self-play follows: before every move `ludovec.TreeSearch` grows a tree in each of many
games, the leaves of all trees are evaluated in one network call, and every position is stored with two
targets:

- policy: the improved policy of the search;
- values, one per player: its future rewards, mixed with the search values of the positions in between
  (TD(lambda)). Observations start with the current player, then the others in turn order; the values are in
  the same order.

With `--reward score` values predict future points minus the mean of the others'; with `outcome`, only the
winner.

At intervals the network plays one seat against bots, with rotating seats, without and with a search. Its
share of points goes to `curve.csv` in `--out` (and to TensorBoard if installed), with the seconds spent on
bots, steps, trees, inference, learning (in its own thread) and evaluation. `best.safetensors` is the best
network so far, which Ludovec plays as `net:FILE`. Ctrl-C saves.

The example is a single file on purpose: copy it, change it, and run it beside the package.
"""

import argparse
import csv
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from itertools import pairwise
from pathlib import Path

import ludovec
import numpy as np
import torch
from ludovec import nets
from ludovec.vector import unpack_bits

#: Defaults by environment.
PRESETS = {
    "smallworld": {
        "set": ["players=2", "players=3"],
        "reward": "score",
        "scale": 20.0,
        "names": ["seats", "row"],
        "channels": 256,
        "blocks": 2,
        "free": ["map_seed"],
        "teachers": ["conqueror"],
        "simulations": 32,
        "bots": ["greedy", "conqueror"],
    },
    "tilewe": {
        "set": ["players=4", "players=3", "players=2"],
        "method": "puct",
        "c_init": 16.0,
        "board": "own",
        "reward": "score",
        "scale": 20.0,
        "channels": 32,
        "blocks": 4,
        "teachers": ["one_ply", "greedy"],
        "imitate": 15.0,
        "simulations": 16,
        "num_envs": 128,
        "minibatch": 128,
        "bots": ["greedy"],
    },
    "chess": {
        "set": ["variant=chess"],
        "board": "own_0",
        "board_axis": 0,
        "free": ["fen", "max_plies"],
        "without": r".*_[2-7]|repetition_1|plies",
        "reward": "outcome",
        "scale": 1.0,
        "channels": 48,
        "blocks": 4,
        "teachers": ["cautious", "greedy"],
        "imitate": 22.0,
        "simulations": 24,
        "considered": 8,
        "minibatch": 256,
        "bots": ["greedy"],
    },
    "starwars_risk": {
        "set": ["max_rounds=100"],
        "free": ["max_rounds"],
        "method": "puct",
        "c_init": 16.0,
        "reward": "outcome",
        "scale": 1.0,
        "channels": 256,
        "blocks": 2,
        "teachers": ["greedy"],
        "simulations": 64,
        "considered": 8,
        "bots": ["greedy"],
    },
    "empires": {
        "set": [
            "players=2 width=12 height=12 max_turns=200",
            "players=4 width=14 height=10 max_turns=200",
            "players=4 width=24 height=14 max_turns=200",
        ],
        "method": "puct",
        "board": "owner",
        "free": ["max_turns", "names", "tiles_per_castle", "castles"],
        "ranges": {"width": {"min": 8, "max": 40}, "height": {"min": 8, "max": 20}},
        "names": ["owner", "structure"],
        "reward": "outcome",
        "scale": 1.0,
        "channels": 32,
        "blocks": 4,
        "teachers": ["search:64", "greedy"],
        "imitate": 15.0,
        "simulations": 16,
        "num_envs": 96,
        "minibatch": 128,
        "bots": ["greedy"],
    },
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("env", choices=ludovec.list_envs())
    parser.add_argument(
        "--set", nargs="+", default=[""], metavar="'KEY=VALUE ...'", help="options, one or more sets"
    )
    parser.add_argument("--minutes", type=float, default=30.0, help="training time, including evaluation")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, default=2, help="threads of the tree search")
    parser.add_argument(
        "--out", type=Path, help="folder for checkpoint, curve and best network [trained/ENV]"
    )
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
    see = parser.add_argument_group("network")
    see.add_argument("--board", help="a field with the board, for convolutions; omit for scalars only")
    see.add_argument("--board-axis", type=int, default=-2, help="first axis of the board in a field: 0 or -2")
    see.add_argument("--names", nargs="*", default=[], help="fields to encode one-hot")
    see.add_argument("--without", help="fields to ignore, as a regular expression")
    see.add_argument("--channels", type=int, default=256)
    see.add_argument("--blocks", type=int, default=2)
    play = parser.add_argument_group("self-play")
    play.add_argument(
        "--teachers", nargs="*", default=["greedy"], help="bots that play first; the first one is imitated"
    )
    play.add_argument("--imitate", type=float, default=3.0, help="minutes of imitation")
    play.add_argument("--num-envs", type=int, default=256, help="parallel games")
    play.add_argument("--simulations", type=int, default=32)
    play.add_argument("--considered", type=int, default=16, help="maximum number of actions at the root")
    play.add_argument("--td-lambda", type=float, default=0.95, help="1: values from results only")
    play.add_argument("--reward", default="outcome", choices=["score", "outcome"])
    play.add_argument("--scale", type=float, default=1.0, help="reward that is 1 to the network")
    learn = parser.add_argument_group("learning")
    learn.add_argument("--buffer", type=int, default=150_000, help="positions per replay buffer")
    learn.add_argument("--warm-up", type=int, default=8_000, help="positions before learning begins")
    learn.add_argument("--reuse", type=float, default=4.0, help="times that a position is trained on")
    learn.add_argument("--minibatch", type=int, default=512)
    learn.add_argument("--learning-rate", type=float, default=1e-3, help="falls linearly to a tenth")
    learn.add_argument("--average", type=float, default=0.995, help="decay of the averaged weights that play")
    learn.add_argument("--free", nargs="*", default=[], help="options that are not inputs of the network")
    measure = parser.add_argument_group("measurement")
    measure.add_argument("--bots", nargs="*", default=["greedy"], help="opponents of the evaluation")
    measure.add_argument(
        "--method", default="gumbel", choices=["gumbel", "puct"], help="search method in the evaluation"
    )
    measure.add_argument(
        "--c-init", type=float, default=1.25, help="puct: weight of the policy relative to values"
    )
    measure.add_argument("--eval-every", type=float, default=8.0, help="minutes")
    measure.add_argument("--eval-games", type=int, default=40)
    measure.add_argument(
        "--eval-simulations", type=int, nargs="*", default=[0, 16], help="0: policy without search"
    )
    known, _ = parser.parse_known_args()
    parser.set_defaults(**{"ranges": {}, **PRESETS.get(known.env, {})})
    args = parser.parse_args()
    args.out = args.out or Path("trained") / args.env
    if wrong := [pair for text in args.set for pair in text.split() if "=" not in pair]:
        parser.error(f"--set {wrong[0]}: KEY=VALUE is needed")
    if args.resume and not checkpoint(args).is_file():
        parser.error(f"--resume: there is no {checkpoint(args)}")
    return args


def checkpoint(args):
    return args.out / "checkpoint.pt"


# ---- inference ----


class Spent(Counter):
    """Seconds by activity."""

    @contextmanager
    def on(self, what):
        began = time.perf_counter()
        yield
        self[what] += time.perf_counter() - began


class Player:
    """A network for positions under one set of options."""

    def __init__(self, network, spec, args, spent=None):
        self.network, self.scale = network, args.scale
        self.spent = Spent() if spent is None else spent
        self.encoder = network.inputs.encoder(spec)
        self.index = torch.from_numpy(outputs_of(network, spec).astype(np.int64))
        self.players = spec.players

    def forward(self, observations):
        planes, scalars = (torch.from_numpy(part) for part in self.encoder(observations))
        return self.network(planes, scalars)

    @torch.inference_mode()
    def answer(self, observations, offsets, actions):
        """Logits of all legal actions, concatenated, and values."""
        with torch.autocast("cpu", torch.bfloat16):
            outputs, values = self.forward(observations)
        rows = torch.from_numpy(np.repeat(np.arange(len(offsets) - 1), np.diff(offsets)))
        logits = outputs[rows, self.index[torch.from_numpy(actions.astype(np.int64))]]
        return logits.float().numpy(), values[:, : self.players].float().numpy() * self.scale

    def run(self, search):
        """Runs the search to the end."""
        while True:
            with self.spent.on("trees"):
                n = search.select()
            if not n:
                return search.actions
            with self.spent.on("network"):
                answer = self.answer(search.observations[:n], search.legal_offsets, search.legal_actions)
            with self.spent.on("trees"):
                search.expand_legal(*answer)

    def policy(self, env, ids):
        """The most probable action in some games."""
        offsets, actions = legal_actions(env.action_mask_bits[ids], env.game_spec.num_actions)
        logits, _ = self.answer(env.observations[ids], offsets, actions)
        return np.array([actions[a + logits[a:b].argmax()] for a, b in pairwise(offsets)], np.int32)


def outputs_of(network, spec):
    board = network.inputs.board
    return nets.action_outputs(spec, None if board is None else board.size(spec)).outputs


def legal_actions(mask_bits, num_actions):
    """Offsets [n + 1] and actions [total]."""
    rows, actions = np.nonzero(unpack_bits(mask_bits, num_actions))
    return np.searchsorted(rows, np.arange(len(mask_bits) + 1)), actions.astype(np.int32)


# ---- training data ----


class Buffer:
    """A ring buffer of positions."""

    def __init__(self, spec, capacity):
        self.observations = np.zeros((capacity, spec.observation_len), np.uint8)
        self.values = np.zeros((capacity, spec.players), np.float32)
        self.actions, self.policies = [None] * capacity, [None] * capacity
        self.added = 0

    def __len__(self):
        return min(self.added, len(self.values))

    def add(self, observation, actions, policy, values):
        at = self.added % len(self.values)
        self.observations[at], self.values[at] = observation.ravel(), values
        self.actions[at], self.policies[at] = actions, policy
        self.added += 1

    def sample(self, rng, rows):
        """Observations, legal actions and their policies padded with -1 and 0, values."""
        at = rng.integers(len(self), size=rows)
        longest = max(len(self.actions[i]) for i in at)
        actions = np.full((rows, longest), -1, np.int64)
        policies = np.zeros((rows, longest), np.float32)
        for row, i in enumerate(at):
            actions[row, : len(self.actions[i])] = self.actions[i]
            policies[row, : len(self.actions[i])] = self.policies[i]
        return self.observations[at], actions, policies, self.values[at]

    def tail(self, rows):
        """The newest positions, as arrays."""
        at = [i % len(self.values) for i in range(max(0, self.added - min(rows, len(self))), self.added)]
        ragged = [
            np.concatenate([part[i] for i in at] or [np.zeros(0)]) for part in (self.actions, self.policies)
        ]
        return self.observations[at], self.values[at], [len(self.actions[i]) for i in at], *ragged

    def restore(self, observations, values, lengths, actions, policies):
        ends = np.cumsum(lengths)
        for i, (end, length) in enumerate(zip(ends, lengths)):
            here = slice(end - length, end)
            self.add(observations[i], actions[here].astype(np.int32), policies[here], values[i])


class SelfPlay:
    """Parallel games under one set of options."""

    def __init__(self, options, args, number, spent):
        self.spent = spent
        settings = {
            "num_threads": args.threads,
            "seed": args.seed + number,
            "mask": "bits",
            "reward": args.reward,
        }
        self.args, self.options = args, options
        self.env = ludovec.make(args.env, max(args.num_envs // len(args.set), 1), **settings, **options)
        self.spec = self.env.game_spec
        self.search = ludovec.TreeSearch(
            self.env,
            args.simulations,
            considered=args.considered,
            value="seats",
            seed=args.seed + number,
            num_threads=args.threads,
        )
        self.buffer = Buffer(self.spec, args.buffer)
        self.rng = np.random.default_rng([args.seed, number])
        self.episodes = [[] for _ in range(self.env.num_envs)]
        self.teachers = (
            self.rng.choice(args.teachers, (self.env.num_envs, self.spec.players)) if args.teachers else None
        )
        self.symmetries = ludovec.symmetries(args.env, **options)
        self.games = 0

    def imitate(self, moves):
        """Bots play, occasionally at random; the target of a position is the first bot's action."""
        new = 0
        for _ in range(moves):
            env = self.env
            seats = env.current_player.copy()
            names = self.teachers[np.arange(env.num_envs), seats]
            with self.spent.on("bots"):
                best = np.asarray(env.bot_actions(self.args.teachers[0]), np.int32)
                actions = best.copy()
                for name in set(self.args.teachers[1:]):
                    ids = np.flatnonzero(names == name)
                    if len(ids):
                        actions[ids] = env.bot_actions(name, ids)
            offsets, legal = legal_actions(env.action_mask_bits, self.spec.num_actions)
            rows = []
            for i, (a, b) in enumerate(pairwise(offsets)):
                rows.append((legal[a:b], (legal[a:b] == best[i]).astype(np.float16)))
            astray = self.rng.random(env.num_envs) < 0.05
            actions[astray] = env.sample_actions()[astray]
            new += self._step(actions, seats, rows, None)
        return new

    def play(self, player, moves):
        """Plays with the search and stores the games that end."""
        new = 0
        for _ in range(moves):
            seats = self.env.current_player.copy()
            actions = player.run(self.search)
            offsets, legal, policy = (
                self.search.root_offsets,
                self.search.root_actions,
                self.search.policy_legal,
            )
            rows = [(legal[a:b], policy[a:b].astype(np.float16)) for a, b in pairwise(offsets)]
            new += self._step(actions, seats, rows, self.search.values)
            self.search.advance(actions)
        return new

    def _step(self, actions, seats, rows, found):
        env = self.env
        observations = env.observations.copy()
        with self.spent.on("steps"):
            env.step(actions)
        rewards = env.rewards.copy()
        new = 0
        for i, episode in enumerate(self.episodes):
            episode.append(
                (observations[i], *rows[i], seats[i], None if found is None else found[i], rewards[i])
            )
        for i in np.flatnonzero(env.done):
            # A truncated game has no outcome to learn from, but its points were earned.
            if env.terminated[i] or self.args.reward == "score":
                new += self._store(self.episodes[i])
                self.games += 1
            self.episodes[i] = []
            if self.teachers is not None:
                self.teachers[i] = self.rng.choice(self.args.teachers, self.spec.players)
        return new

    def _store(self, episode):
        """Stores the positions of an episode, last position first, without forced moves."""
        players, new = self.spec.players, 0
        value = np.zeros(players, np.float32)
        for observation, legal, policy, seat, found, rewards in reversed(episode):
            value = value + rewards
            if self.args.reward == "score":
                # Minus the mean reward of the others; outcomes are zero-sum already.
                value -= (rewards.sum() - rewards) / max(players - 1, 1)
            if len(legal) > 1:
                # The network's order: the current player first.
                self.buffer.add(observation, legal, policy, np.roll(value / self.args.scale, -seat))
                new += 1
            if found is not None:
                value = self.args.td_lambda * value + (1 - self.args.td_lambda) * found
        return new


# ---- learning ----


class Learner:
    def __init__(self, network, plays, args):
        self.network, self.plays, self.args = network, plays, args
        self.average = deepcopy(network)
        self.optimizer = torch.optim.AdamW(network.parameters(), lr=args.learning_rate, weight_decay=1e-4)
        self.players = [Player(network, play.spec, args) for play in plays]
        self.rng = np.random.default_rng(args.seed)
        self.updates = 0

    def train(self, updates, progress):
        """Mean losses of the policy (above the entropy of the target) and of the values, and seconds."""
        began = time.perf_counter()
        losses = np.zeros(2)
        for group in self.optimizer.param_groups:
            group["lr"] = self.args.learning_rate * max(0.1, 1 - 0.9 * progress)
        for _ in range(updates):
            losses += self.update(self.updates % len(self.plays))
        return losses / max(updates, 1), time.perf_counter() - began

    def update(self, which):
        play, player = self.plays[which], self.players[which]
        observations, actions, policies, values = play.buffer.sample(self.rng, self.args.minibatch)
        if play.symmetries:
            symmetry = play.symmetries[self.rng.integers(len(play.symmetries))]
            observations = observations[:, symmetry.observation]
            actions = np.where(actions < 0, -1, symmetry.action[actions].astype(np.int64))
        legal = torch.from_numpy(actions >= 0)
        with torch.autocast("cpu", torch.bfloat16):
            outputs, predicted = player.forward(observations)
        logits = outputs.float().gather(1, player.index[torch.from_numpy(np.maximum(actions, 0))])
        log_policy = torch.log_softmax(logits.masked_fill(~legal, -1e9), 1)
        policies = torch.from_numpy(policies)
        policy_loss = (policies * (torch.log(policies.clamp_min(1e-9)) - log_policy)).sum(1).mean()
        difference = predicted[:, : player.players].float() - torch.from_numpy(values)
        value_loss = difference.square().mean()
        self.optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self.optimizer.step()
        self.updates += 1
        with torch.no_grad():
            share = 1 - min(self.args.average, self.updates / (10 + self.updates))
            for mean, weight in zip(self.average.parameters(), self.network.parameters()):
                mean.lerp_(weight, share)
        return np.array([policy_loss.item(), value_loss.item()])


# ---- evaluation ----


def share_of_points(network, play, bot, simulations, games, seed):
    """Share of points of the network in one seat against bots, and its 95 % margin."""
    args = play.args
    env = ludovec.make(
        args.env, games, num_threads=args.threads, seed=seed, mask="bits", reward=args.reward, **play.options
    )
    player = Player(network, env.game_spec, args)
    settings = {"method": args.method, "c_init": args.c_init, "gumbel_scale": 0.0, "value": "seats"}
    settings |= {"seed": seed, "num_threads": args.threads}
    search = ludovec.TreeSearch(env, simulations, **settings) if simulations else None
    players = env.game_spec.players
    seats = np.arange(games) % players
    points = np.full(games, np.nan)
    while len(playing := np.flatnonzero(np.isnan(points))):
        mine = env.current_player[playing] == seats[playing]
        actions = np.zeros(games, np.int32)
        if not mine.all():
            actions[playing[~mine]] = env.bot_actions(bot, playing[~mine])
        if mine.any():
            ids = playing[mine]
            if search is None:
                actions[ids] = player.policy(env, ids)
            else:
                search.start(ids)
                actions[ids] = player.run(search)[ids]
        env.step_games(playing, actions[playing])
        for i in playing[env.done[playing]]:
            # Outcomes instead of scores, because the loser may have the higher score. A truncated game is a
            # draw.
            outcome = env.final_returns[i]
            others = np.delete(outcome, seats[i])
            points[i] = ((outcome[seats[i]] > others) + 0.5 * (outcome[seats[i]] == others)).mean()
    env.close()
    return points.mean(), 1.96 * (points.var() / games + (0.98 / games) ** 2) ** 0.5


# ---- main program ----


class Training:
    def __init__(self, args):
        self.args = args
        torch.manual_seed(args.seed)
        # Self-play and learning use one thread each; more threads would spend their time waiting for each
        # other.
        torch.set_num_threads(1)
        options = [dict(pair.split("=", 1) for pair in text.split()) for text in args.set]
        for chosen in options:
            # An unknown bot is an error before the training, not at its first move.
            for bot in [*args.teachers, *args.bots]:
                ludovec.make(args.env, **chosen).bot_actions(bot)
        self.spent = Spent()
        self.plays = [SelfPlay(chosen, args, number, self.spent) for number, chosen in enumerate(options)]
        specs = [play.spec for play in self.plays]
        self.most = max(specs, key=lambda spec: spec.players)
        board = nets.Board(args.board, args.board_axis) if args.board else None
        self.before, self.curve, self.best = {"minutes": 0.0, "cpu_minutes": 0.0}, [], -1.0
        saved = None
        names = ("env", "set", "board", "board_axis", "reward", "scale", "channels", "blocks")
        # Settings that a checkpoint must agree with; all others may change between runs.
        self.network_of = {name: getattr(args, name) for name in names}
        if args.resume:
            saved = torch.load(checkpoint(args), weights_only=False)
            if saved.get("network_of", self.network_of) != self.network_of:
                raise ludovec.InvalidConfig(f"--resume: {args.out} was trained with {saved['network_of']}")
            inputs = nets.Inputs.from_json(saved["inputs"], saved["tables"])
        else:
            inputs = nets.Inputs.of(specs, board, args.names, args.without)
        self.network = nets.ResidualNetwork(inputs, self.most, args.channels, args.blocks)
        self.learner = Learner(self.network, self.plays, args)
        self.due = 0.0
        if saved:
            self._restore(saved)
        self.start, self.cpu_start = time.monotonic(), time.process_time()
        self.board = tensorboard(args.out)
        weights = sum(p.numel() for p in self.network.parameters())
        print(
            f"{args.env}: {len(inputs.planes)} planes, {len(inputs.scalars)} numbers, {weights:,} weights",
            flush=True,
        )

    def minutes(self):
        return self.before["minutes"] + (time.monotonic() - self.start) / 60

    def cpu_minutes(self):
        """CPU time of all threads."""
        return self.before["cpu_minutes"] + (time.process_time() - self.cpu_start) / 60

    def games(self):
        return sum(play.games for play in self.plays)

    def run(self):
        args = self.args
        next_eval = self.minutes() + args.eval_every * (0.5 if not self.curve else 1)
        worker = ThreadPoolExecutor(1)
        rooted = False
        acting = deepcopy(self.learner.average)
        players = [Player(acting, play.spec, args, self.spent) for play in self.plays]
        if not self.curve:
            # The untrained network, exported now so that an unwritable folder is an error before the
            # training.
            self.export(args.out / "best.safetensors")
        try:
            while self.minutes() < args.minutes:
                if self.minutes() >= next_eval:
                    self.evaluate()
                    next_eval = self.minutes() + args.eval_every
                imitating = args.teachers and self.minutes() < args.imitate
                if not imitating and not rooted:
                    for play in self.plays:
                        play.search.start()
                    rooted = True
                # One core plays with the previous network while the other one learns.
                began = time.perf_counter()
                learning = worker.submit(self.learner.train, int(self.due), self.minutes() / args.minutes)
                new = 0
                for play, player in zip(self.plays, players):
                    new += play.imitate(16) if imitating else play.play(player, 8)
                played = time.perf_counter() - began
                (policy_loss, value_loss), learned = learning.result()
                self.spent["learning"] += learned
                if self.due >= 1:
                    print(
                        f"{self.minutes():6.2f} min  {self.games():>7,} games  policy {policy_loss:.3f}  "
                        f"value {value_loss:.4f}  {new} rows in {played:.1f} s, learned {learned:.1f} s",
                        flush=True,
                    )
                self.due -= int(self.due)
                acting.load_state_dict(self.learner.average.state_dict())
                # Games of bots are cheap, and there are more of them than the learner has time for.
                self.due += min(args.reuse * new / args.minibatch, 400.0 if imitating else 1e9)
                self.due *= all(len(play.buffer) >= args.warm_up / len(self.plays) for play in self.plays)
            self.evaluate()
        except KeyboardInterrupt:
            print(f"stopped after {self.minutes():.1f} minutes; continue with --resume")
        finally:
            worker.shutdown()
            self.save()
        print(f"the best network plays as net:{args.out / 'best.safetensors'}")

    def evaluate(self):
        with self.spent.on("measuring"):
            row = self.measure()
        row |= {f"{what} seconds": round(seconds, 1) for what, seconds in sorted(self.spent.items())}
        self.curve.append(row)
        self.save()

    def measure(self):
        """A row of the curve; exports the network if it is the best so far."""
        args = self.args
        row = {
            "minutes": round(self.minutes(), 2),
            "cpu_minutes": round(self.cpu_minutes(), 2),
            "games": self.games(),
        }
        row["updates"] = self.learner.updates
        shares = []
        for play, options in zip(self.plays, args.set):
            for bot in args.bots:
                for simulations in args.eval_simulations:
                    seed = 10**6 + len(self.curve)
                    share, margin = share_of_points(
                        self.learner.average, play, bot, simulations, args.eval_games, seed
                    )
                    name = f"{options.split()[0]} {bot} {simulations}"
                    row[name], row[f"{name} margin"] = round(share, 4), round(margin, 4)
                    shares.append(share)
                    measured = f"{name}: {100 * share:.1f} % +- {100 * margin:.1f} %"
                    print(f"{self.minutes():6.2f} min  {measured}", flush=True)
                    if self.board:
                        self.board.add_scalar(name, share, self.games())
        # Without opponents, the newest network counts as the best.
        if not shares or np.mean(shares) >= self.best:
            self.best = float(np.mean(shares)) if shares else self.best
            self.export(self.args.out / "best.safetensors")
        return row

    def export(self, file):
        args = self.args
        notes = {
            "command": " ".join(["python examples/train.py", *sys.argv[1:]]),
            "seed": args.seed,
            "minutes": round(self.minutes(), 1),
            "cpu_minutes": round(self.cpu_minutes(), 1),
            "games": self.games(),
            "updates": self.learner.updates,
        }
        specs = [play.spec for play in self.plays]
        free = {name: "any" for name in args.free} | args.ranges
        card = nets.Card.of(
            *specs,
            options=free,
            reward=args.reward,
            value_scale=args.scale,
            method=args.method,
            c_init=args.c_init,
            notes=notes,
        )
        file.parent.mkdir(parents=True, exist_ok=True)
        nets.save(self.learner.average, file, card, self.most)

    def save(self):
        """Writes a checkpoint atomically: after a crash the file is the old or the new one."""
        out = self.args.out
        out.mkdir(parents=True, exist_ok=True)
        content = {
            "network_of": self.network_of,
            "inputs": self.network.inputs.to_json(),
            "tables": self.network.inputs.tables,
            "network": self.network.state_dict(),
            "average": self.learner.average.state_dict(),
            "optimizer": self.learner.optimizer.state_dict(),
            "updates": self.learner.updates,
            "positions": [play.buffer.tail(20_000) for play in self.plays],
            "games": [play.games for play in self.plays],
            "curve": self.curve,
            "best": self.best,
            "minutes": self.minutes(),
            "cpu_minutes": self.cpu_minutes(),
            "spent": dict(self.spent),
        }
        with ludovec.files.replaced(checkpoint(self.args)) as file:
            torch.save(content, file)
        with open(out / "curve.csv", "w", newline="") as file:
            table = csv.DictWriter(file, list(dict.fromkeys(name for row in self.curve for name in row)))
            table.writeheader()
            table.writerows(self.curve)

    def _restore(self, saved):
        self.network.load_state_dict(saved["network"])
        self.learner.average.load_state_dict(saved["average"])
        self.learner.optimizer.load_state_dict(saved["optimizer"])
        self.learner.updates = saved["updates"]
        for play, positions, games in zip(self.plays, saved["positions"], saved["games"]):
            play.buffer.restore(*positions)
            play.games = games
        self.curve, self.best, self.before = saved["curve"], saved["best"], saved
        self.spent.update(saved["spent"])


def tensorboard(folder):
    """A TensorBoard writer, or None if TensorBoard is not installed."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(folder)


def stop(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    # SIGTERM acts like Ctrl-C.
    signal.signal(signal.SIGTERM, stop)
    try:
        Training(arguments()).run()
    except (ludovec.InvalidConfig, OSError) as error:
        sys.exit(f"train.py: {error}")
