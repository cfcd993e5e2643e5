//! Colour perception: contrast, and differences under colour-vision deficiencies.

use ludovec::engine::{SEAT_COLOURS, Theme};
use ludovec::games;

use crate::scenes::NO_OPTIONS;

/// Minimum difference between seats, by CIEDE2000.
const LEAST: f64 = 15.0;

/// Linear RGB under a complete colour-vision deficiency: Machado, Oliveira and Fernandes, "A Physiologically-based
/// Model for Simulation of Color Vision Deficiency", IEEE TVCG 15 (2009), table for severity 1.0.
const DEFICIENCIES: [(&str, [[f64; 3]; 3]); 4] = [
    ("no deficiency", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    ),
    (
        "deuteranopia",
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    ),
    (
        "tritanopia",
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ),
];

fn linear(colour: [u8; 3]) -> [f64; 3] {
    colour.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

/// Contrast of two colours by WCAG 2, 1 to 21.
pub fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let luminance = |colour| {
        let [r, g, b] = linear(colour);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a) + 0.05, luminance(b) + 0.05);
    a.max(b) / a.min(b)
}

/// `#rrggbb`.
fn parse(colour: &str) -> [u8; 3] {
    [1, 3, 5].map(|at| u8::from_str_radix(&colour[at..at + 2], 16).unwrap())
}

fn times(matrix: [[f64; 3]; 3], vector: [f64; 3]) -> [f64; 3] {
    matrix.map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum())
}

/// CIE L*a*b* of linear sRGB, under D65.
fn lab(rgb: [f64; 3]) -> [f64; 3] {
    let to_xyz = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];
    let [x, y, z] = times(to_xyz, rgb.map(|part| part.clamp(0.0, 1.0)));
    let f = |t: f64| if t > 216.0 / 24389.0 { t.cbrt() } else { (24389.0 / 27.0 * t + 16.0) / 116.0 };
    let (x, y, z) = (f(x / 0.95047), f(y), f(z / 1.08883));
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

/// The difference of two colours by CIEDE2000 (Sharma, Wu and Dalal, 2005).
fn ciede2000([l1, a1, b1]: [f64; 3], [l2, a2, b2]: [f64; 3]) -> f64 {
    let weight = |c: f64| (c.powi(7) / (c.powi(7) + 25f64.powi(7))).sqrt();
    let g = 0.5 * (1.0 - weight((a1.hypot(b1) + a2.hypot(b2)) / 2.0));
    let (a1, a2) = ((1.0 + g) * a1, (1.0 + g) * a2);
    let (c1, c2) = (a1.hypot(b1), a2.hypot(b2));
    let hue =
        |a: f64, b: f64| if a == 0.0 && b == 0.0 { 0.0 } else { b.atan2(a).to_degrees().rem_euclid(360.0) };
    let (h1, h2) = (hue(a1, b1), hue(a2, b2));
    let grey = c1 * c2 == 0.0;
    let dh = if grey { 0.0 } else { (h2 - h1 + 180.0).rem_euclid(360.0) - 180.0 };
    let (dl, dc) = (l2 - l1, c2 - c1);
    let dh_length = 2.0 * (c1 * c2).sqrt() * (dh / 2.0).to_radians().sin();
    let (l, c) = ((l1 + l2) / 2.0, (c1 + c2) / 2.0);
    let h = match () {
        () if grey => h1 + h2,
        () if (h1 - h2).abs() <= 180.0 => (h1 + h2) / 2.0,
        () if h1 + h2 < 360.0 => (h1 + h2 + 360.0) / 2.0,
        () => (h1 + h2 - 360.0) / 2.0,
    };
    let cos = |degrees: f64| degrees.to_radians().cos();
    let t = 1.0 - 0.17 * cos(h - 30.0) + 0.24 * cos(2.0 * h) + 0.32 * cos(3.0 * h + 6.0)
        - 0.20 * cos(4.0 * h - 63.0);
    let sl = 1.0 + 0.015 * (l - 50.0).powi(2) / (20.0 + (l - 50.0).powi(2)).sqrt();
    let (sc, sh) = (1.0 + 0.045 * c, 1.0 + 0.015 * c * t);
    let turn = 60.0 * (-((h - 275.0) / 25.0).powi(2)).exp();
    let rt = -2.0 * weight(c) * turn.to_radians().sin();
    let (dl, dc, dh) = (dl / sl, dc / sc, dh_length / sh);
    (dl * dl + dc * dc + dh * dh + rt * dc * dh).sqrt()
}

#[test]
fn the_difference_of_colours_is_that_of_its_published_examples() {
    // Pairs 1, 7, 13, 17, 19, 25 and 34 of the paper's table.
    let pairs = [
        ([50.0, 2.6772, -79.7751], [50.0, 0.0, -82.7485], 2.0425),
        ([50.0, 0.0, 0.0], [50.0, -1.0, 2.0], 2.3669),
        ([50.0, -0.0010, 2.4900], [50.0, 0.0011, -2.4900], 4.7461),
        ([50.0, 2.5, 0.0], [73.0, 25.0, -18.0], 27.1492),
        ([50.0, 2.5, 0.0], [56.0, -27.0, -3.0], 31.9030),
        ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
        ([2.0776, 0.0795, -1.1350], [0.9033, -0.0636, -0.5514], 0.9082),
    ];
    for (a, b, expected) in pairs {
        assert!((ciede2000(a, b) - expected).abs() < 1e-4, "{a:?} {b:?}: {}", ciede2000(a, b));
    }
}

#[test]
fn seats_differ_for_every_kind_of_colour_vision() {
    let mut palettes = vec![("all games".to_string(), SEAT_COLOURS.to_vec())];
    for entry in games::all() {
        let game = entry.make(NO_OPTIONS).unwrap();
        for theme in [Theme::Light, Theme::Dark] {
            palettes
                .push((format!("{} {}", entry.id, theme.pick("light", "dark")), game.seat_colours(theme)));
        }
    }
    for (whose, colours) in palettes {
        for (i, a) in colours.iter().enumerate() {
            for b in &colours[..i] {
                for (kind, matrix) in DEFICIENCIES {
                    let [seen_a, seen_b] = [a, b].map(|colour| lab(times(matrix, linear(parse(colour)))));
                    let difference = ciede2000(seen_a, seen_b);
                    assert!(
                        difference >= LEAST,
                        "{whose}: {a} and {b} differ by {difference:.1} under {kind}"
                    );
                }
            }
        }
    }
}
