"""Networks as files: safetensors, with what they are for as metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .. import _extras
from .._errors import config_error
from ..files import replaced
from ..spec import Spec
from .model import ResidualNetwork
from .policy import action_outputs, plain_action_outputs

#: Options of every environment that bear on nothing a seat sees.
COMMON = ("reward", "on_illegal", "max_steps")
#: Such an option of environments that have it: what the players are called.
NAMES = "names"


@dataclass(frozen=True)
class Card:
    """What a network is for."""

    #: The environment and its version.
    env: str
    version: int
    #: The values that each option may have: a list, ``{"min": 4, "max": 64}``, or ``"any"``. Only what every
    #: environment takes (rewards, illegal actions, a limit of steps) need not be named.
    options: Mapping[str, Any]
    #: Rewards that its values foresee: ``"outcome"`` or ``"score"``.
    reward: str = "outcome"
    #: What its values are multiplied by to be sums of rewards.
    value_scale: float = 1.0
    #: How a tree search chooses that asks it: ``"gumbel"`` or ``"puct"``.
    method: str = "gumbel"
    #: How much that search explores, if it chooses by PUCT: ``c_init`` of :class:`ludovec.TreeSearch`. High
    #: where the network's values are less to be trusted than its policy.
    c_init: float = 1.25
    #: Anything else that is to be known: the command, games, hours.
    notes: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, *specs: Spec, **more: Any) -> Card:
        """For an environment under some options, whatever its players are called.

        ``more`` are other fields; ``options`` among them go before those of the specs.
        """
        allowed: dict[str, Any] = {}
        for spec in specs:
            for name, value in spec.options.items():
                values = allowed.setdefault(name, [])
                if value not in values:
                    values.append(value)
        for name in COMMON:
            del allowed[name]
        if NAMES in allowed:
            allowed[NAMES] = "any"
        options = {**allowed, **more.pop("options", {})}
        return cls(specs[0].env, specs[0].version, options, **more)


def save(
    network: ResidualNetwork, file: str | Path, card: Card, spec: Spec, dtype: torch.dtype = torch.float16
) -> None:
    """Writes a network that Ludovec plays by itself.

    Args:
        network: The network.
        file: Where to; by custom ``.safetensors``.
        card: What it is for.
        spec: The environment under the options with the most seats.
        dtype: Of the weights in the file; they are computed with as float32.
    """
    with _extras.extra("torch"):
        from safetensors import torch as safetensors
    tensors = {}
    for name, weights in network.state_dict().items():
        # Convolutions as [out, rows, columns, in].
        last = weights.permute(0, 2, 3, 1) if weights.ndim == 4 else weights
        tensors[name] = last.detach().to(dtype).contiguous()
    tensors["tables"] = torch.from_numpy(network.inputs.tables.copy())
    board = None if network.inputs.board is None else network.inputs.board.size(spec)
    index = action_outputs(spec, board).outputs
    if not np.array_equal(index, plain_action_outputs(spec, board).outputs):
        tensors["policy_index"] = torch.from_numpy(index)
    inputs = json.dumps(network.inputs.to_json(), separators=(",", ":"))
    metadata = {**metadata_of(card), "inputs": inputs}
    write(Path(file), safetensors.save(tensors, metadata))


def write(file: Path, content: bytes) -> None:
    """Writes a file as a whole or not at all: programs that play with it may be reading the one before.

    Raises:
        InvalidConfig: It cannot be written.
    """
    try:
        with replaced(file) as out:
            out.write(content)
    except OSError as error:
        raise config_error(f"{file}: {error.strerror}") from error


def metadata_of(card: Card) -> dict[str, str]:
    """What a file says of a network."""
    return {
        "format": "ludovec network 1",
        "environment": card.env,
        "version": str(card.version),
        "options": json.dumps(dict(card.options)),
        "reward": card.reward,
        "search": card.method,
        "c_init": repr(float(card.c_init)),
        "value_scale": repr(float(card.value_scale)),
        "notes": json.dumps(dict(card.notes)),
    }
