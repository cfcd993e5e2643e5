"""JAX: tree searches inside jitted functions, as custom calls of XLA on the CPU."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ... import _core
from ..._shared.errors import config_error
from ..._shared.extras import extra
from ...search import TreeSearch
from .functions import TimeStep, custom_call

with extra("jax"):
    import jax

#: ``network(observations, action_mask_bits) -> (logits, values)``, on JAX arrays.
Network = Callable[[Any, Any], tuple[Any, Any]]


class Leaves(NamedTuple):
    """Leaves that wait for the network, in as many rows as the trees may have at once: ``R``."""

    count: Any
    """int32 []: the leaves, in the first rows; 0 when the search is done."""
    observation: Any
    """uint8 or float32 [R, ...]: of the current player; 0 in rows without a leaf."""
    action_mask_bits: Any
    """uint32 [R, 2 W]: the legal actions as bits, for :func:`ludovec.unpack_bits`."""
    player: Any
    """int32 [R]: the current player."""
    tree: Any
    """int32 [R]: the game of the leaf, or -1."""
    order: Any
    """uint32 []: the number of the state of the trees, which each call checks."""


class Found(NamedTuple):
    """Results of a search, as the attributes of :class:`ludovec.TreeSearch`."""

    actions: Any
    """int32 [N]: the selected action of each game."""
    policy: Any
    """float32 [N, A]: the improved policy, the training target."""
    visits: Any
    """int32 [N, A]"""
    q: Any
    """float32 [N, A]"""
    values: Any
    """float32 [N, P]"""


class CompiledSearch:
    """A :class:`ludovec.TreeSearch` for jitted functions on the CPU: no Python runs in the loop.

    The trees are those of ``search``, and the results have the same bytes. Use it with the functions of
    :func:`ludovec.jax.compiled` for the same environment: :meth:`start` takes their newest state.

    >>> env = ludovec.make("starwars_risk", 64, mask="bits")
    >>> reset, step = ludovec.jax.compiled(env)
    >>> search = ludovec.jax.CompiledSearch(ludovec.TreeSearch(env, 32))
    >>> @jax.jit
    ... def play(seed):
    ...     def move(now, _):
    ...         found = search.run(now, network)
    ...         return step(now, found.actions), found.policy
    ...     return jax.lax.scan(move, reset(seed), None, length=10)

    :meth:`run` is a loop over :meth:`start`, :meth:`select`, :meth:`expand` and :meth:`results`. Each state
    is used once, so that XLA keeps the order of calls; an older one is refused. Errors arrive as with
    :func:`ludovec.jax.compiled`.
    """

    def __init__(self, search: TreeSearch) -> None:
        """Makes the trees of ``search`` known to compiled programs.

        Args:
            search: Any settings. ``pad`` changes nothing here: the number of rows is always the same. Two
                groups take turns.

        Raises:
            InvalidConfig: ``search`` is no :class:`ludovec.TreeSearch`, or JAX has no custom calls.
        """
        if not isinstance(search, TreeSearch):
            raise config_error(f"search={search!r:.100}: a ludovec.TreeSearch is needed")
        #: The search. Its attributes show the results of compiled programs, too.
        self.search = search
        spec = search.env.game_spec
        n, a, players = search.env.num_envs, spec.num_actions, spec.players
        rows = max((leaves.observations for leaves in search._groups), key=len)
        bits = search.env.action_mask_bits.shape[1]
        # Without JAX, pyright takes partial stubs for the whole package.
        shape = jax.ShapeDtypeStruct  # pyright: ignore[reportAttributeAccessIssue]
        order, whole, real = shape((), np.uint32), np.int32, np.float32
        self._rows = len(rows)
        self._logits = (self._rows, a)
        self._values = (self._rows,) if search.settings["value"] == "seat" else (self._rows, players)
        self._moved = custom_call((order,))
        self._selected = custom_call(
            (
                order,
                shape((), whole),
                shape(rows.shape, rows.dtype),
                shape((self._rows, 2 * bits), np.uint32),
                shape((self._rows,), whole),
                shape((self._rows,), whole),
            )
        )
        results = [((n,), whole), ((n, a), real), ((n, a), whole), ((n, a), real), ((n, players), real)]
        self._found = custom_call(tuple(shape(size, dtype) for size, dtype in results))
        self._number = search._share()
        # At the exit of Python, JAX awaits running programs first.
        weakref.finalize(self, _core.forget_for_xla, self._number).atexit = False

    def start(self, now: TimeStep) -> Any:
        """Sets the roots to the positions of ``now``, the newest state of the games; returns an order."""
        return self._moved(now.order, **self._attributes(0))[0]

    def advance(self, now: TimeStep, actions: Any) -> Any:
        """:meth:`start` after ``actions``, int32 [N], which led to ``now``; with ``reuse`` subtrees stay."""
        actions = jax.numpy.asarray(actions, np.int32)  # pyright: ignore[reportAttributeAccessIssue]
        return self._moved(now.order, actions, **self._attributes(1))[0]

    def select(self, order: Any) -> Leaves:
        """Descends all trees that need visits; takes the order of :meth:`start` or :meth:`expand`."""
        order, count, seen, bits, players, trees = self._selected(order, **self._attributes(2))
        return Leaves(count, seen, bits, players, trees, order)

    def expand(self, leaves: Leaves, logits: Any, values: Any) -> Any:
        """Expands the leaves; returns an order for :meth:`select`.

        Args:
            leaves: The newest leaves.
            logits: float32 ``[R, A]``, ignored for illegal actions and in rows without a leaf.
            values: float32 ``[R]``; with ``value="seats"`` ``[R, P]``, the current player's first.
        """
        given = []
        for name, array, wanted in (("logits", logits, self._logits), ("values", values, self._values)):
            array = jax.numpy.asarray(array, np.float32)  # pyright: ignore[reportAttributeAccessIssue]
            if array.shape != wanted:
                raise config_error(f"{name}: shape {list(wanted)} is needed, {list(array.shape)} was given")
            given.append(array)
        return self._moved(leaves.order, *given, **self._attributes(3))[0]

    def results(self, leaves: Leaves) -> Found:
        """The results, once :meth:`select` has returned no leaves."""
        return Found(*self._found(leaves.order, **self._attributes(4)))

    def run(self, now: TimeStep, network: Network) -> Found:
        """Searches the positions of ``now`` to the end.

        ``network(observation, action_mask_bits)`` gets the rows of :class:`Leaves` and returns logits and
        values as for :meth:`expand`.
        """
        return self.finish(self.start(now), network)

    def finish(self, order: Any, network: Network) -> Found:
        """Searches to the end from :meth:`start` or :meth:`advance`."""

        def expanded(leaves: Leaves) -> Leaves:
            answer = network(leaves.observation, leaves.action_mask_bits)
            return self.select(self.expand(leaves, *answer))

        loop = jax.lax.while_loop  # pyright: ignore[reportAttributeAccessIssue]
        return self.results(loop(lambda leaves: leaves.count > 0, expanded, self.select(order)))

    def _attributes(self, kind: int) -> dict[str, Any]:
        return {"object": np.int64(self._number), "call": np.int64(kind)}
