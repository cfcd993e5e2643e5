//! The fourteen races and twenty powers.
//!
//! `assets/smallworld/races.json` and `powers.json` are the single source of their numbers and texts: the numbers
//! are read at compile time into arrays, so that a step does no lookup, the texts on first use. The *effects* of
//! races and powers are code, in the rules.

use std::sync::LazyLock;

use bytemuck::{CheckedBitPattern, NoUninit};
use serde::Deserialize;

pub(crate) const RACES_JSON: &str = ludovec_assets::smallworld::RACES;
pub(crate) const POWERS_JSON: &str = ludovec_assets::smallworld::POWERS;

/// The part of an ability that remains in decline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Persistence {
    /// No part.
    Lost,
    /// The pieces on the map continue to defend; they pay nothing.
    Markers,
    /// The whole ability.
    Kept,
}

/// The texts of the asset files about a race or power.
#[derive(Deserialize)]
struct Texts {
    rules: String,
    tags: Vec<String>,
}

static RACE_TEXTS: LazyLock<Vec<Texts>> =
    LazyLock::new(|| serde_json::from_str(RACES_JSON).expect("tested with the program"));
static POWER_TEXTS: LazyLock<Vec<Texts>> =
    LazyLock::new(|| serde_json::from_str(POWERS_JSON).expect("tested with the program"));

macro_rules! roster {
    (
        $(#[$doc:meta])* $name:ident, $texts:ident, $plural:literal:
        $($variant:ident $text:literal,)+
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, CheckedBitPattern, NoUninit)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = concat!($text, ".")] $variant,)+
        }

        impl $name {
            /// The number of values.
            pub const COUNT: usize = Self::ALL.len();
            #[doc = concat!("All ", $plural, ", in alphabetical order: the order of their numbers.")]
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The value with this number, if there is one.
            #[inline]
            pub const fn from_index(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
            }
            /// Its number in alphabetical order.
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }
            /// Its name, as in the rules.
            pub const fn name(self) -> &'static str {
                [$($text),+][self as usize]
            }
            /// The value with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|x| x.name() == name)
            }
            /// Its ability, in Markdown.
            pub fn rules(self) -> &'static str {
                &$texts[self.index()].rules
            }
            /// Its topics: `coins`, `conquest`, `decline`, `defence`, a terrain or feature, ...
            pub fn tags(self) -> &'static [String] {
                &$texts[self.index()].tags
            }
        }
    };
}

roster! {
    /// A race.
    Race, RACE_TEXTS, "races":
    Amazons "Amazons",
    Dwarves "Dwarves",
    Elves "Elves",
    Ghouls "Ghouls",
    Giants "Giants",
    Halflings "Halflings",
    Humans "Humans",
    Orcs "Orcs",
    Ratmen "Ratmen",
    Skeletons "Skeletons",
    Sorcerers "Sorcerers",
    Tritons "Tritons",
    Trolls "Trolls",
    Wizards "Wizards",
}

roster! {
    /// A special power.
    Power, POWER_TEXTS, "powers":
    Alchemist "Alchemist",
    Berserk "Berserk",
    Bivouacking "Bivouacking",
    Commando "Commando",
    Diplomat "Diplomat",
    DragonMaster "Dragon Master",
    Flying "Flying",
    Forest "Forest",
    Fortified "Fortified",
    Heroic "Heroic",
    Hill "Hill",
    Merchant "Merchant",
    Mounted "Mounted",
    Pillaging "Pillaging",
    Seafaring "Seafaring",
    Spirit "Spirit",
    Stout "Stout",
    Swamp "Swamp",
    Underworld "Underworld",
    Wealthy "Wealthy",
}

impl Race {
    /// Tokens of the race badge.
    #[inline]
    #[must_use]
    pub const fn start_tokens(self) -> u8 {
        const TOKENS: [u8; Race::COUNT] = column(RACES_JSON, "\"base_tokens\": ");
        TOKENS[self as usize]
    }
    /// Stock of tokens of the race: the maximum in play.
    #[inline]
    #[must_use]
    pub const fn max_tokens(self) -> u8 {
        const TOKENS: [u8; Race::COUNT] = column(RACES_JSON, "\"max_tokens\": ");
        TOKENS[self as usize]
    }
    /// The largest stock of tokens of any race.
    pub const MOST_TOKENS: u8 = {
        let (mut most, mut i) = (0, 0);
        while i < Self::COUNT {
            let tokens = Self::ALL[i].max_tokens();
            most = if tokens > most { tokens } else { most };
            i += 1;
        }
        most
    };
    /// The part of its ability that remains in decline.
    #[inline]
    #[must_use]
    pub const fn persistence(self) -> Persistence {
        const COLUMN: [u8; Race::COUNT] = column(RACES_JSON, "\"persists_in_decline\": ");
        persistence(COLUMN[self as usize])
    }
}

impl Power {
    /// Tokens of the power badge.
    #[inline]
    #[must_use]
    pub const fn bonus_tokens(self) -> u8 {
        const TOKENS: [u8; Power::COUNT] = column(POWERS_JSON, "\"bonus_tokens\": ");
        TOKENS[self as usize]
    }
    /// The part of its ability that remains in decline.
    #[inline]
    #[must_use]
    pub const fn persistence(self) -> Persistence {
        const COLUMN: [u8; Power::COUNT] = column(POWERS_JSON, "\"persists_in_decline\": ");
        persistence(COLUMN[self as usize])
    }
}

/// The value after each occurrence of `key` in `json`: a number as itself, any other value as its first byte.
const fn column<const N: usize>(json: &str, key: &str) -> [u8; N] {
    let (json, key) = (json.as_bytes(), key.as_bytes());
    let mut values = [0; N];
    let (mut row, mut at) = (0, 0);
    while at + key.len() < json.len() {
        let mut matched = 0;
        while matched < key.len() && json[at + matched] == key[matched] {
            matched += 1;
        }
        if matched == key.len() {
            let mut digit = at + matched;
            if !json[digit].is_ascii_digit() {
                values[row] = json[digit];
            }
            while json[digit].is_ascii_digit() {
                values[row] = values[row] * 10 + (json[digit] - b'0');
                digit += 1;
            }
            row += 1;
        }
        at += 1;
    }
    assert!(row == N, "every entry of the file has the key once");
    values
}

/// Reads `true`, `"markers"` or `false` by its first byte.
const fn persistence(first: u8) -> Persistence {
    match first {
        b't' => Persistence::Kept,
        b'"' => Persistence::Markers,
        _ => Persistence::Lost,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn rows(json: &str) -> Vec<Value> {
        serde_json::from_str(json).unwrap()
    }

    fn persists(value: &Value) -> Persistence {
        match value {
            Value::Bool(true) => Persistence::Kept,
            Value::Bool(false) => Persistence::Lost,
            text => {
                assert_eq!(text, "markers");
                Persistence::Markers
            }
        }
    }

    #[test]
    fn compiled_columns_equal_the_files() {
        let races = rows(RACES_JSON);
        assert_eq!(races.len(), Race::COUNT);
        for (race, row) in Race::ALL.into_iter().zip(&races) {
            assert_eq!(row["name"], race.name());
            assert_eq!(row["base_tokens"], race.start_tokens());
            assert_eq!(row["max_tokens"], race.max_tokens());
            assert_eq!(persists(&row["persists_in_decline"]), race.persistence());
        }
        let powers = rows(POWERS_JSON);
        assert_eq!(powers.len(), Power::COUNT);
        for (power, row) in Power::ALL.into_iter().zip(&powers) {
            assert_eq!(row["name"], power.name());
            assert_eq!(row["bonus_tokens"], power.bonus_tokens());
            assert_eq!(persists(&row["persists_in_decline"]), power.persistence());
        }
    }

    #[test]
    fn numbers_match_the_rules() {
        let start = Race::ALL.map(Race::start_tokens);
        assert_eq!(start, [6, 3, 6, 5, 6, 6, 5, 5, 8, 6, 5, 6, 5, 5]);
        let max = Race::ALL.map(Race::max_tokens);
        assert_eq!(max, [15, 8, 11, 10, 11, 11, 10, 10, 13, 20, 18, 11, 10, 10]);
        let bonus = Power::ALL.map(Power::bonus_tokens);
        assert_eq!(bonus, [4, 4, 5, 4, 5, 5, 5, 4, 3, 5, 4, 2, 5, 5, 5, 5, 4, 4, 5, 4]);
    }

    #[test]
    fn every_combination_fits_its_tray() {
        for race in Race::ALL {
            for power in Power::ALL {
                assert!(
                    race.start_tokens() + power.bonus_tokens() <= race.max_tokens(),
                    "{race:?} {power:?}"
                );
            }
        }
    }

    #[test]
    fn order_is_alphabetical_and_names_are_found() {
        assert!(Race::ALL.map(Race::name).is_sorted() && Power::ALL.map(Power::name).is_sorted());
        for power in Power::ALL {
            assert_eq!(Power::from_name(power.name()), Some(power));
            assert_eq!(Power::from_index(power.index()), Some(power));
            assert!(!power.rules().is_empty() && !power.tags().is_empty());
        }
        for race in Race::ALL {
            assert_eq!(Race::from_name(race.name()), Some(race));
            assert_eq!(Race::from_index(race.index()), Some(race));
            assert!(!race.rules().is_empty() && !race.tags().is_empty());
        }
        assert_eq!(Race::from_index(14), None);
        assert_eq!(Power::from_name("Goblin"), None);
    }
}
