"""CleanRL-style PPO learns one seat of Small World: pip install '.[torch,gym]'; python FILE [UPDATES]"""

import sys

import ludovec
import torch
from torch import nn

torch.set_num_threads(1)
env = ludovec.make("smallworld", 64, players=2, opponents="random", seat="rotating", reward="score")
choices, updates = env.game_spec.num_actions, int([*sys.argv, 40][1])
net = nn.Sequential(nn.Linear(env.game_spec.observation_len, 256), nn.ReLU(), nn.Linear(256, choices + 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def ask(obs, mask):
    logits, value = net(torch.log1p(torch.as_tensor(obs).float())).split([choices, 1], dim=1)
    return torch.distributions.Categorical(logits=logits.where(torch.as_tensor(mask), -1e9)), value[:, 0]


def policy(observations, action_masks):
    return ask(observations, action_masks)[0].probs.argmax(1)


obs, info = env.reset(seed=0)
for update in range(updates + 1):
    if update in (0, updates):
        share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
        print(f"share of points after {4096 * update:,} decisions: {100 * share:.1f} %", flush=True)
    rollout, returns = [], []
    for _ in range(64):
        seen = torch.tensor(obs), torch.tensor(info["legal_action_mask"])
        action = (pi := ask(*seen)[0]).sample()
        obs, reward, terminated, truncated, info = env.step(action)
        ended = torch.tensor(terminated | truncated)
        rollout.append((*seen, action, pi.log_prob(action).detach(), torch.tensor(reward), ended))
    value = ask(obs, info["legal_action_mask"])[1].detach()
    for *_, reward, ended in reversed(rollout):
        returns.insert(0, value := reward + 0.98 * value * ~ended)
    seen, masks, actions, before, *_ = map(torch.cat, zip(*rollout))
    for rows in torch.cat([torch.randperm(4096) for epoch in range(4)]).split(1024):
        pi, value = ask(seen[rows], masks[rows])
        error = torch.cat(returns)[rows] - value
        ratio, good = (pi.log_prob(actions[rows]) - before[rows]).exp(), (error / error.std()).detach()
        gain = torch.min(ratio * good, ratio.clamp(0.8, 1.2) * good) + 0.01 * pi.entropy()
        optimizer.zero_grad()
        (0.01 * error.square() - gain).mean().backward()
        optimizer.step()
