//! The original's five bots.

use crate::actions::Action;
use crate::rules::map::{Cell, cells_of};
use crate::rules::ruleset::Structure;
use crate::rules::state::StateRef;
use ludovec_engine::chance::Chance;
use ludovec_engine::mask;

/// Always passes.
pub(crate) fn passive(_view: StateRef<'_>, _legal: &[u64], _chance: &mut dyn Chance) -> Action {
    Action::Pass
}

/// Keeps half of its cells producing and spends the rest on neutral land.
pub(crate) fn pacifist(position: StateRef<'_>, legal: &[u64], chance: &mut dyn Chance) -> Action {
    let seat = position.current();
    let producers = position.count(seat, Structure::Farm) + position.count(seat, Structure::Castle);
    let farm = pick(legal_builds(position, legal, Structure::Farm), chance);
    let conquest = pick(legal_conquests(position, legal, |owner| owner.is_none()), chance);
    let first = if 2 * producers < position.tiles(seat) { farm } else { None };
    first.or(conquest).or(farm).unwrap_or(Action::Harvest)
}

/// Takes neutral land until it meets an enemy, then saves up for the enemy cell that it wants.
pub(crate) fn aggressive(position: StateRef<'_>, legal: &[u64], chance: &mut dyn Chance) -> Action {
    let seat = position.current();
    let is_enemy = |owner: Option<usize>| owner.is_some_and(|o| o != seat);
    let meets_enemy = cells_of(position.owned(seat))
        .any(|cell| position.rules.map.beside(cell).any(|near| is_enemy(position.owner(near))));
    let conquest = if !meets_enemy {
        pick(legal_conquests(position, legal, |owner| owner.is_none()), chance)
    } else if position.ledger.resources[seat] >= Structure::Castle.conquer_cost() {
        let targets = legal_conquests(position, legal, is_enemy);
        let is_castle =
            |a: &Action| matches!(a, Action::Conquer(c) if position.structure(*c) == Structure::Castle);
        let castles = targets.iter().copied().filter(is_castle).collect();
        pick(castles, chance).or_else(|| pick(targets, chance))
    } else {
        None
    };
    conquest.unwrap_or(Action::Harvest)
}

/// Turns every piece of land into a fort; takes a cell if all its land is used up.
pub(crate) fn defensive(position: StateRef<'_>, legal: &[u64], chance: &mut dyn Chance) -> Action {
    if position.ledger.resources[position.current()] < Structure::Fort.build_cost() {
        return Action::Harvest;
    }
    pick(legal_builds(position, legal, Structure::Fort), chance)
        .or_else(|| pick(legal_conquests(position, legal, |_| true), chance))
        .unwrap_or(Action::Harvest)
}

/// A random action on a random cell. Illegal ones, the majority, become a pass.
pub(crate) fn super_random(position: StateRef<'_>, legal: &[u64], chance: &mut dyn Chance) -> Action {
    let action = super_random_tries(position, chance);
    if mask::contains(legal, action.index(&position.rules.map)) { action } else { Action::Pass }
}

/// The first attempt of [`super_random`].
pub(crate) fn super_random_tries(position: StateRef<'_>, chance: &mut dyn Chance) -> Action {
    let map = &position.rules.map;
    let cell = |chance: &mut dyn Chance| Cell(chance.uniform(map.cells() as u32) as u16);
    match chance.uniform(5) {
        0 => Action::Harvest,
        1 => Action::Conquer(cell(chance)),
        kind => Action::Build(Structure::ALL[kind as usize - 1], cell(chance)),
    }
}

/// The legal conquests of cells with a given kind of owner.
fn legal_conquests(
    position: StateRef<'_>,
    legal: &[u64],
    wanted: impl Fn(Option<usize>) -> bool,
) -> Vec<Action> {
    legal_at(position, legal, Action::Conquer)
        .filter(|(_, cell)| wanted(position.owner(*cell)))
        .map(|a| a.0)
        .collect()
}

/// The legal ways to build `structure` on empty land.
fn legal_builds(position: StateRef<'_>, legal: &[u64], structure: Structure) -> Vec<Action> {
    legal_at(position, legal, |cell| Action::Build(structure, cell))
        .filter(|(_, cell)| position.structure(*cell) == Structure::Land)
        .map(|a| a.0)
        .collect()
}

/// The cells at which `action` is legal.
fn legal_at<'a>(
    position: StateRef<'a>,
    legal: &'a [u64],
    action: impl Fn(Cell) -> Action + 'a,
) -> impl Iterator<Item = (Action, Cell)> + 'a {
    let map = &position.rules.map;
    (0..map.cells() as u16)
        .map(move |cell| (action(Cell(cell)), Cell(cell)))
        .filter(move |(action, _)| mask::contains(legal, action.index(map)))
}

fn pick(actions: Vec<Action>, chance: &mut dyn Chance) -> Option<Action> {
    if actions.is_empty() { None } else { Some(actions[chance.uniform(actions.len() as u32) as usize]) }
}
