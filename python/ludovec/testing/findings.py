"""Results of checks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .._core import LudovecError


@dataclass(frozen=True)
class Finding:
    """A violation of the contract by an environment; prints as one line."""

    check: str
    """The check, one of :data:`ludovec.testing.CHECKS`."""
    message: str
    """The violation and the expected behaviour."""
    reproduction: str
    """A line of Python that fails until the violation is fixed. It assumes ``env``, ``gymnasium``, NumPy as
    ``np`` and the names of ``ludovec.testing``."""

    def __str__(self) -> str:
        return f"{self.check}: {self.message}    >>> {self.reproduction}"


class CheckError(LudovecError, AssertionError):
    """An environment violates its contract; ``findings`` lists the violations."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__("\n".join(map(str, findings)))
        self.findings = list(findings)

    def __reduce__(self) -> tuple[type[CheckError], tuple[list[Finding]]]:
        return CheckError, (self.findings,)
