"""Many games of one kind, stepped side by side."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from . import _arguments, _core, _json
from ._core import LudovecError, show_rows
from ._errors import config_error
from .game import Game, look
from .spaces import action_space, batched, observation_space
from .spec import Spec

Array = npt.NDArray[Any]

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete, MultiDiscrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector import VectorEnv as _GymnasiumVectorEnv

    from .typing import Info, ResetOptions, Theme

    _Base = _GymnasiumVectorEnv[Array, Array, Array]
else:
    try:
        from gymnasium.vector import AutoresetMode
        from gymnasium.vector import VectorEnv as _Base
    except ImportError:
        AutoresetMode = None
        _Base = object

_INT32 = np.dtype(np.int32)

#: Numbers of games in increasing order.
Ended = npt.NDArray[np.int64] | None
Floats: TypeAlias = npt.NDArray[np.float32]
Flags: TypeAlias = npt.NDArray[np.bool_]
StepResult: TypeAlias = "tuple[Array, Floats, Flags, Flags, Info]"

RenderMode = Literal["ansi", "human", "rgb_array"]

#: What ``render`` can do, and how many frames a second a video of games shows.
RENDERING: dict[str, Any] = {"render_modes": ["ansi", "human", "rgb_array"], "render_fps": 4}

#: Column of the engine -> its name here, type of the view and whether it is one element a row.
_VIEWS = {
    "mask_bytes": ("action_mask", np.int8, False),
    "final_mask_bytes": ("final_action_mask", np.int8, False),
    "mask_bits": ("action_mask_bits", None, False),
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


class VectorEnv(_Base):
    """A batch of games in the manner of Gymnasium's vector environments; :func:`ludovec.make` makes one.

    Arrays are views of the engine's memory: the next call that moves games overwrites them. They stay valid
    (and keep their memory) when the environment is gone. ``copy=True`` returns copies instead.

    One thread at a time: a call while another is under way raises :class:`LudovecError`. Other Python
    threads run while games are stepped.

    Ctrl-C ends every call within half a second. A call over very many games goes on to its end by itself
    then, so that a step is played in all games or refused for all, as ever; the next call waits for it, and
    until then arrays may be written. ``step_sampled`` ends after a step; bots that are interrupted have not
    chosen.

    =========================  ================  ==========================================================
    attribute                  dtype, shape      content
    =========================  ================  ==========================================================
    ``observations``           u8/f32 [N, ...]   what the seat to move sees; [N, row_bytes] when packed
    ``action_mask``            int8 [N, A]       1 for a legal action of the seat to move
    ``legal_action_mask``      bool [N, A]       the same memory
    ``action_mask_bits``       uint64 [N, W]     the same as bits, read-only: what the engine checks against
    ``current_player``         int32 [N]         the seat to move
    ``acting_player``          int32 [N]         the seat that made the last decision, -1 after a reset
    ``rewards``                float32 [N, P]    of the last step, every seat
    ``credit``                 float32 [N, P]    what each seat has earned since its own last decision
    ``credit_of_mover``        float32 [N]       that of the seat to move; 0 where ``done``, since ``credit``
                                                 then still shows the finished game
    ``reward``                 float32 [N]       of the seat that acted
    ``terminated, truncated``  bool [N]          whether the last step ended the game, by rule or by limit
    ``done``                   bool [N]          whether it ended the game either way
    ``episode_length``         int32 [N]         decisions of the episode that the rewards belong to
    ``final_scores``           float32 [N, P]    scores of the last finished episode
    ``final_returns``          float32 [N, P]    its outcome in [-1, 1], whatever the reward mode
    ``final_observations``     as observations   its last observation; with ``autoreset="same_step"``
    ``final_action_mask``      int8 [N, A]       the mask that belongs to it; with ``"same_step"``
    ``final_player``           int32 [N]         the seat whose view it is; with ``"same_step"``
    =========================  ================  ==========================================================
    """

    spec = None
    closed = False

    observations: Array
    action_mask: npt.NDArray[np.int8]
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

    def __init__(
        self,
        core: _core.Batch,
        *,
        autoreset: str,
        copy: bool = False,
        render_mode: str | None = None,
    ) -> None:
        """Use :func:`ludovec.make`."""
        # First of all: the base closes whatever is dropped, half made or not.
        self._core = core
        if not (
            render_mode is None or (isinstance(render_mode, str) and render_mode in RENDERING["render_modes"])
        ):
            raise config_error(
                f"render_mode={render_mode!r}: None, 'ansi', 'human' or 'rgb_array' is allowed"
            )
        #: Makes the same environment with new games, where that can be done; pickling needs it.
        self._remake: Callable[..., VectorEnv] | None = None
        self.copy = copy
        self._fresh = True
        self._workers: _core.Workers | None = None
        self._in_flight = False
        self.game_spec = Spec.from_json(core.spec_json)
        self.autoreset = autoreset
        self.render_mode = render_mode
        self.metadata = {"autoreset_mode": autoreset_mode(autoreset), **RENDERING}
        self._frame: tuple[int, int] | None = None
        self._name_columns()

    def _name_columns(self) -> None:
        """Gives every column its public name, type and shape, and lays out the infos once."""
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
        self._info: dict[str, Any] = {name: getattr(self, name) for name in names}
        self._info |= {f"_{name}": everywhere for name in names}
        # What an info says of a finished game. In the same-step mode it is Gymnasium's `final_info`.
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
        # Gymnasium's `final_obs`: None but for games that ended in the last step. Like every array that is
        # shown it is overwritten by the next step; thousands of new cells a step would cost more than Python.
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

    # Gymnasium has attributes here; these are made when first asked for, since they need Gymnasium.

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
        self, *, seed: int | Sequence[int] | None = None, options: ResetOptions | None = None
    ) -> tuple[Array, Info]:
        """Starts new episodes and returns observations and infos.

        With a seed, games start from the first episode of that seed; without, each goes on to its next
        episode (the first call after ``make`` shows the first one). ``options={"reset_mask": bool[N]}``
        resets only some games; the rows of the others stay as they are.
        """
        given = _arguments.reset_options(options, ("reset_mask", "positions"))
        mask = _arguments.reset_mask(given.get("reset_mask"), self.num_envs)
        positions = positions_of(given.get("positions"), self.game_spec, self.num_envs)
        seeds = _arguments.seeds(seed, self.num_envs)
        if seeds is not None:
            self._reset_each(seeds, mask)
        else:
            number = None if seed is None else _arguments.integer("seed", seed)
            if mask is not None:
                ids = np.flatnonzero(mask).astype(np.uint32)
                self._core.reset_games(ids, number)
            elif number is not None or not self._fresh:
                self._core.reset(number)
            seed_generator(self, number)
        for id, position in positions:
            self._core.set_position(id, position)
        self._fresh = False
        obs: Array = self.observations
        info: Any = self._info.copy()
        return (obs.copy(), deep_copy(info)) if self.copy else (obs, info)

    def step(self, actions: Any) -> StepResult:  # type: ignore[override]
        """Plays ``actions[i]`` in game ``i``: observations, reward, terminated, truncated, infos.

        ``actions`` is an integer array ``[N]`` of any library that NumPy can read. When one is not legal
        the call raises before anything has moved.
        """
        # The usual case is spared a call.
        if type(actions) is not np.ndarray or actions.dtype is not _INT32:
            actions = _arguments.actions(actions, self.num_envs)
        return self._result(self._core.step(actions))

    def step_games(self, ids: Any, actions: Any) -> StepResult:
        """Plays ``actions[k]`` in game ``ids[k]``, in any order; returns all rows, those of others unchanged.

        Rewards and flags of games that were not stepped are those of their own last step.
        """
        ids = self._ids(ids)
        return self._result(self._core.step_games(ids, _arguments.actions(actions, len(ids))))

    def step_scripted(self, ids: Any, actions: Any, outcomes: Any) -> StepResult:
        """Plays ``actions[k]`` in game ``ids[k]`` under the chance ``outcomes[k]``; returns all rows, as
        :meth:`step_games` does.

        ``env.game(id).outcomes(action)`` lists what can be drawn: fork a game into as many, step each under
        one of them, and weigh what follows by its probability. Outcomes that do not fit are refused before
        anything has moved. Games keep their own random streams, so later chance is theirs. Games of a fleet
        draw it themselves.
        """
        return self._result(self._step_scripted(ids, actions, outcomes))

    def step_sampled(self, steps: int = 1) -> StepResult:
        """Samples and plays a legal action in every game, ``steps`` times, in one pass without Python."""
        return self._result(self._core.step_sampled(_arguments.count("steps", steps)))

    def render(self) -> tuple[Any, ...] | None:
        """What ``render_mode`` asks for, game by game; :meth:`to_svg` and :meth:`to_png` draw a grid.

        ``"rgb_array"``: pixels, uint8 [height, width, 3], of the size that the first rendering had.
        ``"ansi"``: text; ``"human"`` prints it.
        """
        if self.render_mode == "rgb_array":
            return tuple(self._pixels(i) for i in range(self.num_envs))
        frames = tuple(self.game(i).to_text() for i in range(self.num_envs))
        if self.render_mode == "human":
            print("\n\n".join(frames))
            return None
        return frames

    def _pixels(self, id: int) -> npt.NDArray[np.uint8]:
        """A game in a frame whose size stays the same, with even sides as videos need them."""
        game = self.game(id)
        if self._frame is None:
            height, width, _ = game.to_rgb().shape
            self._frame = width + width % 2, height + height % 2
        return game.to_rgb(frame=self._frame)

    def close(self, **kwargs: Any) -> None:
        """Gives up the games; arrays that show them stay valid. Games of a fleet are free for others."""
        self._core.close()
        self.closed = True

    # ---- actions ----

    def sample_actions(self) -> npt.NDArray[np.int32]:
        """int32 [N]: a uniformly drawn legal action a game, 0 in finished games. Drawn by the engine."""
        return self._core.sample_actions()

    def bot_actions(self, bots: str | Sequence[str], ids: Any = None) -> npt.NDArray[np.int32]:
        """int32 [N]: what a bot plays in every game, or in the games ``ids`` (increasing).

        ``bots`` is one name for all seats, or one a seat: a bot of :func:`ludovec.bots`, ``"search:500"`` for
        a search of 500 playouts, ``"http://host:port"`` for a program that answers there.
        """
        one = isinstance(bots, str)
        names = _arguments.words("bots", [bots] * self.game_spec.players if one else bots)
        return self._core.bot_actions(names, None if ids is None else self._ids(ids))

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """bool [N, A]: the legal actions, as sb3-contrib asks for them; a copy with ``mask="bits"``."""
        if "mask_bytes" in self.columns:
            return self.legal_action_mask.copy() if self.copy else self.legal_action_mask
        return unpack_bits(self.action_mask_bits, self.game_spec.num_actions)

    @cached_property
    def observation_fields(self) -> dict[str, Array]:
        """Every named field of the observation as a view ``[N, *field.shape]``; not of packed ones."""
        if self._packed:
            raise config_error('obs="packed": fields are named in what ludovec.unpack makes of the rows')
        if not self.observations.shape[1:] or not self.observations.size:
            raise config_error('obs="none": there are no observations to name parts of')
        rows = self.observations.reshape(self.num_envs, -1)
        return {field.name: field.view(rows) for field in self.game_spec.observation}

    # ---- EnvPool's words ----

    @property
    def batch_size(self) -> int:
        """How many games :meth:`recv` returns: all."""
        return self.num_envs

    def async_reset(
        self, *, seed: int | Sequence[int] | None = None, options: ResetOptions | None = None
    ) -> None:
        """Starts new episodes; :meth:`recv` returns what they look like."""
        self.reset(seed=seed, options=options)

    def send(self, actions: Any, env_id: Any = None) -> None:
        """Starts a step in the background; :meth:`recv` waits for it."""
        if env_id is not None and not np.array_equal(env_id, np.arange(self.num_envs)):
            raise config_error(f"env_id: games 0 to {self.num_envs - 1} are sent together")
        if self._workers is None:
            self._workers = _core.Workers(1)
        self._core.begin(self._workers, _arguments.actions(actions, self.num_envs))
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
            # A signal that raises does not come here: the step goes on and is received later.
            self._in_flight = False
        result = self._result(ended)
        result[-1]["env_id"] = np.arange(self.num_envs, dtype=np.int32)
        return result

    # ---- state ----

    def get_state(self, ids: Any = None) -> bytes:
        """The games ``ids`` (all by default) as bytes: positions, random streams, credit."""
        return self._core.save(self._ids(ids))

    def set_state(self, ids: Any, data: bytes) -> None:
        """Puts saved games into the games ``ids`` (``None`` for all), which go on as the saved ones would.

        Bytes that are no snapshot of this environment, version and options raise :class:`InvalidState`.
        """
        self._core.restore(self._ids(ids), _arguments.octets("data", data))
        self._fresh = False

    def fork(self, src: Any, dst: Any, *, show: bool = True) -> None:
        """Copies the position of game ``src[k]`` into game ``dst[k]``, which keeps its own random stream.

        One ``src`` is copied into every ``dst``; of several into one game the last stands. ``show=False``
        spares the masks and observations of forks that are stepped next: they are not to be read before
        that. Games of a fleet are always shown.
        """
        self._core.fork(self._ids(src), self._ids(dst), _arguments.switch("show", show))
        self._fresh = False

    def determinize(self, ids: Any = None, player: int | None = None, seed: int = 0) -> None:
        """Draws anew what ``player``, by default the seat to move of each game, does not know.

        In games ``ids``, or all, hidden cards and what is left to chance are drawn among all that agree
        with what the seat has seen: fork a game into many, ``determinize`` them, and search each (ISMCTS).
        The draw depends on ``seed``, game, episode and decisions taken; each game's own random stream stays
        where it is, finished games stay as they are.
        """
        ids = np.unique(self._ids(range(self.num_envs) if ids is None else ids))
        seat = None if player is None else _arguments.seat("player", player, self.game_spec.players)
        self._core.determinize(ids, seat, _arguments.seed(seed))
        self._fresh = False

    def game(self, id: int) -> Game:
        """A copy of one game, to look at and play on alone."""
        return Game._wrap(self._core.game(_arguments.game(id, self.num_envs)), self.game_spec)

    def to_svg(self, ids: Any = None, columns: int | None = None, theme: Theme = "light") -> str:
        """The boards of games side by side as one SVG document; by default the first 16, in a square.

        Above each stands its number, and whose turn it is or who won. ``theme`` is ``"light"`` or ``"dark"``.
        """
        chosen = self._ids(ids if ids is not None else range(min(16, self.num_envs)))
        return drawn([(int(id), self.game(id)) for id in chosen], columns, theme)

    def to_png(self, ids: Any = None, columns: int | None = None, theme: Theme = "light") -> bytes:
        """The same as the bytes of a PNG file."""
        return png(self.to_svg(ids, columns, theme))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def set_position(self, id: int, position: str | Mapping[str, Any]) -> None:
        """Replaces the position of a game by a ``"position"`` of :meth:`Game.to_json`, as text or object."""
        self._core.set_position(_arguments.game(id, self.num_envs), _json.text("position", position))
        self._fresh = False

    def __reduce__(self) -> Any:
        """Pickles arguments and games. The copy goes on with the same future; its last rewards are 0."""
        if self._remake is None:
            raise LudovecError(
                "this environment cannot be pickled: its games live elsewhere, or it writes to your buffers"
            )
        return _restore, (self._remake, self.get_state(), self._core.samples(), self.render_mode)

    def __deepcopy__(self, memo: Any) -> VectorEnv:
        restore, arguments = self.__reduce__()
        twin: VectorEnv = restore(*arguments)
        return twin

    def __copy__(self) -> VectorEnv:
        return self.__deepcopy__(None)

    def __repr__(self) -> str:
        return f"<ludovec.VectorEnv {self.game_spec.env} num_envs={self.num_envs} autoreset={self.autoreset}>"

    # ---- inside ----

    def _step_scripted(self, ids: Any, actions: Any, outcomes: Any) -> Ended:
        ids = self._ids(ids)
        actions = _arguments.actions(actions, len(ids))
        scripts = _arguments.scripts("outcomes", outcomes, len(ids))
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
        if self.copy:
            return obs.copy(), reward.copy(), terminated.copy(), truncated.copy(), deep_copy(info)
        return obs, reward, terminated, truncated, info

    @cached_property
    def _final_rows(self) -> Array:
        """The rows of the final observations as views, made once: most steps hand some out."""
        rows = np.empty(self.num_envs, dtype=object)
        for i, row in enumerate(self.final_observations):
            rows[i] = row
        return rows

    def _reset_each(self, seeds: list[Any], mask: npt.NDArray[np.bool_] | None) -> None:
        """Starts every game, or those in the mask, with a seed of its own."""
        ids = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        starts = [(id, _arguments.integer("seed", seeds[id])) for id in ids]
        samples = self._core.samples()
        one, starting = scratch(self.game_spec, 1), scratch(self.game_spec, max(1, len(starts)))
        first = np.zeros(1, dtype=np.uint32)
        for row, (id, seed) in enumerate(starts):
            one.reset(seed)
            starting.restore(np.array([row], dtype=np.uint32), one.save(first))
            samples[id] = 0
        # All of them, or none when Ctrl-C came before.
        rows = np.arange(len(starts), dtype=np.uint32)
        self._core.restore(np.array(ids, dtype=np.uint32), starting.save(rows))
        self._core.set_samples(samples)

    def _ids(self, ids: Any) -> npt.NDArray[np.uint32]:
        return _arguments.games(ids, self.num_envs)


def unpack_bits(bits: npt.NDArray[np.uint64], actions: int) -> npt.NDArray[np.bool_]:
    """Rows of mask bits ``[..., W]`` as bool ``[..., actions]``."""
    octets = bits.astype("<u8", copy=False).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=actions, bitorder="little").view(np.bool_)


def autoreset_mode(name: str) -> Any:
    """Gymnasium's enum, or the name where Gymnasium is not installed."""
    return name if AutoresetMode is None else AutoresetMode[name.upper()]


def seed_generator(env: VectorEnv | _Base, seed: int | None) -> None:
    """Seeds ``np_random``, which Gymnasium gives every environment, as its own ``reset`` does.

    The engine draws by itself: the generator is for wrappers and callers.
    """
    if AutoresetMode is not None:
        _Base.reset(env, seed=seed)


def scratch(spec: Spec, games: int) -> _core.Batch:
    """A batch of the same game to copy games into, without observations."""
    config = {"num_envs": games, "first_game": 0, "total_games": None, "seed": 0}
    config |= {"num_threads": 1, "pin_threads": False}
    words = {"autoreset": "disabled", "obs": "none", "mask": "bits"}
    return _core.Batch(spec.env, spec.options, {**config, **words}, {})


def positions_of(positions: Any, spec: Spec, num_envs: int) -> list[tuple[int, str]]:
    """What ``options["positions"]`` of a reset gives: positions by game, as JSON."""
    listed: list[tuple[Any, Any]]
    if positions is None:
        return []
    if isinstance(positions, Mapping):
        listed = list(positions.items())
    elif isinstance(positions, (list, tuple)) and len(positions) == num_envs:
        listed = [(id, position) for id, position in enumerate(positions) if position is not None]
    else:
        raise config_error(f"positions: {num_envs}, one a game, or a mapping from games are needed")
    found = [(_arguments.game(id, num_envs), _json.text("position", position)) for id, position in listed]
    one = scratch(spec, 1)
    for _, position in found:
        # A wrong one is refused before anything is reset.
        one.set_position(0, position)
    return found


def drawn(games: Sequence[tuple[int, Game]], columns: int | None, theme: Theme) -> str:
    """The boards of numbered games side by side as one SVG document, in a square by default."""
    square = math.ceil(math.sqrt(len(games)))
    across = square if columns is None else _arguments.positive("columns", columns)
    cores = [(number, game._core) for number, game in games]
    shown = look(theme, None, board_only=True)
    return _core.grid(cores, max(1, min(across, len(cores))), shown)


def png(svg: str) -> bytes:
    """A drawing as a PNG file."""
    return _core.png(svg)


def deep_copy(value: Any) -> Any:
    """A value of an info, with copies of the arrays in it."""
    if isinstance(value, dict):
        return {key: deep_copy(item) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            rows = value.copy()
            for i, row in enumerate(value):
                rows[i] = None if row is None else row.copy()
            return rows
        return value.copy()
    return value


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
