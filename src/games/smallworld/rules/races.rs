//! The abilities of the races, one entry each. Numbers of tokens and texts are in `assets/smallworld/`.

use super::abilities::{Ability, TerrainSet};
use super::pieces::{markers, stock};
use super::roster::Race;

impl Race {
    /// The race's rule changes.
    #[inline]
    pub(crate) fn ability(self) -> &'static Ability {
        static ABILITIES: [Ability; Race::COUNT] = {
            let mut table = [Ability::NONE; Race::COUNT];
            let mut i = 0;
            while i < Race::COUNT {
                table[i] = ability(Race::ALL[i]);
                i += 1;
            }
            table
        };
        &ABILITIES[self.index()]
    }
}

const fn ability(race: Race) -> Ability {
    const NONE: Ability = Ability::NONE;
    match race {
        // Four tokens for conquest, returned when redeploying.
        Race::Amazons => Ability { loan: 4, ..NONE },
        // Mines pay in decline too.
        Race::Dwarves => Ability { pays: TerrainSet::MINE, pays_declined: TerrainSet::MINE, ..NONE },
        // No token is lost with a region; in decline one is, as for every other race.
        Race::Elves => Ability { saves: 1, ..NONE },
        // All tokens stay when the race goes into decline, and the declined race continues to conquer.
        Race::Ghouls => Ability { fights_in_decline: true, ..NONE },
        // Regions next to a mountain that they hold cost one token less.
        Race::Giants => Ability { cheap_around: TerrainSet::MOUNTAIN, ..NONE },
        // The first two conquests may be anywhere and get a hole.
        Race::Halflings => Ability { holes: stock::HOLES, ..NONE },
        Race::Humans => Ability { pays: TerrainSet::FARMLAND, ..NONE },
        Race::Orcs => Ability { pays_battle: 1, ..NONE },
        // No ability: the race has more tokens instead.
        Race::Ratmen => NONE,
        // One token from the tray for every two conquests of non-empty regions.
        Race::Skeletons => Ability { battles_per_recruit: 2, ..NONE },
        // A lone token next to them becomes one of theirs, once per turn and opponent.
        Race::Sorcerers => Ability { converts: true, ..NONE },
        Race::Tritons => Ability { cheap: TerrainSet::COAST, ..NONE },
        // A lair in every region they take; it stays in decline.
        Race::Trolls => Ability { marks: markers::LAIR, ..NONE },
        Race::Wizards => Ability { pays: TerrainSet::MAGIC_SOURCE, ..NONE },
    }
}
