"""RLlib: one game as a ``MultiAgentEnv``, or a batch for one seat; registered as ``"ludovec/<id>"``."""

from typing import Any

from ._extras import extra
from .adapters.rllib import RLlibEnv
from .adapters.rllib_vector import RLlibVectorEnv
from .spec import list_envs

with extra("rllib"):
    from ray.tune import register_env

__all__ = ["RLlibEnv", "RLlibVectorEnv"]


def _register(id: str) -> None:
    def create(config: dict[str, Any]) -> Any:
        # RLlib requests a batch by passing its size.
        return (RLlibVectorEnv if "num_envs" in config else RLlibEnv)({"id": id, **config})

    register_env(f"ludovec/{id}", create)


for _id in list_envs():
    _register(_id)
