"""PPO over PufferLib's workers learns Small World: pip install '.[torch,pufferlib]'; python FILE [UPDATES]"""

import sys

import ludovec
import pufferlib.vector
import torch
from ludovec.adapters.pufferlib import PufferLibEnv
from torch import nn

torch.set_num_threads(1)
options = {"id": "smallworld", "num_envs": 32, "players": 2, "reward": "score"}
games = pufferlib.vector.make(PufferLibEnv, env_kwargs=options, num_envs=2, backend=pufferlib.vector.Serial)
split, choices, updates = games.driver_env.split, games.single_action_space.n, int([*sys.argv, 40][1])
rows = torch.tensor(games.reset(seed=0)[0])
net = nn.Sequential(nn.Linear(rows.shape[1] - choices, 256), nn.ReLU(), nn.Linear(256, choices + 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def ask(observations, masks):
    logits, value = net(torch.log1p(torch.as_tensor(observations).float())).split([choices, 1], dim=1)
    return torch.distributions.Categorical(logits=logits.where(torch.as_tensor(masks) > 0, -1e9)), value[:, 0]


def policy(observations, action_masks):
    return ask(observations, action_masks)[0].probs.argmax(1)


for update in range(updates + 1):
    if update in (0, updates):
        share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
        print(f"share of points after {4096 * update:,} decisions: {100 * share:.1f} %", flush=True)
    rollout, returns = [], []
    for _ in range(64):
        action = (pi := ask(*split(rows))[0]).sample()
        after, reward, terminated, truncated, *_ = games.step(action.numpy())
        told = pi.log_prob(action).detach(), torch.tensor(reward), torch.tensor(terminated | truncated)
        rollout, rows = [*rollout, (rows, action, *told)], torch.tensor(after)
    value = ask(*split(rows))[1].detach()
    for *_, reward, ended in reversed(rollout):
        returns.insert(0, value := reward + 0.98 * value * ~ended)
    seen, actions, before, *_ = map(torch.cat, zip(*rollout))
    for part in torch.cat([torch.randperm(4096) for epoch in range(4)]).split(1024):
        pi, value = ask(*split(seen[part]))
        error = torch.cat(returns)[part] - value
        ratio, good = (pi.log_prob(actions[part]) - before[part]).exp(), (error / error.std()).detach()
        gain = torch.min(ratio * good, ratio.clamp(0.8, 1.2) * good) + 0.01 * pi.entropy()
        optimizer.zero_grad()
        (0.01 * error.square() - gain).mean().backward()
        optimizer.step()
