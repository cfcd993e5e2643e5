"""EnvPool's constructors.

>>> from ludovec import envpool
>>> env = envpool.make_gymnasium("Tilewe-v1", num_envs=8, batch_size=4, seed=0, players=2)
>>> env.async_reset()
>>> for _ in range(10):
...     obs, reward, terminated, truncated, info = env.recv()
...     env.send(env.sample_actions(), info["env_id"])

Tasks are ``"<Name>-v<version>"``, or ids of :func:`ludovec.list_envs`. The environments are made by
:func:`ludovec.make` and have more methods than ``reset``, ``step``, ``async_reset``, ``send`` and
``recv``. Rows are in order, and every game depends only on its seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from . import _arguments, _core
from ._errors import config_error
from .asynchronous import AsyncVectorEnv
from .registry import make as _make
from .spaces import action_space, observation_space
from .spec import Spec, spec
from .vector import VectorEnv

__all__ = ["EnvSpec", "list_all_envs", "make", "make_gymnasium", "make_spec"]


@dataclass(frozen=True)
class EnvSpec:
    """Description of an environment before it is made."""

    task_id: str
    config: dict[str, Any]
    """The arguments of :func:`make_gymnasium`, including the environment's options."""
    game_spec: Spec

    @property
    def observation_space(self) -> Any:
        """Gymnasium's space of one observation."""
        return observation_space(self.game_spec)

    @property
    def action_space(self) -> Any:
        """Gymnasium's space of one action."""
        return action_space(self.game_spec)

    @property
    def reward_threshold(self) -> None:
        """None: no reward counts as solved."""


def list_all_envs() -> list[str]:
    """All tasks."""
    return [f"{name}-v{spec(_id(id)).version}" for id, name, _ in _core.list_envs()]


def make_spec(task_id: str, **config: Any) -> EnvSpec:
    """Describes a task; ``config`` as for :func:`make_gymnasium`."""
    id = _id(task_id)
    options = {key: value for key, value in config.items() if key not in _ARGUMENTS}
    return EnvSpec(task_id, {**_ARGUMENTS, **config}, spec(id, **options))


def make(
    task_id: str, env_type: Literal["gymnasium"] = "gymnasium", **config: Any
) -> VectorEnv | AsyncVectorEnv:
    """Same as :func:`make_gymnasium`; other types do not exist.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    if env_type != "gymnasium":
        raise config_error(f"env_type={env_type!r}: 'gymnasium' is allowed")
    return make_gymnasium(task_id, **config)


def make_gymnasium(
    task_id: str,
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int = 0,
    seed: int = 42,
    max_episode_steps: int | None = None,
    **options: Any,
) -> VectorEnv | AsyncVectorEnv:
    """Makes a batch of games.

    Args:
        task_id: One of :func:`list_all_envs`.
        num_envs: Number of games.
        batch_size: Number of games per :meth:`recv`; with less than ``num_envs``, the other games are stepped
            in the background. All by default.
        num_threads: 0 uses all cores.
        seed: Seed of all games.
        max_episode_steps: Truncates episodes.
        options: Other arguments of :func:`ludovec.make`, and the environment's own options.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    if max_episode_steps is not None:
        options["max_steps"] = max_episode_steps
    threads = _arguments.count("num_threads", num_threads) or None
    num_envs = _arguments.positive("num_envs", num_envs)
    size = _arguments.count("batch_size", 0 if batch_size is None else batch_size)
    batch = None if size in (0, num_envs) else size
    env: VectorEnv | AsyncVectorEnv = _make(
        _id(task_id), num_envs, batch_size=batch, num_threads=threads, seed=seed, **options
    )
    return env


_ARGUMENTS: dict[str, Any] = {
    "num_envs": 1,
    "batch_size": None,
    "num_threads": 0,
    "seed": 42,
    "max_episode_steps": None,
}


def _id(task_id: str) -> Any:
    """The environment id of a task; only the current version is accepted."""
    name, _, version = _arguments.word("task_id", task_id).removeprefix("ludovec/").partition("-v")
    for id, known, _ in _core.list_envs():
        if name in (id, known):
            env: Any = id
            if version and version != str(spec(env).version):
                raise config_error(
                    f"task_id={task_id!r}: the current version is {known}-v{spec(env).version}"
                )
            return env
    names = ", ".join(known for _, known, _ in _core.list_envs())
    raise config_error(f"task_id={task_id!r}: one of {names} is allowed")
