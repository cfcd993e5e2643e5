"""What an environment looks like, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from . import _arguments, _core, _json
from ._errors import config_error, illegal_action, state_error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .typing import EnvId, Options


@dataclass(frozen=True)
class Values:
    """Which tables of :attr:`Spec.values` name what; each is the name of a table."""

    #: The names of the indices along each axis; None along axes that only count.
    axes: tuple[str | None, ...] = ()
    #: The names of the numbers that an element takes.
    element: str | None = None
    #: The names of the numbers of some elements, by their name along the last axis that has names.
    elements: dict[str, str] = field(default_factory=dict, hash=False)
    #: The names of the bits of an element, lowest first. Where ``axes`` has fewer entries than there are axes, the elements
    #: along the last axis form one long number, lowest bits first.
    bits: str | None = None

    @classmethod
    def _of(cls, data: Any) -> Values:
        return cls(**{**data, "axes": tuple(data.get("axes", ()))})


@dataclass(frozen=True)
class ActionFamily:
    """A run of action indices with one meaning."""

    name: str
    offset: int
    count: int
    meaning: str
    #: Where the indices are a grid: its shape, row-major.
    shape: tuple[int, ...] = ()
    #: The names along the axes of the shape, or of the indices themselves.
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
    #: The names of its numbers. The largest number of the type stands for none.
    values: Values = field(default_factory=Values)


@dataclass(frozen=True)
class ObservationField:
    """A named part of the observation."""

    name: str
    #: Index of its first element in the flattened observation.
    offset: int
    shape: tuple[int, ...]
    #: Elements to skip along each axis; fields of channel-last images are not contiguous.
    strides: tuple[int, ...]
    meaning: str
    #: Largest byte an element takes; the smallest is 0.
    high: int
    #: What a byte is multiplied by in float32 observations.
    scale: float
    #: The names of its indices, numbers and bits.
    values: Values = field(default_factory=Values)

    @property
    def indices(self) -> npt.NDArray[np.int64]:
        """Positions in the flattened observation, shaped like the field; indexes arrays of any library."""
        at = np.full(self.shape, self.offset, dtype=np.int64)
        for axis, (size, stride) in enumerate(zip(self.shape, self.strides)):
            steps = np.arange(size, dtype=np.int64) * stride
            at += steps.reshape((-1,) + (1,) * (len(self.shape) - axis - 1))
        return at

    def view(self, observations: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The field in a batch of flattened observations ``[..., L]``: a view ``[..., *shape]``."""
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
    """Where a field lies in packed observations."""

    #: That of the observation field.
    name: str
    #: First bit of its first element; bit ``i`` of a row is bit ``i % 8`` of byte ``i // 8``.
    offset: int
    #: Bits of an element, 1 to 8.
    bits: int
    #: That of the observation field.
    shape: tuple[int, ...]
    #: Bits to skip along each axis; 0 along axes on which all elements are one.
    strides: tuple[int, ...]


@dataclass(frozen=True)
class PackedLayout:
    """Where everything lies in packed observations."""

    #: Bytes of a row, a multiple of 8.
    row_bytes: int
    #: The fields by their place in the row.
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
    """Everything a caller needs to know about an environment under one set of options."""

    env: EnvId
    #: In CamelCase, as in Gymnasium ids.
    name: str
    #: Changes with any change of rules, indices or layout.
    version: int
    summary: str
    options: dict[str, Any]
    #: All options the environment takes: name, help, what is allowed, default.
    option_list: list[dict[str, Any]]
    players: int
    num_actions: int
    actions: tuple[ActionFamily, ...]
    observation_shape: tuple[int, ...]
    observation: tuple[ObservationField, ...]
    #: What ``reward="score"`` counts.
    score: str
    #: Least and greatest reward that a step can pay a seat under these options.
    reward_range: tuple[float, float]
    max_episode_steps: int
    hidden_information: bool
    state_bytes: int
    #: What :meth:`VectorEnv.state_columns` shows.
    state: tuple[StateColumn, ...]
    #: The names of numbers, by table: entry ``i`` names the number ``i``.
    values: dict[str, tuple[str, ...]]
    #: Where everything lies in observations of ``obs="packed"``; :func:`ludovec.unpack` reads them.
    packed: PackedLayout
    #: The bots that can take a seat, each with a description.
    bots: dict[str, str]

    @classmethod
    def from_json(cls, text: str) -> Spec:
        """Reads what ``ludovec spec`` prints.

        Raises:
            InvalidState: It is none of a spec.
        """
        try:
            return cls._of(_json.parse(text))
        except (KeyError, TypeError) as error:
            raise state_error(f"no spec: {error!r}") from error

    @classmethod
    def _of(cls, data: Any) -> Spec:
        known = {name: data[name] for name in cls.__dataclass_fields__}
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
        """float32 [L]: what each byte of a flattened observation is multiplied by in float32 observations."""
        scales = np.zeros(self.observation_len, dtype=np.float32)
        for field in self.observation:
            scales[field.indices] = field.scale
        return scales

    @property
    def observation_len(self) -> int:
        """Elements of one observation."""
        return int(np.prod(self.observation_shape))

    def family(self, action: int) -> ActionFamily:
        """The family that an action index belongs to."""
        number = _arguments.index("action", action)
        for family in self.actions:
            if family.offset <= number < family.offset + family.count:
                return family
        raise illegal_action(f"action {number}: actions are 0 to {self.num_actions - 1}")


def _tuples(field: dict[str, Any]) -> dict[str, Any]:
    return {**field, "shape": tuple(field["shape"]), "strides": tuple(field["strides"])}


def _named(part: dict[str, Any]) -> dict[str, Any]:
    return {**_tuples(part), "values": Values._of(part.get("values", {}))}


def list_envs() -> list[EnvId]:
    """The ids of all environments."""
    return cast("list[EnvId]", [id for id, _, _ in _core.list_envs()])


def spec(id: EnvId, **options: Unpack[Options]) -> Spec:
    """The spec of an environment under some options."""
    return Spec.from_json(_core.spec_json(_arguments.word("id", id), {**options}))


class HasSpec(Protocol):
    """Games that know their spec: a batch, a learner's seat in one, blocks of one."""

    game_spec: Spec


def spec_of_games(env: Any, options: dict[str, Any]) -> Spec | None:
    """The spec of games, or the one that is given in their place; ``None`` where ``env`` is an id, or none.

    Raises:
        InvalidConfig: There are ``options`` beside it.
    """
    found: Spec | None = env if isinstance(env, Spec) else getattr(env, "game_spec", None)
    if found is not None and options:
        raise config_error(f"{', '.join(options)}: the games say which options there are")
    return found


def bots(id: EnvId, **options: Unpack[Options]) -> dict[str, str]:
    """The bots that can take a seat, each with a description."""
    return spec(id, **options).bots


def symmetries(id: EnvId, **options: Unpack[Options]) -> list[Symmetry]:
    """The symmetries of the rules, the identity first; empty when there are none."""
    return [Symmetry(*s) for s in _core.symmetries(_arguments.word("id", id), {**options})]
