//! Enumerations with named values.

/// Declares an enumeration with `ALL`, `name` and `from_name`.
macro_rules! named {
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Name:ident {
            $($(#[$doc:meta])* $Value:ident = $text:literal,)+
        }
    ) => {
        $(#[$attribute])*
        $visibility enum $Name {
            $($(#[$doc])* $Value,)+
        }

        impl $Name {
            /// All of them, in the order of their numbers.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$Value),+];

            /// Its name, in capitals as in observations, objects and logs.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$Value => $text,)+
                }
            }
            /// The value with this name, if there is one.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}
pub(crate) use named;
