//! The observation: two codes a cell, then the scalars. `fields` is the reference for offsets and meanings.

use serde_json::{Value, json};

use super::map::Cell;
use super::rules::{Rules, Structure};
use super::state::View;
use crate::engine::{ObservationField, ObservationLayout};

/// Bits of an owner code: 0 for nobody, then up to 8 seats.
const OWNER_BITS: usize = 4;
/// Bits of a structure code.
const STRUCTURE_BITS: usize = 2;

pub(super) fn fields(rules: &Rules) -> Vec<ObservationField> {
    let (map, players) = (&rules.map, rules.players);
    let grid = [map.height, map.width];
    let mut layout = ObservationLayout::default();
    layout.push(
        "owner",
        &grid,
        players as u8,
        "who owns the cell: 0 nobody, 1 the viewer, 2 the seat after the viewer and so on around the table",
    );
    layout.push("structure", &grid, 3, "what stands on the cell: 0 land, 1 farm, 2 fort, 3 castle");
    layout.push(
        "resources",
        &[players, 4],
        255,
        "each seat's resources as a number of base 256, least digit first; the viewer first",
    );
    layout.push("wealth", &[players], 255, "each seat's resources, at most 255; the viewer first");
    layout.push("alive", &[players], 1, "whether each seat is not eliminated; the viewer first");
    layout.push("waiting", &[players], 1, "whether each seat has yet to act this turn; the viewer first");
    layout.push("acting", &[players], 1, "whether each seat is the one to move; the viewer first");
    layout.push("turn", &[2], 255, "the turn, counted from 1, in base 256, least digit first");
    layout.into_fields()
}

impl View<'_> {
    /// Overwrites `out` with what `seat` sees.
    pub(super) fn observe(self, seat: usize, out: &mut [u8]) {
        let cells = self.rules.map.cells();
        let (owners, rest) = out.split_at_mut(cells);
        let (structures, scalars) = rest.split_at_mut(cells);
        self.write_owners(seat, owners);
        self.write_structures(structures);
        self.write_scalars(seat, scalars);
    }

    fn write_owners(self, seat: usize, out: &mut [u8]) {
        // The seats by code: element 0 is whose code is 1.
        let by_code: [&[u64]; 8] = std::array::from_fn(|i| {
            if i < self.rules.players { self.owned((seat + i) % self.rules.players) } else { &[] }
        });
        let by_code = &by_code[..self.rules.players];
        write_codes(out, |word| {
            let mut bits = [0; OWNER_BITS];
            for (i, owned) in by_code.iter().enumerate() {
                for (bit, plane) in bits.iter_mut().enumerate() {
                    if (i + 1) >> bit & 1 == 1 {
                        *plane |= owned[word];
                    }
                }
            }
            bits
        });
    }

    fn write_structures(self, out: &mut [u8]) {
        let [farms, forts, castles] = Structure::BUILDABLE.map(|s| self.built(s));
        write_codes::<STRUCTURE_BITS>(out, |word| [farms[word] | castles[word], forts[word] | castles[word]]);
    }

    fn write_scalars(self, seat: usize, out: &mut [u8]) {
        let (players, ledger) = (self.rules.players, self.ledger);
        let (resources, rest) = out.split_at_mut(4 * players);
        let (wealth, rest) = rest.split_at_mut(players);
        let (alive, rest) = rest.split_at_mut(players);
        let (waiting, rest) = rest.split_at_mut(players);
        let (acting, turn) = rest.split_at_mut(players);
        for i in 0..players {
            let other = (seat + i) % players;
            let purse = ledger.resources[other];
            resources[4 * i..4 * i + 4].copy_from_slice(&purse.to_le_bytes());
            wealth[i] = purse.min(255) as u8;
            alive[i] = self.is_alive(other).into();
            waiting[i] = (ledger.waiting >> other & 1) as u8;
            acting[i] = (!self.is_over() && self.current() == other).into();
        }
        turn.copy_from_slice(&(ledger.turn as u16).to_le_bytes());
    }

    /// The seed's three arguments of a scripted bot's turn, and what else everyone sees.
    pub(super) fn observation_to_json(self, seat: usize) -> Value {
        let map = &self.rules.map;
        let owner_name = |owner: usize| {
            if owner == seat { "mine".to_string() } else { seat_name(owner) }
        };
        let world: serde_json::Map<String, Value> = (0..map.cells() as u16)
            .map(|c| {
                let at = map.coordinates(Cell(c));
                let terrain = json!({
                    "owner": self.owner(Cell(c)).map(owner_name),
                    "structure": self.structure(Cell(c)),
                });
                (format!("{},{}", at.0, at.1), terrain)
            })
            .collect();
        json!({
            "map_size": [map.width, map.height],
            "my_resources": self.ledger.resources[seat],
            "world": world,
            "turn": self.ledger.turn,
            "max_turns": self.rules.max_turns,
            "tiles_per_castle": self.rules.tiles_per_castle,
            "alive": self.alive().map(owner_name).collect::<Vec<_>>(),
        })
    }
}

/// How a seat is called in worlds, journals and pictures.
pub(super) fn seat_name(seat: usize) -> String {
    format!("player_{seat}")
}

/// Writes a code of `BITS` bits for each cell; `bits(word)` are the planes of the code's bits, least first.
fn write_codes<const BITS: usize>(out: &mut [u8], mut bits: impl FnMut(usize) -> [u64; BITS]) {
    let mut chunks = out.chunks_exact_mut(64);
    let mut word = 0;
    for chunk in &mut chunks {
        let planes = bits(word);
        let (low, high) = chunk.split_at_mut(32);
        low.copy_from_slice(&codes(planes.map(|p| p as u32)));
        high.copy_from_slice(&codes(planes.map(|p| (p >> 32) as u32)));
        word += 1;
    }
    let tail = chunks.into_remainder();
    if !tail.is_empty() {
        let planes = bits(word);
        let low = codes(planes.map(|p| p as u32));
        let high = codes(planes.map(|p| (p >> 32) as u32));
        let middle = tail.len().min(32);
        tail[..middle].copy_from_slice(&low[..middle]);
        let rest = tail.len() - middle;
        tail[middle..].copy_from_slice(&high[..rest]);
    }
}

/// Byte `i` is the number whose bit `b` is bit `i` of `planes[b]`.
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
fn codes<const BITS: usize>(planes: [u32; BITS]) -> [u8; 32] {
    std::array::from_fn(|i| {
        planes.iter().enumerate().fold(0, |code, (bit, plane)| code | ((plane >> i & 1) as u8) << bit)
    })
}

/// Byte `i` is the number whose bit `b` is bit `i` of `planes[b]`.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline]
fn codes<const BITS: usize>(planes: [u32; BITS]) -> [u8; 32] {
    use core::arch::x86_64::*;
    // Safety: the build enables avx2, so every machine that runs it has these instructions.
    #[allow(unused_unsafe, reason = "safe since the intrinsics became safe under their target feature")]
    unsafe {
        // Each byte of the word eight times, then of each copy its own bit.
        let spread = _mm256_setr_epi8(
            0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3,
        );
        let own_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
        let mut code = _mm256_setzero_si256();
        for &plane in planes.iter().rev() {
            let copies = _mm256_shuffle_epi8(_mm256_set1_epi32(plane as i32), spread);
            let set = _mm256_cmpeq_epi8(_mm256_and_si256(copies, own_bit), own_bit);
            // A set lane is -1: doubling and subtracting appends the bit.
            code = _mm256_sub_epi8(_mm256_add_epi8(code, code), set);
        }
        bytemuck::cast(code)
    }
}
