//! The abilities of the special powers, one entry each. Numbers of tokens and texts are in
//! `assets/smallworld/`.

use super::abilities::{Ability, AfterRedeployment, TerrainSet};
use super::pieces::markers;
use super::roster::Power;

impl Power {
    /// The power's rule changes.
    #[inline]
    pub(crate) fn ability(self) -> &'static Ability {
        static ABILITIES: [Ability; Power::COUNT] = {
            let mut table = [Ability::NONE; Power::COUNT];
            let mut i = 0;
            while i < Power::COUNT {
                table[i] = ability(Power::ALL[i]);
                i += 1;
            }
            table
        };
        &ABILITIES[self.index()]
    }
}

const fn ability(power: Power) -> Ability {
    const NONE: Ability = Ability::NONE;
    match power {
        Power::Alchemist => Ability { pays_flat: 2, ..NONE },
        // The die may be rolled before each choice of a target and lowers its cost.
        Power::Berserk => Ability { rolls_first: true, ..NONE },
        // Five encampments, redistributed each turn, any number of them in one region.
        Power::Bivouacking => Ability { after_redeployment: AfterRedeployment::Encampments, ..NONE },
        Power::Commando => Ability { cheap: TerrainSet::ANY, ..NONE },
        // A peace with one opponent, if its active race was not attacked this turn.
        Power::Diplomat => Ability { after_redeployment: AfterRedeployment::Ally, ..NONE },
        // One token is enough once a turn, and the region is immune while the dragon stays.
        Power::DragonMaster => Ability { dragon: true, ..NONE },
        Power::Flying => Ability { in_reach: TerrainSet::LAND, ..NONE },
        Power::Forest => Ability { pays: TerrainSet::FOREST, ..NONE },
        // One fortress per turn. In decline they defend but no longer pay.
        Power::Fortified => Ability {
            after_redeployment: AfterRedeployment::Fortress,
            pays_markers: markers::FORTRESS,
            ..NONE
        },
        // Two heroes; their regions are immune.
        Power::Heroic => Ability { after_redeployment: AfterRedeployment::Heroes, ..NONE },
        Power::Hill => Ability { pays: TerrainSet::HILL, ..NONE },
        Power::Merchant => Ability { pays: TerrainSet::ANY, ..NONE },
        Power::Mounted => Ability { cheap: TerrainSet::HILL.or(TerrainSet::FARMLAND), ..NONE },
        Power::Pillaging => Ability { pays_battle: 1, ..NONE },
        // Water is kept and scored in decline; a discount on it is an option of the rules.
        Power::Seafaring => Ability { sails: TerrainSet::WATER, ..NONE },
        Power::Spirit => Ability { spirit: true, ..NONE },
        Power::Stout => Ability { stout: true, ..NONE },
        Power::Swamp => Ability { pays: TerrainSet::SWAMP, ..NONE },
        Power::Underworld => Ability { cheap: TerrainSet::CAVERN, linked: TerrainSet::CAVERN, ..NONE },
        Power::Wealthy => Ability { pays_once: 7, ..NONE },
    }
}
