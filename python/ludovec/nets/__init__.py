"""Network architectures for the environments, in torch; saved networks play as ``net:FILE`` without it.

>>> spec = ludovec.spec("smallworld", players=2)
>>> inputs = ludovec.nets.Inputs.of([spec])
>>> network = ludovec.nets.ResidualNetwork(inputs, spec, channels=256, blocks=2)
>>> encoder = network.inputs.encoder(spec)
>>> planes, scalars = map(torch.from_numpy, encoder(env.observations))
>>> outputs, values = network(planes, scalars)              # [n, outputs], [n, players]
>>> logits = outputs[:, ludovec.nets.action_outputs(spec, None).outputs]
>>> ludovec.export(network, "mine.safetensors", env=env)

Every network has ``encoding(spec)``, a function from observations to its arguments, and
``action_outputs(spec)``.

Needs ``pip install 'ludovec[torch]'``.
"""

from .._shared.extras import extra

with extra("torch"):
    from .encoding import Encoding
    from .files import Card, from_file, load, save
    from .graph import GraphNetwork
    from .inputs import Board, Encoder, Graph, Inputs
    from .model import ResidualNetwork
    from .policy import action_outputs

__all__ = [
    "Board",
    "Card",
    "Encoder",
    "Encoding",
    "Graph",
    "GraphNetwork",
    "Inputs",
    "ResidualNetwork",
    "action_outputs",
    "from_file",
    "load",
    "save",
]
