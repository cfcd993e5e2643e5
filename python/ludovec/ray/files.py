"""Network files travel with the player that names them, so nodes need no copy of their own."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._errors import config_error

_NETWORK = "net:"
_SHIPPED = "champion"


@dataclass(frozen=True)
class NetworkText:
    """``net:FILE`` or ``net:FILE:N`` with the content of the file."""

    data: bytes
    suffix: str
    simulations: str

    def text(self) -> str:
        """Text of the same player on this machine."""
        name = hashlib.sha256(self.data).hexdigest()[:32] + self.suffix
        file = Path(tempfile.gettempdir(), f"ludovec-{os.getuid()}-{name}")
        if not file.exists():
            # Several workers may write the same file: the rename is atomic.
            with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as part:
                part.write(self.data)
            os.replace(part.name, file)
        return f"{_NETWORK}{file}{self.simulations}"


def packed(player: Any) -> Any:
    """Packs a player for transport to another machine."""
    if not isinstance(player, str) or not player.startswith(_NETWORK):
        return player
    file, colon, number = player[len(_NETWORK) :].rpartition(":")
    if not (colon and number.isdigit()):
        file, number = player[len(_NETWORK) :], ""
    if file == _SHIPPED:
        return player
    try:
        return NetworkText(Path(file).read_bytes(), Path(file).suffix, f":{number}" if number else "")
    except OSError as error:
        raise config_error(f"{player!r}: {file}: {error.strerror}") from error


def unpacked(player: Any) -> Any:
    """Unpacks a player on the receiving machine."""
    return player.text() if isinstance(player, NetworkText) else player
