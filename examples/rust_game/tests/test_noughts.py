"""The game through the package, as its users have it."""

import ludovec
import ludovec.testing


def test_three_in_a_row_win():
    game = ludovec.Game("noughts", seed=0)
    for action in (0, 3, 1, 4, 2):
        game.step(action)
    assert game.is_terminal and game.returns().tolist() == [1, -1]


def test_rules_do_not_contradict_themselves():
    assert ludovec.testing.check_game("noughts") is None


def test_batches_play():
    env = ludovec.make("noughts", num_envs=64, seed=0)
    for _ in range(20):
        _, _, terminated, _, _ = env.step(env.sample_actions())
    assert env.episode_length.max() <= 9
