//! The fifteen phases of a turn.
//!
//! ```text
//!  turn starts
//!      |-- no active race --> PICK_COMBO ----.
//!      '-- CHOOSE_EXPAND_OR_DECLINE -EXPAND--+--> [GHOUL_CONQUEST --> REDEPLOY of the Ghouls]
//!                 |                                   |
//!              DECLINE                            CONQUEST / FINAL_CONQUEST
//!                 |                                   |
//!                 |                               REDEPLOY
//!                 |                                   |
//!                 |       [PLACE_BIVOUACS | PLACE_FORTRESS | PLACE_HEROES | CHOOSE_DIPLOMAT_ALLY]
//!                 |                                   |
//!                 '------------> SCORE <--------------'
//!                                  |
//!                           [STOUT_DECLINE]
//!                                  |
//!                  [OPPONENT_REDEPLOY, PLACE_BIVOUACS of the victims, clockwise]
//!                                  |
//!                              TURN_END --> next turn, or GAME_OVER
//! ```
//! A phase in which there is nothing to decide passes by itself; SCORE and TURN_END always do.

/// Where in a turn the game is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// Choose a race with its power from the row.
    PickCombo,
    /// Go on with the active race, or put it into decline.
    ChooseExpandOrDecline,
    /// Conquer, abandon before the first conquest, use dragon, sorcerers, berserk die.
    Conquest,
    /// Conquests of declined Ghouls, before those of the active race.
    GhoulConquest,
    /// Conquest when nothing is left that tokens alone could pay: one last attempt with the die.
    FinalConquest,
    /// Spread the tokens over the held regions; give regions up when the tokens do not suffice.
    Redeploy,
    /// Place encampments.
    PlaceBivouacs,
    /// Place a fortress.
    PlaceFortress,
    /// Place heroes.
    PlaceHeroes,
    /// Choose an opponent for a peace.
    ChooseDiplomatAlly,
    /// Decline at the end of the turn, or not.
    StoutDecline,
    /// Somebody whose regions were conquered redeploys the tokens that got away.
    OpponentRedeploy,
    /// Coins are paid. Never waits for a decision.
    Score,
    /// The next seat's turn comes. Never waits for a decision.
    TurnEnd,
    /// The game is finished.
    GameOver,
}

impl Phase {
    /// All phases, in the order of their numbers.
    pub const ALL: [Self; 15] = [
        Self::PickCombo,
        Self::ChooseExpandOrDecline,
        Self::Conquest,
        Self::GhoulConquest,
        Self::FinalConquest,
        Self::Redeploy,
        Self::PlaceBivouacs,
        Self::PlaceFortress,
        Self::PlaceHeroes,
        Self::ChooseDiplomatAlly,
        Self::StoutDecline,
        Self::OpponentRedeploy,
        Self::Score,
        Self::TurnEnd,
        Self::GameOver,
    ];

    /// Its name, in capitals as in observations and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PickCombo => "PICK_COMBO",
            Self::ChooseExpandOrDecline => "CHOOSE_EXPAND_OR_DECLINE",
            Self::Conquest => "CONQUEST",
            Self::GhoulConquest => "GHOUL_CONQUEST",
            Self::FinalConquest => "FINAL_CONQUEST",
            Self::Redeploy => "REDEPLOY",
            Self::PlaceBivouacs => "PLACE_BIVOUACS",
            Self::PlaceFortress => "PLACE_FORTRESS",
            Self::PlaceHeroes => "PLACE_HEROES",
            Self::ChooseDiplomatAlly => "CHOOSE_DIPLOMAT_ALLY",
            Self::StoutDecline => "STOUT_DECLINE",
            Self::OpponentRedeploy => "OPPONENT_REDEPLOY",
            Self::Score => "SCORE",
            Self::TurnEnd => "TURN_END",
            Self::GameOver => "GAME_OVER",
        }
    }
    /// The phase called `name`, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|p| p.name() == name)
    }
    /// Whether regions are being conquered.
    pub(super) const fn is_conquest(self) -> bool {
        matches!(self, Self::Conquest | Self::GhoulConquest | Self::FinalConquest)
    }
    /// Whether the turn's coins have been paid.
    pub(super) const fn is_paid(self) -> bool {
        matches!(self, Self::StoutDecline | Self::OpponentRedeploy | Self::TurnEnd | Self::GameOver)
    }
}
