//! Packed observations: each element takes the minimum number of bits for the highest value of its field.
//!
//! ```text
//! row      | field | field | ... | uniform field | ... | zeros up to a multiple of 8 bytes |
//! field    element after element, the first in the lowest bits; begins at a byte
//! ```
//!
//! Bit `i` of a row is bit `i % 8` of byte `i / 8`, as `numpy.unpackbits(row, bitorder="little")` counts. Fields keep
//! their order, except that fields with one value for the whole board come last and are stored once. Channel-last
//! images are stored channel by channel, so that each channel is a bitboard.

use std::cell::Cell;

use serde::Serialize;

use crate::contract::observation::ObservationField;

/// Packed rows are padded to a multiple of this many bytes.
const ROW_UNIT: usize = 8;

/// The location of a field in packed rows.
///
/// ```
/// use ludovec_engine::{ObservationLayout, PackedLayout};
/// let mut layout = ObservationLayout::default();
/// layout.push("points", &[2], 20, "points");
/// assert_eq!(PackedLayout::new(&layout.into_fields()).fields[0].bits, 5);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackedField {
    /// The name of the observation field.
    pub name: String,
    /// First bit of its first element.
    pub offset: usize,
    /// Number of bits per element, 1 to 8.
    pub bits: usize,
    /// The shape of the observation field.
    pub shape: Vec<usize>,
    /// Strides in bits along each axis of `shape`; 0 along axes with equal elements, which are stored once.
    pub strides: Vec<usize>,
}

/// The layout of packed rows. See [`Spec::packed`](crate::Spec::packed).
///
/// ```
/// use ludovec_engine::{ObservationLayout, PackedLayout};
/// let mut layout = ObservationLayout::default();
/// layout.push("flags", &[16], 1, "one bit each");
/// let packed = PackedLayout::new(&layout.into_fields());
/// let (seen, mut row, mut again) = ([1; 16], vec![0; packed.row_bytes], [0; 16]);
/// packed.pack(&seen, &mut row);
/// packed.unpack(&row, &mut again);
/// assert_eq!((row[..3].to_vec(), again), (vec![0xff, 0xff, 0], seen));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PackedLayout {
    /// Number of bytes per row, a multiple of 8.
    pub row_bytes: usize,
    /// The fields in row order.
    pub fields: Vec<PackedField>,
    /// First bit and number of bits of each element of the observation.
    #[serde(skip)]
    places: Vec<(u32, u8)>,
}

/// Number of bits for the numbers from 0 to `high`.
fn bits(high: u8) -> usize {
    (8 - high.leading_zeros() as usize).max(1)
}

/// The strides of a packed field in elements, and its number of stored elements.
fn strides(field: &ObservationField) -> (Vec<usize>, usize) {
    let axes = field.shape.len();
    // From the fastest-varying axis to the slowest.
    let mut order: Vec<usize> = (0..axes).rev().collect();
    if !field.is_contiguous() {
        order.rotate_left(1);
    }
    let (mut strides, mut len) = (vec![0; axes], 1);
    for axis in order.into_iter().filter(|&axis| axis >= field.uniform) {
        strides[axis] = len;
        len *= field.shape[axis];
    }
    (strides, len)
}

impl PackedLayout {
    /// The layout for an observation with these fields.
    #[must_use]
    pub fn new(fields: &[ObservationField]) -> Self {
        let (varied, uniform): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.uniform == 0);
        let mut places = vec![(0, 0); fields.iter().map(|field| field.indices().count()).sum()];
        let mut end = 0;
        let fields = varied.into_iter().chain(uniform).map(|field| {
            let (bits, offset) = (bits(field.high), 8 * end);
            let (strides, len) = strides(field);
            end += (len * bits).div_ceil(8);
            let strides: Vec<_> = strides.into_iter().map(|stride| stride * bits).collect();
            let packed = ObservationField { offset, strides: strides.clone(), ..field.clone() };
            for (element, bit) in field.indices().zip(packed.indices()) {
                places[element] = (bit as u32, bits as u8);
            }
            PackedField { name: field.name.clone(), offset, bits, shape: field.shape.clone(), strides }
        });
        let fields = fields.collect();
        Self { row_bytes: end.next_multiple_of(ROW_UNIT), fields, places }
    }

    /// Packs an observation into `row`.
    ///
    /// # Panics
    /// If `row` is shorter than [`row_bytes`](Self::row_bytes).
    pub fn pack(&self, observation: &[u8], row: &mut [u8]) {
        row.fill(0);
        for (&value, &(bit, bits)) in observation.iter().zip(&self.places) {
            let (byte, value) = (bit as usize / 8, u16::from(value) & ((1 << bits) - 1));
            let [low, high] = (value << (bit % 8)).to_le_bytes();
            row[byte] |= low;
            if high != 0 {
                row[byte + 1] |= high;
            }
        }
    }

    /// Packs the observation elements written by `observe`.
    pub fn pack_written(&self, observe: impl FnOnce(&mut [u8]), row: &mut [u8]) {
        thread_local! {
            static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
        }
        let mut observation = SCRATCH.take();
        observation.resize(self.places.len(), 0);
        observe(&mut observation);
        self.pack(&observation, row);
        SCRATCH.set(observation);
    }

    /// Unpacks `row` into `observation`.
    ///
    /// # Panics
    /// If `row` is shorter than [`row_bytes`](Self::row_bytes).
    pub fn unpack(&self, row: &[u8], observation: &mut [u8]) {
        for (value, &(bit, bits)) in observation.iter_mut().zip(&self.places) {
            let byte = bit as usize / 8;
            let two = u16::from_le_bytes([row[byte], row.get(byte + 1).copied().unwrap_or(0)]);
            *value = (two >> (bit % 8) & ((1 << bits) - 1)) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contract::observation::ObservationLayout;
    use crate::contract::observation::row::Row;

    #[test]
    fn every_number_takes_the_fewest_bits() {
        for high in 0..=u8::MAX {
            assert!(u16::from(high) < 1 << bits(high));
            assert!(bits(high) == 1 || u16::from(high) >= 1 << (bits(high) - 1));
        }
    }

    #[test]
    fn fields_are_in_order_and_uniform_ones_last() {
        let image = |name: &str, offset, shape: [usize; 3], high, uniform| ObservationField {
            name: name.into(),
            offset,
            shape: shape.into(),
            strides: vec![12, 4, 1],
            meaning: String::new(),
            high,
            scale: 1.0,
            uniform,
            values: Default::default(),
        };
        let fields = [
            image("clock", 2, [2, 3, 1], 100, 2),
            image("kings", 0, [2, 3, 2], 1, 0),
            image("sum", 3, [2, 3, 1], 4, 0),
        ];
        let layout = PackedLayout::new(&fields);
        let shown: Vec<_> =
            layout.fields.iter().map(|f| (&f.name[..], f.offset, f.bits, &f.strides[..])).collect();
        assert_eq!(
            shown,
            [
                ("kings", 0, 1, &[3, 1, 6][..]),
                ("sum", 16, 3, &[9, 3, 18][..]),
                ("clock", 40, 7, &[0, 0, 7][..]),
            ]
        );
        assert_eq!(layout.row_bytes, 8);
        let kings = [1, 0, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0];
        let observation: Vec<u8> = (0..24)
            .map(|i| match i % 4 {
                channel @ 0..2 => kings[i / 4 * 2 + channel],
                2 => 77,
                _ => (i / 4 % 5) as u8,
            })
            .collect();
        let mut row = [0xff; 8];
        layout.pack(&observation, &mut row);
        // Channel 0: 1 0 1 0 0 1, channel 1: 0 1 1 0 0 0.
        assert_eq!(row[..2], [0b10_100101, 0b0001]);
        assert_eq!(
            u32::from_le_bytes([row[2], row[3], row[4], 0]),
            (0..6u32).map(|i| (i % 5) << (3 * i)).sum::<u32>()
        );
        assert_eq!(row[5..], [77, 0, 0]);
        let mut back = vec![9; 24];
        layout.unpack(&row, &mut back);
        assert_eq!(back, observation);
    }

    /// Writes one field of each kind.
    fn write<const PACKED: bool>(out: &mut [u8], numbers: &[u8; 19], sets: &[u64; 3], bytes: [u8; 3]) {
        let mut row = Row::<PACKED>::new(out);
        row.numbers::<1>(&numbers.map(|n| n & 1));
        row.numbers::<3>(&numbers.map(|n| n & 7));
        row.numbers::<5>(&numbers.map(|n| n & 31));
        row.bytes(2).copy_from_slice(&bytes[..2]);
        row.flags(7, sets.map(|set| set & 0x7f));
        row.flags(64, *sets);
        row.flags(33, sets.map(|set| set & 0x1_ffff_ffff));
        row.one_hot(10, Some(usize::from(numbers[0]) % 10));
        row.one_hot(3, None);
        row.numbers::<6>(&[numbers[1] & 63]);
        row.numbers::<8>(&bytes);
        row.finish();
    }

    proptest! {
        #[test]
        fn a_game_writes_both_kinds_of_rows_alike(numbers: [u8; 19], sets: [u64; 3], bytes: [u8; 3]) {
            let mut layout = ObservationLayout::default();
            for (len, high) in [(19, 1), (19, 7), (19, 31), (2, 255), (21, 1), (192, 1), (99, 1), (10, 1), (3, 1), (1, 40), (3, 255)] {
                layout.push("field", &[len], high, "");
            }
            let fields = layout.into_fields();
            let layout = PackedLayout::new(&fields);
            let (mut plain, mut packed) = (vec![0xaa; layout.places.len()], vec![0x55; layout.row_bytes]);
            write::<false>(&mut plain, &numbers, &sets, bytes);
            write::<true>(&mut packed, &numbers, &sets, bytes);
            let mut expected = vec![0xff; layout.row_bytes];
            layout.pack(&plain, &mut expected);
            prop_assert_eq!(&packed, &expected);
            let mut back = vec![7; plain.len()];
            layout.unpack(&packed, &mut back);
            prop_assert_eq!(&back, &plain);
        }
    }
}
