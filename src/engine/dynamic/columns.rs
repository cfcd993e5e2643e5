//! The output arrays of a batch: one column per quantity, one row per game.
//!
//! ```text
//!            observations        mask_bits     rewards   terminated
//! game 0     [.............]     [..]          [...]     [.]
//! game 1     [.............]     [..]          [...]     [.]
//! ...
//! ```
//!
//! The engine allocates the columns, or the caller provides their memory (a shared-memory segment, pinned buffers).
//! Each game writes its own row in place, without a further copy.

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::Arc;

use bytemuck::{Pod, Zeroable};
use ndarray::ArrayView2;

use crate::contract::mask;
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};

/// A handle that keeps a column's memory alive.
pub type Owner = Arc<dyn Any + Send + Sync>;

/// Alignment in bytes of every column allocated by the engine: one cache line, one AVX-512 register.
pub const ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Zeroable)]
#[repr(C, align(64))]
struct Line([u8; ALIGNMENT]);

/// A run of `T` in memory kept alive by an owner.
///
/// ```
/// use ludovec_engine::columns::Column;
/// let mut column = Column::<f32>::zeroed(3);
/// column[1] = 0.5;
/// assert_eq!(column[..], [0.0, 0.5, 0.0]);
/// ```
pub struct Column<T> {
    start: NonNull<T>,
    len: usize,
    owner: Owner,
}

impl<T> std::fmt::Debug for Column<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Column").field("start", &self.start).field("len", &self.len).finish_non_exhaustive()
    }
}

// Safety: a column is a slice of plain data, accessible only through the column; the owner is Send + Sync.
unsafe impl<T: Pod + Send> Send for Column<T> {}
// Safety: as above; shared references only read.
unsafe impl<T: Pod + Sync> Sync for Column<T> {}

impl<T: Pod> Column<T> {
    /// `len` zeros, aligned to [`ALIGNMENT`]. Pages stay untouched until the first write.
    ///
    /// # Panics
    /// If memory allocation fails.
    #[must_use]
    pub fn zeroed(len: usize) -> Self {
        Self::try_zeroed(len).expect("there is memory for a column")
    }

    /// The same, or `None` if memory allocation fails.
    #[must_use]
    pub fn try_zeroed(len: usize) -> Option<Self> {
        let lines = len.checked_mul(size_of::<T>())?.div_ceil(ALIGNMENT);
        let mut lines: Vec<Line> = bytemuck::allocation::try_zeroed_vec(lines).ok()?;
        let start = NonNull::from(&mut lines[..]).cast();
        Some(Self { start, len, owner: Arc::new(lines) })
    }

    /// A column in memory kept alive by `owner`.
    ///
    /// # Safety
    /// `start` must be aligned for `T` and valid for reads and writes of `len` elements as long as `owner` lives. The
    /// process must write to this memory only through this column.
    pub unsafe fn from_raw(start: NonNull<T>, len: usize, owner: Owner) -> Self {
        Self { start, len, owner }
    }

    /// The owner of the memory. Store a clone of it along with any pointer into the column.
    #[must_use]
    pub fn owner(&self) -> &Owner {
        &self.owner
    }
}

impl<T: Pod> Deref for Column<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        // Safety: `owner` keeps the memory of `start` and `len` alive, and any bit pattern is a valid `T`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Pod> DerefMut for Column<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // Safety: as for `deref`; `&mut self` makes this the only reference.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

/// Element type of a column.
///
/// ```
/// use ludovec_engine::columns::DType;
/// assert_eq!((DType::F32.name(), DType::U64.size()), ("float32", 8));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DType {
    /// Unsigned byte.
    U8,
    /// 32-bit signed integer.
    I32,
    /// 64-bit unsigned integer.
    U64,
    /// 32-bit float.
    F32,
}

impl DType {
    /// NumPy's name for the type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "uint8",
            Self::I32 => "int32",
            Self::U64 => "uint64",
            Self::F32 => "float32",
        }
    }
    /// Size of one element in bytes.
    #[must_use]
    pub fn size(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::I32 | Self::F32 => 4,
            Self::U64 => 8,
        }
    }
}

/// An element type of columns.
///
/// ```
/// use ludovec_engine::columns::{DType, Element};
/// assert_eq!(<i32 as Element>::DTYPE, DType::I32);
/// ```
pub trait Element: Pod + Send + Sync {
    /// Its data type.
    const DTYPE: DType;
}
impl Element for u8 {
    const DTYPE: DType = DType::U8;
}
impl Element for i32 {
    const DTYPE: DType = DType::I32;
}
impl Element for u64 {
    const DTYPE: DType = DType::U64;
}
impl Element for f32 {
    const DTYPE: DType = DType::F32;
}

/// The location of a column in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ColumnInfo {
    /// The column's name.
    pub name: &'static str,
    /// Its element type.
    pub dtype: DType,
    /// Number of elements per row; 0 if the batch does not write this column.
    pub width: usize,
    /// Address of the first element.
    pub address: *const u8,
}

/// Returns memory for a column; the arguments are name, element type and bytes.
pub type PlaceColumn<'a> = dyn FnMut(&'static str, DType, usize) -> Option<Foreign> + 'a;

/// Memory for a column, provided by the caller.
pub struct Foreign {
    /// First byte; aligned for the column's type.
    pub start: NonNull<u8>,
    /// Size in bytes.
    pub bytes: usize,
    /// The owner that keeps the memory alive.
    pub owner: Owner,
}

impl std::fmt::Debug for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Foreign")
            .field("start", &self.start)
            .field("bytes", &self.bytes)
            .finish_non_exhaustive()
    }
}

macro_rules! columns {
    ($($(#[doc = $doc:literal])* $name:ident: $type:ty,)*) => {
        /// Number of elements per row by column; 0 for a column that the batch does not write.
        #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
        pub struct Widths { $($(#[doc = $doc])* pub $name: usize,)* }

        impl Widths {
            /// Name, element type and width of every written column, in order.
            pub fn list(&self) -> Vec<(&'static str, DType, usize)> {
                let all = [$((stringify!($name), <$type as Element>::DTYPE, self.$name)),*];
                all.into_iter().filter(|(_, _, width)| *width > 0).collect()
            }

            /// Bytes of a row, summed over all columns.
            pub(crate) fn row_bytes(&self) -> usize {
                0 $(+ self.$name * size_of::<$type>())*
            }
        }

        /// The output arrays of a batch.
        #[derive(Debug)]
        pub struct Columns {
            num_envs: usize,
            widths: Widths,
            $($(#[doc = $doc])* pub $name: Column<$type>,)*
        }

        impl Columns {
            /// Columns of `num_envs` rows, newly allocated and zeroed.
            pub fn new(num_envs: usize, widths: Widths) -> Self {
                Self { num_envs, widths, $($name: Column::zeroed(num_envs * widths.$name),)* }
            }

            /// Columns with some of them in memory returned by `place`; its arguments are name, element type and
            /// bytes.
            ///
            /// # Safety
            /// Memory returned by `place` must be valid for reads and writes of the given number of bytes as long as
            /// its owner lives, and nothing else in this process may write to it.
            ///
            /// # Errors
            /// [`Error::InvalidConfig`] if a place is too small or not aligned, [`Error::OutOfMemory`].
            pub unsafe fn placed(
                num_envs: usize,
                widths: Widths,
                place: &mut PlaceColumn<'_>,
            ) -> Result<Self> {
                Ok(Self { num_envs, widths, $($name: {
                    let len = num_envs.saturating_mul(widths.$name);
                    let foreign = if len == 0 { None } else {
                        place(stringify!($name), <$type as Element>::DTYPE, len.saturating_mul(size_of::<$type>()))
                    };
                    match foreign {
                        None => Column::try_zeroed(len).ok_or_else(|| Error::out_of_memory(
                            &format!("num_envs={num_envs}: rows of column {}", stringify!($name)),
                            len.saturating_mul(size_of::<$type>()),
                        ))?,
                        Some(memory) => {
                            let start: NonNull<$type> = memory.start.cast();
                            if memory.bytes < len * size_of::<$type>() || !start.is_aligned() {
                                return Err(Error::config(format!(
                                    "memory for column {}: {} aligned bytes are needed, {} were given",
                                    stringify!($name), len * size_of::<$type>(), memory.bytes
                                )));
                            }
                            // Safety: the caller vouches for the memory; size and alignment were checked.
                            unsafe { Column::from_raw(start, len, memory.owner) }
                        }
                    }
                },)* })
            }

            /// The location of every written column, in order.
            pub fn list(&self) -> Vec<ColumnInfo> {
                let all = [$(ColumnInfo {
                    name: stringify!($name),
                    dtype: <$type as Element>::DTYPE,
                    width: self.widths.$name,
                    address: self.$name.as_ptr().cast(),
                }),*];
                all.into_iter().filter(|c| c.width > 0).collect()
            }

            /// The legal actions of a game's current player, in increasing order.
            ///
            /// # Panics
            /// If there is no such game.
            pub fn legal_actions(&self, game: usize) -> impl Iterator<Item = ActionId> + '_ {
                let width = self.widths.mask_bits;
                mask::iter(&self.mask_bits[game * width..(game + 1) * width])
            }

            /// The owner of the memory of the column called `name`.
            pub fn owner(&self, name: &str) -> Option<&Owner> {
                match name {
                    $(stringify!($name) => Some(self.$name.owner()),)*
                    _ => None,
                }
            }

            /// Copies row `from` over row `to`.
            pub(crate) fn copy_row(&mut self, from: usize, to: usize) {
                $(let width = self.widths.$name;
                self.$name.copy_within(from * width..(from + 1) * width, to * width);)*
            }

            /// All rows, for splitting and parallel writing.
            pub(crate) fn rows(&mut self) -> Rows<'_> {
                Rows { len: self.num_envs, widths: self.widths, $($name: &mut self.$name,)* }
            }
        }

        /// A run of rows of all columns.
        pub(crate) struct Rows<'a> {
            pub(crate) len: usize,
            pub(crate) widths: Widths,
            $(pub(crate) $name: &'a mut [$type],)*
        }

        impl<'a> Rows<'a> {
            /// The first `n` rows, and the rest.
            pub(crate) fn split_at(self, n: usize) -> (Rows<'a>, Rows<'a>) {
                let widths = self.widths;
                $(let $name = self.$name.split_at_mut(n * widths.$name);)*
                (
                    Rows { len: n, widths, $($name: $name.0,)* },
                    Rows { len: self.len - n, widths, $($name: $name.1,)* },
                )
            }
        }

        $(impl Rows<'_> {
            #[doc = concat!("Row `i` of `", stringify!($name), "`.")]
            #[inline]
            #[allow(dead_code, reason = "one accessor a column, whether or not the engine needs it")]
            pub(crate) fn $name(&mut self, i: usize) -> &mut [$type] {
                row_of(self.$name, self.widths.$name, i)
            }
        })*
    };
}

/// Row `i` of a column with rows of `width` elements.
#[inline]
pub(crate) fn row_of<T>(column: &mut [T], width: usize, i: usize) -> &mut [T] {
    &mut column[i * width..(i + 1) * width]
}

columns! {
    /// `[N, *observation_shape]`: observation of the current player; packed, `[N, row_bytes]`.
    observations: u8,
    /// `[N, *observation_shape]`: the same, multiplied by each field's scale, on request.
    observations_f32: f32,
    /// `[N, ceil(A/64)]`: action mask of the current player as bits; the engine checks actions against it.
    mask_bits: u64,
    /// `[N, ceil(A/64)]`: a copy for readers that must not change the column used for checking; only if the caller
    /// provides memory for it.
    mask_bits_shown: u64,
    /// `[N, A]`: action mask as bytes 0 and 1, on request.
    mask_bytes: u8,
    /// `[N, 1]`: the next action sample of the game, -1 if not drawn yet; only if the caller provides memory for it.
    next_sample: i32,
    /// `[N, P]`: rewards of the last step by seat.
    rewards: f32,
    /// `[N, 1]`: reward of the seat that acted, 0 after a reset.
    reward: f32,
    /// `[N, P]`: reward of each seat since its own last decision.
    credit: f32,
    /// `[N, 1]`: the credit of the current player; 0 if `done` is 1, because `credit` is then the finished game's.
    credit_of_mover: f32,
    /// `[N, 1]`: 1 if the last step ended the game by its rules.
    terminated: u8,
    /// `[N, 1]`: 1 if the last step reached a limit without a result.
    truncated: u8,
    /// `[N, 1]`: 1 if the last step ended the game either way.
    done: u8,
    /// `[N, 1]`: seat of the current player.
    current_player: i32,
    /// `[N, 1]`: the seat that made the last decision, -1 after a reset.
    acting_player: i32,
    /// `[N, 1]`: number of decisions in the episode that the rewards belong to.
    episode_length: i32,
    /// As `observations`: the last observation of a finished episode, with same-step reset.
    final_observations: u8,
    /// `[N, *observation_shape]`: the same, multiplied by each field's scale.
    final_observations_f32: f32,
    /// `[N, ceil(A/64)]`: the action mask for the final observation (empty after termination, not empty after
    /// truncation).
    final_mask_bits: u64,
    /// `[N, A]`: the same as bytes.
    final_mask_bytes: u8,
    /// `[N, 1]`: the seat that the final observation belongs to.
    final_player: i32,
    /// `[N, P]`: scores of the last finished episode.
    final_scores: f32,
    /// `[N, P]`: outcome of the last finished episode in [-1, 1], independent of the reward mode.
    final_returns: f32,
    /// `[rows, 1]`: the tree of the leaf in this row, -1 for padding; only in the leaves of a search.
    tree: i32,
}

impl Columns {
    /// Number of rows.
    #[must_use]
    pub fn num_envs(&self) -> usize {
        self.num_envs
    }
    /// Number of elements per row, by column.
    #[must_use]
    pub fn widths(&self) -> &Widths {
        &self.widths
    }
    /// The seat of the current player in game `game`. Callers may have written to the column, so the value is
    /// checked.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the value is not a seat.
    pub fn seat_to_move(&self, game: usize) -> Result<usize> {
        let (said, seats) = (self.current_player[game], self.widths.rewards);
        usize::try_from(said).ok().filter(|&seat| seat < seats).ok_or_else(|| {
            Error::config(format!(
                "current_player of game {game} is {said}, which was written into the array: players are 0 to {}",
                seats.saturating_sub(1)
            ))
        })
    }
    /// `[N, observation_len]`
    #[must_use]
    pub fn observations_view(&self) -> ArrayView2<'_, u8> {
        view(&self.observations, self.num_envs, self.widths.observations)
    }
    /// `[N, P]`
    #[must_use]
    pub fn rewards_view(&self) -> ArrayView2<'_, f32> {
        view(&self.rewards, self.num_envs, self.widths.rewards)
    }
}

fn view<T>(data: &[T], rows: usize, width: usize) -> ArrayView2<'_, T> {
    ArrayView2::from_shape((rows, width), data).expect("a column has rows x width elements")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widths() -> Widths {
        Widths { observations: 3, rewards: 2, mask_bits: 1, ..Widths::default() }
    }

    #[test]
    fn rows_split_where_the_columns_do() {
        let mut columns = Columns::new(4, widths());
        let (mut a, mut b) = columns.rows().split_at(1);
        assert_eq!((a.len, b.len), (1, 3));
        a.observations(0)[2] = 7;
        b.observations(2)[0] = 8;
        b.rewards(0)[1] = 1.5;
        assert_eq!(columns.observations_view().row(3)[0], 8);
        assert_eq!(columns.observations[2], 7);
        assert_eq!(columns.rewards_view().row(1)[1], 1.5);
        assert!(columns.mask_bytes.is_empty());
        assert_eq!(
            columns.list().iter().map(|c| c.name).collect::<Vec<_>>(),
            ["observations", "mask_bits", "rewards"]
        );
        assert!(columns.list().iter().all(|c| (c.address as usize).is_multiple_of(ALIGNMENT)));
    }

    #[test]
    fn columns_use_the_memory_of_the_caller() {
        let mut memory = Column::<u64>::zeroed(64);
        let start = NonNull::new(memory.as_mut_ptr().cast::<u8>()).unwrap();
        let memory = Arc::new(memory);
        let place = |bytes| {
            let owner: Owner = memory.clone();
            move |name: &str, _: DType, _: usize| {
                (name == "observations").then(|| Foreign { start, bytes, owner: owner.clone() })
            }
        };
        // Safety: the 512-byte column outlives its owner's clones and has no other use.
        let mut columns = unsafe { Columns::placed(4, widths(), &mut place(512)) }.unwrap();
        columns.observations[0] = 5;
        assert_eq!(columns.observations.as_ptr(), start.as_ptr());
        // Safety: as above; rejected because the memory is too small.
        assert!(unsafe { Columns::placed(4, widths(), &mut place(11)) }.is_err());
        drop(columns);
        assert_eq!(memory[0], 5);
    }

    #[test]
    fn a_seat_that_a_caller_wrote_into_the_column_is_checked() {
        let widths = Widths { current_player: 1, rewards: 3, ..Widths::default() };
        let mut columns = Columns::new(4, widths);
        columns.current_player.copy_from_slice(&[2, 3, -1, i32::MAX]);
        assert_eq!(columns.seat_to_move(0), Ok(2));
        for game in 1..4 {
            let said = columns.seat_to_move(game).unwrap_err().to_string();
            assert!(said.contains("current_player") && said.contains("players are 0 to 2"), "{said}");
        }
    }

    /// Not under Miri, which aborts when memory runs out.
    #[cfg(not(miri))]
    #[test]
    fn columns_without_memory_are_an_error() {
        // Safety: no memory is provided.
        let Err(error) = (unsafe { Columns::placed(1 << 45, widths(), &mut |_, _, _| None) }) else {
            panic!("more than can be addressed")
        };
        assert!(error.to_string().contains("out of memory: num_envs=35184372088832: "));
        assert!(Column::<u64>::try_zeroed(usize::MAX / 8).is_none());
    }
}
