"""Gumbel MuZero of LightZero learns Small World: pip install '.[lightzero]' alone; python FILE [UPDATES]"""

import os
import sys
import tempfile

import numpy as np
import torch
from easydict import EasyDict
from ludovec.adapters.lightzero import LightZeroEnv
from lzero.entry import train_muzero

torch.set_num_threads(1)
game = {"env_id": "smallworld", "options": {"players": 2, "reward": "score"}, "opponents": "random"}
envs = [LightZeroEnv(game) for _ in range(100)]
spec, counts = envs[0].game_spec, {"evaluator_env_num": 1, "n_evaluator_episode": 1, "collector_env_num": 24}
model = {
    "model_type": "mlp", "observation_shape": spec.observation_len, "action_space_size": spec.num_actions,
    "latent_state_dim": 128, "support_scale": 20, "reward_support_size": 41, "value_support_size": 41,
}  # fmt: skip
learning = {  # The loss of the policy is a mean over all actions, hence its weight.
    **counts, "model": model, "cuda": False, "action_type": "varied_action_space", "num_simulations": 8,
    "max_num_considered_actions": 8, "n_episode": 24, "game_segment_length": 200, "num_unroll_steps": 3,
    "discount_factor": 0.97, "td_steps": 10, "policy_loss_weight": 100, "use_priority": False,
    "batch_size": 128, "optim_type": "Adam", "learning_rate": 3e-3, "grad_clip_value": 0.5,
    "piecewise_decay_lr_scheduler": False, "eval_freq": 10**9, "replay_buffer_size": 10**5,
}  # fmt: skip
settings = {"exp_name": "muzero", "env": {**envs[0]._cfg, **counts, "stop_value": 10**9, "manager": {}}}
kinds = {
    "env": {"type": "ludovec", "import_names": ["ludovec.lightzero"]}, "env_manager": {"type": "base"},
    "policy": {"type": "gumbel_muzero", "import_names": ["lzero.policy.gumbel_muzero"]},
}  # fmt: skip
os.chdir(tempfile.mkdtemp())  # its logs and weights
for updates in (0, int([*sys.argv, 2000][1])):
    given = EasyDict({**settings, "policy": {**learning, "update_per_collect": min(updates, 100)}})
    policy, points = train_muzero([given, EasyDict(kinds)], seed=0, max_train_iter=updates).eval_mode, []
    seen = {number: env.seed(1000 + number) or env.reset() for number, env in enumerate(envs)}
    while seen:
        rows, masks = ([now[key] for now in seen.values()] for key in ("observation", "action_mask"))
        told = policy.forward(torch.tensor(np.array(rows)), masks, [-1] * len(rows), ready_env_id=[*seen])
        steps = {number: envs[number].step(told[number]["action"]) for number in seen}
        points += [step.info["points"] for step in steps.values() if step.done]
        seen = {number: step.obs for number, step in steps.items() if not step.done}
    print(f"share of points after {updates} updates: {100 * np.mean(points):.1f} %", flush=True)
