"""Networks for the environments, in torch; what is saved plays as ``net:FILE`` without torch.

>>> spec = ludovec.spec("smallworld", players=2)
>>> network = ludovec.nets.ResidualNetwork(ludovec.nets.Inputs.of([spec]), spec, channels=256, blocks=2)
>>> encoder = network.inputs.encoder(spec)
>>> logits, values = network(*encoder(env.observations))    # [n, outputs], [n, players]
>>> ludovec.export(network, "mine.safetensors", env=env)

Needs ``pip install 'ludovec[torch]'``.
"""

from .files import Card, save
from .inputs import Board, Encoder, Inputs
from .model import ResidualNetwork
from .policy import action_outputs

__all__ = ["Board", "Card", "Encoder", "Inputs", "ResidualNetwork", "action_outputs", "save"]
