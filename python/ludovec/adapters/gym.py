"""Gymnasium: spaces, and the ids for its ``make`` and ``make_vec``.

``ludovec/<Name>-v<version>`` is one seat against opponents, the same problem in ``make`` and in every mode of
``make_vec``. ``ludovec/<Name>-selfplay-v<version>``, for ``make_vec``, is the batch in which all seats are
the caller's. An illegal action ends its game at -1, unless ``on_illegal="raise"`` is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import InvalidConfig
from .._shared.errors import config_error, type_error
from .._shared.extras import extra
from ..envs.asynchronous import AsyncVectorEnv
from ..envs.make import SELFPLAY, make
from ..envs.seats import SeatVectorEnv
from ..envs.spaces import action_space, batched, observation_space
from ..envs.vector import RENDERING, Array, RenderMode, VectorEnv, described
from ..spec import list_envs, spec

if TYPE_CHECKING:
    from gymnasium import Env as _GymnasiumEnv

    from ..players import Opponents
    from ..typing import EnvId

    _Env = _GymnasiumEnv[Array, Any]
else:
    with extra("gym"):
        from gymnasium import Env as _Env


__all__ = [
    "SeatEnv",
    "action_space",
    "batched",
    "make_selfplay",
    "make_vec",
    "not_alone",
    "observation_space",
    "register",
]


class SeatEnv(_Env):
    """A single-agent environment of one game, made by ``gymnasium.make("ludovec/<Name>-v<version>")``.

    ``opponents`` play the other seats; arguments are as for :func:`ludovec.make`, but an illegal action ends
    the game at -1. Infos are the ones of :class:`ludovec.SeatVectorEnv` for a single game; ``scores`` and
    ``returns`` are present at its end.
    """

    metadata = {**RENDERING}

    def __init__(
        self,
        env: EnvId,
        *,
        opponents: Opponents = "random",
        render_mode: RenderMode | None = None,
        **arguments: Any,
    ) -> None:
        one: Any = {"num_threads": 1, **ILLEGAL, **arguments}
        try:
            self.games: SeatVectorEnv = make(
                env,
                1,
                opponents=opponents,
                autoreset="disabled",
                render_mode=render_mode,
                copy=True,
                **one,
            )
        except InvalidConfig as error:
            raise _unknown_keyword(error, arguments) from None
        self.render_mode = render_mode
        self.observation_space = self.games.single_observation_space
        self.action_space = self.games.single_action_space

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Starts a new game; without a seed, the next one of the last seed."""
        given: Any = options
        obs, info = self.games.reset(seed=seed, options=given)
        # Seeds Gymnasium's own generator, which is unused here; after our reset, which validates the seed.
        super().reset(seed=None if seed is None else int(seed))
        return obs[0], _of_one(info)

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Plays an action and then the opponents: observation, reward, terminated, truncated, info."""
        obs, reward, terminated, truncated, info = self.games.step([action])
        return obs[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), _of_one(info)

    def action_masks(self) -> Array:
        """bool [A]: the legal actions, under the name that sb3-contrib calls."""
        mask: Array = self.games.action_masks()[0]
        return mask

    def render(self) -> Any:
        """Renders the position as ``render_mode`` says: pixels, text, or printed text."""
        frames = self.games.render()
        return None if frames is None else frames[0]

    def get_state(self) -> bytes:
        """The game as a snapshot, without its opponents; as :meth:`ludovec.SeatVectorEnv.get_state`."""
        return self.games.get_state()

    def set_state(self, data: bytes) -> None:
        """Restores a snapshot, from which the game continues identically."""
        self.games.set_state(None, data)

    def close(self) -> None:
        """Releases the game and the players."""
        self.games.close()

    def __repr__(self) -> str:
        return f"<ludovec.gym.SeatEnv {described(self.games)}>"


def _unknown_keyword(error: InvalidConfig, arguments: dict[str, Any]) -> InvalidConfig:
    """The error about an unknown option as Python's TypeError: TorchRL searches its message for
    ``frameskip``."""
    for name in arguments:
        if str(error).startswith(f"invalid configuration: unknown option {name}"):
            said = str(error).removeprefix("invalid configuration: ")
            return type_error(f"got an unexpected keyword argument '{name}': {said}")
    return error


def _of_one(info: Any) -> dict[str, Any]:
    return {name: value[0] for name, value in info.items() if not name.startswith("_")}


def make_vec(
    env: EnvId,
    num_envs: int = 1,
    *,
    opponents: Opponents = "random",
    max_episode_steps: int | None = None,
    **arguments: Any,
) -> SeatVectorEnv:
    """Entry point of ``gymnasium.make_vec("ludovec/<Name>-v<version>", num_envs, ...)``: one seat per game.

    ``max_episode_steps`` is refused, because a step is several decisions; ``max_steps`` limits decisions.
    """
    if max_episode_steps is not None:
        raise config_error(
            f"max_episode_steps={max_episode_steps!r}: it is not allowed with opponents, where a step is "
            "several decisions; max_steps limits decisions"
        )
    all_: Any = {**ILLEGAL, **arguments}
    games: SeatVectorEnv = make(env, num_envs, opponents=opponents, **all_)
    return games


def make_selfplay(
    env: EnvId, num_envs: int = 1, *, max_episode_steps: int | None = None, **arguments: Any
) -> VectorEnv | AsyncVectorEnv:
    """Entry point of ``gymnasium.make_vec("ludovec/<Name>-selfplay-v<version>", num_envs, ...)``: all seats.

    ``max_episode_steps`` becomes the option ``max_steps``, which counts the decisions of all players.
    """
    if arguments.get("opponents") is not None:
        raise config_error("opponents: they are not allowed in self-play; the id without -selfplay has them")
    if max_episode_steps is not None:
        arguments["max_steps"] = max_episode_steps
    all_: Any = {**ILLEGAL, **arguments}
    games: VectorEnv | AsyncVectorEnv = make(env, num_envs, **all_)
    return games


def not_alone(env: EnvId, **arguments: Any) -> None:
    """Entry point of ``gymnasium.make("ludovec/<Name>-selfplay-v<version>")``, which does not exist.

    Raises:
        InvalidConfig: The batch for self-play is made by ``gymnasium.make_vec`` in its default mode.
    """
    known = spec(env)
    raise config_error(
        f"ludovec/{known.name}{SELFPLAY}-v{known.version} is a batch, for gymnasium.make_vec in its "
        f"default mode; ludovec/{known.name}-v{known.version} is one seat against opponents"
    )


#: Registered environments take every action, as their action spaces do.
ILLEGAL = {"on_illegal": "lose"}


def register() -> None:
    """Registers every environment with Gymnasium; importing ``ludovec`` does so.

    The version of an id is the version of the environment. Other versions are not registered: Gymnasium
    raises its error for deprecated environments.
    """
    with extra("gym"):
        from gymnasium.envs import registration
    for id in list_envs():
        known = spec(id)
        one = f"ludovec/{known.name}-v{known.version}"
        many = f"ludovec/{known.name}{SELFPLAY}-v{known.version}"
        both: Any = {"kwargs": {"env": id}, "order_enforce": False, "disable_env_checker": True}
        if one not in registration.registry:
            points: Any = {"entry_point": "ludovec.gym:SeatEnv", "vector_entry_point": "ludovec.gym:make_vec"}
            registration.register(one, **points, **both)
            points = {
                "entry_point": "ludovec.gym:not_alone",
                "vector_entry_point": "ludovec.gym:make_selfplay",
            }
            registration.register(many, **points, **both)
