//! Phases: the kinds of decisions, the continuation after a decision, and the end of a game.

use bytemuck::{CheckedBitPattern, NoUninit};

use super::board::{EMPIRE, REBEL};

/// The kind of decision of the current player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub enum Phase {
    /// The next card of the hand for the order stack.
    Order,
    /// The icon of the turned card to play, if any.
    Icon,
    /// The origin of the ships, or spawning TIE fighters.
    From,
    /// Their destination.
    To,
    /// Their number.
    Count,
    /// The second step of a capital ship, if any.
    Again,
    /// Their target, if any.
    Attack,
    /// The target of the Death Star.
    Fire,
    /// The ship hit by the highest remaining die.
    Hit,
    /// The game has ended.
    Over,
}

impl Phase {
    /// All phases in order.
    pub const ALL: [Self; 10] = [
        Self::Order,
        Self::Icon,
        Self::From,
        Self::To,
        Self::Count,
        Self::Again,
        Self::Attack,
        Self::Fire,
        Self::Hit,
        Self::Over,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        ["order", "icon", "from", "to", "count", "again", "attack", "fire", "hit", "over"][self as usize]
    }
}

/// The result of a game, or its lack so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub(crate) enum GameResult {
    /// The rebellion has destroyed the Death Star.
    Rebel,
    /// No rebel ship is left.
    Empire,
    /// The game is in progress.
    None,
    /// The last round is over.
    Rounds,
}

impl GameResult {
    pub const ALL: [Self; 4] = [Self::Rebel, Self::Empire, Self::None, Self::Rounds];

    pub const fn name(self) -> &'static str {
        ["rebel", "empire", "none", "rounds"][self as usize]
    }
    /// The winner's seat.
    pub const fn winner(self) -> Option<usize> {
        match self {
            Self::Rebel => Some(REBEL),
            Self::Empire => Some(EMPIRE),
            Self::None | Self::Rounds => None,
        }
    }
}

/// The continuation after an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// A decision; a single option is taken automatically.
    Decide,
    /// Dice are rolled.
    Roll(Roll),
    /// The play of the card is over; the next one is turned.
    TurnCard,
    /// The game is over.
    End,
}

/// The purpose of a roll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Roll {
    Attack,
    AttackDeathstar,
    FireDeathstar,
    Lightsaber,
    Shield,
}
