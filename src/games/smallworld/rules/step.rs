//! One decision and all its consequences.

use super::phase::Phase;
use super::ruleset::Ruleset;
use super::state::{State, slot};
use crate::actions::Action;
use ludovec_engine::chance::Chance;

/// One step of a game in progress: the rules, the state to change, and chance. The file of each rule adds the
/// methods that apply the rule.
pub(crate) struct TurnContext<'a, C: ?Sized> {
    pub rules: &'a Ruleset,
    pub state: &'a mut State,
    pub chance: &'a mut C,
}

/// The next thing to do without a decision. The function of a stage returns the stage after it, or `None` if a
/// player has to decide; it has then set the [`Phase`] of the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// A turn starts.
    Turn,
    /// The conquests of Ghouls in decline begin.
    Ghouls,
    /// The conquests of the active race begin.
    Conquest,
    /// The acting army continues to conquer.
    NextConquest,
    /// The acting army picks up its tokens.
    Redeploy,
    /// It spreads them over its regions.
    Spread,
    /// The power of the active race places pieces or offers a peace.
    PlacePieces,
    /// Coins are paid.
    Score,
    /// A stout race may decline.
    Stout,
    /// Seats that lost regions redeploy.
    Opponents,
    /// The turn ends.
    TurnEnd,
}

impl<C: Chance + ?Sized> TurnContext<'_, C> {
    /// Plays a legal action.
    pub(crate) fn act(&mut self, action: Action) {
        let phase = self.state.phase();
        let next = match action {
            Action::Pick(index) => Some(self.pick_combo(index)),
            Action::Expand => Some(Stage::Ghouls),
            Action::Decline => {
                self.decline();
                Some(if phase == Phase::StoutDecline { Stage::Opponents } else { Stage::Score })
            }
            Action::Abandon(region) if phase.is_conquest() => Some(self.abandon(region)),
            Action::Abandon(region) => Some(self.shed(region)),
            Action::Conquer(region) => Some(self.conquer(region)),
            Action::Dragon(region) => Some(self.use_dragon(region)),
            Action::Sorcerer(region) => Some(self.use_sorcerer(region)),
            Action::Roll => Some(self.roll_first()),
            Action::Place(region) => self.place(region),
            Action::Rest(region) => Some(self.place_rest(region)),
            Action::Ally(offset) => {
                let ally = (usize::from(self.state.mover) + offset) % self.rules.players;
                Some(self.choose_ally(ally))
            }
            Action::Done if phase.is_conquest() => {
                self.state.die = 0;
                Some(Stage::Redeploy)
            }
            Action::Done if phase == Phase::StoutDecline => Some(Stage::Opponents),
            Action::Done => Some(self.after_placing()),
        };
        if let Some(stage) = next {
            self.run(stage);
        }
    }

    /// Runs from `stage` to the next decision or the end of the game.
    pub(crate) fn run(&mut self, mut stage: Stage) {
        loop {
            let next = match stage {
                Stage::Turn => self.turn(),
                Stage::Ghouls => self.ghoul_conquest(),
                Stage::Conquest => self.conquest(),
                Stage::NextConquest => self.next_conquest(),
                Stage::Redeploy => self.redeploy(),
                Stage::Spread => self.spread(),
                Stage::PlacePieces => self.place_pieces(),
                Stage::Score => self.score(),
                Stage::Stout => {
                    self.state.set_phase(Phase::StoutDecline);
                    None
                }
                Stage::Opponents => self.opponents(),
                Stage::TurnEnd => self.turn_end(),
            };
            match next {
                Some(next) => stage = next,
                None => return,
            }
        }
    }

    fn turn(&mut self) -> Option<Stage> {
        self.end_peace();
        let seat = usize::from(self.state.seat);
        if self.state.armies[seat][slot::ACTIVE].exists() {
            self.state.set_phase(Phase::ChooseExpandOrDecline);
            return None;
        }
        self.state.set_phase(Phase::PickCombo);
        self.offer_combos()
    }

    fn turn_end(&mut self) -> Option<Stage> {
        let state = &mut *self.state;
        state.conquered = Default::default();
        state.battles = 0;
        state.attacked = 0;
        state.converted = 0;
        state.dragon_used = 0;
        state.first_turn = 0;
        state.may_abandon = 0;
        state.cursor = 0;
        state.slot = slot::ACTIVE as u8;
        if usize::from(state.seat) + 1 < self.rules.players {
            state.seat += 1;
        } else if state.turn < self.rules.turns {
            state.seat = 0;
            state.turn += 1;
        } else {
            state.mover = state.seat;
            state.set_phase(Phase::GameOver);
            return None;
        }
        state.mover = state.seat;
        Some(Stage::Turn)
    }
}
