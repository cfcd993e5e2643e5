"""MaskablePPO of sb3-contrib learns one seat of Star Wars Risk against random play.

pip install '.[torch]' && python examples/sb3_maskable_ppo.py
"""

import argparse

import ludovec
import torch
from ludovec.sb3 import SeatVecEnv
from sb3_contrib import MaskablePPO

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--env", default="starwars_risk")
parser.add_argument("--steps", type=int, default=200_000)
parser.add_argument("--games", type=int, default=200, help="games that measure it")
given = parser.parse_args()
torch.set_num_threads(1)

env = SeatVecEnv(given.env, 64, opponents="random", num_threads=1)
how = {"n_steps": 128, "batch_size": 1024, "n_epochs": 4, "ent_coef": 0.01, "gamma": 1.0}
model = MaskablePPO("MlpPolicy", env, seed=0, **how)


def policy(observations, action_masks):
    """The network's choice in every row."""
    return model.predict(observations, action_masks=action_masks)[0]


def measure(when):
    """How many of its games against random play it wins."""
    learner = ludovec.evaluate(policy, "random", given.games, env=given.env, seed=1)["policy"]
    print(f"{when}: wins {learner.win_share:.1%} +/- {learner.win_margin:.1%}", flush=True)


measure("untrained")
model.learn(given.steps)
measure(f"after {given.steps} steps")
