"""Games of your own: write the rules as a class, or load a compiled library.

======================= ==============================================================================
``ludovec.register``    makes a class an environment
``ludovec.load``        loads games from a Python file, a module or a compiled library
``Chance``              the object ``chance`` that rules draw from
``uniform``             a C function that draws, for rules in ctypes; ``weighted`` likewise
======================= ==============================================================================

A class has these members. ``state`` is a NumPy record whose fields are ``state["name"]``. The methods in the
first two rows change it in place, the others must not.

================================== =====================================================================
``init(state, chance)``            sets up a new game; all fields are 0 before
``step(state, action, chance)``    plays a legal action
``legal(state)``                   the legal actions: an array of bools, or a list of actions
``current_player(state)``          the player to move; None or -1 if the game is over
``observe(state, player)``         the observation of a player: an array of bytes or bools
``returns(state)``                 the result of a finished game, a number per player: larger is better
``players``                        the number of players
``actions``                        the number of actions, or ``{"name": number}`` by family
``state``                          the fields of the state, as for ``numpy.dtype``
``observation``                    a shape, or ``{"name": (shape, highest value)}`` by field
================================== =====================================================================

Everything else is optional:

================================== =====================================================================
``determinize(state, player,       redraws what ``player`` does not know; a game with hidden information
chance)``                          has it
``validate(state)``                raises an exception if play could not go on from the state
``scores(state)``                  scores, also at the end, for ``reward="score"``; ``returns`` then only
                                   says who has won
``estimate(state)``                a guess at the result during the game, for bots and searches
``action_to_string(state,          an action as text, unique in its state
action)``
``to_text(state, player)``         the board as lines of text; ``player`` None shows everything
``to_svg(state, player)``          the board as a drawing
``bots``                           ``{"name": "method"}``; a bot gets the state, the legal actions and
                                   ``chance``, and returns an action
``champion``                       the path of a trained network, relative to the file of the class: the
                                   player ``net:champion``
``options``                        ``{"name": range, bool or words}``; the defaults are those of
                                   ``__init__``
``id, name, version, summary``     by default the name of the class, 1, and the first line of its text
``max_episode_steps``              decisions after which a game is stopped, 10000 by default
``reward_range``                   the smallest and the largest of ``returns``, or of the changes of
                                   ``scores``; (-1, 1) by default
``payoff``                         ``"common"`` in a cooperative game, ``"general"`` if players play for
                                   scores of their own: the outcome is then the score, scaled from
                                   ``reward_range`` to -1 to 1
``hidden_actions``                 True if players do not see what the others play
``hidden_scores``                  True if players do not see the scores of the others
================================== =====================================================================

Methods are functions of Python, functions of Numba (``@staticmethod`` above ``@numba.njit``), or C functions
(``ctypes`` function pointers, or addresses). Compiled methods run without the interpreter and its lock.
"""

from .._core import Chance, RulesError
from .functions import uniform, weighted
from .registration import load, register

__all__ = ["Chance", "RulesError", "load", "register", "uniform", "weighted"]
