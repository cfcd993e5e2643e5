"""JSON in and out; what is none raises our errors."""

from __future__ import annotations

import json
from typing import Any

from ._errors import state_error


def text(what: str, value: Any) -> str:
    """A value as JSON text; text is taken as it is."""
    if isinstance(value, str):
        if not is_unicode(value):
            raise state_error(f"{what}: text without lone surrogates is needed")
        return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise state_error(f"{what}: {error}") from error


def is_unicode(text: str) -> bool:
    """Whether it can be written: Python's texts may hold halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse(value: Any) -> Any:
    """JSON text as a value."""
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise state_error(f"no JSON: {error}") from error
