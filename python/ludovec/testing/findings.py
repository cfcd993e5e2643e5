"""What a check found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._core import LudovecError


@dataclass(frozen=True)
class Finding:
    """A promise that an environment doesn't keep; printed it is one line."""

    check: str
    """The check, one of :data:`ludovec.testing.CHECKS`."""
    message: str
    """What is wrong, and what is expected."""
    reproduction: str
    """A line of Python that fails for as long as it is wrong. It takes ``env``, ``gymnasium``, NumPy as
    ``np`` and what ``ludovec.testing`` holds for granted."""

    def __str__(self) -> str:
        return f"{self.check}: {self.message}    >>> {self.reproduction}"


class CheckError(LudovecError, AssertionError):
    """An environment doesn't keep what it promises; ``findings`` says what."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = list(findings)

    def __reduce__(self) -> tuple[type[CheckError], tuple[list[Finding]]]:
        return CheckError, (self.findings,)
