"""Games as text, for language models: rules, positions, legal moves, and a reader of replies.

>>> from ludovec import text
>>> game = ludovec.Game("smallworld", seed=0, players=3)
>>> # Once a game: rules, legend, position and legal moves.
>>> prompt = text.prompt(game)
>>> said = text.read_move(game, "I take the first combo.\\nMove: PICK_COMBO 0")
>>> game.step(said.action)                         # or ask again with said.reason

All texts depend on the position, the player and the arguments only, and never on hidden information. They
are part of the environment's version (:attr:`ludovec.Spec.version`): equal versions write equal texts.
``llm:MODEL@URL`` names a language model wherever players are named. :mod:`ludovec.text.suite` measures
players by regret. ``ludovec mcp`` serves games over the Model Context Protocol.
"""

from . import suite
from .environment import TextEnv, make_text
from .moves import legal_moves, moves_since
from .obfuscation import Obfuscation
from .positions import legend, position
from .prompts import observation, prompt
from .regrets import Regret, regret
from .replies import READER_VERSION, Reply, read_move
from .rulebook import rules

__all__ = [
    "READER_VERSION",
    "Obfuscation",
    "Regret",
    "Reply",
    "TextEnv",
    "legal_moves",
    "legend",
    "make_text",
    "moves_since",
    "observation",
    "position",
    "prompt",
    "read_move",
    "regret",
    "rules",
    "suite",
]
