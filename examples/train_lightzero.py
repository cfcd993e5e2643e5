"""MuZero of LightZero learns Star Wars Risk: pip install '.[lightzero]'; python FILE [UPDATES]"""

import sys

import ludovec
import torch
from easydict import EasyDict
from lzero.entry import train_muzero

updates = int([*sys.argv, 1500][1])
spec = ludovec.spec("starwars_risk")
torch.set_num_threads(1)
main = EasyDict(
    exp_name="lightzero",
    env=dict(env_id="starwars_risk", opponents="random", collector_env_num=8, evaluator_env_num=1,
             n_evaluator_episode=1, stop_value=2, manager=dict(shared_memory=False)),
    policy=dict(
        model=dict(observation_shape=spec.observation_len, action_space_size=spec.num_actions,
                   model_type="mlp", latent_state_dim=128, support_scale=10, reward_support_size=21,
                   value_support_size=21, self_supervised_learning_loss=True),
        cuda=False, env_type="not_board_games", action_type="varied_action_space", num_simulations=16,
        game_segment_length=50, td_steps=50, discount_factor=1, update_per_collect=50, batch_size=128,
        optim_type="Adam", piecewise_decay_lr_scheduler=False, learning_rate=0.003, reanalyze_ratio=0,
        n_episode=8, eval_freq=10**9, replay_buffer_size=10**5, collector_env_num=8, evaluator_env_num=1,
    ),
)  # fmt: skip
kinds = EasyDict(
    env=dict(type="ludovec", import_names=["ludovec.lightzero"]),
    env_manager=dict(type="base"),
    policy=dict(type="muzero", import_names=["lzero.policy.muzero"]),
)
for count in (1, updates):
    learned = train_muzero([main, kinds], seed=0, max_train_iter=count).eval_mode

    def policy(observations, action_masks, learned=learned):
        rows = torch.as_tensor(observations)
        found = learned.forward(rows, action_mask=action_masks, to_play=[-1] * len(rows))
        return [found[row]["action"] for row in range(len(rows))]

    result = ludovec.evaluate("starwars_risk", policy, "random", 100, obs="f32")["policy"]
    print(f"share of wins after {count} updates: {100 * result.win_share:.1f} %", flush=True)
