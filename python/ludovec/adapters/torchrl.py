"""TorchRL: a batch of games as an ``EnvBase``, of one seat, turn by turn, or with a group of agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error
from .._shared.extras import extra
from ..envs.make import make
from ..envs.packed import unpack_bits
from ..envs.seats import SeatVectorEnv
from ..envs.vector import VectorEnv, described

if TYPE_CHECKING:
    from ..players import Opponents
    from ..typing import EnvId

with extra("torchrl"):
    import torch
    from tensordict import TensorDict
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase


__all__ = ["TorchRLEnv"]


class TorchRLEnv(EnvBase):
    """``num_envs`` games as a TorchRL environment of batch size ``[num_envs]``.

    >>> env = TorchRLEnv("smallworld", 64, opponents="random", players=2)
    >>> batch = env.rollout(100, break_when_any_done=False)
    >>> batch["action_mask"].shape, batch["next", "reward"].shape

    ========================  =================  ======================================================
    key                       dtype, shape       content
    ========================  =================  ======================================================
    ``observation``           uint8 [N, ...]     of the player to act
    ``action_mask``           bool [N, A]        its legal actions; ``action_spec`` has the same mask
    ``action``                int64 [N]
    ``reward``                float32 [N, 1]     with ``opponents`` of the own seat, else of the acting player
    ``current_player``        int64 [N, 1]       with ``opponents``: the own seat
    ``rewards``, ``credit``   float32 [N, P]     without ``opponents``: of the last step, and of each player
                                                 since its last decision
    ========================  =================  ======================================================

    With ``agents=True`` the players are a group of agents, and the keys are ``("agents", "observation")``
    ``[N, P, ...]``, ``("agents", "action_mask")`` ``[N, P, A + 1]``, ``("agents", "action")`` ``[N, P]``,
    ``("agents", "reward")`` ``[N, P, 1]``, and ``("agents", "mask")`` ``[N, P]``: who acts. Action ``A`` does
    nothing; it is the only legal action of a waiting agent.

    TorchRL resets games itself, with ``"_reset"``. Tensors are copies.
    """

    def __init__(
        self,
        id: EnvId,
        num_envs: int = 1,
        *,
        opponents: Opponents | None = None,
        agents: bool = False,
        device: Any = "cpu",
        seed: int | None = None,
        **arguments: Any,
    ) -> None:
        """``opponents``, ``seed`` and other arguments are as for :func:`ludovec.make`."""
        if checks.switch("agents", agents) and opponents is not None:
            raise config_error("agents: with opponents there is one agent, and agents=False is needed")
        for name in ("autoreset", "batch_size", "copy", "mask", "out"):
            if name in arguments:
                raise config_error(f"{name}: it is not an argument of TorchRLEnv")
        all_: Any = {"autoreset": "disabled", "mask": "bits", **arguments}
        if opponents is not None:
            all_["opponents"] = opponents
        made = make(id, num_envs, seed=seed, **all_)
        assert isinstance(made, (VectorEnv, SeatVectorEnv))
        super().__init__(device=torch.device(device), batch_size=torch.Size([made.num_envs]))
        #: The games, of :func:`ludovec.make`.
        self.env: VectorEnv | SeatVectorEnv = made
        self.games: VectorEnv = made.games if isinstance(made, SeatVectorEnv) else made
        self.agents = agents
        self._seed: int | None = None
        self._make_specs()

    def _make_specs(self) -> None:
        n, spec = self.env.num_envs, self.games.game_spec
        players, actions = spec.players, spec.num_actions
        rows = self.games.observations
        dtype = torch.float32 if rows.dtype == np.float32 else torch.uint8
        where: Any = {"device": self.device}

        def flags(*shape: int) -> Any:
            return Binary(shape[-1], shape=torch.Size(shape), dtype=torch.bool, **where)

        def floats(*shape: int) -> Any:
            return Unbounded(shape=torch.Size(shape), dtype=torch.float32, **where)

        def of_rows(*shape: int) -> Any:
            most = float(self.games.single_observation_space.high.max(initial=0))
            bounds = (0, int(most)) if dtype == torch.uint8 else (0.0, most)
            return Bounded(*bounds, shape=torch.Size((*shape, *rows.shape[1:])), dtype=dtype, **where)

        done = {
            name: Categorical(2, shape=torch.Size((n, 1)), dtype=torch.bool, **where)
            for name in ("done", "terminated", "truncated")
        }
        self.done_spec = Composite(**done, shape=(n,))
        shown: dict[str, Any] = {
            "current_player": Bounded(0, players - 1, shape=torch.Size((n, 1)), dtype=torch.int64, **where)
        }
        if self.agents:
            group = Composite(
                observation=of_rows(n, players),
                action_mask=flags(n, players, actions + 1),
                mask=flags(n, players),
                shape=(n, players),
            )
            action = Categorical(actions + 1, shape=torch.Size((n, players)), dtype=torch.int64, **where)
            self.observation_spec = Composite(agents=group, **shown, shape=(n,))
            self.action_spec = Composite(agents=Composite(action=action, shape=(n, players)), shape=(n,))
            reward = Composite(reward=floats(n, players, 1), shape=(n, players))
            self.reward_spec = Composite(agents=reward, shape=(n,))
        else:
            if self.env is self.games:
                shown |= {"rewards": floats(n, players), "credit": floats(n, players)}
            self.observation_spec = Composite(
                observation=of_rows(n), action_mask=flags(n, actions), **shown, shape=(n,)
            )
            self.action_spec = Categorical(actions, shape=torch.Size((n,)), dtype=torch.int64, **where)
            self.reward_spec = floats(n, 1)

    # ---- EnvBase ----

    def _reset(self, tensordict: Any = None, **kwargs: Any) -> Any:
        chosen = None if tensordict is None else tensordict.get("_reset", None)
        mask = None if chosen is None else chosen.reshape(self.env.num_envs).cpu().numpy()
        if mask is None or mask.all():
            self.env.reset(seed=self._seed)
            self._seed = None
            return self._shown(np.zeros(self.env.num_envs, np.bool_), reset=True)
        if mask.any():
            self.env.reset(options={"reset_mask": mask})
        # The flags of the others are those of their last step.
        return self._shown(mask, reset=True)

    def _step(self, tensordict: Any) -> Any:
        if self.agents:
            given = tensordict["agents", "action"].cpu().numpy()
            actions = self._of_agents(given)
        else:
            actions = tensordict["action"].cpu().numpy()
        _, reward, *_ = self.env.step(actions)
        return self._shown(np.zeros(self.env.num_envs, np.bool_), reward=reward)

    def _set_seed(self, seed: int | None) -> None:
        self._seed = None if seed is None else int(seed)

    def close(self, **kwargs: Any) -> None:
        """Releases the games and the players."""
        super().close(**kwargs)
        self.env.close()

    def __repr__(self) -> str:
        return f"<ludovec.torchrl.TorchRLEnv {described(self.env)} device={self.device}>"

    # ---- internal ----

    def _of_agents(self, given: Any) -> Any:
        """The actions of the current players, after a check that the others do nothing."""
        rows, player = np.arange(self.env.num_envs), self.games.current_player
        actions = given[rows, player]
        waits = np.ones(given.shape, np.bool_)
        waits[rows, player] = False
        nothing = self.games.game_spec.num_actions
        over = self.games.done
        if (waits & (given != nothing))[~over].any():
            game, agent = np.argwhere(waits & (given != nothing) & ~over[:, None])[0].tolist()
            raise config_error(
                f"action of agent {agent} in game {game}: it waits, and {nothing} is its only action"
            )
        # Finished games ignore actions, but the engine reads them.
        return np.where(over, 0, actions)

    def _shown(self, fresh: Any, *, reset: bool = False, reward: Any = None) -> Any:
        """The tensors of the current positions; ``fresh`` games have just been reset."""
        games, n = self.games, self.env.num_envs
        words = torch.from_numpy(games.action_mask_bits.view(np.int64).copy()).to(self.device)
        legal = unpack_bits(words, games.game_spec.num_actions)
        done = games.done.copy()
        done[fresh] = False
        # Samplers need a legal action; a finished game ignores it.
        legal[:, 0] |= self._tensor(done)
        player = self.env.seats if isinstance(self.env, SeatVectorEnv) else games.current_player
        shown: dict[str, Any] = {"current_player": self._tensor(player.astype(np.int64))[:, None]}
        for name in ("done", "terminated", "truncated"):
            flags = getattr(games, name) & ~fresh
            shown[name] = self._tensor(flags)[:, None]
        if self.agents:
            group = self._group(legal, done)
            if not reset:
                group["reward"] = self._tensor(games.rewards.copy())[..., None]
            shown["agents"] = TensorDict(group, batch_size=(n, games.game_spec.players), device=self.device)
            self.full_action_spec["agents", "action"].update_mask(group["action_mask"])
        else:
            shown |= {"observation": self._tensor(games.observations.copy()), "action_mask": legal}
            if self.env is games:
                for name in ("rewards", "credit"):
                    shown[name] = self._tensor(getattr(games, name).copy())
            if not reset:
                shown["reward"] = self._tensor(np.array(reward, np.float32))[:, None]
            self.action_spec.update_mask(legal)
        return TensorDict(shown, batch_size=(n,), device=self.device)

    def _group(self, legal: Any, done: Any) -> dict[str, Any]:
        """Observations, masks and action masks of all agents."""
        games, n, players = self.games, self.env.num_envs, self.games.game_spec.players
        rows = torch.arange(n, device=self.device)
        player = self._tensor(games.current_player.astype(np.int64))
        masks = torch.zeros((n, players, legal.shape[1] + 1), dtype=torch.bool, device=self.device)
        masks[..., -1] = True
        acts = ~self._tensor(done)
        masks[rows, player, :-1] = legal & acts[:, None]
        masks[rows, player, -1] = ~acts
        acting = torch.zeros((n, players), dtype=torch.bool, device=self.device)
        acting[rows, player] = acts
        seen = np.empty((n, players, *games.observations.shape[1:]), games.observations.dtype)
        for game in range(n):
            for seat in range(players):
                seen[game, seat] = self._view(game, seat)
        return {"observation": self._tensor(seen), "action_mask": masks, "mask": acting}

    def _view(self, game: int, seat: int) -> Any:
        games = self.games
        if seat == games.current_player[game]:
            return games.observations[game]
        if games._packed or not games.observations.size:
            raise LudovecError('agents: obs="u8" or obs="f32" is needed')
        row: Any = games._core.observe(game, seat)
        row = row * games.game_spec.scales if games.observations.dtype == np.float32 else row
        return row.reshape(games.observations.shape[1:])

    def _tensor(self, array: Any) -> Any:
        return torch.from_numpy(array).to(self.device)
