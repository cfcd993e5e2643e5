"""Games that play for the learner: imitation of bots, and self-play with the tree search."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ..data.columns import Ragged, joined, offsets_of, ranges, selected
from ..data.fragments import Recorder, Unfinished
from ..envs.make import make
from ..envs.vector import VectorEnv
from ..players.python_bots import Chooser
from ..search import TreeSearch
from .auxiliary_target import columns_of
from .configuration import Config
from .inference import Roots, run
from .replay import Positions
from .targets import positions_of

Array = npt.NDArray[Any]
#: Positions of earlier games that new games may begin in.
_BANK = 512
#: Share of the moves with a position that enters the bank.
_BANKED = 0.02


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
        #: The decisions of games under way.
        self.played = Unfinished()
        self.teachers = self._drawn_teachers(count)
        #: int64 [n]: the player of each game that is an earlier network, or -1.
        self.past = self._drawn_past(count)
        #: str [n, P]: the bot that plays each player, or "".
        self.opponents = self._drawn_opponents(count)
        #: The bots by name, once they have played.
        self._choosers: dict[str, Chooser] = {}
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

        The target of a position is the first bot's action, its policy, or the shares of its simulations.
        """
        config, env = self.config, self.env
        everyone, recorder = np.arange(env.num_envs), self._recorder(moves)
        ends: list[Array] = []
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
            is_learned = choices = np.diff(offsets) > 1
            ends.append(self._step(recorder, actions, choices, is_learned, (offsets, legal, policy)))
        return self._learned(recorder, ends)

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

    def play(
        self,
        player: Any,
        moves: int,
        check: Callable[[], None],
        earlier: Any = None,
        again: Positions | None = None,
    ) -> Positions:
        """Plays with the search; forced moves of the network need none.

        ``earlier`` is the network of the players :attr:`past`. The positions ``again`` are returned, too,
        with policies of new searches.
        """
        found = self._searched_again(player, again, check) if again is not None else []
        env, config = self.env, self.config
        everyone, recorder = np.arange(env.num_envs), self._recorder(moves)
        ends: list[Array] = []
        for _ in range(moves):
            bits, players = env.action_mask_bits, env.current_player
            choice = has_choice(bits)
            bots = self.opponents[everyone, players]
            opposed = bots != ""
            past = choice & (players == self.past) if earlier is not None else np.zeros(len(choice), bool)
            past &= ~opposed
            now = choice & ~past & ~opposed
            full = now if self.few is None else now & (self.rng.random(len(choice)) < config.full_searches)
            actions = np.zeros(len(choice), np.int32)
            values = np.full((len(choice), self.spec.players), np.nan, np.float32)
            forced = np.flatnonzero(~choice & ~opposed)
            if len(forced):
                _, actions[forced] = legal_actions(bits[forced], self.spec.num_actions)
            # Positions of bots are not learned, but the games' ends and replies are.
            for name in sorted(set(bots[opposed].tolist())):
                check()
                ids = np.flatnonzero(bots == name)
                actions[ids] = self._chooser(name).actions(ids)[ids]
            policy, surprises = None, None
            searches = (
                (self.search, full, player),
                (self.few, now & ~full, player),
                (self.search, past, earlier),
            )
            for search, searched, network in searches:
                ids = np.flatnonzero(searched)
                if search is None or not len(ids):
                    continue
                search.start(ids)
                first = run(search, network, check)
                actions[ids], values[ids] = search.actions[ids], search.values[ids]
                if searched is full:
                    # Rows of other games are empty.
                    policy = search.root_offsets, search.root_actions, search.policy_legal.astype(np.float16)
                    if config.surprise and first is not None:
                        surprises = self._surprises(search, first)
            ends.append(self._step(recorder, actions, choice, full, policy, values, surprises))
        return Positions.joined([*found, self._learned(recorder, ends)], self.spec)

    def _chooser(self, name: str) -> Chooser:
        """A bot in the games."""
        if name not in self._choosers:
            self._choosers[name] = Chooser(self.env, [(name, name)]).remember()
        return self._choosers[name]

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

    def _surprises(self, search: TreeSearch, first: Roots) -> Array:
        """float32 [n]: the surprises of the games that a search has ended, 0 of others."""
        found = np.zeros(self.env.num_envs, np.float32)
        starts, ends = search.root_offsets[first.games], search.root_offsets[first.games + 1]
        found[first.games] = surprise(search.policy_legal, starts, ends, first.offsets, first.logits)
        return found

    def _recorder(self, moves: int) -> Recorder:
        return Recorder(self.env, moves, ("observations", "seats", "actions", "rewards", "terminated"))

    def _step(
        self,
        recorder: Recorder,
        actions: Array,
        choices: Array,
        is_learned: Array,
        legal: Ragged | None,
        values: Array | None = None,
        surprises: Array | None = None,
    ) -> Array:
        """Plays and records a move in every game; returns the ends of the games that it ended, [E, P, F].

        ``choices`` and ``is_learned`` are bool [n], ``legal`` legal actions and policies.
        """
        config, env = self.config, self.env
        count = env.num_envs
        more: dict[str, Array] = {
            "is_choice": choices,
            "values": np.full((count, self.spec.players), np.nan, np.float32) if values is None else values,
        }
        if config.surprise:
            more["surprise"] = np.zeros(count, np.float32) if surprises is None else surprises
        if config.reanalyse:
            more["states"] = self._snapshots(is_learned)
        recorder.before(actions, more, legal)
        if config.forks:
            self._bank_some()
        env.step(actions)
        self.moves += count
        recorder.after({"ended": env.done})
        ended = np.flatnonzero(env.done)
        ends = self._ends(ended)
        if config.final and len(ended):
            env.reset(options={"reset_mask": env.done.copy()})
        if config.teachers:
            self.teachers[ended] = self._drawn_teachers(len(ended))
        self.past[ended] = self._drawn_past(len(ended))
        self.opponents[ended] = self._drawn_opponents(len(ended))
        if self.bank:
            for i in ended[self.rng.random(len(ended)) < config.forks].tolist():
                env.set_position(i, self.bank[self.rng.integers(len(self.bank))])
        return ends

    def _learned(self, recorder: Recorder, ends: list[Array]) -> Positions:
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
        return positions_of(games, kept, self.spec, self.config, self.rng, np.concatenate(ends)[counts])

    def _ends(self, games: Array) -> Array:
        """uint8 [E, P, F]: fields of every player's last observation, of games that have ended."""
        players, fields = range(self.spec.players), self._final
        ends = np.zeros((len(games), self.spec.players, len(fields)), np.uint8)
        if self.config.final:
            for end, game in zip(ends, games.tolist()):
                end[:] = [self.env._core.observe(game, player).ravel()[fields] for player in players]
        return ends

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

    def _snapshots(self, is_learned: Array) -> Array:
        """uint8 [n, S]: the games with positions to learn, as bytes; 0 for others."""
        ids = np.flatnonzero(is_learned).tolist()
        states = [np.frombuffer(self.env.get_state([i]), np.uint8) for i in ids or [0]]
        found = np.zeros((self.env.num_envs, len(states[0])), np.uint8)
        if ids:
            found[ids] = states
        return found

    # ---- state ----

    def state(self) -> dict[str, Any]:
        """The games as they are now; later moves do not change it."""
        return {
            "games": self.env.get_state(),
            "samples": self.env._core.samples(),
            "rng": deepcopy(self.rng.bit_generator.state),
            "played": dict(self.played.columns),
            "teachers": self.teachers.tolist(),
            "past": self.past.copy(),
            "opponents": self.opponents.tolist(),
            "memories": {name: chooser.memory() for name, chooser in self._choosers.items()},
            "bank": list(self.bank),
            "finished": self.finished,
            "moves": self.moves,
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continues from a state."""
        self.env.set_state(None, state["games"])
        self.env._core.set_samples(state["samples"])
        self.rng.bit_generator.state = state["rng"]
        self.played.columns = dict(state["played"])
        self.teachers, self.past = np.array(state["teachers"], object), state["past"].copy()
        self.opponents = np.array(state["opponents"], object)
        for name, memory in state["memories"].items():
            self._chooser(name).recall(memory)
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
    rows, lengths = offsets[:-1], np.diff(offsets)
    log_prior = logits - np.repeat(np.maximum.reduceat(logits, rows), lengths)
    log_prior -= np.repeat(np.log(np.add.reduceat(np.exp(log_prior), rows)), lengths)
    wanted = policy[ranges(starts, ends - starts)]
    terms = np.where(wanted > 0, wanted * (np.log(np.maximum(wanted, 1e-12)) - log_prior), 0)
    result: Array = np.maximum(np.add.reduceat(terms, rows), 0)
    return result
