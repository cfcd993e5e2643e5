"""skrl's PPO learns one seat of Small World: pip install '.[skrl]'; python FILE [STEPS]"""

import sys

import ludovec
import numpy as np
from gymnasium.spaces import Box, Discrete
from gymnasium.wrappers.vector import TransformObservation
from skrl.agents.torch.ppo import PPO
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, Model
from skrl.trainers.torch import SequentialTrainer
from torch import nn, set_num_threads, tensor

set_num_threads(1)
games = ludovec.make("smallworld", 64, players=2, opponents="random", reward="score", autoreset="next_step")
inputs, choices = games.game_spec.observation_len, games.game_spec.num_actions
spaces = {"observation_space": Box(0, 255, (inputs + choices,), np.uint8), "action_space": Discrete(choices)}
with_mask = lambda obs: np.hstack([obs, games.action_mask.view(np.uint8)])  # models see nothing else
env = wrap_env(TransformObservation(games, with_mask, None, spaces["observation_space"]))


class Net(CategoricalMixin, Model):
    def __init__(self):
        Model.__init__(self, **spaces)
        CategoricalMixin.__init__(self)
        self.net = nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, choices + 1))

    def compute(self, given, role=""):
        obs, mask = given["observations"].float().split([inputs, choices], dim=1)
        logits, self.value = self.net(obs.log1p()).split([choices, 1], dim=1)
        return logits.masked_fill(mask == 0, -1e9), {}

    def act(self, given, *, role=""):
        seen = self.compute(given) if role == "value" else CategoricalMixin.act(self, given, role=role)
        return (self.value, {}) if role == "value" else seen


def policy(observations, action_masks):
    return net.compute({"observations": tensor(np.hstack([observations, action_masks]))})[0].argmax(1)


net, steps, memory = Net(), int([*sys.argv, 1000][1]), RandomMemory(memory_size=64, num_envs=64)
cfg = {"rollouts": 64, "learning_epochs": 4, "mini_batches": 4, "value_loss_scale": 0.01, "value_clip": 0}
cfg["experiment"] = {"write_interval": 0, "checkpoint_interval": 0}  # no files
agent = PPO(models={"policy": net, "value": net}, memory=memory, cfg=cfg, **spaces)
for when in ("before", f"after {64 * steps:,} decisions"):
    share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
    print(f"share of points {when}: {100 * share:.1f} %", flush=True)
    if when == "before":
        SequentialTrainer(env=env, agents=agent, cfg={"timesteps": steps, "headless": True}).train()
