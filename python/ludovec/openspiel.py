"""OpenSpiel: every environment as a Python game of ``pyspiel``, with explicit chance and resampling.

Importing the module registers ``ludovec_<env>``, so ``pyspiel.load_game("ludovec_tilewe(players=2)")`` works;
:func:`load_game` is the same with options as keyword arguments.

- **Chance.** Each draw of an action is a chance node, for which the outcomes are numbered. A new game begins
  with the draws of its set-up, unless it starts from a position.
- **Information.** ``information_state_string`` has perfect recall (:meth:`ludovec.Game.information_state`).
  ``observation_tensor`` is the observation, one float per byte. ``resample_from_infostate`` determinizes
  (:meth:`ludovec.Game.determinize`), as IS-MCTS needs.
- **Returns** are outcomes in [-1, 1] with sum 0, paid at the end; 0 after a truncation.
"""

from .adapters.openspiel import OpenSpielGame, OpenSpielState, load_game, register

__all__ = ["OpenSpielGame", "OpenSpielState", "load_game", "register"]
