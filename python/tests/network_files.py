"""Network files of the tests: the shipped networks as arrays, and networks made with torch."""

import json
from pathlib import Path

import ludovec
import numpy as np
import pytest

#: The files of the shipped networks.
CHAMPIONS = sorted((Path(__file__).parents[2] / "assets" / "networks").glob("*.safetensors"))
every_champion = pytest.mark.parametrize("file", CHAMPIONS, ids=[file.stem for file in CHAMPIONS])


def env_of(file):
    """The environment that a network plays."""
    return read(file)[1]["environment"]


def read(file):
    """Tensors as float64 and metadata of a safetensors file."""
    data = Path(file).read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:end])
    metadata = header.pop("__metadata__")
    types = {"F16": np.float16, "F32": np.float32, "I32": np.int32}
    tensors = {}
    for name, part in header.items():
        a, b = (end + offset for offset in part["data_offsets"])
        tensors[name] = (
            np.frombuffer(data[a:b], types[part["dtype"]]).reshape(part["shape"]).astype(np.float64)
        )
    return tensors, metadata


def claimed(file):
    """Sets of options that a network supports: the extremes of each option, one option at a time."""
    network = ludovec.Network(file)
    first = {}
    for name, allowed in network.options.items():
        if isinstance(allowed, list) and allowed[0] is not None:
            first[name] = allowed[0]
        elif isinstance(allowed, dict):
            first[name] = allowed["min"]
    sets = [first]
    for name, allowed in network.options.items():
        if isinstance(allowed, list):
            sets += [{**first, name: value} for value in allowed[1:]]
        elif isinstance(allowed, dict):
            sets.append({**first, name: allowed["max"]})
    return sets


def positions(env_id, options, count=24):
    env = ludovec.make(env_id, count, seed=5, **options)
    env.step_sampled(15)
    return env


def torch_models():
    """Torch networks over scalars, a board and a map, with non-trivial weights."""
    torch = pytest.importorskip("torch")
    from ludovec import nets

    made = []
    for env_id in ludovec.list_envs():
        spec = ludovec.spec(env_id)
        board = next(
            (
                nets.Board(field.name, axis)
                for field in spec.observation
                for axis in (-2, 0)
                if len(field.shape) >= 2 and min(field.shape[axis:][:2]) >= 8 and spec.num_actions > 500
            ),
            None,
        )
        inputs = nets.Inputs.of([spec], board, steps=20)
        # Values of half of the networks are distributions.
        support = np.linspace(-1, 1, 5) if len(made) % 2 else ()
        sizes = {"channels": 8, "blocks": 2, "value_hidden": 8, "support": support}
        made.append((spec, nets.ResidualNetwork(inputs, spec, **sizes)))
        if board:
            # The sides of some boards are not a multiple of 3.
            made.append((spec, nets.ResidualNetwork(inputs, spec, **sizes, stride=3)))
        for field in spec.observation:
            if field.name == "adjacency":
                inputs = nets.Inputs.of([spec], steps=20, graph=nets.Graph(field.name))
                made.append((spec, nets.GraphNetwork(inputs, spec, **sizes)))
    for _, network in made:
        for weights in network.parameters():
            torch.nn.init.normal_(weights, std=0.1)
    kinds = {getattr(network, "has_board", "graph") for _, network in made}
    assert kinds == {True, False, "graph"}
    return made
