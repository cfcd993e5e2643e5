"""A single match of bots, with a log of every attempted action."""

from __future__ import annotations

import errno
import json
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .._core import LudovecError
from .._shared import checks
from .._shared.errors import config_error, shown
from ..game import Game
from ..game.positions import position_like, scratch
from ..networks import SentNetwork
from ..players.python_bots import PythonBot, player_pool
from ..spec import spec

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ..game.positions import PositionLike
    from ..players import OnFault, Player
    from ..typing import EnvId, Options

_log = logging.getLogger("ludovec")


def play(
    env: EnvId,
    bots: Mapping[str, Player],
    *,
    position: PositionLike | None = None,
    seed: int | None = None,
    log: str | Path | None = None,
    time_limit: float | None = None,
    on_fault: OnFault = "raise",
    **options: Unpack[Options],
) -> Game:
    """Plays one game between named players and returns it.

    Args:
        env: One of :func:`ludovec.list_envs`.
        bots: The players by name, in seat order; a bot is a player as for :func:`ludovec.tournament`. If the
            environment has the options ``players`` and ``names``, they are set to match: states, pictures and
            records show the names.
        position: The position from which the game starts, such as one of :func:`ludovec.openings`, as for
            :meth:`ludovec.VectorEnv.set_position`; by default the start of the rules.
        seed: Seed of the game; ``None`` draws one, which :attr:`Game.seed` shows.
        log: File for one line of JSON per attempted action, written at once: ``step``, ``turn`` (if the game
            counts turns), ``player``, ``seat``, ``result`` (the action and its effects) and ``refused`` (the
            reason why another action was refused, with the request).
        time_limit, on_fault: As for :func:`ludovec.tournament`.
        options: The environment's own options.

    Raises:
        InvalidConfig: An argument is invalid; the message lists the allowed values.
    """
    if not isinstance(bots, Mapping):
        raise config_error(f"bots={bots!r}: a mapping from names to bots is needed")
    names = list(bots)
    file = None if log is None else checks.path("log", log)
    known = spec(env).options
    named: Any = {"players": len(names), "names": ",".join(map(str, names))}
    given: Any = {**{option: value for option, value in named.items() if option in known}, **options}
    game = Game(env, seed, **given)
    if position is not None:
        one = scratch(game.spec, 1, game.seed)
        one.set_position(0, position_like("position", position))
        game = Game._wrap(one.game(0), game.spec)
    if len(names) != game.spec.players:
        raise config_error(f"{len(names)} bots were given, the game has {game.spec.players} seats")
    with player_pool(game.spec, list(bots.items()), time_limit=time_limit, on_fault=on_fault) as players:
        lines = None if file is None else _opened(file)
        try:
            while not game.is_terminal:
                seat, step, turn = game.current_player, game.steps, game.turn
                bot = players.players[seat][1]
                tried = game._core.bot_attempt(bot) if isinstance(bot, str) and lines is not None else None
                refused = play_move(game, bot)
                if refused is not None:
                    _log.warning(
                        "bot %s lost a move as player %d: %s", shown(names[seat], 100), seat, shown(refused)
                    )
                if lines is not None:
                    entry = {"step": step, "turn": turn, "player": names[seat], "seat": seat}
                    entry |= {
                        "result": game._core.describe(step),
                        "refused": tried if refused is None else refused,
                    }
                    lines.write(json.dumps(entry, ensure_ascii=False) + "\n")
        finally:
            if lines is not None:
                lines.close()
    return game


def _opened(file: str) -> TextIO:
    """Opens a log for writing, line by line. A pipe needs a reader: opening it does not wait for one."""

    def opener(path: str, flags: int) -> int:
        made = os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
        if made >= 0 and hasattr(os, "set_blocking"):
            os.set_blocking(made, True)
        return made

    try:
        return open(file, "w", encoding="utf-8", buffering=1, opener=opener)
    except OSError as error:
        said = "no program reads this pipe" if error.errno == errno.ENXIO else error.strerror
        raise config_error(f"log={file!r}: {said}") from error


def play_move(game: Game, bot: str | SentNetwork | PythonBot) -> str | None:
    """Plays the bot's choice. If it is refused, passes for the bot and returns the reason."""
    chosen: int | str
    if isinstance(bot, PythonBot):
        chosen = bot.games([game._core])[0]
    elif isinstance(bot, SentNetwork):
        chosen = game._analysed(bot).action
    else:
        chosen = game.bot_action(bot)
    if not isinstance(chosen, str):
        try:
            game.step(int(chosen))
            return None
        except LudovecError as error:
            chosen = str(error)
    game.step(game.bot_action("pass"))
    return chosen
