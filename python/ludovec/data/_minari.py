"""Decisions as a data set of Minari."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .._shared.errors import state_error
from .._shared.extras import extra
from ..envs.packed import unpack, unpack_bits
from ..envs.spaces import action_space, mask_space, observation_space
from ..spec import Spec


def to_minari(
    spec: Spec,
    found: dict[str, Any],
    episodes: list[Any],
    reward: npt.NDArray[np.float32],
    dataset_id: str,
    player: int | None,
    arguments: dict[str, Any],
) -> Any:
    """Writes the finished games, player by player, given all columns and the rows of each episode."""
    with extra("minari"):
        import minari
        from gymnasium.spaces import Dict
        from minari.data_collector import EpisodeBuffer

    buffers: list[Any] = []
    for rows in episodes:
        if not (found["terminated"][rows[-1]] or found["truncated"][rows[-1]]):
            continue
        for seat in range(spec.players) if player is None else [player]:
            mine = rows[found["seat"][rows] == seat]
            if not len(mine):
                continue
            shown = np.append(mine, mine[-1])
            observations = {
                "observation": unpack(found["observation"][shown], spec),
                "action_mask": unpack_bits(found["mask"][shown], spec.num_actions).view(np.int8),
            }
            ends = np.zeros((2, len(mine)), np.bool_)
            ends[0, -1] = found["terminated"][rows[-1]]
            ends[1, -1] = found["truncated"][rows[-1]]
            buffers.append(
                EpisodeBuffer(
                    id=len(buffers),
                    seed=int(found["seed"][rows[0]]),
                    observations=observations,
                    actions=found["action"][mine].astype(np.int64),
                    rewards=reward[mine].tolist(),
                    terminations=ends[0].tolist(),
                    truncations=ends[1].tolist(),
                )
            )
    if not buffers:
        raise state_error("to_minari: the data have no finished game")
    spaces = {
        "observation_space": Dict({"observation": observation_space(spec), "action_mask": mask_space(spec)}),
        "action_space": action_space(spec),
    }
    return minari.create_dataset_from_buffers(dataset_id, buffers, **{**spaces, **arguments})
