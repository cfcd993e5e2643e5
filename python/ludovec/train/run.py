"""A training run: playing and learning side by side, evaluations, checkpoints.

A run goes through rounds. In a round, the games of all shards play with the averaged network of its
beginning, while the learner learns from the positions of earlier rounds. At the end of the round the new
positions enter the replay buffers. So a round is a function of the state at its beginning, whichever threads
compute it, and a checkpoint is such a state.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from .. import __version__, nets
from .._shared.errors import config_error
from ..nets.values import support_of
from .budget import Budget, Costs, fitted
from .checkpoints import Folder
from .configuration import Config
from .devices import IdleTime, device_of, errors_of, numbers_of
from .evaluation import Match, in_words, matches, sample_game, share_of_points
from .interrupts import Interrupts
from .learner import Learner, Losses
from .locks import FolderLock
from .loggers import Loggers
from .progress import Progress, picture, table, tell
from .replay import Buffer, Positions
from .shards import Call, PlayerMaker, Shards, counts_of
from .threads import Team

if TYPE_CHECKING:
    from .cluster import RemoteShards

#: Seconds between checkpoints; a killed run loses this much and one round.
CHECKPOINT_EVERY = 75.0
#: Updates of a round at most, in updates per position that a round of imitation makes.
_MOST_UPDATES = 400

#: Updates of self-play after which no position of a bot is learned.
_FADE = 400


#: Updates that are tried before a schedule is chosen; the first ones are slower and do not count.
_TRIED_FIRST, _TRIED = 2, 8


class Training:
    """A run in a folder."""

    def __init__(self, config: Config, out: str | Path, *, resume: bool = False) -> None:
        """Makes the network and the games, or reads them from the checkpoint of ``out``.

        Raises:
            InvalidConfig: A setting, the device or the folder is wrong; the message says which.
        """
        self.config, self.folder = config, Folder(Path(out))
        self._lock = FolderLock(self.folder.path)
        self._lock.take()
        try:
            self._begin(config, resume)
        except BaseException:
            self._lock.release()
            raise

    def _begin(self, config: Config, resume: bool) -> None:
        # Deterministic and without waiting: every thread computes alone.
        torch.set_num_threads(1)
        self.device = device_of(config.device)
        self.dtype = numbers_of(self.device, config.precision)
        saved = self._saved(resume)
        if config.ray:
            from .cluster import connect

            connect(config.ray)
        self.specs = config.specs()
        self.most = max(self.specs, key=lambda spec: spec.players)
        self._try_bots()
        torch.manual_seed(config.seed)
        with errors_of(self.device):
            self.learner = Learner(self._network(saved), config, self.specs, self.device, self.dtype)
        self.maker = PlayerMaker(config, self.device, self.dtype)
        self.shards = self._new_shards()
        fade = _FADE * config.minibatch / config.reuse / len(self.specs)
        self.buffers = [Buffer(spec, config.buffer, fade) for spec in self.specs]
        workers = config.shards if config.workers < 0 else min(config.workers, config.shards)
        # The learner has a thread of its own.
        self.team = Team(workers + 1 if workers else 0)
        self.due, self.positions, self.rounds = 0.0, 0, 0
        self.curve: list[dict[str, Any]] = []
        self.best = -1.0
        self.next_evaluation = self._after(0)
        #: Whether the schedule is to be fitted to the budget, before the first update.
        self.is_fitting: bool | None = None
        #: Results of an evaluation that is not complete, by match.
        self.pending: dict[Match, tuple[float, float]] = {}
        self._minutes_before = self._cpu_before = 0.0
        if saved is not None:
            self._restore(saved)
        #: The network of a state, for the file that plays.
        self._saved_network = deepcopy(self.learner.average).cpu()
        self._start, self._cpu_start = time.monotonic(), time.process_time()
        self._saved_at = time.monotonic()
        #: Time and size of the checkpoint that this object wrote.
        self._written: tuple[int, int] | None = None

    # ---- the beginning ----

    def _saved(self, resume: bool) -> dict[str, Any] | None:
        if not resume:
            if self.folder.checkpoint.exists():
                raise config_error(
                    f"{self.folder.path} has a training: --resume continues it, --out chooses another folder"
                )
            return None
        saved = self.folder.load()
        for name, value in Config.from_toml(saved["config"], str(self.folder.config)).fixed().items():
            if value != getattr(self.config, name):
                raise config_error(f"--resume: {self.folder.path} was trained with {name}={value!r:.200}")
        return saved

    def _try_bots(self) -> None:
        """An unknown bot or opening is an error before the training, not at its first move."""
        from ..envs.make import make

        config = self.config
        for kind, options in enumerate(config.options):
            env = make(config.env, 1, seed=0, mask="bits", starts=config.openings(kind), **options)
            for bot in {*config.teachers, *config.bots}:
                env.bot_actions(bot)
            env.close()

    def _network(self, saved: dict[str, Any] | None) -> Any:
        config = self.config
        if saved is not None:
            inputs = nets.Inputs.from_json(*saved["inputs"])
        else:
            board = nets.Board(config.board, config.board_axis) if config.board else None
            graph = nets.Graph() if config.network == "graph" else None
            without = config.without or None
            inputs = nets.Inputs.of(self.specs, board, config.one_hot, without, graph=graph)
            if config.init:
                # Its weights for inputs that are constant under these options are not lost.
                inputs = inputs.including(nets.from_file(config.init)[0].inputs)
        is_graph = config.network == "graph"
        # Values of a graph are distributions; as numbers, other networks are as strong.
        support = support_of(config.reward, self.most.players) if is_graph else ()
        sizes: dict[str, Any] = {"channels": config.channels, "blocks": config.blocks, "support": support}
        if is_graph:
            network: Any = nets.GraphNetwork(inputs, self.most, **sizes)
        else:
            network = nets.ResidualNetwork(inputs, self.most, **sizes, stride=config.stride)
        if saved is None and config.init:
            nets.load(network, config.init)
        return network

    def _new_shards(self) -> Shards | RemoteShards:
        if not self.config.ray:
            return Shards(self.config, self.maker)
        from .cluster import RemoteShards, check_room

        check_room(self.config)
        return RemoteShards(self.config)

    # ---- counts ----

    def minutes(self) -> float:
        """Minutes of training, also of earlier parts."""
        return self._minutes_before + (time.monotonic() - self._start) / 60

    def cpu_minutes(self) -> float:
        """Minutes of processor time of all threads."""
        return self._cpu_before + (time.process_time() - self._cpu_start) / 60

    def games(self) -> int:
        """Number of finished games."""
        return self.shards.counts()[1]

    def counts(self) -> dict[str, float]:
        """Counts for the lines of progress. Positions are those of finished games."""
        moves, games = self.shards.counts()
        return {
            "moves": moves,
            "positions": self.positions,
            "games": games,
            "updates": self.learner.updates,
        }

    def is_imitating(self) -> bool:
        """Whether the next round imitates bots."""
        return self.learner.updates < self.config.imitate

    def _is_over(self, budget: Budget, rounds: int) -> bool:
        return (
            (budget.rounds is not None and rounds >= budget.rounds)
            or budget.is_spent(self.minutes(), self.cpu_minutes())
            # With a budget of time, the learning rate stays at its final value after the schedule.
            or (not budget.is_of_time and self.learner.updates >= self.config.updates)
        )

    def _left(self, budget: Budget, began: tuple[float, float, int]) -> float | None:
        """Estimated minutes until the end, from the rates of this part of the run."""
        minutes, cpu, updates = self.minutes(), self.cpu_minutes(), self.learner.updates
        passed = minutes - began[0]
        estimates = []
        if budget.minutes is not None:
            estimates.append(budget.minutes - minutes)
        if budget.cpu_minutes is not None and cpu > began[1]:
            estimates.append((budget.cpu_minutes - cpu) * passed / (cpu - began[1]))
        if not estimates and updates > began[2]:
            estimates.append((self.config.updates - updates) * passed / (updates - began[2]))
        return max(0.0, min(estimates)) if estimates else None

    # ---- the loop ----

    def run(self, budget: Budget | None = None, interrupts: Interrupts | None = None) -> bool:
        """Trains until the budget is spent; returns whether it was (False after an interrupt)."""
        budget = budget or Budget()
        interrupts = interrupts or Interrupts()
        self._lock.take()
        self._budget = budget
        if self.is_fitting is None:
            self.is_fitting = budget.fits
        try:
            if self._written is not None and self._written != _stamp(self.folder.checkpoint):
                raise config_error(f"{self.folder.path}: another training has gone on from this one")
            with interrupts.handled():
                return self._run(budget, interrupts)
        finally:
            self._lock.release()

    def _run(self, budget: Budget, interrupts: Interrupts) -> bool:
        self.folder.make()
        self._write_config()
        self.progress = Progress(Loggers(self.config, self.folder.path), IdleTime(self.device))
        if not self.curve:
            # Exported now, so that an unwritable folder is an error before the training.
            self._export("last", self.learner.average, self.counts())
        self.progress.start(self.counts())
        began, rounds = (self.minutes(), self.cpu_minutes(), self.learner.updates), 0
        state = self.state()
        try:
            with errors_of(self.device), interrupts.raising():
                while not self._is_over(budget, rounds):
                    if self.is_fitting and budget.is_of_time and self._is_warm():
                        self._fit(budget, began[:2], rounds)
                        state = self.state()
                    if self.learner.updates >= self.next_evaluation:
                        self.evaluate(state, interrupts)
                    results = self._round(self._updates_now(), state)
                    with interrupts.deferred():
                        self._commit(*results)
                        state = self.state()
                        rounds += 1
                        doing = "imitation" if self.is_imitating() else "self-play"
                        self.progress.line(self._clock(), self.counts(), self._left(budget, began), doing)
                if budget.rounds is None and self._has_news():
                    self.evaluate(state, interrupts)
        except KeyboardInterrupt:
            with interrupts.deferred():
                self.save(state)
                # After a hangup there is no terminal.
                with suppress(OSError):
                    tell(f"stopped after {self.minutes():.1f} minutes; --resume goes on")
            return False
        except BaseException:
            with interrupts.deferred():
                self.save(state)
            raise
        finally:
            self.progress.close()
        self.save(state)
        return True

    def _has_news(self) -> bool:
        return not self.curve or self.curve[-1]["updates"] < self.learner.updates

    def _updates_now(self) -> int:
        """Updates of the next round."""
        done, config = self.learner.updates, self.config
        # A round ends where the schedule has a step.
        steps = (self.next_evaluation, config.imitate, config.updates)
        return min([int(self.due), *(step - done for step in steps if step > done)])

    def _clock(self) -> str:
        return self._budget.told(self.minutes(), self.cpu_minutes())

    def _round(self, updates: int, state: dict[str, Any]) -> tuple[Losses, list[list[Positions]]]:
        play = self.shards.calls(None if self.is_imitating() else self.learner.average)
        if self.device.type == "cuda":
            # The players and the learner have streams of their own.
            torch.cuda.synchronize(self.device)

        learn: Call = lambda check: self.learner.train(updates, self.buffers, check)
        # Checkpoints are written meanwhile: a round changes neither the state before it nor the buffers.
        learned, *played = self.team.run([learn, *play], idle=lambda: self._save_now_and_then(state))
        return learned, [of_shard for part in played for of_shard in part]

    def _commit(self, losses: Losses, played: list[list[Positions]]) -> None:
        config = self.config
        was_imitating = self.learner.updates - losses.updates < config.imitate
        new = 0
        for shard in played:
            for buffer, positions in zip(self.buffers, shard):
                buffer.add(positions)
                new += len(positions)
                if was_imitating:
                    buffer.imitated = buffer.added
        self.positions += new
        self.rounds += 1
        # Results of a network that was replaced before its evaluation was complete.
        self.pending = {}
        self.due -= losses.updates
        # Games of bots are cheap, and there are more of them than the learner has time for.
        more = config.reuse * new / config.minibatch
        self.due += min(more, max(0.0, _MOST_UPDATES - self.due)) if self.is_imitating() else more
        if not self._is_warm():
            self.due = 0.0
        self.progress.learned(losses.updates, losses.sums)

    def _is_warm(self) -> bool:
        """Whether there are enough positions to learn."""
        least = max(1, self.config.warm_up // len(self.buffers))
        return all(len(buffer) >= least for buffer in self.buffers)

    # ---- the schedule of a budget ----

    def _fit(self, budget: Budget, began: tuple[float, float], rounds: int) -> None:
        """Chooses the numbers of updates in the configuration for the rest of the budget.

        The trials leave the run as it was before its first update: the new configuration makes the same run.
        """
        config, learner = self.config, self.learner.state()
        games, moves = self.shards.saved(self.shards.states()), self.shards.counts()[0]
        calls = self.shards.calls(self.learner.average)
        with_bots = [now - then for now, then in zip(self._spent(), began)]
        self.learner.train(_TRIED_FIRST, self.buffers, lambda: None)
        learned = self._took(lambda: self.learner.train(_TRIED, self.buffers, lambda: None))
        played = self._took(lambda: self.team.run(calls))
        moves = self.shards.counts()[0] - moves
        self.learner.restore(learner)
        self.shards.restore(games)

        # Learning and playing share the processors here; on a GPU or a cluster the slower one decides.
        is_here = self.device.type == "cpu" and not config.ray
        unit, join = (1, sum) if is_here else (0, max)
        per_position = config.reuse / config.minibatch
        of_bots = min(per_position * self.positions / max(self.rounds, 1), _MOST_UPDATES)
        update = learned[unit] / _TRIED
        costs = Costs(
            imitation=join((update, with_bots[unit] / max(rounds, 1) / of_bots)),
            self_play=join((update, played[unit] / (per_position * moves))),
        )
        limits = zip((budget.minutes, budget.cpu_minutes), self._spent(), played)
        left = min((limit - now) * played[unit] / part for limit, now, part in limits if limit is not None)
        self.config = self.learner.config = fitted(config, left, costs)
        self.next_evaluation, self.is_fitting = self._after(0), False
        self._write_config()
        chosen = self.config
        tell(
            f"{self._clock()}  {self.folder.config.name} has the schedule of this budget: "
            f"{chosen.updates:,} updates, the first {chosen.imitate:,} of imitation"
        )

    def _spent(self) -> tuple[float, float]:
        return self.minutes(), self.cpu_minutes()

    def _took(self, call: Callable[[], Any]) -> tuple[float, float]:
        before = self._spent()
        call()
        minutes, cpu_minutes = (now - then for now, then in zip(self._spent(), before))
        return max(minutes, 1e-9), max(cpu_minutes, 1e-9)

    # ---- evaluation ----

    def evaluate(self, state: dict[str, Any], interrupts: Interrupts) -> None:
        """Plays against the bots; adds a row to the curve, exports the best network.

        ``state`` is the current one, and becomes the one afterwards.
        """
        config = self.config
        left = [match for match in matches(config) if match not in self.pending]
        seed = 10**6 + len(self.curve)

        def play(match: Match) -> Callable[[Callable[[], None]], Any]:
            player = self.maker.player(self.learner.average, self.specs[match.kind])
            player.load(self.learner.average)
            return lambda check: share_of_points(match, player, config, seed, check)

        def done(number: int, share: Any) -> None:
            match = left[number]
            with interrupts.deferred():
                self.pending[match] = tuple(share)
                state["pending"] = dict(self.pending)
                name = match.name(config)
                tell(
                    f"{self._clock()}  against {name}: {100 * share.share:.1f} % "
                    f"+- {100 * share.margin:.1f} % of the points"
                )
                self.progress.share(name, share.share, self.learner.updates)

        self.team.run([play(match) for match in left], idle=lambda: self._save_now_and_then(state), done=done)
        with interrupts.deferred():
            self._add_row()
            state.update(self.state())
            self.save(state)
        self._sample()
        self.progress.start(self.counts())

    def _row(self, counts: dict[str, float], pending: dict[Match, tuple[float, float]]) -> dict[str, Any]:
        """A row of the curve."""
        row: dict[str, Any] = {
            "minutes": round(self.minutes(), 2),
            "cpu_minutes": round(self.cpu_minutes(), 2),
            **{name: int(count) for name, count in counts.items()},
        }
        for match in matches(self.config):
            if match in pending:
                share, margin = pending[match]
                name = match.name(self.config)
                row[name], row[f"{name} margin"] = round(share, 4), round(margin, 4)
        return row

    def _add_row(self) -> None:
        shares = [share for share, _ in self.pending.values()]
        mean = sum(shares) / len(shares) if shares else self.best
        # Without opponents, the newest network counts as the best.
        if mean >= self.best:
            self.best = mean
            self._export("best", self.learner.average, self.counts())
        self.curve.append(self._row(self.counts(), self.pending))
        self.pending = {}
        self.next_evaluation = self._after(self.learner.updates)

    def _sample(self) -> None:
        player = self.maker.player(self.learner.average, self.specs[0])
        player.load(self.learner.average)
        (game,) = self.team.run([lambda check: sample_game(player, self.config, len(self.curve) - 1, check)])
        self.folder.write(self.folder.sample, json.dumps(game.record()))
        tell(f"            a game against itself: {in_words(game)}")

    # ---- files ----

    def _export(self, stem: str, network: Any, counts: dict[str, float]) -> None:
        """Writes an averaged network as a file that plays. Equal runs write equal bytes."""
        config = self.config
        notes = {"trainer": f"ludovec {__version__}", "seed": config.seed}
        notes |= {name: counts[name] for name in ("games", "positions", "updates")}
        more: dict[str, Any] = {
            "options": config.allowed,
            "reward": config.reward,
            "value_scale": config.scale,
            "method": config.method,
            "c_init": config.c_init,
            "notes": notes,
        }
        nets.save(network, self.folder.network(stem), nets.Card.of(*self.specs, **more), self.most)

    def _write_config(self) -> None:
        self.folder.write(self.folder.config, self.config.to_toml())

    def _save_now_and_then(self, state: dict[str, Any]) -> None:
        if time.monotonic() - self._saved_at >= CHECKPOINT_EVERY:
            self.save(state)

    def save(self, state: dict[str, Any]) -> None:
        """Writes a checkpoint of a state, its network as a file that plays, and its curve."""
        games = self.shards.saved(state["games"])
        minutes, cpu_minutes = self.minutes(), self.cpu_minutes()
        self.folder.save(
            {**state, "games": games, "minutes": minutes, "cpu_minutes": cpu_minutes}, self.buffers
        )
        self._written = _stamp(self.folder.checkpoint)
        moves, finished = counts_of(games)
        counts: dict[str, float] = {
            "moves": moves,
            "positions": state["positions"],
            "games": finished,
            "updates": state["learner"]["updates"],
        }
        self._saved_network.load_state_dict(state["learner"]["average"])
        self._export("last", self._saved_network, counts)
        # Matches of an evaluation that is not complete are a row, too.
        curve = [*state["curve"], *([self._row(counts, state["pending"])] if state["pending"] else [])]
        if curve:
            names = [match.name(self.config) for match in matches(self.config)]
            self.folder.write(self.folder.curve, table(curve))
            title = f"{self.config.env}: share of points"
            self.folder.write(self.folder.picture, picture(curve, names, title))
        self._saved_at = time.monotonic()

    def state(self) -> dict[str, Any]:
        """The state between two rounds, without the replay buffers; later rounds do not change it."""
        inputs = self.learner.network.inputs
        return {
            "config": self.config.to_toml(),
            "inputs": (inputs.to_json(), inputs.tables),
            "learner": self.learner.state(),
            "games": self.shards.states(),
            "due": self.due,
            "positions": self.positions,
            "rounds": self.rounds,
            "curve": [dict(row) for row in self.curve],
            "best": self.best,
            "next_evaluation": self.next_evaluation,
            "pending": dict(self.pending),
            "is_fitting": self.is_fitting,
        }

    def _restore(self, saved: dict[str, Any]) -> None:
        self.learner.restore(saved["learner"])
        self.shards.restore(saved["games"])
        self.folder.fill(self.buffers, saved)
        plain = (
            "due",
            "positions",
            "rounds",
            "curve",
            "best",
            "next_evaluation",
            "pending",
            "is_fitting",
        )
        for name in plain:
            setattr(self, name, saved[name])
        self._minutes_before, self._cpu_before = saved["minutes"], saved["cpu_minutes"]
        if self.learner.updates < self.next_evaluation:
            # A resumed run may evaluate at other intervals.
            self.next_evaluation = self._after(self.learner.updates)

    def _after(self, updates: int) -> int:
        """The next evaluation: at the end of imitation, then at intervals, independent of budgets."""
        begin, every = self.config.imitate, self.config.evaluate_every
        return begin if updates < begin else begin + ((updates - begin) // every + 1) * every

    def close(self) -> None:
        """Waits for interrupted calls and closes the games."""
        self.team.wait()
        self.shards.close()
        self._lock.release()


def _stamp(file: Path) -> tuple[int, int]:
    """Time and size of a file, which a replaced one does not have."""
    found = file.stat()
    return found.st_mtime_ns, found.st_size
