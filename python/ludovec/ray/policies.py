"""Policies on a worker."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared.errors import config_error
from ..envs.vector import Array, VectorEnv
from ..networks import SentNetwork, of_player
from ..players import FunctionPlayer
from ..players.python_bots import Chooser
from ..search import TreeSearch

#: Context of a decision, beside observations and masks.
Info = dict[str, Any]
#: Actions [N], extra columns [N, ...], and for a search: root offsets, actions and improved policy.
Decided = tuple[npt.NDArray[Any], Mapping[str, Array], tuple[Array, Array, Array] | None]


class Policies:
    """The policies of a shard: one for all seats, or one per seat."""

    def __init__(self, policy: Any, search: Mapping[str, Any] | None, env: VectorEnv, seed: int) -> None:
        listed = policy if isinstance(policy, (list, tuple)) else [policy]
        self._env = env
        self._seats = [policy_of(one, search, env, seed) for one in listed]
        #: Whether a tree search decides.
        self.searches = search is not None

    def set_weights(self, weights: Any) -> None:
        """Passes new weights to the learned policies."""
        for policy in self._seats:
            policy.set_weights(weights)

    def memory(self) -> list[Any]:
        """The memory of the policies, in serializable form."""
        return [policy.memory() for policy in self._seats]

    def recall(self, memory: list[Any]) -> None:
        """Continues from a memory."""
        for policy, one in zip(self._seats, memory):
            policy.recall(one)

    def decide(self, info: Info) -> Decided:
        """Selects actions in the games with ``info["valid"]``."""
        if len(self._seats) == 1:
            decided: Decided = self._seats[0].decide(self._env, info)
            return decided
        actions = np.zeros(self._env.num_envs, np.int32)
        more: dict[str, Array] = {}
        for seat, policy in enumerate(self._seats):
            own = info["valid"] & (self._env.current_player == seat)
            if own.any():
                chosen, columns, _ = policy.decide(self._env, {**info, "valid": own})
                actions[own] = np.asarray(chosen)[own]
                for name, column in columns.items():
                    more.setdefault(name, np.zeros_like(column))[own] = column[own]
        return actions, more, None


class _Text:
    """A player by its text, perhaps with the content of its network."""

    def __init__(self, player: str | SentNetwork, env: VectorEnv) -> None:
        name = player if isinstance(player, str) else player.text
        self._chooser = Chooser(env, [(name, player)]).remember()
        self.memory, self.recall = self._chooser.memory, self._chooser.recall

    def set_weights(self, weights: Any) -> None:
        """Does nothing: the player does not learn."""

    def decide(self, env: VectorEnv, info: Info) -> Decided:
        return self._chooser.actions(info["valid"]), {}, None


class _Learned:
    """A policy of the user that may take weights."""

    def __init__(self, function: Any) -> None:
        if isinstance(function, type):
            function = function()
        if not callable(function):
            raise config_error(f"policy={function!r:.80}: a text or a function on arrays is needed")
        self.function = function
        self.weights: Any = None

    def memory(self) -> None:
        """Nothing: the policy sees all that it uses."""

    def recall(self, memory: None) -> None:
        """Does nothing."""

    def set_weights(self, weights: Any) -> None:
        self.weights = weights
        set_weights = getattr(self.function, "set_weights", None)
        if set_weights is not None:
            set_weights(weights)


class _Function(_Learned):
    """A function on arrays."""

    def __init__(self, function: Any, seed: int) -> None:
        super().__init__(function)
        self._is_plain = not isinstance(self.function, FunctionPlayer)
        self._player = FunctionPlayer(self.function) if self._is_plain else self.function
        self._seed = seed

    def decide(self, env: VectorEnv, info: Info) -> Decided:
        player, n, masks = self._player, env.num_envs, env.legal_action_mask
        context = None
        if player.takes_info:
            numbers = seeds(self._seed, info["games"], info["episodes"], info["decisions"])
            context = {**info, "seeds": numbers, "weights": self.weights}
        # Without `ludovec.player`, observations are as the run has them.
        call = player if self._is_plain else partial(player.ask, env.game_spec)
        actions, columns = call(env.observations, masks, context), {}
        if isinstance(actions, tuple) and isinstance(actions[-1], Mapping):
            actions, columns = actions
        if isinstance(actions, tuple) or np.ndim(_array(actions)) > 1:
            # Finished games have no legal action.
            masks = masks | ~masks.any(axis=1, keepdims=True)
            try:
                actions = player.answer(env.game_spec, actions, masks).actions
            except ValueError as error:
                raise config_error(f"policy: {error}") from error
        arrays = {str(name): _array(column) for name, column in columns.items()}
        for name, column in {"actions": (actions := _array(actions)), **arrays}.items():
            if column.shape[:1] != (n,):
                raise config_error(
                    f"policy: {name} of shape {column.shape} was returned, {n} rows are needed"
                )
        return actions, arrays, None


class _Search(_Learned):
    """A tree search with a network or with playouts."""

    def __init__(self, network: Any, settings: Mapping[str, Any], env: VectorEnv, seed: int) -> None:
        if settings.get("reuse"):
            raise config_error("search: reuse=True is not allowed: games outlive a worker, but trees do not")
        settings = {"value": "seats", "seed": seed, "num_threads": 1, **settings}
        if isinstance(network, (str, SentNetwork)):
            shared: dict[str, Any] = {name: settings[name] for name in ("value", "num_threads")}
            named, network = network, of_player(network, env, **shared)
            if network is None:
                raise config_error(f"policy={named!r}: 'net:FILE', a function or None is needed for a search")
        super().__init__((lambda *_: None) if network is None else network)
        if isinstance(self.function, FunctionPlayer):
            self.function = self.function.evaluator(env.game_spec)
        self._asks = network is not None
        self._search = TreeSearch(env, **settings)

    def decide(self, env: VectorEnv, info: Info) -> Decided:
        search = self._search
        n = env.num_envs
        if not info["valid"].any():
            none = np.zeros(n + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32)
            values = np.zeros((n, env.game_spec.players), np.float32)
            return np.zeros(n, np.int32), {"values": values}, none
        search.start(None if info["valid"].all() else np.flatnonzero(info["valid"]))
        actions = search.run(self.function if self._asks else None)
        found = search.root_offsets, search.root_actions, search.policy_legal
        return actions, {"values": search.values}, found


def policy_of(policy: Any, search: Mapping[str, Any] | None, env: VectorEnv, seed: int) -> Any:
    """A policy from its sent form."""
    if search is not None:
        return _Search(policy, search, env, seed)
    return _Text(policy, env) if isinstance(policy, (str, SentNetwork)) else _Function(policy, seed)


def _array(value: Any) -> Array:
    return np.asarray(value.detach().cpu() if hasattr(value, "detach") else value)


def seeds(
    seed: int, games: npt.NDArray[Any], episodes: npt.NDArray[Any], decisions: npt.NDArray[Any]
) -> npt.NDArray[np.uint64]:
    """uint64 [N]: a pseudo-random number for every decision of every episode of every game (splitmix64)."""
    with np.errstate(over="ignore"):
        x = _mixed(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15) * (games.astype(np.uint64) + np.uint64(1)))
        x = _mixed(x + np.uint64(0xD1B54A32D192ED03) * (episodes.astype(np.uint64) + np.uint64(1)))
        return _mixed(x + np.uint64(0x8CB92BA72F3D8DD7) * (decisions.astype(np.uint64) + np.uint64(1)))


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finalizer of splitmix64."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    mixed: npt.NDArray[np.uint64] = x ^ (x >> np.uint64(31))
    return mixed


def draw(
    logits: Any, action_masks: Any, seeds: npt.NDArray[np.uint64]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Samples a legal action per row from the softmax of logits: actions int32 [n], their log-probabilities.

    The sample depends on the row and its seed, not on the batch.

    Args:
        logits: [n, A]; illegal actions are ignored.
        action_masks: bool [n, A].
        seeds: uint64 [n], ``info["seeds"]``: one per decision.
    """
    masks = np.asarray(action_masks).view(np.bool_)
    values = np.where(masks, _array(logits).astype(np.float64), -np.inf)
    chances = np.exp(values - values.max(axis=1, keepdims=True))
    sums = np.cumsum(chances, axis=1)
    drawn = (seeds >> np.uint64(11)).astype(np.float64) * 2.0**-53
    actions = (sums > (drawn * sums[:, -1])[:, None]).argmax(axis=1)
    rows = np.arange(len(actions))
    log = np.log(chances[rows, actions] / sums[:, -1])
    return actions.astype(np.int32), log.astype(np.float32)
