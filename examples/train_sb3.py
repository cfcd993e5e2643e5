"""sb3-contrib's MaskablePPO learns one seat of Small World: pip install '.[sb3]'; python FILE [STEPS]"""

import sys

import ludovec
import sb3_contrib
import torch
from ludovec.adapters.sb3 import SeatVecEnv

torch.set_num_threads(1)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
# 64 parallel games; a bot plays the other seat. Rewards are coins, paid as they are earned.
env = SeatVecEnv("smallworld", 64, players=2, opponents="random", reward="score")
model = sb3_contrib.MaskablePPO(
    "MlpPolicy", env, n_steps=128, batch_size=1024, n_epochs=4, ent_coef=0.01, learning_rate=1e-3, seed=0
)


def policy(observations, action_masks):
    return model.predict(observations, action_masks=action_masks, deterministic=True)[0]


def measure(when):
    share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
    print(f"share of points {when}: {100 * share:.1f} %", flush=True)


measure("before")
model.learn(steps)
measure(f"after {steps:,} decisions")
