"""RLlib's PPO learns one seat of Small World: pip install '.[rllib,torch]'; python FILE [ITERATIONS]"""

import sys

import ludovec
import ludovec.adapters.rllib
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

torch.set_num_threads(1)
ray.init(log_to_driver=False, include_dashboard=False)
games = {"players": 2, "opponents": "random"}
net = {"fcnet_hiddens": [256, 256], "fcnet_activation": "relu", "vf_share_layers": False}
learning = {"lr": 1e-3, "gamma": 1.0, "entropy_coeff": 0.01, "num_epochs": 4, "use_kl_loss": False}
sizes = {"train_batch_size_per_learner": 4096, "minibatch_size": 512}
config = (
    PPOConfig()
    .environment("ludovec/smallworld", env_config=games)
    .env_runners(num_env_runners=0, num_envs_per_env_runner=64, gym_env_vectorize_mode="vector_entry_point")
    .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config=net))
    .training(**learning, **sizes)
    .debugging(log_level="ERROR", seed=0)
)
algorithm, iterations = config.build_algo(), int([*sys.argv, 20][1])
scales = ludovec.spec("smallworld", players=2).scales


def policy(observations, action_masks):
    rows = {"observations": observations * scales, "action_mask": action_masks}
    rows = {name: torch.as_tensor(array) for name, array in rows.items()}
    logits = algorithm.get_module().forward_inference({"obs": rows})["action_dist_inputs"]
    return logits.where(torch.as_tensor(action_masks), -torch.inf).argmax(1)


for iteration in range(iterations + 1):
    if iteration in (0, iterations):
        share = ludovec.evaluate("smallworld", policy, "random", 200, players=2)["policy"].point_share
        print(f"share of points after {4096 * iteration:,} decisions: {100 * share:.1f} %", flush=True)
    if iteration < iterations:
        algorithm.train()
