"""Maps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .._shared import checks
from .._shared.errors import config_error
from .enums import FEATURES, TERRAINS, Feature, Terrain


def _check_word(what: str, word: str, known: tuple[str, ...]) -> None:
    if not isinstance(word, str) or word not in known:
        raise config_error(f"{what}={word!r:.100}: one of {', '.join(known)} is allowed")


@dataclass(frozen=True)
class Region:
    """A region of a map."""

    id: int
    terrain: Terrain
    features: frozenset[Feature]
    adjacent: tuple[int, ...]
    """Ids of the adjacent regions."""

    @property
    def is_border(self) -> bool:
        """True if a race without regions may enter here."""
        return Feature.BORDER in self.features

    @property
    def is_coastal(self) -> bool:
        """True for land next to a sea or lake."""
        return Feature.COASTAL in self.features

    @property
    def has_mine(self) -> bool:
        """True if it has a mine."""
        return Feature.MINE in self.features

    @property
    def has_magic_source(self) -> bool:
        """True if it has a magic source."""
        return Feature.MAGIC_SOURCE in self.features

    @property
    def has_cavern(self) -> bool:
        """True if it has a cavern."""
        return Feature.CAVERN in self.features

    @property
    def is_water(self) -> bool:
        """True for a sea or a lake."""
        return self.terrain in (Terrain.SEA, Terrain.LAKE)

    @property
    def is_land(self) -> bool:
        """True for all other terrains."""
        return not self.is_water


class MapGraph:
    """A map: regions and their adjacency."""

    def __init__(self, regions: Iterable[Region]) -> None:
        #: By id.
        self.regions: tuple[Region, ...] = tuple(regions)

    def get_region(self, id: int) -> Region:
        """A region by id.

        Raises:
            InvalidConfig: There is no such region.
        """
        number = checks.index("region", id)
        if not 0 <= number < len(self.regions):
            raise config_error(f"region {number}: 0 to {len(self.regions) - 1} exist")
        return self.regions[number]

    def neighbors(self, id: int) -> frozenset[int]:
        """Ids of the adjacent regions."""
        return frozenset(self.get_region(id).adjacent)

    def border_regions(self) -> list[int]:
        """Regions that a race without regions may enter."""
        return self.regions_with_feature(Feature.BORDER)

    def coastal_regions(self) -> list[int]:
        """Land next to seas and lakes."""
        return self.regions_with_feature(Feature.COASTAL)

    def cavern_regions(self) -> list[int]:
        """Regions with caverns."""
        return self.regions_with_feature(Feature.CAVERN)

    def land_regions(self) -> list[int]:
        """All regions except seas and lakes."""
        return [region.id for region in self.regions if region.is_land]

    def water_regions(self) -> list[int]:
        """Seas and lakes."""
        return [region.id for region in self.regions if region.is_water]

    def regions_by_terrain(self, terrain: str) -> list[int]:
        """Regions with a terrain, a :class:`Terrain` or its name."""
        _check_word("terrain", terrain, TERRAINS)
        return [region.id for region in self.regions if region.terrain == terrain]

    def regions_with_feature(self, feature: str) -> list[int]:
        """Regions with a feature, a :class:`Feature` or its name."""
        _check_word("feature", feature, FEATURES)
        return [region.id for region in self.regions if feature in region.features]

    def __len__(self) -> int:
        return len(self.regions)
