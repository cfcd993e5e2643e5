"""Search trees over a batch of games: one tree a game, the leaves of all trees in one batch."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from . import _arguments, _core
from ._errors import config_error
from ._tree_svg import tree_svg
from .networks import answered
from .vector import VectorEnv

if TYPE_CHECKING:
    from .typing import Evaluator, SearchMethod, SearchValue

Array = npt.NDArray[Any]
#: ``network(observations, action_mask_bits) -> (logits, values)``
Network = Callable[[Array, npt.NDArray[np.uint64]], tuple[Any, Any]]


#: How a setting is read, by its type in the signature of :class:`TreeSearch`.
_READERS: dict[str, Callable[[str, Any], Any]] = {
    "int": _arguments.count,
    "int | None": _arguments.count_or_none,
    "float": _arguments.number,
    "float | None": _arguments.number_or_none,
    "bool": _arguments.switch,
    "SearchMethod": _arguments.word,
    "SearchValue": _arguments.word,
}


@cache
def _readers() -> dict[str, Callable[[str, Any], Any]]:
    """What reads each setting of a search, from the signature of :class:`TreeSearch`."""
    types = dict(TreeSearch.__init__.__annotations__)
    for name in ("env", "chance", "evaluator", "return"):
        del types[name]
    readers = {name: _READERS[type] for name, type in types.items()}
    return readers | {"seed": _arguments.integer, "num_threads": _arguments.positive_or_none}


class TreeSearch:
    """A search tree for every game of a batch; positions that need a value leave as one batch.

    >>> search = ludovec.TreeSearch(env, simulations=64)
    >>> search.start()
    >>> while True:
    ...     while n := search.select():
    ...         logits, values = network(search.observations[:n], search.action_mask_bits[:n])
    ...         search.expand(logits, values)
    ...     actions, targets = search.actions, search.policy
    ...     env.step(actions)
    ...     search.advance(actions)

    :meth:`run` is the inner loop in one call. ``network`` may be anything: logits and values are arrays of
    any library that NumPy can read, torch's tensors and JAX's arrays among them.

    What waits for a network, ``R`` rows at most, the first ``n`` of them in use; views that :meth:`select`
    overwrites (with two groups :meth:`expand` as well):

    ========================  =================  ========================================================
    attribute                 dtype, shape       content
    ========================  =================  ========================================================
    ``observations``          as the env's       what the seat to move in a leaf sees; ``obs="none"``: (R, 0)
    ``action_mask_bits``      uint64 [R, W]      its legal actions; read-only, as the next two
    ``current_player``        int32 [R]          the seat to move
    ``tree``                  int32 [R]          the game that the leaf belongs to, -1 for padding
    ``legal_offsets``         int64 [n + 1]      the legal actions of leaf ``i`` are
    ``legal_actions``         int32 [total]      ``legal_actions[legal_offsets[i]:legal_offsets[i + 1]]``
    ========================  =================  ========================================================

    What was found, once :meth:`select` has returned 0 (before that, an error). Games that are finished or
    were not started have action 0, no legal actions, and zeros. Dense arrays are made whenever they are asked
    for:

    ========================  =================  ========================================================
    attribute                 dtype, shape       content
    ========================  =================  ========================================================
    ``actions``               int32 [N]          the move to play
    ``policy``                float32 [N, A]     improved policy, the training target
    ``visits``                int32 [N, A]       how often an action was visited
    ``q``                     float32 [N, A]     its value for the seat to move, 0 where unvisited
    ``values``                float32 [N, P]     value of the position for every seat
    ``root_offsets``          int64 [N + 1]      the legal actions of game ``i`` are
    ``root_actions``          int32 [total]      ``root_actions[root_offsets[i]:root_offsets[i + 1]]``
    ``policy_legal``          float32 [total]    the same as above, for each of these
    ``visits_legal``          int32 [total]
    ``q_legal``               float32 [total]
    ``stats``                 dict               at any time: trees, simulations, nodes, mean_depth,
                                                 terminal_share, full (trees without room), bytes
    ========================  =================  ========================================================

    The batch decides the format of observations, and how many trees there are; games of a fleet are copied.
    Between :meth:`start` or :meth:`advance` and the end of a search the games must stay where they are. The
    same seed gives the same bytes for any number of threads.

    One thread at a time: a call while another is under way raises :class:`LudovecError`. Other Python threads
    run while trees are searched. Pickles and copies hold settings and the environment (pickles where it can
    be pickled), not the trees: call :meth:`start`.
    """

    def __init__(
        self,
        env: VectorEnv,
        simulations: int = 64,
        *,
        method: SearchMethod = "gumbel",
        considered: int = 16,
        gumbel_scale: float = 1.0,
        c_init: float = 1.25,
        c_base: float = 19652.0,
        dirichlet_alpha: float | None = None,
        dirichlet_fraction: float = 0.0,
        discount: float = 1.0,
        value: SearchValue = "seat",
        reuse: bool = False,
        leaves: int = 1,
        chance: Literal["sample"] = "sample",
        temperature: float = 1.0,
        temperature_moves: int = 0,
        groups: int = 1,
        pad: bool = False,
        max_nodes: int | None = None,
        max_depth: int | None = None,
        seed: int = 0,
        num_threads: int | None = None,
        evaluator: Evaluator | None = None,
    ) -> None:
        """Makes a tree for every game of ``env``; :meth:`start` roots them.

        Args:
            env: The games, of :func:`ludovec.make` or :func:`ludovec.attach`.
            simulations: Simulations of every move; the evaluation of the root is not one.
            method: ``"gumbel"`` (Gumbel AlphaZero: sequential halving at the root, completed Q values) or
                ``"puct"`` (AlphaZero).
            considered: Gumbel: how many actions the root considers at most.
            gumbel_scale: Gumbel: factor of the noise at the root; 0 for none.
            c_init, c_base: PUCT: exploration, and the visits from about which on it grows.
            dirichlet_alpha: PUCT: parameter of the noise at the root; ``None`` is 10 by the number of legal
                actions.
            dirichlet_fraction: PUCT: share of that noise in the priors of the root.
            discount: What a value is multiplied by for every step on the way up.
            value: What a network gives for a leaf: ``"seat"``, one value, of the seat to move (two seats,
                outcomes as rewards), or ``"seats"``, one a seat, first that of the seat to move, then those
                of the seats that follow it.
            reuse: Keep what was found below the action that was played.
            leaves: Leaves that a tree hands out at once; with virtual loss above 1.
            chance: ``"sample"``: the outcomes of an action are drawn as play draws them.
            temperature: PUCT: moves are drawn with probability proportional to
                ``visits ** (1 / temperature)`` ...
            temperature_moves: ... so many moves from the start of a game.
            groups: 2: one half of the trees descends while the leaves of the other half are at the network.
            pad: :meth:`select` always returns the same number of rows, which jitted networks want; the last
                of them are padding.
            max_nodes: Nodes of a tree at most; one that is full stops searching.
            max_depth: Actions in a row that a simulation plays at most.
            seed: Seed of all noise, and of the chance that simulations meet.
            num_threads: ``None`` uses all cores. Results never depend on it.
            evaluator: What answers for leaves when :meth:`run` is given no network: ``"playout"``,
                ``"estimate"`` (the game's own guess; both with outcomes as rewards) or ``"null"`` (uniform
                priors, value 0).

        Raises:
            InvalidConfig: Names the argument, its value and what is allowed.
        """
        given = dict(locals())
        if not isinstance(env, VectorEnv):
            raise config_error(f"env: a ludovec.VectorEnv is needed, {type(env).__name__} was given")
        if _arguments.word("chance", chance) != "sample":
            raise config_error(f"chance={chance!r}: one of sample is allowed")
        settings = {name: read(name, given[name]) for name, read in _readers().items()}
        if evaluator is not None:
            _arguments.word("evaluator", evaluator)
        self._core = _core.TreeSearch(env._core, settings, evaluator)
        #: The games.
        self.env = env
        #: The arguments, by name.
        self.settings: dict[str, Any] = {**settings, "chance": chance, "evaluator": evaluator}
        self._groups = [_Leaves(columns, env) for columns in self._core.buffers]
        self._group = 0
        self._waiting = 0
        self._legal: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None = None
        self._results: dict[str, Array] | None = None
        self._actions: npt.NDArray[np.int32] | None = None

    @classmethod
    def playouts(cls, env: VectorEnv, simulations: int = 64, **settings: Any) -> TreeSearch:
        """A search whose :meth:`run` needs no network: leaves are played out, for any number of seats.

        ``method`` chooses at the root, UCB1 below, among one action more than the root of a node's visits.
        """
        return cls(env, simulations, **{"evaluator": "playout", "value": "seats", **settings})

    # ---- searching ----

    def start(self, ids: Any = None) -> None:
        """Roots a tree at the present position of every game, or of the games ``ids`` (increasing).

        The other games then have nothing to search.
        """
        self._core.start(None if ids is None else _arguments.games(ids, self.env.num_envs))
        self._forget()

    def advance(self, actions: Any) -> None:
        """Roots the trees at the positions that ``actions`` [N] have just led to, in all games.

        With ``reuse`` what was found below them stays, where it was found for the position that came.
        """
        self._core.advance(_arguments.actions(actions, self.env.num_envs))
        self._forget()

    def select(self) -> int:
        """Descends every tree that still needs visits: how many rows wait for :meth:`expand`, 0 when done.

        Called again before :meth:`expand` it returns the same leaves.
        """
        self._waiting, self._group = self._core.select()
        self._legal = None
        return self._waiting

    def expand(self, logits: Any, values: Any) -> None:
        """Takes in what a network says about the ``n`` leaves that wait.

        float32 arrays in C order are read where they lie; others are converted. When they are refused the
        leaves wait on.

        Args:
            logits: ``[n, A]``; those of illegal actions are ignored, ``None`` is the same for all actions.
            values: ``[n]``, with ``value="seats"`` ``[n, P]``, first that of the seat to move.
        """
        shape = (self._waiting, self.env.game_spec.num_actions)
        self._core.expand(
            None if logits is None else self._floats("logits", logits, shape), self._values(values)
        )
        self._expanded()

    def expand_legal(self, logits: Any, values: Any) -> None:
        """:meth:`expand` with one logit a legal action, ``[total]``, as :attr:`legal_actions` lists them."""
        shape = (len(self.legal_actions),)
        self._core.expand_legal(self._floats("logits", logits, shape), self._values(values))
        self._expanded()

    def run(self, network: Network | None = None) -> npt.NDArray[np.int32]:
        """Searches to the end and returns :attr:`actions`.

        ``network(observations, action_mask_bits)`` returns logits and values as :meth:`expand` takes them; it
        is called until the search is done, with ``pad`` always with the same number of rows. Without a
        network the ``evaluator`` answers; Ctrl-C ends that, and the next :meth:`run` goes on.
        """
        if network is None:
            self._core.run()
            self._expanded()
        else:
            while n := self.select():
                leaves = self._groups[self._group]
                self.expand(*answered(network, leaves.observations[:n], leaves.action_mask_bits[:n]))
        return self.actions

    # ---- leaves ----

    @property
    def observations(self) -> Array:
        """What the seat to move in a leaf sees, ``[R, ...]``."""
        return self._groups[self._group].observations

    @property
    def action_mask_bits(self) -> npt.NDArray[np.uint64]:
        """uint64 [R, W]: the legal actions of every leaf as bits."""
        return self._groups[self._group].action_mask_bits

    @property
    def current_player(self) -> npt.NDArray[np.int32]:
        """int32 [R]: the seat to move."""
        return self._groups[self._group].current_player

    @property
    def tree(self) -> npt.NDArray[np.int32]:
        """int32 [R]: the game that the leaf belongs to, -1 for padding."""
        return self._groups[self._group].tree

    @property
    def legal_offsets(self) -> npt.NDArray[np.int64]:
        """int64 [n + 1]: where the legal actions of every leaf that waits begin."""
        return self._legal_actions()[0]

    @property
    def legal_actions(self) -> npt.NDArray[np.int32]:
        """int32 [total]: the legal actions of all leaves that wait, one leaf after the other."""
        return self._legal_actions()[1]

    # ---- results ----

    @property
    def actions(self) -> npt.NDArray[np.int32]:
        """int32 [N]: the move to play."""
        if self._actions is None:
            self._actions = self._core.actions()
        return self._actions

    @property
    def policy(self) -> npt.NDArray[np.float32]:
        """float32 [N, A]: the improved policy, the training target."""
        return self._dense("policy")

    @property
    def visits(self) -> npt.NDArray[np.int32]:
        """int32 [N, A]: how often every action was visited."""
        return self._dense("visits")

    @property
    def q(self) -> npt.NDArray[np.float32]:
        """float32 [N, A]: the value of every action for the seat to move."""
        return self._dense("q")

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """float32 [N, P]: the value of the position for every seat."""
        return self._found("values").reshape(self.env.num_envs, -1)

    @property
    def root_offsets(self) -> npt.NDArray[np.int64]:
        """int64 [N + 1]: where the legal actions of every game begin."""
        return self._found("root_offsets")

    @property
    def root_actions(self) -> npt.NDArray[np.int32]:
        """int32 [total]: the legal actions of all games, one game after the other."""
        return self._found("root_actions")

    @property
    def policy_legal(self) -> npt.NDArray[np.float32]:
        """float32 [total]: the improved policy."""
        return self._found("policy")

    @property
    def visits_legal(self) -> npt.NDArray[np.int32]:
        """int32 [total]: how often every legal action was visited."""
        return self._found("visits")

    @property
    def q_legal(self) -> npt.NDArray[np.float32]:
        """float32 [total]: the value of every legal action for the seat to move."""
        return self._found("q")

    @property
    def stats(self) -> dict[str, int | float]:
        """What was done since the search was made, and the bytes of the trees."""
        stats: dict[str, int | float] = json.loads(self._core.stats())
        return stats

    def tree_json(self, game: int, depth: int = 2) -> dict[str, Any] | None:
        """The tree of a game down to ``depth`` actions: visits, values, priors, actions in words.

        ``None`` for a game that has nothing to search.
        """
        game = _arguments.game(game, self.env.num_envs)
        tree: dict[str, Any] | None = json.loads(self._core.tree_json(game, _arguments.count("depth", depth)))
        return tree

    def tree_svg(self, game: int, depth: int = 2, most: int = 6) -> str:
        """A drawing of :meth:`tree_json` as an SVG document.

        Of every position the ``most`` most visited actions are shown; lines are as wide as they were visited.
        """
        title = f"Search tree of game {game} ({self.env.game_spec.name})"
        return tree_svg(self.tree_json(game, depth), title, _arguments.positive("most", most))

    # ---- inside ----

    def __reduce__(self) -> Any:
        return partial(type(self), **self.settings), (self.env,)

    def __repr__(self) -> str:
        told = " ".join(f"{name}={self.settings[name]}" for name in ("simulations", "method"))
        return f"<ludovec.TreeSearch {self.env.game_spec.env} trees={self.env.num_envs} {told}>"

    def _forget(self) -> None:
        """The roots are others: nothing waits, nothing was found."""
        self._waiting, self._group = 0, 0
        self._legal = self._results = self._actions = None

    def _expanded(self) -> None:
        self._waiting, self._legal = 0, None

    def _legal_actions(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        if self._legal is None:
            self._legal = self._core.legal()
        return self._legal

    def _values(self, values: Any) -> npt.NDArray[np.float32]:
        seats = () if self.settings["value"] == "seat" else (self.env.game_spec.players,)
        return self._floats("values", values, (self._waiting, *seats))

    def _floats(self, name: str, values: Any, shape: tuple[int, ...]) -> npt.NDArray[np.float32]:
        # That nothing waits is what the engine says.
        return _arguments.floats(name, values, shape) if self._waiting else np.empty(0, np.float32)

    def _found(self, name: str) -> Array:
        if self._results is None:
            self._results = self._core.results()
        return self._results[name]

    def _dense(self, name: str) -> Array:
        legal = self._found(name)
        dense = np.zeros((self.env.num_envs, self.env.game_spec.num_actions), legal.dtype)
        offsets = self.root_offsets
        dense[np.repeat(np.arange(self.env.num_envs), np.diff(offsets)), self.root_actions] = legal
        return dense


class _Leaves:
    """Columns of a group of trees by their public names."""

    def __init__(self, columns: dict[str, Array], env: VectorEnv) -> None:
        self.action_mask_bits: npt.NDArray[np.uint64] = columns["mask_bits"]
        self.current_player: npt.NDArray[np.int32] = columns["current_player"][:, 0]
        self.tree: npt.NDArray[np.int32] = columns["tree"][:, 0]
        observations = columns.get("observations_f32", columns.get("observations"))
        if observations is None:
            observations = np.empty((len(self.tree), 0), dtype=env.observations.dtype)
        #: As the env shows its own.
        self.observations: Array = observations.reshape(len(self.tree), *env.observations.shape[1:])
