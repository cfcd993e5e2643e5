"""Networks from files, as functions on arrays."""

from __future__ import annotations

import json
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _arguments, _core
from ._errors import config_error, type_error
from .spec import HasSpec, Spec, spec_of_games

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .typing import EnvId, Options, SearchMethod, SearchValue

#: In place of a file: the network that is shipped with an environment.
CHAMPION = "champion"


class Network:
    """A network from a file: the arithmetic with which ``net:FILE`` plays, as a function on arrays.

    >>> network = ludovec.Network("champion", env)
    >>> logits, values = network(env.observations)      # float32 [n, A], float32 [n, P]
    >>> search = ludovec.TreeSearch(env, 64, value="seats")
    >>> search.start()
    >>> actions = search.run(network)

    Where a player is wanted a network plays its likeliest actions, as ``net:FILE`` does.

    A row has the same result in any batch, to the last bit (that of an ONNX file nearly). Values are sums of
    the rewards that the network foresees (:attr:`reward`, as in ``reward="score"``), the mover's first.
    """

    def __init__(
        self,
        file: str | Path,
        env: HasSpec | Spec | EnvId | None = None,
        *,
        value: SearchValue = "seats",
        num_threads: int | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Reads a file.

        Args:
            file: The file, or ``"champion"``.
            env: The games that it is to answer for, their spec, or an environment's id; ``None`` for the
                environment that it was made for.
            value: ``"seats"``, or ``"seat"`` for the mover's value alone, as :class:`TreeSearch` wants them.
            num_threads: ``1`` for the caller's own, ``None`` for all cores. Results never depend on it.
            **options: Of the environment, where ``env`` is an id or ``None``; what is not given is as the
                network allows it first.

        Raises:
            InvalidConfig: Names the file and what is wrong with it, or why it does not play this environment.
        """
        if _arguments.word("value", value) not in ("seat", "seats"):
            raise config_error(f"value={value!r}: one of seat, seats is allowed")
        given: dict[str, Any] = {**options}
        spec = spec_of_games(env, given)
        if spec is not None:
            # Those that are None, too: what is not given here is as the network allows it first.
            id: str | None = spec.env
            given = dict(spec.options)
        else:
            id = None if env is None else _arguments.word("env", env)
        threads = _arguments.positive_or_none("num_threads", num_threads)
        file = _arguments.path("file", file)
        shipped = file == CHAMPION
        self._core = _core.Network(None if shipped else str(file), id, given, threads)
        card = json.loads(self._core.card())
        #: The environment that it plays.
        self.env: EnvId = card["env"]
        #: What it may be asked for: by option a list of values, the least and the greatest, or ``"any"``.
        self.options: dict[str, Any] = card["options"]
        #: The rewards that its values foresee: ``"outcome"`` or ``"score"``.
        self.reward: str = card["reward"]
        #: How a search chooses that asks it best: :class:`TreeSearch`'s ``method``.
        self.method: SearchMethod = card["method"]
        #: How much that search explores where it chooses by PUCT: its ``c_init``.
        self.c_init: float = card["c_init"]
        #: The player that it is, wherever players are named: ``net:FILE``.
        self.player = f"net:{file}"
        self._value = value

    def __call__(
        self, observations: Any, action_mask_bits: Any = None
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits [n, A], those of illegal actions included, and values [n, P], or [n] with ``value="seat"``.

        Args:
            observations: uint8 [n, ...], of the seat to move.
            action_mask_bits: Not looked at.
        """
        rows = np.asarray(observations)
        if rows.dtype != np.uint8 or rows.ndim < 2:
            raise config_error(f"observations: uint8 [n, ...] is needed, {rows.dtype} {rows.shape} was given")
        count = len(rows)
        flat = np.ascontiguousarray(rows.reshape(count, int(np.prod(rows.shape[1:]))))
        logits, values = self._core.answer(flat)
        values = values.reshape(count, -1) if count else values.reshape(0, 1)
        logits = logits.reshape(count, -1) if count else logits.reshape(0, 1)
        return logits, values[:, 0] if self._value == "seat" else values

    def __repr__(self) -> str:
        return f"<ludovec.Network {self.env} {self.player}>"


def answered(network: Any, observations: npt.NDArray[Any], bits: npt.NDArray[np.uint64]) -> tuple[Any, Any]:
    """What a network says of some positions."""
    if not callable(network):
        raise type_error(f"network={network!r:.100}: a function of observations and masks is needed")
    answer: Any = network(observations, bits)
    if not isinstance(answer, (tuple, list)):
        raise config_error(f"network: logits and values are needed, {type(answer).__name__} was returned")
    if len(answer) != 2:
        raise config_error(f"network: logits and values are needed, {len(answer)} arrays were returned")
    return answer[0], answer[1]


def find_onnx_runtime() -> None:
    """Tells the engine where the library is that comes with the package `onnxruntime`, unless it knows.

    For every player that is called ``net:FILE``, so when the package is imported: later the engine's threads
    may be reading the variables of the environment.
    """
    package = find_spec("onnxruntime")
    if "ORT_DYLIB_PATH" in os.environ or package is None:
        return
    for folder in package.submodule_search_locations or ():
        for name in ("libonnxruntime.so*", "libonnxruntime*.dylib", "onnxruntime.dll"):
            for library in sorted(Path(folder, "capi").glob(name)):
                os.environ["ORT_DYLIB_PATH"] = str(library)
