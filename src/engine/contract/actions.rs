//! Actions as an enum whose variants have their place in the action space.

/// Defines an enum of actions with a derived index.
///
/// A variant is a family of actions, named as in structured actions (`EndTurn` is `END_TURN`), and its comment is the
/// family's meaning. A field is an axis with a number of values:
/// `Conquer { region: 23, tokens: 5 }` has 115 actions. The order is that of the variants, and the last field counts
/// fastest. Sizes are constants; a game whose sizes depend on options uses [`ActionLayout`](crate::ActionLayout).
///
/// | member | is |
/// |---|---|
/// | `COUNT` | the number of actions |
/// | `index(self)` | the [`ActionId`](crate::ActionId); it panics if a field is too large |
/// | `from_index(index)` | the action, or `None` from `COUNT` on |
/// | `layout()` | the [`ActionLayout`](crate::ActionLayout) for the spec |
///
/// ```
/// ludovec_engine::actions! {
///     /// What a player can do.
///     pub enum Action {
///         /// end the turn
///         Pass,
///         /// put tokens into a region
///         Conquer { region: 23, tokens: 5 },
///     }
/// }
///
/// let action = Action::Conquer { region: 2, tokens: 3 };
/// assert_eq!((Action::COUNT, action.index()), (116, 14));
/// assert_eq!(Action::from_index(14), Some(action));
/// assert_eq!(Action::from_index(116), None);
/// let families = Action::layout().into_families();
/// assert_eq!((families[1].name.as_str(), families[1].offset), ("CONQUER", 1));
/// assert_eq!((families[1].meaning.as_str(), families[1].shape.as_slice()), ("put tokens into a region", &[23, 5][..]));
/// ```
#[macro_export]
macro_rules! actions {
    (
        $(#[$about:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $meaning:literal])*
                $variant:ident $({ $($field:ident: $size:expr),+ $(,)? })?
            ),+ $(,)?
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        $vis enum $name {
            $(
                $(#[doc = $meaning])*
                $variant $({
                    $(
                        #[doc = concat!("Below ", stringify!($size), ".")]
                        $field: u32,
                    )+
                })?,
            )+
        }

        const _: () = {
            enum Family { $($variant),+ }

            /// Number of actions of each family.
            const SIZES: &[u32] = &[$(1 $($(* ($size))+)?),+];

            /// First action of each family, and the number of all actions.
            const OFFSETS: [u32; SIZES.len() + 1] = {
                let mut offsets = [0; SIZES.len() + 1];
                let mut family = 0;
                while family < SIZES.len() {
                    offsets[family + 1] = offsets[family] + SIZES[family];
                    family += 1;
                }
                offsets
            };

            #[allow(dead_code, unused_mut, unused_variables, unused_assignments)]
            impl $name {
                /// Number of actions.
                pub const COUNT: u32 = OFFSETS[SIZES.len()];

                /// The index of the action.
                ///
                /// # Panics
                /// If a field is not below its size.
                #[must_use]
                pub const fn index(self) -> $crate::ActionId {
                    match self {
                        $(Self::$variant $({ $($field),+ })? => {
                            let mut inside = 0;
                            $($(
                                assert!(
                                    $field < $size,
                                    concat!(stringify!($variant), ": ", stringify!($field), " is below ", stringify!($size)),
                                );
                                inside = inside * ($size) + $field;
                            )+)?
                            OFFSETS[Family::$variant as usize] + inside
                        })+
                    }
                }

                /// The action with this index, or `None` if there is none.
                #[must_use]
                pub const fn from_index(index: $crate::ActionId) -> Option<Self> {
                    $(
                        if index < OFFSETS[Family::$variant as usize + 1] {
                            let mut rest = index - OFFSETS[Family::$variant as usize];
                            let mut block = SIZES[Family::$variant as usize];
                            $($(
                                block /= $size;
                                let $field = rest / block;
                                rest %= block;
                            )+)?
                            return Some(Self::$variant $({ $($field),+ })?);
                        }
                    )+
                    None
                }

                /// The families of the action space.
                #[must_use]
                pub fn layout() -> $crate::ActionLayout {
                    let mut layout = $crate::ActionLayout::default();
                    $(
                        let meaning = concat!("" $(, $meaning)*).trim();
                        let name = $crate::family_name(stringify!($variant));
                        layout.push(&name, SIZES[Family::$variant as usize], meaning);
                        $(layout.name(&[$($size),+], &[]);)?
                    )+
                    layout
                }
            }
        };
    };
}

/// The name of the family of a variant: words in capitals, separated by underscores.
#[must_use]
pub fn family_name(variant: &str) -> String {
    let mut name = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.extend(letter.to_uppercase());
    }
    name
}

#[cfg(test)]
mod tests {
    const SQUARES: u32 = 64;

    crate::actions! {
        /// Every kind of variant.
        enum Action {
            /// a family
            /// of two lines
            Pass,
            Drop { column: 7 },
            /// from a square to a square
            Move { from: SQUARES, to: SQUARES },
            PromotePawn { file: 8, way: 2 + 1, piece: 4 },
        }
    }

    #[test]
    fn every_index_is_that_of_one_action() {
        assert_eq!(Action::COUNT, 1 + 7 + 64 * 64 + 8 * 3 * 4);
        for index in 0..Action::COUNT {
            assert_eq!(Action::from_index(index).map(Action::index), Some(index));
        }
        assert_eq!(Action::from_index(Action::COUNT), None);
        assert_eq!(Action::from_index(u32::MAX), None);
        assert_eq!(Action::Move { from: 1, to: 2 }.index(), 8 + 64 + 2);
        assert_eq!(Action::PromotePawn { file: 7, way: 2, piece: 3 }.index(), Action::COUNT - 1);
    }

    #[test]
    fn the_layout_has_names_meanings_and_grids() {
        let families = Action::layout().into_families();
        let found: Vec<_> =
            families.iter().map(|f| (f.name.as_str(), f.offset, f.count, f.meaning.as_str())).collect();
        assert_eq!(
            found,
            [
                ("PASS", 0, 1, "a family of two lines"),
                ("DROP", 1, 7, ""),
                ("MOVE", 8, 4096, "from a square to a square"),
                ("PROMOTE_PAWN", 4104, 96, ""),
            ]
        );
        assert_eq!(families[1].shape, [0; 0]);
        assert_eq!(families[3].shape, [8, 3, 4]);
    }

    #[test]
    #[should_panic(expected = "Drop: column is below 7")]
    fn a_field_that_is_too_large_has_no_index() {
        let _ = Action::Drop { column: 7 }.index();
    }
}
