"""Behaviour cloning of a bot from files of its games: pip install '.[torch,data]'; python FILE [GAMES]"""

import sys
import tempfile

import ludovec
import ludovec.data
import torch
from torch import nn

torch.set_num_threads(1)
games = int([*sys.argv, 4000][1])
with tempfile.TemporaryDirectory() as folder:
    report = ludovec.data.write(folder, "smallworld", bots="greedy", games=games, players=2, seed=0)
    data = ludovec.data.Dataset(folder)
    rows = data.to_torch(["observation", "mask", "action"])
print(f"{report['rows']:,} decisions, {report['rows_per_second']:,.0f} a second", flush=True)
spec = data.spec
net = nn.Sequential(nn.Linear(spec.observation_len, 256), nn.ReLU(), nn.Linear(256, spec.num_actions))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)


def logits(observations, masks):
    found = net(torch.log1p(torch.as_tensor(observations).float()))
    return found.where(torch.as_tensor(masks), -1e9)


def policy(observations, action_masks):
    return logits(observations, action_masks).argmax(1)


for epoch in range(4):
    if epoch in (0, 3):
        share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
        print(f"share of points after {epoch * len(rows):,} rows: {100 * share:.1f} %", flush=True)
    for chosen in torch.randperm(len(rows)).split(1024) if epoch < 3 else ():
        batch = rows.tensors(chosen)
        loss = nn.functional.cross_entropy(
            logits(batch["observation"], batch["mask"]), batch["action"].long()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
