"""Games that play for the learner: imitation of bots, and self-play with the tree search."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
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
from .final import columns_of
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
        # A game that begins again in the step that ends it has no last observation of every player.
        options["autoreset"] = "disabled" if config.final else "same_step"

        def games() -> VectorEnv:
            env: VectorEnv = make(config.env, count, num_threads=1, seed=seed, mask="bits", **options)
            return env

        self.env = games()
        self.spec = self.env.game_spec
        self._final = columns_of(self.spec, config.final_fields if config.final else ())
        self._searches(seed, for_gpu)
        #: Positions of the replay buffer, to be searched again.
        self.again = games() if config.reanalyse else None
        if self.again is not None:
            self.search_again = self._search_of(self.again, config.simulations, seed, for_gpu)
        self.rng = np.random.default_rng([config.seed, kind, shard])
        self.played: list[list[Move]] = [[] for _ in range(count)]
        self.teachers = self._drawn_teachers(count)
        #: int64 [n]: the player of each game that is an earlier network, or -1.
        self.past = self._drawn_past(count)
        #: str [n, P]: the bot that plays each player, or "".
        self.opponents = self._drawn_opponents(count)
        self.bank: list[bytes] = []
        self.finished = self.moves = 0

    def _searches(self, seed: int, for_gpu: bool) -> None:
        config = self.config
        self.search = self._search_of(self.env, config.simulations, seed, for_gpu)
        few = min(config.few_simulations, config.simulations)
        self.few = self._search_of(self.env, few, seed, for_gpu) if config.full_searches < 1 else None

    def _search_of(self, env: VectorEnv, simulations: int, seed: int, for_gpu: bool) -> TreeSearch:
        settings: dict[str, Any] = {"value": "seats", "seed": seed, "num_threads": 1}
        if for_gpu:
            shape = (env.num_envs, *self.spec.observation_shape)
            pinned = torch.empty(shape, dtype=torch.uint8, pin_memory=torch.cuda.is_available())
            settings |= {"pad": True, "out": {"observations": pinned}}
        return TreeSearch(env, simulations, considered=self.config.considered, **settings)

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

    def play(
        self,
        player: Any,
        moves: int,
        check: Callable[[], None],
        earlier: Any = None,
        again: Positions | None = None,
    ) -> Positions:
        """Plays with the search; forced moves need none.

        ``earlier`` is the network of the players :attr:`past`. The positions ``again`` are returned, too,
        with policies of new searches.
        """
        found = self._searched_again(player, again, check) if again is not None else []
        everyone = np.arange(self.env.num_envs)
        for _ in range(moves):
            players = self.env.current_player.copy()
            bits = self.env.action_mask_bits
            choice = has_choice(bits)
            bots = np.where(choice, self.opponents[everyone, players], "")
            opposed = bots != ""
            past = choice & (players == self.past) if earlier is not None else np.zeros(len(choice), bool)
            past &= ~opposed
            now = choice & ~past & ~opposed
            full = (
                now if self.few is None else now & (self.rng.random(len(choice)) < self.config.full_searches)
            )
            actions = np.zeros(len(choice), np.int32)
            targets: list[Any] = [None] * len(choice)
            forced = np.flatnonzero(~choice)
            if len(forced):
                _, only = legal_actions(bits[forced], self.spec.num_actions)
                actions[forced] = only
                for i, action in zip(forced.tolist(), only):
                    targets[i] = (np.array([action], np.int32), None, None, 0.0)
            self._opponents_move(bots, actions, targets, check)
            searches = (
                (self.search, full, player, True),
                (self.few, now & ~full, player, False),
                (self.search, past, earlier, False),
            )
            for search, chosen, network, is_learned in searches:
                ids = np.flatnonzero(chosen)
                if search is None or not len(ids):
                    continue
                search.start(ids)
                first = run(search, network, check)
                actions[ids] = search.actions[ids]
                self._targets(search, ids, first, is_learned, targets)
            found += self._step(actions, players, targets)
        return Positions.joined(found, self.spec)

    def _opponents_move(
        self, bots: Array, actions: Array, targets: list[Any], check: Callable[[], None]
    ) -> None:
        """Actions of bots; their positions are not learned, but the games' ends and replies are."""
        for name in sorted(set(bots[bots != ""].tolist())):
            check()
            ids = np.flatnonzero(bots == name)
            actions[ids] = self.env.bot_actions(name, ids)
            offsets, legal = legal_actions(self.env.action_mask_bits[ids], self.spec.num_actions)
            for i, (a, b) in zip(ids.tolist(), pairwise(offsets)):
                targets[i] = (legal[a:b], None, None, 0.0)

    def _searched_again(self, player: Any, old: Positions, check: Callable[[], None]) -> list[Positions]:
        """Earlier positions with the policies of the network of now; their values stay."""
        assert self.again is not None
        # Without new streams, every game of the batch would always draw the same noise.
        self.again.reset(seed=int(self.rng.integers(2**63)))
        found = []
        for start in range(0, len(old), self.again.num_envs):
            times = np.zeros(len(old), np.int64)
            times[start : start + self.again.num_envs] = 1
            part = old.repeated(times)
            for game, state in enumerate(part.states):
                self.again.set_position(game, state.tobytes())
            search = self.search_again
            search.start(np.arange(len(part)))
            run(search, player, check)
            # The first games of the batch were searched.
            policies = search.policy_legal[: search.root_offsets[len(part)]]
            found.append(replace(part, policies=policies.astype(np.float16)))
        return found

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
        states = self._snapshots(targets) if config.reanalyse else [None] * env.num_envs
        if config.forks:
            self._bank_some()
        env.step(actions)
        self.moves += env.num_envs
        rewards = env.rewards.copy()
        columns = zip(self.played, observations, targets, actions.tolist(), players.tolist(), rewards, states)
        for game, observation, (legal, policy, values, told), action, player, reward, state in columns:
            game.append(Move(observation, legal, policy, action, player, values, reward, told, state))
        found = []
        ended, terminated = np.flatnonzero(env.done).tolist(), env.terminated.copy()
        ends = [self._ends(i) for i in ended]
        if config.final and ended:
            env.reset(options={"reset_mask": env.done.copy()})
        for i, last in zip(ended, ends):
            # A truncated game has no outcome to learn from, but its points were earned.
            if terminated[i] or config.reward != "outcome":
                found.append(positions_of(self.played[i], self.spec, config, self.rng, last))
                self.finished += 1
            self.played[i] = []
            if config.teachers:
                self.teachers[i] = self._drawn_teachers(1)[0]
            if config.past:
                self.past[i] = self._drawn_past(1)[0]
            if config.opposed:
                self.opponents[i] = self._drawn_opponents(1)[0]
            if self.bank and self.rng.random() < config.forks:
                env.set_position(i, self.bank[self.rng.integers(len(self.bank))])
        return found

    def _ends(self, game: int) -> Array:
        """uint8 [P, F]: fields of every player's last observation of a game that has ended."""
        if not self.config.final:
            return np.zeros((self.spec.players, 0), np.uint8)
        over = self.env.game(game)
        seen = [over.observation(player).ravel()[self._final] for player in range(self.spec.players)]
        return np.stack(seen)

    def _bank_some(self) -> None:
        """Keeps the positions of some games, which later games may begin in."""
        for i in np.flatnonzero(self.rng.random(self.env.num_envs) < _BANKED).tolist():
            state = self.env.get_state([i])
            if len(self.bank) < _BANK:
                self.bank.append(state)
            else:
                self.bank[int(self.rng.integers(_BANK))] = state

    def _drawn_teachers(self, count: int) -> Array:
        names = _array_of(self.config.teachers or [""])
        return self.rng.choice(names, (count, self.spec.players))

    def _drawn_past(self, count: int) -> Array:
        config = self.config
        if not config.past:
            return np.full(count, -1)
        seats = self.rng.integers(self.spec.players, size=count)
        return np.where(self.rng.random(count) < config.past, seats, -1)

    def _drawn_opponents(self, count: int) -> Array:
        """A bot against the network in some games, each with at least one player."""
        config, players = self.config, self.spec.players
        if not config.opposed or players == 1:
            return np.full((count, players), "", object)
        of_bots = self.rng.random((count, players)) < 0.5
        # One player is always the bot's, another one the network's.
        order = self.rng.permuted(np.tile(np.arange(players), (count, 1)), axis=1)
        rows = np.arange(count)
        of_bots[rows, order[:, 0]], of_bots[rows, order[:, 1]] = True, False
        names = self.rng.choice(_array_of(config.opponents), (count, 1))
        is_opposed = self.rng.random((count, 1)) < config.opposed
        return np.where(is_opposed & of_bots, names, "")

    def _snapshots(self, targets: list[Any]) -> list[Array | None]:
        """The games with positions to learn, as bytes."""
        return [
            np.frombuffer(self.env.get_state([i]), np.uint8) if target[1] is not None else None
            for i, target in enumerate(targets)
        ]

    # ---- state ----

    def state(self) -> dict[str, Any]:
        """The games as they are now; later moves do not change it."""
        return {
            "games": self.env.get_state(),
            "samples": self.env._core.samples(),
            "rng": deepcopy(self.rng.bit_generator.state),
            "played": [list(game) for game in self.played],
            "teachers": self.teachers.tolist(),
            "past": self.past.copy(),
            "opponents": self.opponents.tolist(),
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
        self.teachers, self.past = np.array(state["teachers"], object), state["past"].copy()
        self.opponents = np.array(state["opponents"], object)
        self.bank = list(state["bank"])
        self.finished, self.moves = state["finished"], state["moves"]

    def close(self) -> None:
        """Closes the games."""
        self.env.close()
        if self.again is not None:
            self.again.close()


def _array_of(names: list[str]) -> Array:
    """Names in an array with room for longer ones: a resumed run may have other bots."""
    return np.array(names, object)


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
