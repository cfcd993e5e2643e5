//! The conditions of end rules, by their names in variant files.

/// The condition of an end rule.
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
    BareKings,
}

/// The conditions of end rules by name.
pub(super) const CONDITIONS: [(&str, Condition); 10] = [
    ("mate", Condition::Mate),
    ("stalemate", Condition::Stalemate),
    ("extinct", Condition::Extinct),
    ("reach", Condition::Reach),
    ("checks", Condition::Checks),
    ("checkers", Condition::Checkers),
    ("repetition", Condition::Repetition),
    ("moves without progress", Condition::NoProgress),
    ("dead position", Condition::Dead),
    ("bare kings", Condition::BareKings),
];
