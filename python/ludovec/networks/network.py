"""Networks from files as functions on arrays."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared import checks
from .._shared.errors import config_error, type_error
from ..spec import HasSpec, Spec, spec_of_games

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..typing import EnvId, Options, Precision, SearchMethod, SearchValue

#: The name of the network that ships with an environment, instead of a file name.
CHAMPION = "champion"


class Network:
    """A network from a file as a function on arrays: the same inference as the player ``net:FILE``.

    >>> network = ludovec.Network("champion", env)
    >>> logits, values = network(env.observations)      # float32 [n, A], float32 [n, P]
    >>> search = ludovec.TreeSearch(env, 64, value="seats", reward=network.reward)
    >>> search.start()
    >>> actions = search.run(network)

    As a player it plays the most probable action, like ``net:FILE``.

    The result of a row does not depend on the batch, bit for bit (for ONNX files, almost). Values are sums of
    future rewards (see :attr:`reward`), the current player's first.
    """

    def __init__(
        self,
        file: str | Path | bytes,
        env: HasSpec | Spec | EnvId | None = None,
        *,
        value: SearchValue = "seats",
        num_threads: int | None = None,
        precision: Precision | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Reads a file.

        Args:
            file: The file, its content as bytes, or ``"champion"``.
            env: The games, their spec, or the id of an environment; ``None`` for the environment of the
                network.
            value: ``"seats"``, or ``"seat"`` for the current player's value only; the same as the argument of
                :class:`TreeSearch`.
            num_threads: ``1`` for the calling thread, ``None`` for all cores. Results do not depend on it.
            precision: ``"float"`` (single precision), ``"int8"`` or ``"int16"`` (integers of 8 or 16 bits in
                the residual blocks), ``None`` for the precision that the file names. ONNX files have one of
                their own.
            **options: Options of the environment if ``env`` is an id or ``None``; the default of each is the
                first value that the network allows.

        Raises:
            InvalidConfig: The file is invalid or does not play this environment; the message says why.
        """
        if checks.word("value", value) not in ("seat", "seats"):
            raise config_error(f"value={value!r}: one of seat, seats is allowed")
        given: dict[str, Any] = {**options}
        spec = spec_of_games(env, given)
        if spec is not None:
            # Options that are None included: the default of a missing option is the network's first value.
            id: str | None = spec.env
            given = dict(spec.options)
        else:
            id = None if env is None else checks.word("env", env)
        threads = checks.threads(num_threads)
        #: The content of the file, if it was given.
        self.content = file if isinstance(file, bytes) else None
        content: Any = file
        if not isinstance(file, bytes):
            file = checks.path("file", file)
            content = None if file == CHAMPION else str(file)
        named = None if precision is None else checks.word("precision", precision)
        self._core = _core.Network(content, id, given, threads, named)
        card = json.loads(self._core.card())
        #: Id of the environment.
        self.env: EnvId = card["env"]
        #: Allowed options: for each a list of values, minimum and maximum, or ``"any"``.
        self.options: dict[str, Any] = card["options"]
        #: The rewards that the values predict: ``"outcome"``, ``"score"`` or ``"margin"``.
        self.reward: str = card["reward"]
        #: Recommended ``method`` of :class:`TreeSearch`.
        self.method: SearchMethod = card["method"]
        #: Recommended ``c_init`` of :class:`TreeSearch`, for PUCT.
        self.c_init: float = card["c_init"]
        #: The precision of its arithmetic.
        self.precision: Precision = card["precision"]
        #: The network as a player: ``net:FILE``.
        self.player = "net:bytes" if isinstance(file, bytes) else f"net:{file}"
        self.player += "" if precision is None else f"?precision={precision}"
        self._value = value

    def __call__(
        self,
        observations: Any,
        action_mask_bits: Any = None,
        legal_offsets: Any = None,
        legal_actions: Any = None,
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Logits [n, A], including illegal actions, and values [n, P], or [n] with ``value="seat"``.

        With the legal actions, logits [total] of these alone, which takes less time:
        ``search.run(network, legal=True)``.

        Args:
            observations: uint8 [n, ...], observations of the current player.
            action_mask_bits: Ignored.
            legal_offsets: int64 [n + 1]: row ``i`` has the actions from ``legal_offsets[i]`` to
                ``legal_offsets[i + 1]``.
            legal_actions: int32 [total].

        Raises:
            InvalidConfig: An array has another shape or dtype, or a number is out of range.
        """
        rows = checks.array("observations", observations)
        if rows.dtype != np.uint8 or rows.ndim < 2:
            raise config_error(f"observations: uint8 [n, ...] is needed, {rows.dtype} {rows.shape} was given")
        count = len(rows)
        flat = np.ascontiguousarray(rows.reshape(count, int(np.prod(rows.shape[1:]))))
        if legal_offsets is None and legal_actions is None:
            logits, values = self._core.answer(flat)
            logits = logits.reshape(count, -1) if count else logits.reshape(0, 1)
        else:
            offsets = _integers("legal_offsets", legal_offsets, np.int64)
            logits, values = self._core.answer(
                flat, offsets, _integers("legal_actions", legal_actions, np.int32)
            )
        values = values.reshape(count, -1) if count else values.reshape(0, 1)
        return logits, values[:, 0] if self._value == "seat" else values

    def __repr__(self) -> str:
        return f"<ludovec.Network {self.env} {self.player}>"


@dataclass(frozen=True)
class SentNetwork:
    """A player ``net:FILE...`` with the content of the file, for another machine. The text names no file."""

    text: str
    network: bytes


def sent(player: Any) -> Any:
    """A player as it plays on another machine: a text with the content of its file, or the given player.

    Raises:
        InvalidConfig: The file cannot be read.
    """
    if isinstance(player, Network):
        if player.content is not None:
            return SentNetwork(player.player, player.content)
        player = player.player
    parts = _core.network_parts(player) if isinstance(player, str) else None
    if parts is None or parts[0] == CHAMPION:
        return player
    file = parts[0]
    try:
        return SentNetwork(player.replace(file, "bytes", 1), Path(file).read_bytes())
    except OSError as error:
        raise config_error(f"{player!r}: {file}: {error.strerror}") from error


def of_player(player: Any, env: HasSpec | Spec, **settings: Any) -> Network | None:
    """The network of a player ``net:FILE[?precision=NAME]``, perhaps a sent one; ``None`` for others."""
    text = player.text if isinstance(player, SentNetwork) else player
    parts = _core.network_parts(text) if isinstance(text, str) else None
    if parts is None:
        return None
    file = player.network if isinstance(player, SentNetwork) else parts[0]
    return Network(file, env, precision=parts[1], **settings)  # type: ignore[arg-type]


def _integers(name: str, given: Any, dtype: Any) -> npt.NDArray[Any]:
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise config_error(f"{name}: integers [n] are needed, {array.dtype} {array.shape} was given")
    return np.ascontiguousarray(array, dtype)


def answered(
    network: Any, observations: npt.NDArray[Any], bits: npt.NDArray[np.uint64], *legal: npt.NDArray[Any]
) -> tuple[Any, Any]:
    """Evaluates positions, perhaps with their legal actions, and returns logits and values."""
    if not callable(network):
        raise type_error(f"network={network!r:.100}: a function of observations and masks is needed")
    answer: Any = network(observations, bits, *legal)
    if not isinstance(answer, (tuple, list)):
        raise config_error(f"network: logits and values are needed, {type(answer).__name__} was returned")
    if len(answer) != 2:
        raise config_error(f"network: logits and values are needed, {len(answer)} arrays were returned")
    return answer[0], answer[1]


def find_onnx_runtime() -> None:
    """Tells the engine the path of the library in the package `onnxruntime`, unless it is set.

    Runs at import, for all players called ``net:FILE``: later, threads of the engine may be reading the
    environment variables.
    """
    package = find_spec("onnxruntime")
    if "ORT_DYLIB_PATH" in os.environ or package is None:
        return
    for folder in package.submodule_search_locations or ():
        for name in ("libonnxruntime.so*", "libonnxruntime*.dylib", "onnxruntime.dll"):
            for library in sorted(Path(folder, "capi").glob(name)):
                os.environ["ORT_DYLIB_PATH"] = str(library)
