//! Settings with named values.

/// A setting with named values, the same on the command line, in Python and in shared memory.
///
/// ```
/// use ludovec_engine::{AutoReset, Named};
/// assert_eq!(AutoReset::named("same_step"), Some(AutoReset::SameStep));
/// assert_eq!(AutoReset::Disabled.name(), "disabled");
/// ```
pub trait Named: Copy + PartialEq + Send + Sync + 'static {
    /// All values with their names.
    const NAMES: &'static [(&'static str, Self)];

    /// The value called `name`.
    fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, value)| *value)
    }
    /// The value's name.
    fn name(self) -> &'static str {
        let (name, _) = Self::NAMES.iter().find(|(_, value)| *value == self).expect("every value has a name");
        name
    }
}
