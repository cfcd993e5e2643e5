"""AlphaZero of OpenSpiel learns Tilewe: pip install '.[openspiel]' flax optax orbax-checkpoint chex"""

import sys
import tempfile

import ludovec.adapters.openspiel
import numpy as np
from open_spiel.python.algorithms import mcts
from open_spiel.python.algorithms.alpha_zero import alpha_zero, evaluator
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.bots.uniform_random import UniformRandomBot

updates = int([*sys.argv, 8][1])
game = ludovec.openspiel.load_game("tilewe", players=2, board=8)
config = alpha_zero.Config(
    game="ludovec_tilewe(players=2,board=8)", path=tempfile.mkdtemp(), max_steps=updates, quiet=True,
    checkpoint_freq=updates, actors=1, evaluators=0, evaluation_window=10, eval_levels=2, uct_c=2,
    max_simulations=8, policy_alpha=1, policy_epsilon=0.25, temperature=1, temperature_drop=10, verbose=False,
    replay_buffer_size=256, replay_buffer_reuse=2, train_batch_size=64, learning_rate=1e-3, weight_decay=1e-4,
    decouple_weight_decay=True, nn_model="mlp", nn_width=128, nn_depth=2,
    observation_shape=game.observation_tensor_shape(), output_size=game.num_distinct_actions(),
)  # fmt: skip


def tell(when, model, games=20):
    answers, rng, points = evaluator.AlphaZeroEvaluator(game, model), np.random.RandomState(0), 0.0
    for play in range(games):
        bots = [UniformRandomBot(seat, rng) for seat in (0, 1)]
        search = mcts.SearchNode.puct_value
        bots[play % 2] = mcts.MCTSBot(game, 2, 8, answers, random_state=rng, child_selection_fn=search)
        points += (1 + evaluate_bots(game.new_initial_state(), bots, rng)[play % 2]) / 2
    print(f"share of points {when}: {100 * points / games:.1f} %", flush=True)


if __name__ == "__main__":
    tell("before learning", model := alpha_zero._init_model_from_config(config))
    alpha_zero.alpha_zero(config)
    model.load_checkpoint(updates)
    tell(f"after {updates} updates", model)
