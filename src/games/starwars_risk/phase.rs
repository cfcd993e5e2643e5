//! What is being decided, what follows a decision, and how a game ends.

use bytemuck::{CheckedBitPattern, NoUninit};

use super::board::{EMPIRE, REBEL};

/// What the seat to move decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub enum Phase {
    /// Which card of the hand goes onto the order stack next.
    Order,
    /// Which icon of the turned card is played, if any.
    Icon,
    /// Where the ships start from, or whether TIE fighters are spawned.
    From,
    /// Where they go.
    To,
    /// How many go.
    Count,
    /// Whether and where a capital ship goes a second step.
    Again,
    /// What they attack, if anything.
    Attack,
    /// What the Death Star fires at.
    Fire,
    /// Which ship the highest die left hits.
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
    pub const fn name(self) -> &'static str {
        ["order", "icon", "from", "to", "count", "again", "attack", "fire", "hit", "over"][self as usize]
    }
}

/// How a game stands or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, CheckedBitPattern, NoUninit)]
#[repr(u8)]
pub(super) enum GameResult {
    /// The rebellion has destroyed the Death Star.
    Rebel,
    /// No rebel ship is left.
    Empire,
    /// The game goes on.
    None,
    /// The last round is over.
    Rounds,
}

impl GameResult {
    pub const ALL: [Self; 4] = [Self::Rebel, Self::Empire, Self::None, Self::Rounds];

    pub const fn name(self) -> &'static str {
        ["rebel", "empire", "none", "rounds"][self as usize]
    }
    /// The seat that has won.
    pub const fn winner(self) -> Option<usize> {
        match self {
            Self::Rebel => Some(REBEL),
            Self::Empire => Some(EMPIRE),
            Self::None | Self::Rounds => None,
        }
    }
}

/// What follows an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Next {
    /// A decision; when there is a single way on, it is taken without asking.
    Decide,
    /// Dice are rolled.
    Roll(Roll),
    /// The play of the card is over; the next one is turned.
    TurnCard,
    /// The game is over.
    End,
}

/// What dice are rolled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Roll {
    Attack,
    AttackDeathstar,
    FireDeathstar,
    Lightsaber,
    Shield,
}
