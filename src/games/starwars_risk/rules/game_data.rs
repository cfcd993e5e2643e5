//! The data of the game: board, decks and constants, read from `assets/starwars_risk/`.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use serde::Deserialize;

use super::board::{Ring, SHIELD_RUN, SHIPS, SPACES, Ship, Space, SpaceSet};
use super::cards::{CardKind, Decks, DecksFile};

/// The numbers of the game, from `constants.json`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Constants {
    pub hand: u8,
    pub cards_per_round: u8,
    /// The lowest die that hits a ship.
    pub toughness: BTreeMap<Ship, u8>,
    pub falcon_dice: u8,
    pub executor_dice: u8,
    pub max_attackers: u8,
    pub falcon_hitpoints: u8,
    pub executor_hitpoints: u8,
    pub max_tie: u8,
    pub tie_spawn: u8,
    pub deathstar_dice: u8,
    pub deathstar_hits_from: u8,
    pub deathstar_falls_at: u8,
    pub shield_dice: u8,
    pub max_stormtroopers: u8,
    pub stormtroopers_per_action: u8,
    /// The initial counters of the throne room, by seat.
    pub throne_counters: [u8; 2],
    pub lightsaber_dice: u8,
    pub lightsaber_hits_from: u8,
    pub lightning_damage: u8,
    pub hat_threshold: u8,
    pub bonus_clear: u8,
    pub bonus_falcon: u8,
    pub bonus_throne_empire: u8,
    pub bonus_throne_rebel_lightsaber: u8,
    pub bonus_throne_rebel_hat: u8,
}

/// The board as JSON: `spaces` with `ring`, `neighbours`, the `ships` at the start and the `arc` of a drawing;
/// `shield_run`, the value of each of its spaces.
pub const BOARD: &str = ludovec_assets::starwars_risk::BOARD;
/// The decks as JSON: by side, a list of cards with `icons` and `copies`.
pub const DECKS: &str = ludovec_assets::starwars_risk::DECKS;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BoardFile {
    spaces: Vec<SpaceFile>,
    shield_run: [u8; SHIELD_RUN],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpaceFile {
    ring: Ring,
    neighbours: Vec<u8>,
    ships: BTreeMap<Ship, u8>,
    /// The place of the space in drawings, in degrees clockwise: the arcs of two spaces in adjacent rings overlap
    /// exactly if the spaces are neighbours.
    arc: [f64; 2],
}

/// All data of the rules, compiled once.
#[derive(Debug)]
pub(crate) struct GameData {
    pub constants: Constants,
    pub decks: Decks,
    pub neighbours: [SpaceSet; SPACES],
    pub start: [[u8; SPACES]; SHIPS],
    pub shield_run: [u8; SHIELD_RUN],
    /// By face of a die (1 to 6): bit `s` is set if the die hits ship `s`.
    pub hits: [u8; 7],
    pub rings: [Ring; SPACES],
    /// Start and end of each space in a drawing, in radians.
    pub arcs: [(f64, f64); SPACES],
}

impl GameData {
    /// Reads the embedded assets.
    ///
    /// # Panics
    /// If an embedded asset is malformed: an error of the crate, which every test would show.
    pub fn load() -> Self {
        fn read<T: for<'a> Deserialize<'a>>(name: &str, text: &str) -> T {
            serde_json::from_str(text).unwrap_or_else(|e| panic!("assets/starwars_risk/{name}: {e}"))
        }
        let board: BoardFile = read("board.json", BOARD);
        let decks: DecksFile = read("decks.json", DECKS);
        let constants: Constants = read("constants.json", ludovec_assets::starwars_risk::CONSTANTS);

        assert_eq!(board.spaces.len(), SPACES, "assets/starwars_risk/board.json");
        let mut neighbours = [SpaceSet::EMPTY; SPACES];
        let mut start = [[0; SPACES]; SHIPS];
        for (i, space) in board.spaces.iter().enumerate() {
            for &n in &space.neighbours {
                neighbours[i].insert(Space(n));
            }
            for (&ship, &count) in &space.ships {
                start[ship as usize][i] = count;
            }
        }
        let hits = std::array::from_fn(|face| {
            let hit = |ship: &&Ship| usize::from(constants.toughness[*ship]) <= face;
            Ship::ALL.iter().filter(hit).map(|&s| 1 << s as u8).sum()
        });
        Self {
            decks: Decks::compile(&decks),
            neighbours,
            start,
            shield_run: board.shield_run,
            hits,
            rings: std::array::from_fn(|i| board.spaces[i].ring),
            arcs: std::array::from_fn(|i| {
                let [from, to] = board.spaces[i].arc;
                (from / 360.0 * TAU, to / 360.0 * TAU)
            }),
            constants,
        }
    }

    /// The number of dice for `count` ships of a kind.
    pub fn dice(&self, ship: Ship, count: u8) -> u8 {
        match ship {
            Ship::Falcon => self.constants.falcon_dice,
            Ship::Executor => self.constants.executor_dice,
            _ => count.min(self.constants.max_attackers),
        }
    }

    /// The maximum of a kind on one space: ships, or the hit points of a capital ship.
    pub fn most(&self, ship: Ship) -> u8 {
        match ship {
            Ship::Falcon => self.constants.falcon_hitpoints,
            Ship::Executor => self.constants.executor_hitpoints,
            Ship::Tie => self.constants.max_tie,
            _ => self.start[ship as usize].iter().sum(),
        }
    }
    /// The name of a card of a seat's deck.
    pub fn card_name(&self, seat: usize, kind: CardKind) -> &str {
        self.decks[seat].name(kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_the_one_of_the_rules() {
        let t = GameData::load();
        for a in SpaceSet::ALL.iter() {
            let own = t.neighbours[a.index()];
            assert!(!own.contains(a) && !own.is_empty() && own.without(SpaceSet::ALL).is_empty());
            for b in own.iter() {
                assert!(t.neighbours[b.index()].contains(a), "{a:?} and {b:?}");
            }
            let ring = t.rings[a.index()];
            assert_eq!(ring == Ring::Mothership, SpaceSet::MOTHERSHIPS.contains(a));
            assert_eq!(ring == Ring::Inner, SpaceSet::INNER_RING.contains(a));
        }
        let totals: Vec<u8> = t.start.iter().map(|plane| plane.iter().sum()).collect();
        assert_eq!(totals, [20, 16, 12, 6, 24, 8]);
        assert_eq!(t.hits, [0, 0, 0, 0b010001, 0b010011, 0b111111, 0b111111]);
    }

    #[test]
    fn arcs_of_neighbouring_rings_overlap_exactly_between_neighbours() {
        let t = GameData::load();
        let overlap = |a: (f64, f64), b: (f64, f64)| {
            [-TAU, 0., TAU].into_iter().any(|turn| a.1.min(b.1 + turn) - a.0.max(b.0 + turn) > 1e-9)
        };
        for a in SpaceSet::ALL.iter().map(Space::index) {
            for b in SpaceSet::ALL.iter().map(Space::index) {
                if (t.rings[a] as u8).abs_diff(t.rings[b] as u8) == 1 {
                    let touching = overlap(t.arcs[a], t.arcs[b]);
                    assert_eq!(touching, t.neighbours[a].contains(Space(b as u8)), "{a} {b}");
                }
            }
        }
    }
}
