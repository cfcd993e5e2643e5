"""Bots written in Python, as the engine calls them."""

from __future__ import annotations

import json
import logging
import operator
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from .. import _core
from .._shared import checks
from .._shared.errors import config_error, shown
from ..game import Game
from ..networks import Network, SentNetwork
from ..spec import Spec
from .functions import FunctionPlayer, in_seat_order
from .objects import answer, encode

#: Answers to the engine: for each game an action, or an error message if it is invalid.
Answers = Sequence[int | str] | npt.NDArray[np.int64]
#: The same; of logits the policies, offsets and probabilities of the legal actions; values [n, P] by seat.
RowAnswers = tuple[Answers, tuple[Any, Any] | None, Any]
_log = logging.getLogger("ludovec")
#: Default number of rows per call of a function, over all players.
_ROWS = 256
#: Default time limit in seconds for a move of an object or an HTTP bot.
_TIME_LIMIT = 2.0


class PythonBot:
    """A bot written in Python: a function on arrays (:class:`ludovec.players.ArrayBot`) or an object with
    ``turn``.

    The engine calls ``games`` or, if ``rows`` is set, ``arrays``: with that many rows if ``fixed``, else with
    any power of two up to it. Faults of a function raise, unless ``on_fault`` is ``"lose_move"``.
    """

    def __init__(
        self,
        spec: Spec,
        name: str,
        bot: Any,
        *,
        time_limit: float | None,
        on_fault: str,
        rows: int | None,
        fixed: bool,
    ) -> None:
        self.rows: int | None = None
        self.fixed = fixed
        self.takes_games = False
        self._spec, self._name, self._bot = spec, name, bot
        self._raises = False
        self._row_starts = np.empty(0, dtype=np.int64)
        if hasattr(bot, "turn"):
            time_limit = _TIME_LIMIT if time_limit is None else time_limit
        elif callable(bot):
            self._function = bot if isinstance(bot, FunctionPlayer) else FunctionPlayer(bot)
            self.rows = max(1, _ROWS // spec.players) if rows is None else rows
            self.takes_games = self._function.takes_info
            self._raises = on_fault == "raise"
        else:
            raise config_error(
                f"bot {bot!r}: a name, a function on arrays or an object with turn() is needed"
            )
        self._worker = None if time_limit is None else _Worker(time_limit)

    def close(self) -> None:
        """Ends the worker thread once the bot has finished its last move."""
        if self._worker is not None:
            self._worker.close()

    def games(self, games: list[_core.SingleGame]) -> Answers:
        """One answer per game."""
        if self.rows is None:
            return [self._ask_about(game) for game in games]
        shown = [Game._wrap(game, self._spec) for game in games]
        observations = np.stack([game.observation() for game in shown])
        masks = np.stack([game.action_mask() for game in shown])
        players = np.array([game.current_player for game in shown], dtype=np.int32)
        return self.arrays(observations, masks, players, games, len(games))[0]

    def arrays(
        self,
        observations: npt.NDArray[np.uint8],
        masks: npt.NDArray[Any],
        players: npt.NDArray[np.int32],
        games: list[_core.SingleGame],
        count: int,
    ) -> RowAnswers:
        """One answer for each of the first ``count`` rows, and policies and values of all rows."""
        n, spec = len(players), self._spec
        masks = masks.view(np.bool_)
        if not observations.shape[1]:
            # The environment shows none; rows after the games are padding.
            seen = np.stack([game.observation(None) for game in games])
            observations = seen[np.where(np.arange(n) < len(seen), np.arange(n), 0)]
        if observations[0].size == spec.observation_len:
            observations = observations.reshape((n, *spec.observation_shape))
        info = None
        if self._function.takes_info:
            info = {
                "current_player": players,
                "games": _Games(games, n, spec),
                "valid": np.arange(n) < count,
            }
        try:
            result = self._run(self._function.ask, spec, observations, masks, info)
        except _Lost as lost:
            return [self._fault(str(lost), lost.error)] * count, None, None
        try:
            said = self._function.answer(spec, result, masks)
        except ValueError as error:
            return [self._fault(str(error))] * count, None, None
        policy = None if said.offsets is None else (said.offsets, said.shares)
        values = None if said.values is None else in_seat_order(said.values, players)
        return self._legal(said.actions, masks, players, count), policy, values

    def _legal(
        self, chosen: Any, masks: npt.NDArray[Any], players: npt.NDArray[np.int32], count: int
    ) -> Answers:
        """The actions that a function chose, or their faults."""
        if isinstance(chosen, np.ndarray):
            # Fast path: integers, all legal. Viewed as unsigned, negative ones are too large.
            usual = chosen[:count].astype(np.int64)
            if usual.view(np.uint64).max(initial=0) < self._spec.num_actions:
                if not self._raises or masks.take(self._starts(masks)[:count] + usual).all():
                    return usual
        answers = [self._checked(action) for action in chosen[:count]]
        if self._raises:
            played = np.array(answers, dtype=np.int64)
            wrong = np.flatnonzero(~masks[np.arange(count), played])
            if wrong.size:
                raise self._illegal(int(played[wrong[0]]), int(players[wrong[0]]))
        return answers

    def _starts(self, masks: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Offset of each mask row in memory."""
        if len(self._row_starts) < len(masks):
            self._row_starts = np.arange(len(masks), dtype=np.int64) * masks.shape[1]
        return self._row_starts

    def _ask_about(self, game: _core.SingleGame) -> int | str:
        try:
            reply = self._run(answer, self._spec.env, self._bot, json.loads(game.bot_request()))
            try:
                return game.action_from_bot_reply(encode(reply))
            except _core.LudovecError as error:
                return f"{reply['action']!r:.200}: {error}"
        except (_Lost, _core.LudovecError, TypeError, ValueError) as error:
            return str(error)

    def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._worker is not None:
            return self._worker.run(function, *arguments)
        if self._raises:
            try:
                return function(*arguments)
            except Exception as error:
                self._name_in(error)
                raise
        try:
            return function(*arguments)
        # Everything that a bot raises, SystemExit included, is a fault of the bot; Ctrl-C belongs to the
        # caller.
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise _Lost(f"{type(error).__name__}: {error}", error) from error

    def _checked(self, action: Any) -> int | str:
        """The action, or an error message if it is invalid."""
        last = self._spec.num_actions - 1
        try:
            number: int = operator.index(action)
        except TypeError:
            shown = " ".join(repr(action).split())
            return self._fault(f"an integer from 0 to {last} is needed, {shown:.100} was returned")
        return number if 0 <= number <= last else self._fault(f"action {number}: actions are 0 to {last}")

    def _fault(self, reason: str, error: BaseException | None = None) -> str:
        if not self._raises:
            return reason
        if error is not None:
            self._name_in(error)
            raise error
        raise _core.IllegalAction(f"illegal action: bot {self._name}: {reason}")

    def _name_in(self, error: BaseException) -> None:
        """Names the player in the traceback of its own exception (Python 3.11)."""
        add_note = getattr(error, "add_note", None)
        if add_note is not None:
            add_note(f"raised by the player {shown(self._name, 100)}")

    def _illegal(self, action: int, player: int) -> _core.IllegalAction:
        reason = "its bit in the mask is not set"
        place = f"bot {self._name}, player {player}, action {action}"
        error = _core.IllegalAction(f"illegal action: {place}: {reason}")
        error.player, error.action, error.reason = player, action, reason
        return error


class _Games(Sequence[Game]):
    """The games of a call, each wrapped on access; padding rows repeat the first game."""

    def __init__(self, games: list[_core.SingleGame], rows: int, spec: Spec) -> None:
        self._games, self._rows, self._spec = games, rows, spec

    @overload
    def __getitem__(self, index: int) -> Game: ...
    @overload
    def __getitem__(self, index: slice) -> list[Game]: ...
    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._rows))]
        row = range(self._rows)[index]
        return Game._wrap(self._games[row if row < len(self._games) else 0], self._spec)

    def __len__(self) -> int:
        return self._rows


class PlayerPool:
    """Named players in the form that the engine takes. ``close`` ends the threads of Python bots."""

    def __init__(
        self,
        spec: Spec,
        named: Sequence[tuple[str, Any]],
        *,
        time_limit: Any = None,
        on_fault: Any = "raise",
        batch_size: Any = None,
        fixed: bool = False,
        has_observations: bool = True,
    ) -> None:
        if checks.word("on_fault", on_fault) not in ("raise", "lose_move"):
            raise config_error(f"on_fault={on_fault!r}: raise or lose_move is allowed")
        limit = None if time_limit is None else checks.time_limit(time_limit)
        rows = checks.positive_or_none("batch_size", batch_size)
        #: For players in other programs; ``None`` is the engine's default for each kind.
        self.time_limit = limit
        self.players: list[tuple[str, str | SentNetwork | PythonBot]] = []
        try:
            for name, bot in named:
                if isinstance(bot, Network):
                    if bot.env != spec.env:
                        raise config_error(f"bot {name}: the network plays {bot.env}, not {spec.env}")
                    bot = bot.player if bot.content is None else FunctionPlayer(bot, mask="bits")
                if not isinstance(bot, (str, SentNetwork)):
                    bot = PythonBot(
                        spec, name, bot, time_limit=limit, on_fault=on_fault, rows=rows, fixed=fixed
                    )
                    bot.takes_games |= not has_observations
                self.players.append((checks.word("the name of a bot", name), bot))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Ends the threads of the bots."""
        for _, bot in self.players:
            if isinstance(bot, PythonBot):
                bot.close()


class Chosen(NamedTuple):
    """The choices of players in a batch of games."""

    actions: npt.NDArray[np.int32]
    """int32 [N]: 0 in games without a question."""
    policy: tuple[npt.NDArray[np.int64], npt.NDArray[np.float32], npt.NDArray[np.int32]] | None
    """Of players that tell: offsets [N + 1], probabilities of the legal actions, visits of a search."""
    values: npt.NDArray[np.float32] | None
    """[N, P], by seat; NaN where they are unknown."""


class Chooser:
    """Named players that choose in the games of a batch. Lost moves are logged."""

    def __init__(
        self, env: Any, named: Sequence[tuple[str, Any]], *, explore: bool = False, **limits: Any
    ) -> None:
        """With ``explore``, searches have the noise of self-play. ``limits``: as for :class:`PlayerPool`."""
        self._env = env
        has_observations = env.observations.size > 0
        self._pool = PlayerPool(env.game_spec, named, **limits, has_observations=has_observations)
        try:
            self.players = _core.Players(env._core, self._pool.players, self._pool.time_limit, explore)
        except BaseException:
            self.close()
            raise

    def choose(self, who: npt.NDArray[np.int32], tells: bool = True) -> Chosen:
        """Chooses where the current player of a game is a player: ``who`` [N, P] has its index, or -1.

        Without ``tells``, players choose actions alone, which takes less time.
        """
        *chosen, faults = self._env._core.choose(self.players, who, tells)
        self.log(faults)
        return Chosen(*chosen)

    def actions(self, ids: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """int32 [N]: the actions of the first player in the games ``ids``, indices or a mask; 0 in others."""
        who = np.full((self._env.num_envs, self._env.game_spec.players), -1, np.int32)
        who[ids] = 0
        return self.choose(who, tells=False).actions

    @staticmethod
    def log(faults: Sequence[tuple[str, int, int, str]]) -> None:
        """Logs lost moves: player, game, seat and reason."""
        for name, game, player, reason in faults:
            _log.warning("bot %s lost a move as player %d of game %d: %s", name, player, game, reason)

    def remember(self) -> Chooser:
        """Starts to keep a :meth:`memory`."""
        self.players.remember()
        return self

    def memory(self) -> list[list[list[bytes]]]:
        """The memory of the players, with which they go on in another process: plain data."""
        return self.players.memory()

    def recall(self, memory: list[list[list[bytes]]]) -> None:
        """Continues from a memory: searches its positions again."""
        self._env._core.recall(self.players, memory)

    def close(self) -> None:
        """Ends the threads of the players."""
        self._pool.close()


@contextmanager
def player_pool(spec: Spec, named: Sequence[tuple[str, Any]], **arguments: Any) -> Any:
    """:class:`PlayerPool` for the time of a call."""
    players = PlayerPool(spec, named, **arguments)
    try:
        yield players
    finally:
        players.close()


def name_of(bot: Any) -> str:
    """Default name of a bot: its text, or the name of its function or class."""
    if isinstance(bot, Network):
        return bot.player
    return bot if isinstance(bot, str) else getattr(bot, "__name__", type(bot).__name__)


def opponents_of(given: Any, seats: int) -> tuple[list[tuple[str, Any]], list[list[int]]]:
    """Opponents of one player: the distinct opponents by name, and their indices for every table.

    ``given`` is one opponent for all other seats, or tables: a list, or a mapping from names. A table is an
    opponent, or a tuple with one per seat, in turn order after the learner.
    """
    players: list[tuple[str, Any]] = []

    def number(bot: Any, name: str | None = None) -> int:
        for k, (_, known) in enumerate(players):
            if known is bot or (isinstance(bot, str) and known == bot):
                return k
        if not (isinstance(bot, str) or callable(bot) or hasattr(bot, "turn")):
            raise config_error(f"opponents: {bot!r}: a player, or a list or tuple of players, is needed")
        players.append((unique(name or name_of(bot), [n for n, _ in players]), bot))
        return len(players) - 1

    if isinstance(given, Mapping):
        listed: list[tuple[str | None, Any]] = [(str(name), bot) for name, bot in given.items()]
    else:
        listed = [(None, bot) for bot in (given if isinstance(given, (list, tuple)) else [given])]
        if isinstance(given, tuple):
            listed = [(None, given)]
    if not listed:
        raise config_error("opponents: at least one is needed")
    tables = []
    for name, entry in listed:
        others = [number(bot) for bot in entry] if isinstance(entry, tuple) else None
        table = [number(entry, name)] * (seats - 1) if others is None else others
        if len(table) != seats - 1:
            raise config_error(
                f"opponents: {len(table)} were given, {seats - 1} are needed, one per other seat"
            )
        tables.append(table)
    return players, tables


def unique(name: str, taken: Sequence[str]) -> str:
    """The name, with a number appended if it is taken."""
    names = (name if k == 1 else f"{name} {k}" for k in range(1, len(taken) + 2))
    return next(free for free in names if free not in taken)


class _Lost(Exception):
    """A bot loses a move: the reason, and the exception if there was one."""

    def __init__(self, reason: str, error: BaseException | None = None) -> None:
        super().__init__(reason)
        self.error = error


class _Call:
    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        self.done = threading.Event()
        self.result: Any = None
        self.error: BaseException | None = None


class _Worker:
    """Runs calls in a thread of its own, with a time limit per call.

    A call that exceeds its limit cannot be stopped; until it ends, later calls are refused at once.
    """

    def __init__(self, time_limit: float) -> None:
        self._time_limit = time_limit
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._last: _Call | None = None
        # A daemon thread, so that a bot that hangs cannot keep the program alive.
        threading.Thread(target=_work, args=(self._calls,), name="ludovec bot", daemon=True).start()

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._last is not None and not self._last.done.is_set():
            raise _Lost("it is still busy with an earlier move")
        call = self._last = _Call(function, arguments)
        self._calls.put(call)
        if not call.done.wait(self._time_limit):
            raise _Lost(f"no answer within {self._time_limit:g} s")
        if call.error is not None:
            raise _Lost(f"{type(call.error).__name__}: {call.error}", call.error)
        return call.result

    def close(self) -> None:
        self._calls.put(None)


def _work(calls: SimpleQueue[_Call | None]) -> None:
    while (call := calls.get()) is not None:
        try:
            call.result = call.function(*call.arguments)
        # Everything that a bot raises, SystemExit included, is a fault of the bot.
        except BaseException as error:
            call.error = error
        call.done.set()
