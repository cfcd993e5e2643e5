"""Export of torch networks to files, with a comparison of the answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from .._shared import extras
from .._shared.errors import config_error, type_error
from ..envs.make import make
from ..networks.network import Network
from ..spec import Spec
from ..typing import Precision
from .files import Card, metadata_of, save, write
from .graph import GraphNetwork
from .model import ResidualNetwork
from .policy import action_outputs

#: Number of positions for the comparison.
_COMPARED = 64
#: Largest allowed difference, relative to the largest value.
_TOLERANCE = 2e-3


class OnObservations(nn.Module):
    """A network as a function of raw observations: uint8 [n, ...] to logits [n, A] and values [n, P]."""

    columns: Tensor
    offsets: Tensor
    numbers: Tensor
    index: Tensor

    def __init__(self, network: ResidualNetwork | GraphNetwork, spec: Spec) -> None:
        super().__init__()
        self.network, self.players = network, spec.players
        encoder = network.inputs.encoder(spec)
        self.shape = (*encoder.board, encoder.planes)
        outputs = action_outputs(spec, network.inputs.size(spec)).outputs
        self.register_buffer("columns", torch.from_numpy(encoder.columns))
        self.register_buffer("offsets", torch.from_numpy(encoder.offsets.astype(np.int64)))
        self.register_buffer("numbers", torch.from_numpy(network.inputs.tables.copy()).flatten())
        self.register_buffer("index", torch.from_numpy(outputs.astype(np.int64)))

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        rows = observations.flatten(1)[:, self.columns].long() + self.offsets
        inputs = self.numbers[rows]
        end = self.shape[0] * self.shape[1] * self.shape[2]
        outputs, values = self.network(inputs[:, :end].unflatten(1, self.shape), inputs[:, end:])
        return outputs[:, self.index], values[:, : self.players]


def export(model: nn.Module, file: Path, spec: Spec, card: Card | None) -> None:
    """See :func:`ludovec.export`."""
    if not isinstance(model, nn.Module):
        raise type_error(f"model={model!r:.100}: a torch.nn.Module is needed")
    card = card or Card.of(spec)
    function = OnObservations(model, spec) if isinstance(model, ResidualNetwork | GraphNetwork) else model
    if file.suffix == ".safetensors":
        if not isinstance(model, ResidualNetwork | GraphNetwork):
            takes = "a ludovec.nets.ResidualNetwork or GraphNetwork"
            raise config_error(f"{file}: .safetensors takes {takes}, .onnx any module")
        save(model, file, card, spec, torch.float32)
    elif file.suffix == ".onnx":
        write_onnx(function, file, spec, card)
    else:
        raise config_error(f"{file}: .safetensors or .onnx is needed")
    try:
        _compare(function, file, spec, card)
    except BaseException:
        # A file that does not play like the model is removed.
        file.unlink()
        raise


def _positions(spec: Spec) -> npt.NDArray[np.uint8]:
    """Observations from random play."""
    options = {name: value for name, value in spec.options.items() if value is not None}
    env = make(spec.env, _COMPARED, seed=0, **options)
    env.step_sampled(20)
    observations = env.observations.copy()
    env.close()
    return observations


def _compare(function: nn.Module, file: Path, spec: Spec, card: Card) -> None:
    options = {name: value for name, value in spec.options.items() if value is not None}
    observations = _positions(spec)
    with torch.inference_mode():
        wanted = [part.float().numpy() for part in function.eval()(torch.from_numpy(observations))]
    # The model is compared in its own precision.
    precision: Precision | None = "float" if file.suffix == ".safetensors" else None
    logits, values = Network(file, spec.env, precision=precision, **options)(observations)
    values = values[:, 0] if wanted[1].ndim == 1 else values
    for name, found, there in (
        ("logits", logits, wanted[0]),
        ("values", values / card.value_scale, wanted[1]),
    ):
        apart = np.abs(found - there).max() / max(np.abs(there).max(), 1.0)
        if not apart <= _TOLERANCE:
            raise config_error(f"{file}: its {name} differ from the model's by {apart:.2g} of the largest")


def write_onnx(function: nn.Module, file: Path, spec: Spec, card: Card) -> None:
    """Writes a function of observations as an ONNX file with a card."""
    with extras.extra("onnx"):
        import onnx  # noqa: F401
        import onnxscript  # noqa: F401
    example = torch.zeros((2, *spec.observation_shape), dtype=torch.uint8)
    batch = torch.export.Dim("batch", min=1)
    program: Any = torch.onnx.export(
        function.eval(),
        (example,),
        input_names=["observation"],
        output_names=["policy", "value"],
        dynamic_shapes=({0: batch},),
        dynamo=True,
        verbose=False,
    )
    model = program.model_proto
    for name, value in metadata_of(card).items():
        entry = model.metadata_props.add()
        entry.key, entry.value = name, value
    write(file, model.SerializeToString())
