"""A Ray cluster of two nodes on this machine, and self-play on it."""

import sys
import time

import ludovec
import ludovec.ray as fleets
import numpy as np
import pytest
import ray
from ray.cluster_utils import Cluster

ENV = {"env": "smallworld", "players": 2}
CPUS = 2


def running(module):
    """Starts a cluster for the tests of a module, and yields it."""
    with pytest.raises(fleets.ClusterError, match=r"no cluster: call ray.init"):
        fleets.SelfPlay(**ENV)
    nodes = Cluster()
    join(nodes)
    nodes.spare = join(nodes)
    ray.init(address=nodes.address, log_to_driver=False)
    # Functions of tests are pickled by value, because workers cannot import them.
    local = [module, sys.modules[__name__]]
    for one in local:
        ray.cloudpickle.register_pickle_by_value(one)
    yield nodes
    for one in local:
        ray.cloudpickle.unregister_pickle_by_value(one)
    ray.shutdown()
    nodes.shutdown()


def join(nodes):
    """Adds a node. Ray allows half a minute for its start, which a busy machine may exceed."""
    for last in (False, False, True):
        try:
            return nodes.add_node(num_cpus=CPUS, object_store_memory=200 << 20, include_dashboard=False)
        except Exception as error:
            if last or "timed out during startup" not in str(error):
                raise
            if nodes.head_node is None:
                nodes.shutdown()


def play(workers, games=32, after=None, **arguments):
    """Hashes of all games of two episodes; ``after(self_play, fragments so far)`` may cause faults."""
    settings = {**ENV, "seed": 0, "episodes": 2, "shard_games": 8, "steps": 16, **arguments}
    settings = {name: value for name, value in settings.items() if value is not None}
    found, episodes, numbers = {}, fleets.Episodes(), {}
    with fleets.SelfPlay(workers=workers, games_per_worker=games // workers, **settings) as self_play:
        for k, fragment in enumerate(self_play):
            assert fragment.number == numbers.get(fragment.shard, 0)
            numbers[fragment.shard] = fragment.number + 1
            for episode in episodes.add(fragment):
                name = episode.game, episode.episode
                assert name not in found, "delivered twice"
                found[name] = episode.hash
            if after is not None:
                after(self_play, k)
        stats = self_play.stats
    assert set(found) == {(game, episode) for game in range(games) for episode in range(2)}
    assert stats["episodes"] == len(found)
    return found, stats


class Sampler:
    """Samples from a linear network with the published weights; slow enough to be killed at work."""

    def __init__(self):
        self.weights = None

    def set_weights(self, weights):
        self.weights = weights

    def __call__(self, observations, masks, info):
        time.sleep(0.002)
        assert info["version"] >= 0 and info["seeds"].dtype == np.uint64
        logits = observations.reshape(len(observations), -1)[:, :64] @ self.weights
        actions, log_probs = fleets.draw(logits, masks, info["seeds"])
        return actions, {"log_prob": log_probs}


def weights(version=0):
    actions = ludovec.spec("smallworld", players=2).num_actions
    return np.random.default_rng(version).normal(0, 0.01, (64, actions))
