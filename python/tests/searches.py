"""Helpers for tests of tree search."""

from functools import cache

import ludovec
import numpy as np
from ludovec import unpack_bits

#: Number of games in a batch.
N = 5


def search_of(env, simulations=12, **settings):
    return ludovec.TreeSearch(env, simulations, **{"value": "seats", "num_threads": 1, **settings})


def started(env, simulations=12, **settings):
    search = search_of(env, simulations, **settings)
    search.start()
    return search


@cache
def logits_of_sums(num_actions):
    return (np.arange(101)[:, None] * 31 + np.arange(num_actions) * 17) % 101 / np.float32(50)


def exact_network(search):
    """A network with exact sums: its answer for a position does not depend on the batch."""
    spec = search.env.game_spec

    def network(observations, mask_bits):
        rows = observations.reshape(len(observations), -1).astype(np.int64)
        sums = rows @ (1 + np.arange(rows.shape[1]) % 97)
        # Without observations, the answer depends on the legal actions.
        sums += unpack_bits(mask_bits, spec.num_actions).sum(axis=1)
        logits = logits_of_sums(spec.num_actions)[sums % 101]
        values = ((sums[:, None] + np.arange(spec.players) * 7) % 21 - 10) / np.float32(10)
        return logits.astype(np.float32), values.astype(np.float32)

    return network


def found(search):
    return {
        name: getattr(search, name)
        for name in ("actions", "values", "root_offsets", "root_actions")
        + ("policy_legal", "visits_legal", "q_legal")
    }


def assert_found_same(a, b):
    for name, array in a.items():
        np.testing.assert_array_equal(array, b[name], err_msg=name)


def play_searched(env, moves, **settings):
    """The search results at every move."""
    search = started(env, **{"simulations": 8, **settings})
    shown = []
    for _ in range(moves):
        actions = search.run(exact_network(search))
        shown.append(found(search))
        env.step(actions)
        search.advance(actions)
    return shown


def assert_played_same(a, b):
    assert len(a) == len(b)
    for left, right in zip(a, b):
        assert_found_same(left, right)
