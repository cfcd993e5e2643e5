"""Self-play, evaluation and tournaments on a Ray cluster, by the names that they have on one machine.

=========================  ==========================================================
``SelfPlay``               actors that play; an iterator over :class:`Stretch`
``Episodes``               finished games out of stretches, as :class:`Episode`
``decision_credit``        what a seat earned from each of its decisions to the next
``Replay``                 a replay buffer in actors
``evaluate, tournament``   the tables of :func:`ludovec.evaluate` and :func:`ludovec.tournament`
``draw``                   actions drawn by the seeds of decisions
``ClusterError``           what a cluster cannot do
=========================  ==========================================================

Needs ``pip install 'ludovec[ray]'`` and a cluster: ``ray.init()`` starts one on this machine,
``ray.init(address="auto")`` joins the one that it belongs to.
"""

from .episodes import Episode, Episodes, decision_credit
from .errors import ClusterError
from .policies import draw
from .replay import Replay
from .self_play import SelfPlay
from .stretches import COLUMNS, Stretch
from .tournaments import evaluate, tournament

__all__ = [
    "COLUMNS",
    "ClusterError",
    "Episode",
    "Episodes",
    "Replay",
    "SelfPlay",
    "Stretch",
    "decision_credit",
    "draw",
    "evaluate",
    "tournament",
]
