"""EnvPool's words: ``make``, ``make_gym``, ``make_gymnasium``, ``make_dm`` (with ``dm_env``), ``make_spec``,
``env.xla()`` (with JAX).

>>> from ludovec import envpool
>>> sizes = {"num_envs": 8, "batch_size": 4}
>>> env = envpool.make("Tilewe-v1", env_type="gym", seed=0, players=2, **sizes)
>>> env.async_reset()
>>> for _ in range(10):
...     obs, reward, terminated, truncated, info = env.recv()
...     env.send(env.sample_actions(), info["env_id"])

Tasks are ``"<Name>-v<version>"``, or ids of :func:`ludovec.list_envs`. ``env.step(action, env_id)`` and
``env.reset(env_id)`` move some of the games and return their rows; ``env.spec`` and ``env.config`` describe
the environment. The environments are those of :func:`ludovec.make`, with all their methods, but an illegal
action ends its game at -1, as EnvPool's action spaces allow every action. Rows are in order, and every game
depends only on its seed. ``env.seed`` is the seed, as everywhere in Ludovec; the specs' lists of arrays and
``gen_config`` are not here.
"""

from __future__ import annotations

import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from .. import _core
from .._shared import checks
from .._shared.errors import config_error
from ..envs.make import make as _make
from ..spec import spec
from .envpool_pools import AsyncPool, EnvSpec, Pool

if TYPE_CHECKING:
    from .dm import DmEnv

__all__ = [
    "AsyncPool",
    "EnvSpec",
    "Pool",
    "list_all_envs",
    "make",
    "make_dm",
    "make_gym",
    "make_gymnasium",
    "make_spec",
]


def list_all_envs() -> list[str]:
    """All tasks."""
    return [f"{name}-v{spec(_id(id)).version}" for id, name, _ in _core.list_envs()]


def make_spec(task_id: str, **config: Any) -> EnvSpec:
    """Describes a task; ``config`` as for :func:`make_gymnasium`."""
    id = _id(task_id)
    options = {key: value for key, value in config.items() if key not in _ARGUMENTS}
    return EnvSpec(task_id, {**_ARGUMENTS, **config}, spec(id, **options))


def make(
    task_id: str, env_type: Literal["gym", "gymnasium", "dm"] = "gymnasium", **config: Any
) -> Pool | AsyncPool | DmEnv:
    """:func:`make_gymnasium`, which ``"gym"`` means, too, or :func:`make_dm`.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    makers = {"gym": make_gymnasium, "gymnasium": make_gymnasium, "dm": make_dm}
    if not isinstance(env_type, str) or env_type not in makers:
        raise config_error(f"env_type={env_type!r:.100}: one of {', '.join(makers)} is allowed")
    made: Pool | AsyncPool | DmEnv = makers[env_type](task_id, **config)  # type: ignore[operator]
    return made


def make_gymnasium(
    task_id: str,
    num_envs: int = 1,
    batch_size: int | None = None,
    num_threads: int = 0,
    seed: int = 42,
    max_episode_steps: int | None = None,
    **options: Any,
) -> Pool | AsyncPool:
    """Makes a batch of games; ``make_gym`` is another name.

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
    given = {"num_envs": num_envs, "batch_size": batch_size, "num_threads": num_threads, "seed": seed}
    if options.get("render_mode") is None:
        options.pop("render_mode", None)
    config = {**given, "max_episode_steps": max_episode_steps, **options}
    options = {"on_illegal": "lose", **options}
    if max_episode_steps is not None:
        options["max_steps"] = max_episode_steps
    threads = checks.count("num_threads", num_threads) or None
    num_envs = checks.positive("num_envs", num_envs)
    size = checks.count("batch_size", 0 if batch_size is None else batch_size)
    batch = None if size in (0, num_envs) else size
    made: Any = _make(_id(task_id), num_envs, batch_size=batch, num_threads=threads, seed=seed, **options)
    # The classes add methods and no state.
    made.__class__ = Pool if batch is None else AsyncPool
    made.spec = EnvSpec(task_id, {**_ARGUMENTS, **config}, made.game_spec)
    if made._remake is not None:
        made._remake = partial(
            make_gymnasium, task_id, **{**config, "seed": made.blocks[0].seed if batch else made.seed}
        )
    pool: Pool | AsyncPool = made
    return pool


make_gym = make_gymnasium


def make_dm(task_id: str, **config: Any) -> DmEnv:
    """Makes a batch of games with ``dm_env``'s interface: :class:`ludovec.dm.DmEnv`.

    Arguments as for :func:`make_gymnasium`.

    Raises:
        InvalidConfig: ``dm_env`` is not installed, or an argument is invalid.
    """
    if importlib.util.find_spec("dm_env") is None:
        raise config_error("env_type='dm': the package dm_env is needed: pip install dm-env")
    from .dm import DmEnv

    return DmEnv(make_gymnasium(task_id, **{"autoreset": "next_step", **config}))


_ARGUMENTS: dict[str, Any] = {
    "num_envs": 1,
    "batch_size": None,
    "num_threads": 0,
    "seed": 42,
    "max_episode_steps": None,
}


def _id(task_id: str) -> Any:
    """The environment id of a task; only the current version is accepted."""
    name, _, version = checks.word("task_id", task_id).removeprefix("ludovec/").partition("-v")
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
