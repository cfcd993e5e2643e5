//! Products compared with slow recomputations, to the last bit, at every level of the processor.

use super::buffers::{Buffer, row_len};
use super::float::FloatMatrix;
use super::fused::{emulated, fused};
use super::int8::{Int8Matrix, Quantized};
use super::int16::{Int16Matrix, Plain};
use super::operand::{After, Operand, Output, Runs};
use super::sparse::{CellEntries, Entries, SparseMatrix};
use super::{LANES, SparseInputs, mean_of_rows, normalize};
use crate::engine::{CpuLevel, Named};

/// Pseudo-random numbers.
struct Noise(u64);

impl Noise {
    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    /// In [-1, 1].
    fn number(&mut self) -> f32 {
        self.bits() as f32 / (1_u64 << 31) as f32 - 1.0
    }

    fn numbers(&mut self, count: usize) -> Vec<f32> {
        (0..count).map(|_| self.number()).collect()
    }
}

/// Calls `compute` at every level that the processor has, and checks that the results have the bits of `wanted`.
fn assert_at_every_level(wanted: &[f32], mut compute: impl FnMut() -> Vec<f32>) {
    let bits = |numbers: &[f32]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
    for &(name, level) in CpuLevel::NAMES {
        level.limit_to();
        assert_eq!(bits(&compute()), bits(wanted), "{name}");
    }
    CpuLevel::limit().unwrap().unwrap_or(CpuLevel::HIGHEST).limit_to();
}

/// Offsets of `rows` rows.
fn starts(rows: usize, len: usize) -> Vec<u32> {
    (0..rows).map(|row| (row * len) as u32).collect()
}

/// What [`After`] says, for a single output.
fn after(result: f32, output: usize, before: f32, after: &After<'_>) -> f32 {
    let result = after.row.map_or(result, |row| result + row[output]);
    let result = if after.residual { before + result } else { result };
    if after.relu && result <= 0.0 { 0.0 } else { result }
}

#[test]
fn emulated_multiply_add_rounds_once() {
    let mut noise = Noise(1);
    let special = [0.0, -0.0, 1.0, -1.0, f32::MIN_POSITIVE, 1e-45, -1e-45, f32::MAX, f32::MIN, f32::EPSILON];
    let mut cases: Vec<[f32; 3]> = Vec::new();
    for a in special {
        cases.extend(special.into_iter().flat_map(|b| special.map(|c| [a, b, c])));
    }
    for _ in 0..200_000 {
        let any = [(); 3].map(|()| f32::from_bits(noise.bits()));
        let [a, b, _] = any;
        // Sums that almost cancel, and halves of the last place.
        let near = -(a * b) * (1.0 + f32::EPSILON * (noise.bits() % 5) as f32);
        let tie = (a * b) * f32::from_bits((127 - 24 + noise.bits() % 3) << 23);
        cases.extend([any, [a, b, near], [a, b, tie]]);
        cases.push([(); 3].map(|()| noise.number()));
    }
    for [a, b, c] in cases.into_iter().filter(|case| case.iter().all(|x| x.is_finite())) {
        let wanted = a.mul_add(b, c);
        for found in [emulated(a, b, c), fused(a, b, c)] {
            let same = found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan();
            assert!(same, "{a:e} * {b:e} + {c:e}: {found:e}, {wanted:e}");
        }
    }
}

#[test]
fn products_are_chains_of_multiply_adds() {
    let mut noise = Noise(2);
    for (inputs, outputs) in [(1, 1), (3, 16), (7, 33), (64, 48), (40, 64), (21, 150)] {
        let (weights, bias) = (noise.numbers(inputs * outputs), noise.numbers(outputs));
        let matrix = FloatMatrix::pack(&weights, Some(&bias), inputs).unwrap();
        let width = row_len(outputs);
        for rows in [1, 2, 3, 4, 5, 7, 8, 13, 22] {
            let (x, row, before) =
                (noise.numbers(rows * inputs), noise.numbers(width), noise.numbers(rows * width));
            for (residual, relu) in [(false, false), (true, false), (false, true), (true, true)] {
                let then = After { row: relu.then_some(&row), residual, relu };
                let mut wanted = before.clone();
                for (x, y) in x.chunks_exact(inputs).zip(wanted.chunks_exact_mut(width)) {
                    for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                        let sum = x
                            .iter()
                            .zip(weights)
                            .fold(bias[output], |sum, (x, weight)| x.mul_add(*weight, sum));
                        y[output] = after(sum, output, y[output], &then);
                    }
                    for (output, y) in y.iter_mut().enumerate().skip(outputs) {
                        *y = after(0.0, output, *y, &then);
                    }
                }
                let (from, to) = (starts(rows, inputs), starts(rows, width));
                assert_at_every_level(&wanted, || {
                    let mut y = before.clone();
                    let x = Operand::new(&x, &from, Runs::dense(inputs));
                    matrix.apply(&x, &mut Output::new(&mut y, &to, width, then), 0..matrix.panels());
                    y
                });
            }
        }
    }
}

/// The inputs of a cell's neighbourhood, on a board without a border.
fn neighbourhood(x: &[f32], channels: usize, (rows, columns): (usize, usize), cell: usize) -> Vec<f32> {
    let mut inputs = Vec::new();
    for (dr, dc) in (0..3).flat_map(|dr| (0..3).map(move |dc| (dr, dc))) {
        let (row, column) = (cell / columns + dr, cell % columns + dc);
        let inside = (1..=rows).contains(&row) && (1..=columns).contains(&column);
        let from = inside.then(|| ((row - 1) * columns + column - 1) * channels);
        inputs.extend((0..channels).map(|channel| from.map_or(0.0, |from| x[from + channel])));
    }
    inputs
}

#[test]
fn sums_of_bytes_are_exact_and_rounded_as_documented() {
    let mut noise = Noise(3);
    for (board, channels, outputs) in [
        ((3, 4), 16, 20),
        ((1, 1), 16, 16),
        ((8, 8), 32, 40),
        ((5, 7), 48, 33),
        ((4, 13), 64, 64),
        ((1, 17), 80, 16),
        ((16, 2), 96, 50),
    ] {
        let (cells, inputs) = (board.0 * board.1, 9 * channels);
        let (weights, bias) = (noise.numbers(inputs * outputs), noise.numbers(outputs));
        let matrix = Int8Matrix::pack(&weights, Some(&bias), inputs, false).unwrap();
        let x: Vec<f32> = noise.numbers(cells * channels).into_iter().map(|x| x.max(0.0)).collect();
        let most = x.iter().copied().fold(0.0, f32::max);
        let quantized: Vec<f32> = x.iter().map(|x| (x * (255.0 / most)).round_ties_even()).collect();
        let width = row_len(outputs);
        let mut wanted = vec![0.0; cells * width];
        for (cell, y) in wanted.chunks_exact_mut(width).enumerate() {
            let inputs_of_cell = neighbourhood(&quantized, channels, board, cell);
            for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                y[output] = int8_output(&inputs_of_cell, weights, most / 255.0, bias[output]);
            }
        }
        let (from, to) = (starts(cells, 3 * channels), starts(cells, width));
        assert_at_every_level(&wanted, || {
            let mut bytes: Buffer<u8> = Buffer::zeroed((board.0 + 2) * board.1 * 3 * channels).unwrap();
            let scale = matrix.quantize_board(&x, &mut bytes, channels, board.1);
            let rows = Operand::new(&bytes[..], &from, Runs::triples(channels, board.1));
            let mut y = vec![0.0; cells * width];
            let x = Quantized { rows, scales: &[scale] };
            matrix.apply(&x, &mut Output::new(&mut y, &to, width, After::default()));
            y
        });
    }
    // Rows with negative numbers have scales of their own.
    for (inputs, outputs) in [(4, 16), (30, 7), (256, 80), (44, 48), (272, 16), (300, 32)] {
        let (weights, bias) = (noise.numbers(inputs * outputs), noise.numbers(outputs));
        let matrix = Int8Matrix::pack(&weights, Some(&bias), inputs, true).unwrap();
        let (len, width) = (row_len(inputs), row_len(outputs));
        for rows in [1, 3, 6, 13, 16, 17, 32, 33, 63] {
            let mut x = vec![0.0; rows * len];
            let mut wanted = vec![0.0; rows * width];
            for (row, (x, y)) in x.chunks_exact_mut(len).zip(wanted.chunks_exact_mut(width)).enumerate() {
                x[..inputs].copy_from_slice(&noise.numbers(inputs));
                x[..inputs].iter_mut().for_each(|x| *x *= row as f32);
                let most = x.iter().copied().map(f32::abs).fold(0.0, f32::max);
                let factor = if most > 0.0 { 127.0 / most } else { 0.0 };
                let x: Vec<f32> = x[..inputs].iter().map(|x| (x * factor).round_ties_even()).collect();
                for (output, weights) in weights.chunks_exact(inputs).enumerate() {
                    y[output] = int8_output(&x, weights, most / 127.0, bias[output]);
                }
            }
            let (from, to) = (starts(rows, len), starts(rows, width));
            assert_at_every_level(&wanted, || {
                let mut bytes: Buffer<u8> = Buffer::zeroed(rows * len).unwrap();
                let mut scales = vec![0.0; rows];
                matrix.quantize(&x, &mut bytes, len, &mut scales);
                let rows = Operand::new(&bytes[..], &from, Runs::dense(matrix.inputs()));
                let mut y = vec![0.0; wanted.len()];
                let x = Quantized { rows, scales: &scales };
                matrix.apply(&x, &mut Output::new(&mut y, &to, width, After::default()));
                y
            });
        }
    }
}

#[test]
fn sums_of_words_are_exact_and_rounded_as_documented() {
    let mut noise = Noise(9);
    let output = |inputs: &[f32], weights: &[f32], scale: f32, bias: f32| {
        let most = weights.iter().copied().map(f32::abs).fold(0.0, f32::max);
        let rounded = |weight: f32| (weight * (2047.0 / most)).round_ties_even() as i64;
        let sum: i64 = inputs.iter().zip(weights).map(|(&x, &weight)| x as i64 * rounded(weight)).sum();
        assert!(i32::try_from(sum).is_ok());
        sum as f32 * (scale * (most / 2047.0)) + bias
    };
    let levels = |weights: &[f32], inputs: usize| {
        let sums = weights.chunks_exact(inputs).map(|weights| {
            let most = weights.iter().copied().map(f32::abs).fold(0.0, f32::max);
            weights.iter().map(|x| (x * (2047.0 / most)).round_ties_even().abs() as i64).sum::<i64>()
        });
        (i64::from(i32::MAX) / sums.max().unwrap()).min(32_767) as f32
    };
    let boards = [((3, 4), 16, 20), ((8, 8), 32, 40), ((5, 7), 48, 33), ((4, 13), 64, 64), ((16, 2), 96, 16)];
    for (board, channels, outputs) in boards {
        let (cells, inputs) = (board.0 * board.1, 9 * channels);
        // Equal weights have the largest sums.
        for equal in [false, true] {
            let weights = if equal { vec![-0.5; inputs * outputs] } else { noise.numbers(inputs * outputs) };
            let bias = noise.numbers(outputs);
            let matrix = Int16Matrix::pack(&weights, Some(&bias), inputs).unwrap();
            let x = if equal { vec![2.0; cells * channels] } else { noise.numbers(cells * channels) };
            let most = x.iter().copied().map(f32::abs).fold(0.0, f32::max);
            let levels = levels(&weights, inputs);
            let quantized: Vec<f32> = x.iter().map(|x| (x * (levels / most)).round_ties_even()).collect();
            let width = row_len(outputs);
            let mut wanted = vec![0.0; cells * width];
            for (cell, y) in wanted.chunks_exact_mut(width).enumerate() {
                let of_cell = neighbourhood(&quantized, channels, board, cell);
                for (i, weights) in weights.chunks_exact(inputs).enumerate() {
                    y[i] = output(&of_cell, weights, most / levels, bias[i]);
                }
            }
            let (from, to) = (starts(cells, 3 * channels), starts(cells, width));
            assert_at_every_level(&wanted, || {
                let mut words = Buffer::zeroed((board.0 + 2) * board.1 * 3 * channels).unwrap();
                let mut y = vec![0.0; cells * width];
                let plain = Plain::Board { x: &x, starts: &from, channels, columns: board.1 };
                let mut to = Output::new(&mut y, &to, width, After::default());
                matrix.apply(&plain, &mut words, &mut Buffer::zeroed(1).unwrap(), &mut to);
                y
            });
        }
    }
    for (inputs, outputs, rows) in [(4, 16, 1), (30, 7, 5), (256, 80, 17)] {
        let (weights, bias) = (noise.numbers(inputs * outputs), noise.numbers(outputs));
        let matrix = Int16Matrix::pack(&weights, Some(&bias), inputs).unwrap();
        let (len, width, levels) = (row_len(inputs), row_len(outputs), levels(&weights, inputs));
        let mut x = vec![0.0; rows * len];
        let mut wanted = vec![0.0; rows * width];
        for (row, (x, y)) in x.chunks_exact_mut(len).zip(wanted.chunks_exact_mut(width)).enumerate() {
            x[..inputs].copy_from_slice(&noise.numbers(inputs));
            x[..inputs].iter_mut().for_each(|x| *x *= row as f32);
            let most = x.iter().copied().map(f32::abs).fold(0.0, f32::max);
            let factor = if most > 0.0 { levels / most } else { 0.0 };
            let x: Vec<f32> = x[..inputs].iter().map(|x| (x * factor).round_ties_even()).collect();
            for (i, weights) in weights.chunks_exact(inputs).enumerate() {
                y[i] = output(&x, weights, most / levels, bias[i]);
            }
        }
        let (from, to) = (starts(rows, len), starts(rows, width));
        assert_at_every_level(&wanted, || {
            let mut y = vec![0.0; wanted.len()];
            let mut words = Buffer::zeroed(rows * len).unwrap();
            let mut scales = Buffer::zeroed(rows).unwrap();
            let plain = Plain::Rows { x: &x, starts: &from, len };
            let mut to = Output::new(&mut y, &to, width, After::default());
            matrix.apply(&plain, &mut words, &mut scales, &mut to);
            y
        });
    }
}

/// An output from inputs that are integers.
fn int8_output(inputs: &[f32], weights: &[f32], scale: f32, bias: f32) -> f32 {
    let most = weights.iter().copied().map(f32::abs).fold(0.0, f32::max);
    let rounded = |weight: f32| (weight * (127.0 / most)).round_ties_even() as i64;
    let sum: i64 = inputs.iter().zip(weights).map(|(&x, &weight)| x as i64 * rounded(weight)).sum();
    sum as f32 * (scale * (most / 127.0)) + bias
}

#[test]
fn largest_inputs_of_bytes_do_not_overflow() {
    let inputs = Int8Matrix::MAX_INPUTS / 4 * 4;
    for sign in [1.0, -1.0] {
        let matrix = Int8Matrix::pack(&vec![sign; inputs], None, inputs, true).unwrap();
        for x in [1.0, -1.0] {
            let mut bytes: Buffer<u8> = Buffer::zeroed(inputs).unwrap();
            let mut scales = [0.0];
            matrix.quantize(&vec![x; inputs], &mut bytes, inputs, &mut scales);
            let wanted: Vec<f32> =
                (0..LANES).map(|i| if i == 0 { sign * x * inputs as f32 } else { 0.0 }).collect();
            for &(name, level) in CpuLevel::NAMES {
                level.limit_to();
                let mut y = [0.0; LANES];
                let rows = Operand::new(&bytes[..], &[0], Runs::dense(inputs));
                let x = Quantized { rows, scales: &scales };
                matrix.apply(&x, &mut Output::new(&mut y, &[0], LANES, After::default()));
                assert!((y[0] - wanted[0]).abs() <= 1e-5 * wanted[0].abs(), "{name}: {y:?}");
            }
        }
    }
    CpuLevel::limit().unwrap().unwrap_or(CpuLevel::HIGHEST).limit_to();
}

#[test]
fn sparse_rows_are_the_chain_of_their_entries() {
    let mut noise = Noise(4);
    for (outputs, halves) in [(16, true), (33, false), (300, true), (300, false)] {
        let inputs = 50;
        let mut weights = noise.numbers(inputs * outputs);
        if halves {
            weights.iter_mut().for_each(|weight| *weight = half::f16::from_f32(*weight * 1e-3).to_f32());
        }
        let bias = noise.numbers(outputs);
        let matrix = SparseMatrix::pack(&weights, Some(&bias), inputs).unwrap();
        for count in [0, 1, 5, 17] {
            let chosen: Vec<usize> = (0..count).map(|i| i * 47 % inputs).collect();
            let values = noise.numbers(count);
            let mut entries = Entries::new(inputs).unwrap();
            for (i, (&input, &value)) in chosen.iter().zip(&values).enumerate() {
                let (inputs, values) = entries.block(i);
                (inputs[0], values[0]) = (input as u32, value);
            }
            entries.set_len(count);
            let mut wanted = vec![0.0; row_len(outputs)];
            for (output, y) in wanted[..outputs].iter_mut().enumerate() {
                let weight = |input: usize| weights[output * inputs + input];
                *y = chosen.iter().zip(&values).fold(bias[output], |y, (&i, x)| x.mul_add(weight(i), y));
            }
            assert_at_every_level(&wanted, || {
                let mut y = vec![1.0; wanted.len()];
                matrix.apply(&entries, &mut y);
                y
            });
        }
    }
}

#[test]
fn boards_of_few_inputs_are_the_chain_of_their_entries() {
    let mut noise = Noise(10);
    for (board, inputs, outputs, halves) in
        [((8, 8), 5, 64, true), ((3, 1), 2, 33, false), ((1, 4), 1, 100, true)]
    {
        let mut weights = noise.numbers(9 * inputs * outputs);
        if halves {
            weights.iter_mut().for_each(|weight| *weight = half::f16::from_f32(*weight).to_f32());
        }
        let (bias, width) = (noise.numbers(outputs), row_len(outputs));
        let matrix = SparseMatrix::pack(&weights, Some(&bias), 9 * inputs).unwrap();
        let cells = board.0 * board.1;
        let x: Vec<f32> = noise.numbers(cells * inputs).into_iter().map(|x| x.max(0.3) - 0.3).collect();
        let mut wanted = vec![0.0; cells * width];
        for (cell, y) in wanted.chunks_exact_mut(width).enumerate() {
            let of_cell = neighbourhood(&x, inputs, board, cell);
            for (i, weights) in weights.chunks_exact(9 * inputs).enumerate() {
                let sum = of_cell.iter().zip(weights).fold(bias[i], |y, (x, weight)| x.mul_add(*weight, y));
                y[i] = sum.max(0.0);
            }
        }
        let border = board.1 + 2;
        let mut planes = vec![0.0; (board.0 + 2) * border * inputs];
        for (row, x) in x.chunks_exact(board.1 * inputs).enumerate() {
            planes[((row + 1) * border + 1) * inputs..][..x.len()].copy_from_slice(x);
        }
        let mut entries = CellEntries::new((board.0 + 2) * border, inputs).unwrap();
        assert_eq!(entries.read(&planes), x.iter().filter(|&&x| x != 0.0).count());
        let to = starts(cells, width);
        assert_at_every_level(&wanted, || {
            let mut y = vec![1.0; wanted.len()];
            let after = After { relu: true, ..After::default() };
            matrix.apply_to_board(&entries, board.1, &mut Output::new(&mut y, &to, width, after));
            y
        });
    }
}

#[test]
fn rows_are_normalized_and_averaged_alike_at_every_level() {
    let mut noise = Noise(5);
    for width in [1, 15, 16, 40, 256] {
        let (len, rows) = (row_len(width), 3);
        let mut x = vec![0.0; rows * len];
        x.chunks_exact_mut(len).for_each(|x| x[..width].copy_from_slice(&noise.numbers(width)));
        let padded = |mut numbers: Vec<f32>| {
            numbers.resize(len, 0.0);
            numbers
        };
        let (scale, shift) = (padded(noise.numbers(width)), padded(noise.numbers(width)));
        for relu in [false, true] {
            let compute = || {
                let mut y = vec![1.0; x.len()];
                normalize(&x, &mut y, width, &scale, &shift, relu);
                y
            };
            let found = compute();
            assert_at_every_level(&found, compute);
            for (x, y) in x.chunks_exact(len).zip(found.chunks_exact(len)) {
                let (x, n) = (x[..width].iter().map(|x| f64::from(*x)), width as f64);
                let mean = x.clone().sum::<f64>() / n;
                let deviation = (x.clone().map(|x| (x - mean).powi(2)).sum::<f64>() / n + 1e-5).sqrt();
                for (i, x) in x.enumerate() {
                    let wanted = (x - mean) / deviation * f64::from(scale[i]) + f64::from(shift[i]);
                    let wanted = if relu { wanted.max(0.0) } else { wanted };
                    assert!(
                        (f64::from(y[i]) - wanted).abs() < 1e-5 * (1.0 + wanted.abs()),
                        "{} {wanted}",
                        y[i]
                    );
                }
                assert!(y[width..].iter().all(|y| *y == 0.0));
            }
        }
        let starts: Vec<u32> = (0..rows).map(|row| (row * len) as u32).collect();
        let compute = || {
            let mut y = vec![1.0; len];
            mean_of_rows(&x, &starts, &mut y);
            y
        };
        let found = compute();
        assert_at_every_level(&found, compute);
        for (i, mean) in found.iter().enumerate() {
            let wanted: f32 = (0..rows).map(|row| x[row * len + i]).sum::<f32>() / rows as f32;
            assert!((mean - wanted).abs() < 1e-6);
        }
    }
}

#[test]
fn sparse_inputs_of_minibatches() {
    let mut noise = Noise(8);
    for (rows, inputs, outputs, zeros) in
        [(1, 1, 1, 0), (3, 17, 5, 70), (32, 50, 64, 85), (20, 33, 130, 95), (7, 40, 16, 100)]
    {
        let x: Vec<f32> = (0..rows * inputs)
            .map(|_| if noise.bits() % 100 < zeros { 0.0 } else { noise.number() })
            .collect();
        let (weights, bias) = (noise.numbers(outputs * inputs), noise.numbers(outputs));
        let gradient = noise.numbers(rows * outputs);
        let sparse = SparseInputs::new(&x, rows).unwrap();
        assert_eq!(sparse.len(), x.iter().filter(|&&x| x != 0.0).count());
        let mut products = vec![0.0; rows * outputs];
        let mut gradients = vec![0.0; outputs * inputs];
        for input in 0..inputs {
            for row in 0..rows {
                let value = x[input * rows + row];
                for output in 0..outputs {
                    let of_product = &mut products[row * outputs + output];
                    let begin = if input == 0 { bias[output] } else { *of_product };
                    *of_product = value.mul_add(weights[output * inputs + input], begin);
                    let of_weight = &mut gradients[output * inputs + input];
                    *of_weight = value.mul_add(gradient[row * outputs + output], *of_weight);
                }
            }
        }
        let positive = |numbers: Vec<f32>| numbers.into_iter().map(|x| x + 0.0).collect::<Vec<_>>();
        assert_at_every_level(&positive(products), || {
            let mut y = vec![f32::NAN; rows * outputs];
            sparse.product(&weights, &bias, &mut y).unwrap();
            positive(y)
        });
        assert_at_every_level(&positive(gradients), || {
            let mut to = vec![f32::NAN; outputs * inputs];
            sparse.gradient(&gradient, &mut to).unwrap();
            positive(to)
        });
    }
    for (len, rows) in [(5, 2), (0, 0)] {
        assert!(SparseInputs::new(&vec![0.0; len], rows).is_err());
    }
    let sparse = SparseInputs::new(&[0.0; 6], 2).unwrap();
    assert!(sparse.is_empty());
    assert!(sparse.product(&[0.0; 5], &[0.0], &mut [0.0; 2]).is_err());
    assert!(sparse.gradient(&[0.0; 2], &mut [0.0; 2]).is_err());
}
