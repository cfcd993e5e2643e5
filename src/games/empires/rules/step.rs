//! Setting a game up and playing actions.

use super::map::{Cell, cells_of};
use super::ruleset::{DEFENDED_COST, HARVEST_YIELD, Structure};
use super::state::{StateMut, StateRef};
use crate::actions::Action;
use ludovec_engine::chance::Chance;

impl StateRef<'_> {
    /// The cost of conquering `cell` for a seat that does not own it.
    pub(crate) fn conquest_cost(self, cell: Cell) -> u32 {
        if self.is_defended(cell) { DEFENDED_COST } else { self.structure(cell).conquer_cost() }
    }

    /// Whether `cell` is land or a farm beside a fort or castle of its owner.
    pub(crate) fn is_defended(self, cell: Cell) -> bool {
        let Some(owner) = self.owner(cell) else { return false };
        !self.structure(cell).defends()
            && self
                .rules
                .map
                .beside(cell)
                .any(|near| self.structure(near).defends() && self.owner(near) == Some(owner))
    }

    /// The yield of a harvest of `seat`.
    pub(crate) fn harvest_yield(self, seat: usize) -> u32 {
        let producing = self.built(Structure::Farm).iter().zip(self.built(Structure::Castle));
        let own = self.owned(seat).iter().zip(producing);
        HARVEST_YIELD * own.map(|(own, (farm, castle))| (own & (farm | castle)).count_ones()).sum::<u32>()
    }
}

impl StateMut<'_> {
    /// Places the castles and starts the first turn; the state must be all zero.
    pub(crate) fn set_up<C: Chance + ?Sized>(&mut self, chance: &mut C) {
        for seat in 0..self.rules.players {
            let cell = match &self.rules.castles {
                Some(cells) => cells[seat],
                None => self.draw_free_cell(seat, chance),
            };
            self.put(cell, seat, Structure::Castle);
        }
        self.begin_turn(1, chance);
    }

    /// A random cell without a castle, after the first `taken` seats have their castles.
    fn draw_free_cell<C: Chance + ?Sized>(&self, taken: usize, chance: &mut C) -> Cell {
        let index = chance.uniform((self.rules.map.cells() - taken) as u32) as u16;
        let mut cell = Cell(index);
        for castle in cells_of(self.read().built(Structure::Castle)) {
            if castle <= cell {
                cell.0 += 1;
            }
        }
        cell
    }

    /// Plays a legal action of the current player.
    pub(crate) fn play<C: Chance + ?Sized>(&mut self, action: Action, chance: &mut C) {
        let seat = self.read().current();
        let purse = &mut self.ledger.resources[seat];
        match action {
            Action::Conquer(cell) => {
                self.ledger.resources[seat] -= self.read().conquest_cost(cell);
                self.put(cell, seat, Structure::Land);
            }
            Action::Build(structure, cell) => {
                *purse -= structure.build_cost();
                self.put(cell, seat, structure);
            }
            Action::Harvest => {
                let amount = self.read().harvest_yield(seat);
                let purse = &mut self.ledger.resources[seat];
                // Saturating, because an external position may hold almost `u32::MAX` resources.
                *purse = purse.saturating_add(amount);
            }
            Action::Pass => {}
        }
        self.ledger.waiting &= !(1 << seat);
        if self.ledger.waiting == 0 {
            self.end_turn(chance);
        } else {
            self.draw_next(chance);
        }
    }

    /// Eliminates the seats without castles, then ends the game or starts the next turn.
    fn end_turn<C: Chance + ?Sized>(&mut self, chance: &mut C) {
        for seat in 0..self.rules.players {
            let position = self.read();
            let has_castle = || {
                position
                    .owned(seat)
                    .iter()
                    .zip(position.built(Structure::Castle))
                    .any(|(own, c)| own & c != 0)
            };
            if position.is_alive(seat) && !has_castle() {
                self.ledger.eliminated[seat] = self.ledger.turn as u16;
            }
        }
        self.begin_turn(self.ledger.turn + 1, chance);
    }

    /// Lets all living seats act in `turn`, unless the game is over.
    fn begin_turn<C: Chance + ?Sized>(&mut self, turn: u32, chance: &mut C) {
        let alive = self.read().alive().fold(0, |set, seat| set | 1 << seat);
        self.ledger.turn = turn;
        if turn < self.rules.max_turns && u16::count_ones(alive) > 1 {
            self.ledger.waiting = alive;
            self.draw_next(chance);
        } else {
            self.ledger.waiting = 0;
            self.ledger.current = 0;
        }
    }

    /// Draws the next seat from the seats that have not acted. The draws of a turn together are a uniform shuffle
    /// of the seats. They are drawn one by one so that a state holds no part of the order that players have not yet
    /// seen.
    fn draw_next<C: Chance + ?Sized>(&mut self, chance: &mut C) {
        let waiting = self.ledger.waiting;
        let index = match waiting.count_ones() {
            1 => 0,
            n => chance.uniform(n),
        };
        let mut rest = waiting;
        for _ in 0..index {
            rest &= rest - 1;
        }
        self.ledger.current = rest.trailing_zeros() as u16;
    }
}
