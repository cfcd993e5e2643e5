//! Products of bytes in tiles, by AMX.
//!
//! A tile has 16 rows of up to 64 bytes: activations of 16 rows, weights of 16 outputs, or the sums of both. The weights
//! of a panel are tiles as they are packed. The instructions are assembly, because their intrinsics are not stable.
//!
//! Tiles belong to a thread, and other libraries may use them, too. So every call loads its configuration, and releases
//! the tiles at its end. The system saves tiles that are in use, also around signal handlers.

use std::arch::asm;
use std::arch::x86_64::{
    __m512i, _mm512_add_epi32, _mm512_cvtepi32_ps, _mm512_load_si512, _mm512_slli_epi32,
};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::OnceLock;

use super::LANES;
use super::buffers::Buffer;
use super::int8::{GROUP, Int8Matrix, Quantized};
use super::int16::Int16Matrix;
use super::lanes::{Avx512Vnni, Lanes};
use super::operand::{After, Operand, Output, Runs};
use crate::engine::CpuLevel;

/// Rows of a tile.
const ROWS: usize = 16;

/// Largest row of a tile in bytes.
const MOST: usize = 64;

/// Smallest row of a tile that is worth it: shorter rows take as long.
const LEAST: usize = 32;

/// The division of a product's inputs among tiles.
struct Plan {
    /// Bytes from a row to the next one.
    stride: usize,
    /// Inputs of a tile, and number of tiles in a run.
    inputs: usize,
    tiles: usize,
    runs: usize,
    /// Bytes from the end of a run to the next one.
    gap: isize,
    /// Bytes of a panel of weights.
    panel_len: usize,
}

impl Plan {
    /// `None` if tiles do not suit the product: its rows are few, not equally far from each other, or not divisible.
    fn of(starts: &[u32], runs: Runs) -> Option<Self> {
        if starts.len() < ROWS {
            return None;
        }
        let stride = starts[1].checked_sub(starts[0])?;
        let least = runs.len.div_ceil(MOST);
        let mut counts = least..=runs.len / LEAST;
        let tiles = counts.find(|&tiles| runs.len.is_multiple_of(GROUP * tiles))?;
        let uneven =
            starts.windows(2).fold(0, |uneven, pair| uneven | (pair[1].wrapping_sub(pair[0]) ^ stride));
        (uneven == 0).then_some(Self {
            stride: stride as usize,
            inputs: runs.len / tiles,
            tiles,
            runs: runs.count,
            gap: runs.stride as isize - runs.len as isize,
            panel_len: runs.inputs() * LANES,
        })
    }
}

/// Whether tiles are in use: the processor has them, and the system permits them. It is asked once a process.
fn is_available() -> bool {
    static PERMITTED: OnceLock<bool> = OnceLock::new();
    CpuLevel::Amx.is_available() && *PERMITTED.get_or_init(ask)
}

/// Asks the system for the tiles of all threads.
#[cold]
fn ask() -> bool {
    /// `arch_prctl` with `ARCH_REQ_XCOMP_PERM` for the data of tiles.
    const CALL: usize = 158;
    const REQUEST: usize = 0x1023;
    const TILES: usize = 18;
    let result: isize;
    // Safety: the call reads no memory; it overwrites these registers alone.
    unsafe {
        asm!(
            "syscall",
            inlateout("rax") CALL => result,
            in("rdi") REQUEST,
            in("rsi") TILES,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    result == 0
}

/// Computes every panel for every row, unless tiles are not available or do not suit the product.
pub(super) fn multiply(matrix: &Int8Matrix, x: &Quantized<'_>, y: &mut Output<'_>) -> bool {
    let Some(plan) = is_available().then(|| Plan::of(x.rows.starts, x.rows.runs)).flatten() else {
        return false;
    };
    // Safety: the processor and the system were just checked.
    unsafe { multiply_tiles(matrix, x, y, &plan) };
    true
}

/// The configuration of the tiles, and of the thread while this exists.
#[repr(C, align(64))]
struct Configuration {
    palette: u8,
    start_row: u8,
    reserved: [u8; 14],
    row_bytes: [u16; 16],
    rows: [u8; 16],
}

impl Configuration {
    /// Tiles 0 to 3 are sums, 4 and 5 activations, 6 and 7 weights.
    ///
    /// # Safety
    /// The system permits tiles.
    unsafe fn load(plan: &Plan) -> Loaded {
        let mut tiles =
            Self { palette: 1, start_row: 0, reserved: [0; 14], row_bytes: [0; 16], rows: [0; 16] };
        tiles.row_bytes[..4].fill(MOST as u16);
        tiles.row_bytes[4..6].fill(plan.inputs as u16);
        tiles.row_bytes[6..8].fill(MOST as u16);
        tiles.rows[..6].fill(ROWS as u8);
        tiles.rows[6..8].fill((plan.inputs / GROUP) as u8);
        // Safety: the instruction reads 64 bytes.
        unsafe {
            asm!("ldtilecfg [{}]", in(reg) &raw const tiles, options(nostack, preserves_flags, readonly));
        }
        Loaded
    }
}

/// Releases the tiles.
struct Loaded;

impl Drop for Loaded {
    #[inline(always)]
    fn drop(&mut self) {
        // Safety: the tiles are this thread's, and nothing is in them that is needed.
        unsafe {
            asm!(
                "tilerelease",
                out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                options(nomem, nostack, preserves_flags),
            );
        }
    }
}

/// The sums of up to two tiles of rows by two panels: a tile after the other, the panels of a row beside each other.
#[repr(C, align(64))]
struct Sums([i32; 4 * ROWS * LANES]);

/// Defines a function that computes sums from the activations at `a` and the weights at `b`. Its instructions are
/// those that clear the sums, load a step's tiles, multiply them, and store the sums.
macro_rules! sums {
    ($name:ident: $($clear:literal)+; $($load:literal)+; $($multiply:literal)+; $($store:literal)+) => {
        /// # Safety
        /// The configuration of the plan is loaded, and the rows and panels exist.
        #[inline(always)]
        unsafe fn $name(plan: &Plan, a: [*const u8; 2], b: [*const i8; 2], sums: *mut Sums) {
            // Safety: the caller's; the tiles that are read were written before.
            unsafe {
                asm!(
                    $($clear,)+
                    "2:",
                    "mov {left}, {tiles}",
                    "3:",
                    $($load,)+
                    $($multiply,)+
                    "add {a0}, {inputs}",
                    "add {a1}, {inputs}",
                    // 16 outputs have a weight for each input.
                    "lea {b0}, [{b0} + 8 * {inputs}]",
                    "lea {b0}, [{b0} + 8 * {inputs}]",
                    "lea {b1}, [{b1} + 8 * {inputs}]",
                    "lea {b1}, [{b1} + 8 * {inputs}]",
                    "dec {left}",
                    "jnz 3b",
                    "add {a0}, {gap}",
                    "add {a1}, {gap}",
                    "dec {runs}",
                    "jnz 2b",
                    // Rows of sums have two panels.
                    "add {line}, {line}",
                    $($store,)+
                    a0 = inout(reg) a[0] => _,
                    a1 = inout(reg) a[1] => _,
                    b0 = inout(reg) b[0] => _,
                    b1 = inout(reg) b[1] => _,
                    stride = in(reg) plan.stride,
                    line = inout(reg) MOST => _,
                    inputs = in(reg) plan.inputs,
                    tiles = in(reg) plan.tiles,
                    left = out(reg) _,
                    runs = inout(reg) plan.runs => _,
                    gap = in(reg) plan.gap,
                    sums = in(reg) sums,
                    out("tmm0") _, out("tmm1") _, out("tmm2") _, out("tmm3") _,
                    out("tmm4") _, out("tmm5") _, out("tmm6") _, out("tmm7") _,
                    options(nostack),
                );
            }
        }
    };
}

sums! {
    two_by_two:
    "tilezero tmm0" "tilezero tmm1" "tilezero tmm2" "tilezero tmm3";
    "tileloadd tmm6, [{b0} + {line}]"
    "tileloadd tmm4, [{a0} + {stride}]"
    "tileloadd tmm7, [{b1} + {line}]"
    "tileloadd tmm5, [{a1} + {stride}]";
    "tdpbusd tmm0, tmm4, tmm6"
    "tdpbusd tmm1, tmm4, tmm7"
    "tdpbusd tmm2, tmm5, tmm6"
    "tdpbusd tmm3, tmm5, tmm7";
    "tilestored [{sums} + {line}], tmm0"
    "tilestored [{sums} + {line} + 64], tmm1"
    "tilestored [{sums} + {line} + 2048], tmm2"
    "tilestored [{sums} + {line} + 2112], tmm3"
}
sums! {
    two_by_one:
    "tilezero tmm0" "tilezero tmm2";
    "tileloadd tmm6, [{b0} + {line}]"
    "tileloadd tmm4, [{a0} + {stride}]"
    "tileloadd tmm5, [{a1} + {stride}]";
    "tdpbusd tmm0, tmm4, tmm6"
    "tdpbusd tmm2, tmm5, tmm6";
    "tilestored [{sums} + {line}], tmm0"
    "tilestored [{sums} + {line} + 2048], tmm2"
}
sums! {
    one_by_two:
    "tilezero tmm0" "tilezero tmm1";
    "tileloadd tmm6, [{b0} + {line}]"
    "tileloadd tmm4, [{a0} + {stride}]"
    "tileloadd tmm7, [{b1} + {line}]";
    "tdpbusd tmm0, tmm4, tmm6"
    "tdpbusd tmm1, tmm4, tmm7";
    "tilestored [{sums} + {line}], tmm0"
    "tilestored [{sums} + {line} + 64], tmm1"
}
sums! {
    one_by_one:
    "tilezero tmm0";
    "tileloadd tmm6, [{b0} + {line}]"
    "tileloadd tmm4, [{a0} + {stride}]";
    "tdpbusd tmm0, tmm4, tmm6";
    "tilestored [{sums} + {line}], tmm0"
}

// The upper and the lower bytes of activations, by both bytes of weights.
sums! {
    halves:
    "tilezero tmm0" "tilezero tmm1" "tilezero tmm2" "tilezero tmm3";
    "tileloadd tmm6, [{b0} + {line}]"
    "tileloadd tmm4, [{a0} + {stride}]"
    "tileloadd tmm7, [{b1} + {line}]"
    "tileloadd tmm5, [{a1} + {stride}]";
    "tdpbssd tmm0, tmm4, tmm6"
    "tdpbsud tmm1, tmm4, tmm7"
    "tdpbusd tmm2, tmm5, tmm6"
    "tdpbuud tmm3, tmm5, tmm7";
    "tilestored [{sums} + {line}], tmm0"
    "tilestored [{sums} + {line} + 64], tmm1"
    "tilestored [{sums} + {line} + 2048], tmm2"
    "tilestored [{sums} + {line} + 2112], tmm3"
}

/// The scales that turn sums into outputs.
struct Scaled<'a> {
    of_outputs: &'a [f32],
    /// The scale of each row, or one for all.
    of_rows: &'a [f32],
    bias: &'a [f32],
}

impl Scaled<'_> {
    /// Writes `P` panels of some rows. Everything that rows share is read once: the compiler cannot know that outputs do
    /// not overwrite it.
    ///
    /// # Safety
    /// The rows and panels exist, and the processor has the instructions.
    #[inline(always)]
    unsafe fn write<const P: usize>(
        &self,
        y: &mut Output<'_>,
        rows: Range<usize>,
        panel: usize,
        sums: impl Fn(usize) -> [__m512i; P],
    ) {
        type L = Avx512Vnni;
        // Safety: the caller's.
        unsafe {
            let of_panels = |numbers: &[f32]| {
                let mut all = [L::splat(0.0); P];
                for (p, all) in all.iter_mut().enumerate() {
                    *all = L::load(numbers.as_ptr().add((panel + p) * LANES));
                }
                all
            };
            let (of_outputs, bias) = (of_panels(self.of_outputs), of_panels(self.bias));
            let one = (self.of_rows.len() == 1).then(|| {
                let scale = L::splat(self.of_rows[0]);
                of_outputs.map(|of_output| L::multiply(scale, of_output))
            });
            let After { row: added, residual, relu } = y.after;
            let added = added.map(of_panels);
            let (data, starts) = (y.data.as_mut_ptr(), y.starts);
            for row in rows {
                let sums = sums(row);
                let to = data.add(*starts.get_unchecked(row) as usize + panel * LANES);
                for p in 0..P {
                    let factor = match one {
                        Some(factors) => factors[p],
                        None => L::multiply(L::splat(*self.of_rows.get_unchecked(row)), of_outputs[p]),
                    };
                    let mut result = L::add(L::multiply(_mm512_cvtepi32_ps(sums[p]), factor), bias[p]);
                    if let Some(added) = added {
                        result = L::add(result, added[p]);
                    }
                    if residual {
                        result = L::add(L::load(to.add(p * LANES)), result);
                    }
                    if relu {
                        result = L::relu(result);
                    }
                    L::store(to.add(p * LANES), result);
                }
            }
        }
    }
}

/// # Safety
/// The processor has AMX and AVX-512 with VNNI, the system permits tiles, and the plan is of the product.
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c,bmi1,bmi2")]
unsafe fn multiply_tiles(matrix: &Int8Matrix, x: &Quantized<'_>, y: &mut Output<'_>, plan: &Plan) {
    let (rows, panels) = (x.rows.starts.len(), matrix.panels());
    let scaled = Scaled { of_outputs: &matrix.scales, of_rows: x.scales, bias: &matrix.bias };
    let start = matrix.start[0].as_ptr();
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // Safety: all tiles are inside the operand's rows and the matrix. The last one of the rows may begin inside the one
    // before it; each row is written once. The sums of a block are stored before they are read.
    unsafe {
        let _loaded = Configuration::load(plan);
        let at_row = |row: usize| x.rows.data.as_ptr().add(*x.rows.starts.get_unchecked(row) as usize);
        let at_panel = |panel: usize| matrix.weights.as_ptr().add(panel * plan.panel_len);
        for panel in (0..panels).step_by(2) {
            let both = panel + 1 < panels;
            let b = [at_panel(panel), at_panel(if both { panel + 1 } else { panel })];
            for row in (0..rows).step_by(2 * ROWS) {
                let firsts = [row.min(rows - ROWS), (row + ROWS).min(rows - ROWS)];
                let several = row + ROWS < rows;
                let a = firsts.map(at_row);
                match (several, both) {
                    (true, true) => two_by_two(plan, a, b, sums),
                    (true, false) => two_by_one(plan, a, b, sums),
                    (false, true) => one_by_two(plan, a, b, sums),
                    (false, false) => one_by_one(plan, a, b, sums),
                }
                for (tile, &first) in firsts[..1 + usize::from(several)].iter().enumerate() {
                    let (begin, start) = (row + tile * ROWS, start.add(panel * LANES));
                    let sum = |of_row: usize, part: usize| {
                        let line = (tile * ROWS + of_row - first) * 2 + part;
                        let sum = _mm512_load_si512(sums.cast::<i32>().add(line * LANES).cast());
                        _mm512_add_epi32(sum, _mm512_load_si512(start.add(part * LANES).cast()))
                    };
                    if both {
                        scaled.write(y, begin..first + ROWS, panel, |row| [sum(row, 0), sum(row, 1)]);
                    } else {
                        scaled.write(y, begin..first + ROWS, panel, |row| [sum(row, 0)]);
                    }
                }
            }
        }
    }
}

/// Products of 16 bits: the upper and lower bytes are in tiles of their own.
pub(super) struct Halves<'a> {
    plan: Plan,
    starts: &'a [u32],
    runs: Runs,
}

impl<'a> Halves<'a> {
    /// `None` if tiles are not available or do not suit the product.
    pub(super) fn of(matrix: &Int16Matrix, starts: &'a [u32], runs: Runs) -> Option<Self> {
        let used = is_available() && !matrix.halves.is_empty();
        Some(Self { plan: used.then(|| Plan::of(starts, runs)).flatten()?, starts, runs })
    }

    /// Computes every panel for every row; the upper bytes of the activations are in the first half of `x`.
    pub(super) fn multiply(&self, matrix: &Int16Matrix, x: &Buffer<i16>, scale: f32, y: &mut Output<'_>) {
        let (upper, lower) = bytemuck::cast_slice::<i16, u8>(x).split_at(x.len());
        let [upper, lower] = [upper, lower].map(|half| Operand::new(half, self.starts, self.runs));
        assert_eq!((self.runs.inputs(), self.starts.len()), (matrix.inputs, y.starts.len()));
        // Safety: the processor and the system were checked for the plan.
        unsafe { multiply_halves(matrix, [&upper, &lower], scale, y, &self.plan) };
    }
}

/// # Safety
/// As for [`multiply_tiles`].
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c,bmi1,bmi2")]
unsafe fn multiply_halves(
    matrix: &Int16Matrix,
    x: [&Operand<'_, u8>; 2],
    scale: f32,
    y: &mut Output<'_>,
    plan: &Plan,
) {
    let starts = x[0].starts;
    let scaled = Scaled { of_outputs: &matrix.scales, of_rows: &[scale], bias: &matrix.bias };
    let mut sums = MaybeUninit::<Sums>::uninit();
    let sums = sums.as_mut_ptr();
    // Safety: as in `multiply_tiles`.
    unsafe {
        let _loaded = Configuration::load(plan);
        for panel in 0..matrix.panels() {
            let weights = matrix.halves.as_ptr().add(panel * plan.panel_len);
            let b = [weights, weights.add(matrix.halves.len() / 2)];
            for row in (0..starts.len()).step_by(ROWS) {
                let first = row.min(starts.len() - ROWS);
                let a = x.map(|x| x.data.as_ptr().add(*starts.get_unchecked(first) as usize));
                halves(plan, a, b, sums);
                scaled.write(y, row..first + ROWS, panel, |of_row| {
                    let line = sums.cast::<i32>().add((of_row - first) * 2 * LANES);
                    let at = |place: usize| _mm512_load_si512(line.add(place).cast());
                    let middle = _mm512_add_epi32(at(LANES), at(ROWS * 2 * LANES));
                    let upper =
                        _mm512_add_epi32(_mm512_slli_epi32::<16>(at(0)), _mm512_slli_epi32::<8>(middle));
                    [_mm512_add_epi32(upper, at((ROWS * 2 + 1) * LANES))]
                });
            }
        }
    }
}
