"""Export of torch networks to files that play."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._shared import checks
from ..spec import HasSpec, Spec, spec_of_games
from ..spec import spec as spec_by_id

if TYPE_CHECKING:
    from ..nets import Card
    from ..typing import EnvId


def export(
    model: Any,
    file: str | Path,
    env: HasSpec | Spec | EnvId,
    card: Card | None = None,
    **options: Any,
) -> None:
    """Writes a torch network to a file that plays as ``net:FILE``, and checks that both give equal answers.

    ``FILE.safetensors`` takes a :class:`ludovec.nets.ResidualNetwork` or a :class:`ludovec.nets.GraphNetwork`
    and needs no other library to play.
    ``FILE.onnx`` takes any module with ``forward(observations)``, uint8 [n, ...], that returns logits [n, A]
    and values, [n] (of the current player) or [n, P].

    Args:
        model: The network.
        file: The file to write.
        env: The games that it plays, their spec, or their id.
        card: Metadata; by default ``env`` under its options, with values for ``reward="outcome"``.
        **options: Options of the environment if ``env`` is an id.

    Raises:
        InvalidConfig: The file extension or the model is not supported, or the answers differ.
    """
    spec = spec_of_games(env, options)
    if spec is None:
        id: Any = checks.word("env", env)
        spec = spec_by_id(id, **options)
    from ..nets import exporting

    exporting.export(model, Path(checks.path("file", file)), spec, card)
