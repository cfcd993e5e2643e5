"""Optional dependencies: imported where they are needed, with an error that says how to get them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports of what an extra brings: an ImportError names the extra.

    >>> with extra("gym"):
    ...     from gymnasium.spaces import Box
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(f"{error}: pip install 'ludovec[{name}]'", name=error.name) from error
