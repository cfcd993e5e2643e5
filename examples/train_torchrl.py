"""TorchRL's PPO learns one seat of Small World: pip install '.[torchrl]'; python FILE [UPDATES]"""

import sys

import ludovec
import torch
from ludovec.adapters.torchrl import TorchRLEnv
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs.utils import step_mdp
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

torch.set_num_threads(1)
torch.manual_seed(0)
env = TorchRLEnv("smallworld", 64, players=2, opponents="random", reward="score", seed=0)
spec, updates = env.games.game_spec, int([*sys.argv, 40][1])


class Net(nn.Sequential):
    def __init__(self, outputs):
        super().__init__(nn.Linear(spec.observation_len, 256), nn.ReLU(), nn.Linear(256, outputs))

    def forward(self, observation):
        return super().forward(torch.log1p(observation.float()))


logits = TensorDictModule(Net(spec.num_actions), in_keys=["observation"], out_keys=["logits"])
keys = {"logits": "logits", "mask": "action_mask"}
law = {"distribution_class": MaskedCategorical, "in_keys": keys, "return_log_prob": True}
actor = ProbabilisticActor(logits, spec=env.action_spec, **law)
critic = ValueOperator(Net(1), in_keys=["observation"])
loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, critic_coeff=0.01, normalize_advantage=True)
gae = GAE(gamma=0.98, lmbda=0.95, value_network=critic)
optimizer, now = torch.optim.Adam(loss.parameters(), lr=1e-3), env.reset()


def policy(observations, action_masks):
    return logits.module(torch.as_tensor(observations)).where(torch.as_tensor(action_masks), -1e9).argmax(1)


for update in range(updates + 1):
    if update in (0, updates):
        share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
        print(f"share of points after {4096 * update:,} decisions: {100 * share:.1f} %", flush=True)
    batch = env.rollout(64, actor, auto_reset=False, tensordict=now, break_when_any_done=False)
    now, rows = env.maybe_reset(step_mdp(batch[:, -1])), gae(batch.detach()).reshape(-1)
    for part in torch.cat([torch.randperm(4096) for epoch in range(4)]).split(1024):
        found = loss(rows[part])
        optimizer.zero_grad()
        sum(found[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
        optimizer.step()
