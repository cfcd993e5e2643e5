"""The checker of vector environments."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from .._shared.checks import count, positive
from .._shared.errors import config_error
from . import vector_env_checks
from .findings import CheckError, Finding
from .vector_env_checks import Subject, error_line

if TYPE_CHECKING:
    from .playing import Env

Check = Literal[
    "spaces",
    "results",
    "infos",
    "masks",
    "autoreset",
    "seeding",
    "aliasing",
    "partial_reset",
    "pickling",
]
"""The checks by name."""

CHECKS: tuple[Check, ...] = get_args(Check)
"""The checks, in order."""

_PROMISES: dict[str, Callable[[Subject], Iterator[Finding]]] = {
    name: getattr(vector_env_checks, name) for name in CHECKS
}
#: If these fail, the other checks cannot run.
_FIRST = ("spaces", "results")


def check_vector_env(
    env: Env,
    *,
    checks: Sequence[Check] = CHECKS,
    steps: int = 200,
    seed: int = 0,
    views: bool | None = None,
    raise_on_findings: bool = False,
) -> list[Finding]:
    """Checks the contract of a Gymnasium vector environment.

    The environment is reset and played repeatedly, and is not closed. If episodes are long, make it with a
    step limit so that some end; otherwise the check warns, because it cannot test auto-reset.

    ================= ======================================================================================
    check             promise
    ================= ======================================================================================
    ``spaces``        batched spaces match the single ones; the auto-reset mode is in the metadata
    ``results``       observations are in their space; rewards float ``[N]``, flags bool ``[N]``
    ``infos``         every key has an entry per game and a mask ``"_<key>"``, bool ``[N]``
    ``masks``         ``info["action_mask"]``, if present: int8 ``[N, A]`` as for ``sample(mask)``, at
                      least one action in a running game, and allowed actions are accepted
    ``autoreset``     same-step: ``final_obs`` and ``final_info`` of exactly the games that ended; next-step:
                      the step after the end starts a game, for any action, and pays 0
    ``seeding``       equal seeds and actions give equal bytes, also after other games
    ``aliasing``      results do not change later (``views``), share no memory with each other, and
                      writing to them does not change a game
    ``partial_reset`` ``options={"reset_mask": ...}`` resets exactly these games, or is refused
    ``pickling``      a pickled copy continues like the original
    ================= ======================================================================================

    Args:
        env: Any ``gymnasium.vector.VectorEnv``.
        checks: The checks to run.
        steps: Steps per run.
        seed: Seed of the games and the actions.
        views: True if the next call may overwrite results; ``None`` reads it from ``env.returns_copies`` or,
            as in Gymnasium's own environments, from ``env.copy``, and means False without these attributes.
        raise_on_findings: Raise all findings as a :class:`CheckError`.

    Returns:
        The findings; empty if the environment passes.
    """
    for name in checks:
        if name not in CHECKS:
            raise config_error(f"checks: {name!r}: one of {', '.join(CHECKS)} is allowed")
    subject = Subject(env, steps=positive("steps", steps), seed=count("seed", seed), views=views)
    findings: list[Finding] = []
    for name in (name for name in CHECKS if name in checks):
        failed = False
        try:
            findings.extend(_PROMISES[name](subject))
        except Exception as error:
            failed = True
            findings.append(subject.again(name, f"it raises {error_line(error)}"))
        if failed and name in _FIRST:
            break
    if subject.unended and "autoreset" in checks:
        warnings.warn(
            f"no episode ended within {steps} steps: auto-reset was not checked; use more steps, or give the "
            "environment a limit",
            stacklevel=2,
        )
    if findings and raise_on_findings:
        raise CheckError(findings)
    return findings
