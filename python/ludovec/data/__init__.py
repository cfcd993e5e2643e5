"""Decisions of games in files: self-play as shards of Parquet, read as NumPy, torch, Hugging Face and Minari.

>>> report = ludovec.data.write(
...     "games", "starwars_risk", games=100, num_envs=64, seed=0
... )
>>> data = ludovec.data.Dataset("games")
>>> columns = data.read(["observation", "mask", "action"])

The command is ``ludovec selfplay ENV --out DIR``. One row is one decision:

===============  =====================  ==================================================================
column           Parquet type           content
===============  =====================  ==================================================================
``observation``  fixed_size_binary      packed observation of the player (:func:`ludovec.unpack`)
``mask``         fixed_size_binary      its legal actions as bits, little-endian (:func:`ludovec.unpack_bits`)
``action``       int32                  its action
``seat``         uint8                  the player
``rewards``      list of P floats       rewards of this step, all players
``terminated``   bool                   the step ended the game by its rules
``truncated``    bool                   the step ended the game by a limit
``policy``       list of floats         probabilities of the legal actions in increasing order, if known
``value``        list of P floats       expected sum of future rewards of each player, if known
``seed``         uint64                 seed of the game
``game``         uint32                 number of the game under this seed
``episode``      uint32                 number of the episode of this game
``step``         uint32                 number of the decision in this episode
===============  =====================  ==================================================================

Rows of one game are in the order of its decisions; the rows of other games are between them. The metadata of
each file, under ``ludovec``, name environment, version, options and players.

:class:`Fragment` has decisions as arrays, with the reward until the player's next decision: from
:meth:`Dataset.fragment`, and from :class:`ludovec.Collector` without files.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .fragments import Fragment

if TYPE_CHECKING:
    from ._read import Dataset, torch_dataset
    from ._write import Writer, write

#: Names that need PyArrow, with their modules.
_LATE = {"Dataset": "_read", "Writer": "_write", "torch_dataset": "_read", "write": "_write"}

__all__ = ["Dataset", "Fragment", "Writer", "torch_dataset", "write"]


def __getattr__(name: str) -> Any:
    """Imports the files on their first use: they need PyArrow, and fragments do not."""
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f".{_LATE[name]}", __name__), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return __all__
