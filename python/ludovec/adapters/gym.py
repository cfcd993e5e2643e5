"""Gymnasium: spaces, and the ids ``ludovec/<Name>-v<version>`` for its ``make`` and ``make_vec``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._errors import config_error
from .._extras import extra
from ..asynchronous import AsyncVectorEnv
from ..registry import make
from ..seats import SeatVectorEnv
from ..spec import list_envs, spec
from ..vector import RENDERING, Array, RenderMode, VectorEnv

if TYPE_CHECKING:
    from gymnasium import Env as _GymnasiumEnv

    from ..players import Opponents
    from ..typing import EnvId

    _Env = _GymnasiumEnv[Array, Any]
else:
    with extra("gym"):
        from gymnasium import Env as _Env


class SeatEnv(_Env):
    """A single-agent environment of one game, made by ``gymnasium.make("ludovec/<Name>-v<version>")``.

    ``opponents`` play the other seats; arguments are as for :func:`ludovec.make`. Infos are the ones of
    :class:`ludovec.SeatVectorEnv` for a single game; ``scores`` and ``returns`` are present at its end.
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
        one: Any = {"num_threads": 1, **arguments}
        self.games: SeatVectorEnv = make(
            env,
            1,
            opponents=opponents,
            autoreset="disabled",
            render_mode=render_mode,
            copy=True,
            **one,
        )
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

    def close(self) -> None:
        """Releases the game and the players."""
        self.games.close()


def _of_one(info: Any) -> dict[str, Any]:
    return {name: value[0] for name, value in info.items() if not name.startswith("_")}


def make_vec(
    env: EnvId, num_envs: int = 1, *, max_episode_steps: int | None = None, **arguments: Any
) -> VectorEnv | AsyncVectorEnv | SeatVectorEnv:
    """Entry point of ``gymnasium.make_vec("ludovec/<Name>-v<version>", num_envs, ...)``.

    ``max_episode_steps`` becomes the option ``max_steps``, which counts the decisions of all players. It is
    refused with ``opponents``, because a step is then several decisions.
    """
    if max_episode_steps is not None:
        if arguments.get("opponents") is not None:
            raise config_error(
                f"max_episode_steps={max_episode_steps!r}: it is not allowed with opponents, where a step is "
                "several decisions; max_steps limits decisions"
            )
        arguments["max_steps"] = max_episode_steps
    games: VectorEnv | AsyncVectorEnv | SeatVectorEnv = make(env, num_envs, **arguments)
    return games


def register() -> None:
    """Registers every environment with Gymnasium; importing ``ludovec`` does so.

    The version of an id is the version of the environment. Ids of earlier versions make the current
    environment, and Gymnasium warns that they are out of date.
    """
    with extra("gym"):
        from gymnasium.envs import registration
    for id in list_envs():
        known = spec(id)
        for version in range(known.version + 1):
            full = f"ludovec/{known.name}-v{version}"
            if full not in registration.registry:
                registration.register(
                    full,
                    entry_point="ludovec.gym:SeatEnv",
                    vector_entry_point="ludovec.gym:make_vec",
                    kwargs={"env": id},
                    order_enforce=False,
                    disable_env_checker=True,
                )
