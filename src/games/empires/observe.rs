//! The observation: two codes per cell, then the scalars. `fields` is the reference for offsets and meanings.

use serde_json::{Value, json};

use crate::rules::map::Cell;
use crate::rules::ruleset::{Ruleset, Structure};
use crate::rules::state::StateRef;
use ludovec_engine::multiversion;
use ludovec_engine::{ObservationField, ObservationLayout, Row, Values, spread};

pub(super) fn fields(rules: &Ruleset) -> Vec<ObservationField> {
    let (map, players) = (&rules.map, rules.players);
    let grid = [map.height, map.width];
    let mut layout = ObservationLayout::default();
    layout.push(
        "owner",
        &grid,
        players as u8,
        "the owner of the cell: 0 none, 1 the viewer, 2 the seat after the viewer and so on around the table",
    );
    layout.name(Values::element("owner"));
    layout.push("structure", &grid, 3, "the structure on the cell: 0 land, 1 farm, 2 fort, 3 castle");
    layout.name(Values::element("structure"));
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

impl StateRef<'_> {
    /// Writes the observation of `seat`.
    pub(super) fn observe<const PACKED: bool>(self, seat: usize, row: Row<'_, PACKED>) {
        // The number of players becomes a constant (monomorphization), so that the compiler unrolls the loops over
        // the players, which run for every word of the map.
        match self.rules.players {
            2 => self.observe_among::<2, 2, PACKED>(seat, row),
            3 => self.observe_among::<3, 2, PACKED>(seat, row),
            4 => self.observe_among::<4, 3, PACKED>(seat, row),
            5 => self.observe_among::<5, 3, PACKED>(seat, row),
            6 => self.observe_among::<6, 3, PACKED>(seat, row),
            7 => self.observe_among::<7, 3, PACKED>(seat, row),
            _ => self.observe_among::<8, 4, PACKED>(seat, row),
        }
    }

    /// The observation in a game of `PLAYERS`. `BITS` is the number of bits of the largest owner code, `PLAYERS`.
    fn observe_among<const PLAYERS: usize, const BITS: usize, const PACKED: bool>(
        self,
        seat: usize,
        row: Row<'_, PACKED>,
    ) {
        let around: [usize; PLAYERS] =
            std::array::from_fn(|i| if seat + i < PLAYERS { seat + i } else { seat + i - PLAYERS });
        multiversion!(self.write_fields::<PLAYERS, BITS, PACKED>(around, row));
    }

    #[inline(always)]
    fn write_fields<const PLAYERS: usize, const BITS: usize, const PACKED: bool>(
        self,
        around: [usize; PLAYERS],
        mut row: Row<'_, PACKED>,
    ) {
        self.write_owners::<PLAYERS, BITS, PACKED>(around, &mut row);
        self.write_structures(&mut row);
        self.write_scalars(around, row);
    }

    #[inline(always)]
    fn write_owners<const PLAYERS: usize, const BITS: usize, const PACKED: bool>(
        self,
        around: [usize; PLAYERS],
        row: &mut Row<'_, PACKED>,
    ) {
        let by_code: [_; PLAYERS] = std::array::from_fn(|i| self.owned(around[i]));
        write_codes(row, self.rules.map.cells(), |word| {
            let mut bits = [0; BITS];
            for (i, owned) in by_code.iter().enumerate() {
                let code = i + 1;
                for (bit, plane) in bits.iter_mut().enumerate() {
                    if code >> bit & 1 == 1 {
                        *plane |= owned[word];
                    }
                }
            }
            bits
        });
    }

    #[inline(always)]
    fn write_structures<const PACKED: bool>(self, row: &mut Row<'_, PACKED>) {
        let farms = self.built(Structure::Farm);
        let forts = self.built(Structure::Fort);
        let castles = self.built(Structure::Castle);
        write_codes(row, self.rules.map.cells(), |word| {
            [farms[word] | castles[word], forts[word] | castles[word]]
        });
    }

    #[inline(always)]
    fn write_scalars<const PLAYERS: usize, const PACKED: bool>(
        self,
        around: [usize; PLAYERS],
        mut row: Row<'_, PACKED>,
    ) {
        let ledger = self.ledger;
        let purses = around.map(|seat| ledger.resources[seat]);
        row.numbers::<8>(purses.map(|purse| purse.to_le_bytes()).as_flattened());
        row.numbers::<8>(&purses.map(|purse| purse.min(255) as u8));
        row.numbers::<1>(&around.map(|seat| self.is_alive(seat).into()));
        row.numbers::<1>(&around.map(|seat| (ledger.waiting >> seat & 1) as u8));
        row.numbers::<1>(&around.map(|seat| (!self.is_over() && self.current() == seat).into()));
        row.numbers::<8>(&(ledger.turn as u16).to_le_bytes());
        row.finish();
    }

    /// The name of a cell's owner in the observation of a bot in seat `viewer`.
    pub(super) fn owner_name(self, owner: usize, viewer: usize) -> String {
        if owner == viewer { "mine".to_string() } else { self.rules.names[owner].clone() }
    }

    /// The original's three arguments of a scripted bot's turn, and further public information.
    pub(super) fn observation_to_json(self, seat: usize) -> Value {
        let map = &self.rules.map;
        let owner_name = |owner| self.owner_name(owner, seat);
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

/// Writes a small number, the code, for each of `cells` (bit-matrix transposition). `bits(word)` gives the codes of
/// 64 cells as bit planes: its element `b` holds bit `b` of all 64 codes.
#[inline(always)]
fn write_codes<const BITS: usize, const PACKED: bool>(
    row: &mut Row<'_, PACKED>,
    cells: usize,
    bits: impl Fn(usize) -> [u64; BITS],
) {
    if PACKED {
        // `BITS` bits per cell, rounded up to whole bytes.
        let out = row.bytes((cells * BITS).div_ceil(8));
        #[cfg(target_arch = "x86_64")]
        if ludovec_engine::CpuLevel::Avx2.is_available() {
            // Safety: the processor's features were checked above.
            return unsafe { pack_codes_bmi2(out, bits) };
        }
        return pack_codes(out, |word| interleave(bits(word)));
    }
    let out = row.bytes(cells);
    #[cfg(target_arch = "x86_64")]
    if ludovec_engine::CpuLevel::Avx512.is_available() {
        // Safety: the processor's features were checked above.
        return unsafe { write_codes_avx512(out, bits) };
    }
    let (chunks, tail) = out.as_chunks_mut::<64>();
    for (word, chunk) in chunks.iter_mut().enumerate() {
        *chunk = codes(bits(word));
    }
    if !tail.is_empty() {
        tail.copy_from_slice(&codes(bits(cells / 64))[..tail.len()]);
    }
}

/// The bytes of [`write_codes`] with AVX-512, 64 cells at a time: each plane is the mask of a masked addition.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,bmi1,bmi2,lzcnt,popcnt")]
fn write_codes_avx512<const BITS: usize>(out: &mut [u8], bits: impl Fn(usize) -> [u64; BITS]) {
    use core::arch::x86_64::*;
    let codes = |word: usize| {
        bits(word).iter().enumerate().fold(_mm512_setzero_si512(), |codes, (bit, &plane)| {
            _mm512_mask_add_epi8(codes, plane, codes, _mm512_set1_epi8(1 << bit))
        })
    };
    let (chunks, tail) = out.as_chunks_mut::<64>();
    let whole = chunks.len();
    for (word, chunk) in chunks.iter_mut().enumerate() {
        // Safety: a chunk has 64 bytes.
        unsafe { _mm512_storeu_si512(chunk.as_mut_ptr().cast(), codes(word)) };
    }
    if !tail.is_empty() {
        // Safety: the mask excludes the bytes behind the tail.
        unsafe { _mm512_mask_storeu_epi8(tail.as_mut_ptr().cast(), (1 << tail.len()) - 1, codes(whole)) };
    }
}

/// Writes packed codes. `packed(word)` gives the packed codes of 64 cells.
#[inline(always)]
fn pack_codes<const BITS: usize>(out: &mut [u8], packed: impl Fn(usize) -> [u64; BITS]) {
    let bytes = |word: usize| packed(word).map(u64::to_le_bytes);
    let whole = out.len() / (8 * BITS);
    // In chunks of a constant size: copying them needs no call of `memcpy`.
    let mut chunks = out.chunks_exact_mut(8 * BITS);
    for (word, chunk) in chunks.by_ref().enumerate() {
        chunk.copy_from_slice(bytes(word).as_flattened());
    }
    let tail = chunks.into_remainder();
    if !tail.is_empty() {
        tail.copy_from_slice(&bytes(whole).as_flattened()[..tail.len()]);
    }
}

/// [`pack_codes`] of `bits` with `pdep`, which deposits the low bits of a word at the set bits of a mask.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn pack_codes_bmi2<const BITS: usize>(out: &mut [u8], bits: impl Fn(usize) -> [u64; BITS]) {
    pack_codes(out, |word| -> [u64; BITS] {
        let planes = bits(word);
        std::array::from_fn(|i| {
            let places = Deposit::<BITS>::BY_WORD[i];
            planes.iter().zip(places).fold(0, |packed, (plane, Deposit { first, mask })| {
                packed | core::arch::x86_64::_pdep_u64(plane >> first, mask)
            })
        })
    });
}

/// The cells of a plane with their bits in one word of packed codes, and the places of these bits.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
struct Deposit<const BITS: usize> {
    /// The first of these cells.
    first: u32,
    /// The places of their bits.
    mask: u64,
}

#[cfg(target_arch = "x86_64")]
impl<const BITS: usize> Deposit<BITS> {
    /// By word and plane: bit `c * BITS + b` of the packed codes is bit `c` of plane `b`.
    const BY_WORD: [[Self; BITS]; BITS] = {
        let mut by_word = [[Self { first: 0, mask: 0 }; BITS]; BITS];
        let mut at = 64 * BITS;
        while at > 0 {
            at -= 1;
            let deposit = &mut by_word[at / 64][at % BITS];
            deposit.first = (at / BITS) as u32;
            deposit.mask |= 1 << (at % 64);
        }
        by_word
    };
}

/// The packed codes of 64 cells without `pdep`: a table gives the bits of each byte of a plane, already spaced out.
#[inline(always)]
fn interleave<const BITS: usize>(planes: [u64; BITS]) -> [u64; BITS] {
    /// By `step - 1` and byte: [`spaced`].
    static SPACED: [[u32; 256]; 4] = {
        let mut table = [[0; 256]; 4];
        let mut i = 0;
        while i < 4 * 256 {
            table[i / 256][i % 256] = spaced((i % 256) as u8, i / 256 + 1);
            i += 1;
        }
        table
    };
    let mut packed = [[0; BITS]; 8];
    for (byte, out) in packed.iter_mut().enumerate() {
        let code = planes.iter().enumerate().fold(0, |code, (bit, plane)| {
            code | SPACED[BITS - 1][usize::from((plane >> (8 * byte)) as u8)] << bit
        });
        out.copy_from_slice(&code.to_le_bytes()[..BITS]);
    }
    let mut words = [0; BITS];
    bytemuck::bytes_of_mut(&mut words).copy_from_slice(packed.as_flattened());
    words.map(u64::from_le)
}

/// Bit spreading: bit `i` of a byte becomes bit `i * step`.
const fn spaced(bits: u8, step: usize) -> u32 {
    let (mut spaced, mut i) = (0, 0);
    while i < 8 {
        spaced |= ((bits >> i & 1) as u32) << (i * step);
        i += 1;
    }
    spaced
}

/// Byte `i` of the result is a number: its bit `b` is bit `i` of `planes[b]`.
#[inline(always)]
fn codes<const BITS: usize>(planes: [u64; BITS]) -> [u8; 64] {
    #[cfg(target_arch = "x86_64")]
    if ludovec_engine::CpuLevel::Avx2.is_available() {
        // Safety: the processor's features were checked above.
        return unsafe { codes_avx2(planes) };
    }
    codes_by_bytes(planes)
}

/// [`codes`] eight cells at a time, without vector instructions.
fn codes_by_bytes<const BITS: usize>(planes: [u64; BITS]) -> [u8; 64] {
    bytemuck::cast(std::array::from_fn::<_, 8, _>(|group| {
        let codes = planes
            .iter()
            .enumerate()
            .fold(0, |codes, (bit, plane)| codes | spread((plane >> (8 * group)) as u8) << bit);
        codes.to_le_bytes()
    }))
}

/// [`codes`] 32 cells at a time with AVX2.
#[cfg(target_arch = "x86_64")]
#[inline]
#[target_feature(enable = "avx2")]
fn codes_avx2<const BITS: usize>(planes: [u64; BITS]) -> [u8; 64] {
    use core::arch::x86_64::*;
    // A lane is one byte of a vector and represents one cell. The shuffle copies to each lane the byte of the plane
    // that holds the bit of its cell, and `own_bit` selects that bit.
    let bytes = [0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303];
    let low = _mm256_setr_epi64x(bytes[0], bytes[1], bytes[2], bytes[3]);
    let high = _mm256_add_epi8(low, _mm256_set1_epi8(4));
    let own_bit = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
    let mut halves = [_mm256_setzero_si256(); 2];
    for &plane in planes.iter().rev() {
        let word = _mm256_set1_epi64x(plane as i64);
        for (code, spread) in halves.iter_mut().zip([low, high]) {
            let set = _mm256_and_si256(_mm256_shuffle_epi8(word, spread), own_bit);
            // The comparison gives -1 if the bit is set and 0 otherwise, so doubling the code and subtracting the
            // comparison appends the bit to the code.
            *code = _mm256_sub_epi8(_mm256_add_epi8(*code, *code), _mm256_cmpeq_epi8(set, own_bit));
        }
    }
    bytemuck::cast(halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_codes_match_the_bytes() {
        fn check<const BITS: usize>(planes: [u64; BITS]) {
            let mut packed = [0; BITS];
            Row::<true>::new(bytemuck::bytes_of_mut(&mut packed)).numbers::<BITS>(&codes(planes));
            assert_eq!(interleave(planes), packed.map(u64::from_le));
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx2.is_available() {
                let bytes = bytemuck::bytes_of(&packed);
                let rest = 1 + planes[0] as usize % bytes.len();
                let mut out = vec![9; bytes.len() + rest];
                // Safety: the processor's features were checked above.
                unsafe { pack_codes_bmi2(&mut out, |_| planes) };
                assert_eq!(out, [bytes, &bytes[..rest]].concat());
            }
        }
        for seed in 1..200u64 {
            let planes = std::array::from_fn(|bit| {
                (seed * 4 + bit as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed << 17
            });
            let [a, b, c, _] = planes;
            check::<4>(planes);
            check([a, b, c]);
            check([a, b]);
        }
    }

    #[test]
    fn codes_are_the_same_on_every_processor() {
        for seed in 0..200u64 {
            let planes = std::array::from_fn(|bit| {
                (seed * 4 + bit as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed << 17
            });
            assert_eq!(codes::<4>(planes), codes_by_bytes(planes));
            #[cfg(target_arch = "x86_64")]
            if ludovec_engine::CpuLevel::Avx512.is_available() {
                let rest = seed as usize % 64;
                let mut out = vec![9; 64 + rest + 1];
                // Safety: the processor's features were checked above.
                unsafe {
                    write_codes_avx512(&mut out[..64 + rest], |word| planes.map(|plane| plane >> word))
                };
                let second = codes_by_bytes(planes.map(|plane: u64| plane >> 1));
                assert_eq!(out, [&codes_by_bytes(planes), &second[..rest], &[9]].concat());
            }
        }
    }
}
