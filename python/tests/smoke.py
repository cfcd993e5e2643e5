"""Checks an installed wheel: python smoke.py. It needs NumPy, but neither the checkout nor Rust."""

import platform
import sys

import ludovec
import numpy as np


def played(env_id, threads):
    """The state of a batch after 50 random steps."""
    env = ludovec.make(env_id, num_envs=32, num_threads=threads, seed=1)
    env.reset()
    for _ in range(50):
        env.step(env.sample_actions())
    return env.observations.copy(), env.action_mask.copy(), env.credit.copy()


def main():
    for env_id in ludovec.list_envs():
        for one, two in zip(played(env_id, 1), played(env_id, 2)):
            np.testing.assert_array_equal(one, two)
        game = ludovec.Game(env_id, seed=0)
        game.step(game.bot_action("greedy"))
        assert game.to_svg().startswith("<svg") and game.to_png()[1:4] == b"PNG"
        assert ludovec.Game.from_json(game.to_json()).position == game.position
        assert ludovec.Game.from_record(game.record()).steps == 1
        env = ludovec.make(env_id, num_envs=4)
        search = ludovec.TreeSearch.playouts(env, 8)
        search.start()
        search.run()
        env.step(search.actions)
        spec = env.game_spec
        print(
            f"{spec.env}, version {spec.version}: {spec.num_actions} actions, {spec.observation_len} numbers"
        )
    table = ludovec.tournament("smallworld", ["net:champion", "random"], games=2, players=2)
    assert sum(standing.faults for standing in table.standings) == 0
    try:
        with ludovec.serve("tilewe", name="smoke", num_envs=4):
            env = ludovec.attach("smoke")
            env.reset(seed=0)
            env.step(env.sample_actions())
            env.close()
        print("fleets work")
    except ludovec.FleetError as error:
        assert platform.system() != "Linux", error
        print(error)
    print(f"ludovec {ludovec.__version__} works: {platform.platform()}, Python {platform.python_version()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
