"""MuZero of LightZero learns Small World: pip install '.[lightzero]' on its own; python FILE [UPDATES]"""

import os
import sys
import tempfile

import torch
from easydict import EasyDict
from ludovec.lightzero import LightZeroEnv
from lzero.entry import train_muzero

torch.set_num_threads(1)
updates, points = int([*sys.argv, 500][1]), []
env = LightZeroEnv({"env_id": "smallworld", "options": {"players": 2}, "opponents": "random"})
numbers = {"collector_env_num": 8, "evaluator_env_num": 1, "n_evaluator_episode": 1}
model = {
    "model_type": "mlp", "observation_shape": 708, "action_space_size": 302, "latent_state_dim": 128,
    "self_supervised_learning_loss": False, "discrete_action_encoding_type": "one_hot",
}  # fmt: skip
learning = {
    **numbers, "model": model, "cuda": False, "env_type": "not_board_games", "num_simulations": 10,
    "n_episode": 8, "action_type": "varied_action_space", "game_segment_length": 200, "td_steps": 200,
    "discount_factor": 1, "update_per_collect": 50, "eval_freq": 10**9, "replay_buffer_size": 10**5,
    "reanalyze_ratio": 0, "batch_size": 64, "optim_type": "Adam", "piecewise_decay_lr_scheduler": False,
    "learning_rate": 3e-3,
}  # fmt: skip
games = {**env._cfg, **numbers, "stop_value": 2, "manager": {"shared_memory": False}}
settings = {"exp_name": "muzero", "env": games, "policy": learning}
kinds = {
    "env": {"type": "ludovec", "import_names": ["ludovec.lightzero"]}, "env_manager": {"type": "base"},
    "policy": {"type": "muzero", "import_names": ["lzero.policy.muzero"]},
}  # fmt: skip
os.chdir(tempfile.mkdtemp())  # its logs and weights
policy = train_muzero([EasyDict(settings), EasyDict(kinds)], seed=0, max_train_iter=updates)
for game in range(50):
    env.seed(1000 + game)
    seen, done = env.reset(), False
    while not done:
        rows = torch.tensor(seen["observation"])[None]
        answer = policy.eval_mode.forward(rows, [seen["action_mask"]], [-1], ready_env_id=[0])
        seen, _, done, info = env.step(answer[0]["action"])
    points.append(info["points"])
print(f"share of points against random after {updates} updates: {100 * sum(points) / len(points):.1f} %")
