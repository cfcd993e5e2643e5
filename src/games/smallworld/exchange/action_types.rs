//! Action types: the `type` of an action as an object, and the first word of an action as text.
//!
//! Fifteen types come from the original engine; ABANDON and ROLL_DIE come from the published rules.

use crate::actions::Action;
use crate::rules::conquest_costs::Discounts;
use crate::rules::named::named;
use crate::rules::phase::Phase;
use crate::rules::ruleset::Ruleset;
use crate::rules::state::State;
use ludovec_engine::Refusal;

named! {
    /// The type of an action. The same index has different types in different phases.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum ActionType {
        PickCombo = "PICK_COMBO",
        Expand = "EXPAND",
        Decline = "DECLINE",
        Abandon = "ABANDON",
        Conquer = "CONQUER",
        FinalConquest = "FINAL_CONQUEST",
        UseDragon = "USE_DRAGON",
        UseSorcerer = "USE_SORCERER",
        RollDie = "ROLL_DIE",
        SkipConquest = "SKIP_CONQUEST",
        Redeploy = "REDEPLOY",
        PlaceEncampments = "PLACE_BIVOUACS",
        PlaceFortress = "PLACE_FORTRESS",
        PlaceHeroes = "PLACE_HEROES",
        ChooseDiplomatAlly = "CHOOSE_DIPLOMAT_ALLY",
        StoutDecline = "STOUT_DECLINE",
        OpponentRedeploy = "OPPONENT_REDEPLOY",
    }
}

impl ActionType {
    /// The types of a phase.
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
            Phase::PlaceEncampments => &[Self::PlaceEncampments],
            Phase::PlaceFortress => &[Self::PlaceFortress],
            Phase::PlaceHeroes => &[Self::PlaceHeroes],
            Phase::ChooseDiplomatAlly => &[Self::ChooseDiplomatAlly],
            Phase::StoutDecline => &[Self::StoutDecline],
            Phase::OpponentRedeploy => &[Self::OpponentRedeploy],
            Phase::Score | Phase::TurnEnd | Phase::GameOver => &[],
        }
    }

    /// The type of `action` in `state`; its most common type if it does not belong to the phase.
    pub fn of(rules: &Ruleset, state: &State, action: Action) -> Self {
        let phase = state.phase();
        match action {
            Action::Pick(_) => Self::PickCombo,
            Action::Expand => Self::Expand,
            Action::Decline if phase == Phase::StoutDecline => Self::StoutDecline,
            Action::Decline => Self::Decline,
            Action::Abandon(_) => Self::Abandon,
            Action::Conquer(region) if phase.is_conquest() => {
                let hand = state.army(state.acting()).hand;
                let cost = Discounts::new(rules, state).cost(state, region);
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

    /// Refuses a type that is not part of the phase.
    pub fn check_phase(self, state: &State) -> Result<(), Refusal> {
        let phase = state.phase();
        let types = Self::of_phase(phase);
        if types.contains(&self) {
            return Ok(());
        }
        if phase == Phase::GameOver {
            return Err(Refusal::game_over(format!("{} comes too late", self.name())));
        }
        let names: Vec<_> = types.iter().map(|t| t.name()).collect();
        Err(Refusal::wrong_phase(format!(
            "{} does not belong to {}, which takes {}",
            self.name(),
            phase.name(),
            names.join(", ")
        )))
    }
}
