"""Files that are whole or not there, at any time: after a full disk, a killed process, a power cut."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

__all__ = ["replaced"]


@contextmanager
def replaced(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file that takes the place of ``path`` when the block ends without an exception.

    >>> with ludovec.files.replaced("checkpoint.pt") as out:
    ...     torch.save(content, out)

    A temporary file of a unique name beside the target is written, synced to disk and renamed: the target is
    the old file or the new one at any time. A symbolic link stays and its target is replaced. The exception
    that ends the block removes the temporary file.

    Raises:
        OSError: The file cannot be written; the target is unchanged then.
    """
    target = os.path.realpath(os.fspath(path))
    folder, name = os.path.split(target)
    beside = os.path.join(folder, f".{name}.{os.getpid()}-{secrets.token_hex(4)}.part")
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


def _sync_folder(folder: str) -> None:
    """Syncs the entry of a renamed file, where the system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
