"""What a cluster cannot do, each said in one line."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from typing import Any

from .. import _core
from .._errors import config_error
from .._extras import extra
from ..spec import Spec

with extra("ray"):
    import ray
    from ray.exceptions import ObjectStoreFullError, OutOfDiskError, RaySystemError, RayTaskError


class ClusterError(_core.LudovecError):
    """There is no cluster, its machines do not fit each other, or it has no room for what was asked for."""


def connected() -> None:
    """Refuses to go on without a cluster: nothing is started by itself."""
    if not ray.is_initialized():
        raise ClusterError(
            "no cluster: call ray.init() for this machine alone, or ray.init(address='auto') on a cluster"
        )


def put(name: str, value: Any) -> Any:
    """A value in the object store; what cannot travel is refused by name."""
    try:
        return ray.put(value)
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        # Ray explains at length; its first line says what it is about.
        reason = str(error.__cause__ or error).strip().splitlines()[0]
        raise config_error(
            f"{name}={value!r:.80}: it cannot be sent to workers (pickled): {reason}"
        ) from error


def versions(spec: Spec) -> dict[str, str]:
    """What must be equal wherever games of one run are played."""
    return {
        "ludovec": sys.modules["ludovec"].__version__,
        f"{spec.env} (env version)": str(spec.version),
    }


def same_versions(here: Mapping[str, str], there: Mapping[str, str], node: str) -> None:
    """Refuses a worker that would play other games."""
    for what, version in here.items():
        if there.get(what) != version:
            raise ClusterError(
                f"the worker on node {node} has {what} {there.get(what, 'in no version')}, the driver has "
                f"{version}: install the same package on all nodes"
            )


def raised(error: BaseException) -> BaseException:
    """What a worker's exception is to the caller: its own, without Ray's wrapping; no memory is ours."""
    cause = error.cause if isinstance(error, RayTaskError) else error
    if isinstance(cause, (ObjectStoreFullError, OutOfDiskError)):
        return no_room(str(cause).strip().splitlines()[0])
    if isinstance(cause, RaySystemError):
        # It could not be read there; the rest of the text is a traceback.
        reason = str(cause).strip().splitlines()[0].removeprefix("System error: ")
        return ClusterError(
            f"a worker cannot read what it was sent: {reason} (runtime_env={{'working_dir': ...}} sends "
            "modules along)"
        )
    return cause


def no_room(what: str) -> ClusterError:
    """The object store is too small."""
    return ClusterError(
        f"out of object-store memory: {what}; fewer games or steps, obs='packed', fewer columns, or "
        "ray start --object-store-memory help"
    )
