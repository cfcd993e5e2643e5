"""Evaluation against bots: one seat is the network's, and the seats rotate."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..envs.make import make
from ..game import Game
from ..players.seating import mean_points
from ..search import TreeSearch
from .configuration import Config
from .inference import run
from .self_play import legal_actions

Array = npt.NDArray[Any]


class Match(NamedTuple):
    """One column of the curve: a kind of game, an opponent, and the simulations of the network."""

    kind: int
    bot: str
    simulations: int

    def name(self, config: Config) -> str:
        """The title of its column."""
        options = " ".join(f"{key}={value}" for key, value in config.options[self.kind].items())
        alone = "alone" if not self.simulations else f"{self.simulations} simulations"
        return ", ".join(part for part in (options, self.bot, alone) if part)


class Share(NamedTuple):
    """A share of points, and its 95 % margin."""

    share: float
    margin: float


def matches(config: Config) -> list[Match]:
    """All matches of an evaluation."""
    return [
        Match(kind, bot, simulations)
        for kind in range(len(config.options))
        for bot in config.bots
        for simulations in config.evaluation_simulations
    ]


def share_of_points(match: Match, player: Any, config: Config, seed: int, check: Callable[[], None]) -> Share:
    """The share of points of the network in one seat against bots in all others."""
    games = config.evaluation_games
    options: dict[str, Any] = {**config.options[match.kind], "reward": config.reward}
    env = make(config.env, games, num_threads=1, seed=seed, mask="bits", **options)
    settings: dict[str, Any] = {"method": config.method, "c_init": config.c_init, "gumbel_scale": 0.0}
    settings |= {"value": "seats", "seed": seed, "num_threads": 1}
    search = TreeSearch(env, match.simulations, **settings) if match.simulations else None
    seats = np.arange(games) % env.game_spec.players
    points = np.full(games, np.nan)
    while len(playing := np.flatnonzero(np.isnan(points))):
        check()
        mine = env.current_player[playing] == seats[playing]
        actions = np.zeros(games, np.int32)
        if not mine.all():
            actions[playing[~mine]] = env.bot_actions(match.bot, playing[~mine])
        ids = playing[mine]
        if len(ids) and search is None:
            actions[ids] = most_probable(player, env, ids)
        elif len(ids) and search is not None:
            search.start(ids)
            run(search, player, check)
            actions[ids] = search.actions[ids]
        env.step_games(playing, actions[playing])
        ended = playing[env.done[playing]]
        returns = env.final_returns[ended]
        if env.game_spec.payoff == "ranks":
            # Outcomes instead of scores, because the loser may have the higher score.
            points[ended] = mean_points(returns, seats[ended], env.truncated[ended])
        else:
            # The score as a share of its range.
            points[ended] = (returns[np.arange(len(ended)), seats[ended]] + 1) / 2
    env.close()
    # Wilson's term, because 100 % of a sample is not certain.
    margin = 1.96 * (points.var() / games + (0.98 / games) ** 2) ** 0.5
    return Share(float(points.mean()), float(margin))


def most_probable(player: Any, env: Any, ids: Array) -> Array:
    """The most probable action of the network in some games."""
    offsets, actions = legal_actions(env.action_mask_bits[ids], env.game_spec.num_actions)
    logits, _ = player.answer(env.observations[ids], offsets, actions)
    return np.array([actions[a + logits[a:b].argmax()] for a, b in pairwise(offsets)], np.int32)


def sample_game(player: Any, config: Config, seed: int, check: Callable[[], None]) -> Game:
    """A game of the network against itself, by its policy: the first moves at random, then the best ones."""
    game = Game(config.env, seed=seed, **config.options[0])
    rng = np.random.default_rng(seed)
    while not game.is_terminal:
        check()
        legal = np.array(game.legal_actions(), np.int32)
        observation = game.observation(game.current_player)[None]
        logits, _ = player.answer(observation, np.array([0, len(legal)]), legal)
        if game.steps < 8:
            # Gumbel noise draws from the policy.
            logits = logits + rng.gumbel(size=len(legal))
        game.step(int(legal[logits.argmax()]))
    return game


def in_words(game: Game, most: int = 12) -> str:
    """The first decisions and the result of a game, in a line."""
    told = [step["label"] if "label" in step else str(step.get("action")) for step in game.log[:most]]
    more = f" ... ({game.steps} decisions)" if game.steps > most else ""
    returns = ", ".join(f"{value:g}" for value in game.returns())
    scores = ", ".join(f"{value:g}" for value in game.scores())
    return f"{'; '.join(told)}{more}; outcome {returns}, score {scores}"
