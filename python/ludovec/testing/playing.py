"""Reproducible games in any vector environment."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._shared.extras import extra

with extra("gym"):
    from gymnasium.spaces import Discrete
    from gymnasium.vector import AutoresetMode
    from gymnasium.vector.utils import batch_space

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv

    Env = VectorEnv[Any, Any, Any]


class Step(NamedTuple):
    """The actions and results of a step; for a reset, observations and infos only."""

    actions: Any
    obs: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: Any


def play(env: Env, steps: int, seed: int = 0, actions: Sequence[Any] | None = None) -> Iterator[Step]:
    """Resets ``env`` and plays ``steps`` steps; yields the results of the reset and of every step.

    Actions are drawn with ``seed``, from ``info["action_mask"]`` ``[N, A]`` if present and otherwise from the
    action space, unless ``actions`` gives one entry per step. Without auto-reset, finished games are reset
    before the next step, or all games if partial resets are refused.
    """
    chooser = Chooser(env, seed)
    obs, info = env.reset(seed=seed)
    yield Step(None, obs, None, None, None, info)
    chooser.see(info)
    drawn = (chooser.choose() for _ in range(steps))
    yield from go_on(env, drawn if actions is None else actions[:steps], chooser.see)


def go_on(
    env: Env, actions: Iterable[Any], see: Callable[[Mapping[str, Any]], None] = lambda info: None
) -> Iterator[Step]:
    """Continues play; ``see`` gets every info before the next entry of ``actions`` is taken."""
    disabled = env.metadata.get("autoreset_mode") == AutoresetMode.DISABLED
    for chosen in actions:
        now = Step(chosen, *env.step(chosen))
        # Before the caller gets the info, and may write to it.
        see(now.info)
        ended = np.logical_or(now.terminated, now.truncated)
        yield now
        if disabled and ended.any():
            try:
                info = env.reset(options={"reset_mask": ended})[1]
            except Exception:
                info = env.reset()[1]
            see(info)


def trace(env: Env, steps: int, seed: int = 0, actions: Sequence[Any] | None = None) -> list[dict[str, str]]:
    """Plays as :func:`play` and returns hashes of all parts of the results of the reset and of every step.

    Info values count only where their masks ``info["_<key>"]`` are set.
    """
    return [hashes(now) for now in play(env, steps, seed, actions)]


def hashes(now: Step) -> dict[str, str]:
    """Hashes of all parts of the result of a reset or step."""
    parts = {"observations": now.obs}
    if now.actions is not None:
        parts |= {"rewards": now.reward, "terminated": now.terminated, "truncated": now.truncated}
    return {name: _hash(value) for name, value in (*parts.items(), *_parts_of(now.info, "info"))}


def difference(
    ours: Sequence[Mapping[str, str]], theirs: Sequence[Mapping[str, str]]
) -> tuple[int, str] | None:
    """The first difference between two traces: the step and the part."""
    for t, (one, other) in enumerate(zip(ours, theirs)):
        for name in (*one, *other):
            if one.get(name) != other.get(name):
                return t, name
    return None


def arrays(value: Any) -> Iterator[npt.NDArray[Any]]:
    """Every array of numbers in a result, once."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from arrays(item)
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        for item in value:
            yield from arrays(item)
    elif isinstance(value, np.ndarray):
        yield value


class Chooser:
    """Draws actions, from the newest mask of every game if there are masks."""

    def __init__(self, env: Env, seed: int) -> None:
        self._random = np.random.default_rng(seed)
        self._single = env.single_action_space
        # Batched from the single space, because the batched space may be the wrong one.
        self._space: Any = batch_space(self._single, env.num_envs)
        self._space.seed(seed)
        self._masks: npt.NDArray[Any] | None = None

    def see(self, info: Mapping[str, Any]) -> None:
        """Stores the masks of infos."""
        masks = mask_of(info, self._single)
        if masks is None:
            return
        known = info.get("_action_mask")
        if self._masks is None or known is None:
            self._masks = masks.copy()
        else:
            self._masks[known] = masks[known]

    def choose(self) -> Any:
        """One action per game."""
        if self._masks is None:
            return self._space.sample()
        start = self._single.start if isinstance(self._single, Discrete) else 0
        drawn = [self._random.choice(np.flatnonzero(row)) if row.any() else 0 for row in self._masks]
        return np.array(drawn, dtype=self._space.dtype) + start


def mask_of(info: Any, space: Any) -> npt.NDArray[Any] | None:
    """``info["action_mask"]`` if it is a mask of discrete actions."""
    masks = info.get("action_mask") if isinstance(info, Mapping) else None
    shaped = isinstance(masks, np.ndarray) and masks.ndim == 2 and isinstance(space, Discrete)
    return masks if shaped and masks is not None and masks.shape[1] == space.n else None


def _parts_of(info: Mapping[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for key in sorted(info, key=str):
        value, shown = info[key], info.get(f"_{key}")
        if isinstance(value, Mapping):
            yield from _parts_of(value, f"{path}[{key!r}]")
        elif isinstance(value, np.ndarray) and isinstance(shown, np.ndarray) and len(shown) == len(value):
            yield f"{path}[{key!r}]", value[shown.astype(np.bool_)]
        else:
            yield f"{path}[{key!r}]", value


def _hash(value: Any) -> str:
    digest = hashlib.blake2b(digest_size=16)
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest: Any, value: Any) -> None:
    digest.update(type(value).__name__.encode())
    if isinstance(value, Mapping):
        for key in sorted(value, key=str):
            digest.update(repr(key).encode())
            _feed(digest, value[key])
    elif isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype == object):
        for item in value:
            _feed(digest, item)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, (bool, int, float, str, bytes, np.generic)):
        digest.update(repr(value).encode())
