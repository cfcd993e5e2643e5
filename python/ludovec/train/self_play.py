"""Games that play for the learner: imitation of bots, and self-play with the tree search."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..registry import make
from ..search import TreeSearch
from ..vector import VectorEnv
from .answers import run
from .configuration import Config
from .replay import Positions
from .targets import Move, positions_of

Array = npt.NDArray[Any]
#: Positions of earlier games that new games may begin in.
_BANK = 512
#: Share of the moves with a position that enters the bank.
_BANKED = 0.02
#: Beginnings of the names of bots that search; the shares of their simulations are a policy.
_SEARCHES = ("search", "flat")


def legal_actions(mask_bits: Array, num_actions: int) -> tuple[Array, Array]:
    """The legal actions of all rows: offsets [n + 1] and actions [total]."""
    from ..packed import unpack_bits

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
        options: dict[str, Any] = {**config.options[kind], "reward": config.reward}
        self.env: VectorEnv = make(config.env, count, num_threads=1, seed=seed, mask="bits", **options)  # type: ignore[call-overload]
        self.spec = self.env.game_spec
        self._searches(seed, for_gpu)
        self.rng = np.random.default_rng([config.seed, kind, shard])
        self.played: list[list[Move]] = [[] for _ in range(count)]
        self.teachers = self._drawn_teachers(count)
        self.bank: list[bytes] = []
        self.finished = self.moves = 0

    def _searches(self, seed: int, for_gpu: bool) -> None:
        config = self.config

        def search(simulations: int) -> TreeSearch:
            settings: dict[str, Any] = {"value": "seats", "seed": seed, "num_threads": 1}
            if for_gpu:
                shape = (self.env.num_envs, *self.spec.observation_shape)
                pinned = torch.empty(shape, dtype=torch.uint8, pin_memory=torch.cuda.is_available())
                settings |= {"pad": True, "out": {"observations": pinned}}
            return TreeSearch(self.env, simulations, considered=config.considered, **settings)

        self.search = search(config.simulations)
        few = min(config.few_simulations, config.simulations)
        self.few = search(few) if config.full_searches < 1 else None

    # ---- play ----

    def imitate(self, moves: int, check: Callable[[], None]) -> Positions:
        """Bots play, now and then at random.

        The target of a position is the first bot's action, or the shares of its simulations if it searches.
        """
        config, env = self.config, self.env
        found = []
        everyone = np.arange(env.num_envs)
        for _ in range(moves):
            check()
            players = env.current_player.copy()
            names = self.teachers[everyone, players]
            offsets, legal = legal_actions(env.action_mask_bits, self.spec.num_actions)
            best, policy = self._taught(config.teachers[0], offsets, legal, check)
            actions = best.copy()
            for name in sorted(set(config.teachers[1:])):
                ids = np.flatnonzero(names == name)
                if len(ids):
                    check()
                    actions[ids] = env.bot_actions(name, ids)
            lost = self.rng.random(env.num_envs) < config.astray
            actions[lost] = env.sample_actions()[lost]
            targets = [(legal[a:b], policy[a:b], None, 0.0) for a, b in pairwise(offsets)]
            found += self._step(actions, players, targets)
        return Positions.joined(found, self.spec)

    def _taught(
        self, teacher: str, offsets: Array, legal: Array, check: Callable[[], None]
    ) -> tuple[Array, Array]:
        """A teacher's actions, int32 [n], and its policies over the legal actions, float16 [total]."""
        if not teacher.startswith(_SEARCHES):
            best = np.asarray(self.env.bot_actions(teacher), np.int32)
            return best, (legal == np.repeat(best, np.diff(offsets))).astype(np.float16)
        best, policy = np.empty(self.env.num_envs, np.int32), np.empty(len(legal), np.float16)
        for i, (a, b) in enumerate(pairwise(offsets)):
            if b - a == 1:
                # A forced action needs no search.
                best[i], policy[a] = legal[a], 1
                continue
            check()
            analysis = self.env.game(i).analyse(teacher)
            best[i], policy[a:b] = analysis.action, analysis.policy[legal[a:b]]
        return best, policy

    def play(self, player: Any, moves: int, check: Callable[[], None]) -> Positions:
        """Plays with the search; forced moves need none."""
        found = []
        for _ in range(moves):
            players = self.env.current_player.copy()
            bits = self.env.action_mask_bits
            choice = has_choice(bits)
            full = (
                choice
                if self.few is None
                else choice & (self.rng.random(len(choice)) < self.config.full_searches)
            )
            actions = np.zeros(len(choice), np.int32)
            targets: list[Any] = [None] * len(choice)
            forced = np.flatnonzero(~choice)
            if len(forced):
                _, only = legal_actions(bits[forced], self.spec.num_actions)
                actions[forced] = only
                for i, action in zip(forced.tolist(), only):
                    targets[i] = (np.array([action], np.int32), None, None, 0.0)
            for search, chosen, is_learned in ((self.search, full, True), (self.few, choice & ~full, False)):
                ids = np.flatnonzero(chosen)
                if search is None or not len(ids):
                    continue
                search.start(ids)
                first = run(search, player, check)
                actions[ids] = search.actions[ids]
                self._targets(search, ids, first, is_learned, targets)
            found += self._step(actions, players, targets)
        return Positions.joined(found, self.spec)

    def _targets(
        self, search: TreeSearch, ids: Array, first: Any, is_learned: bool, targets: list[Any]
    ) -> None:
        """Legal actions, policies, values and surprises of the games that a search has ended."""
        offsets, legal, policy, values = (
            search.root_offsets,
            search.root_actions,
            search.policy_legal,
            search.values,
        )
        surprises = np.zeros(self.env.num_envs)
        if is_learned and self.config.surprise and first is not None:
            starts, ends = offsets[first.games], offsets[first.games + 1]
            surprises[first.games] = surprise(policy, starts, ends, first.offsets, first.logits)
        halves = policy.astype(np.float16)
        for i in ids.tolist():
            here = slice(offsets[i], offsets[i + 1])
            targets[i] = (legal[here], halves[here] if is_learned else None, values[i], float(surprises[i]))

    def _step(self, actions: Array, players: Array, targets: list[Any]) -> list[Positions]:
        config, env = self.config, self.env
        observations = env.observations.copy()
        if config.forks:
            self._bank_some()
        env.step(actions)
        self.moves += env.num_envs
        rewards = env.rewards.copy()
        columns = zip(self.played, observations, targets, actions.tolist(), players.tolist(), rewards)
        for game, observation, (legal, policy, values, told), action, player, reward in columns:
            game.append(Move(observation, legal, policy, action, player, values, reward, told))
        found = []
        for i in np.flatnonzero(env.done).tolist():
            # A truncated game has no outcome to learn from, but its points were earned.
            if env.terminated[i] or config.reward != "outcome":
                found.append(positions_of(self.played[i], self.spec, config, self.rng))
                self.finished += 1
            self.played[i] = []
            if config.teachers:
                self.teachers[i] = self._drawn_teachers(1)[0]
            if self.bank and self.rng.random() < config.forks:
                env.set_position(i, self.bank[self.rng.integers(len(self.bank))])
        return found

    def _bank_some(self) -> None:
        """Keeps the positions of some games, which later games may begin in."""
        for i in np.flatnonzero(self.rng.random(self.env.num_envs) < _BANKED).tolist():
            state = self.env.get_state([i])
            if len(self.bank) < _BANK:
                self.bank.append(state)
            else:
                self.bank[int(self.rng.integers(_BANK))] = state

    def _drawn_teachers(self, count: int) -> Array:
        names = self.config.teachers or [""]
        return self.rng.choice(names, (count, self.spec.players))

    # ---- state ----

    def state(self) -> dict[str, Any]:
        """The games as they are now; later moves do not change it."""
        return {
            "games": self.env.get_state(),
            "samples": self.env._core.samples(),
            "rng": deepcopy(self.rng.bit_generator.state),
            "played": [list(game) for game in self.played],
            "teachers": self.teachers.copy(),
            "bank": list(self.bank),
            "finished": self.finished,
            "moves": self.moves,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continues from a state."""
        self.env.set_state(None, state["games"])
        self.env._core.set_samples(state["samples"])
        self.rng.bit_generator.state = state["rng"]
        self.played = [list(game) for game in state["played"]]
        self.teachers, self.bank = state["teachers"].copy(), list(state["bank"])
        self.finished, self.moves = state["finished"], state["moves"]

    def close(self) -> None:
        """Closes the games."""
        self.env.close()


def surprise(policy: Array, starts: Array, ends: Array, offsets: Array, logits: Array) -> Array:
    """Divergence of the search's policy from the network's prior, for rows in the same order."""
    prior_starts = offsets[:-1]
    highest = np.maximum.reduceat(logits, prior_starts)
    log_prior = logits - np.repeat(highest, np.diff(offsets))
    log_sum = np.log(np.add.reduceat(np.exp(log_prior), prior_starts))
    log_prior -= np.repeat(log_sum, np.diff(offsets))
    wanted = np.concatenate([policy[a:b] for a, b in zip(starts, ends)])
    terms = np.where(wanted > 0, wanted * (np.log(np.maximum(wanted, 1e-12)) - log_prior), 0)
    result: Array = np.maximum(np.add.reduceat(terms, prior_starts), 0)
    return result
