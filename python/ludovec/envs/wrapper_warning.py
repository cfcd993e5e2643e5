"""The warning for wrappers of Gymnasium that mix the rewards of several players."""

from __future__ import annotations

import warnings
from types import FrameType

#: Wrappers that take ``reward`` [N] for the reward of one player, as long as their users were not warned.
_MISLED = {"RecordEpisodeStatistics", "NormalizeReward"}


def warn_of_wrappers(frame: FrameType | None) -> None:
    """Warns once of Gymnasium's wrappers that sum the rewards of whichever players act. They read the
    metadata in their constructors, from which this is called."""
    for _ in range(4):
        if frame is None or not _MISLED:
            return
        # Locals of other frames stay unread: reading them keeps all of them alive until the frame ends.
        is_wrapper = str(frame.f_globals.get("__name__")).startswith("gymnasium.")
        name = type(frame.f_locals.get("self")).__name__ if is_wrapper else ""
        if name in _MISLED:
            _MISLED.discard(name)
            warnings.warn(
                f"{name}: reward [N] is that of the player who acted, so sums over an episode mix the "
                'players: wrap the environment of one seat (opponents="random"), or use info["credit"] and '
                'final_info["returns"]',
                stacklevel=3,
            )
        frame = frame.f_back
