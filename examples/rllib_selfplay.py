"""Masked PPO with RLlib against earlier versions of the network, which a callback adds as opponents.

    pip install '.[rllib,torch]'
    python examples/rllib_selfplay.py                          # Small World, 2 players, 15 minutes on 2 cores
    python examples/rllib_selfplay.py --minutes 60 --runners 64 --address auto

The learner plays one seat of every game, with rotating seats; random play and earlier copies of the network
play the others, each for an episode. RLlib's runner steps all its games in one call
(`gym_env_vectorize_mode="vector_entry_point"`), and its action-masking module plays legal actions only. After
a few iterations a copy of the network joins the opponents, and is evaluated against random play, without
exploration (`ludovec.evaluate`).
"""

import argparse
import copy
import time

import ludovec
import ludovec.adapters.rllib
import numpy as np
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.callbacks.callbacks import RLlibCallback
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("env", nargs="?", default="smallworld", choices=ludovec.list_envs())
parser.add_argument("--set", nargs="*", default=["players=2"], metavar="KEY=VALUE", help="options")
parser.add_argument("--minutes", type=float, default=15.0)
parser.add_argument("--address", help="address of a cluster; default: this machine")
parser.add_argument("--runners", type=int, default=2, help="actors that play; 0: the learner's process")
parser.add_argument("--num-envs", type=int, default=64, help="games per runner")
parser.add_argument("--batch", type=int, default=4096, help="decisions per iteration")
parser.add_argument("--minibatch", type=int, default=512)
parser.add_argument("--epochs", type=int, default=4)
parser.add_argument("--learning-rate", type=float, default=5e-4)
parser.add_argument("--entropy", type=float, default=0.01)
parser.add_argument("--every", type=int, default=10, help="iterations between copies and evaluations")
parser.add_argument("--opponents", type=int, default=4, help="number of copies to keep")
parser.add_argument("--games", type=int, default=200, help="games per evaluation")
parser.add_argument("--seed", type=int, default=0)


class Player:
    """A copy of the network as a player, a function on arrays: `ludovec.players.ArrayBot`."""

    def __init__(self, module, spec, explore):
        self.module = copy.deepcopy(module).eval()
        self.scales, self.explore = spec.scales.reshape(spec.observation_shape), explore

    def __call__(self, observations, action_masks):
        if observations.dtype == np.uint8:
            observations = observations * self.scales
        masks = torch.from_numpy(np.array(action_masks))
        rows = {"observations": torch.from_numpy(np.asarray(observations, np.float32)), "action_mask": masks}
        with torch.inference_mode():
            logits = self.module.forward_inference({Columns.OBS: rows})[Columns.ACTION_DIST_INPUTS]
        if self.explore:
            logits = logits - torch.log(-torch.log(torch.rand_like(logits).clamp_min(1e-20)))
        return logits.masked_fill(~masks, -torch.inf).argmax(1).numpy()


class SelfPlay(RLlibCallback):
    """Adds a copy of the network to the opponents of all runners every few iterations."""

    def __init__(self, every=10, kept=4):
        super().__init__()
        self.every, self.kept = every, kept

    def on_train_result(self, *, algorithm, result, **_):
        if algorithm.iteration % self.every == 0:
            algorithm.env_runner_group.foreach_env_runner(lambda runner: add_opponent(runner, self.kept))


def add_opponent(runner, kept):
    if runner.env is None:
        return
    env = runner.env.unwrapped
    older = getattr(runner, "older_selves", [])
    runner.older_selves = (older + [Player(runner.module, env.seats.game_spec, explore=True)])[-kept:]
    # Random play stays among the opponents, so that the network does not forget how to beat it.
    env.seats.set_opponents(["random", *runner.older_selves])


def main():
    args = parser.parse_args()
    options = dict(pair.split("=", 1) for pair in args.set)
    spec = ludovec.spec(args.env, **options)
    torch.set_num_threads(1)
    ray.init(address=args.address, log_to_driver=False)
    config = (
        PPOConfig()
        .environment(f"ludovec/{args.env}", env_config={**options, "opponents": "random", "num_threads": 1})
        .env_runners(
            num_env_runners=args.runners,
            num_envs_per_env_runner=args.num_envs,
            gym_env_vectorize_mode="vector_entry_point",
            rollout_fragment_length="auto",
        )
        .learners(num_learners=0)
        .rl_module(
            rl_module_spec=RLModuleSpec(
                module_class=ActionMaskingTorchRLModule,
                model_config={
                    "fcnet_hiddens": [256, 256],
                    "fcnet_activation": "relu",
                    "vf_share_layers": False,
                },
            )
        )
        .training(
            lr=args.learning_rate,
            gamma=1.0,
            lambda_=0.95,
            train_batch_size_per_learner=args.batch,
            minibatch_size=args.minibatch,
            num_epochs=args.epochs,
            entropy_coeff=args.entropy,
            clip_param=0.2,
            grad_clip=0.5,
            use_kl_loss=False,
            vf_clip_param=10.0,
        )
        .callbacks(lambda: SelfPlay(args.every, args.opponents))
        .debugging(log_level="ERROR", seed=args.seed)
    )
    algorithm = config.build_algo()
    began, decisions = time.monotonic(), 0

    def measure():
        player = Player(algorithm.get_module(), spec, explore=False)
        result = ludovec.evaluate(
            args.env, player, "random", args.games, seed=10**6 + algorithm.iteration, **options
        )["Player"]
        print(
            f"{(time.monotonic() - began) / 60:5.1f} min  {decisions:>9,} decisions  against random: wins "
            f"{100 * result.win_share:5.1f} % +- {100 * result.win_margin:.1f} %",
            flush=True,
        )

    measure()
    while time.monotonic() - began < 60 * args.minutes:
        result = algorithm.train()
        decisions = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
        if algorithm.iteration % args.every == 0:
            measure()
    measure()
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
