"""Optuna looks for settings of behaviour cloning: pip install '.[torch,data]' optuna; python FILE [TRIALS]"""

import sys
import tempfile

import ludovec
import ludovec.data
import optuna
import torch
from torch import nn

torch.set_num_threads(1)
with tempfile.TemporaryDirectory() as folder:
    ludovec.data.write(folder, "starwars_risk", bots="greedy", games=200, seed=0)
    data = ludovec.data.Dataset(folder)
    rows = data.to_torch(["observation", "mask", "action"])


def objective(trial):
    """The share of points against the cloned bot after one pass over the data."""
    torch.manual_seed(0)
    width = trial.suggest_int("width", 16, 256, log=True)
    rate = trial.suggest_float("learning_rate", 1e-5, 1e-1, log=True)
    spec = data.spec
    net = nn.Sequential(nn.Linear(spec.observation_len, width), nn.ReLU(), nn.Linear(width, spec.num_actions))
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)

    def logits(observations, masks):
        return net(torch.as_tensor(observations).float().log1p()).where(torch.as_tensor(masks), -1e9)

    def policy(observations, action_masks):
        return logits(observations, action_masks).argmax(1)

    for chosen in torch.randperm(len(rows)).split(256):
        batch = rows.tensors(chosen)
        loss = nn.functional.cross_entropy(
            logits(batch["observation"], batch["mask"]), batch["action"].long()
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return ludovec.evaluate("starwars_risk", policy, "greedy", 100)["policy"].point_share


study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=0))
study.optimize(objective, n_trials=int([*sys.argv, 20][1]))
print(f"share of points: {100 * study.best_value:.1f} % with {study.best_params}")
