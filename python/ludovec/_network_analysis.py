"""Analysis of positions by functions on arrays, for example networks."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._errors import config_error
from .analysis import Analysis
from .game import Game
from .networks import Network
from .registry import make
from .search import TreeSearch, answered

if TYPE_CHECKING:
    from .typing import SearchMethod


def analyse(game: Game, network: Callable[[Any, Any], tuple[Any, Any]], simulations: int) -> Analysis:
    """Policy and values of a function on arrays in an unfinished game."""
    name = getattr(network, "__name__", repr(network))
    options: Any = {key: value for key, value in game.spec.options.items() if value is not None}
    method: SearchMethod = "gumbel"
    c_init = 1.25
    if isinstance(network, Network):
        options["reward"], method, c_init = network.reward, network.method, network.c_init
    if game.is_terminal:
        raise _core.GameOver("the game is finished")
    env = make(game.spec.env, 1, num_threads=1, **options)
    env.set_position(0, json.loads(game._core.to_json()))
    logits, values = (
        np.asarray(a, np.float32) for a in answered(network, env.observations, env.action_mask_bits)
    )
    players, actions = game.spec.players, game.spec.num_actions
    if logits.shape != (1, actions) or values.shape not in ((1,), (1, players)):
        raise config_error(
            f"player={name}: logits of shape (1, {actions}) and values of shape (1,) or (1, {players}) are "
            f"needed, {logits.shape} and {values.shape} were returned"
        )
    if simulations:
        search = TreeSearch(
            env,
            simulations,
            method=method,
            c_init=c_init,
            gumbel_scale=0.0,
            value="seat" if values.ndim == 1 else "seats",
            num_threads=1,
        )
        search.start()
        action = int(search.run(network)[0])
        return Analysis(
            game.clone(),
            f"{name}, {simulations} simulations",
            action,
            search.policy[0].copy(),
            search.values[0].copy(),
            str(env.game_spec.options["reward"]),
        )
    legal = game.legal_actions()
    weights = np.exp(logits[0, legal] - logits[0, legal].max())
    policy = np.zeros(actions, np.float32)
    policy[legal] = weights / weights.sum()
    mover = game.current_player
    # A single value belongs to the current player; in two-player games the opponent's is its negative.
    seats = values[0] if values.ndim == 2 else np.array([values[0], -values[0]][:players])
    expected = np.roll(seats, mover).astype(np.float32)
    forecast = str(env.game_spec.options["reward"])
    return Analysis(game.clone(), name, int(np.argmax(policy)), policy, expected, forecast)
