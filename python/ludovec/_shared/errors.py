"""Errors raised by Python code, in the engine's wording."""

from __future__ import annotations

from .._core import IllegalAction, InvalidConfig, InvalidState

#: Maximum length of a message in characters.
_LONGEST = 2000
_GAP = " [...] "


def shown(text: str, longest: int = _LONGEST) -> str:
    """Untrusted text as one line of at most ``longest`` characters. Unprintable characters, including bidi
    controls such as U+202E, are escaped. Longer text is cut in the middle."""
    text = " ".join(_cut(text, 4 * longest).split())
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in _JOINERS else _escaped(c) for c in text)
    return _cut(text, longest)


#: Joiners are not escaped, because scripts and emoji need them.
_JOINERS = "\u200c\u200d"


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", "backslashreplace").decode("ascii")


def _cut(text: str, longest: int) -> str:
    """The beginning and the end: the end of a message lists the allowed values."""
    if len(text) <= longest:
        return text
    kept = longest - len(_GAP)
    return text[: kept - kept // 2] + _GAP + text[len(text) - kept // 2 :]


def config_error(what: str) -> InvalidConfig:
    """An error for an invalid argument; ``what`` has its name and the allowed values."""
    return InvalidConfig(f"invalid configuration: {shown(what)}")


class InvalidType(InvalidConfig, TypeError):
    """An argument has the wrong type; also a TypeError."""

    __module__ = "ludovec"


def type_error(what: str) -> InvalidType:
    """An argument of the wrong type; also a TypeError."""
    return InvalidType(f"invalid configuration: {shown(what)}")


def illegal_action(what: str) -> IllegalAction:
    """An action does not exist or is not legal in this position."""
    return IllegalAction(f"illegal action: {shown(what)}")


def state_error(what: str) -> InvalidState:
    """An invalid position, snapshot or log."""
    return InvalidState(f"invalid state: {shown(what)}")
