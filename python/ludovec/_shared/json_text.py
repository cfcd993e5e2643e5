"""JSON input and output; invalid JSON raises the package's own errors."""

from __future__ import annotations

import json
from typing import Any

from .errors import state_error


def text(what: str, value: Any) -> str:
    """A value as JSON text; a string is taken as JSON already."""
    if isinstance(value, str):
        if not is_unicode(value):
            raise state_error(f"{what}: text without lone surrogates is needed")
        return value
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise state_error(f"{what}: {error}") from error


def is_unicode(text: str) -> bool:
    """True if the string can be encoded: Python strings may contain lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def parse(value: Any) -> Any:
    """Parses JSON text."""
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise state_error(f"invalid JSON: {error}") from error
