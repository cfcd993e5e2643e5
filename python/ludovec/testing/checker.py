"""The checker."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from .. import _arguments
from .._errors import config_error
from . import promises
from .findings import CheckError, Finding
from .promises import Subject, said_of

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
"""The checks, in their order."""

_PROMISES: dict[str, Callable[[Subject], Iterator[Finding]]] = {
    name: getattr(promises, name) for name in CHECKS
}
#: Without these nothing else can be looked at.
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
    """Says where a Gymnasium vector environment doesn't do what vector environments promise.

    It is reset and played again and again, and is not closed. Where episodes are long, make it with a limit,
    so that some end: with none there is a warning, because auto-reset cannot be looked at.

    ================= ======================================================================================
    check             promise
    ================= ======================================================================================
    ``spaces``        batched spaces are those of single ones; the auto-reset mode is told
    ``results``       observations lie in their space; rewards float ``[N]``, flags bool ``[N]``
    ``infos``         every key has an entry a game and a mask ``"_<key>"``, bool ``[N]``
    ``masks``         ``info["action_mask"]``, where offered: int8 ``[N, A]`` as ``sample(mask)`` wants it, at
                      least one action in a running game, and what it allows can be played
    ``autoreset``     same-step: ``final_obs`` and ``final_info`` of exactly the games that ended; next-step:
                      the step after the end starts a game, whatever the action, and pays 0
    ``seeding``       equal seeds and actions give equal bytes, also after other games
    ``aliasing``      results stay as they were (``views``), share no memory with each other, and what is
                      written into them changes no game
    ``partial_reset`` ``options={"reset_mask": ...}`` starts those games anew and no others, or is refused
    ``pickling``      a pickled copy goes on as the original does
    ================= ======================================================================================

    Args:
        env: Any ``gymnasium.vector.VectorEnv``.
        checks: Which of them.
        steps: Steps of every run.
        seed: Of the games and the actions.
        views: Whether results may be overwritten by the next call; ``None`` reads it from ``env.copy``, as
            Gymnasium's own environments have it, and means no where there is no such attribute.
        raise_on_findings: Raise them all as a :class:`CheckError`.

    Returns:
        What was found, a line each; empty where all holds.
    """
    for name in checks:
        if name not in CHECKS:
            raise config_error(f"checks: {name!r}: one of {', '.join(CHECKS)} is allowed")
    subject = Subject(
        env, steps=_arguments.positive("steps", steps), seed=_arguments.count("seed", seed), views=views
    )
    findings: list[Finding] = []
    for name in (name for name in CHECKS if name in checks):
        failed = False
        try:
            findings.extend(_PROMISES[name](subject))
        except Exception as error:
            failed = True
            findings.append(subject.again(name, f"it raises {said_of(error)}"))
        if failed and name in _FIRST:
            break
    if subject.unended and "autoreset" in checks:
        warnings.warn(
            f"no episode ended within {steps} steps: auto-reset was not checked; give more steps, or the "
            "environment a limit",
            stacklevel=2,
        )
    if findings and raise_on_findings:
        raise CheckError(findings)
    return findings
