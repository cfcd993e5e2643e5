"""Atomic file writes: after a full disk, a killed process or a power cut, a file is complete or unchanged."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["replaced"]


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that replaces ``path`` when the block ends without an exception.

    >>> from ludovec.files import replaced
    >>> with replaced("checkpoint.bin") as out:
    ...     size = out.write(b"weights")

    Writes a temporary file with a unique name in the same folder, syncs it to disk and renames it: at any
    time, the target is the old file or the new one. For a symbolic link, its target is replaced. If an
    exception ends the block, the temporary file is removed.

    Raises:
        OSError: The file cannot be written; the target is then unchanged.
    """
    target = os.path.realpath(os.fspath(path))
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name}.{os.getpid()}-{os.urandom(4).hex()}.part")
    try:
        with open(beside, "xb") as out:
            with contextlib.suppress(FileNotFoundError):
                os.chmod(beside, stat.S_IMODE(os.stat(target).st_mode))
            yield out
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(folder)


def locked(descriptor: int) -> bool:
    """Locks an open file for this descriptor until it is closed; whether no other one has the lock.

    Raises:
        OSError: The file system has no locks.
    """
    place = os.lseek(descriptor, 0, os.SEEK_CUR)
    try:
        if sys.platform == "win32":
            # A byte beyond the content, which other processes may read.
            os.lseek(descriptor, 1 << 30, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    finally:
        os.lseek(descriptor, place, os.SEEK_SET)
    return True


def _sync_folder(folder: str) -> None:
    """Syncs the folder of a renamed file, best effort."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
