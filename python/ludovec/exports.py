"""Networks of torch's, written as files that play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _arguments
from .spec import HasSpec, Spec, spec_of_games
from .spec import spec as spec_by_id

if TYPE_CHECKING:
    from .nets import Card
    from .typing import EnvId


def export(
    model: Any,
    file: str | Path,
    env: HasSpec | Spec | EnvId,
    card: Card | None = None,
    **options: Any,
) -> None:
    """Writes a network from torch as a file that plays as ``net:FILE``, and compares what the file answers.

    ``FILE.safetensors`` takes a :class:`ludovec.nets.ResidualNetwork`, which needs no other library to play.
    ``FILE.onnx`` takes any module whose ``forward(observations)``, uint8 [n, ...], returns logits [n, A] and
    values, [n] (of the seat to move) or [n, P].

    Args:
        model: The network.
        file: Where to.
        env: The games that it plays, their spec, or their id.
        card: What it is for; by default ``env`` under its options, with values of ``reward="outcome"``.
        **options: Of the environment, where ``env`` is an id.

    Raises:
        InvalidConfig: For another ending, a model that is none of these, or answers that differ.
    """
    spec = spec_of_games(env, options)
    if spec is None:
        id: Any = _arguments.word("env", env)
        spec = spec_by_id(id, **options)
    from .nets import exporting

    exporting.export(model, Path(_arguments.path("file", file)), spec, card)
