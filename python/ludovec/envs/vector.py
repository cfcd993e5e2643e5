"""A batch of games of one environment, stepped together.

One class with all methods of a batch: most are a docstring and one call of the engine, so the file is long.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import LudovecError, show_rows
from .._shared import checks, errors
from .._shared.errors import config_error
from ..game.game import Game, drawing_options
from ..game.openings import Openings
from ..game.positions import (
    PositionLike,
    openings_of_starts,
    position_like,
    positions_of,
    scratch,
    seeds_of,
)
from ..spec import Spec
from .packed import unpack_bits
from .spaces import action_space, batched, observation_space
from .step_infos import BYTES_ARE_MADE, BitInfo, deep_copy
from .wrapper_warning import warn_of_wrappers

Array = npt.NDArray[Any]

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete, MultiDiscrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as _GymnasiumVectorEnv
    from typing_extensions import Self

    from ..typing import Info, ResetOptions, Theme

    _Base = _GymnasiumVectorEnv[Array, Array, Array]
else:
    try:
        from gymnasium.vector import AutoresetMode
        from gymnasium.vector import VectorEnv as _Base
    except ImportError:
        AutoresetMode = None
        _Base = object

_INT32 = np.dtype(np.int32)

#: Indices of the games that ended, in increasing order.
Ended = npt.NDArray[np.int64] | None
Floats: TypeAlias = npt.NDArray[np.float32]
Flags: TypeAlias = npt.NDArray[np.bool_]
StepResult: TypeAlias = "tuple[Array, Floats, Flags, Flags, Info]"


class _HasArray(Protocol):
    """An array of NumPy or of a library that converts to it, such as a tensor."""

    def __array__(self) -> Array: ...


#: Games of a batch: an index, several, or an array of indices or of one bool per game.
GameIds: TypeAlias = "int | np.integer[Any] | Sequence[int | np.integer[Any]] | _HasArray"

RenderMode = Literal["ansi", "human", "rgb_array"]

#: Render modes, and frames per second for videos.
RENDERING: dict[str, Any] = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}

#: Engine column -> public name, dtype of the view, and whether a row is one element.
_VIEWS = {
    "mask_bytes": ("action_mask", np.int8, False),
    "final_mask_bytes": ("final_action_mask", np.int8, False),
    "mask_bits": ("action_mask_bits", None, False),
    # The copy of the bits in the caller's memory, which is shown in their place.
    "mask_bits_shown": ("action_mask_bits", None, False),
    "final_mask_bits": ("final_action_mask_bits", None, False),
    "reward": ("reward", None, True),
    "credit_of_mover": ("credit_of_mover", None, True),
    "terminated": ("terminated", np.bool_, True),
    "truncated": ("truncated", np.bool_, True),
    "done": ("done", np.bool_, True),
    "current_player": ("current_player", None, True),
    "acting_player": ("acting_player", None, True),
    "episode_length": ("episode_length", None, True),
    "final_player": ("final_player", None, True),
}


class Batch:
    """The common part of environments of several games: columns, copies, drawings."""

    num_envs: int
    render_mode: str | None
    returns_copies: bool

    observations: Array
    action_mask: npt.NDArray[np.int8]
    legal_action_mask: npt.NDArray[np.bool_]
    action_mask_bits: npt.NDArray[np.uint64]
    current_player: npt.NDArray[np.int32]
    acting_player: npt.NDArray[np.int32]
    rewards: npt.NDArray[np.float32]
    credit: npt.NDArray[np.float32]
    credit_of_mover: npt.NDArray[np.float32]
    reward: npt.NDArray[np.float32]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    done: npt.NDArray[np.bool_]
    episode_length: npt.NDArray[np.int32]
    final_scores: npt.NDArray[np.float32]
    final_returns: npt.NDArray[np.float32]
    final_observations: Array
    final_action_mask: npt.NDArray[np.int8]
    final_action_mask_bits: npt.NDArray[np.uint64]
    final_player: npt.NDArray[np.int32]
    observation_fields: dict[str, Array]
    columns: dict[str, Array]

    @property
    def _shown(self) -> VectorEnv:
        """The games that the columns are about."""
        raise NotImplementedError

    if not TYPE_CHECKING:
        # Type checkers would take every attribute for known.
        def __getattr__(self, name: str) -> Any:
            # Called for missing names only: columns are attributes of the games that they are about.
            if name in Batch.__annotations__ and self._shown is not self:
                return getattr(self._shown, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> list[str]:
        declared = (getattr(kind, "__annotations__", ()) for kind in type(self).__mro__)
        return sorted({*super().__dir__(), *itertools.chain(*declared)})

    def game(self, id: int) -> Game:
        """A copy of one game as a :class:`Game`."""
        raise NotImplementedError

    def __deepcopy__(self, memo: Any) -> Self:
        reduced: Any = self.__reduce__()
        twin: Self = reduced[0](*reduced[1])
        return twin

    def __copy__(self) -> Self:
        return self.__deepcopy__(None)

    def copy(self) -> Self:
        """An independent environment with the same games, which continues identically, as ``copy.copy``."""
        return self.__deepcopy__(None)

    def to_svg(self, ids: GameIds | None = None, columns: int | None = None, theme: Theme = "light") -> str:
        """The boards of games side by side as one SVG document; by default the first 16, in a square.

        The caption of each board is its index and the current player or the winner. ``theme`` is ``"light"``
        or ``"dark"``.
        """
        chosen = checks.games(range(min(16, self.num_envs)) if ids is None else ids, self.num_envs)
        games = [(id, self.game(id)._core) for id in chosen.tolist()]
        square = math.ceil(math.sqrt(len(games)))
        across = square if columns is None else checks.positive("columns", columns)
        look = drawing_options(theme, None, board_only=True)
        return _core.grid(games, max(1, min(across, len(games))), look)

    def to_png(self, ids: GameIds | None = None, columns: int | None = None, theme: Theme = "light") -> bytes:
        """The drawing of :meth:`to_svg` as a PNG file."""
        return _core.png(self.to_svg(ids, columns, theme))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def sample_actions(self) -> npt.NDArray[np.int32]:
        """int32 [N]: one legal action per game, sampled uniformly by the engine; 0 in finished games."""
        return self._shown._core.sample_actions()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool [N, A]: legal actions under the name that sb3-contrib calls; a copy with ``mask="bits"``."""
        shown = self._shown
        if "mask_bytes" in shown.columns:
            return shown.legal_action_mask.copy() if self.returns_copies else shown.legal_action_mask
        return unpack_bits(shown.action_mask_bits, shown.game_spec.num_actions)

    def state_columns(self) -> dict[str, npt.NDArray[Any]]:
        """The true state by name, hidden parts included: ``tokens`` ``[num_envs, 48]`` for one.

        The arrays are read-only views over the engine's memory, so they change with every step.
        :attr:`Spec.state` describes each column, and :attr:`Spec.values` names its numbers.

        Raises:
            InvalidConfig: The games are in another process.
        """
        return self._shown._core.state_columns()

    def render(self) -> tuple[Any, ...] | None:
        """Renders every game as ``render_mode`` says; :meth:`to_svg` and :meth:`to_png` draw a grid.

        ``"rgb_array"``: pixels, uint8 [height, width, 3], in the size of the first rendering, of everything.
        ``"ansi"``: text as the current player sees it; ``"human"`` prints that text.
        """
        shown = self._shown
        if self.render_mode == "rgb_array":
            return tuple(shown._pixels(i) for i in range(shown.num_envs))
        frames = tuple(shown.game(i).to_text() for i in range(shown.num_envs))
        if self.render_mode == "human":
            print("\n\n".join(frames))
            return None
        return frames


class VectorEnv(Batch, _Base):
    """A batch of games as a Gymnasium vector environment; :func:`ludovec.make` makes one.

    Arrays are views of the engine's memory; the next call that steps or resets games overwrites them. They
    stay valid (and keep their memory) after the environment is deleted. ``copy=True`` returns copies instead.

    One thread at a time: a call during another call raises :class:`LudovecError`. The engine releases the
    GIL while it steps.

    Ctrl-C ends every call within half a second. A call over very many games then finishes in the background,
    so a step is still played in all games or in none; the next call waits for it, and arrays may change until
    then. ``step_sampled`` ends after a complete step. Interrupted bots return no actions.

    =========================  ================  ==========================================================
    attribute                  dtype, shape      content
    =========================  ================  ==========================================================
    ``observations``           u8/f32 [N, ...]   observation of the current player; packed: [N, row_bytes]
    ``action_mask``            int8 [N, A]       1 for a legal action of the current player
    ``legal_action_mask``      bool [N, A]       view of the same memory
    ``action_mask_bits``       uint64 [N, W]     the same as bits, read-only; the engine checks these
    ``current_player``         int32 [N]         the current player
    ``acting_player``          int32 [N]         the player of the last action, -1 after a reset
    ``rewards``                float32 [N, P]    rewards of the last step, all players
    ``credit``                 float32 [N, P]    reward of each player since that player's last decision
    ``credit_of_mover``        float32 [N]       credit of the current player; 0 where ``done``, because
                                                 ``credit`` still shows the finished game
    ``reward``                 float32 [N]       reward of the acting player
    ``terminated, truncated``  bool [N]          the last step ended the game, by rule or by limit
    ``done``                   bool [N]          terminated or truncated
    ``episode_length``         int32 [N]         decisions so far in the episode of ``rewards``
    ``final_scores``           float32 [N, P]    scores of the last finished episode
    ``final_returns``          float32 [N, P]    its outcome in [-1, 1], for any reward mode
    ``final_observations``     as observations   its last observation; with ``autoreset="same_step"``
    ``final_action_mask``      int8 [N, A]       action mask of that observation; with ``"same_step"``
    ``final_player``           int32 [N]         player of that observation; with ``"same_step"``
    =========================  ================  ==========================================================
    """

    spec = None
    closed = False

    def __init__(
        self,
        core: _core.Batch,
        *,
        autoreset: str,
        copy: bool = False,
        render_mode: str | None = None,
        seed: int | None = None,
    ) -> None:
        """Use :func:`ludovec.make`."""
        # Must be set first: the base class closes every dropped object, also after an error in __init__.
        self._core = core
        if not (
            render_mode is None or (isinstance(render_mode, str) and render_mode in RENDERING["render_modes"])
        ):
            raise config_error(
                f"render_mode={render_mode!r}: None, 'ansi', 'human' or 'rgb_array' is allowed"
            )
        #: Makes the same environment with new games, if possible; pickling needs it.
        self._remake: Callable[..., VectorEnv] | None = None
        #: Whether results are copies instead of views.
        self.returns_copies = copy
        self._fresh = True
        self._workers: _core.Workers | None = None
        self._in_flight = False
        self.game_spec = Spec.from_json(core.spec_json)
        self.autoreset = autoreset
        self.render_mode = render_mode
        #: The last seed of all games, given or drawn; None if there is none (fleets, a seed per game).
        self.seed = seed
        #: Gymnasium's enum, as in ``metadata``, where TorchRL reads it.
        self.autoreset_mode = autoreset_mode(autoreset)
        self._metadata = {"autoreset_mode": self.autoreset_mode, **RENDERING}
        self._frame: tuple[int, int] | None = None
        self._name_columns()
        #: The positions from which episodes start, if not from that of the rules.
        self._starts = Openings((), ())
        #: uint64 [N]: the seed of every game's stream; None until it is read from the games.
        self._seeds: npt.NDArray[np.uint64] | None = None
        if seed is not None:
            self._know_seeds(np.full(self.num_envs, seed, dtype=np.uint64))

    @property
    def metadata(self) -> dict[str, Any]:  # type: ignore[override]
        """Auto-reset mode, render modes, frames per second."""
        if self.game_spec.players > 1:
            warn_of_wrappers(sys._getframe(1))
        return self._metadata

    def _name_columns(self) -> None:
        """Sets an attribute with public name, dtype and shape for every column, and builds the infos once."""
        columns = self._core.columns()
        self.columns = columns
        self.num_envs = len(columns["reward"])
        self._packed = self._core.obs == "packed"
        row = (self.game_spec.packed.row_bytes,) if self._packed else self.game_spec.observation_shape
        shape = (self.num_envs, *row)
        for prefix in ("", "final_"):
            bytes_, floats = columns.get(f"{prefix}observations"), columns.get(f"{prefix}observations_f32")
            chosen = bytes_ if floats is None else floats
            if chosen is not None:
                setattr(self, f"{prefix}observations", chosen.reshape(shape))
        if "mask_bits_shown" in columns:
            # The engine's own bits may be behind.
            del columns["mask_bits"]
        for column, array in columns.items():
            name, dtype, single = _VIEWS.get(column, (column, None, False))
            if "observations" not in column:
                array = array.view(dtype) if dtype is not None else array
                setattr(self, name, array[:, 0] if single else array)
        if not hasattr(self, "observations"):
            self.observations = np.empty((self.num_envs, 0), dtype=np.uint8)

        everywhere = np.ones(self.num_envs, dtype=np.bool_)
        everywhere.flags.writeable = False
        names = ["current_player", "acting_player", "rewards", "credit", "credit_of_mover", "episode_length"]
        if "mask_bytes" in columns:
            self.legal_action_mask = self.action_mask.view(np.bool_)
            names += ["action_mask", "legal_action_mask"]
        else:
            names += ["action_mask_bits"]
        shown: dict[str, Any] = {name: getattr(self, name) for name in names}
        shown |= {f"_{name}": everywhere for name in names}
        #: Infos of games under way.
        self._info = shown if "mask_bytes" in columns else BitInfo(shown)
        # Info entries of a finished game. In same-step mode they form Gymnasium's `final_info`.
        final: dict[str, Array] = {"scores": self.final_scores, "returns": self.final_returns}
        if self.autoreset == "same_step":
            for name in ("rewards", "credit", "episode_length", "acting_player"):
                final[name] = getattr(self, name)
            final["current_player"] = self.final_player
            if "mask_bytes" in columns:
                final["action_mask"] = self.final_action_mask
                final["legal_action_mask"] = self.final_action_mask.view(np.bool_)
            else:
                final["action_mask_bits"] = self.final_action_mask_bits
        final |= {f"_{name}": self.done for name in final}
        self._final_info = final
        # Gymnasium's `final_obs`: None except for games that ended in the last step. The next step overwrites
        # it like every other array: allocating thousands of cells per step would cost more than the rest in
        # Python.
        self._final_obs = np.full(self.num_envs, None, dtype=object)
        self._final_ids: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        if self.autoreset != "same_step":
            self._info_at_end = self._info | final
        else:
            self._info_at_end = self._info | {"_final_info": self.done}
            if self.observations.size:
                self._info_at_end |= {"final_obs": self._final_obs, "_final_obs": self.done}
        self._outputs = (self.observations, self.reward, self.terminated, self.truncated)

    # ---- Gymnasium ----

    # Gymnasium sets these as attributes; here they are made on first access, because they import Gymnasium.

    @cached_property
    def single_observation_space(self) -> Box:  # type: ignore[override]
        """A Box over one observation."""
        return observation_space(self.game_spec, self.observations.dtype, packed=self._packed)

    @cached_property
    def single_action_space(self) -> Discrete:  # type: ignore[override]
        """Discrete over the action indices."""
        return action_space(self.game_spec)

    @cached_property
    def observation_space(self) -> Box:  # type: ignore[override]
        """The batched observation space."""
        space: Any = batched(self.single_observation_space, self.num_envs)
        return space  # type: ignore[no-any-return]

    @cached_property
    def action_space(self) -> MultiDiscrete:  # type: ignore[override]
        """The batched action space."""
        space: Any = batched(self.single_action_space, self.num_envs)
        return space  # type: ignore[no-any-return]

    def reset(  # type: ignore[override]
        self, *, seed: int | Sequence[int | None] | None = None, options: ResetOptions | None = None
    ) -> tuple[Array, Info]:
        """Starts new episodes and returns observations and infos.

        With a seed, or a list of one per game, games start at the first episode of that seed. Without one, or
        with ``None`` in the list, a game goes on to its next episode (the first call after ``make`` shows the
        first one). ``options={"reset_mask": bool[N]}``
        resets only the selected games; the rows of the others do not change. ``info["seed"]`` is the seed of
        each game, from the first reset on in the infos of steps, too.
        """
        given = checks.reset_options(options, ("reset_mask", "starts"))
        mask = checks.reset_mask(given.get("reset_mask"), self.num_envs)
        positions = positions_of(given.get("starts"), self.game_spec, self.num_envs)
        number, seeds = checks.reset_seed(seed, self.num_envs)
        if seeds is not None:
            self._reset_each(seeds, mask)
        else:
            if mask is not None:
                ids = np.flatnonzero(mask).astype(np.uint32)
                self._core.reset_games(ids, number)
            elif number is not None or not self._fresh:
                self._core.reset(number)
            if number is not None:
                self._note_seeds(slice(None) if mask is None else mask, number)
            seed_generator(self, number)
        for id, position in positions:
            self._core.set_position(id, position)
        self._fresh = False
        obs: Array = self.observations
        info: Any = self._info.copy()
        info["seed"], info["_seed"] = self.seeds(), self._info["_current_player"]
        return (obs.copy(), deep_copy(info)) if self.returns_copies else (obs, info)

    def seeds(self) -> npt.NDArray[np.uint64]:
        """uint64 [N]: the seed of the random stream of every game."""
        if self._seeds is None:
            self._know_seeds(seeds_of(self.get_state()))
        seeds: npt.NDArray[np.uint64] = np.array(self._seeds)
        return seeds

    def _know_seeds(self, seeds: npt.NDArray[np.uint64]) -> None:
        """Keeps the seeds of all games, and shows them in every info: libraries take the keys of a reset's
        info for those of all infos."""
        self._seeds = seeds
        shown = seeds.view()
        shown.flags.writeable = False
        for info in (self._info, self._info_at_end):
            info["seed"], info["_seed"] = shown, self._info["_current_player"]

    def _note_seeds(self, games: Any, seeds: Any) -> None:
        """Keeps the seeds of some games."""
        if self._seeds is None:
            self._know_seeds(seeds_of(self.get_state()))
        else:
            self._seeds[games] = seeds
        assert self._seeds is not None
        first = int(self._seeds[0])
        self.seed = first if (self._seeds == self._seeds[0]).all() else None

    def step(self, actions: Any) -> StepResult:  # type: ignore[override]
        """Plays ``actions[i]`` in game ``i``: observations, reward, terminated, truncated, infos.

        ``actions`` is an integer array ``[N]`` of any library that NumPy can read. An illegal action raises
        before any game has moved.
        """
        # Fast path without a function call.
        if type(actions) is not np.ndarray or actions.dtype is not _INT32:
            actions = checks.actions(actions, self.num_envs)
        return self._result(self._core.step(actions))

    def step_games(self, ids: GameIds, actions: Any) -> StepResult:
        """Plays ``actions[k]`` in game ``ids[k]``, in any order; returns all rows.

        The rows of other games do not change: their rewards and flags are from their own last step.
        """
        ids = self._ids(ids)
        return self._result(self._core.step_games(ids, checks.actions(actions, len(ids))))

    def step_scripted(self, ids: GameIds, actions: Any, outcomes: Any) -> StepResult:
        """Plays ``actions[k]`` in game ``ids[k]`` under the chance ``outcomes[k]``; returns all rows, as
        :meth:`step_games` does.

        ``env.game(id).outcomes(action)`` lists the outcomes: fork a game once per outcome, step each fork
        with one of them, and weight the results by probability. Invalid outcomes are refused before any game
        has moved. Games keep their own random streams, so later chance is independent. The games of a fleet
        draw chance themselves and take no scripts.
        """
        return self._result(self._step_scripted(ids, actions, outcomes))

    def step_sampled(self, steps: int = 1) -> StepResult:
        """Samples and plays a legal action in every game, ``steps`` times, in one call to the engine."""
        return self._result(self._core.step_sampled(checks.count("steps", steps)))

    @property
    def _shown(self) -> VectorEnv:
        """The games that the columns are about: these."""
        return self

    def _pixels(self, id: int) -> npt.NDArray[np.uint8]:
        """A game as pixels in a frame of constant size with even sides, as video encoders need."""
        game = self.game(id)
        if self._frame is None:
            height, width, _ = game.to_rgb().shape
            self._frame = width + width % 2, height + height % 2
        return game.to_rgb(frame=self._frame)

    def close(self, **kwargs: Any) -> None:
        """Releases the games; existing arrays stay valid. Games of a fleet become free for other clients."""
        self._core.close()
        self.closed = True

    # ---- actions ----

    def bot_actions(self, bots: str | Sequence[str], ids: GameIds | None = None) -> npt.NDArray[np.int32]:
        """int32 [N]: the action of a bot in every game, or in the games ``ids`` (increasing).

        ``bots`` is one name for all players or one per player: a bot of :func:`ludovec.bots`,
        ``"search:500"`` for a search of 500 playouts, ``"http://host:port"`` for a bot server.
        """
        one = isinstance(bots, str)
        names = checks.words("bots", [bots] * self.game_spec.players if one else bots)
        return self._core.bot_actions(names, None if ids is None else self._ids(ids))

    @cached_property
    def observation_fields(self) -> dict[str, Array]:  # type: ignore[override]
        """Every named field of the observation as a view ``[N, *field.shape]``; not for packed rows."""
        if self._packed:
            raise config_error('obs="packed": fields have names only after ludovec.unpack')
        if not self.observations.shape[1:] or not self.observations.size:
            raise config_error('obs="none": there are no observations')
        rows = self.observations.reshape(self.num_envs, -1)
        return {field.name: field.view(rows) for field in self.game_spec.observation}

    # ---- EnvPool's interface ----

    @property
    def batch_size(self) -> int:
        """Number of games that :meth:`recv` returns: all."""
        return self.num_envs

    def async_reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: ResetOptions | None = None
    ) -> None:
        """Starts new episodes; :meth:`recv` returns their observations."""
        self.reset(seed=seed, options=options)

    def send(self, actions: Any, env_id: GameIds | None = None) -> None:
        """Starts a step in the background; :meth:`recv` waits for it."""
        if env_id is not None and not np.array_equal(self._ids(env_id), np.arange(self.num_envs)):
            raise config_error(f"env_id: all games, 0 to {self.num_envs - 1}, must be sent together")
        if self._workers is None:
            self._workers = _core.Workers(1)
        self._core.begin(self._workers, checks.actions(actions, self.num_envs))
        self._in_flight = True

    def recv(self) -> StepResult:
        """Waits for the last :meth:`send`; ``info["env_id"]`` numbers the rows."""
        ended = None
        if self._in_flight:
            try:
                ended = self._core.finish()
            except LudovecError:
                self._in_flight = False
                raise
            # If a signal handler raises, this line is not reached: the step goes on and is received later.
            self._in_flight = False
        result = self._result(ended)
        result[-1]["env_id"] = np.arange(self.num_envs, dtype=np.int32)
        return result

    # ---- state ----

    def get_state(self, ids: GameIds | None = None) -> bytes:
        """The games ``ids`` (all by default) as a snapshot: positions, random streams, credit."""
        return self._core.save(self._ids(ids))

    def set_state(self, ids: GameIds | None, data: bytes) -> None:
        """Restores a snapshot into the games ``ids`` (``None`` for all), which then continue identically.

        Raises :class:`InvalidState` for bytes that are not a snapshot of this environment, version and
        options.
        """
        chosen, snapshot = self._ids(ids), checks.octets("data", data)
        self._core.restore(chosen, snapshot)
        self._note_seeds(chosen, seeds_of(snapshot))
        self._fresh = False

    def fork(self, src: GameIds, dst: GameIds, *, show: bool = True) -> None:
        """Copies the position of game ``src[k]`` into game ``dst[k]``, which keeps its own random stream.

        A single ``src`` is copied into every ``dst``; if a game occurs twice in ``dst``, the last copy
        counts. ``show=False`` skips writing masks and observations of forks that are stepped next: do not
        read them before that. Fleets always write them.
        """
        self._core.fork(self._ids(src), self._ids(dst), checks.switch("show", show))
        self._fresh = False

    def determinize(
        self, ids: GameIds | None = None, player: int | None = None, seed: int | None = None
    ) -> int:
        """Determinizes games: resamples everything that ``player`` (default: the current player) does not
        know.

        In the games ``ids``, or all, hidden cards and undecided chance are resampled among all states that
        agree with the observations of the player. For ISMCTS: fork a game many times, ``determinize`` the
        forks and search each. The result depends on ``seed``, game, episode and number of decisions. Random
        streams of the games do not advance, and finished games do not change.

        Returns the seed; ``None`` draws one.
        """
        ids = np.unique(self._ids(range(self.num_envs) if ids is None else ids))
        seat = None if player is None else checks.seat("player", player, self.game_spec.players)
        number = checks.seed(seed)
        self._core.determinize(ids, seat, number)
        self._fresh = False
        return number

    def game(self, id: int) -> Game:
        """A copy of one game as a :class:`Game`."""
        return Game._wrap(self._core.game(checks.game(id, self.num_envs)), self.game_spec)

    def set_position(self, id: int, position: PositionLike) -> None:
        """Sets the position of a game: a ``"position"`` of :meth:`Game.to_json`, as text or object, or the
        bytes of :meth:`get_state` for one game, which are read much faster."""
        self._core.set_position(checks.game(id, self.num_envs), position_like("position", position))
        self._fresh = False

    def set_starts(
        self, starts: Sequence[PositionLike] | None, weights: Sequence[float] | None = None
    ) -> None:
        """Changes the positions from which later episodes start: a curriculum that grows while it runs.

        Episodes in progress go on. Each later one draws a position from its own random stream.

        Args:
            starts: Positions as for :func:`ludovec.make`, such as :func:`ludovec.openings`; ``None`` restores
                the start of the rules.
            weights: One number of at least 0 per position; draws are in proportion to them. By default those
                of :class:`ludovec.Openings`, or equal ones.

        Raises:
            InvalidConfig: The weights are invalid, or the games are in another process.
            InvalidState: A position is invalid or finished.
        """
        found = openings_of_starts(starts, weights)
        self._core.set_starts(found.positions, found.weights)
        self._starts = found
        if self._remake is not None:
            self._remake = partial(self._remake, starts=found if starts is not None else None)

    def _start_from(self, starts: Openings) -> None:
        """Lets all episodes start from these positions, the current ones too."""
        self._core.set_starts(starts.positions, starts.weights)
        self._starts = starts
        self._core.reset(self.seed)

    def add_reward(self, extra: Any) -> None:
        """Adds ``extra`` float32 ``[N, P]`` to the rewards of the last step: reward shaping.

        ``rewards``, ``reward``, ``credit`` and ``credit_of_mover`` grow, and so does the credit that players
        collect until their next decisions. Scores and outcomes do not change. In same-step mode the rows of a
        finished game belong to the finished episode.

        A tree search makes steps of its own, and :meth:`TreeSearch.add_reward` adds to their rewards.
        """
        shape = (self.num_envs, self.game_spec.players)
        self._core.add_reward(checks.floats("extra", extra, shape))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name in ("action_mask", "legal_action_mask", "final_action_mask"):
                raise AttributeError(f'{name}: this environment has mask="bits"; {BYTES_ARE_MADE}')
            return super().__getattr__(name)

    def __reduce__(self) -> Any:
        """Pickles arguments and games. The copy has arrays of its own and continues identically; its last
        rewards are 0."""
        if self._remake is None:
            raise LudovecError("this environment cannot be pickled: its games are in another process")
        return _restore, (self._remake, self.get_state(), self._core.samples(), self.render_mode)

    def __repr__(self) -> str:
        return f"<ludovec.VectorEnv {described(self)} autoreset={self.autoreset}>"

    # ---- internal ----

    def _step_scripted(self, ids: GameIds, actions: Any, outcomes: Any) -> Ended:
        ids = self._ids(ids)
        actions = checks.actions(actions, len(ids))
        scripts = checks.scripts("outcomes", outcomes, len(ids))
        order = np.argsort(ids, kind="stable")
        return self._core.step_scripted(ids[order], actions[order], [scripts[k] for k in order.tolist()])

    def _result(self, ended: Ended) -> StepResult:
        self._fresh = False
        info: Any
        if ended is None:
            info = self._info.copy()
        else:
            info = self._info_at_end.copy()
            if self.autoreset == "same_step":
                info["final_info"] = self._final_info.copy()
                if self.observations.size:
                    show_rows(self._final_obs, self._final_rows, ended, self._final_ids)
                    self._final_ids = ended
        obs, reward, terminated, truncated = self._outputs
        if self.returns_copies:
            return obs.copy(), reward.copy(), terminated.copy(), truncated.copy(), deep_copy(info)
        return obs, reward, terminated, truncated, info

    @cached_property
    def _final_rows(self) -> Array:
        """The rows of the final observations as views, made once because most steps return some."""
        rows = np.empty(self.num_envs, dtype=object)
        for i, row in enumerate(self.final_observations):
            rows[i] = row
        return rows

    def _reset_each(self, seeds: list[int | None], mask: npt.NDArray[np.bool_] | None) -> None:
        """Resets every game, or the games in the mask, each with its own seed or to its next episode."""
        ids = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        starts = [(id, seed) for id in ids if (seed := seeds[id]) is not None]
        others = [id for id in ids if seeds[id] is None]
        samples = self._core.samples()
        one, starting = scratch(self.game_spec, 1), scratch(self.game_spec, max(1, len(starts)))
        one.set_starts(self._starts.positions, self._starts.weights)
        first = np.zeros(1, dtype=np.uint32)
        for row, (id, seed) in enumerate(starts):
            one.reset(seed)
            starting.restore(np.array([row], dtype=np.uint32), one.save(first))
            samples[id] = 0
        # Restores all games or, if Ctrl-C came first, none.
        rows = np.arange(len(starts), dtype=np.uint32)
        seeded = np.array([id for id, _ in starts], dtype=np.uint32)
        self._core.restore(seeded, starting.save(rows))
        self._core.set_samples(samples)
        if others and not self._fresh:
            self._core.reset_games(np.array(others, dtype=np.uint32), None)
        self._note_seeds(seeded.astype(np.int64), [seed for _, seed in starts])

    def _ids(self, ids: Any) -> npt.NDArray[np.uint32]:
        return checks.games(ids, self.num_envs)


def described(env: Any) -> str:
    """Environment, options that differ from their defaults, players, games and seed, for a repr."""
    spec: Spec = env.game_spec
    usual = {option["name"]: option["default"] for option in spec.option_list}
    changed = {name: value for name, value in spec.options.items() if value != usual.get(name, value)}
    shown = {**changed, "players": spec.players, "num_envs": env.num_envs, "seed": env.seed}
    return " ".join([spec.env, *(f"{name}={errors.shown(str(value), 100)}" for name, value in shown.items())])


def autoreset_mode(name: str) -> Any:
    """Gymnasium's enum, or the name if Gymnasium is not installed."""
    return name if AutoresetMode is None else AutoresetMode[name.upper()]


def seed_generator(env: VectorEnv | _Base, seed: int | None) -> None:
    """Seeds ``np_random`` as Gymnasium's own ``reset`` does.

    The engine has its own random streams; ``np_random`` is for wrappers and callers.
    """
    if AutoresetMode is not None:
        _Base.reset(env, seed=seed)


def _restore(
    remake: Callable[..., VectorEnv],
    state: bytes,
    samples: npt.NDArray[np.uint64],
    render_mode: str | None,
) -> VectorEnv:
    env = remake(render_mode=render_mode)
    env.set_state(None, state)
    env._core.set_samples(samples)
    return env
