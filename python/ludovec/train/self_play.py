"""Games that play for the learner: imitation of bots, self-play with the tree search or the policy alone."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..data.columns import Ragged, joined, offsets_of, selected
from ..data.fragments import Recorder, Unfinished
from ..envs.make import make
from ..envs.vector import VectorEnv
from ..players.python_bots import Chooser
from ..search import TreeSearch
from .configuration import Config
from .inference import run
from .replay import Positions
from .targets import positions_of, seats_from

Array = npt.NDArray[Any]


def legal_actions(mask_bits: Array, num_actions: int) -> tuple[Array, Array]:
    """The legal actions of all rows: offsets [n + 1] and actions [total]."""
    from ..envs.packed import unpack_bits

    rows, actions = np.nonzero(unpack_bits(mask_bits, num_actions))
    return np.searchsorted(rows, np.arange(len(mask_bits) + 1)), actions.astype(np.int32)


def has_choice(mask_bits: Array) -> Array:
    """bool [n]: whether a row has several legal actions."""
    words = (mask_bits != 0).sum(1)
    several = (mask_bits & (mask_bits - np.uint64(1))).any(1)
    result: Array = (words > 1) | several
    return result


class Games:
    """Parallel games of one kind in one shard. Everything is a function of the seed and the networks."""

    def __init__(self, config: Config, kind: int, shard: int, for_gpu: bool = False) -> None:
        """``for_gpu``: all batches of the network have one size, and are in page-locked memory."""
        self.config, self.kind = config, kind
        kinds = len(config.options)
        # The first shards and kinds of games take the remainders.
        of_kind = config.games // kinds + (kind < config.games % kinds)
        count = of_kind // config.shards + (shard < of_kind % config.shards)
        seed = int(np.random.SeedSequence([config.seed, kind, shard]).generate_state(1, np.uint64)[0])
        options: dict[str, Any] = {**config.options[kind], "reward": config.reward, "autoreset": "same_step"}
        options["starts"] = config.openings(kind)
        self.env: VectorEnv = make(config.env, count, num_threads=1, seed=seed, mask="bits", **options)
        self.spec = self.env.game_spec
        #: `None`: the policy plays alone.
        self.search = self._search(seed, for_gpu) if config.simulations else None
        self.rng = np.random.default_rng([config.seed, kind, shard])
        #: The decisions of games under way.
        self.played = Unfinished()
        self.teachers = self._drawn_teachers(count)
        #: The bots by name, once they have played.
        self._choosers: dict[str, Chooser] = {}
        self.finished = self.moves = 0

    def _search(self, seed: int, for_gpu: bool) -> TreeSearch:
        config = self.config
        settings: dict[str, Any] = {"value": "seats", "seed": seed, "num_threads": 1}
        if for_gpu:
            shape = (self.env.num_envs, *self.spec.observation_shape)
            pinned = torch.empty(shape, dtype=torch.uint8, pin_memory=torch.cuda.is_available())
            settings |= {"pad": True, "out": {"observations": pinned}}
        return TreeSearch(self.env, config.simulations, considered=config.considered, **settings)

    # ---- play ----

    def imitate(self, moves: int, check: Callable[[], None]) -> Positions:
        """Bots play, now and then at random.

        The target of a position is the first bot's action, its policy, or the shares of its simulations.
        """
        config, env = self.config, self.env
        everyone, recorder = np.arange(env.num_envs), self._recorder(moves)
        for _ in range(moves):
            check()
            names = self.teachers[everyone, env.current_player]
            offsets, legal = legal_actions(env.action_mask_bits, self.spec.num_actions)
            best, policy = self._taught(config.teachers[0], offsets, legal)
            actions = best.copy()
            for name in sorted(set(config.teachers[1:])):
                ids = np.flatnonzero(names == name)
                if len(ids):
                    check()
                    actions[ids] = self._chooser(name).actions(ids)[ids]
            lost = self.rng.random(env.num_envs) < config.astray
            actions[lost] = env.sample_actions()[lost]
            self._step(recorder, actions, np.diff(offsets) > 1, (offsets, legal, policy))
        return self._learned(recorder)

    def _taught(self, teacher: str, offsets: Array, legal: Array) -> tuple[Array, Array]:
        """A teacher's actions, int32 [n], and its policies over the legal actions, float16 [total]."""
        who = np.zeros((self.env.num_envs, self.spec.players), np.int32)
        best, found, _ = self._chooser(teacher).choose(who)
        starts, counts = offsets[:-1], np.diff(offsets)
        is_best = legal == np.repeat(best, counts)
        if found is None:
            return best, is_best.astype(np.float16)
        visits = found[2]
        totals = np.repeat(np.add.reduceat(visits, starts), counts)
        shares = np.where(totals > 0, visits / np.maximum(totals, 1), found[1])
        # An action that is best without the most visits is proven to be.
        proven = np.repeat(visits[is_best] < np.maximum.reduceat(visits, starts), counts)
        return best, np.where(proven, is_best, shares).astype(np.float16)

    def play(self, player: Any, moves: int, check: Callable[[], None]) -> Positions:
        """Plays with the search, or by the policy alone."""
        env, recorder = self.env, self._recorder(moves)
        for _ in range(moves):
            choice = has_choice(env.action_mask_bits)
            played: tuple[Array, Array, Ragged | None]
            if self.search is None:
                check()
                played = self._drawn(player)
            else:
                played = self._searched(self.search, choice, player, check)
            actions, values, policy = played
            self._step(recorder, actions, choice, policy, values)
        return self._learned(recorder)

    def _searched(
        self, search: TreeSearch, choice: Array, player: Any, check: Callable[[], None]
    ) -> tuple[Array, Array, Ragged | None]:
        """Actions of the search, its values by seat, and its policies; forced moves have neither."""
        bits, count = self.env.action_mask_bits, self.env.num_envs
        actions = np.zeros(count, np.int32)
        values = np.full((count, self.spec.players), np.nan, np.float32)
        forced, searched = np.flatnonzero(~choice), np.flatnonzero(choice)
        if len(forced):
            _, actions[forced] = legal_actions(bits[forced], self.spec.num_actions)
        if not len(searched):
            return actions, values, None
        search.start(searched)
        run(search, player, check)
        actions[searched], values[searched] = search.actions[searched], search.values[searched]
        # Rows of other games are empty.
        policy = search.root_offsets, search.root_actions, search.policy_legal.astype(np.float16)
        return actions, values, policy

    def _drawn(self, player: Any) -> tuple[Array, Array, Ragged]:
        """Actions that the policy draws, the network's values by seat, and the policies, in every game."""
        env = self.env
        offsets, legal = legal_actions(env.action_mask_bits, self.spec.num_actions)
        logits, found = player.answer(env.observations, offsets, legal)
        starts, counts = offsets[:-1], np.diff(offsets)

        def of_row(highest: Array) -> Array:
            return np.repeat(np.maximum.reduceat(highest, starts), counts)

        # Gumbel noise draws from the policy.
        keys = logits + self.rng.gumbel(size=len(logits))
        highest = np.flatnonzero(keys == of_row(keys))
        chosen = highest[np.searchsorted(highest, starts)]
        shares = np.exp(logits - of_row(logits))
        policies = shares / np.repeat(np.add.reduceat(shares, starts), counts)
        values = np.empty((env.num_envs, self.spec.players), np.float32)
        np.put_along_axis(values, seats_from(env.current_player, self.spec.players), found, axis=1)
        return legal[chosen], values, (offsets, legal, policies.astype(np.float16))

    def _chooser(self, name: str) -> Chooser:
        """A bot in the games."""
        if name not in self._choosers:
            self._choosers[name] = Chooser(self.env, [(name, name)]).remember()
        return self._choosers[name]

    def _recorder(self, moves: int) -> Recorder:
        return Recorder(self.env, moves, ("observations", "seats", "actions", "rewards", "terminated"))

    def _step(
        self,
        recorder: Recorder,
        actions: Array,
        choices: Array,
        legal: Ragged | None,
        values: Array | None = None,
    ) -> None:
        """Plays and records a move in every game.

        ``choices`` is bool [n], ``legal`` legal actions and policies.
        """
        env = self.env
        if values is None:
            values = np.full((env.num_envs, self.spec.players), np.nan, np.float32)
        recorder.before(actions, {"is_choice": choices, "values": values}, legal)
        env.step(actions)
        self.moves += env.num_envs
        recorder.after({"ended": env.done})
        ended = np.flatnonzero(env.done)
        if self.config.teachers:
            self.teachers[ended] = self._drawn_teachers(len(ended))

    def _learned(self, recorder: Recorder) -> Positions:
        """The positions of the games that have ended, with their targets."""
        if not recorder.at:
            return Positions.empty(self.spec)
        steps, count = recorder.at, recorder.games
        columns: dict[str, Any] = {
            name: column.reshape(-1, *column.shape[2:]) for name, column in recorder.columns().items()
        }
        none = np.zeros(steps * count + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float16)
        columns["legal"] = joined(recorder.policies, [count] * steps) or none
        columns["games"] = np.tile(np.arange(count, dtype=np.int32), steps)
        games, offsets = self.played.add(columns)
        # A truncated game has no outcome to learn from, but its points were earned.
        counts = games["terminated"][offsets[1:] - 1] | (self.config.reward != "outcome")
        self.finished += int(counts.sum())
        games = selected(games, np.repeat(counts, np.diff(offsets)))
        kept = offsets_of(np.diff(offsets)[counts])
        return positions_of(games, kept, self.spec, self.config)

    def _drawn_teachers(self, count: int) -> Array:
        names = _array_of(self.config.teachers or [""])
        return self.rng.choice(names, (count, self.spec.players))

    # ---- state ----

    def state(self) -> dict[str, Any]:
        """The games as they are now; later moves do not change it."""
        return {
            "games": self.env.get_state(),
            "samples": self.env._core.samples(),
            "rng": deepcopy(self.rng.bit_generator.state),
            "played": dict(self.played.columns),
            "teachers": self.teachers.tolist(),
            "memories": {name: chooser.memory() for name, chooser in self._choosers.items()},
            "finished": self.finished,
            "moves": self.moves,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continues from a state."""
        self.env.set_state(None, state["games"])
        self.env._core.set_samples(state["samples"])
        self.rng.bit_generator.state = state["rng"]
        self.played.columns = dict(state["played"])
        self.teachers = np.array(state["teachers"], object)
        for name, memory in state["memories"].items():
            self._chooser(name).recall(memory)
        self.finished, self.moves = state["finished"], state["moves"]

    def close(self) -> None:
        """Closes the games."""
        self.env.close()


def _array_of(names: list[str]) -> Array:
    """Names in an array with room for longer ones: a resumed run may have other bots."""
    return np.array(names, object)
