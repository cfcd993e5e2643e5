"""Games of ludovec for verifiers, which finds tasksets by the name of a top-level package."""

from ludovec.text.verifiers import (
    ChatHarness,
    GameConfig,
    GameData,
    GameEnv,
    GameEnvConfig,
    GameTask,
    GameTaskset,
)

__all__ = [
    "ChatHarness",
    "GameConfig",
    "GameData",
    "GameEnv",
    "GameEnvConfig",
    "GameTask",
    "GameTaskset",
]
