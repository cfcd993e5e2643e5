"""Short trainings for tests."""

import numpy as np
import torch
from ludovec.train import Config

#: A run of seconds that uses every part: two kinds of games, imitation, then self-play.
SMALL = {
    "games": 16,
    "simulations": 4,
    "considered": 4,
    "moves": 4,
    "warm_up": 60,
    "evaluation_games": 2,
    "evaluation_simulations": [0],
    "evaluate_every": 15,
    "bots": ["random"],
    "minibatch": 32,
    "channels": 8,
    "blocks": 1,
    "updates": 200,
    "final_rate": 0.1,
    "allowed": {},
    "imitate": 15,
    "device": "cpu",
    "buffer": 500,
}
#: The same as arguments of the command.
FLAGS = [
    word
    for name, value in SMALL.items()
    if value != {}
    for word in (f"--{name.replace('_', '-')}", *map(str, value if isinstance(value, list) else [value]))
]


def small(env="tilewe", **more):
    """For any environment."""
    of_env = {"options": [{"players": 2}, {"players": 3}]} if env == "tilewe" else {}
    return Config.preset(env).changed(**{**SMALL, **of_env, **more})


def leaves(value, path=""):
    """All parts of a state, as comparable values."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}")
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{i}]")
    elif isinstance(value, (torch.Tensor, np.ndarray)):
        yield path, np.asarray(value).tobytes()
    elif "minutes" not in path and path != ".config":
        yield path, value


def contents(training):
    """State, replay buffers and network file of a run."""
    state = dict(leaves(training.state()))
    buffers = [dict(leaves(vars(buffer.rows(buffer.first, buffer.added)))) for buffer in training.buffers]
    return state, buffers, training.folder.network("last").read_bytes()
