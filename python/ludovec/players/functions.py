"""Functions on arrays as players: their arguments, and the reading of their results."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..envs.packed import pack, unpack, unpack_bits
from ..spec import Spec


class ArrayBot(Protocol):
    """A function on arrays. The rows are games in which this bot is the current player.

    ``observations`` is uint8 ``[n, *observation_shape]``, ``action_masks`` bool ``[n, A]``, unless
    :func:`player` says otherwise. A torch module gets tensors on its device.

    Only a parameter with the name ``info`` gets the context, a dict: ``"current_player"`` int32 ``[n]``,
    ``"games"``, a sequence of :class:`ludovec.Game`, and ``"valid"`` bool ``[n]``. With ``batch_size`` every
    call has the same number of rows, so that a jitted network compiles once; invalid rows are padding that
    repeats the first row, and their results are ignored.

    Returns one of:

    - actions: ``n`` integers;
    - logits: floats ``[n, A]``; the likeliest legal action is played;
    - ``(logits, values)``: values are floats ``[n]`` of the current player, or ``[n, P]``, the current
      player's first, then in turn order.
    """

    def __call__(self, observations: Any, action_masks: Any) -> Any: ...


class FunctionPlayer:
    """A function that plays, and its arguments; :func:`player` makes one. A call calls the function."""

    def __init__(self, function: Callable[..., Any], obs: str = "u8", mask: str = "bool") -> None:
        """Use :func:`player`."""
        #: The function.
        self.function = function
        self.obs, self.mask = obs, mask
        torch = sys.modules.get("torch")
        #: Whether the function is a torch module.
        self.is_module = torch is not None and isinstance(function, torch.nn.Module)
        try:
            named = inspect.signature(function.forward if self.is_module else function).parameters  # type: ignore[attr-defined]
        except (TypeError, ValueError):
            named = {}  # type: ignore[assignment]
        #: Whether a parameter is called ``info``.
        self.takes_info = "info" in named
        self.__name__: str = getattr(function, "__name__", type(function).__name__)

    def __call__(self, observations: Any, masks: Any, info: Any = None) -> Any:
        """Calls the function with arrays as it takes them."""
        context = {"info": info} if self.takes_info else {}
        if not self.is_module:
            return self.function(observations, masks, **context)
        import torch

        module: Any = self.function
        device = next((weights.device for weights in module.parameters()), None)

        def tensor(array: Any) -> Any:
            if isinstance(array, tuple):
                return tuple(map(tensor, array))
            # Few operations of torch know uint64.
            array = array.view(np.int64) if array.dtype == np.uint64 else array
            return torch.as_tensor(array if array.flags.writeable else array.copy(), device=device)

        training = [part for part in module.modules() if part.training]
        module.eval()
        try:
            with torch.no_grad():
                return module(tensor(observations), tensor(masks), **context)
        finally:
            for part in training:
                part.training = True

    def ask(self, spec: Spec, observations: Any, masks: Any, info: Any = None) -> Any:
        """Calls the function in some positions of an environment.

        Args:
            spec: The spec of the environment.
            observations: uint8 or float32 ``[n, *observation_shape]``, or packed, uint8 ``[n, row_bytes]``.
            masks: bool ``[n, A]``.
            info: The context.
        """
        return self(self._observations(spec, observations), self._masks(masks), info)

    def _observations(self, spec: Spec, rows: Any) -> Any:
        shape = spec.observation_shape
        given = "packed" if rows.shape[1:] == (spec.packed.row_bytes,) != shape else "u8"
        given = "none" if not rows.shape[1] else "f32" if rows.dtype == np.float32 else given
        if given == self.obs:
            return rows
        if given == "none":
            raise config_error(f"player {self.__name__}: these games have no observations, obs='none'")
        if given == "packed":
            rows = unpack(rows, spec)
        elif given == "f32":
            rows = np.rint(rows / spec.scales.reshape(shape)).astype(np.uint8)
        if self.obs == "packed":
            return pack(rows, spec)
        return (rows * spec.scales.reshape(shape)).astype(np.float32) if self.obs == "f32" else rows

    def _masks(self, masks: Any) -> Any:
        if self.mask == "bits":
            return pack_bits(masks)
        return legal_actions(masks) if self.mask == "legal" else masks

    def answer(self, spec: Spec, result: Any, masks: Any) -> Answer:
        """Reads the result of the function.

        Raises:
            ValueError: The result is neither actions nor logits; the message says what is needed.
        """
        n, values = len(masks), None
        if isinstance(result, (tuple, list)) and len(result) == 2 and np.ndim(_plain(result[0])) > 0:
            result, values = result
        result = _plain(result)
        if np.ma.is_masked(result):
            raise ValueError("integers are needed, masked ones were returned")
        try:
            array = np.asarray(result)
            items = array if array.dtype.kind in "iu" else list(result)
        except (TypeError, ValueError) as error:
            kind = type(result).__name__
            raise ValueError(
                f"integers of shape {(n,)}, or logits, are needed, {kind} was returned: {error}"
            ) from error
        if array.dtype.kind not in "fV" or (array.ndim < 2 and self.mask != "legal"):
            if array.shape != (n,):
                raise ValueError(
                    f"integers of shape {(n,)}, or logits of shape {masks.shape}, are needed, "
                    f"{array.dtype} of shape {array.shape} was returned"
                )
            return Answer(items)
        legal = array.astype(np.float32)
        if array.shape == masks.shape:
            legal = legal[masks]
        if legal.shape != (int(masks.sum()),):
            raise ValueError(f"logits of shape {masks.shape} are needed, {array.shape} was returned")
        return _likeliest(legal, masks, None if values is None else self._values(spec, _plain(values), n))

    @staticmethod
    def _values(spec: Spec, values: Any, n: int) -> npt.NDArray[np.float32]:
        """Values [n, P], the current player's first; NaN where they are unknown."""
        found: npt.NDArray[np.float32] = np.asarray(values, np.float32)
        players = spec.players
        if found.shape in ((n,), (n, 1)) and players > 1:
            own = found.reshape(n, 1)
            # With two players the rewards sum to 0, unless they are scores.
            others = -own if players == 2 and spec.options["reward"] != "score" else np.full_like(own, np.nan)
            found = np.concatenate([own, *[others] * (players - 1)], axis=1)
        if found.shape != (n, players):
            raise ValueError(
                f"values of shape {(n,)} or {(n, players)} are needed, {found.shape} was returned"
            )
        return found

    def policy(self, env: Any) -> Callable[[Any, Any], dict[str, Any]]:
        """The function as a policy of :func:`ludovec.rollout` in a :class:`ludovec.VectorEnv`."""
        spec = env.game_spec

        def policy(observations: Any, info: Any) -> dict[str, Any]:
            masks = env.action_masks()
            try:
                answer = self.answer(spec, self.ask(spec, observations, masks, info), masks)
            except ValueError as error:
                raise config_error(f"policy {self.__name__}: {error}") from error
            more = {} if answer.values is None else {"values": answer.values[:, 0]}
            return {"actions": answer.actions, **more}

        return policy

    def evaluator(self, spec: Spec) -> Callable[..., tuple[Any, Any]]:
        """The function as a network of :meth:`ludovec.TreeSearch.run`: ``(logits, values)`` of positions."""

        def evaluate(observations: Any, bits: Any) -> Any:
            said = self.ask(spec, observations, unpack_bits(bits, spec.num_actions))
            if not (isinstance(said, (tuple, list)) and len(said) == 2):
                raise config_error(f"player {self.__name__}: a search needs logits and values")
            return _plain(said[0]), _plain(said[1])

        return evaluate

    def __repr__(self) -> str:
        return f"ludovec.player({self.__name__}, obs={self.obs!r}, mask={self.mask!r})"


class Answer(NamedTuple):
    """The answer of a function in ``n`` positions."""

    actions: Any
    """``n`` actions, perhaps invalid ones."""
    offsets: npt.NDArray[np.int64] | None = None
    """Of logits: row ``i`` has the shares from ``offsets[i]`` to ``offsets[i + 1]``."""
    shares: npt.NDArray[np.float32] | None = None
    """Probabilities of the legal actions."""
    values: npt.NDArray[np.float32] | None = None
    """[n, P], the current player's first."""


def _likeliest(legal: npt.NDArray[np.float32], masks: Any, values: Any) -> Answer:
    """The likeliest actions and the policies of logits of the legal actions."""
    if np.isnan(legal).any():
        raise ValueError("logits are NaN")
    counts = masks.sum(axis=1)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    highest = np.maximum.reduceat(legal, offsets[:-1])
    with np.errstate(invalid="ignore"):
        shares = np.exp(legal - np.repeat(highest, counts))
    # Of infinite logits, the highest share the probability.
    shares[np.isnan(shares)] = 1
    shares /= np.repeat(np.add.reduceat(shares, offsets[:-1]), counts)
    dense = np.full(masks.shape, -1, np.float32)
    dense[masks] = shares
    return Answer(dense.argmax(axis=1), offsets, shares, values)


def in_seat_order(values: Any, movers: Any) -> Any:
    """Values of the current player first, in turn order, by seat."""
    players = values.shape[1]
    by_seat = np.empty_like(values)
    rows = np.arange(len(values))[:, None]
    by_seat[rows, (movers[:, None] + np.arange(players)) % players] = values
    return by_seat


def player(
    function: Callable[..., Any],
    *,
    obs: Literal["u8", "f32", "packed"] = "u8",
    mask: Literal["bool", "bits", "legal"] = "bool",
) -> FunctionPlayer:
    """A player from a function, with the arrays that the function takes.

    >>> policy = ludovec.player(network, obs="f32", mask="bits")
    >>> ludovec.evaluate("tilewe", policy, "greedy", 100)

    The player is accepted wherever a function is: opponents, tournaments, evaluations, matches, rollouts,
    searches, analyses, self-play on Ray, :func:`ludovec.data.write`. The environment's own format does not
    matter.

    Args:
        function: ``f(observations, masks)``, as for :class:`ludovec.players.ArrayBot`; a torch module too.
        obs: Observations: ``"u8"`` uint8 ``[n, *observation_shape]``; ``"f32"`` float32, the same times the
            scales of the spec; ``"packed"`` uint8 ``[n, row_bytes]``, which :func:`ludovec.unpack` decodes.
        mask: Legal actions: ``"bool"`` ``[n, A]``; ``"bits"`` uint64 ``[n, ceil(A / 64)]``; ``"legal"`` a
            pair, int64 offsets ``[n + 1]`` and int32 actions: row ``i`` has
            ``actions[offsets[i]:offsets[i + 1]]``, and logits may be one per legal action.

    Raises:
        InvalidConfig: The message names the argument and the allowed values.
    """
    if isinstance(function, FunctionPlayer):
        function = function.function
    if not callable(function):
        raise config_error(f"function={function!r:.100}: a function on arrays is needed")
    for name, value, allowed in (
        ("obs", obs, ("u8", "f32", "packed")),
        ("mask", mask, ("bool", "bits", "legal")),
    ):
        if value not in allowed:
            raise config_error(f"{name}={value!r:.100}: one of {', '.join(allowed)} is allowed")
    return FunctionPlayer(function, obs, mask)


def legal_actions(masks: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The legal actions of bool masks [n, A]: offsets [n + 1] and actions [total]."""
    offsets = np.concatenate([[0], np.cumsum(masks.sum(axis=1))])
    return offsets, np.nonzero(masks)[1].astype(np.int32)


def pack_bits(masks: Any) -> npt.NDArray[np.uint64]:
    """Bool masks [n, A] as uint64 [n, ceil(A / 64)]."""
    octets = np.packbits(masks, axis=1, bitorder="little")
    bits = np.zeros((len(masks), 8 * -(-masks.shape[1] // 64)), np.uint8)
    bits[:, : octets.shape[1]] = octets
    return bits.view(np.uint64)


def _plain(value: Any) -> Any:
    """Tensors as something that NumPy can read."""
    if not hasattr(value, "detach"):
        return value
    value = value.detach().cpu()
    # NumPy has no bfloat16.
    return value.float() if value.is_floating_point() else value
