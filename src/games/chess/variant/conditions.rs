//! The conditions of end rules, by the words for them in variant files.

/// What an end rule waits for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Condition {
    Mate,
    Stalemate,
    Extinct,
    Reach,
    Checks,
    Checkers,
    Repetition,
    NoProgress,
    Dead,
}

/// The conditions of end rules by the words for them.
pub(super) const CONDITIONS: [(&str, Condition); 9] = [
    ("mate", Condition::Mate),
    ("stalemate", Condition::Stalemate),
    ("extinct", Condition::Extinct),
    ("reach", Condition::Reach),
    ("checks", Condition::Checks),
    ("checkers", Condition::Checkers),
    ("repetition", Condition::Repetition),
    ("moves without progress", Condition::NoProgress),
    ("dead position", Condition::Dead),
];
