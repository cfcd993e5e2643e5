"""Specs: the layout of an environment as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from . import _core
from ._shared import checks, json_text
from ._shared.errors import config_error, illegal_action, state_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .typing import EnvId, Options


@dataclass(frozen=True)
class Values:
    """References to :attr:`Spec.values`: every string here is the name of a table."""

    #: Names of the indices along each axis; None for axes without names.
    axes: tuple[str | None, ...] = ()
    #: Names of the values of an element.
    element: str | None = None
    #: Names of the values of some elements, by the element's own name along the last named axis.
    elements: dict[str, str] = field(default_factory=dict, hash=False)
    #: Names of the bits of an element, lowest first. If ``axes`` has fewer entries than there are axes, the
    #: elements along the last axis are the words of one long number, lowest bits first.
    bits: str | None = None

    @classmethod
    def _of(cls, data: Any) -> Values:
        return cls(**{**data, "axes": tuple(data.get("axes", ()))})


@dataclass(frozen=True)
class ActionFamily:
    """A contiguous range of action indices with one meaning."""

    name: str
    offset: int
    count: int
    meaning: str
    #: Shape of the grid if the indices form a grid in row-major order.
    shape: tuple[int, ...] = ()
    #: Tables that name the positions along the axes of ``shape``, or the indices if there is no grid.
    values: Values = field(default_factory=Values)

    @classmethod
    def _of(cls, data: Any) -> ActionFamily:
        values = Values._of(data.get("values", {}))
        return cls(**{**data, "shape": tuple(data.get("shape", ())), "values": values})


@dataclass(frozen=True)
class StateColumn:
    """A named part of a state: an entry of ``state_columns()``."""

    name: str
    #: Bytes from the start of the state.
    offset: int
    #: ``uint8``, ``uint16``, ``uint32`` or ``uint64``.
    dtype: str
    shape: tuple[int, ...]
    #: Bytes from an element to the next along each axis.
    strides: tuple[int, ...]
    meaning: str
    #: Tables that name its numbers. The largest number of the type means none.
    values: Values = field(default_factory=Values)


@dataclass(frozen=True)
class ObservationField:
    """A named part of the observation."""

    name: str
    #: Index of the first element in the flattened observation.
    offset: int
    shape: tuple[int, ...]
    #: Elements to skip along each axis; fields of channel-last images are not contiguous.
    strides: tuple[int, ...]
    meaning: str
    #: Largest value of a byte; the smallest is 0.
    high: int
    #: Factor from bytes to float32 observations.
    scale: float
    #: Tables that name its indices, numbers and bits.
    values: Values = field(default_factory=Values)

    @property
    def indices(self) -> npt.NDArray[np.int64]:
        """Indices into the flattened observation, in the shape of the field, for arrays of any library."""
        at = np.full(self.shape, self.offset, dtype=np.int64)
        for axis, (size, stride) in enumerate(zip(self.shape, self.strides)):
            steps = np.arange(size, dtype=np.int64) * stride
            at += steps.reshape((-1,) + (1,) * (len(self.shape) - axis - 1))
        return at

    def view(self, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The field in flattened observations ``[..., L]``: a view ``[..., *shape]``."""
        if self.offset + sum((n - 1) * s for n, s in zip(self.shape, self.strides)) >= observations.shape[-1]:
            raise config_error(f"field {self.name}: rows of {observations.shape[-1]} elements are too short")
        item = observations.strides[-1]
        return np.lib.stride_tricks.as_strided(
            observations[..., self.offset :],
            shape=observations.shape[:-1] + self.shape,
            strides=observations.strides[:-1] + tuple(s * item for s in self.strides),
        )


@dataclass(frozen=True)
class PackedField:
    """Layout of a field in packed observations."""

    #: Name of the observation field.
    name: str
    #: First bit of its first element; bit ``i`` of a row is bit ``i % 8`` of byte ``i // 8``.
    offset: int
    #: Bits of an element, 1 to 8.
    bits: int
    #: Shape of the observation field.
    shape: tuple[int, ...]
    #: Bits to skip along each axis; 0 along axes with a single shared value.
    strides: tuple[int, ...]


@dataclass(frozen=True)
class PackedLayout:
    """Layout of packed observations."""

    #: Bytes of a row, a multiple of 8.
    row_bytes: int
    #: The fields in row order.
    fields: tuple[PackedField, ...]


@dataclass(frozen=True)
class Symmetry:
    """A symmetry of the rules, for data augmentation."""

    name: str
    #: uint32 [L]: element ``i`` of the transformed observation is element ``observation[i]`` of the original.
    observation: npt.NDArray[np.uint32]
    #: uint32 [A]: action ``a`` of the original is action ``action[a]`` of the transformed position.
    action: npt.NDArray[np.uint32]


@dataclass(frozen=True)
class Spec:
    """Description of an environment under one set of options."""

    env: EnvId
    #: In CamelCase, as in Gymnasium ids.
    name: str
    #: Raised by every change of rules, indices or layout.
    version: int
    summary: str
    options: dict[str, Any]
    #: All options of the environment: name, help, allowed values, default.
    option_list: list[dict[str, Any]]
    players: int
    num_actions: int
    actions: tuple[ActionFamily, ...]
    observation_shape: tuple[int, ...]
    observation: tuple[ObservationField, ...]
    #: The quantity that ``reward="score"`` pays.
    score: str
    #: Minimum and maximum reward of a player in one step under these options.
    reward_range: tuple[float, float]
    #: ``"ranks"``; or, if the outcome is the score in its range, ``"common"`` (the same for all players) or
    #: ``"general"``.
    payoff: str
    max_episode_steps: int
    hidden_information: bool
    #: The observation field that is not 0 within phases of simultaneous decisions; ``""`` without them.
    simultaneous: str
    state_bytes: int
    #: The columns of :meth:`VectorEnv.state_columns`.
    state: tuple[StateColumn, ...]
    #: Tables of names by table name: entry ``i`` of a table names the number ``i``.
    values: dict[str, tuple[str, ...]]
    #: Layout of observations with ``obs="packed"``, for :func:`ludovec.unpack`.
    packed: PackedLayout
    #: The bots of the environment, each with a description.
    bots: dict[str, str]

    @classmethod
    def from_json(cls, text: str) -> Spec:
        """Parses the output of ``ludovec spec``.

        Raises:
            InvalidState: The text is not a spec.
        """
        try:
            return cls._of(json_text.parse(text))
        except (KeyError, TypeError) as error:
            raise state_error(f"not a spec: {error!r}") from error

    @classmethod
    def _of(cls, data: Any) -> Spec:
        usual = {"payoff": {"type": "ranks"}, "simultaneous": ""}
        known = {name: {**usual, **data}[name] for name in cls.__dataclass_fields__}
        known["payoff"] = known["payoff"]["type"]
        known["actions"] = tuple(ActionFamily._of(family) for family in data["actions"])
        known["observation"] = tuple(ObservationField(**_named(part)) for part in data["observation"])
        known["state"] = tuple(StateColumn(**_named(column)) for column in data["state"])
        known["values"] = {name: tuple(names) for name, names in data["values"].items()}
        packed = tuple(PackedField(**_tuples(part)) for part in data["packed"]["fields"])
        known["packed"] = PackedLayout(data["packed"]["row_bytes"], packed)
        for name in ("observation_shape", "reward_range"):
            known[name] = tuple(data[name])
        known["bots"] = {bot["name"]: bot["help"] for bot in data["bots"]}
        return cls(**known)

    @cached_property
    def scales(self) -> npt.NDArray[np.float32]:
        """float32 [L]: factor from each byte of a flattened observation to float32 observations."""
        scales = np.zeros(self.observation_len, dtype=np.float32)
        for part in self.observation:
            scales[part.indices] = part.scale
        return scales

    @property
    def observation_len(self) -> int:
        """Number of elements of an observation."""
        return int(np.prod(self.observation_shape))

    def continues_phase(self, observations: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
        """bool [...]: whether flattened observations [..., L] are within a phase of simultaneous
        decisions."""
        observations = np.asarray(observations)
        if observations.ndim == 0 or observations.shape[-1] != self.observation_len:
            raise config_error(
                f"observations: rows of {self.observation_len} elements are needed, "
                f"the shape {list(observations.shape)} was given"
            )
        fields = [part for part in self.observation if part.name == self.simultaneous]
        sealed = np.zeros(observations.shape[:-1], np.bool_)
        for part in fields:
            sealed |= observations[..., part.indices.ravel()].any(axis=-1)
        return sealed

    def family(self, action: int) -> ActionFamily:
        """The action family of an action index."""
        number = checks.index("action", action)
        for family in self.actions:
            if family.offset <= number < family.offset + family.count:
                return family
        raise illegal_action(f"action {number}: actions are 0 to {self.num_actions - 1}")


def _tuples(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "shape": tuple(field["shape"]), "strides": tuple(field["strides"])}


def _named(part: dict[str, Any]) -> dict[str, Any]:
    return {**_tuples(part), "values": Values._of(part.get("values", {}))}


def list_envs() -> list[EnvId]:
    """The ids of all environments, with those of installed packages."""
    from .rules.registration import search_all

    search_all()
    return cast("list[EnvId]", [id for id, _, _ in _core.list_envs()])


def spec(id: EnvId, **options: Unpack[Options]) -> Spec:
    """The spec of an environment under the given options."""
    return Spec.from_json(_core.spec_json(checks.word("id", id), {**options}))


class HasSpec(Protocol):
    """An object with a spec: a batch, one seat of a batch, blocks."""

    game_spec: Spec


def spec_of_games(env: Any, options: dict[str, Any]) -> Spec | None:
    """The spec of ``env``, which is games or a spec; ``None`` for an id or None.

    Raises:
        InvalidConfig: ``options`` are given although the games have a spec.
    """
    found: Spec | None = env if isinstance(env, Spec) else getattr(env, "game_spec", None)
    if found is not None and options:
        raise config_error(f"{', '.join(options)}: options are not allowed beside games")
    return found


def bots(id: EnvId, **options: Unpack[Options]) -> dict[str, str]:
    """The bots of an environment, each with a description."""
    return spec(id, **options).bots


def symmetries(id: EnvId, **options: Unpack[Options]) -> list[Symmetry]:
    """The symmetries of the rules, the identity first; empty if there are none."""
    return [Symmetry(*s) for s in _core.symmetries(checks.word("id", id), {**options})]
