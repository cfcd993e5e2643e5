"""Opponents of self-play on a cluster: the learner has one seat per game, opponents play the others.

The driver draws no opponents: it publishes a lineup with every fragment, as it publishes weights. The worker
draws from the lineup when an episode starts, with the random stream of that episode, and the state of a shard
holds the opponents of its games. So a fragment still depends on the state of its shard and on what was
published.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .._core import LudovecError
from .._shared.errors import config_error
from .._shared.extras import extra
from ..envs.vector import Array, VectorEnv
from ..networks import SentNetwork, of_player, sent
from ..players import seating
from ..players.checkpoints import Checkpoints, selected
from ..players.python_bots import opponents_of
from ..spec import Spec
from . import errors
from .policies import Decided, Info, Policies, policy_of

if TYPE_CHECKING:
    from .fragments import Fragment

with extra("ray"):
    import ray

_log = logging.getLogger("ludovec")

#: Column with the opponent that decides, as an index; -1 for the learner.
COLUMN = "opponent"


@dataclass(frozen=True)
class Roster:
    """The opponents that a worker may need, by index in the whole run; in the object store."""

    players: Mapping[int, Any]
    """References of packed players: of ``drawn``, and of episodes under way."""
    drawn: tuple[int, ...]
    """Opponents of new episodes."""
    tables: npt.NDArray[np.int32] | None
    """[tables, players - 1] as positions in ``drawn``, played in turn; None to draw by probabilities."""
    seed: int


@dataclass(frozen=True)
class Lineup:
    """The opponents of the episodes that start in a fragment."""

    roster: Any
    """Reference of a :class:`Roster`."""
    number: int
    """Number of the roster."""
    drawn: tuple[int, ...]
    probabilities: npt.NDArray[np.float64] | None


class League:
    """The opponents at the driver: it counts results and reads the folder of checkpoints again."""

    def __init__(self, opponents: Any, spec: Spec) -> None:
        self._spec = spec
        self._checkpoints = opponents if isinstance(opponents, Checkpoints) else None
        listed = opponents if self._checkpoints is None else list(self._checkpoints.opponents)
        named, tables = opponents_of(listed, spec.players)
        named = [(name, sent(one)) for name, one in named]
        for name, player in named:
            self._check(name, player)
        self._tables = None if self._checkpoints is not None else np.array(tables, np.int32)
        #: Names of all opponents of the run, by index.
        self.names: list[str] = []
        #: References of packed players, by index.
        self._players: dict[int, Any] = {}
        #: Finished episodes since the folder was read.
        self._counted = 0
        self._number = -1
        #: Whether an opponent is a function on arrays.
        self.has_functions = not all(isinstance(one, (str, SentNetwork)) for _, one in named)
        self._publish(named, ())

    def lineup(self) -> Lineup:
        """The opponents of a fragment that starts now."""
        probabilities = None if self._checkpoints is None else self._checkpoints.probabilities()
        return Lineup(self._roster, self._number, self._drawn, probabilities)

    def count(self, fragment: Fragment, points: npt.NDArray[np.float64]) -> bool:
        """Counts the results of a delivered fragment; returns whether the folder should be read again."""
        checkpoints = self._checkpoints
        if checkpoints is None:
            return False
        for row, indices in zip(points.tolist(), fragment.seated.tolist()):
            for got, index in zip(row, indices):
                if index >= 0:
                    checkpoints.record(self.names[index], got)
        self._counted += len(fragment.ends)
        return self._counted >= checkpoints.rescan_episodes

    def rescan(self, under_way: Iterable[int]) -> None:
        """Reads the folder again. The opponents ``under_way`` stay available."""
        checkpoints = self._checkpoints
        assert checkpoints is not None
        self._counted = 0
        before = checkpoints.opponents
        if not checkpoints.rescan():
            return
        try:
            for text in checkpoints.opponents:
                if text not in before:
                    self._check(text, sent(text))
            self._publish([(text, text) for text in checkpoints.opponents], under_way)
        except LudovecError as error:
            # Training goes on with the earlier opponents.
            checkpoints.opponents = before
            _log.warning("checkpoints %s: %s", checkpoints.folder, error)

    def identity(self) -> Any:
        """What a checkpoint and its continuation must have in common."""
        if self._checkpoints is None:
            assert self._tables is not None
            return self.names, self._tables.tolist()
        return "checkpoints", self._checkpoints.priority, self._checkpoints.power, self._checkpoints.seed

    def state(self, under_way: Iterable[int]) -> dict[str, Any]:
        """Counts, and opponents of episodes under way with the content of their files; plain data."""
        if self._checkpoints is None:
            return {}
        players = {index: ray.get(self._players[index]) for index in under_way}
        counts = {"counted": self._counted, **self._checkpoints.state()}
        return {"names": list(self.names), "players": players, **counts}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state`."""
        if self._checkpoints is None:
            return
        self._checkpoints.load_state(state)
        self._counted, self.names = state["counted"], list(state["names"])
        self._players = {index: errors.put("opponents", player) for index, player in state["players"].items()}
        self._publish([(text, text) for text in self._checkpoints.opponents], self._players)

    def _publish(self, named: Iterable[tuple[str, Any]], under_way: Iterable[int]) -> None:
        """Puts a roster with these opponents into the object store."""
        names, players, drawn = list(self.names), dict(self._players), []
        for name, player in named:
            if name not in names:
                names.append(name)
            index = names.index(name)
            drawn.append(index)
            if index not in players:
                players[index] = errors.put("opponents", sent(player))
        needed = {*drawn, *under_way}
        players = {index: player for index, player in players.items() if index in needed}
        seed = 0 if self._checkpoints is None else self._checkpoints.seed
        self._roster = errors.put("opponents", Roster(players, tuple(drawn), self._tables, seed))
        self._number += 1
        self.names, self._players, self._drawn = names, players, tuple(drawn)

    def _check(self, name: str, player: Any) -> None:
        """Raises if a player cannot play; the message has its name."""
        if not (isinstance(player, (str, SentNetwork)) or callable(player)):
            raise config_error(f"opponents: {name!r:.80}: a text or a function on arrays is needed")
        if isinstance(player, SentNetwork):
            try:
                of_player(player, self._spec)
            except LudovecError as error:
                raise config_error(f"opponents: {name}: {error}") from error


class Seats:
    """The seats of a shard's games, of the learner and of its opponents."""

    def __init__(self, rule: Any, env: VectorEnv, games: npt.NDArray[np.int64], seed: int) -> None:
        """``rule`` is ``"rotating"``, ``"random"`` or an index."""
        self._rule, self._env, self._games, self._seed = rule, env, games, seed
        #: int32 [N, P]: opponent at every seat, as an index; -1 for the learner.
        self.at = np.full((env.num_envs, env.game_spec.players), -1, np.int32)
        self._rows = np.arange(env.num_envs)
        self._roster: Roster | None = None
        self._probabilities: npt.NDArray[np.float64] | None = None
        self._players: dict[int, Any] = {}
        #: The memory of the opponents of a restored shard, until their first decision.
        self.memories: dict[int, Any] = {}
        #: Data type and shape of the learner's extra columns, once they are known.
        self._columns: dict[str, tuple[Any, tuple[int, ...]]] | None = None

    def use(self, roster: Roster, probabilities: npt.NDArray[np.float64] | None) -> None:
        """Takes the lineup of a fragment."""
        self._roster, self._probabilities = roster, probabilities
        self._players = {index: one for index, one in self._players.items() if index in roster.players}
        self.memories = {index: one for index, one in self.memories.items() if index in roster.players}

    def memory(self) -> dict[int, Any]:
        """The memory of the opponents, in serializable form."""
        return self.memories | {index: player.memory() for index, player in self._players.items()}

    def start(self, ids: npt.NDArray[np.int64], episodes: npt.NDArray[np.int64]) -> None:
        """Assigns seats and opponents to episodes that start."""
        roster = self._roster
        assert roster is not None
        games, players = self._games[ids], self.at.shape[1]
        seeds = np.full(len(ids), self._seed, np.uint64)
        own = self._rule
        if isinstance(own, str):
            own = seating.learner_seats(own, seeds, games, episodes, players)
        drawn = np.array(roster.drawn, np.int32)
        if roster.tables is not None:
            tables = seating.tables_in_turn(roster.tables, games, episodes, players)
        for k in range(players - 1):
            if self._probabilities is None:
                chosen = tables[:, k]
            else:
                numbers = seating.uniform(roster.seed, k, seeds, games, episodes)
                chosen = selected(self._probabilities, numbers)
            self.at[ids, (own + 1 + k) % players] = drawn[chosen]
        self.at[ids, own] = -1

    def ended(self, ids: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Opponents [n, P] and the learner's points against them, of episodes that have just ended."""
        env, seated = self._env, self.at[ids]
        own = (seated < 0).argmax(axis=1)
        return seated, seating.points_against(env.final_returns[ids], own, env.truncated[ids])

    def decide(self, learner: Policies, info: Info) -> Decided:
        """Selects actions in the games with ``info["valid"]``, of the learner and of opponents."""
        env = self._env
        who = np.where(info["valid"], self.at[self._rows, env.current_player], -1).astype(np.int32)
        own = info["valid"] & (who < 0)
        actions, more, legal = self._learner(learner, info, own)
        for index in np.unique(who[who >= 0]).tolist():
            mine = who == index
            chosen, _, _ = self._player(index).decide(env, {**info, "valid": mine})
            actions[mine] = np.asarray(chosen)[mine]
        if COLUMN in more:
            raise config_error(f"policy: the column {COLUMN!r} is that of the opponents")
        more[COLUMN] = who
        return actions, more, legal

    def _learner(
        self, learner: Policies, info: Info, own: npt.NDArray[np.bool_]
    ) -> tuple[npt.NDArray[np.int32], dict[str, Array], Any]:
        """Actions and columns of the learner, with 0 in the decisions of opponents."""
        n = len(own)
        if self._columns is not None and not own.any() and not learner.searches:
            empty = {name: np.zeros((n, *shape), dtype) for name, (dtype, shape) in self._columns.items()}
            return np.zeros(n, np.int32), empty, None
        # The first call has the shapes of the columns, even if no decision is the learner's.
        chosen, columns, legal = learner.decide({**info, "valid": own})
        more = {}
        for name, column in columns.items():
            more[name] = np.zeros_like(column)
            more[name][own] = column[own]
        self._columns = {name: (column.dtype, column.shape[1:]) for name, column in more.items()}
        actions = np.zeros(n, np.int32)
        actions[own] = np.asarray(chosen)[own]
        return actions, more, legal

    def _player(self, index: int) -> Any:
        """An opponent, made when it has its first decision."""
        if index not in self._players:
            assert self._roster is not None
            given = ray.get(self._roster.players[index])
            self._players[index] = policy_of(given, None, self._env, self._seed)
            if index in self.memories:
                self._players[index].recall(self.memories.pop(index))
        return self._players[index]
