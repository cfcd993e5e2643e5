//! The differences between two sequences as splices.

use std::ops::Range;

/// Removes `removed` items at `at` of the old sequence, and inserts the items of `inserted` of the new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Splice {
    pub(super) at: usize,
    pub(super) removed: usize,
    pub(super) inserted: Range<usize>,
}

/// Most items that are skipped to find the next common one.
const REACH: usize = 48;

/// The splices that make `new` of `old`, in order. They are few but not always the fewest.
pub(super) fn splices<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Splice> {
    let front = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let end = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - end, new.len() - end);
    let (mut i, mut j) = (front, front);
    let mut found: Vec<Splice> = Vec::new();
    while i < old_end || j < new_end {
        if i < old_end && j < new_end && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let (left, right) = (&old[i..old_end], &new[j..new_end]);
        let (a, b) = next_common(left, right).unwrap_or((left.len(), right.len()));
        found.push(Splice { at: i, removed: a, inserted: j..j + b });
        (i, j) = (i + a, j + b);
    }
    found
}

/// The nearest pair of equal items, as numbers of items before them.
fn next_common<T: PartialEq>(left: &[T], right: &[T]) -> Option<(usize, usize)> {
    (1..=REACH).find_map(|sum| {
        let pairs = (0..=sum).map(|a| (a, sum - a));
        let mut pairs = pairs.filter(|&(a, b)| a < left.len() && b < right.len());
        pairs.find(|&(a, b)| left[a] == right[b])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(old: &str, new: &str) -> usize {
        let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
        let found = splices(&old, &new);
        let (mut now, mut at) = (Vec::new(), 0);
        for splice in &found {
            now.extend_from_slice(&old[at..splice.at]);
            now.extend_from_slice(&new[splice.inserted.clone()]);
            at = splice.at + splice.removed;
        }
        now.extend_from_slice(&old[at..]);
        assert_eq!(now, new);
        found.len()
    }

    #[test]
    fn splices_make_the_new_sequence_of_the_old_one() {
        for (old, new, number) in [
            ("", "", 0),
            ("", "abc", 1),
            ("abc", "", 1),
            ("abcdefgh", "abcdefgh", 0),
            ("abcdefgh", "aXcdefYh", 2),
            ("abcdefgh", "acdefgXYh", 2),
            ("aaaa", "aaa", 1),
            ("abab", "baba", 2),
        ] {
            assert_eq!(spliced(old, new), number, "{old} {new}");
        }
        // Random sequences of few letters.
        let mut chance = 7_u64;
        let mut text = |length: usize| -> String {
            let letter = |_| {
                chance = chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                char::from(b'a' + (chance >> 33) as u8 % 3)
            };
            (0..length).map(letter).collect()
        };
        for length in 0..120 {
            spliced(&text(length), &text(120 - length));
        }
    }
}
