"""Players that also tell their policy and values."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _arguments
from .._errors import config_error
from ..networks import Network
from ..packed import unpack, unpack_bits
from ..players import FunctionPlayer, in_seat_order, player
from ..search import TreeSearch
from ..vector import VectorEnv

#: Playouts of ``search`` and ``flat`` without a number.
_PLAYOUTS = 200
#: Actions, and of those who tell them: the policies as offsets and shares, and the values of all players.
Choice = tuple[Any, Any, Any]


class Chooser:
    """Chooses the actions of a batch of packed rows, with a player in every seat: a text or a function."""

    def __init__(self, env: VectorEnv, players: list[Any], explore: bool = False) -> None:
        """With ``explore``, searches have the noise of self-play; players elsewhere have none."""
        self._env = env
        distinct = list(dict.fromkeys(players))
        #: The index of the player in each seat.
        self._at = np.array([distinct.index(player) for player in players])
        self._players = [_player(env, player, explore) for player in distinct]

    def choose(self) -> Choice:
        """Actions of all games, policies and values."""
        if len(self._players) == 1:
            choice: Choice = self._players[0].choose(None)
            return choice
        env = self._env
        asked = self._at[env.current_player]
        actions = np.zeros(env.num_envs, np.int32)
        values = np.full((env.num_envs, env.game_spec.players), np.nan, np.float32)
        counts, told = np.zeros(env.num_envs, np.int64), []
        for number, one in enumerate(self._players):
            ids = np.flatnonzero(asked == number)
            if not len(ids):
                continue
            actions[ids], policy, value = one.choose(ids)
            if value is not None:
                values[ids] = value
            if policy is not None:
                counts[ids] = np.diff(policy[0])
                told.append((ids, policy))
        offsets = np.concatenate([[0], np.cumsum(counts)])
        shares = np.empty(offsets[-1], np.float32)
        for ids, (starts, mine) in told:
            where = np.repeat(offsets[:-1][ids] - starts[:-1], np.diff(starts)) + np.arange(len(mine))
            shares[where] = mine
        return actions, (offsets, shares) if told else None, values


def _player(env: VectorEnv, text: Any, explore: bool) -> Any:
    if isinstance(text, Network):
        text = text.player
    if isinstance(text, FunctionPlayer):
        return _Function(env, text)
    if not isinstance(text, str):
        return _Function(env, player(text))
    if text == "random":
        return _Random(env)
    # Refuses an unknown player before the first file.
    env.bot_actions(text, np.empty(0, np.uint32))
    kind, _, rest = text.partition(":")
    if kind == "net":
        file, _, number = rest.rpartition(":")
        file, number = (file, number) if file and number.isdecimal() else (rest, "")
        before, _, precision = file.rpartition("?precision=")
        file = before or file
        network = Network(file, env, precision=precision if before else None)  # type: ignore[arg-type]
        alone = _Function(env, FunctionPlayer(network, mask="bits"))
        return _Search(env, network, int(number), explore) if number else alone
    if kind in ("search", "flat"):
        return _Search(env, None, int(rest or _PLAYOUTS), explore, flat=kind == "flat")
    return _Bot(env, text)


class _Random:
    """Uniform actions; the policy, which is uniform too, is not written."""

    def __init__(self, env: VectorEnv) -> None:
        self._env = env

    def choose(self, ids: Any) -> Choice:
        actions = self._env.sample_actions()
        return actions if ids is None else actions[ids], None, None


class _Bot:
    """A bot of the engine."""

    def __init__(self, env: VectorEnv, text: str) -> None:
        self._env, self._text = env, text

    def choose(self, ids: Any) -> Choice:
        return self._env.bot_actions(self._text, ids), None, None


class _Function:
    """A function on arrays, or a network."""

    def __init__(self, env: VectorEnv, player: FunctionPlayer) -> None:
        self._env, self._player = env, player

    def choose(self, ids: Any) -> Choice:
        env, spec, player = self._env, self._env.game_spec, self._player
        rows = np.arange(env.num_envs) if ids is None else ids
        masks, movers = unpack_bits(env.action_mask_bits[rows], spec.num_actions), env.current_player[rows]
        info = None
        if player.takes_info:
            games = [env.game(game) for game in rows.tolist()]
            info = {"current_player": movers, "games": games, "valid": np.ones(len(rows), np.bool_)}
        try:
            said = player.answer(spec, player.ask(spec, env.observations[rows], masks, info), masks)
        except ValueError as error:
            raise config_error(f"player {player.__name__}: {error}") from error
        policy = None if said.offsets is None else (said.offsets, said.shares)
        values = None if said.values is None else in_seat_order(said.values, movers)
        return _arguments.actions(said.actions, len(rows)), policy, values


class _Search:
    """A tree search, with a network or with playouts."""

    def __init__(
        self,
        env: VectorEnv,
        network: Network | None,
        simulations: int,
        explore: bool,
        flat: bool = False,
    ) -> None:
        self._env, self._network = env, network
        how: dict[str, Any] = {"gumbel_scale": 0.0, "reward": "outcome"}
        if explore:
            how |= {
                "gumbel_scale": 1.0,
                "dirichlet_fraction": 0.25,
                "temperature_moves": 30,
                "seed": env.seed,
            }
        if network is not None:
            how |= {"method": network.method, "c_init": network.c_init, "reward": network.reward}
            self._search = TreeSearch(env, simulations, value="seats", **how)
            return
        if flat:
            # As the engine's bot: sequential halving one action deep.
            how |= {"considered": max(1, simulations // 5), "max_depth": 1}
        self._search = TreeSearch.playouts(env, simulations, **how)

    def choose(self, ids: Any) -> Choice:
        search, network = self._search, self._network
        search.start(ids)
        if network is None:
            search.run()
        else:
            spec = self._env.game_spec
            evaluate = lambda rows, bits: network(unpack(rows, spec))
            search.run(evaluate)
        rows = np.arange(self._env.num_envs) if ids is None else ids
        offsets = search.root_offsets
        if ids is not None:
            offsets = np.concatenate([[0], np.cumsum(np.diff(offsets)[ids])])
        # Games that are not searched have no legal actions at the root.
        return search.actions[rows], (offsets, search.policy_legal), search.values[rows]
