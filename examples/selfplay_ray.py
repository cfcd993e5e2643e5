"""Gumbel AlphaZero on a Ray cluster: actors search, a replay buffer collects, one learner trains.

    pip install '.[ray,torch]'
    python examples/selfplay_ray.py smallworld --workers 2             # this machine
    python examples/selfplay_ray.py smallworld --workers 64 --address auto      # an existing cluster
    python examples/selfplay_ray.py smallworld --workers 8 --resume    # continues, with any number of workers

The workers play `--games` parallel games in total, with a tree search before every move, and return rollout
fragments (`ludovec.ray.SelfPlay`). Finished games become rows of `ludovec.ray.Replay`: a position, its legal
actions with the improved policy, and the future rewards of every player, mixed with the search values of the
positions in between (TD(lambda)). The learner publishes its weights every few updates. A killed worker or a
lost node costs the time of its unfinished fragments, and no game.

A checkpoint (`--out`) holds the network, the optimizer, the buffer and the state of every game; Ctrl-C writes
one. `best.safetensors` plays as `net:FILE`; it is evaluated against `--bots` on the cluster too.
"""

import argparse
import pickle
import time
from pathlib import Path

import ludovec
import ludovec.ray
import numpy as np
import ray
import torch
from ludovec import nets

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("env", choices=ludovec.list_envs())
parser.add_argument("--set", nargs="*", default=[], metavar="KEY=VALUE", help="options of the environment")
parser.add_argument("--address", help="address of a cluster, 'auto' for the local one; default: start one")
parser.add_argument("--minutes", type=float, default=30.0)
parser.add_argument("--max-games", type=float, default=float("inf"), help="stop after this many games")
parser.add_argument("--seed", type=int, default=0)
parser.add_argument("--out", type=Path, default=Path("trained-ray"))
parser.add_argument("--resume", action="store_true", help="continue from the checkpoint")
play = parser.add_argument_group("self-play")
play.add_argument("--workers", type=int, default=1)
play.add_argument("--worker-gpus", type=float, default=0, help="share of a GPU per worker")
play.add_argument("--games", type=int, default=256, help="parallel games of all workers")
play.add_argument("--shard-games", type=int, default=32, help="games per shard; at most one worker per shard")
play.add_argument("--simulations", type=int, default=32)
play.add_argument("--steps", type=int, default=8, help="decisions per game in a fragment")
play.add_argument("--td-lambda", type=float, default=0.95, help="1: values from results only")
play.add_argument("--scale", type=float, default=20.0, help="points that are 1 to the network")
learn = parser.add_argument_group("learning")
learn.add_argument("--channels", type=int, default=256)
learn.add_argument("--blocks", type=int, default=2)
learn.add_argument("--buffer", type=int, default=150_000, help="positions in the replay buffer")
learn.add_argument("--buffer-shards", type=int, default=1, help="actors of the replay buffer")
learn.add_argument("--warm-up", type=int, default=4_000, help="positions before learning begins")
learn.add_argument(
    "--half-life", type=float, help="age in positions at which the sampling weight is half; default: uniform"
)
learn.add_argument("--reuse", type=float, default=4.0, help="times that a position is trained on")
learn.add_argument("--minibatch", type=int, default=512)
learn.add_argument("--learning-rate", type=float, default=1e-3)
learn.add_argument("--publish-every", type=int, default=8, help="updates between versions of the weights")
learn.add_argument("--checkpoint-every", type=float, default=5.0, help="minutes")
measure = parser.add_argument_group("measurement")
measure.add_argument("--bots", nargs="*", default=["random", "greedy"])
measure.add_argument("--eval-games", type=int, default=100)
measure.add_argument("--eval-simulations", type=int, default=16, help="0: policy without search")


class Player:
    """The network as the tree search of a worker calls it."""

    def __init__(self, network, spec, scale):
        self.network, self.scale, self.players = network, scale, spec.players
        self.encoder = network.inputs.encoder(spec)
        board = network.inputs.board
        outputs = nets.action_outputs(spec, None if board is None else board.size(spec)).outputs
        self.index = torch.from_numpy(outputs.astype(np.int64))

    def set_weights(self, weights):
        self.network.load_state_dict({name: torch.tensor(array) for name, array in weights.items()})

    def forward(self, observations):
        planes, scalars = (torch.from_numpy(part) for part in self.encoder(observations))
        outputs, values = self.network(planes, scalars)
        return outputs[:, self.index], values[:, : self.players]

    @torch.inference_mode()
    def __call__(self, observations, action_mask_bits):
        # A worker has one thread in total.
        torch.set_num_threads(1)
        logits, values = self.forward(observations)
        return logits.numpy(), (values * self.scale).numpy()


def rows_of(episode, args):
    """Training rows of a finished game for the replay buffer."""
    columns = episode.columns
    rewards, seats, found = columns["rewards"], columns["seats"], columns["values"]
    players = rewards.shape[1]
    values = np.zeros((len(episode), players), np.float32)
    value = np.zeros(players, np.float32)
    for t in range(len(episode) - 1, -1, -1):
        value = value + rewards[t]
        # The network's order: the current player first.
        values[t] = np.roll(value / args.scale, -seats[t])
        value = args.td_lambda * value + (1 - args.td_lambda) * found[t]
    chosen = [t for t in range(len(episode)) if len(columns["policy_actions"][t]) > 1]
    return {
        "observations": columns["observations"][chosen],
        "actions": [columns["policy_actions"][t] for t in chosen],
        "policy": [columns["policy"][t] for t in chosen],
        "values": values[chosen],
    }


class Learner:
    def __init__(self, player, args):
        self.player, self.args, self.updates = player, args, 0
        self.optimizer = torch.optim.AdamW(
            player.network.parameters(), lr=args.learning_rate, weight_decay=1e-4
        )

    def update(self, batch):
        """Losses of the policy (above the entropy of the target) and of the values."""
        logits, predicted = self.player.forward(batch["observations"])
        actions = torch.from_numpy(batch["actions"].astype(np.int64))
        legal, policy = actions >= 0, torch.from_numpy(batch["policy"])
        log_policy = torch.log_softmax(logits.gather(1, actions.clamp_min(0)).masked_fill(~legal, -1e9), 1)
        policy_loss = (policy * (torch.log(policy.clamp_min(1e-9)) - log_policy)).sum(1).mean()
        value_loss = (predicted - torch.from_numpy(batch["values"])).square().mean()
        self.optimizer.zero_grad()
        (policy_loss + value_loss).backward()
        torch.nn.utils.clip_grad_norm_(self.player.network.parameters(), 1.0)
        self.optimizer.step()
        self.updates += 1
        return policy_loss.item(), value_loss.item()

    def weights(self):
        """Weights as arrays, shared by the workers of a node."""
        return {name: tensor.numpy().copy() for name, tensor in self.player.network.state_dict().items()}


class Training:
    def __init__(self, args):
        self.args = args
        self.options = {"reward": "margin", **dict(pair.split("=", 1) for pair in args.set)}
        self.spec = ludovec.spec(args.env, **self.options)
        saved = pickle.loads((args.out / "checkpoint.pkl").read_bytes()) if args.resume else None
        torch.manual_seed(args.seed)
        inputs = nets.Inputs.of([self.spec]) if saved is None else saved["inputs"]
        network = nets.ResidualNetwork(inputs, self.spec, args.channels, args.blocks)
        self.learner = Learner(Player(network, self.spec, args.scale), args)
        self.due, self.games, self.before = 0.0, 0, 0.0
        if saved is None:
            self.episodes = ludovec.ray.Episodes()
            self.replay = ludovec.ray.Replay(args.buffer, args.buffer_shards, seed=args.seed)
        else:
            network.load_state_dict(saved["network"])
            self.learner.optimizer.load_state_dict(saved["optimizer"])
            self.learner.updates, self.games = saved["updates"], saved["games"]
            self.episodes, self.before = saved["episodes"], saved["minutes"]
            self.replay = ludovec.ray.Replay.restore(args.out / saved["replay"])
        if args.games % args.workers:
            parser.error(f"--workers {args.workers}: a divisor of --games {args.games} is needed")
        self.self_play = ludovec.ray.SelfPlay(
            args.env,
            args.workers,
            args.games // args.workers,
            self.learner.player,
            search={"simulations": args.simulations, "value": "seats"},
            weights=self.learner.weights(),
            steps=args.steps,
            seed=args.seed,
            num_gpus=args.worker_gpus,
            shard_games=args.shard_games,
            checkpoint=None if saved is None else saved["self_play"],
            **self.options,
        )
        self.start = time.monotonic()

    def minutes(self):
        return self.before + (time.monotonic() - self.start) / 60

    def run(self):
        args = self.args
        next_checkpoint = self.minutes() + args.checkpoint_every
        try:
            while self.minutes() < args.minutes and self.games < args.max_games:
                self.collect(next(self.self_play))
                losses = self.learn()
                if losses:
                    stats, (policy, value) = self.self_play.stats, np.mean(losses, axis=0)
                    print(
                        f"{self.minutes():6.2f} min  {self.games:>6,} games  "
                        f"{stats['decisions']:>9,} decisions  "
                        f"weights {self.self_play.version}  policy {policy:.3f}  value {value:.4f}",
                        flush=True,
                    )
                if self.minutes() >= next_checkpoint:
                    self.save()
                    self.measure()
                    next_checkpoint = self.minutes() + args.checkpoint_every
        except KeyboardInterrupt:
            print(f"stopped after {self.minutes():.1f} minutes; continue with --resume")
        self.save()
        self.self_play.close()
        self.measure()

    def collect(self, fragment):
        for episode in self.episodes.add(fragment):
            self.games += 1
            rows = rows_of(episode, self.args)
            if len(rows["values"]):
                self.replay.add(rows)
                self.due += self.args.reuse * len(rows["values"]) / self.args.minibatch

    def learn(self):
        args, losses = self.args, []
        if len(self.replay) < args.warm_up:
            self.due = 0.0
        while self.due >= 1:
            self.due -= 1
            losses.append(self.learner.update(self.replay.sample(args.minibatch, half_life=args.half_life)))
            if self.learner.updates % args.publish_every == 0:
                self.self_play.publish(self.learner.weights())
        return losses

    def save(self):
        """Writes a checkpoint atomically: after a crash the file is the old or the new one."""
        out = self.args.out
        out.mkdir(parents=True, exist_ok=True)
        learner = self.learner
        self.replay.save(out / "replay")
        content = {
            "inputs": learner.player.network.inputs,
            "network": learner.player.network.state_dict(),
            "optimizer": learner.optimizer.state_dict(),
            "updates": learner.updates,
            "games": self.games,
            "minutes": self.minutes(),
            "episodes": self.episodes,
            "self_play": self.self_play.checkpoint(),
            "replay": "replay",
        }
        with ludovec.files.replaced(out / "checkpoint.pkl") as file:
            pickle.dump(content, file)

    def measure(self):
        args, file = self.args, self.args.out / "best.safetensors"
        if not args.eval_games:
            return
        card = nets.Card.of(self.spec, reward="margin", value_scale=args.scale)
        nets.save(self.learner.player.network, file, card, self.spec)
        simulations = f":{args.eval_simulations}" if args.eval_simulations else ""
        player, options = f"net:{file}{simulations}", {**self.options, "reward": "outcome"}
        for bot in args.bots:
            table = ludovec.ray.evaluate(args.env, player, bot, args.eval_games, seed=10**6, **options)
            share, margin = table[player].point_share, table[player].point_margin
            print(
                f"{self.minutes():6.2f} min  against {bot}: {100 * share:.1f} % +- {100 * margin:.1f} % "
                "of the points",
                flush=True,
            )


def main():
    args = parser.parse_args()
    ray.init(address=args.address, log_to_driver=False)
    Training(args).run()
    ray.shutdown()


if __name__ == "__main__":
    main()
