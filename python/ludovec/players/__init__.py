"""Players written in Python: functions on arrays, and objects with ``turn``, which get one request per move.

A function is called ``f(observations, masks)`` and returns actions, logits, or ``(logits, values)``: a NumPy
function, a JAX function, or a torch module, which is called in evaluation mode and without gradients.
:func:`player` says what the function takes instead of uint8 observations and bool masks.

Faults of a function (an exception, an invalid result) end the call with the function's exception or an error
that names bot, game and action, so that training and measurements never use a broken function. An object that
fails, is too late or returns an invalid answer loses its move, as does a function with
``on_fault="lose_move"``: the engine plays ``"pass"`` for it (the legal pass if there is one, otherwise a
random action). The lost move is counted and reported with the name of the bot, and the game continues.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from .functions import (
    Answer,
    ArrayBot,
    FunctionPlayer,
    in_seat_order,
    legal_actions,
    pack_bits,
    player,
)
from .objects import DIALECTS, PLAIN, Dialect, ObjectBot, answer, encode, load

if TYPE_CHECKING:
    from ..networks import Network
    from .checkpoints import Checkpoints

__all__ = [
    "Answer",
    "ArrayBot",
    "DIALECTS",
    "Dialect",
    "FunctionPlayer",
    "ObjectBot",
    "OnFault",
    "Opponents",
    "PLAIN",
    "Player",
    "answer",
    "encode",
    "in_seat_order",
    "legal_actions",
    "load",
    "pack_bits",
    "player",
]

#: A player: a text (``"greedy"``, ``"search:500"``, ``"http://host:port"``), a function on arrays, an object,
#: a network.
Player: TypeAlias = "str | ArrayBot | Callable[..., Any] | FunctionPlayer | ObjectBot | Network"

#: The other seats: one opponent for all, or tables: each an opponent or a tuple with one per seat.
Opponents: TypeAlias = (
    "Player | tuple[Player, ...] | Sequence[Player | tuple[Player, ...]] | Mapping[str, Player] | Checkpoints"
)

#: Handling of a function that raises or returns an invalid result.
OnFault = Literal["raise", "lose_move"]
