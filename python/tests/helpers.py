"""Helpers shared by several tests."""

import ludovec
import numpy as np


def short_games(env_id, num_envs=8, **arguments):
    """A batch with games of a few decisions, so that tests see many ends of games."""
    return ludovec.make(env_id, num_envs, **{"max_steps": 5, "num_threads": 1, **arguments})


def play(env, steps, seed=None):
    """Plays sampled actions; returns copies of all results."""
    shown = []
    obs, info = env.reset(seed=seed)
    shown.append((obs.copy(), info["action_mask"].copy(), info["current_player"].copy()))
    for _ in range(steps):
        obs, reward, terminated, truncated, info = env.step(env.sample_actions())
        shown.append(
            tuple(
                array.copy()
                for array in (
                    obs,
                    reward,
                    terminated,
                    truncated,
                    info["action_mask"],
                    info["current_player"],
                    info["rewards"],
                    info["credit"],
                )
            )
        )
    return shown


def assert_same(a, b):
    assert len(a) == len(b)
    for left, right in zip(a, b):
        for x, y in zip(left, right):
            np.testing.assert_array_equal(x, y)


#: Texts of players that a client must not use: commands, addresses, paths, and too many simulations.
REFUSED_PLAYERS = [
    "cmd:touch refused",
    "cmd:sh -c 'touch refused'",
    "uci:touch refused",
    "uci:stockfish?elo=1500",
    "gtp:touch refused",
    "http:",
    "http://127.0.0.1:9",
    "https://127.0.0.1:9",
    "llm:some@http://127.0.0.1:9/v1?key=HOME,log=refused",
    "llm:",
    "net:",
    "net:/etc/passwd",
    "net:refused.safetensors:16",
    "net:champion/../refused",
    "net:champion:99999999",
    "search:1000000",
    "flat:1000000",
    " cmd:touch refused",
    "file:///etc/passwd",
    "/etc/passwd",
    "",
]
