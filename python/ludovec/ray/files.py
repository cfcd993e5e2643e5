"""Network files travel with the player that names them, so nodes need no copy of their own."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._errors import config_error
from ..files import replaced
from .errors import ClusterError

_NETWORK = "net:"
_SHIPPED = "champion"


@dataclass(frozen=True)
class NetworkText:
    """``net:FILE[?precision=NAME][:N]`` with the content of the file."""

    data: bytes
    suffix: str
    rest: str
    """What follows the file."""

    def text(self) -> str:
        """Text of the same player on this machine: a file in a private folder, checked by its hash."""
        digest = hashlib.sha256(self.data).hexdigest()
        file = private_folder() / f"{digest[:32]}{self.suffix}"
        if not (file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == digest):
            # Several workers may write the same file: the rename is atomic.
            with replaced(file) as out:
                out.write(self.data)
        return f"{_NETWORK}{file}{self.rest}"


def private_folder() -> Path:
    """A private folder for networks that were sent to this machine.

    Raises:
        ClusterError: The folder belongs to another user or is accessible to others.
    """
    folder = Path(tempfile.gettempdir(), f"ludovec-{os.getuid() if hasattr(os, 'getuid') else 'user'}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
            raise ClusterError(f"{folder}: a folder of this user with the mode 0700 is needed for networks")
    return folder


def network_file(player: Any) -> str | None:
    """The file of ``net:FILE[?precision=NAME][:N]``; None for the shipped network and other players."""
    if not isinstance(player, str) or not player.startswith(_NETWORK):
        return None
    file, colon, number = player[len(_NETWORK) :].rpartition(":")
    if not (colon and number.isdigit()):
        file = player[len(_NETWORK) :]
    before, precision, _ = file.rpartition("?precision=")
    file = before if precision else file
    return None if file == _SHIPPED else file


def packed(player: Any) -> Any:
    """Packs a player for transport to another machine."""
    file = network_file(player)
    if file is None:
        return player
    try:
        rest = player[len(_NETWORK) + len(file) :]
        return NetworkText(Path(file).read_bytes(), Path(file).suffix, rest)
    except OSError as error:
        raise config_error(f"{player!r}: {file}: {error.strerror}") from error


def unpacked(player: Any) -> Any:
    """Unpacks a player on the receiving machine."""
    return player.text() if isinstance(player, NetworkText) else player
