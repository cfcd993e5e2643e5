"""Self-play, evaluation and tournaments on a Ray cluster, with the names of the local functions.

=========================  ==========================================================
``SelfPlay``               actors that play; an iterator over :class:`Fragment`
``Episodes``               finished games from fragments, as :class:`Episode`
``decision_credit``        reward of a player between two of its decisions
``Replay``                 a replay buffer in actors
``evaluate, tournament``   :func:`ludovec.evaluate` and :func:`ludovec.tournament` on the cluster
``draw``                   samples actions with the seeds of the decisions
``ClusterError``           an error of the cluster
=========================  ==========================================================

Needs ``pip install 'ludovec[ray]'`` and a cluster: ``ray.init()`` starts one on this machine,
``ray.init(address="auto")`` joins an existing one.
"""

from .episodes import Episode, Episodes, decision_credit
from .errors import ClusterError
from .fragments import COLUMNS, Fragment
from .policies import draw
from .replay import Replay
from .self_play import SelfPlay
from .tournaments import evaluate, tournament

__all__ = [
    "COLUMNS",
    "ClusterError",
    "Episode",
    "Episodes",
    "Replay",
    "SelfPlay",
    "Fragment",
    "decision_credit",
    "draw",
    "evaluate",
    "tournament",
]
