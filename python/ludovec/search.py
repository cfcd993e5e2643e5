"""Batched tree search: one tree per game, the leaves of all trees evaluated in one network call."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core, networks
from ._shared import checks
from ._shared.buffers import leaf_buffers
from ._shared.errors import config_error
from .envs.vector import VectorEnv
from .game.tree_svg import tree_svg
from .networks import CHAMPION, answered
from .players import FunctionPlayer

if TYPE_CHECKING:
    from .typing import Evaluator, Rewards, SearchMethod, SearchValue

Array = npt.NDArray[Any]
#: ``network(observations, action_mask_bits) -> (logits, values)``
Network = Callable[[Array, npt.NDArray[np.uint64]], tuple[Any, Any]]


#: The settings of ``evaluator="rollouts"``.
_ROLLOUTS = ("rollouts", "rollout_plies", "rollout_network")
#: Readers of settings, by type in the signature of :class:`TreeSearch`.
_READERS: dict[str, Callable[[str, Any], Any]] = {
    "int": checks.count,
    "int | None": checks.count_or_none,
    "float": checks.number,
    "float | None": checks.number_or_none,
    "bool": checks.switch,
    "SearchMethod": checks.word,
    "SearchValue": checks.word,
    "Rewards | None": checks.word_or_none,
}


@cache
def _readers() -> dict[str, Callable[[str, Any], Any]]:
    """The reader of each setting of a search, from the signature of :class:`TreeSearch`."""
    types = dict(TreeSearch.__init__.__annotations__)
    for name in ("env", "evaluator", *_ROLLOUTS, "out", "return"):
        del types[name]
    readers = {name: _READERS[type] for name, type in types.items()}
    return readers | {
        "seed": checks.integer_or_none,
        "num_threads": lambda _, value: checks.threads(value),
    }


class TreeSearch:
    """Batched tree search: one tree per game of a batch, all leaves evaluated in one network call.

    >>> search = ludovec.TreeSearch(env, simulations=64)
    >>> search.start()
    >>> while True:
    ...     while n := search.select():
    ...         leaves = search.observations[:n], search.action_mask_bits[:n]
    ...         logits, values = network(*leaves)
    ...         search.expand(logits, values)
    ...     actions, targets = search.actions, search.policy
    ...     env.step(actions)
    ...     search.advance(actions)

    :meth:`run` is the inner loop in one call. ``network`` may be any function: logits and values are arrays
    of any library that NumPy can read, including torch tensors and JAX arrays.

    Leaves that wait for the network: at most ``R`` rows, the first ``n`` of them in use. These are views that
    :meth:`select` overwrites (with two groups, :meth:`expand` too):

    ========================  =================  ========================================================
    attribute                 dtype, shape       content
    ========================  =================  ========================================================
    ``observations``          as the env's       of the current player in a leaf; ``obs="none"``: (R, 0)
    ``action_mask_bits``      uint64 [R, W]      legal actions; read-only like the next two
    ``current_player``        int32 [R]          the current player
    ``tree``                  int32 [R]          game of the leaf, -1 for padding
    ``legal_offsets``         int64 [n + 1]      the legal actions of leaf ``i`` are
    ``legal_actions``         int32 [total]      ``legal_actions[legal_offsets[i]:legal_offsets[i + 1]]``
    ========================  =================  ========================================================

    Results, available once :meth:`select` has returned 0 (before that, an error). Games that are finished or
    were not started have action 0, no legal actions, and zeros. Dense arrays are built on every access:

    ========================  =================  ========================================================
    attribute                 dtype, shape       content
    ========================  =================  ========================================================
    ``actions``               int32 [N]          the selected action
    ``policy``                float32 [N, A]     improved policy, the training target
    ``visits``                int32 [N, A]       visits of each action
    ``q``                     float32 [N, A]     value for the current player, exact if proven, 0 if unvisited
    ``proven``                int8 [N, A]        1 if no action is better, -1 for the worst possible action
                                                 and where another one is at least as good, 0 if open
    ``values``                float32 [N, P]     value of the position for each player: of its best action
    ``mean_values``           float32 [N, P]     mean value over all simulations
    ``root_offsets``          int64 [N + 1]      the legal actions of game ``i`` are
    ``root_actions``          int32 [total]      ``root_actions[root_offsets[i]:root_offsets[i + 1]]``
    ``policy_legal``          float32 [total]    as above, for each of these
    ``visits_legal``          int32 [total]
    ``q_legal``               float32 [total]
    ``proven_legal``          int8 [total]
    ``stats``                 dict               available any time: trees, simulations, nodes, mean_depth,
                                                 terminal_share, full (trees at max_nodes), proven (trees that
                                                 stopped because the value of their root is proven), bytes
    ========================  =================  ========================================================

    The batch sets the observation format and the number of trees; games of a fleet are copied. Do not step
    the games between :meth:`start` or :meth:`advance` and the end of a search. Equal seeds give equal bytes
    for any number of threads.

    One thread at a time: a call during another call raises :class:`LudovecError`. The engine releases the GIL
    while it searches. Pickles and copies hold the settings and the environment (pickles only if it can be
    pickled), not the trees: call :meth:`start` on them.
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
        reward: Rewards | None = None,
        proofs: bool = True,
        one_ply: bool = False,
        reuse: bool = False,
        leaves: int = 1,
        temperature: float = 1.0,
        temperature_moves: int = 0,
        groups: int = 1,
        pad: bool = False,
        max_nodes: int | None = None,
        max_depth: int | None = None,
        seed: int | None = None,
        num_threads: int | None = None,
        evaluator: Evaluator | None = None,
        rollouts: int = 8,
        rollout_plies: int | None = None,
        rollout_network: str | Path = CHAMPION,
        out: Mapping[str, Any] | None = None,
    ) -> None:
        """Makes a tree for every game of ``env``; :meth:`start` sets the roots.

        Args:
            env: The games, from :func:`ludovec.make` or :func:`ludovec.attach`.
            simulations: Simulations per move; the evaluation of the root does not count.
            method: ``"gumbel"`` (Gumbel AlphaZero: sequential halving at the root, completed Q values) or
                ``"puct"`` (AlphaZero). PUCT has no root noise and no temperature by default: self-play needs
                ``dirichlet_fraction`` (0.25) and ``temperature_moves`` (30), or it repeats one game.
            considered: Gumbel: maximum number of actions considered at the root.
            gumbel_scale: Gumbel: factor of the root noise; 0 for none.
            c_init, c_base: PUCT: exploration constant, and the visit count at which it starts to grow.
            dirichlet_alpha: PUCT: parameter of the root noise; ``None`` is 10 divided by the number of
                legal actions.
            dirichlet_fraction: PUCT: share of the noise in the priors of the root.
            discount: Discount per step in the backup.
            value: Values of the network: ``"seat"``, one for the current player (two-player games with
                outcomes as rewards), or ``"seats"``, one per player, the current player's first, then in turn
                order.
            reward: Rewards that the search adds to the values of the network; ``None``: the rewards of the
                environment. With another mode than the environment's the search ignores ``max_steps``.
            proofs: Back up ends of games as bounds: a proven win is played, the shortest one first, a proven
                loss is never chosen while there is another action, and a proven tree stops. Without effect
                in games with hidden information and where :meth:`add_reward` is called.
            one_ply: With ``proofs``: try the actions of the root by the rules before the search, and the
                actions of each leaf before the network evaluates it, so that ends one action away are known.
                ``net:`` and ``search:`` players do this.
            reuse: Keep the subtree of the played action.
            leaves: Leaves per tree in one evaluation; above 1, virtual loss is used.
            temperature: PUCT: actions are sampled with probability proportional to
                ``visits ** (1 / temperature)`` ...
            temperature_moves: ... for this many moves from the start of a game.
            groups: 2: half of the trees descends while the network evaluates the leaves of the other half.
            pad: :meth:`select` always returns the same number of rows, the last ones as padding, for jitted
                networks.
            max_nodes: Maximum number of nodes of a tree; a full tree stops searching.
            max_depth: Maximum number of actions in one simulation.
            seed: Seed of all noise and of the chance outcomes in simulations. ``None`` uses the seed of each
                game, :meth:`VectorEnv.seeds`; :attr:`seed` shows it.
            num_threads: ``None`` uses all cores. Results do not depend on it.
            evaluator: Leaf evaluator when :meth:`run` gets no network: ``"playout"``,
                ``"estimate"`` (the game's heuristic; both with outcomes as rewards), ``"rollouts"`` (games
                that the policy of a network plays on from a leaf: their mean reward is its value, the policy
                its priors) or ``"null"`` (uniform priors, value 0).
            rollouts: ``"rollouts"``: games from each leaf, 1 to 10,000, played side by side. The k-th games
                of all leaves have the same chance and the same noise of the policy's choices (common random
                numbers), so that differences of actions lose the noise that they share.
            rollout_plies: Decisions of a rollout, after which the network's value counts; ``None``: rollouts
                are played to the end.
            rollout_network: File of the network, or ``"champion"``.
            out: Your own arrays for the rows of leaves, as for :func:`ludovec.make`: ``observations``, in
                which the engine writes, and ``action_mask_bits``, to which they are copied. Pinned memory
                makes copies to a GPU asynchronous. With two groups: lists of two arrays.

        Raises:
            InvalidConfig: The message names the argument, its value and the allowed values.
        """
        given = dict(locals())
        if not isinstance(env, VectorEnv):
            raise config_error(f"env: a ludovec.VectorEnv is needed, {type(env).__name__} was given")
        settings = {name: read(name, given[name]) for name, read in _readers().items()}
        if evaluator is not None:
            checks.word("evaluator", evaluator)
        groups = min(settings["groups"], env.num_envs)
        places = {} if out is None else leaf_buffers(out, groups)
        column = "observations_f32" if env.observations.dtype == np.float32 else "observations"
        rows = {f"{column} {group}": array for group, array in enumerate(places.get("observations", ()))}
        policy, of_rollouts = None, {name: given[name] for name in _ROLLOUTS}
        if evaluator == "rollouts":
            network = networks.Network(rollout_network, env, num_threads=settings["num_threads"])
            self._check_rewards(network, settings["reward"] or env.game_spec.options["reward"])
            count = checks.count("rollouts", rollouts)
            policy = network._core, count, checks.count_or_none("rollout_plies", rollout_plies)
        self._core = _core.TreeSearch(env._core, settings, evaluator, policy, rows or None)
        #: The games.
        self.env = env
        #: The arguments, by name.
        self.settings: dict[str, Any] = {**settings, **of_rollouts, "evaluator": evaluator}
        bits = places.get("action_mask_bits", [None] * groups)
        self._groups = [_Leaves(columns, env, shown) for columns, shown in zip(self._core.buffers, bits)]
        self._group = 0
        self._waiting = 0
        self._legal: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]] | None = None
        self._results: dict[str, Array] | None = None
        self._actions: npt.NDArray[np.int32] | None = None
        #: Whether compiled programs of JAX move the trees, too.
        self._shared = False

    @classmethod
    def playouts(cls, env: VectorEnv, simulations: int = 64, **settings: Any) -> TreeSearch:
        """A search that evaluates leaves by playouts, for any number of players, without a network.

        ``method`` selects at the root. Below it, UCB1 with progressive widening selects among
        ``1 + sqrt(visits)`` actions of a node.
        """
        return cls(env, simulations, **{"evaluator": "playout", "value": "seats", **settings})

    @property
    def seed(self) -> int | None:
        """The seed: the given one or, without one, that of the environment; ``None`` if its games have
        different ones."""
        given: int | None = self.settings["seed"]
        return self.env.seed if given is None else given

    # ---- searching ----

    def start(self, ids: Any = None) -> None:
        """Sets the root of every game, or of the games ``ids`` (increasing), to its current position.

        The other games have no search until the next call.
        """
        self._core.start(None if ids is None else checks.games(ids, self.env.num_envs))
        self._forget()

    def follow(self, ids: Any = None) -> None:
        """:meth:`start` for players: a tree that has met the position of its game keeps the part below it.

        The position may be any number of decisions after the old root, of any player. The trees of the
        other games rest: they have no search until the next call, and keep all their nodes. With hidden
        information a tree belongs to one player and begins afresh for another one. Needs no ``reuse``.
        """
        self._core.follow(None if ids is None else checks.games(ids, self.env.num_envs))
        self._forget()

    def advance(self, actions: Any) -> None:
        """Moves the roots to the positions after ``actions`` [N], which the games have just played.

        With ``reuse``, the subtree of the action is kept if it belongs to the position that occurred.
        """
        self._core.advance(checks.actions(actions, self.env.num_envs))
        self._forget()

    def select(self) -> int:
        """Descends all trees that need visits; returns the number of rows for :meth:`expand`, 0 when done.

        A second call before :meth:`expand` returns the same leaves.
        """
        self._waiting, self._group = self._core.select()
        self._legal = None
        self._groups[self._group].show(self._waiting)
        return self._waiting

    def add_reward(self, extra: Any) -> None:
        """Adds ``extra`` float32 ``[n, P]``, by player, to the rewards of the steps that reached the ``n``
        leaves: reward shaping inside the tree, between :meth:`select` and :meth:`expand`.

        All simulations through these steps earn it, as if the rules paid it. The row of a root has no effect,
        because no step led there. A step that ends a game has no leaf and earns what the rules pay. A
        potential is therefore added to the values instead: along a path its differences add up to the
        potential of the leaf minus that of the root.
        """
        shape = (self._waiting, self.env.game_spec.players)
        self._core.add_reward(self._floats("extra", extra, shape))

    def expand(self, logits: Any, values: Any) -> None:
        """Expands the ``n`` leaves with the answer of a network.

        float32 arrays in C order are read without a copy; others are converted. After an error the same
        leaves still wait.

        Args:
            logits: ``[n, A]``, ignored for illegal actions; ``None`` means equal logits.
            values: ``[n]``; with ``value="seats"`` ``[n, P]``, the current player's first.
        """
        shape = (self._waiting, self.env.game_spec.num_actions)
        self._core.expand(
            None if logits is None else self._floats("logits", logits, shape), self._values(values)
        )
        self._expanded()

    def expand_legal(self, logits: Any, values: Any) -> None:
        """:meth:`expand` with one logit per legal action: ``[total]``, ordered as :attr:`legal_actions`."""
        shape = (len(self.legal_actions),)
        self._core.expand_legal(self._floats("logits", logits, shape), self._values(values))
        self._expanded()

    def run(
        self,
        network: Network | None = None,
        *,
        legal: bool = False,
        shaping: Callable[[TreeSearch, int], Any] | None = None,
    ) -> npt.NDArray[np.int32]:
        """Searches to the end and returns :attr:`actions`.

        ``network(observations, action_mask_bits)`` returns logits and values as for :meth:`expand`. A
        :func:`ludovec.player` gets what it takes instead. It is called until the search is done; with ``pad``
        the number of rows is constant. Without a network, the ``evaluator`` evaluates leaves; Ctrl-C
        interrupts that, and the next :meth:`run` resumes.

        With ``legal``, ``network(observations, action_mask_bits, legal_offsets, legal_actions)`` returns the
        logits of the legal actions only, as for :meth:`expand_legal`: it gathers them on its device, and
        thousands of logits of a row need not leave it.

        ``shaping(search, n)`` returns rewards for the ``n`` leaves that wait, as for :meth:`add_reward`.

        Raises:
            InvalidConfig: The network has an attribute ``reward``, as :class:`ludovec.Network` has, and the
                search adds up other rewards.
        """
        if network is None:
            if shaping is not None:
                raise config_error("shaping: a network is needed, evaluators add rewards of the rules only")
            self._core.run()
            self._expanded()
        else:
            if isinstance(network, FunctionPlayer):
                network = network.evaluator(self.env.game_spec)
            self._check_rewards(network, self.settings["reward"] or self.env.game_spec.options["reward"])
            expand = self.expand_legal if checks.switch("legal", legal) else self.expand
            while n := self.select():
                leaves = self._groups[self._group]
                more = self._legal_actions() if legal else ()
                if shaping is not None:
                    self.add_reward(shaping(self, n))
                expand(*answered(network, leaves.observations[:n], leaves.action_mask_bits[:n], *more))
        return self.actions

    # ---- leaves ----

    @property
    def observations(self) -> Array:
        """Observations of the current player in each leaf, ``[R, ...]``."""
        return self._groups[self._group].observations

    @property
    def action_mask_bits(self) -> npt.NDArray[np.uint64]:
        """uint64 [R, W]: legal actions of each leaf as bits."""
        return self._groups[self._group].action_mask_bits

    @property
    def current_player(self) -> npt.NDArray[np.int32]:
        """int32 [R]: the current player in each leaf."""
        return self._groups[self._group].current_player

    @property
    def tree(self) -> npt.NDArray[np.int32]:
        """int32 [R]: the game of each leaf, -1 for padding."""
        return self._groups[self._group].tree

    @property
    def legal_offsets(self) -> npt.NDArray[np.int64]:
        """int64 [n + 1]: offset of the legal actions of each leaf."""
        return self._legal_actions()[0]

    @property
    def legal_actions(self) -> npt.NDArray[np.int32]:
        """int32 [total]: legal actions of all leaves, leaf by leaf."""
        return self._legal_actions()[1]

    # ---- results ----

    @property
    def actions(self) -> npt.NDArray[np.int32]:
        """int32 [N]: the selected action of each game."""
        if self._actions is None or self._shared:
            self._actions = self._core.actions()
        return self._actions

    @property
    def policy(self) -> npt.NDArray[np.float32]:
        """float32 [N, A]: the improved policy, the training target."""
        return self._dense("policy")

    @property
    def visits(self) -> npt.NDArray[np.int32]:
        """int32 [N, A]: visits of each action."""
        return self._dense("visits")

    @property
    def q(self) -> npt.NDArray[np.float32]:
        """float32 [N, A]: value of each action for the current player."""
        return self._dense("q")

    @property
    def proven(self) -> npt.NDArray[np.int8]:
        """int8 [N, A]: 1 for proven best actions, -1 for proven bad ones, 0 for open ones."""
        return self._dense("proven")

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """float32 [N, P]: value of the position for each player, the value of its best action."""
        return self._found("values").reshape(self.env.num_envs, -1)

    @property
    def mean_values(self) -> npt.NDArray[np.float32]:
        """float32 [N, P]: mean value of the position over all simulations for each player."""
        return self._found("mean_values").reshape(self.env.num_envs, -1)

    @property
    def root_offsets(self) -> npt.NDArray[np.int64]:
        """int64 [N + 1]: offset of the legal actions of each game."""
        return self._found("root_offsets")

    @property
    def root_actions(self) -> npt.NDArray[np.int32]:
        """int32 [total]: legal actions of all games, game by game."""
        return self._found("root_actions")

    @property
    def policy_legal(self) -> npt.NDArray[np.float32]:
        """float32 [total]: improved policy of each legal action."""
        return self._found("policy")

    @property
    def visits_legal(self) -> npt.NDArray[np.int32]:
        """int32 [total]: visits of each legal action."""
        return self._found("visits")

    @property
    def q_legal(self) -> npt.NDArray[np.float32]:
        """float32 [total]: value of each legal action for the current player."""
        return self._found("q")

    @property
    def proven_legal(self) -> npt.NDArray[np.int8]:
        """int8 [total]: what is proven of each legal action."""
        return self._found("proven")

    @property
    def stats(self) -> dict[str, int | float]:
        """Statistics since the search was made, and the size of the trees in bytes."""
        stats: dict[str, int | float] = json.loads(self._core.stats())
        return stats

    def tree_json(self, game: int, depth: int = 2) -> dict[str, Any] | None:
        """The tree of a game down to ``depth`` actions: visits, values, priors, action texts.

        ``None`` if the game has no search.
        """
        game = checks.game(game, self.env.num_envs)
        tree: dict[str, Any] | None = json.loads(self._core.tree_json(game, checks.count("depth", depth)))
        return tree

    def tree_svg(self, game: int, depth: int = 2, most: int = 6, boards: bool = True) -> str:
        """Draws :meth:`tree_json` as an SVG document.

        Shows the ``most`` most visited actions of each position. Line width is proportional to visits. The
        chosen action and the line that the search expects after it are green. With ``boards``, the root, its
        actions and that line have small boards, as the current player sees them.
        """
        title = f"Search tree of game {game} ({self.env.game_spec.name})"
        tree, most = self.tree_json(game, depth), checks.positive("most", most)
        try:
            chosen = int(self.actions[game])
        except _core.LudovecError:
            # An unfinished search has chosen nothing: the most visited action is the best so far.
            chosen = -1
        boards = checks.switch("boards", boards)
        return tree_svg(tree, title, most, chosen, self.env.game(game), boards)

    # ---- internal ----

    def __reduce__(self) -> Any:
        return partial(type(self), **self.settings), (self.env,)

    def __repr__(self) -> str:
        shown = {**self.settings, "seed": self.seed}
        told = " ".join(f"{name}={shown[name]}" for name in ("simulations", "method", "seed"))
        return f"<ludovec.TreeSearch {self.env.game_spec.env} trees={self.env.num_envs} {told}>"

    @staticmethod
    def _check_rewards(network: Any, added: str) -> None:
        """Refuses a network with values in other rewards: their sums would mean nothing."""
        predicted = getattr(network, "reward", None)
        if isinstance(predicted, str) and predicted != added:
            raise config_error(
                f"network: its values predict reward={predicted}, the search adds up reward={added}; "
                f'TreeSearch(..., reward="{predicted}") adds up what the network predicts'
            )

    def _share(self) -> int:
        """Makes the search known to compiled programs of JAX, and keeps no results from now on."""
        self._shared = True
        return self._core.register_for_xla()

    def _forget(self) -> None:
        """New roots: no leaves wait, no results exist."""
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
        # If no leaves wait, the engine raises the error.
        return checks.floats(name, values, shape) if self._waiting else np.empty(0, np.float32)

    def _found(self, name: str) -> Array:
        if self._results is None or self._shared:
            self._results = self._core.results()
        return self._results[name]

    def _dense(self, name: str) -> Array:
        legal = self._found(name)
        dense = np.zeros((self.env.num_envs, self.env.game_spec.num_actions), legal.dtype)
        offsets = self.root_offsets
        dense[np.repeat(np.arange(self.env.num_envs), np.diff(offsets)), self.root_actions] = legal
        return dense


class _Leaves:
    """Columns of a group of trees under their public names."""

    def __init__(self, columns: dict[str, Array], env: VectorEnv, shown: Array | None) -> None:
        self.action_mask_bits: npt.NDArray[np.uint64] = columns["mask_bits"]
        #: The engine's bits, if they are copied to the caller's memory.
        self._bits: npt.NDArray[np.uint64] | None = None
        if shown is not None:
            wanted = self.action_mask_bits
            if shown.shape != wanted.shape or shown.dtype != wanted.dtype or not shown.flags.writeable:
                raise config_error(
                    f"out['action_mask_bits']: writeable uint64 {list(wanted.shape)} is needed, "
                    f"{shown.dtype} {list(shown.shape)} was given"
                )
            self._bits, self.action_mask_bits = wanted, shown
        self.current_player: npt.NDArray[np.int32] = columns["current_player"][:, 0]
        self.tree: npt.NDArray[np.int32] = columns["tree"][:, 0]
        observations = columns.get("observations_f32", columns.get("observations"))
        if observations is None:
            observations = np.empty((len(self.tree), 0), dtype=env.observations.dtype)
        #: In the shape of the env's observations.
        self.observations: Array = observations.reshape(len(self.tree), *env.observations.shape[1:])

    def show(self, rows: int) -> None:
        """Copies the mask bits of the waiting leaves to the caller's memory."""
        if self._bits is not None:
            self.action_mask_bits[:rows] = self._bits[:rows]
