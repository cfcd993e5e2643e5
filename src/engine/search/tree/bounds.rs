//! Proofs: bounds of the players' returns, backed up from the ends of games (MCTS-Solver with bounds).
//!
//! An expanded action or a node about which something is known has an entry with the least and the greatest return of
//! every player. Bounds only get tighter. A node is *proven* once the return of its current player is exact, and
//! *solved* once the returns of all players are.

use super::{Edge, Node, Tree};
use crate::contract::spec::MAX_PLAYERS;
use crate::contract::support::error::Result;
use crate::contract::support::memory::room;
use crate::search::tree::TREE;

/// Numbers closer than this are equal.
const EQUAL: f64 = 1e-9;
/// Marks of expanded actions: the number of the entry plus 1, and these flags. 0: nothing is known.
const CLOSED: u32 = 1 << 31;
/// The return of the current player is exact.
const CERTAIN: u32 = 1 << 30;
const ENTRY: u32 = CERTAIN - 1;

/// The least and the greatest return of a player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    /// The interval of all returns.
    pub(crate) const ANY: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    pub(crate) fn exactly(value: f64) -> Self {
        Self { low: value, high: value }
    }

    pub(crate) fn is_exact(self) -> bool {
        self.high - self.low <= EQUAL
    }

    /// The interval one step earlier, with the reward of that step.
    fn after(self, reward: f32, discount: f64) -> Self {
        // Infinity times 0 is no number.
        let discounted = |bound: f64| if discount == 0.0 { 0.0 } else { discount * bound };
        Self {
            low: f64::from(reward) + discounted(self.low),
            high: f64::from(reward) + discounted(self.high),
        }
    }
}

/// The bounds of a position or an action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) by_player: [Interval; MAX_PLAYERS],
    /// If proven, the number of actions until the end of the game.
    pub(crate) plies: u32,
}

/// The properties of a search's rewards on which proofs depend.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReturnRules {
    /// Returns of positions about which nothing is known.
    pub(crate) range: Interval,
    pub(crate) discount: f64,
    /// Whether the returns of all players sum to 0.
    pub(crate) is_zero_sum: bool,
}

impl ReturnRules {
    /// The bounds of a position about which nothing is known.
    pub(crate) fn unknown(&self) -> Bounds {
        Bounds { by_player: [self.range; MAX_PLAYERS], plies: 0 }
    }

    /// Tightens bounds by the sum of all returns.
    pub(crate) fn tighten(&self, by_player: &mut [Interval]) {
        if !self.is_zero_sum {
            return;
        }
        for player in 0..by_player.len() {
            let others = || by_player.iter().enumerate().filter(|&(other, _)| other != player);
            let (low, high) =
                others().fold((0.0, 0.0), |(low, high), (_, of)| (low - of.high, high - of.low));
            let of_player = &mut by_player[player];
            of_player.low = of_player.low.max(low);
            of_player.high = of_player.high.min(high).max(of_player.low);
        }
    }
}

/// The entries of a tree.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    /// `[entries, players]`.
    intervals: Vec<Interval>,
    plies: Vec<u32>,
}

impl Entries {
    pub(super) fn clear(&mut self) {
        self.intervals.clear();
        self.plies.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.plies.len()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Interval>() * self.intervals.capacity() + 4 * self.plies.capacity()
    }

    pub(super) fn make_room(&mut self, more: usize, players: usize) -> Result<()> {
        room(&mut self.intervals, more * players, TREE)?;
        room(&mut self.plies, more, TREE)
    }

    /// Appends the entry of `mark` in `other`; returns its mark here.
    pub(super) fn take(&mut self, other: &Self, mark: u32, players: usize) -> u32 {
        let Some(entry) = entry(mark) else { return mark };
        self.intervals.extend_from_slice(&other.intervals[entry * players..][..players]);
        self.plies.push(other.plies[entry]);
        self.plies.len() as u32 | mark & !ENTRY
    }
}

/// The number of the entry of a mark.
fn entry(mark: u32) -> Option<usize> {
    (mark & ENTRY).checked_sub(1).map(|entry| entry as usize)
}

/// Whether the action of a mark is closed: it cannot be better than another one.
#[inline]
pub(super) fn is_closed(mark: u32) -> bool {
    mark & CLOSED != 0
}

/// Whether the return of the current player after the action of a mark is exact.
#[inline]
pub(super) fn is_certain(mark: u32) -> bool {
    mark & CERTAIN != 0
}

impl Tree {
    fn of_mark(&self, mark: u32) -> Option<Bounds> {
        let entry = entry(mark)?;
        let players = self.players;
        let mut by_player = [Interval::exactly(0.0); MAX_PLAYERS];
        by_player[..players].copy_from_slice(&self.entries.intervals[entry * players..][..players]);
        Some(Bounds { by_player, plies: self.entries.plies[entry] })
    }

    /// Stores bounds; returns the mark of their entry, or the old mark if there is no memory.
    fn store(&mut self, mark: u32, bounds: &Bounds) -> u32 {
        let players = self.players;
        let flags = mark & !ENTRY;
        if let Some(entry) = entry(mark) {
            self.entries.intervals[entry * players..][..players]
                .copy_from_slice(&bounds.by_player[..players]);
            self.entries.plies[entry] = bounds.plies;
            return mark;
        }
        if self.entries.len() >= ENTRY as usize || self.entries.make_room(1, players).is_err() {
            return mark;
        }
        self.entries.intervals.extend_from_slice(&bounds.by_player[..players]);
        self.entries.plies.push(bounds.plies);
        self.entries.len() as u32 | flags
    }

    /// The bounds of a node; `None` if nothing is known.
    pub(crate) fn bounds(&self, node: u32) -> Option<Bounds> {
        let Node { finished, bounds, .. } = *self.node(node);
        let end = Bounds { by_player: [Interval::exactly(0.0); MAX_PLAYERS], plies: 0 };
        if finished { Some(end) } else { self.of_mark(bounds) }
    }

    /// The bounds of an expanded action; `None` if nothing is known.
    pub(crate) fn action_bounds(&self, step: Edge) -> Option<Bounds> {
        self.of_mark(self.stats.marks[self.stat(step)])
    }

    /// The bounds of the step to a node, with its reward.
    pub(crate) fn outcome_bounds(&self, child: u32, rules: &ReturnRules) -> Option<Bounds> {
        let mut bounds = self.bounds(child)?;
        for (of_player, &reward) in bounds.by_player.iter_mut().zip(self.rewards(child)) {
            *of_player = of_player.after(reward, rules.discount);
        }
        bounds.plies += 1;
        Some(bounds)
    }

    /// The return of the current player of a node, once it is proven.
    #[inline]
    pub(crate) fn proven(&self, node: u32) -> Option<f64> {
        let &Node { bounds, mover, .. } = self.node(node);
        let interval = self.entries.intervals[entry(bounds)? * self.players + usize::from(mover)];
        interval.is_exact().then_some(interval.low)
    }

    /// The best action of a proven node, as an index in its block: the shortest way to win, the longest one to lose.
    pub(crate) fn proven_action(&self, node: u32) -> Option<usize> {
        let (value, mover) = (self.proven(node)?, usize::from(self.node(node).mover));
        let expanded = self.expanded(node);
        let attaining = (0..expanded.len()).filter_map(|i| {
            let bounds = self.action_bounds(Edge { node, edge: i as u32 })?;
            let is_best = bounds.by_player[mover].low >= value - EQUAL;
            let late = if value > 0.0 { -i64::from(bounds.plies) } else { bounds.plies.into() };
            is_best.then_some((late, expanded.visits(i), expanded.priors[i], i))
        });
        let order = |a: &(i64, u32, f32, usize), b: &(i64, u32, f32, usize)| {
            let by_index = expanded.actions[b.3].cmp(&expanded.actions[a.3]);
            (a.0, a.1).cmp(&(b.0, b.1)).then(a.2.total_cmp(&b.2)).then(by_index)
        };
        attaining.max_by(order).map(|best| best.3)
    }

    /// Sets the bounds of a new node that were proven elsewhere.
    pub(crate) fn set_bounds(&mut self, node: u32, bounds: &Bounds) {
        self.nodes[node as usize].bounds = self.store(self.node(node).bounds, bounds);
    }

    /// Sets the bounds of an expanded action; returns whether they are news. The mean value of the action is confined to
    /// them.
    pub(crate) fn set_action_bounds(&mut self, step: Edge, bounds: &Bounds) -> bool {
        let (stat, mover) = (self.stat(step), usize::from(self.node(step.node).mover));
        let mark = self.stats.marks[stat];
        if self.of_mark(mark).is_some_and(|known| self.is_same(&known, bounds)) {
            return false;
        }
        let mut mark = self.store(mark, bounds);
        if bounds.by_player[mover].is_exact() && entry(mark).is_some() {
            mark |= CERTAIN;
        }
        self.stats.marks[stat] = mark;
        self.confine(stat, mover);
        mark != 0
    }

    fn is_same(&self, a: &Bounds, b: &Bounds) -> bool {
        a.by_player[..self.players] == b.by_player[..self.players] && a.plies == b.plies
    }

    /// Confines the mean value of an expanded action to its bounds.
    pub(super) fn confine(&mut self, stat: usize, mover: usize) {
        if let Some(entry) = entry(self.stats.marks[stat]) {
            let Interval { low, high } = self.entries.intervals[entry * self.players + mover];
            let q = &mut self.stats.q[stat];
            *q = q.min(high).max(low);
        }
    }

    /// Derives the bounds of a node from the bounds of its actions, and closes the actions that cannot be better than
    /// another one; returns whether the bounds are news.
    ///
    /// The current player gets at least the greatest lower bound of an action, and at most the greatest upper bound.
    /// The other players get what one of the actions gives them that the current player may still choose.
    pub(crate) fn derive_bounds(&mut self, node: u32, rules: &ReturnRules) -> bool {
        let Node { stats, expanded, legal, mover, bounds: mark, .. } = *self.node(node);
        let (players, mover, has_unexpanded) = (self.players, usize::from(mover), expanded < legal);
        let of_action = |tree: &Self, stat: u32| {
            tree.of_mark(tree.stats.marks[stat as usize]).unwrap_or_else(|| rules.unknown())
        };
        let edges = stats..stats + expanded;
        let mut own = if has_unexpanded { rules.range } else { Interval::exactly(f64::NEG_INFINITY) };
        for stat in edges.clone() {
            let Interval { low, high } = of_action(self, stat).by_player[mover];
            (own.low, own.high) = (own.low.max(low), own.high.max(high));
        }
        let is_proven = own.is_exact();
        let attains = |bounds: &Bounds| bounds.by_player[mover].low >= own.low - EQUAL;
        let none = Interval { low: f64::INFINITY, high: f64::NEG_INFINITY };
        let (mut by_player, mut plies) = ([none; MAX_PLAYERS], None);
        let mut include = |bounds: &Bounds| {
            for (all, of) in by_player.iter_mut().zip(bounds.by_player) {
                (all.low, all.high) = (all.low.min(of.low), all.high.max(of.high));
            }
        };
        for stat in edges.clone() {
            let bounds = of_action(self, stat);
            let is_possible =
                if is_proven { attains(&bounds) } else { bounds.by_player[mover].high >= own.low - EQUAL };
            if is_possible {
                include(&bounds);
                // The shortest way to win, the longest one to lose.
                let better = if own.low > 0.0 { u32::min } else { u32::max };
                plies = Some(plies.map_or(bounds.plies, |known| better(known, bounds.plies)));
            }
        }
        if has_unexpanded && !is_proven {
            include(&rules.unknown());
        }
        by_player[mover] = own;
        rules.tighten(&mut by_player[..players]);
        for stat in edges {
            let bounds = of_action(self, stat);
            let is_worse = bounds.by_player[mover].high <= own.low + EQUAL;
            // An action that is sure to be the worst possible one is closed where another one may be better.
            let is_worst = own.low <= rules.range.low + EQUAL && !is_proven;
            let closed = is_worse && (!attains(&bounds) || is_worst);
            let mark = &mut self.stats.marks[stat as usize];
            if closed {
                *mark |= CLOSED;
                self.nodes[node as usize].has_closed = true;
            } else {
                *mark &= !CLOSED;
            }
        }
        let plies = if is_proven { plies.unwrap_or(0) } else { 0 };
        let bounds = Bounds { by_player, plies };
        let known = self.of_mark(mark).unwrap_or_else(|| rules.unknown());
        if self.is_same(&known, &bounds) {
            return false;
        }
        let mark = self.store(mark, &bounds);
        self.nodes[node as usize].bounds = mark;
        let is_solved = entry(mark).is_some() && by_player[..players].iter().all(|of| of.is_exact());
        if is_solved {
            self.nodes[node as usize].solved = true;
            let values = &mut self.values[node as usize * players..][..players];
            values.iter_mut().zip(by_player).for_each(|(value, of)| *value = of.low);
        }
        true
    }

    /// Forgets all bounds: they do not hold where a caller adds rewards.
    pub(super) fn forget_bounds(&mut self) {
        self.entries.clear();
        self.stats.marks.fill(0);
        for node in &mut self.nodes {
            (node.bounds, node.solved, node.has_closed) = (0, false, false);
        }
    }

    /// Puts an unexpanded action of a node right after the expanded ones.
    pub(crate) fn bring_next(&mut self, node: u32, action: u32) -> bool {
        let Node { first, legal, expanded, .. } = *self.node(node);
        let unexpanded = (first + expanded) as usize..(first + legal) as usize;
        let actions = &mut self.actions[unexpanded.clone()];
        let Some(place) = actions.iter().position(|&other| other == action) else { return false };
        actions[..=place].rotate_right(1);
        self.priors[unexpanded][..=place].rotate_right(1);
        true
    }
}
