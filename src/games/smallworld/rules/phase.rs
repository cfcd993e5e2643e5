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
//! A phase without a decision is skipped; SCORE and TURN_END always are.

use super::named::named;

named! {
    /// The phase of a turn.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[repr(u8)]
    pub enum Phase {
        /// Choose a race with its power from the row.
        PickCombo = "PICK_COMBO",
        /// Continue with the active race, or put it into decline.
        ChooseExpandOrDecline = "CHOOSE_EXPAND_OR_DECLINE",
        /// Conquer, abandon before the first conquest, use dragon, sorcerers, berserk die.
        Conquest = "CONQUEST",
        /// Conquests of declined Ghouls, before the conquests of the active race.
        GhoulConquest = "GHOUL_CONQUEST",
        /// Conquest when no target is affordable with tokens alone: one last attempt with the die.
        FinalConquest = "FINAL_CONQUEST",
        /// Spread the tokens over the held regions; give regions up if the tokens do not suffice.
        Redeploy = "REDEPLOY",
        /// Place encampments.
        PlaceEncampments = "PLACE_BIVOUACS",
        /// Place a fortress.
        PlaceFortress = "PLACE_FORTRESS",
        /// Place heroes.
        PlaceHeroes = "PLACE_HEROES",
        /// Choose an opponent for a peace.
        ChooseDiplomatAlly = "CHOOSE_DIPLOMAT_ALLY",
        /// Decline at the end of the turn, or pass.
        StoutDecline = "STOUT_DECLINE",
        /// A player with conquered regions redeploys the surviving tokens.
        OpponentRedeploy = "OPPONENT_REDEPLOY",
        /// Coins are paid. Never waits for a decision.
        Score = "SCORE",
        /// The next seat's turn begins. Never waits for a decision.
        TurnEnd = "TURN_END",
        /// The game is finished.
        GameOver = "GAME_OVER",
    }
}

impl Phase {
    /// Whether regions are being conquered.
    pub(crate) const fn is_conquest(self) -> bool {
        matches!(self, Self::Conquest | Self::GhoulConquest | Self::FinalConquest)
    }
    /// Whether the turn's coins have been paid.
    pub(crate) const fn is_paid(self) -> bool {
        matches!(self, Self::StoutDecline | Self::OpponentRedeploy | Self::TurnEnd | Self::GameOver)
    }
}
