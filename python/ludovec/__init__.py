"""Vectorized reinforcement-learning environments for rule-heavy board games.

>>> import ludovec
>>> env = ludovec.make("tilewe", num_envs=64)
>>> obs, info = env.reset(seed=0)
>>> obs, reward, terminated, truncated, info = env.step(env.sample_actions())

========================= =========================================================
``make``                  makes a batch of games: :class:`VectorEnv` or :class:`AsyncVectorEnv`; with
                          ``opponents``, :class:`SeatVectorEnv`, a single-agent view of it
``Network``               a network from a file, as a function on arrays; ``champion`` ships with the package
``export``                writes a torch network to a file
``ludovec.nets``          network architectures for the environments, in torch
``ludovec.train``         training of networks; the command is ``ludovec train``
``rollout``               decisions of all players as columns, with rewards and advantages for a learner
``Collector``             the same call after call, in which no reward is lost
``TreeSearch``            batched tree search, one tree per game, with a network or playouts
``serve, attach``         games shared by several programs; Linux only
``Game``                  a single game: inspect, search, play
``Analysis``              policy and values of a player in a position, from ``Game.analyse``
``GameReview``            values, best lines and prices of a whole game, from ``Game.review``
``list_envs, spec``       the environments and their specs
``unpack``                packed observations to bytes: NumPy, torch and JAX
``unpack_bits``           mask bits to bool, likewise
``openings``              start positions from games, variations and books, with weights
``bots, tournament``      the bots of an environment, and a ranking of them
``Checkpoints``           opponents from a folder, by prioritized fictitious self-play
``evaluate``              the strength of a player against others
``exploit``               an approximate best response to a player, and the points that it wins
``rating``                Elo ratings from counts of wins, draws and losses
``nash_average``          Nash averaging of a payoff matrix; ``alpha_rank`` is the other ranking
``play``                  one match, with a log of every attempted action
``player``                a player from a function: what it takes, bytes or floats, bools or bits
``ludovec.players``       players written in Python
``make_text``             games as strings, for text agents and language models
``register, load``        games of your own: a class with the rules, a Python file, a compiled library
``ludovec.rules``         what such a class has
``ludovec.text``          rules, positions and moves as text, and a reader of replies
``ludovec.data``          decisions of games in files, and their readers
``ludovec.files``         atomic file writes, for checkpoints
``ludovec.plots``         learning curves as pictures
``ludovec.typing``        ids, words and options as types
``ludovec.empires``       Terminal of Empires in the original's terms: bots and a referee
``ludovec.chess``         chess as objects, with custom pieces
``ludovec.tilewe``        Tilewe in the original's terms: boards, moves, engines, tournaments
``ludovec.smallworld``    Small World in the original's terms: games, maps, combos, costs
``ludovec.starwars_risk`` Star Wars Risk in the original's terms: agents, the board
``ludovec.bot_server``    serves a Python bot to other programs over HTTP
``ludovec.pettingzoo``    PettingZoo environments
``ludovec.gym``           spaces and Gymnasium ids; imported with the package if Gymnasium is installed
``ludovec.jax``           environments inside jitted functions
``ludovec.sb3``           stable-baselines3 and sb3-contrib
``ludovec.rllib``         RLlib
``ludovec.ray``           self-play, evaluation, tournaments and replay on a Ray cluster
``ludovec.tianshou``      tianshou
``ludovec.torchrl``       TorchRL
``ludovec.pufferlib``     PufferLib
``ludovec.lightzero``     LightZero
``ludovec.openspiel``     OpenSpiel
``ludovec.envpool``       EnvPool's constructors
``ludovec.testing``       a checker for any vector environment
========================= =========================================================

Every exception is a :class:`LudovecError`.
"""

import sys as _sys
import typing as _typing
from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec

from . import _core, adapters, empires, files, players, rules
from ._core import (
    FleetError,
    GameOver,
    IllegalAction,
    InvalidConfig,
    InvalidPhase,
    InvalidState,
    LudovecError,
    OutOfMemory,
    RulesError,
    __version__,
)
from ._shared.errors import InvalidType
from .envs.asynchronous import AsyncVectorEnv
from .envs.make import make
from .envs.packed import unpack, unpack_bits
from .envs.seats import SeatVectorEnv
from .envs.vector import VectorEnv
from .game import Game, GameReview, Position
from .game.openings import Openings, openings
from .networks import Network
from .networks import find_onnx_runtime as _find_onnx_runtime
from .players import player
from .rules import load, register
from .search import TreeSearch
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

if _typing.TYPE_CHECKING:
    from . import bot_server as bot_server
    from . import chess as chess
    from . import data as data
    from . import plots as plots
    from . import smallworld as smallworld
    from . import starwars_risk as starwars_risk
    from . import testing as testing
    from . import text as text
    from . import tilewe as tilewe
    from . import typing as typing
    from .adapters import dm as dm
    from .adapters import envpool as envpool
    from .adapters import gym as gym
    from .adapters import jax as jax
    from .adapters import lightzero as lightzero
    from .adapters import openspiel as openspiel
    from .adapters import pettingzoo as pettingzoo
    from .adapters import pufferlib as pufferlib
    from .adapters import rllib as rllib
    from .adapters import sb3 as sb3
    from .adapters import tianshou as tianshou
    from .adapters import torchrl as torchrl
    from .data.rollouts import Collector, Rollout, rollout
    from .envs.fleets import attach, serve
    from .evaluation.counts import Rating, rating
    from .evaluation.exploits import Exploitation, Response, exploit
    from .evaluation.matches import play
    from .evaluation.payoffs import alpha_rank, nash_average
    from .evaluation.tournaments import Tournament, evaluate, tournament
    from .game import Analysis
    from .networks.export import export
    from .players.checkpoints import Checkpoints
    from .text import TextEnv, make_text

#: Public names that are imported on first use, with their modules.
_LATE = {
    "Analysis": "game",
    "Checkpoints": "players.checkpoints",
    "Collector": "data.rollouts",
    "Exploitation": "evaluation.exploits",
    "Rating": "evaluation.counts",
    "Response": "evaluation.exploits",
    "Rollout": "data.rollouts",
    "TextEnv": "text",
    "Tournament": "evaluation.tournaments",
    "alpha_rank": "evaluation.payoffs",
    "attach": "envs.fleets",
    "evaluate": "evaluation.tournaments",
    "exploit": "evaluation.exploits",
    "export": "networks.export",
    "make_text": "text",
    "nash_average": "evaluation.payoffs",
    "play": "evaluation.matches",
    "rating": "evaluation.counts",
    "rollout": "data.rollouts",
    "serve": "envs.fleets",
    "tournament": "evaluation.tournaments",
}

#: Public modules that are imported on first use, with the libraries that each needs.
_MODULES = {
    "bot_server": "",
    "chess": "",
    "data": "",
    "nets": "torch",
    "plots": "",
    "ray": "ray",
    "smallworld": "",
    "starwars_risk": "",
    "testing": "gymnasium",
    "text": "",
    "tilewe": "",
    "train": "torch",
    "typing": "",
    **adapters.LIBRARIES,
}


def __getattr__(name: str) -> _typing.Any:
    """Imports a public name on its first use."""
    if name in _MODULES:
        return _import_module(f".{name}", __name__)
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_import_module(f".{_LATE[name]}", __name__), name)
    globals()[name] = found
    return found


__all__ = [
    "ActionFamily",
    "Analysis",
    "AsyncVectorEnv",
    "Checkpoints",
    "Collector",
    "Exploitation",
    "FleetError",
    "Game",
    "GameOver",
    "GameReview",
    "IllegalAction",
    "InvalidConfig",
    "InvalidPhase",
    "InvalidState",
    "InvalidType",
    "LudovecError",
    "Network",
    "ObservationField",
    "Openings",
    "OutOfMemory",
    "PackedField",
    "PackedLayout",
    "Position",
    "Rating",
    "Response",
    "Rollout",
    "RulesError",
    "SeatVectorEnv",
    "Spec",
    "Symmetry",
    "TextEnv",
    "Tournament",
    "TreeSearch",
    "VectorEnv",
    "__version__",
    "alpha_rank",
    "attach",
    "bots",
    "empires",
    "files",
    "evaluate",
    "exploit",
    "export",
    "list_envs",
    "load",
    "make",
    "make_text",
    "nash_average",
    "openings",
    "play",
    "player",
    "players",
    "plots",
    "rating",
    "register",
    "rollout",
    "rules",
    "serve",
    "spec",
    "symmetries",
    "text",
    "tournament",
    "unpack",
    "unpack_bits",
]

if hasattr(_core, "Fleet"):
    from ._core import Fleet

    __all__ += ["Fleet"]

_find_onnx_runtime()

if _find_spec("gymnasium") is not None:
    from .adapters.gym import register as _register_gymnasium

    _register_gymnasium()

# PettingZoo's ids: a library that is not loaded yet would make the import slow.
if _sys.modules.get("pettingzoo"):
    _import_module("ludovec.adapters.pettingzoo")


def __dir__() -> list[str]:
    """The public names, for completion, without modules of libraries that are not installed."""
    missing = {library for library in set(" ".join(_MODULES.values()).split()) if _find_spec(library) is None}
    modules = (name for name, needed in _MODULES.items() if missing.isdisjoint(needed.split()))
    return sorted({*__all__, *modules})
