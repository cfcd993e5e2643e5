"""Vectorized reinforcement-learning environments for rule-heavy board games.

>>> import ludovec
>>> env = ludovec.make("tilewe", num_envs=64)
>>> obs, info = env.reset(seed=0)
>>> obs, reward, terminated, truncated, info = env.step(env.sample_actions())

========================= =========================================================
``make``                  a batch of games: :class:`VectorEnv` or :class:`AsyncVectorEnv`; with ``opponents``
                          one seat of them: :class:`SeatVectorEnv`
``Network``               a network from a file, as arrays; ``champion`` is the one that is shipped
``export``                writes one from torch
``ludovec.nets``          networks made for the environments, in torch
``TreeSearch``            a search tree for every game of a batch, with your network or none
``serve, attach``         games that several programs share; Linux only
``Game``                  one game, to look at, search in, play
``Analysis``              what a player thinks of a position, of ``Game.analyse``
``list_envs, spec``       what there is and what it looks like
``unpack``                bytes from packed observations: NumPy, torch and JAX
``bots, tournament``      the bots of an environment, and who is best
``evaluate``              how well a player does against others
``play``                  one match between them, with a log of what they try
``ludovec.players``       bots written in Python
``ludovec.typing``        ids, words and options as types
``ludovec.empires``       bots of Terminal of Empires in the original's words, and a referee
``ludovec.chess``         chess as objects, with pieces of one's own
``ludovec.tilewe``        Tilewe in the original's words: boards, moves, engines, tournaments
``ludovec.smallworld``    Small World in the original's words: games, maps, combos, costs
``ludovec.starwars_risk`` Star Wars Risk in the original's words: agents, the board
``ludovec.bot_server``    a Python bot for other programs, over HTTP
``ludovec.pettingzoo``    PettingZoo environments
``ludovec.gym``           spaces and Gymnasium ids; imported with the package where Gymnasium is installed
``ludovec.jax``           environments inside jitted functions
``ludovec.sb3``           stable-baselines3 and sb3-contrib
``ludovec.rllib``         RLlib
``ludovec.ray``           self-play, evaluation, tournaments and replay on a Ray cluster
``ludovec.tianshou``      tianshou
``ludovec.envpool``       EnvPool's way to make environments
``ludovec.testing``       a checker for anybody's vector environments
========================= =========================================================

Every exception is a :class:`LudovecError`.
"""

from importlib.util import find_spec as _find_spec

from . import _core, empires, players
from ._core import (
    FleetError,
    GameOver,
    IllegalAction,
    InvalidConfig,
    InvalidPhase,
    InvalidState,
    LudovecError,
    OutOfMemory,
    __version__,
)
from .analysis import Analysis
from .asynchronous import AsyncVectorEnv
from .exports import export
from .fleet import attach, serve
from .game import Game, Position
from .matches import play
from .networks import Network
from .networks import find_onnx_runtime as _find_onnx_runtime
from .packed import unpack
from .registry import make
from .search import TreeSearch
from .seats import SeatVectorEnv
from .spec import (
    ActionFamily,
    ObservationField,
    PackedField,
    PackedLayout,
    Spec,
    Symmetry,
    bots,
    list_envs,
    spec,
    symmetries,
)
from .tournaments import Tournament, evaluate, tournament
from .vector import VectorEnv

__all__ = [
    "ActionFamily",
    "Analysis",
    "AsyncVectorEnv",
    "FleetError",
    "Game",
    "GameOver",
    "IllegalAction",
    "InvalidConfig",
    "InvalidPhase",
    "InvalidState",
    "LudovecError",
    "Network",
    "ObservationField",
    "OutOfMemory",
    "PackedField",
    "PackedLayout",
    "Position",
    "SeatVectorEnv",
    "Spec",
    "Symmetry",
    "Tournament",
    "TreeSearch",
    "VectorEnv",
    "__version__",
    "attach",
    "bots",
    "empires",
    "evaluate",
    "export",
    "list_envs",
    "make",
    "play",
    "players",
    "serve",
    "spec",
    "symmetries",
    "tournament",
    "unpack",
]

if hasattr(_core, "Fleet"):
    from ._core import Fleet

    __all__ += ["Fleet"]

_find_onnx_runtime()

if _find_spec("gymnasium") is not None:
    from .adapters.gym import register as _register

    _register()
