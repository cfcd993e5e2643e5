"""AlphaZero of OpenSpiel learns Tilewe: pip install '.[openspiel]' flax chex optax; python FILE [STEPS]"""

import contextlib
import os
import sys
import tempfile

import ludovec
import ludovec.openspiel
import numpy as np
import pyspiel
from open_spiel.python.algorithms.alpha_zero import alpha_zero, utils

SETTINGS = dict(
    learning_rate=1e-3, weight_decay=1e-4, decouple_weight_decay=False, train_batch_size=64, eval_levels=1,
    replay_buffer_size=1024, replay_buffer_reuse=4, checkpoint_freq=1, actors=1, evaluators=0, uct_c=1.41,
    evaluation_window=10, max_simulations=20, policy_alpha=1.0, policy_epsilon=0.25, temperature=1.0,
    quiet=True, temperature_drop=10, nn_model="mlp", nn_width=64, nn_depth=2, verbose=False,
    nn_api_version="linen", observation_shape=None, output_size=None,
)  # fmt: skip


def main(steps=8, game="ludovec_tilewe(players=2,board=8)"):
    spec = pyspiel.load_game(game).game_spec
    folder, build = tempfile.mkdtemp(), utils.api_selector("linen").Model.build_model
    config = alpha_zero.Config(game=game, path=folder, max_steps=int(steps), **SETTINGS)
    model = build("mlp", [spec.observation_len], spec.num_actions, 64, 2, 1e-4, 1e-3, folder)

    def policy(observations, action_masks):
        rows = zip(observations.reshape(len(observations), -1), action_masks)
        return [int(np.argmax(model.inference(*row)[1])) for row in rows]

    for count in (0, int(steps)):
        if count:
            with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
                alpha_zero.alpha_zero(config)
            model.load_checkpoint(count)
        result = ludovec.evaluate(spec.env, policy, "random", 100, **spec.options)["policy"]
        print(f"share of wins after {count} steps: {100 * result.win_share:.1f} %", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
