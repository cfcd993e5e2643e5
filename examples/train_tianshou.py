"""tianshou's DQN learns one seat of Small World: pip install '.[tianshou]'; python FILE [STEPS]"""

import sys

import gymnasium
import ludovec
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv
from tianshou.trainer import OffPolicyTrainerParams
from torch import nn

torch.set_num_threads(1)
spec, steps = ludovec.spec("smallworld", players=2), int([*sys.argv, 8_000][1])


class Masked(gymnasium.ObservationWrapper):
    def observation(self, obs):
        return {"obs": obs.copy(), "mask": self.env.unwrapped.action_masks().copy()}


class Q(nn.Sequential):
    def forward(self, obs, state=None, info=None):
        return super().forward(torch.log1p(torch.as_tensor(obs).float())), state


def policy(observations, action_masks):
    return q(observations)[0].where(torch.as_tensor(action_masks), -torch.inf).argmax(1)


make = lambda: Masked(gymnasium.make("ludovec/SmallWorld-v3", players=2, opponents="random", reward="score"))
q = Q(nn.Linear(spec.observation_len, 256), nn.ReLU(), nn.Linear(256, spec.num_actions))
greedy = DiscreteQLearningPolicy(model=q, action_space=make().action_space, eps_training=0.1)
learning = {"gamma": 0.98, "n_step_return_horizon": 8, "target_update_freq": 200}
dqn = DQN(policy=greedy, optim=AdamOptimizerFactory(lr=1e-3), **learning)
games, buffer = DummyVectorEnv([make] * 16), VectorReplayBuffer(30_000, 16)
collector = Collector(dqn, games, buffer, exploration_noise=True)
training = {
    "max_epochs": 1,
    "epoch_num_steps": steps,
    "collection_step_num_env_steps": 256,
    "batch_size": 256,
}
training |= {"update_step_num_gradient_steps_per_sample": 0.1, "show_progress": False, "verbose": False}
for when in ("before", f"after {steps:,} decisions"):
    share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
    print(f"share of points {when}: {100 * share:.1f} %", flush=True)
    if when == "before":
        dqn.run_training(OffPolicyTrainerParams(training_collector=collector, **training))
