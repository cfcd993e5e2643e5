"""Games as a taskset of verifiers: train and evaluate language models on whole games.

Needs the package ``verifiers`` (0.4 or later). Its name there is ``ludovec-verifiers``:
``eval ludovec-verifiers --env.taskset.env chess --env.taskset.opponents greedy``.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from .._shared.extras import extra
from ..spec import spec
from .chat import Chat, Interrupted, NoAnswer
from .chat import endpoint as completions
from .environment import TextEnv
from .regrets import regret

if TYPE_CHECKING:
    from ..game import Game

with extra("verifiers"):
    import verifiers.v1 as vf
    from pydantic import Field
    from verifiers.v1.dialects.chat import message_to_wire

#: Time limit in seconds of a model's answer.
_PATIENCE = 3600.0


class GameConfig(vf.TasksetConfig):
    """The games of a taskset: the arguments of :func:`ludovec.make_text`."""

    env: str = "chess"
    options: dict[str, Any] = Field(default_factory=dict)
    """The environment's own options."""
    opponents: str = "greedy"
    """The player of the other seats."""
    seat: int | Literal["rotating"] = "rotating"
    """Seat of the model; with ``rotating``, the next seat in every task."""
    legal: Literal["grouped", "dense", "listed", "withheld"] = "grouped"
    retries: int = Field(2, ge=0)
    """Further tries after a reply without a legal move; then the game is lost."""
    games: int | None = Field(None, ge=1)
    """Number of tasks; None has no end."""
    first_seed: int = Field(0, ge=0)
    """Seed of the first game; the others follow."""
    regret_simulations: int = Field(0, ge=0)
    """Simulations of the searches that grade every move; 0 grades none."""
    regret_weight: float = 1.0
    """Weight of the reward ``regret``, minus the mean regret of the moves."""


class GameData(vf.TaskData):
    """One game."""

    game: dict[str, Any]
    """Environment, options, opponents, seat, legal moves, retries, seed, and the settings of regret."""


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    """One game, told by its first message."""


class GameEnvConfig(vf.EnvConfig):
    """The seat of the model."""

    # Nothing is run, so that no sandbox is needed.
    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class GameEnv(vf.Env[GameEnvConfig]):
    """Plays a game: the model answers with moves, and the game answers with positions.

    The reward ``outcome`` is the outcome of the game in [-1, 1]. Metrics are ``moves``, ``refused`` (replies
    without a legal move) and, if graded, ``regret``.
    """

    async def run(self, task: Any, agents: Any) -> None:
        """Plays one game."""
        given = task.data.game
        played, _ = await asyncio.to_thread(_begin, given)
        # The opponents may have ended the game before the model decides.
        reward, refused = float(played.game.returns()[played.seat]), 0
        decisions: list[tuple[Game, int]] = []
        try:
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn()
                while not segment.terminated and not played.game.is_terminal:
                    before = played.game.clone() if given["regret_simulations"] else None
                    message, reward, terminated, truncated, info = await asyncio.to_thread(
                        played.step, segment.last_reply
                    )
                    refused += info["action"] is None
                    if before is not None and info["action"] is not None:
                        decisions.append((before, info["action"]))
                    if terminated or truncated:
                        break
                    segment = await interaction.turn(message)
        finally:
            played.close()
        trace = interaction.trace
        trace.record_reward("outcome", reward, 1.0)
        trace.record_metric("moves", float(played.game.steps))
        trace.record_metric("refused", float(refused))
        if decisions:
            grades = await asyncio.to_thread(regret, decisions, simulations=given["regret_simulations"])
            mean = sum(grade.regret for grade in grades) / len(grades)
            trace.record_metric("regret", mean)
            trace.record_reward("regret", -mean, given["regret_weight"])
        trace.info["record"] = played.game.record()


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    """Games with consecutive seeds."""

    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        """Makes the tasks."""
        config = self.config
        numbers = itertools.count() if config.games is None else iter(range(config.games))
        for i in numbers:
            given = {
                "env": config.env,
                "options": config.options,
                "opponents": config.opponents,
                "seat": config.seat,
                "legal": config.legal,
                "retries": config.retries,
                "seed": config.first_seed + i,
                "regret_simulations": config.regret_simulations,
                "regret_weight": config.regret_weight,
            }
            if config.seat == "rotating":
                given["seat"] = i % spec(config.env, **config.options).players
            played, message = _begin(given)
            played.close()
            yield GameTask(
                GameData(name=f"{config.env}#{given['seed']}", prompt=message, game=given), config.task
            )


def _begin(given: dict[str, Any]) -> tuple[TextEnv, str]:
    """The game of a task at the first decision of the model, and its message."""
    played = TextEnv(
        given["env"],
        given["opponents"],
        seat=given["seat"],
        legal=given["legal"],
        retries=given["retries"],
        **given["options"],
    )
    return played, played.reset(seed=given["seed"])[0]


class ChatHarness(vf.Harness[vf.HarnessConfig]):
    """Sends the conversation to the model, once a move, from this process: a game needs no tools, and nothing
    is run or installed."""

    APPENDS_SYSTEM_PROMPT = True
    SUPPORTS_RESUME = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: Any,
        trace: Any,
        runtime: Any,
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],
        data: Any,
    ) -> vf.ProgramResult:
        """Asks for one reply."""
        system, prompt = self.resolve_prompt(data)
        messages = [{"role": "system", "content": system}] if system else []
        if isinstance(prompt, str):
            messages.append({"role": "user", "content": prompt})
        elif prompt is not None:
            messages.extend(message_to_wire(message) for message in prompt)
        chat = Chat(ctx.model, completions(endpoint), secret, {})
        asked = asyncio.to_thread(
            chat.ask, messages, time.monotonic() + _PATIENCE, lambda: False, lambda: None
        )
        try:
            await asked
        except (NoAnswer, Interrupted) as error:
            return vf.ProgramResult(exit_code=1, stdout="", stderr=str(error))
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")
