"""An exclusive lock on the folder of a run."""

from __future__ import annotations

import os
import platform
import stat
from pathlib import Path

from .._shared.errors import config_error, shown
from ..files import locked

#: Longest text of an owner that is read.
_LONGEST = 200


class FolderLock:
    """The right to write into a folder, for one training of all processes.

    The operating system ends a lock with its process, so a killed run leaves none. The file ``lock`` stays in
    the folder; it has the process that trains there.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._descriptor: int | None = None

    def take(self) -> None:
        """Makes the folder and locks it; does nothing if this object holds the lock.

        Raises:
            InvalidConfig: Another training has it, or the folder cannot be written.
        """
        if self._descriptor is not None:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            # A FIFO without a reader is an error instead of a wait.
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            descriptor = os.open(self._folder / "lock", flags, 0o666)
        except OSError as error:
            raise config_error(f"--out {self._folder}: {error.strerror}") from error
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise config_error(f"--out {self._folder}: its lock is no regular file")
            if not locked(descriptor):
                raise config_error(f"{self._folder} is in use: {_owner(descriptor)} trains there")
            os.truncate(descriptor, 0)
            os.write(descriptor, f"process {os.getpid()} on {platform.node()}".encode())
        except BaseException as error:
            os.close(descriptor)
            if isinstance(error, OSError):
                raise config_error(f"--out {self._folder}: {error.strerror}") from error
            raise
        self._descriptor = descriptor

    def release(self) -> None:
        """Ends the lock."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __del__(self) -> None:
        self.release()


def _owner(descriptor: int) -> str:
    """The process that has the lock."""
    text = os.read(descriptor, _LONGEST).decode(errors="replace")
    return shown(text) if text else "another process"
