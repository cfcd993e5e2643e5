//! Actions: their indices, words and objects.
//!
//! ```text
//!   0        48        96       144       192       240       288    294    298 299 300 301 302
//!   | ABANDON | CONQUER | DRAGON | SORCERER | PLACE   | REST    | PICK | ALLY |  |   |   |   |
//!   | region  | region  | region | region   | region  | region  | 0..5 | 1..4 |  |   |   DONE
//!                                                                            |  |   ROLL
//!                                                                            |  DECLINE
//!                                                                            EXPAND
//! ```
//! An index means what its family means in the current phase: PLACE 7 is `REDEPLOY 7` in one phase and
//! `PLACE_FORTRESS 7` in another. [`Kind`] has these names; fifteen of them are the original's action types, ABANDON
//! and ROLL_DIE come from the published rules.

use serde_json::{Map as Object, Value, json};

use super::conquest::{Campaign, MAX_PIPS};
use super::map::{MAX_REGIONS, RegionId};
use super::phase::Phase;
use super::ruleset::Ruleset;
use super::state::{ROW, State, markers};
use crate::engine::{ActionLayout, Error, Refusal, Result, mask};

/// Where each family of indices starts.
pub(super) mod index {
    use super::{MAX_REGIONS, ROW};

    pub const ABANDON: u32 = 0;
    pub const CONQUER: u32 = MAX_REGIONS as u32;
    pub const DRAGON: u32 = 2 * MAX_REGIONS as u32;
    pub const SORCERER: u32 = 3 * MAX_REGIONS as u32;
    pub const PLACE: u32 = 4 * MAX_REGIONS as u32;
    pub const REST: u32 = 5 * MAX_REGIONS as u32;
    pub const PICK: u32 = 6 * MAX_REGIONS as u32;
    pub const ALLY: u32 = PICK + ROW as u32;
    pub const EXPAND: u32 = ALLY + 4;
    pub const DECLINE: u32 = EXPAND + 1;
    pub const ROLL: u32 = DECLINE + 1;
    pub const DONE: u32 = ROLL + 1;
    pub const COUNT: u32 = DONE + 1;
}

/// The region that an action is about.
pub(super) fn region(action: u32) -> Option<RegionId> {
    (action < index::PICK).then_some(RegionId((action % MAX_REGIONS as u32) as u8))
}

/// The families for the specification.
pub(super) fn layout() -> ActionLayout {
    let regions = MAX_REGIONS as u32;
    let mut layout = ActionLayout::default();
    layout.push(
        "ABANDON",
        regions,
        "ABANDON: give region i up, before the first conquest or to pay back borrowed tokens",
    );
    layout.push(
        "CONQUER",
        regions,
        "CONQUER: take region i for the tokens it costs; FINAL_CONQUEST: with all tokens and the die when 1 to \
         3 are missing",
    );
    layout.push("DRAGON", regions, "USE_DRAGON: take region i with one token and the dragon");
    layout.push("SORCERER", regions, "USE_SORCERER: convert the lone token in region i");
    layout.push(
        "PLACE",
        regions,
        "REDEPLOY, OPPONENT_REDEPLOY, PLACE_BIVOUACS, PLACE_FORTRESS, PLACE_HEROES: put one token or marker into \
         region i",
    );
    layout.push(
        "REST",
        regions,
        "REDEPLOY, OPPONENT_REDEPLOY, PLACE_BIVOUACS: put all that are left into region i",
    );
    layout.push("PICK", ROW as u32, "PICK_COMBO: take the race at place i of the row for i coins");
    layout.push("ALLY", 4, "CHOOSE_DIPLOMAT_ALLY: make peace with the seat i + 1 places after the mover");
    layout.push("EXPAND", 1, "EXPAND: go on with the active race");
    layout.push("DECLINE", 1, "DECLINE, STOUT_DECLINE: put the active race into decline");
    layout.push("ROLL", 1, "ROLL_DIE: roll before choosing the next target (Berserk)");
    layout.push(
        "DONE",
        1,
        "SKIP_CONQUEST: end the conquests; place nothing more, choose no ally, do not decline",
    );
    layout
}

/// An action, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Abandon(RegionId),
    Conquer(RegionId),
    Dragon(RegionId),
    Sorcerer(RegionId),
    Place(RegionId),
    Rest(RegionId),
    /// A place of the row.
    Pick(usize),
    /// How many seats after the mover, from 1.
    Ally(usize),
    Expand,
    Decline,
    Roll,
    Done,
}

impl Action {
    /// The action of an index below [`index::COUNT`].
    #[inline]
    pub fn decode(action: u32) -> Self {
        debug_assert!(action < index::COUNT);
        if action < index::PICK {
            let region = RegionId((action % MAX_REGIONS as u32) as u8);
            return match action / MAX_REGIONS as u32 {
                0 => Self::Abandon(region),
                1 => Self::Conquer(region),
                2 => Self::Dragon(region),
                3 => Self::Sorcerer(region),
                4 => Self::Place(region),
                _ => Self::Rest(region),
            };
        }
        match action {
            index::EXPAND => Self::Expand,
            index::DECLINE => Self::Decline,
            index::ROLL => Self::Roll,
            index::DONE.. => Self::Done,
            _ if action < index::ALLY => Self::Pick((action - index::PICK) as usize),
            _ => Self::Ally((action - index::ALLY) as usize + 1),
        }
    }

    /// Its index.
    pub fn encode(self) -> u32 {
        match self {
            Self::Abandon(region) => index::ABANDON + u32::from(region.0),
            Self::Conquer(region) => index::CONQUER + u32::from(region.0),
            Self::Dragon(region) => index::DRAGON + u32::from(region.0),
            Self::Sorcerer(region) => index::SORCERER + u32::from(region.0),
            Self::Place(region) => index::PLACE + u32::from(region.0),
            Self::Rest(region) => index::REST + u32::from(region.0),
            Self::Pick(place) => index::PICK + place as u32,
            Self::Ally(offset) => index::ALLY + offset as u32 - 1,
            Self::Expand => index::EXPAND,
            Self::Decline => index::DECLINE,
            Self::Roll => index::ROLL,
            Self::Done => index::DONE,
        }
    }

    fn region(self) -> Option<RegionId> {
        match self {
            Self::Abandon(r) | Self::Conquer(r) | Self::Dragon(r) | Self::Sorcerer(r) => Some(r),
            Self::Place(r) | Self::Rest(r) => Some(r),
            _ => None,
        }
    }
}

/// What an action is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    PickCombo,
    Expand,
    Decline,
    Abandon,
    Conquer,
    FinalConquest,
    UseDragon,
    UseSorcerer,
    RollDie,
    SkipConquest,
    Redeploy,
    PlaceBivouacs,
    PlaceFortress,
    PlaceHeroes,
    ChooseDiplomatAlly,
    StoutDecline,
    OpponentRedeploy,
}

impl Kind {
    const ALL: [Self; 17] = [
        Self::PickCombo,
        Self::Expand,
        Self::Decline,
        Self::Abandon,
        Self::Conquer,
        Self::FinalConquest,
        Self::UseDragon,
        Self::UseSorcerer,
        Self::RollDie,
        Self::SkipConquest,
        Self::Redeploy,
        Self::PlaceBivouacs,
        Self::PlaceFortress,
        Self::PlaceHeroes,
        Self::ChooseDiplomatAlly,
        Self::StoutDecline,
        Self::OpponentRedeploy,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Self::PickCombo => "PICK_COMBO",
            Self::Expand => "EXPAND",
            Self::Decline => "DECLINE",
            Self::Abandon => "ABANDON",
            Self::Conquer => "CONQUER",
            Self::FinalConquest => "FINAL_CONQUEST",
            Self::UseDragon => "USE_DRAGON",
            Self::UseSorcerer => "USE_SORCERER",
            Self::RollDie => "ROLL_DIE",
            Self::SkipConquest => "SKIP_CONQUEST",
            Self::Redeploy => "REDEPLOY",
            Self::PlaceBivouacs => "PLACE_BIVOUACS",
            Self::PlaceFortress => "PLACE_FORTRESS",
            Self::PlaceHeroes => "PLACE_HEROES",
            Self::ChooseDiplomatAlly => "CHOOSE_DIPLOMAT_ALLY",
            Self::StoutDecline => "STOUT_DECLINE",
            Self::OpponentRedeploy => "OPPONENT_REDEPLOY",
        }
    }

    /// The kinds that belong to a phase.
    pub const fn of_phase(phase: Phase) -> &'static [Self] {
        match phase {
            Phase::PickCombo => &[Self::PickCombo],
            Phase::ChooseExpandOrDecline => &[Self::Expand, Self::Decline],
            Phase::Conquest => &[
                Self::Abandon,
                Self::Conquer,
                Self::FinalConquest,
                Self::UseDragon,
                Self::UseSorcerer,
                Self::RollDie,
                Self::SkipConquest,
            ],
            Phase::GhoulConquest => &[Self::Abandon, Self::Conquer, Self::FinalConquest, Self::SkipConquest],
            Phase::FinalConquest => &[Self::FinalConquest, Self::RollDie, Self::SkipConquest],
            Phase::Redeploy => &[Self::Redeploy, Self::Abandon],
            Phase::PlaceBivouacs => &[Self::PlaceBivouacs],
            Phase::PlaceFortress => &[Self::PlaceFortress],
            Phase::PlaceHeroes => &[Self::PlaceHeroes],
            Phase::ChooseDiplomatAlly => &[Self::ChooseDiplomatAlly],
            Phase::StoutDecline => &[Self::StoutDecline],
            Phase::OpponentRedeploy => &[Self::OpponentRedeploy],
            Phase::Score | Phase::TurnEnd | Phase::GameOver => &[],
        }
    }

    /// What `action` is called in `state`; its most common name when it does not belong to the phase.
    fn of(rules: &Ruleset, state: &State, action: Action) -> Self {
        let phase = state.phase();
        match action {
            Action::Pick(_) => Self::PickCombo,
            Action::Expand => Self::Expand,
            Action::Decline if phase == Phase::StoutDecline => Self::StoutDecline,
            Action::Decline => Self::Decline,
            Action::Abandon(_) => Self::Abandon,
            Action::Conquer(region) if phase.is_conquest() => {
                let hand = state.army(state.acting()).hand;
                let cost = Campaign::new(rules, state).cost(state, region);
                if cost > hand { Self::FinalConquest } else { Self::Conquer }
            }
            Action::Conquer(_) => Self::Conquer,
            Action::Dragon(_) => Self::UseDragon,
            Action::Sorcerer(_) => Self::UseSorcerer,
            Action::Roll => Self::RollDie,
            Action::Ally(_) => Self::ChooseDiplomatAlly,
            Action::Place(_) | Action::Rest(_) | Action::Done => match Self::of_phase(phase) {
                [only] if *only != Self::PickCombo => *only,
                _ if phase == Phase::Redeploy && action != Action::Done => Self::Redeploy,
                _ if action == Action::Done => Self::SkipConquest,
                _ => Self::Redeploy,
            },
        }
    }
}

/// The word of an action.
pub(super) fn to_text(rules: &Ruleset, state: &State, action: u32) -> String {
    let action = Action::decode(action);
    let kind = Kind::of(rules, state, action);
    let name = kind.name();
    match action {
        Action::Rest(region) => format!("{name} {} rest", region.0),
        Action::Pick(place) => format!("{name} {place}"),
        Action::Ally(offset) => format!("{name} {}", seat_after(rules, state, offset)),
        Action::Decline if kind == Kind::StoutDecline => format!("{name} yes"),
        Action::Done if kind == Kind::StoutDecline => format!("{name} no"),
        Action::Done if kind != Kind::SkipConquest => format!("{name} none"),
        _ => action.region().map_or(name.into(), |region| format!("{name} {}", region.0)),
    }
}

/// An action as an object.
pub(super) fn to_json(rules: &Ruleset, state: &State, action: u32) -> Value {
    let action = Action::decode(action);
    let kind = Kind::of(rules, state, action);
    let mut object = json!({ "type": kind.name() });
    match action {
        Action::Pick(place) => object["index"] = json!(place),
        Action::Ally(offset) => object["ally"] = json!(seat_after(rules, state, offset)),
        Action::Decline if kind == Kind::StoutDecline => object["decline"] = json!(true),
        Action::Done if kind == Kind::StoutDecline => object["decline"] = json!(false),
        Action::Done if kind == Kind::ChooseDiplomatAlly => object["ally"] = Value::Null,
        Action::Done if kind != Kind::SkipConquest => object["region"] = Value::Null,
        _ => {
            if let Some(region) = action.region() {
                object["region"] = json!(region.0);
            }
        }
    }
    if let Action::Rest(_) = action {
        object["rest"] = json!(true);
    }
    object
}

/// The action that an object describes.
///
/// # Errors
/// [`Error::InvalidPhase`] for a type that does not belong to the phase, [`Error::IllegalAction`] for an
/// object that describes no action, or a conquest under the wrong one of its two names.
pub(super) fn from_json(rules: &Ruleset, state: &State, value: &Value) -> Result<u32> {
    let illegal = |what: String| Error::illegal(what);
    let object = value.as_object().ok_or_else(|| illegal("an action is an object with a type".into()))?;
    let name = object.get("type").and_then(Value::as_str);
    let name = name.ok_or_else(|| illegal("the action has no text under \"type\"".into()))?;
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
        let known: Vec<_> = Kind::ALL.into_iter().map(Kind::name).collect();
        illegal(format!("unknown type {name:?}: the types are {}", known.join(", ")))
    })?;
    check_phase(state, kind)?;
    let action = match kind {
        Kind::PickCombo => Action::Pick(number(object, "index", ROW)?),
        Kind::Expand => Action::Expand,
        Kind::Decline => Action::Decline,
        Kind::RollDie => Action::Roll,
        Kind::SkipConquest => Action::Done,
        Kind::StoutDecline => match object.get("decline").and_then(Value::as_bool) {
            Some(true) => Action::Decline,
            Some(false) => Action::Done,
            None => return Err(illegal("STOUT_DECLINE needs true or false under \"decline\"".into())),
        },
        Kind::ChooseDiplomatAlly if object.get("ally") == Some(&Value::Null) => Action::Done,
        Kind::ChooseDiplomatAlly => {
            let ally = number(object, "ally", rules.players)?;
            match (ally + rules.players - usize::from(state.mover)) % rules.players {
                0 => return Err(illegal(format!("seat {ally} cannot make peace with itself"))),
                offset => Action::Ally(offset),
            }
        }
        Kind::PlaceBivouacs | Kind::PlaceFortress | Kind::PlaceHeroes
            if object.get("region") == Some(&Value::Null) =>
        {
            Action::Done
        }
        _ => {
            let region = RegionId(number(object, "region", state.map.len())? as u8);
            let rest = match object.get("rest") {
                None => false,
                Some(rest) => rest
                    .as_bool()
                    .ok_or_else(|| illegal(format!("\"rest\" is {rest}, true or false is allowed")))?,
            };
            match kind {
                Kind::Abandon => Action::Abandon(region),
                Kind::Conquer | Kind::FinalConquest => Action::Conquer(region),
                Kind::UseDragon => Action::Dragon(region),
                Kind::UseSorcerer => Action::Sorcerer(region),
                _ if rest => Action::Rest(region),
                _ => Action::Place(region),
            }
        }
    };
    let called = Kind::of(rules, state, action);
    if called != kind && is_legal(rules, state, action.encode()) {
        return Err(illegal(format!("{name} is not what this is: it is {}", called.name())));
    }
    Ok(action.encode())
}

/// Why an action that is not legal is refused.
pub(super) fn explain(rules: &Ruleset, state: &State, action: u32) -> Refusal {
    if action >= index::COUNT {
        return Refusal::illegal(format!(
            "there is no action {action}; indices go from 0 to {}",
            index::COUNT - 1
        ));
    }
    let decoded = Action::decode(action);
    let kind = Kind::of(rules, state, decoded);
    if let Err(refusal) = check_phase(state, kind) {
        return refusal;
    }
    let reason = match decoded {
        Action::Conquer(region) | Action::Dragon(region) | Action::Sorcerer(region) => {
            why_not(rules, state, decoded, region)
        }
        Action::Pick(place) => {
            format!("only {} places of the row can be paid", {
                state.affordable_combos(usize::from(state.mover)).min(place)
            })
        }
        Action::Ally(offset) if offset < rules.players => "its active race was attacked this turn".into(),
        Action::Ally(_) => format!("there are only {} seats", rules.players),
        Action::Abandon(region) if !state.held(state.acting()).contains(region) => "it is not held".into(),
        Action::Abandon(_) => "regions are abandoned before the first conquest".into(),
        Action::Place(region) | Action::Rest(region) => {
            if state.held(state.acting()).contains(region) {
                format!("pieces are placed by increasing region, and {} is next", state.cursor)
            } else {
                "it is not held".into()
            }
        }
        _ => "it is not possible now".into(),
    };
    Refusal::illegal(format!("{}: {reason}", to_text(rules, state, action)))
}

/// Why a region cannot be taken.
fn why_not(rules: &Ruleset, state: &State, action: Action, region: RegionId) -> String {
    let id = state.acting();
    if region.index() >= state.map.len() {
        return format!("the map's regions are 0 to {}", state.map.len() - 1);
    }
    if state.held(id).contains(region) {
        return "it is held already".into();
    }
    if let Some(&(_, name)) =
        markers::NAMES.iter().find(|(bit, _)| bit & markers::IMMUNE & state.markers[region.index()] != 0)
    {
        return format!("it is immune, {name} is there");
    }
    let campaign = Campaign::new(rules, state);
    let (cost, hand) = (campaign.cost(state, region), state.army(id).hand);
    match action {
        Action::Dragon(_) if campaign.dragon.is_empty() => "the dragon cannot be used now".into(),
        Action::Sorcerer(_) => {
            "no lone active token that may be converted is there, next to a region held".into()
        }
        _ if !campaign.may_attack(region) => "it is out of reach, at peace or water".into(),
        _ => format!("it costs {cost}, {hand} are in hand and the die adds at most {MAX_PIPS}"),
    }
}

fn is_legal(rules: &Ruleset, state: &State, action: u32) -> bool {
    let mut row = [0; mask::words(index::COUNT as usize)];
    super::legal::legal(rules, state, &mut row);
    mask::contains(&row, action)
}

fn check_phase(state: &State, kind: Kind) -> Result<(), Refusal> {
    let phase = state.phase();
    let kinds = Kind::of_phase(phase);
    if kinds.contains(&kind) {
        return Ok(());
    }
    if phase == Phase::GameOver {
        return Err(Refusal::game_over(format!("{} comes too late", kind.name())));
    }
    let names: Vec<_> = kinds.iter().map(|k| k.name()).collect();
    Err(Refusal::wrong_phase(format!(
        "{} does not belong to {}, which takes {}",
        kind.name(),
        phase.name(),
        names.join(", ")
    )))
}

fn number(object: &Object<String, Value>, key: &str, below: usize) -> Result<usize> {
    let value = object.get(key).unwrap_or(&Value::Null);
    value.as_u64().map(|n| n as usize).filter(|&n| n < below).ok_or_else(|| {
        Error::illegal(format!("{key:?} is {value}, an integer from 0 to {} is allowed", below - 1))
    })
}

/// The seat so many places after the mover; one that does not exist when there are not so many.
fn seat_after(rules: &Ruleset, state: &State, offset: usize) -> usize {
    if offset < rules.players { (usize::from(state.mover) + offset) % rules.players } else { offset }
}
