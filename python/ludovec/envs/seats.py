"""Single-agent environments: the learner plays one seat of every game, opponents play the others."""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import LudovecError
from .._shared import checks
from .._shared.errors import state_error
from ..game import Game
from ..game.positions import positions_of
from ..players import seating
from ..players.checkpoints import Checkpoints
from ..players.python_bots import Chooser, opponents_of
from .step_infos import BitInfo, deep_copy
from .vector import (
    RENDERING,
    Array,
    Batch,
    Flags,
    Floats,
    VectorEnv,
    _Base,
    autoreset_mode,
    described,
    seed_generator,
)

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete, MultiDiscrete

    from ..game.positions import PositionLike
    from ..typing import ResetOptions, SeatInfo

_log = logging.getLogger("ludovec")

_HALFWAY = "an opponent failed in the last call, or Ctrl-C ended it: reset all games first"


class SeatVectorEnv(Batch, _Base):
    """A Gymnasium vector environment for one seat per game; ``ludovec.make(..., opponents=...)`` makes one.

    A step plays the learner's action, then the opponents, until the learner is the current player again.
    Observations and masks are the learner's, also in finished games. The reward is the sum of the learner's
    rewards in between; over an episode it adds up to the learner's total.

    Infos hold ``action_mask`` int8 ``[N, A]`` and ``legal_action_mask`` (the same as bool) or, with
    ``mask="bits"``, ``action_mask_bits``, and ``seat`` int32 ``[N]``: the learner's seat in the current game.
    At the end of a game they hold ``scores`` and ``returns`` float32 ``[N, P]``; in same-step mode these are
    in ``final_info``, and the learner's last observation is in ``final_obs``.

    Columns have the names of :class:`VectorEnv`. ``reward``, ``terminated``, ``truncated`` and ``done`` are
    results of the learner's last step, ``final_observations``, ``final_player`` and the masks are of the end
    of an episode. The others are about the last decision of any player: :attr:`games` has the same arrays.
    """

    spec = None
    closed = False

    def __init__(
        self,
        games: VectorEnv,
        opponents: Any,
        *,
        seat: Any,
        autoreset: str,
        seed: int,
        first_game: int,
        copy: bool,
        time_limit: Any,
        on_fault: Any,
    ) -> None:
        """Use :func:`ludovec.make`. ``games`` must have auto-reset disabled."""
        #: The games from the view of all seats. Read only: do not step them.
        self.games = games
        self._players: Chooser | None = None
        self.num_envs = games.num_envs
        self.game_spec = games.game_spec
        self.render_mode = games.render_mode
        self.autoreset = autoreset
        #: Gymnasium's enum, as in ``metadata``, where TorchRL reads it.
        self.autoreset_mode = autoreset_mode(autoreset)
        self.metadata = {"autoreset_mode": self.autoreset_mode, **RENDERING}
        #: Whether results are copies instead of views.
        self.returns_copies = copy
        #: Makes the same environment with new games; pickling needs it.
        self._remake: Callable[..., SeatVectorEnv] | None = None
        self._opponents: Any = None
        #: The last seed of all games, given or drawn; None after a seed per game.
        self.seed: int | None = seed
        #: uint64 [N]: seed and number of every game, which determine its seats and opponents.
        self._seeds = np.full(self.num_envs, seed, dtype=np.uint64)
        self._numbers = first_game + np.arange(self.num_envs, dtype=np.int64)
        self._limits = {"time_limit": time_limit, "on_fault": on_fault}
        self._seat_rule = seating.seat_rule(seat, self.num_envs, self.game_spec.players)
        self._rows = np.arange(self.num_envs)
        #: Index of the episode of every game under the current seed.
        self._episode = np.zeros(self.num_envs, dtype=np.int64)
        self._seats = np.zeros(self.num_envs, dtype=np.int32)
        #: int32 [N], read-only: the learner's seat in the current game.
        self.seats: npt.NDArray[np.int32] = self._seats.view()
        self.seats.flags.writeable = False
        #: Opponent at every seat, as an index; -1 for the learner.
        self._opponent_at = np.full((self.num_envs, games.game_spec.players), -1, dtype=np.int32)
        #: Reward of the learner before its first decision; paid with the first step.
        self._early = np.zeros(self.num_envs, dtype=np.float32)
        #: The rewards that the last step returned, and the seats that they were paid to.
        self._clear()
        self._paid_seats = self._seats.copy()
        if autoreset == "same_step":
            # A finished game has no legal actions: its masks stay 0.
            self.final_observations = np.zeros_like(games.observations)
            self.final_action_mask_bits = np.zeros_like(games.action_mask_bits)
            if "mask_bytes" in games.columns:
                self.final_action_mask = np.zeros_like(games.action_mask)
            self.final_player = self._seats.copy()
        self._fresh = True
        #: Finished games since the folder of checkpoints was read.
        self._counted = 0
        self._checkpoints: Checkpoints | None = None
        #: True if a call ended halfway: an opponent failed, or Ctrl-C came.
        self._broken = False
        #: Number of lost moves of each opponent.
        self.faults: dict[str, int] = {}
        self.set_opponents(opponents)
        self._begin(np.ones(self.num_envs, dtype=np.bool_))

    # ---- Gymnasium ----

    @property
    def single_observation_space(self) -> Box:  # type: ignore[override]
        """A Box over one observation."""
        return self.games.single_observation_space

    @property
    def single_action_space(self) -> Discrete:  # type: ignore[override]
        """Discrete over the action indices."""
        return self.games.single_action_space

    @property
    def observation_space(self) -> Box:  # type: ignore[override]
        """The batched observation space."""
        return self.games.observation_space

    @property
    def action_space(self) -> MultiDiscrete:  # type: ignore[override]
        """The batched action space."""
        return self.games.action_space

    def reset(  # type: ignore[override]
        self, *, seed: int | Sequence[int | None] | None = None, options: ResetOptions | None = None
    ) -> tuple[Array, SeatInfo]:
        """Starts new episodes and plays up to the learner's first decision; as :meth:`VectorEnv.reset`.

        A position of ``options["starts"]`` is played on up to the learner's decision, too.
        """
        number, seeds = checks.reset_seed(seed, self.num_envs)
        given = checks.reset_options(options, ("reset_mask", "starts"))
        mask = checks.reset_mask(given.get("reset_mask"), self.num_envs)
        chosen = np.ones(self.num_envs, dtype=np.bool_) if mask is None else mask.copy()
        positions = positions_of(given.get("starts"), self.game_spec, self.num_envs)
        if self._broken and not chosen.all():
            raise LudovecError(_HALFWAY)
        each = [number] * self.num_envs if seeds is None else seeds
        seeded = np.array([one is not None for one in each])
        if seeded.any() or not self._fresh or mask is not None or positions:
            self._broken, self._fresh = True, False
            self.games.reset(
                seed=number if seeds is None else seeds,
                options=None if mask is None else {"reset_mask": mask},
            )
            self._episode[chosen] = np.where(seeded, 0, self._episode + 1)[chosen]
            self._seeds[...] = self.games.seeds()
            self.seed = self.games.seed
            if number is not None:
                seed_generator(self, number)
            for id, position in positions:
                self.games._core.set_position(id, position)
                chosen[id] = True
            self._begin(chosen)
            self._broken = False
        self._fresh = False
        self._clear()
        obs: Array = self.games.observations
        info: Any = self._info()
        info["seed"], info["_seed"] = self.games.seeds(), info["_seat"]
        return (obs.copy(), deep_copy(info)) if self.returns_copies else (obs, info)

    def step(self, actions: Any) -> tuple[Array, Floats, Flags, Flags, SeatInfo]:  # type: ignore[override]
        """Plays ``actions[i]`` for the learner in game ``i``: observations, reward, terminated, truncated,
        infos.

        An illegal action raises before any game has moved. After Ctrl-C or the failure of an opponent, some
        games may have moved: reset all games then.
        """
        if self._broken:
            raise LudovecError(_HALFWAY)
        games = self.games
        actions = checks.actions(actions, self.num_envs)
        waiting = games.done.copy() if self.autoreset == "next_step" else None
        self._broken = True
        try:
            if waiting is None or not waiting.any():
                waiting = None
                self._note(None, actions)
                games.step(actions)
            else:
                alive = np.flatnonzero(~waiting)
                self._note(alive, actions[alive])
                games.step_games(alive, actions[alive])
        except LudovecError:
            # No game has moved.
            self._broken = False
            raise
        if waiting is not None:
            self._restart(waiting)
        self._fresh = False
        self._play_on()
        reward = games.credit[self._rows, self.seats] + self._early
        self._early[...] = 0
        if waiting is not None:
            # The reset step pays 0: rewards from before the first decision are paid with that decision.
            self._early[waiting] = reward[waiting]
            reward[waiting] = 0
        self.reward, self._paid_seats = reward, self.seats.copy()
        terminated, truncated, done = games.terminated.copy(), games.truncated.copy(), games.done.copy()
        self.terminated, self.truncated, self.done = terminated, truncated, done
        info: Any
        if done.any():
            info = self._finish(done)
        else:
            info = self._info()
        self._broken = False
        obs = games.observations
        if self.returns_copies:
            return obs.copy(), reward, terminated, truncated, deep_copy(info)
        return obs, reward, terminated, truncated, info

    def close(self, **kwargs: Any) -> None:
        """Releases the games and the players."""
        if self._players is not None:
            self._players.close()
        self.games.close()
        self.closed = True

    # ---- opponents, actions, games ----

    def set_opponents(self, opponents: Any) -> None:
        """Changes the opponents, also in games under way; for example to earlier versions of the learner.

        A single opponent plays all other seats. Of a list, or the values of a mapping, each episode takes the
        next entry: an opponent, or a tuple with one per seat, in turn order after the learner. Of
        :class:`ludovec.Checkpoints`, each episode draws one per seat.
        """
        checkpoints = opponents if isinstance(opponents, Checkpoints) else None
        listed = opponents if checkpoints is None else list(checkpoints.opponents)
        named, tables = opponents_of(listed, self.game_spec.players)
        # The caller may change its list later.
        given: Any = dict(opponents) if isinstance(opponents, Mapping) else opponents
        given = list(opponents) if isinstance(opponents, list) else given
        players = Chooser(self.games, named, **self._limits)
        if self._players is not None:
            self._players.close()
        self._players, self._opponents = players, given
        self._checkpoints = checkpoints
        self._tables = np.array(tables, dtype=np.int32).reshape(len(tables), -1)
        self._assign(np.ones(self.num_envs, dtype=np.bool_), seats=False)

    @property
    def _shown(self) -> VectorEnv:
        return self.games

    def game(self, id: int) -> Game:
        """A copy of one game as a :class:`Game`."""
        return self.games.game(id)

    # ---- state ----

    def get_state(self, ids: Any = None) -> bytes:
        """The games ``ids`` (all by default) as a snapshot: positions, random streams, seats, episodes.

        Opponents are not in it: give them to :func:`ludovec.make` again, functions too.
        """
        chosen = checks.games(ids, self.num_envs)
        if self._broken:
            raise LudovecError(_HALFWAY)
        rows = np.zeros(len(chosen), dtype=_ROW)
        rows["number"], rows["episode"] = self._numbers[chosen], self._episode[chosen]
        rows["samples"], rows["seat"] = self.games._core.samples()[chosen], self._seats[chosen]
        rows["early"], rows["done"] = self._early[chosen], self.games.done[chosen]
        body = rows.tobytes() + self.games.get_state(chosen)
        return _MAGIC + len(chosen).to_bytes(8, "little") + zlib.crc32(body).to_bytes(4, "little") + body

    def set_state(self, ids: Any, data: bytes) -> None:
        """Restores a snapshot into the games ``ids`` (``None`` for all), which then continue identically if
        the opponents are the same and do not keep memories of their own.

        Raises :class:`InvalidState` for bytes that are not a snapshot of this environment, version and
        options.
        """
        chosen = checks.games(ids, self.num_envs)
        rows, snapshot = _read(checks.octets("data", data), len(chosen), self.game_spec.players)
        self.games.set_state(chosen, snapshot)
        self._numbers[chosen], self._episode[chosen] = rows["number"], rows["episode"]
        self._seats[chosen], self._early[chosen] = rows["seat"], rows["early"]
        # The flag of the last step, which a restored game does not have.
        self.games.done[chosen] = rows["done"]
        for flags, restored in zip(self._renewed_flags(), (False, False, rows["done"])):
            flags[chosen] = restored
        self._seeds[...] = self.games.seeds()
        self.seed = self.games.seed
        samples = self.games._core.samples()
        samples[chosen] = rows["samples"]
        self.games._core.set_samples(samples)
        self._resumed(chosen)

    def fork(self, src: Any, dst: Any) -> None:
        """Copies game ``src[k]`` with its seats and opponents into game ``dst[k]``, which keeps its own
        random stream; as :meth:`VectorEnv.fork`."""
        sources, targets = (checks.games(games, self.num_envs) for games in (src, dst))
        if self._broken:
            raise LudovecError(_HALFWAY)
        done = self.games.done.copy()
        self.games.fork(sources, targets)
        if len(sources) == 1:
            sources = np.repeat(sources, len(targets))
        for array in (self._seats, self._early, self._opponent_at, self.reward):
            array[targets] = array[sources]
        for flags in self._renewed_flags():
            flags[targets] = flags[sources]
        self.games.done[targets] = done[sources]
        self._show_finished(targets)
        self._fresh = False

    def set_position(self, id: int, position: PositionLike) -> None:
        """Sets the position of a game, as :meth:`VectorEnv.set_position`, and plays on up to the learner's
        decision."""
        game = np.array([checks.game(id, self.num_envs)], dtype=np.uint32)
        self.games.set_position(int(game[0]), position)
        self._early[game] = 0
        self._broken = True
        self._play_on()
        self._broken = self._fresh = False
        self._show_finished(game)

    def set_starts(
        self, starts: Sequence[PositionLike] | None, weights: Sequence[float] | None = None
    ) -> None:
        """Changes the positions from which later episodes start, as :meth:`VectorEnv.set_starts`."""
        self.games.set_starts(starts, weights)
        if self._remake is not None:
            found = self.games._starts
            self._remake = partial(self._remake, starts=found if starts is not None else None)

    def add_reward(self, extra: Any) -> Floats:
        """Adds float32 ``[N, P]`` to the rewards of the last step, as :meth:`VectorEnv.add_reward`; returns
        the rewards of that step, which are the array that the step returned.

        Row ``i`` of a finished game is about the finished episode.
        """
        added = checks.floats("extra", extra, (self.num_envs, self.game_spec.players))
        self.games.add_reward(added)
        self.reward += added[self._rows, self._paid_seats]
        return self.reward

    def __reduce__(self) -> Any:
        """Pickles arguments and games. Opponents must be texts; the copy continues identically."""
        if self._remake is None or not _all_texts(self._opponents):
            raise LudovecError(
                "opponents that are functions or objects cannot be pickled: save get_state(), make the "
                "environment with them again, and set_state there"
            )
        remake = partial(self._remake, opponents=self._opponents, render_mode=self.render_mode)
        return _restore, (remake, self.get_state())

    def __repr__(self) -> str:
        return f"<ludovec.SeatVectorEnv {described(self)} autoreset={self.autoreset}>"

    # ---- internal ----

    def _renewed_flags(self) -> tuple[Flags, Flags, Flags]:
        """Copies of the flags as the columns: callers keep the arrays of the last step."""
        self.terminated, self.truncated = self.terminated.copy(), self.truncated.copy()
        self.done = self.done.copy()
        return self.terminated, self.truncated, self.done

    def _clear(self) -> None:
        """Results as after a reset."""
        self.reward = np.zeros(self.num_envs, dtype=np.float32)
        self.terminated, self.truncated, self.done = (np.zeros(self.num_envs, np.bool_) for _ in range(3))

    def _info(self) -> dict[str, Any]:
        """Info entries of the current games."""
        shown = self.games._info
        names = [name for name in ("action_mask", "legal_action_mask", "action_mask_bits") if name in shown]
        info: dict[str, Any] = {name: shown[name] for name in names}
        info["seat"] = self.seats
        if "seed" in shown:
            info["seed"] = shown["seed"]
        info |= {f"_{name}": shown["_current_player"] for name in info}
        return BitInfo(info) if "action_mask_bits" in shown else info

    def _finish(self, done: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Writes the learner's last observation of finished games; restarts them in same-step mode."""
        games = self.games
        ended = np.flatnonzero(done)
        if self._checkpoints is not None:
            self._count(self._checkpoints, ended)
        self._show_finished(ended)
        final: dict[str, Any] = {"scores": games.final_scores, "returns": games.final_returns}
        if self.autoreset != "same_step":
            return self._info() | final | {f"_{name}": done for name in final}
        self.final_player[ended] = self.seats[ended]
        final |= {"seat": self.seats.copy(), "episode_length": games.episode_length.copy()}
        shown: dict[str, Any] = {"final_info": final | {f"_{name}": done for name in final}}
        if games.observations.size:
            self.final_observations[ended] = games.observations[ended]
            rows = np.full(self.num_envs, None, dtype=object)
            for i in ended.tolist():
                rows[i] = games.observations[i].copy()
            shown["final_obs"] = rows
        self._restart(done)
        return self._info() | shown | {f"_{name}": done for name in shown}

    def _count(self, checkpoints: Checkpoints, ended: npt.NDArray[np.int64]) -> None:
        """Counts finished games against checkpoints, and reads their folder from time to time."""
        games = self.games
        points = seating.points_against(games.final_returns[ended], self.seats[ended], games.truncated[ended])
        for row, indices in zip(points.tolist(), self._opponent_at[ended].tolist()):
            for got, index in zip(row, indices):
                if index >= 0:
                    checkpoints.record(checkpoints.opponents[index], got)
        self._counted += len(ended)
        if self._counted >= checkpoints.rescan_episodes:
            self._counted = 0
            before = checkpoints.opponents
            if checkpoints.rescan():
                try:
                    self.set_opponents(checkpoints)
                except LudovecError as error:
                    # Training goes on with the earlier opponents.
                    checkpoints.opponents = before
                    _log.warning("checkpoints %s: %s", checkpoints.folder, error)

    def _show_finished(self, ids: npt.NDArray[Any]) -> None:
        """Writes the learner's observation of finished games in which another player moved last."""
        games = self.games
        for i in ids[games.done[ids]].tolist():
            if games.observations.size and games.current_player[i] != self.seats[i]:
                games.observations[i] = self._view(i)

    def _resumed(self, ids: npt.NDArray[Any]) -> None:
        """Seats the opponents of restored games."""
        chosen = np.zeros(self.num_envs, dtype=np.bool_)
        chosen[ids] = True
        self._assign(chosen, seats=False)
        self._broken = self._broken and not chosen.all()
        self._fresh = False
        self._show_finished(ids)

    def _view(self, i: int) -> Array:
        """The learner's observation in a game."""
        seen = self.games._core.observe(i, int(self.seats[i]))
        observations = self.games.observations
        if observations.dtype == np.float32:
            return (seen * self.game_spec.scales).reshape(observations.shape[1:])
        return seen.reshape(observations.shape[1:])

    def _restart(self, done: npt.NDArray[np.bool_]) -> None:
        self.games.reset(options={"reset_mask": done})
        self._episode[done] += 1
        self._begin(done)

    def _begin(self, fresh: npt.NDArray[np.bool_]) -> None:
        """Plays new games up to the learner's first decision; games that end before it are restarted."""
        while True:
            self._assign(fresh)
            self._play_on()
            early = self.games.credit[self._rows, self.seats]
            self._early[fresh] = early[fresh]
            ended = fresh & self.games.done
            if not ended.any():
                return
            self.games.reset(options={"reset_mask": ended})
            self._episode[ended] += 1
            fresh = ended

    def _assign(self, chosen: npt.NDArray[np.bool_], seats: bool = True) -> None:
        """Assigns seats in some games: equal for equal seeds, games and episodes."""
        ids = np.flatnonzero(chosen)
        players = self.game_spec.players
        seeds, numbers, episodes = self._seeds[ids], self._numbers[ids], self._episode[ids]
        if seats:
            rule = self._seat_rule
            if isinstance(rule, str):
                self._seats[ids] = seating.learner_seats(rule, seeds, numbers, episodes, players)
            else:
                self._seats[ids] = rule[ids]
        tables = seating.tables_in_turn(self._tables, numbers, episodes, players)
        for k in range(players - 1):
            others = tables[:, k]
            if self._checkpoints is not None:
                drawn = seating.uniform(self._checkpoints.seed, k, seeds, numbers, episodes)
                others = self._checkpoints.draw(drawn)
            self._opponent_at[ids, (self.seats[ids] + 1 + k) % players] = others
        self._opponent_at[ids, self.seats[ids]] = -1

    def _note(self, ids: npt.NDArray[np.int64] | None, actions: npt.NDArray[Any]) -> None:
        """Tells the opponents that read moves of the learner's."""
        assert self._players is not None
        players = self._players.players
        if players.reads_moves():
            games = None if ids is None else ids.astype(np.uint32)
            self.games._core.note_moves(players, games, actions.astype(np.int32))

    def _play_on(self) -> None:
        assert self._players is not None
        faults = self.games._core.play_on(self._players.players, self._opponent_at)
        self._players.log(faults)
        for name, *_ in faults:
            self.faults[name] = self.faults.get(name, 0) + 1


#: A snapshot: magic and format, number of games, checksum, one row per game, a snapshot of the games.
_MAGIC = b"ludoseat\x01\0\0\0"
_ROW = np.dtype(
    [
        ("number", "<i8"),
        ("episode", "<i8"),
        ("samples", "<u8"),
        ("seat", "<i4"),
        ("early", "<f4"),
        ("done", "<u8"),
    ]
)


def _read(data: bytes, games: int, players: int) -> tuple[Any, bytes]:
    """The rows and the snapshot of the games in a snapshot of seats."""
    head, body = data[: len(_MAGIC) + 12], data[len(_MAGIC) + 12 :]
    if len(head) < len(_MAGIC) + 12 or not head.startswith(_MAGIC):
        raise state_error("snapshot: these bytes are not a snapshot of an environment of one seat")
    count = int.from_bytes(head[-12:-4], "little")
    if zlib.crc32(body) != int.from_bytes(head[-4:], "little"):
        raise state_error("snapshot: the checksum does not match")
    if count != games or len(body) < count * _ROW.itemsize:
        raise state_error(f"the snapshot has {count} games, {games} were requested")
    rows = np.frombuffer(body, _ROW, count)
    if ((rows["seat"] < 0) | (rows["seat"] >= players) | ~np.isfinite(rows["early"])).any():
        raise state_error("snapshot: a seat does not exist, or a reward is not finite")
    if ((rows["number"] < 0) | (rows["episode"] < 0) | (rows["done"] > 1)).any():
        raise state_error(
            "snapshot: a number of a game or an episode is negative, or a flag is neither 0 nor 1"
        )
    return rows, body[count * _ROW.itemsize :]


def _all_texts(opponents: Any) -> bool:
    if isinstance(opponents, Mapping):
        opponents = list(opponents.values())
    return isinstance(opponents, str) or (
        isinstance(opponents, (list, tuple)) and all(_all_texts(entry) for entry in opponents)
    )


def _restore(remake: Callable[..., SeatVectorEnv], state: bytes) -> SeatVectorEnv:
    env = remake()
    env.set_state(None, state)
    return env


def seat_env(games: VectorEnv, opponents: Any, *, seat: Any, **arguments: Any) -> SeatVectorEnv:
    """Makes the environment; closes the games if that fails."""
    try:
        return SeatVectorEnv(games, opponents, seat=seat, **arguments)
    except BaseException:
        games.close()
        raise
