//! Slow reference arithmetic of the networks.

use super::{BLOCKS, Parts, WIDTH};

/// Slow arithmetic in double precision over the tensors of a file.
pub(super) struct Slow<'a>(pub(super) &'a Parts);

type Matrix = Vec<Vec<f64>>;

impl Slow<'_> {
    fn numbers(&self, name: &str) -> (Vec<usize>, Vec<f64>) {
        let (_, _, shape, bytes) = self.0.iter().find(|part| part.0 == name).unwrap();
        let numbers = bytes.chunks_exact(4).map(|b| f64::from(f32::from_le_bytes(b.try_into().unwrap())));
        (shape.clone(), numbers.collect())
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|part| part.0 == name)
    }

    fn table(&self, table: usize, byte: u8) -> f64 {
        self.numbers("tables").1[table * 256 + usize::from(byte)]
    }

    fn dense(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let (shape, weights) = self.numbers(&format!("{name}.weight"));
        let bias = format!("{name}.bias");
        let bias = if self.has(&bias) { self.numbers(&bias).1 } else { vec![0.0; shape[0]] };
        let row =
            |o: usize| weights[o * x.len()..(o + 1) * x.len()].iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        (0..shape[0]).map(|o| row(o) + bias[o]).collect()
    }

    /// `x[cell][channel]`
    fn convolve(&self, name: &str, x: &Matrix, (rows, columns): (usize, usize)) -> Matrix {
        let (shape, weights) = self.numbers(&format!("{name}.weight"));
        let (_, bias) = self.numbers(&format!("{name}.bias"));
        let inputs = shape[3];
        let mut y = vec![bias; rows * columns];
        for (cell, y) in y.iter_mut().enumerate() {
            for (o, y) in y.iter_mut().enumerate() {
                for (dr, dc) in (0..3).flat_map(|dr| (0..3).map(move |dc| (dr, dc))) {
                    let (row, column) = (cell / columns + dr, cell % columns + dc);
                    if row == 0 || row > rows || column == 0 || column > columns {
                        continue;
                    }
                    let from = &x[(row - 1) * columns + column - 1];
                    *y += (0..inputs)
                        .map(|i| weights[((o * 3 + dr) * 3 + dc) * inputs + i] * from[i])
                        .sum::<f64>();
                }
            }
        }
        y
    }

    fn norm(&self, name: &str, x: &[f64]) -> Vec<f64> {
        let n = x.len() as f64;
        let mean = x.iter().sum::<f64>() / n;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        let (scale, shift) =
            (self.numbers(&format!("{name}.weight")).1, self.numbers(&format!("{name}.bias")).1);
        let factor = (variance + 1e-5).sqrt();
        (0..x.len()).map(|i| (x[i] - mean) / factor * scale[i] + shift[i]).collect()
    }

    /// Numbers, or means of distributions over the support.
    fn values(&self, x: &[f64]) -> Vec<f64> {
        let found = self.dense("value", &relu(self.dense("value_hidden", x)));
        if !self.has("support") {
            return found;
        }
        let (_, support) = self.numbers("support");
        let means = found.chunks_exact(support.len()).map(|logits| {
            let weights: Vec<f64> = logits.iter().map(|logit| logit.exp()).collect();
            weights.iter().zip(&support).map(|(weight, point)| weight * point).sum::<f64>()
                / weights.iter().sum::<f64>()
        });
        means.collect()
    }

    /// Logits and values of an observation.
    pub(super) fn flat(&self, row: &[u8]) -> (Vec<f64>, Vec<f64>) {
        // Element `i` uses table `1 + i % 2`.
        let inputs: Vec<f64> = row.iter().enumerate().map(|(i, &byte)| self.table(1 + i % 2, byte)).collect();
        let mut x = self.dense("scalars", &inputs);
        for block in 0..BLOCKS {
            let name = |part: &str| format!("blocks.{block}.{part}");
            let inner = relu(self.dense(&name("first"), &self.norm(&name("norm"), &x)));
            x = sum(&x, &self.dense(&name("second"), &inner));
        }
        let x = relu(self.norm("norm", &x));
        (self.dense("policy_others", &x), self.values(&x))
    }

    pub(super) fn over_board(&self, row: &[u8], board: (usize, usize)) -> (Vec<f64>, Vec<f64>) {
        let cells = board.0 * board.1;
        let look = |cell: usize| {
            vec![self.table(1, row[cell]), self.table(2, row[cells + cell]), self.table(2, row[cell])]
        };
        let planes: Matrix = (0..cells).map(look).collect();
        // The field "clock" has two numbers: the third scalar input is missing and therefore 0.
        let clock = [self.table(1, row[2 * cells]), self.table(1, row[2 * cells + 1]), 0.0];
        let everywhere = self.dense("scalars", &clock);
        let start = self.convolve("planes", &planes, board);
        let cells: Matrix = start.iter().map(|x| relu(sum(x, &everywhere))).collect();
        let x = if self.has("down.weight") { self.patches(&cells, board) } else { self.deepen(cells, board) };
        let planes: Matrix = x.iter().map(|x| self.dense("policy_planes", x)).collect();
        let mut logits: Vec<f64> = planes.iter().map(|cell| cell[0]).collect();
        logits.extend(self.dense("policy_others", &mean(&x)));
        logits.extend(planes.iter().map(|cell| cell[1]));
        (logits, self.values(&mean(&x)))
    }

    /// The blocks over patches, added to the cells.
    fn patches(&self, cells: &Matrix, (rows, columns): (usize, usize)) -> Matrix {
        let inputs = self.numbers("down.weight").0[1] / WIDTH;
        let stride = (1..).find(|stride| stride * stride == inputs).unwrap();
        let size = (rows.div_ceil(stride), columns.div_ceil(stride));
        let of_patch = |patch: usize| -> Vec<f64> {
            let (row, column) = (patch / size.1 * stride, patch % size.1 * stride);
            let cell = |i: usize| match (row + i / stride, column + i % stride) {
                (row, column) if row < rows && column < columns => cells[row * columns + column].clone(),
                _ => vec![0.0; WIDTH],
            };
            relu(self.dense("down", &(0..inputs).flat_map(cell).collect::<Vec<_>>()))
        };
        let patches = self.deepen((0..size.0 * size.1).map(of_patch).collect(), size);
        let added = |(cell, x): (usize, &Vec<f64>)| {
            let (row, column) = (cell / columns, cell % columns);
            let up = self.dense("up", &patches[row / stride * size.1 + column / stride]);
            let at = row % stride * stride + column % stride;
            relu(sum(x, &up[at * WIDTH..(at + 1) * WIDTH]))
        };
        cells.iter().enumerate().map(added).collect()
    }

    fn deepen(&self, mut x: Matrix, board: (usize, usize)) -> Matrix {
        for block in 0..BLOCKS {
            let name = |part: &str| format!("blocks.{block}.{part}");
            let of_mean = self.dense(&name("pooled"), &mean(&x));
            let inner = self.convolve(&name("first"), &x, board);
            let inner: Matrix = inner.iter().map(|inner| relu(sum(inner, &of_mean))).collect();
            let added = self.convolve(&name("second"), &inner, board);
            x = x.iter().zip(&added).map(|(x, added)| relu(sum(x, added))).collect();
        }
        x
    }
}

fn relu(x: Vec<f64>) -> Vec<f64> {
    x.into_iter().map(|x| x.max(0.0)).collect()
}

fn sum(x: &[f64], y: &[f64]) -> Vec<f64> {
    x.iter().zip(y).map(|(x, y)| x + y).collect()
}

fn mean(x: &Matrix) -> Vec<f64> {
    (0..x[0].len()).map(|i| x.iter().map(|row| row[i]).sum::<f64>() / x.len() as f64).collect()
}

impl Slow<'_> {
    pub(super) fn over_map(&self, row: &[u8]) -> (Vec<f64>, Vec<f64>) {
        let bit = |octets: &[u8], node: usize| octets[node / 8] >> (node % 8) & 1;
        let near = |node: usize| -> Vec<usize> {
            (0..11).filter(|&other| bit(&row[3 + 2 * node..], other) == 1).collect()
        };
        let nodes: Vec<usize> = (0..11).filter(|&node| !near(node).is_empty()).collect();
        let inputs = |node: usize| {
            let owned = |seat: usize| f64::from(bit(&row[25 + 2 * seat..], node));
            // The field "owned" has two sets: the fourth input is missing and therefore 0.
            vec![owned(0), owned(1), self.table(1, row[29 + node]), 0.0]
        };
        let mut g = relu(self.dense("scalars", &[self.table(1, row[0]), self.table(10, row[2])]));
        let spread = self.dense("spread", &g);
        let mut x: Matrix = vec![vec![0.0; WIDTH]; 11];
        for &node in &nodes {
            x[node] = relu(sum(&self.dense("planes", &inputs(node)), &spread));
        }
        for block in 0..BLOCKS {
            let name = |part: &str| format!("blocks.{block}.{part}");
            let whole = self.dense(&name("whole"), &g);
            let before = x.clone();
            for &node in &nodes {
                let around: Matrix = near(node).iter().map(|&other| before[other].clone()).collect();
                let joined = [before[node].clone(), mean(&around)].concat();
                let inner = relu(sum(&self.dense(&name("first"), &joined), &whole));
                x[node] = relu(sum(&before[node], &self.dense(&name("second"), &inner)));
            }
            let real: Matrix = nodes.iter().map(|&node| x[node].clone()).collect();
            let joined = [g.clone(), mean(&real)].concat();
            g = relu(sum(&g, &self.dense(&name("mixed"), &joined)));
        }
        let planes: Matrix = x.iter().map(|x| self.dense("policy_planes", x)).collect();
        let mut logits: Vec<f64> = planes.iter().map(|node| node[0]).collect();
        logits.extend(self.dense("policy_others", &g));
        logits.extend(planes.iter().map(|node| node[1]));
        (logits, self.values(&g))
    }
}
