"""Combos of a race with a power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from .._shared import checks
from .._shared.errors import illegal_action
from .enums import PowerName, RaceName


@dataclass(frozen=True)
class Combo:
    """A race with a power in the combo row."""

    race: RaceName
    power: PowerName
    total_tokens: int
    coins: int
    """Coins for the player that picks it."""


@dataclass(frozen=True)
class ComboRow(Sequence[Combo]):
    """The combos to choose from, as a list. A pick costs a coin for each combo above it."""

    visible: tuple[Combo, ...]
    """The combos; the first is free."""
    _net_coins: tuple[int, ...]

    def pick(self, index: int, player_coins: int) -> tuple[Combo, int]:
        """A combo, and the change of coins by picking it. The row stays as it is; games are changed by
        :meth:`SmallWorldGame.submit_action`.

        Raises:
            IllegalAction: There is no such combo, or the coins do not suffice.
        """
        place, coins = checks.index("index", index), checks.index("player_coins", player_coins)
        if not 0 <= place < len(self.visible):
            raise illegal_action(f"combo {place}: 0 to {len(self.visible) - 1} exist")
        combo, net = self.visible[place], self._net_coins[place]
        if (price := combo.coins - net) > coins:
            raise illegal_action(f"combo {place} costs {price} coins, the player has {coins}")
        return combo, net

    @overload
    def __getitem__(self, index: int) -> Combo: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Combo]: ...
    def __getitem__(self, index: int | slice) -> Combo | Sequence[Combo]:
        return self.visible[index]

    def __len__(self) -> int:
        return len(self.visible)

    def __iter__(self) -> Iterator[Combo]:
        return iter(self.visible)
