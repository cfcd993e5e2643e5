"""Asynchronous stepping: workers step blocks of games while the caller computes actions."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .. import _core
from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error
from ..game import Game
from ..game.positions import positions_of, scratch
from .vector import (
    Array,
    Batch,
    Ended,
    GameIds,
    StepResult,
    VectorEnv,
    described,
)

if TYPE_CHECKING:
    from gymnasium.spaces import Box, Discrete, MultiDiscrete

    from ..game.positions import PositionLike
    from ..typing import Info, ResetOptions


class AsyncVectorEnv(Batch):
    """Blocks of games stepped by worker threads (EnvPool's interface), from ``make(..., batch_size=B)``.

    >>> env.async_reset()
    >>> while True:
    ...     # B games, listed in info["env_id"]
    ...     obs, reward, terminated, truncated, info = env.recv()
    ...     env.send(policy(obs, info), info["env_id"])    # the workers step them ...
    ...     # ... while the next recv() returns a block that is ready

    Blocks are received in the order they were sent, so runs are reproducible: game ``i`` plays as it would in
    a
    :class:`VectorEnv`. Sending a block lets the workers overwrite its arrays.

    Every attribute of :class:`VectorEnv` exists here too. Arrays are from the last received block.
    """

    spec = None
    single_observation_space: Box
    single_action_space: Discrete
    observation_space: Box
    action_space: MultiDiscrete

    def __init__(self, blocks: list[VectorEnv], *, threads: int) -> None:
        """Use :func:`ludovec.make`."""
        self.blocks = blocks
        self.batch_size = blocks[0].num_envs
        self.num_envs = self.batch_size * len(blocks)
        self.game_spec = blocks[0].game_spec
        self.metadata = blocks[0].metadata
        self.autoreset_mode = blocks[0].autoreset_mode
        #: Makes the same environment with new games, if possible; pickling needs it.
        self._remake: Callable[..., AsyncVectorEnv] | None = None
        self.autoreset = blocks[0].autoreset
        #: Whether results are copies instead of views.
        self.returns_copies = blocks[0].returns_copies
        self.render_mode = blocks[0].render_mode
        self.closed = False
        self._workers = _core.Workers(threads)
        self._ids = [
            np.arange(k * self.batch_size, (k + 1) * self.batch_size, dtype=np.int32)
            for k in range(len(blocks))
        ]
        #: Sent blocks in order, each with a flag: a worker steps it.
        self._under_way: deque[tuple[int, bool]] = deque()
        #: Received blocks that were not sent yet; `send` takes the last one by default.
        self._held: list[int] = []

    def async_reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: ResetOptions | None = None
    ) -> None:
        """Starts new episodes in all blocks; each :meth:`recv` then returns one block.

        ``seed`` and ``options`` are as for :meth:`VectorEnv.reset`, for all ``num_envs`` games.
        """
        given = checks.reset_options(options, ("reset_mask", "starts"))
        mask = checks.reset_mask(given.get("reset_mask"), self.num_envs)
        positions: list[str | bytes | None] = [None] * self.num_envs
        for id, text in positions_of(given.get("starts"), self.game_spec, self.num_envs):
            positions[id] = text
        number, seeds = checks.reset_seed(seed, self.num_envs)
        while self._under_way:
            block, stepping = self._under_way.popleft()
            if stepping:
                self._finish(block)
        self._held.clear()
        for block, env in enumerate(self.blocks):
            games = slice(block * self.batch_size, (block + 1) * self.batch_size)
            part: Any = number if seeds is None else seeds[games]
            if mask is None or mask[games].any():
                env.reset(seed=part, options={} if mask is None else {"reset_mask": mask[games]})
            for row, position in enumerate(positions[games]):
                if position is not None:
                    env._core.set_position(row, position)
            self._under_way.append((block, False))

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: ResetOptions | None = None
    ) -> tuple[Array, Info]:
        """:meth:`async_reset` and the first :meth:`recv`."""
        self.async_reset(seed=seed, options=options)
        obs, *_, info = self.recv()
        return obs, info

    def send(self, actions: Any, env_id: GameIds | None = None) -> None:
        """Sends a received block (default: the last one) to the workers and returns at once.

        The :meth:`recv` of the block raises for illegal actions. The caller then keeps the block, unchanged,
        and can send it again.
        """
        if not self._held:
            raise LudovecError("all blocks are under way: call recv first")
        block = self._held[-1] if env_id is None else self._block(env_id)
        env = self.blocks[block]
        env._core.begin(self._workers, checks.actions(actions, self.batch_size))
        self._held.remove(block)
        self._under_way.append((block, True))

    def recv(self) -> StepResult:
        """Waits for the block that was sent first; ``info["env_id"]`` (int32 [B]) is its game indices."""
        if not self._under_way:
            raise LudovecError("no block is under way: call async_reset or send first")
        block, stepping = self._under_way.popleft()
        try:
            ended = self._finish(block) if stepping else None
        except LudovecError:
            self._held.append(block)
            raise
        except BaseException:
            # A signal handler raised: the step goes on and is received later.
            self._under_way.appendleft((block, stepping))
            raise
        self._held.append(block)
        result = self._result(block, ended)
        if not stepping:
            info: Any = result[-1]
            env = self.blocks[block]
            info["seed"], info["_seed"] = env.seeds(), env._info["_current_player"]
        return result

    @property
    def seed(self) -> int | None:
        """The last seed of all games, as in :class:`VectorEnv`."""
        seeds = {env.seed for env in self.blocks}
        return seeds.pop() if len(seeds) == 1 else None

    def seeds(self) -> npt.NDArray[np.uint64]:
        """uint64 [N]: the seed of the random stream of every game, of all ``num_envs``."""
        return np.concatenate([env.seeds() for env in self.blocks])

    def _result(self, block: int, ended: Ended) -> StepResult:
        result = self.blocks[block]._result(ended)
        result[-1]["env_id"] = self._ids[block]
        return result

    def step(self, actions: Any, env_id: Any = None) -> StepResult:
        """:meth:`send` and :meth:`recv`."""
        self.send(actions, env_id)
        return self.recv()

    # ---- the games ----

    @property
    def received(self) -> VectorEnv:
        """The last received block; the columns are the arrays that ``recv`` returned."""
        if not self._held:
            raise LudovecError("all blocks are under way: call recv first")
        return self.blocks[self._held[-1]]

    @property
    def _shown(self) -> VectorEnv:
        return self.received

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Spaces are the same for all blocks.
            return getattr(self.blocks[0], name) if name.endswith("_space") else super().__getattr__(name)

    def bot_actions(self, bots: str | Sequence[str], ids: GameIds | None = None) -> npt.NDArray[np.int32]:
        """int32 [B]: the action of a bot in every game of that block, as for :meth:`VectorEnv.bot_actions`.

        ``ids`` are 0 to ``num_envs - 1`` and must belong to one received block.
        """
        if ids is None:
            return self.received.bot_actions(bots)
        block, games = self._of_one_block(ids)
        return self.blocks[block].bot_actions(bots, games)

    def step_games(self, ids: GameIds, actions: Any) -> StepResult:
        """Plays ``actions[k]`` in game ``ids[k]`` at once; returns all rows of the block.

        ``ids`` are 0 to ``num_envs - 1`` and must belong to one received block.
        """
        block, games = self._of_one_block(ids)
        ended = self.blocks[block]._core.step_games(games, checks.actions(actions, len(games)))
        return self._stepped(block, ended)

    def step_scripted(self, ids: GameIds, actions: Any, outcomes: Any) -> StepResult:
        """Plays ``actions[k]`` in game ``ids[k]`` with the chance ``outcomes[k]``, as
        :meth:`VectorEnv.step_scripted`; the games must belong to one received block."""
        block, games = self._of_one_block(ids)
        return self._stepped(block, self.blocks[block]._step_scripted(games, actions, outcomes))

    def _of_one_block(self, ids: Any) -> tuple[int, npt.NDArray[np.uint32]]:
        """The block of the games, and their indices in it."""
        games = checks.games(ids, self.num_envs)
        blocks = np.unique(games // self.batch_size).tolist() or self._held[-1:]
        if len(blocks) != 1 or blocks[0] not in self._held:
            raise config_error("ids: games of one received block are needed")
        return blocks[0], games % np.uint32(self.batch_size)

    def _stepped(self, block: int, ended: Ended) -> StepResult:
        """Returns the rows of a block and makes it the last received one."""
        self._held.remove(block)
        self._held.append(block)
        return self._result(block, ended)

    def step_sampled(self, steps: int = 1) -> StepResult:
        """Samples and plays actions in that block, as :meth:`VectorEnv.step_sampled`."""
        ended = self.received._core.step_sampled(checks.count("steps", steps))
        return self._result(self._held[-1], ended)

    def fork(self, src: GameIds, dst: GameIds, *, show: bool = True) -> None:
        """Copies the position of game ``src[k]`` into game ``dst[k]``, of all ``num_envs``, as
        :meth:`VectorEnv.fork`; their blocks must not be under way."""
        sources, targets = (checks.games(ids, self.num_envs) for ids in (src, dst))
        if len(sources) == 1:
            sources = np.repeat(sources, len(targets))
        if len(sources) != len(targets):
            raise config_error(f"fork: {len(sources)} games cannot be copied into {len(targets)}")
        blocks = set((np.concatenate([sources, targets]) // self.batch_size).tolist())
        if len(blocks) == 1:
            block = blocks.pop()
            first = np.uint32(block * self.batch_size)
            self.blocks[block].fork(sources - first, targets - first, show=show)
        elif len(targets):
            checks.switch("show", show)
            # If a game is a target several times, the last copy counts.
            targets, last = np.unique(targets[::-1], return_index=True)
            sources = sources[::-1][last]
            # Copies sources and targets, so that the targets keep their random streams.
            n = len(targets)
            both = np.concatenate([sources, targets])
            copies = scratch(self.game_spec, 2 * n)
            for k, id in enumerate(both.tolist()):
                copies.restore(np.array([k], dtype=np.uint32), self.get_state([id]))
            old, new = np.arange(n, dtype=np.uint32), np.arange(n, 2 * n, dtype=np.uint32)
            copies.fork(old, new, True)
            for k, id in enumerate(targets.tolist()):
                self.set_state([id], copies.save(new[k : k + 1]))

    def determinize(
        self, ids: GameIds | None = None, player: int | None = None, seed: int | None = None
    ) -> int:
        """Resamples hidden information as :meth:`VectorEnv.determinize`; the blocks of these games must not
        be under way. Returns the seed."""
        number = checks.seed(seed)
        chosen = np.unique(checks.games(range(self.num_envs) if ids is None else ids, self.num_envs))
        for env, games, _ in self._by_block(chosen):
            env.determinize(games, player, number)
        return number

    @property
    def unwrapped(self) -> AsyncVectorEnv:
        """The environment itself."""
        return self

    def game(self, id: int) -> Game:
        """A copy of game ``id`` of all ``num_envs``; its block must not be under way."""
        block, row = divmod(checks.game(id, self.num_envs), self.batch_size)
        return self.blocks[block].game(row)

    def get_state(self, ids: GameIds | None = None) -> bytes:
        """A snapshot of the games ``ids`` (all by default); their blocks must not be under way."""
        return self._copies(ids).save(checks.games(None, len(checks.games(ids, self.num_envs))))

    def set_state(self, ids: GameIds | None, data: bytes) -> None:
        """Restores a snapshot into the games ``ids`` (increasing; ``None`` for all)."""
        copies = scratch(self.game_spec, len(checks.games(ids, self.num_envs)))
        copies.restore(checks.games(None, len(copies.samples())), checks.octets("data", data))
        for env, games, rows in self._by_block(ids):
            env.set_state(games, copies.save(rows))

    def add_reward(self, extra: Any) -> None:
        """Adds float32 ``[B, P]`` to the rewards of that block's last step, as
        :meth:`VectorEnv.add_reward`."""
        self.received.add_reward(extra)

    def set_position(self, id: int, position: PositionLike) -> None:
        """Replaces the position of a game, as :meth:`VectorEnv.set_position`."""
        block, row = divmod(checks.game(id, self.num_envs), self.batch_size)
        self.blocks[block].set_position(row, position)

    def set_starts(
        self, starts: Sequence[PositionLike] | None, weights: Sequence[float] | None = None
    ) -> None:
        """Changes the positions from which later episodes start, as :meth:`VectorEnv.set_starts`."""
        for block in self.blocks:
            block.set_starts(starts, weights)
        found = self.blocks[0]._starts
        if self._remake is not None:
            self._remake = partial(self._remake, starts=found if starts is not None else None)

    def _copies(self, ids: Any) -> _core.Batch:
        """A batch with copies of some games."""
        copies = scratch(self.game_spec, len(checks.games(ids, self.num_envs)))
        for env, games, rows in self._by_block(ids):
            copies.restore(rows, env._core.save(games))
        return copies

    def _by_block(
        self, ids: Any
    ) -> Iterator[tuple[VectorEnv, npt.NDArray[np.uint32], npt.NDArray[np.uint32]]]:
        """The blocks of some games, with the indices of the games in the block and in ``ids``."""
        games = checks.games(ids, self.num_envs)
        for block, env in enumerate(self.blocks):
            rows = np.flatnonzero(games // self.batch_size == block).astype(np.uint32)
            if rows.size:
                yield env, games[rows] - np.uint32(block * self.batch_size), rows

    @property
    def np_random(self) -> np.random.Generator:
        """Gymnasium's generator for wrappers and callers, seeded by resets; the engine has its own."""
        return self.blocks[0].np_random

    @np_random.setter
    def np_random(self, value: np.random.Generator) -> None:
        self.blocks[0].np_random = value

    @property
    def np_random_seed(self) -> int | None:
        """Seed of ``np_random``, -1 if the generator was replaced."""
        return self.blocks[0].np_random_seed

    def close_extras(self, **kwargs: Any) -> None:
        """Gymnasium's hook for subclasses; does nothing."""

    def close(self, **kwargs: Any) -> None:
        """Waits for the blocks under way and releases the games."""
        while self._under_way:
            block, stepping = self._under_way.popleft()
            if stepping:
                self._finish(block)
        for env in self.blocks:
            env.close()
        self.closed = True

    def _finish(self, block: int) -> Ended:
        try:
            return self.blocks[block]._core.finish()
        except LudovecError as error:
            if sys.version_info >= (3, 11):
                error.add_note(f"games are counted from {block * self.batch_size} here")
            raise

    def _block(self, env_id: Any) -> int:
        ids = checks.array("env_id", env_id)
        block = int(ids.flat[0]) // self.batch_size if ids.size and ids.dtype.kind in "iu" else -1
        if block not in self._held or not np.array_equal(ids, self._ids[block]):
            raise config_error('env_id: the info["env_id"] of a received block is needed')
        return block

    def __reduce__(self) -> Any:
        """Pickles arguments and games; no block may be under way. The copy continues identically."""
        if self._remake is None:
            raise LudovecError("this environment cannot be pickled: its games are in another process")
        if any(stepping for _, stepping in self._under_way):
            raise LudovecError("blocks are under way: receive them before the environment is pickled")
        games = [(env.get_state(), env._core.samples()) for env in self.blocks]
        order = [block for block, _ in self._under_way], self._held
        return _restore, (self._remake, games, order, self.render_mode)

    def __repr__(self) -> str:
        return f"<ludovec.AsyncVectorEnv {described(self)} batch_size={self.batch_size}>"


def _restore(
    remake: Callable[..., AsyncVectorEnv],
    games: list[tuple[bytes, npt.NDArray[np.uint64]]],
    order: tuple[list[int], list[int]],
    render_mode: str | None,
) -> AsyncVectorEnv:
    env = remake(render_mode=render_mode)
    for block, (state, samples) in zip(env.blocks, games):
        block.set_state(None, state)
        block._core.set_samples(samples)
    under_way, held = order
    env._under_way.extend((block, False) for block in under_way)
    env._held.extend(held)
    return env
