"""Network files: safetensors with metadata."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors import torch as safetensors

from .._shared.errors import config_error
from ..files import replaced
from ..spec import Spec
from .graph import GraphNetwork
from .inputs import Inputs
from .model import ResidualNetwork
from .policy import Heads, action_outputs, moves_of_squares

#: Options of every environment that do not change observations.
COMMON = ("reward", "on_illegal", "max_steps")
#: Options of some environments that do not change observations either: names of the players, and when draws
#: end a game.
FREE = ("names", "draws")


@dataclass(frozen=True)
class Card:
    """Metadata of a network."""

    #: Id and version of the environment.
    env: str
    version: int
    #: Allowed values of each option: a list, ``{"min": 4, "max": 64}``, or ``"any"``. Options common to all
    #: environments (rewards, illegal actions, step limit) may be omitted.
    options: Mapping[str, Any]
    #: The rewards that the values predict: ``"outcome"``, ``"score"`` or ``"margin"``.
    reward: str = "outcome"
    #: Factor from values to sums of rewards.
    value_scale: float = 1.0
    #: Recommended ``method`` of a tree search: ``"gumbel"`` or ``"puct"``.
    method: str = "gumbel"
    #: Recommended ``c_init`` of :class:`ludovec.TreeSearch` for PUCT. High values suit a network with a
    #: better policy than value.
    c_init: float = 1.25
    #: The precision in which a safetensors file plays: ``"float"``, or ``"int8"`` and ``"int16"`` for
    #: integers of 8 and 16 bits in the residual blocks or the layers of a graph's nodes.
    precision: str = "float"
    #: Free-form notes: the training command, number of games, hours.
    notes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *specs: Spec, **more: Any) -> Card:
        """A card for an environment under the options of some specs, for any player names and draws.

        ``more`` are other fields; ``options`` in it override the options of the specs.
        """
        allowed: dict[str, Any] = {}
        for spec in specs:
            for name, value in spec.options.items():
                values = allowed.setdefault(name, [])
                if value not in values:
                    values.append(value)
        for name in COMMON:
            del allowed[name]
        allowed |= {name: "any" for name in FREE if name in allowed}
        options = {**allowed, **more.pop("options", {})}
        return cls(specs[0].env, specs[0].version, options, **more)


def save(
    network: ResidualNetwork | GraphNetwork,
    file: str | Path,
    card: Card,
    spec: Spec,
    dtype: torch.dtype = torch.float16,
) -> None:
    """Writes a network to a file that plays without torch.

    Args:
        network: The network.
        file: The file to write, usually ``.safetensors``.
        card: Metadata.
        spec: The environment under the options with the most players.
        dtype: Type of the weights in the file; inference uses float32.
    """
    write(Path(file), content(network, card, spec, dtype))


def content(
    network: ResidualNetwork | GraphNetwork, card: Card, spec: Spec, dtype: torch.dtype = torch.float16
) -> bytes:
    """The file of :func:`save` as bytes, which :class:`ludovec.Network` takes, too."""
    tensors = {}
    for name, weights in network.state_dict().items():
        if name == "support":
            # The support of values is exact, and absent if values are numbers.
            if len(weights):
                tensors[name] = weights.detach().float().contiguous()
            continue
        # Convolutions as [out, rows, columns, in].
        last = weights.permute(0, 2, 3, 1) if weights.ndim == 4 else weights
        tensors[name] = last.detach().to(dtype).contiguous()
    tensors["tables"] = torch.from_numpy(network.inputs.tables.copy())
    board = network.inputs.size(spec)
    if board is not None and moves_of_squares(spec, board):
        tensors["policy_index"] = torch.from_numpy(action_outputs(spec, board).outputs)
    inputs = json.dumps(network.inputs.to_json(), separators=(",", ":"))
    metadata = {**metadata_of(card), "inputs": inputs}
    return _in_order(safetensors.save(tensors, metadata))


def from_file(file: str | Path) -> tuple[ResidualNetwork | GraphNetwork, Card]:
    """Reads a network that :func:`save`, :func:`ludovec.export` or ``ludovec train`` wrote, and its card.

    The network has the inputs and the sizes of the file, for every environment that the card allows.

    Raises:
        InvalidConfig: The file cannot be read, or has no network of :mod:`ludovec.nets`.
    """
    found = _Content(file)
    weights = found.weights
    try:
        support = weights["support"].tolist() if "support" in weights else ()
        planes, others = (
            len(weights[name]) if name in weights else 0
            for name in ("policy_planes.weight", "policy_others.weight")
        )
        players = len(weights["value.weight"]) // max(1, len(support))
        blocks = {name.split(".")[1] for name in weights if name.startswith("blocks.")}
        first = weights["scalars.bias" if "scalars.bias" in weights else "planes.bias"]
        sizes: dict[str, Any] = {"channels": len(first), "blocks": len(blocks), "support": support}
        sizes["value_hidden"] = len(weights["value_hidden.bias"])
        made, heads = found.inputs, Heads(planes, others, players)
        if made.graph is not None:
            network: ResidualNetwork | GraphNetwork = GraphNetwork(made, heads, **sizes)
        else:
            of_patch = weights["down.weight"].shape[1] if "down.weight" in weights else len(first)
            stride = math.isqrt(of_patch // max(1, len(first)))
            network = ResidualNetwork(made, heads, **sizes, stride=stride)
    except (KeyError, IndexError, RuntimeError) as error:
        raise config_error(f"{file}: it has no network of ludovec.nets: {error!s:.200}") from error
    _fill(network, found)
    return network, found.card()


def load(network: ResidualNetwork | GraphNetwork, file: str | Path) -> None:
    """Reads the weights of a file that :func:`save` wrote into a network of the same width and depth.

    A network for other options may have further inputs and seats: weights of inputs that only the new
    network has are 0, and its values of further seats stay as they are. :func:`from_file` makes the network
    of a file.

    Raises:
        InvalidConfig: The file cannot be read, is a network of another kind, or has inputs that this network
            lacks.
    """
    _fill(network, _Content(file))


class _Content:
    """The weights, the inputs and the metadata of a file."""

    def __init__(self, file: str | Path) -> None:
        self.file = file
        try:
            with safe_open(str(file), "pt") as opened:
                self.metadata: dict[str, str] = opened.metadata() or {}
                self.weights = {name: opened.get_tensor(name) for name in opened.keys()}
            told = json.loads(self.metadata.get("inputs", "null"))
        except (OSError, SafetensorError, ValueError) as error:
            raise config_error(f"{file}: {error!s:.200}") from error
        tables = self.weights.pop("tables", None)
        self.weights.pop("policy_index", None)
        if tables is None or told is None:
            raise config_error(f"{file}: it has no inputs of a network of ludovec.nets")
        try:
            self.inputs = Inputs.from_json(told, tables.numpy())
            self.keys = {kind: _keys(self.inputs, kind) for kind in ("planes", "scalars")}
        except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
            raise config_error(f"{file}: its inputs are damaged: {error!s:.200}") from error

    def card(self) -> Card:
        """The metadata as a card."""
        told = self.metadata
        try:
            return Card(
                told["environment"],
                int(told["version"]),
                json.loads(told["options"]),
                reward=told.get("reward", "outcome"),
                value_scale=float(told.get("value_scale", 1)),
                method=told.get("search", "gumbel"),
                c_init=float(told.get("c_init", 1.25)),
                precision=told.get("precision", "float"),
                notes=json.loads(told.get("notes", "{}")),
            )
        except (KeyError, ValueError) as error:
            raise config_error(f"{self.file}: its metadata are damaged: {error!s:.200}") from error


def _fill(network: ResidualNetwork | GraphNetwork, found: _Content) -> None:
    file, inputs = found.file, found.inputs
    if (inputs.board, inputs.graph) != (network.inputs.board, network.inputs.graph):
        raise config_error(f"{file}: its network is over {inputs.place()}")
    further = found.weights.keys() - network.state_dict().keys()
    if further:
        raise config_error(f"{file}: its network has {min(further)}, which this one lacks")
    weights = {}
    for name, own in network.state_dict().items():
        tensor = found.weights.get(name, own.new_empty(0))
        # Files have convolutions as [out, rows, columns, in].
        tensor = tensor.permute(0, 3, 1, 2) if tensor.ndim == 4 else tensor
        if name in ("planes.weight", "scalars.weight") and tensor.ndim == own.ndim:
            kind = name.split(".")[0]
            keys, wanted = found.keys[kind], _keys(network.inputs, kind)
            if lost := set(keys) - set(wanted):
                fields = ", ".join(sorted({field for field, *_ in lost}))
                raise config_error(
                    f"{file}: its network has {len(lost)} inputs of {fields} that this one lacks; "
                    "ludovec.nets.from_file makes the network of the file"
                )
            tensor = _of_inputs(tensor, keys, wanted)
        elif name.startswith("value.") and tensor.shape[1:] == own.shape[1:] and len(tensor) < len(own):
            tensor = torch.cat([tensor, own[len(tensor) :].to(tensor.dtype)])
        if tensor.shape != own.shape:
            raise config_error(
                f"{file}: {name} has the shape {list(tensor.shape)}, {list(own.shape)} is needed"
            )
        weights[name] = tensor
    network.load_state_dict(weights)


def _keys(inputs: Inputs, kind: str) -> list[tuple[Any, ...]]:
    """What each input is, whatever the number of its table."""
    tables = inputs.tables
    return [(channel.field, channel.at, tables[channel.table].tobytes()) for channel in getattr(inputs, kind)]


def _of_inputs(weights: torch.Tensor, keys: list[Any], wanted: list[Any]) -> torch.Tensor:
    """Weights [out, in, ...] of the wanted inputs; 0 where ``keys`` lacks one."""
    result = weights.new_zeros((len(weights), len(wanted), *weights.shape[2:]))
    places = {key: at for at, key in enumerate(wanted)}
    result[:, [places[key] for key in keys]] = weights
    return result


def _in_order(content: bytes) -> bytes:
    """The same file with a sorted header: safetensors writes metadata in random order."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.dumps(json.loads(content[8:end]), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    text = header.encode()
    # Spaces keep the weights aligned.
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[end:]


def write(file: Path, content: bytes) -> None:
    """Writes a file atomically, because other programs may be reading the previous one.

    Raises:
        InvalidConfig: The file cannot be written.
    """
    try:
        with replaced(file) as out:
            out.write(content)
    except OSError as error:
        raise config_error(f"{file}: {error.strerror}") from error


def metadata_of(card: Card) -> dict[str, str]:
    """The metadata of a network file."""
    return {
        "format": "ludovec network 1",
        "environment": card.env,
        "version": str(card.version),
        "options": json.dumps(dict(card.options)),
        "reward": card.reward,
        "search": card.method,
        "c_init": repr(float(card.c_init)),
        "precision": card.precision,
        "value_scale": repr(float(card.value_scale)),
        "notes": json.dumps(dict(card.notes)),
    }
