"""Errors of a cluster, each as one line."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._shared.errors import config_error
from .._shared.extras import extra
from ..spec import Spec

with extra("ray"):
    import ray
    from ray.exceptions import ObjectStoreFullError, OutOfDiskError, RaySystemError, RayTaskError


class ClusterError(_core.LudovecError):
    """There is no cluster, its machines have different versions, or resources are missing."""


def connected() -> None:
    """Raises if Ray is not initialized; a cluster is never started implicitly."""
    if not ray.is_initialized():
        raise ClusterError(
            "no cluster: call ray.init() for this machine, or ray.init(address='auto') on a cluster"
        )


def put(name: str, value: Any) -> Any:
    """Puts a value into the object store; the error for an unpicklable one names the argument."""
    try:
        return ray.put(value)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        # Ray's explanation is long; its first line names the cause.
        reason = str(error.__cause__ or error).strip().splitlines()[0]
        raise config_error(f"{name}={value!r:.80}: it cannot be pickled for the workers: {reason}") from error


def versions(spec: Spec) -> dict[str, str]:
    """Versions that must be equal on all machines of a run."""
    return {
        "ludovec": sys.modules["ludovec"].__version__,
        f"{spec.env} (env version)": str(spec.version),
    }


def same_versions(here: Mapping[str, str], there: Mapping[str, str], node: str) -> None:
    """Raises if a worker has other versions than the driver."""
    for what, version in here.items():
        if there.get(what) != version:
            raise ClusterError(
                f"the worker on node {node} has {what} {there.get(what, '(missing)')}, the driver has "
                f"{version}: install the same package on all nodes"
            )


def raised(error: BaseException) -> BaseException:
    """The exception of a worker without Ray's wrapping; out-of-memory errors become ours."""
    cause = error.cause if isinstance(error, RayTaskError) else error
    if isinstance(cause, (ObjectStoreFullError, OutOfDiskError)):
        return no_room(str(cause).strip().splitlines()[0])
    if isinstance(cause, RaySystemError):
        # The worker could not unpickle the call; the rest of the text is a traceback.
        reason = str(cause).strip().splitlines()[0].removeprefix("System error: ")
        return ClusterError(
            f"a worker cannot unpickle its task: {reason} (runtime_env={{'working_dir': ...}} sends modules)"
        )
    return cause


def no_room(what: str) -> ClusterError:
    """The error for a full object store."""
    return ClusterError(
        f"out of object-store memory: {what}; fewer games or steps, obs='packed', fewer columns, or "
        "ray start --object-store-memory help"
    )
