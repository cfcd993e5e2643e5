"""Optional dependencies, imported on first use, with an error that says how to install them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Context manager for imports of an optional dependency: the ImportError names the extra to install.

    >>> with extra("gym"):
    ...     from gymnasium.spaces import Box
    """
    try:
        yield
    except ImportError as error:
        raise ImportError(f"{error}: pip install 'ludovec[{name}]'", name=error.name) from error
