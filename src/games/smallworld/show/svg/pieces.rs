//! Colours, and the small pieces on the map.

use ludovec_engine::Theme;

/// Lines and words on the map; its colours are light enough for this ink in both themes.
pub(super) const INK: &str = "#2b2620";

/// Colours that depend on the theme.
pub(super) struct Palette {
    /// Around the map.
    pub(super) paper: &'static str,
    /// In the boxes.
    pub(super) panel: &'static str,
    /// Words beside the map.
    pub(super) words: &'static str,
    /// Secondary words.
    pub(super) faded: &'static str,
    /// Fill of each [`Terrain`](super::Terrain).
    pub(super) terrains: [&'static str; 7],
    /// A seat's colour, and an ink that is legible on it.
    pub(super) seats: [(&'static str, &'static str); 5],
}

const LIGHT: Palette = Palette {
    paper: "#f6efe0",
    panel: "#fffaf0",
    words: INK,
    faded: "#6a5b42",
    terrains: ["#ecd88a", "#b3cc7a", "#5f9a5c", "#8aa294", "#b5aaa2", "#5d9fd3", "#93cdea"],
    seats: [
        ("#b53a1e", "#ffffff"),
        ("#2457c5", "#ffffff"),
        ("#eeb010", INK),
        ("#c98fe8", INK),
        ("#26262b", "#ffffff"),
    ],
};

const DARK: Palette = Palette {
    paper: "#1c1a17",
    panel: "#2a2723",
    words: "#eee6d6",
    faded: "#c2b598",
    terrains: ["#c2ae63", "#8da856", "#4f854d", "#738a7d", "#938983", "#4a86b5", "#79b2cf"],
    seats: [
        ("#c4472a", "#ffffff"),
        ("#2f5fd0", "#ffffff"),
        ("#eeb010", INK),
        ("#c98fe8", INK),
        ("#fbfaf6", INK),
    ],
};

/// The colours of a theme.
pub(super) fn palette(theme: Theme) -> &'static Palette {
    theme.pick(&LIGHT, &DARK)
}

/// The strokes of each [`Terrain`](super::Terrain)'s pattern on a tile of 24 by 24.
pub(super) const PATTERNS: [&str; 7] = [
    "M2 6h9M13 18h9M2 10h9M13 22h9",
    "M2 10q5-8 10 0M13 21q5-8 10 0",
    "M6 3l-4 8h8zM18 14l-4 8h8z",
    "M4 10v-5M7 10v-7M10 10v-5M2 10h10M15 21v-5M18 21v-7M21 21v-5M13 21h10",
    "M1 11l5-9 5 9M13 22l5-9 5 9",
    "M1 7q3-4 6 0t6 0M11 19q3-4 6 0t6 0",
    "M1 7q3-4 6 0t6 0M11 19q3-4 6 0t6 0",
];

/// Small pieces, each drawn in a square of 20 by 20 around the origin.
pub(super) const ICONS: [(&str, &str); 11] = [
    // A pickaxe.
    (
        "mine",
        "<path d='M-5 8L4-3' stroke='#7a4a1e' stroke-width='3'/>\
         <path d='M-5-6Q4-8 8 3Q3-3-5-6Z' fill='#4d5560' stroke='#1d2126'/>",
    ),
    // A star.
    (
        "magic_source",
        "<path d='M0-9L2.3-3 9-2.8 3.7 1.3 5.6 8 0 4.2-5.6 8-3.7 1.3-9-2.8-2.3-3Z' \
         fill='#d86bd0' stroke='#5b1b63'/>",
    ),
    // The mouth of a cave.
    (
        "cavern",
        "<path d='M-9 8V2A9 9 0 0 1 9 2V8Z' fill='#8d7a68' stroke='#3a2e24'/>\
         <path d='M-5 8V4A5 5 0 0 1 5 4V8Z' fill='#1c1613'/>",
    ),
    (
        "mountain",
        "<path d='M-9 8L-1-8 9 8Z' fill='#6d6560' stroke='#2d2825'/>\
         <path d='M-4-2L-1-8 2.8-2 0-3.4Z' fill='#ffffff'/>",
    ),
    (
        "lair",
        "<path d='M-9 8Q-9-7 0-7T9 8Z' fill='#5f7d3a' stroke='#26361a'/>\
         <path d='M-3 8Q-3 0 0 0T3 8Z' fill='#1f2a14'/>\
         <path d='M-7 0l-1.5-7 4.5 3.500zM7 0l1.5-7-4.5 3.500z' fill='#f3ead2' stroke='#26361a'/>",
    ),
    (
        "fortress",
        "<path d='M-8 8V-7H-4V-4H-2V-7H2V-4H4V-7H8V8Z' fill='#c9c4bb' stroke='#37322c'/>\
         <path d='M-2.5 8V4A2.5 2.5 0 0 1 2.5 4V8Z' fill='#37322c'/>",
    ),
    (
        "encampment",
        "<path d='M-9 8L0-8 9 8Z' fill='#efe3c2' stroke='#5b4526'/><path d='M-3 8L0-1 3 8Z' fill='#5b4526'/>",
    ),
    // A crossed shield.
    (
        "hero",
        "<path d='M-7-7H7V0Q7 6 0 9Q-7 6-7 0Z' fill='#f7d34a' stroke='#6b4d00'/>\
         <path d='M0-7V9M-7-1H7' stroke='#6b4d00' stroke-width='2'/>",
    ),
    // A head with an open mouth.
    (
        "dragon",
        "<path d='M-9 5Q-8-8 3-8L1-4Q9-5 9 0L2 1 8 4Q2 9-3 5Q-5 9-9 5Z' fill='#c0281c' stroke='#4a0a05'/>\
         <circle cx='0' cy='-3' r='1.3' fill='#ffe45c'/>",
    ),
    (
        "hole",
        "<ellipse cy='3' rx='9' ry='5.5' fill='#6b4a2a' stroke='#2e1d0e'/>\
         <ellipse cy='3.8' rx='6' ry='3.2' fill='#170e06'/>",
    ),
    // A lone figure.
    (
        "lost_tribe",
        "<path d='M-7 9Q-7-1 0-1T7 9Z' fill='#8a6a4a' stroke='#33251a'/>\
         <circle cy='-4' r='4' fill='#d9b48c' stroke='#33251a'/>",
    ),
];

/// The words of the legend, under the names of [`ICONS`].
pub(super) const LEGEND: [(&str, &str); 11] = [
    ("mine", "mine"),
    ("magic_source", "magic source"),
    ("cavern", "cavern"),
    ("mountain", "mountain"),
    ("lost_tribe", "Lost Tribe"),
    ("lair", "lair"),
    ("fortress", "fortress"),
    ("encampment", "camp"),
    ("hero", "hero"),
    ("dragon", "dragon"),
    ("hole", "hole"),
];
