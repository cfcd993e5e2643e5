//! Data files compiled into the games: boards, decks, races, variants, fonts, networks.
//!
//! Each module exposes the files of one folder as text or bytes. The games parse and check them.

/// Chess: variants and options as TOML.
pub mod chess {
    macro_rules! files {
        ($folder:literal: $($name:literal)*) => {
            &[$(($name, include_str!(concat!("chess/", $folder, $name, ".toml")))),*]
        };
    }

    /// The shipped variants; each entry is a name and a file.
    pub static VARIANTS: &[(&str, &str)] = files!["":
        "chess" "chess960" "nocastle" "torpedo" "berolina" "pawnsideways" "pawnback" "shatranj" "chaturanga" "amazon"
        "nightrider" "grasshopper" "hoppelpoppel" "newzealand" "almost" "chigorin" "perfect" "knightmate"
        "kingofthehill" "racingkings" "3check" "5check" "antichess" "giveaway" "losers" "extinction" "kinglet"
        "threekings" "horde" "atomic" "nocheckatomic" "crazyhouse" "losalamos" "gardner" "capablanca" "gothic" "janus"
        "embassy" "chancellor" "modern" "breakthrough" "duck" "hole"
    ];

    /// The options that change any variant, in the order of application: each entry is a name and a file.
    pub static FLAGS: &[(&str, &str)] = files!["flags/":
        "knooks" "forced_en_passant" "knight_boosting" "omnipotent_f6_pawn" "siberian_swipe" "il_vaticano"
        "beta_decay" "la_bastarda" "king_cant_move_to_c2" "vertical_castling" "double_check_to_win"
        "capture_all_pieces_to_win" "duck_chess" "chess960"
    ];
}

/// Small World: races, powers, the published boards.
pub mod smallworld {
    /// The races.
    pub const RACES: &str = include_str!("smallworld/races.json");
    /// The special powers.
    pub const POWERS: &str = include_str!("smallworld/powers.json");
    /// The published boards for 2, 3 and 4 players, and a board of our own for 5: regions and their neighbours.
    pub const MAPS: [&str; 4] = [
        include_str!("smallworld/maps/2_players.json"),
        include_str!("smallworld/maps/3_players.json"),
        include_str!("smallworld/maps/4_players.json"),
        include_str!("smallworld/maps/5_players.json"),
    ];
    /// The same boards as sketches, used for drawing.
    pub const SKETCHES: [&str; 4] = [
        include_str!("smallworld/sketches/2_players.txt"),
        include_str!("smallworld/sketches/3_players.txt"),
        include_str!("smallworld/sketches/4_players.txt"),
        include_str!("smallworld/sketches/5_players.txt"),
    ];
}

/// Star Wars Risk: the board, the decks, the constants of the rules.
pub mod starwars_risk {
    /// The board.
    pub const BOARD: &str = include_str!("starwars_risk/board.json");
    /// The decks.
    pub const DECKS: &str = include_str!("starwars_risk/decks.json");
    /// The constants of the rules.
    pub const CONSTANTS: &str = include_str!("starwars_risk/constants.json");
}

/// Tilewe: the pieces.
pub mod tilewe {
    /// The pieces as pictures of their tiles.
    pub const PIECES: &str = include_str!("tilewe/pieces.txt");
}

/// Fonts for drawing.
pub mod fonts {
    /// The regular face.
    pub const REGULAR: &[u8] = include_bytes!("fonts/LudovecSans-Regular.ttf");
    /// The bold face.
    pub const BOLD: &[u8] = include_bytes!("fonts/LudovecSans-Bold.ttf");
}

/// The networks shipped with the games, as safetensors files; none without the feature `networks`.
pub mod networks {
    macro_rules! networks {
        ($($constant:ident $game:literal: $($file:literal)*;)*) => {
            $(
                #[doc = concat!("The champions of ", $game, ".")]
                #[cfg(feature = "networks")]
                pub static $constant: &[&[u8]] = &[$(include_bytes!(concat!("networks/", $file, ".safetensors"))),*];
                #[doc = concat!("The champions of ", $game, ": none without the feature `networks`.")]
                #[cfg(not(feature = "networks"))]
                pub static $constant: &[&[u8]] = &[];
            )*
        };
    }

    networks! {
        CHESS "Chess": "chess";
        EMPIRES "Terminal of Empires": "empires";
        SMALLWORLD "Small World": "smallworld" "smallworld_graph";
        STARWARS_RISK "Star Wars Risk": "starwars_risk";
        TILEWE "Tilewe": "tilewe" "tilewe_duo";
    }
}
