//! One game in progress: a plain value, and the views that the rules work on.

use bytemuck::{Pod, Zeroable};

use super::map::Cell;
use super::ruleset::{Ruleset, Structure};
use ludovec_engine::MAX_PLAYERS;

/// All of the state except the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Ledger {
    /// The resources of each seat.
    pub(crate) resources: [u32; MAX_PLAYERS],
    /// The turn at the end of which each seat was eliminated; 0 while it is alive.
    pub(crate) eliminated: [u16; MAX_PLAYERS],
    /// The current turn, counted from 1.
    pub(crate) turn: u32,
    /// The current player's seat; 0 if the game is over.
    pub(crate) current: u16,
    /// Bit set of the seats that have not acted this turn, including the current player; 0 if the game is over.
    pub(crate) waiting: u16,
}

/// One game: a bit plane for each owner and structure, and the ledger.
///
/// `N` is the size class: the number of words for the planes. A game uses the first `Map::words_of(players + 3)` of
/// them, the rest are 0. The planes are the owners by seat, then farms, forts and castles; land is a cell without
/// any of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct State<const N: usize> {
    pub(crate) planes: [u64; N],
    pub(crate) ledger: Ledger,
}

impl<const N: usize> State<N> {
    const HAS_NO_PADDING: () = assert!(size_of::<Self>() == N * 8 + size_of::<Ledger>());

    pub(crate) fn empty() -> Self {
        const { Self::HAS_NO_PADDING };
        Self::zeroed()
    }

    pub(crate) fn with<'a>(&'a self, rules: &'a Ruleset) -> StateRef<'a> {
        StateRef { rules, ledger: &self.ledger, planes: &self.planes[..rules.state_words()] }
    }

    pub(crate) fn with_mut<'a>(&'a mut self, rules: &'a Ruleset) -> StateMut<'a> {
        let planes = &mut self.planes[..rules.state_words()];
        StateMut { rules, ledger: &mut self.ledger, planes }
    }
}

// Safety: both fields are valid when all bytes are zero.
unsafe impl<const N: usize> Zeroable for State<N> {}
// Safety: both fields are Pod, `repr(C)` lays them out in order, and HAS_NO_PADDING, evaluated for every
// constructed state, checks that there is no padding between or after them. (The derive does not support const
// generics.)
unsafe impl<const N: usize> Pod for State<N> {}

impl Ruleset {
    /// Words for the planes of one game.
    pub(crate) fn state_words(&self) -> usize {
        self.map.words_of(self.players + Structure::BUILDABLE.len())
    }

    /// Index of a structure's plane; land has none.
    fn plane_of(&self, structure: Structure) -> usize {
        debug_assert_ne!(structure, Structure::Land);
        self.players + structure as usize - 1
    }
}

/// A read-only position of any size class.
#[derive(Clone, Copy)]
pub(crate) struct StateRef<'a> {
    pub(crate) rules: &'a Ruleset,
    pub(crate) ledger: &'a Ledger,
    planes: &'a [u64],
}

impl<'a> StateRef<'a> {
    /// The cells of `seat` with a guard word on either side.
    pub(crate) fn owned_framed(self, seat: usize) -> &'a [u64] {
        &self.planes[self.rules.map.framed(seat)]
    }
    /// The cells with `structure` (not land) with a guard word on either side.
    pub(crate) fn built_framed(self, structure: Structure) -> &'a [u64] {
        &self.planes[self.rules.map.framed(self.rules.plane_of(structure))]
    }
    /// The cells of `seat`.
    pub(crate) fn owned(self, seat: usize) -> &'a [u64] {
        &self.owned_framed(seat)[1..=self.rules.map.words]
    }
    /// The cells with `structure` (not land).
    pub(crate) fn built(self, structure: Structure) -> &'a [u64] {
        &self.built_framed(structure)[1..=self.rules.map.words]
    }
    /// All planes with their guards.
    pub(crate) fn planes(self) -> &'a [u64] {
        self.planes
    }

    /// The owner of `cell`.
    pub(crate) fn owner(self, cell: Cell) -> Option<usize> {
        (0..self.rules.players).find(|&seat| contains(self.owned(seat), cell))
    }
    /// The structure on `cell`.
    pub(crate) fn structure(self, cell: Cell) -> Structure {
        let built = |s: &Structure| contains(self.built(*s), cell);
        Structure::BUILDABLE.into_iter().find(built).unwrap_or(Structure::Land)
    }
    /// The number of cells of `seat`.
    pub(crate) fn tiles(self, seat: usize) -> u32 {
        self.owned(seat).iter().map(|w| w.count_ones()).sum()
    }
    /// The number of structures of one kind (not land) of `seat`.
    pub(crate) fn count(self, seat: usize, structure: Structure) -> u32 {
        self.owned(seat).iter().zip(self.built(structure)).map(|(a, b)| (a & b).count_ones()).sum()
    }
    /// The current player's seat.
    pub(crate) fn current(self) -> usize {
        usize::from(self.ledger.current)
    }
    pub(crate) fn is_over(self) -> bool {
        self.ledger.waiting == 0
    }
    pub(crate) fn is_alive(self, seat: usize) -> bool {
        self.ledger.eliminated[seat] == 0
    }
    /// The seats that have not been eliminated.
    pub(crate) fn alive(self) -> impl Iterator<Item = usize> + 'a {
        (0..self.rules.players).filter(move |&seat| self.is_alive(seat))
    }
}

/// A mutable position of any size class.
pub(crate) struct StateMut<'a> {
    pub(crate) rules: &'a Ruleset,
    pub(crate) ledger: &'a mut Ledger,
    planes: &'a mut [u64],
}

impl StateMut<'_> {
    pub(crate) fn read(&self) -> StateRef<'_> {
        StateRef { rules: self.rules, ledger: self.ledger, planes: self.planes }
    }

    /// Turns `cell` into a `structure` of `seat`, regardless of its former contents.
    pub(crate) fn put(&mut self, cell: Cell, seat: usize, structure: Structure) {
        let map = &self.rules.map;
        let (word, bit) = (cell.index() / 64, 1 << (cell.index() % 64));
        for plane in self.planes.chunks_exact_mut(map.stride()) {
            plane[1 + word] &= !bit;
        }
        self.planes[map.framed(seat).start + 1 + word] |= bit;
        if structure != Structure::Land {
            self.planes[map.framed(self.rules.plane_of(structure)).start + 1 + word] |= bit;
        }
    }
}

/// Whether the plane, given by its words without guards, has `cell`.
pub(crate) fn contains(words: &[u64], cell: Cell) -> bool {
    words[cell.index() / 64] >> (cell.index() % 64) & 1 == 1
}
