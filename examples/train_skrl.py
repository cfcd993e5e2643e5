"""PPO of skrl learns a seat of Small World: pip install 'ludovec[torch]' skrl; python FILE [STEPS]"""

import sys

import gymnasium
import ludovec
import numpy as np
import torch
from skrl.agents.torch.ppo import PPO
from skrl.envs.wrappers.torch import wrap_env
from skrl.memories.torch import RandomMemory
from skrl.models.torch import CategoricalMixin, Model
from skrl.trainers.torch import SequentialTrainer
from torch import nn

torch.set_num_threads(1)
game = {"players": 2, "opponents": "random", "seat": "rotating", "reward": "score"}
games = ludovec.make("smallworld", 64, autoreset="next_step", **game)
inputs, choices = games.game_spec.observation_len, games.game_spec.num_actions
space = gymnasium.spaces.Box(0, 255, (inputs + choices,), np.uint8)
with_mask = lambda obs: np.hstack([obs, games.action_mask.view(np.uint8)])  # models see nothing else
env = wrap_env(gymnasium.wrappers.vector.TransformObservation(games, with_mask, None, space))


class Net(CategoricalMixin, Model):
    def __init__(self):
        Model.__init__(self, observation_space=space, action_space=env.action_space)
        CategoricalMixin.__init__(self)
        self.net = nn.Sequential(nn.Linear(inputs, 256), nn.ReLU(), nn.Linear(256, choices + 1))

    def compute(self, given, role=""):
        obs, mask = given["observations"].float().split([inputs, choices], dim=1)
        logits, self.value = self.net(torch.log1p(obs)).split([choices, 1], dim=1)
        return logits.masked_fill(mask == 0, -1e9), {}

    def act(self, given, *, role=""):
        choice = CategoricalMixin.act(self, given, role=role)
        return (self.value, {}) if role == "value" else choice


def policy(observations, action_masks):
    seen = torch.tensor(np.hstack([observations, action_masks]))
    return net.compute({"observations": seen})[0].argmax(1)


net, steps = Net(), int([*sys.argv, 2000][1])
spaces = {"observation_space": space, "action_space": env.action_space}
cfg = {"rollouts": 64, "learning_epochs": 4, "mini_batches": 4, "value_loss_scale": 0.01, "value_clip": 0}
memory = RandomMemory(memory_size=64, num_envs=64)
agent = PPO(models={"policy": net, "value": net}, memory=memory, cfg=cfg, **spaces)
for when in ("before", f"after {64 * steps:,} decisions"):
    result = ludovec.evaluate(policy, "random", 200, env="smallworld", players=2)["policy"]
    print(f"share of wins {when}: {result.win_share:.1%}", flush=True)
    if when == "before":
        SequentialTrainer(env=env, agents=agent, cfg={"timesteps": steps, "headless": True}).train()
