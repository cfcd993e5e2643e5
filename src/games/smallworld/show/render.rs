//! Rendering of positions as text and as pictures.

use std::fmt::Write;

use super::ansi::{self, SEAT_COLOURS, TERRAIN_COLOURS};
use super::svg::{self, DrawnCombo, DrawnPlayer, DrawnRegion, Troops};
use crate::rules::conquest_costs::ConquestOptions;
use crate::rules::map::RegionId;
use crate::rules::phase::Phase;
use crate::rules::pieces;
use crate::rules::pieces::markers;
use crate::rules::roster::{Power, Race};
use crate::rules::ruleset::Ruleset;
use crate::rules::state::{ArmyId, State, slot};
use ludovec_engine::drawing::shortened;
use ludovec_engine::{Beside, Caption, View};

/// One line about the status of a running game.
pub(crate) fn standing(rules: &Ruleset, state: &State, names: &[String]) -> String {
    let deed = match state.phase() {
        Phase::PickCombo => "picks a race",
        Phase::ChooseExpandOrDecline => "expands or declines",
        Phase::Conquest => "conquers",
        Phase::GhoulConquest => "conquers with Ghouls",
        Phase::FinalConquest => "rolls for a last conquest",
        Phase::Redeploy | Phase::OpponentRedeploy => "redeploys",
        Phase::PlaceEncampments => "pitches camps",
        Phase::PlaceFortress => "builds a fortress",
        Phase::PlaceHeroes => "places heroes",
        Phase::ChooseDiplomatAlly => "makes peace",
        Phase::StoutDecline => "may decline",
        Phase::Score | Phase::TurnEnd | Phase::GameOver => "ends the turn",
    };
    format!("turn {} of {}, {} {deed}", state.turn, rules.turns, names[usize::from(state.mover)])
}

/// The coins of a seat, if they are visible to the viewer.
fn coins(rules: &Ruleset, state: &State, view: View, seat: usize) -> Option<u16> {
    (rules.public_coins || view.shows(seat)).then_some(state.coins[seat])
}

fn combos(state: &State) -> impl Iterator<Item = DrawnCombo> + '_ {
    state.row[..usize::from(state.row_len)].iter().map(|combo| DrawnCombo {
        race: Race::ALL[usize::from(combo.race)],
        power: Power::ALL[usize::from(combo.power)],
        coins: combo.coins.into(),
    })
}

/// The armies of a seat in words.
fn armies(state: &State, seat: usize) -> impl Iterator<Item = String> + '_ {
    slot::NAMES.iter().enumerate().filter_map(move |(slot, name)| {
        let army = state.army(ArmyId { seat, slot });
        let (race, power) = (army.race()?, army.power()?);
        let regions = state.held[seat][slot].len();
        let hand = match army.hand + army.displaced {
            0 => String::new(),
            tokens => format!(", {tokens} in hand"),
        };
        Some(format!("{name}: {} {}, {regions} regions{hand}", power.name(), race.name()))
    })
}

/// The position as lines of text: a line per region, then the players and the row; with ANSI colours the map, the
/// players, the row and then the regions.
///
/// ```text
///  7 hill      cavern border coast | Ada: Ratmen 3                    | TROLL_LAIR      cost 6 | 3 6 11
/// ```
pub(crate) fn text(rules: &Ruleset, state: &State, view: View, caption: Caption<'_>) -> String {
    let mut out = format!("{}\n\n", caption.standing);
    let mut regions = String::new();
    for region in state.map.all() {
        let written = match view.ansi {
            true => write_region_in_words(&mut regions, state, region, view, caption.names),
            false => write_region(&mut regions, state, region, view, caption.names),
        };
        written.expect("text takes any text");
    }
    out.push_str(&if view.ansi { ansi::map(state) } else { std::mem::take(&mut regions) });
    out.push('\n');
    for (seat, colour) in SEAT_COLOURS.into_iter().enumerate().take(rules.players) {
        let coins = coins(rules, state, view, seat).map_or("?".into(), |coins| coins.to_string());
        let name = view.paint(colour, &caption.names[seat]);
        write!(out, "{name}: {coins:>3} coins").expect("text takes any text");
        let armies = armies(state, seat).map(|words| (None, words)).collect();
        let written = match view.ansi {
            true => write_parts(&mut out, caption.names[seat].chars().count() + 11, " | ", armies, view),
            false => armies.iter().try_for_each(|(_, words)| write!(out, " | {words}")),
        };
        written.expect("text takes any text");
        out.push('\n');
    }
    out.push('\n');
    for (place, combo) in combos(state).enumerate() {
        let tokens = combo.race.start_tokens() + combo.power.bonus_tokens();
        writeln!(
            out,
            "{place}: {} {}, {tokens} tokens, {} coins",
            combo.power.name(),
            combo.race.name(),
            combo.coins
        )
        .expect("text takes any text");
    }
    if !regions.is_empty() {
        out.push('\n');
        out.push_str(&regions);
    }
    out
}

/// The facts about a region.
struct RegionWords {
    features: Vec<&'static str>,
    /// The seat and the words of the occupant.
    troops: Option<(usize, String)>,
    pieces: Vec<String>,
    near: Vec<String>,
}

impl RegionWords {
    fn new(state: &State, region: RegionId, names: &[String]) -> Self {
        let (map, i) = (&state.map, region.index());
        let features = [
            (map.mines(), "mine"),
            (map.magic_sources(), "magic"),
            (map.caverns(), "cavern"),
            (map.border(), "border"),
            (map.coastal(), "coast"),
        ];
        let troops = state.occupant(region).map(|id| {
            let race = state.army(id).race().map_or("", Race::name);
            let declined = if id.slot == slot::ACTIVE { "" } else { " declined" };
            (id.seat, format!("{}: {race} {}{declined}", shortened(&names[id.seat], 12), state.tokens[i]))
        });
        let in_words = |name: &str| name.to_lowercase().replace('_', " ");
        let mut pieces: Vec<String> = pieces::names(state.markers[i]).map(in_words).collect();
        match state.encampments[i] {
            0 => {}
            1 => pieces.push("1 encampment".into()),
            number => pieces.push(format!("{number} encampments")),
        }
        Self {
            features: features
                .iter()
                .filter(|(set, _)| set.contains(region))
                .map(|(_, name)| *name)
                .collect(),
            troops,
            pieces,
            near: map.neighbours(region).iter().map(|r| r.0.to_string()).collect(),
        }
    }
}

/// A region in columns.
fn write_region(
    out: &mut String,
    state: &State,
    region: RegionId,
    view: View,
    names: &[String],
) -> std::fmt::Result {
    let words = RegionWords::new(state, region, names);
    let troops = words.troops.map_or_else(
        || " ".repeat(33),
        |(seat, words)| view.paint(SEAT_COLOURS[seat], format_args!("{words:33}")),
    );
    let terrain = state.map.terrain(region);
    let land = view.paint(TERRAIN_COLOURS[terrain as usize], format_args!("{:8}", terrain.name()));
    writeln!(
        out,
        "{:2} {land} {:26} | {troops} | {:18} cost {:2} | {}",
        region.0,
        words.features.join(" "),
        words.pieces.join(", "),
        state.base_cost[region.index()],
        words.near.join(" ")
    )
}

/// Columns of a terminal's text about a region or a player.
const COLUMNS: usize = 84;

/// A region in words, without empty columns: terminals are narrow.
fn write_region_in_words(
    out: &mut String,
    state: &State,
    region: RegionId,
    view: View,
    names: &[String],
) -> std::fmt::Result {
    let words = RegionWords::new(state, region, names);
    let terrain = state.map.terrain(region);
    let mut parts = vec![(None, words.features.join(" "))];
    parts.extend(words.troops.map(|(seat, words)| (Some(SEAT_COLOURS[seat]), words)));
    parts.push((None, words.pieces.join(", ")));
    parts.push((None, format!("costs {}", state.base_cost[region.index()])));
    parts.push((None, format!("beside {}", words.near.join(" "))));
    let land = view.paint(TERRAIN_COLOURS[terrain as usize], format_args!("{:8}", terrain.name()));
    write!(out, "{:2} {land}", region.0)?;
    write_parts(out, 11, " ", parts, view)?;
    writeln!(out)
}

/// Parts of a line with their colours, after `column` columns and a first separator. Long lines are broken.
fn write_parts(
    out: &mut String,
    mut column: usize,
    mut separator: &str,
    parts: Vec<(Option<u8>, String)>,
    view: View,
) -> std::fmt::Result {
    for (colour, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
        let width = part.chars().count();
        if column + separator.len() + width > COLUMNS {
            write!(out, "\n{:12}", "")?;
            (column, separator) = (12, "");
        }
        let painted = colour.map_or_else(|| part.clone(), |colour| view.paint(colour, &part));
        write!(out, "{separator}{painted}")?;
        column += separator.len() + width;
        separator = " | ";
    }
    Ok(())
}

/// The position as an SVG document.
pub(crate) fn svg(
    rules: &Ruleset,
    state: &State,
    last: Option<RegionId>,
    view: View,
    title: &str,
    caption: Caption<'_>,
) -> String {
    svg::draw(&scene(rules, state, last, view, title, caption), view.theme)
}

/// The map in the drawing, and what is below it as text.
pub(crate) fn beside(rules: &Ruleset, state: &State, view: View, caption: Caption<'_>) -> Beside {
    svg::beside(&scene(rules, state, None, view, "", caption))
}

/// The position as the drawing needs it.
fn scene<'a>(
    rules: &Ruleset,
    state: &'a State,
    last: Option<RegionId>,
    view: View,
    title: &str,
    caption: Caption<'_>,
) -> svg::Scene<'a> {
    let conquers = matches!(state.phase(), Phase::Conquest | Phase::GhoulConquest | Phase::FinalConquest);
    let options = conquers.then(|| ConquestOptions::new(rules, state));
    let regions = state.map.all().iter().map(|region| {
        let i = region.index();
        let marked = |bit: u8| state.markers[i] & bit != 0;
        let troops = state.occupant(region).and_then(|id| {
            let army = state.army(id);
            Some(Troops {
                seat: id.seat,
                race: army.race()?,
                power: army.power().filter(|_| id.slot == slot::ACTIVE),
                tokens: state.tokens[i],
                declined: id.slot != slot::ACTIVE,
            })
        });
        DrawnRegion {
            troops,
            lost_tribe: marked(markers::LOST_TRIBE),
            lair: marked(markers::LAIR),
            fortress: marked(markers::FORTRESS),
            encampments: state.encampments[i],
            hero: marked(markers::HERO),
            dragon: marked(markers::DRAGON),
            hole: marked(markers::HOLE),
            cost: options
                .as_ref()
                .filter(|options| options.may_attack(region))
                .map(|options| options.cost(state, region)),
        }
    });
    let players = (0..rules.players).map(|seat| {
        let [active, declined, spirit] = &state.armies[seat];
        DrawnPlayer {
            name: caption.names[seat].clone(),
            coins: coins(rules, state, view, seat),
            active: active.race().zip(active.power()),
            in_hand: active.hand + active.displaced,
            declined: [declined, spirit]
                .into_iter()
                .filter_map(|army| Some((army.race()?, army.hand + army.displaced)))
                .collect(),
            to_move: caption.running && seat == usize::from(state.mover),
        }
    });
    svg::Scene {
        map: &state.map,
        alone: view.board_only,
        caption: format!("{title}: {}", caption.standing),
        regions: regions.collect(),
        last: last.filter(|&region| state.map.all().contains(region)),
        row: combos(state).collect(),
        players: players.collect(),
    }
}
