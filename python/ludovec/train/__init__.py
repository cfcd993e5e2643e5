"""Training of networks for any environment: Gumbel AlphaZero, with imitation of bots at first.

>>> config = ludovec.train.Config.preset("smallworld").changed(updates=20_000)

``Training(config, "trained/smallworld").run(Budget(cpu_minutes=30))`` is a run, and
``ludovec train smallworld`` is the command.

=====================  ==================================================================
``configuration``      settings, defaults by environment (``presets/``), TOML files
``self_play``          games of bots and games with the tree search
``shards, cluster``    groups of games in threads, or in actors of a Ray cluster
``targets``            policies and values to learn from finished games
``auxiliary_target``   fields of the observation at the end of the game, to learn as well
``replay``             the replay buffer
``inference``          the network in a search
``cuda_graphs``        the same on a GPU, as CUDA graphs
``learner``            updates of the network
``evaluation``         matches against bots, a sample game
``run``                a run: rounds of playing and learning side by side
``threads, interrupts`` threads; Ctrl-C and SIGTERM
``checkpoints``        the files of a run
``budget``             when a run ends, and the schedule that fits into its time
``progress``           lines, the curve
``loggers``            TensorBoard, Weights & Biases
``devices``            the CPU or a GPU, in which numbers
``command``            the command line
=====================  ==================================================================

Needs ``pip install 'ludovec[torch]'``, except for :class:`Config` and :class:`Budget`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .budget import Budget
from .configuration import Config

if TYPE_CHECKING:
    from .run import Training

__all__ = ["Budget", "Config", "Training"]


def __getattr__(name: str) -> Any:
    # The command line reads its arguments without torch.
    if name == "Training":
        from .._shared.extras import extra

        with extra("torch"):
            from .run import Training
        return Training
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
