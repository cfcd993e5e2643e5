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

use super::named::named;

named! {
    /// Where in a turn the game is.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Phase {
        /// Choose a race with its power from the row.
        PickCombo = "PICK_COMBO",
        /// Go on with the active race, or put it into decline.
        ChooseExpandOrDecline = "CHOOSE_EXPAND_OR_DECLINE",
        /// Conquer, abandon before the first conquest, use dragon, sorcerers, berserk die.
        Conquest = "CONQUEST",
        /// Conquests of declined Ghouls, before those of the active race.
        GhoulConquest = "GHOUL_CONQUEST",
        /// Conquest when nothing is left that tokens alone could pay: one last attempt with the die.
        FinalConquest = "FINAL_CONQUEST",
        /// Spread the tokens over the held regions; give regions up when the tokens do not suffice.
        Redeploy = "REDEPLOY",
        /// Place encampments.
        PlaceBivouacs = "PLACE_BIVOUACS",
        /// Place a fortress.
        PlaceFortress = "PLACE_FORTRESS",
        /// Place heroes.
        PlaceHeroes = "PLACE_HEROES",
        /// Choose an opponent for a peace.
        ChooseDiplomatAlly = "CHOOSE_DIPLOMAT_ALLY",
        /// Decline at the end of the turn, or not.
        StoutDecline = "STOUT_DECLINE",
        /// Somebody whose regions were conquered redeploys the tokens that got away.
        OpponentRedeploy = "OPPONENT_REDEPLOY",
        /// Coins are paid. Never waits for a decision.
        Score = "SCORE",
        /// The next seat's turn comes. Never waits for a decision.
        TurnEnd = "TURN_END",
        /// The game is finished.
        GameOver = "GAME_OVER",
    }
}

impl Phase {
    /// Whether regions are being conquered.
    pub(super) const fn is_conquest(self) -> bool {
        matches!(self, Self::Conquest | Self::GhoulConquest | Self::FinalConquest)
    }
    /// Whether the turn's coins have been paid.
    pub(super) const fn is_paid(self) -> bool {
        matches!(self, Self::StoutDecline | Self::OpponentRedeploy | Self::TurnEnd | Self::GameOver)
    }
}
