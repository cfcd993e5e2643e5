//! Checks value names and state columns: tables exist and are long enough, every number in play has a name, and the
//! columns cover the whole state.

use crate::checks::conformance::{Verdict, ensure};
use crate::contract::Game;
use crate::contract::observation::values::Values;
use crate::contract::spec::Spec;

/// Every referenced table exists and has one name per index, and state columns do not overlap.
pub(super) fn names(spec: &Spec) -> Verdict {
    let length = |name: &str| spec.values.get(name).map(Vec::len);
    for family in &spec.actions {
        let grid = if family.shape.is_empty() { vec![family.count] } else { family.shape.clone() };
        ensure!(
            grid.iter().product::<u32>() == family.count,
            "family {}: shape and count differ",
            family.name
        );
        for (table, &count) in family.values.axes.iter().zip(&grid) {
            let Some(table) = table else { continue };
            let names = length(table).ok_or(format!("family {}: no table {table}", family.name))?;
            ensure!(names >= count as usize, "family {}: table {table} is too short", family.name);
        }
    }
    let fields = spec.observation.iter().map(|f| (&f.name, &f.shape, &f.values, true));
    // State columns are sized for the largest variant, so their tables may be shorter.
    let columns = spec.state.iter().map(|c| (&c.name, &c.shape, &c.values, false));
    for (name, shape, values, exact) in fields.chain(columns) {
        ensure!(values.axes.len() <= shape.len(), "{name}: more names than axes");
        for table in values.tables() {
            ensure!(length(table).is_some(), "{name}: no table {table}");
        }
        for (table, &count) in values.axes.iter().zip(shape).filter(|_| exact) {
            let names = table.as_deref().and_then(length).unwrap_or(count);
            ensure!(names >= count, "{name}: a table of {names} names an axis of {count}");
        }
        let entries = values.axes.iter().flatten().last().map_or(&[][..], |table| &spec.values[table]);
        for entry in values.elements.keys() {
            ensure!(entries.contains(entry), "{name}: no entry {entry}");
        }
    }
    let mut taken = vec![false; spec.state_bytes];
    for column in &spec.state {
        for at in column.offsets().flat_map(|at| at..at + column.item()) {
            ensure!(
                !std::mem::replace(&mut taken[at], true),
                "state column {} overlaps another",
                column.name
            );
        }
    }
    Ok(())
}

/// Every element of a state column or an observation field has a name if the spec names it. `numbers` are the elements
/// in row-major order of `shape`; `none` encodes a missing value.
pub(super) fn named(
    spec: &Spec,
    name: &str,
    shape: &[usize],
    values: &Values,
    numbers: &[u64],
    none: u64,
) -> Verdict {
    let length = |table: &String| spec.values[table].len() as u64;
    let last = values.axes.iter().enumerate().rev().find_map(|(axis, table)| Some((axis, table.as_ref()?)));
    let inner = |axis: usize| shape[axis + 1..].iter().product::<usize>();
    for (i, &number) in numbers.iter().enumerate() {
        let own = last.and_then(|(axis, table)| {
            let entry = spec.values[table].get(i / inner(axis) % shape[axis])?;
            values.elements.get(entry)
        });
        let Some(table) = own.or(values.element.as_ref()) else { continue };
        ensure!(
            number < length(table) || number == none,
            "{name}: element {i} is {number}, which has no name"
        );
    }
    if let Some(table) = &values.bits {
        let along = shape.len() > values.axes.len() && !shape.is_empty();
        let run = if along { shape[shape.len() - 1] } else { 1 };
        for run in numbers.chunks(run.max(1)) {
            let bits = run.iter().enumerate().filter(|(_, n)| **n > 0);
            // Several elements are the bytes of one long number.
            let highest = bits.map(|(i, n)| 8 * i as u64 + 63 - u64::from(n.leading_zeros())).max();
            ensure!(highest.is_none_or(|bit| bit < length(table)), "{name}: bit {highest:?} has no name");
        }
    }
    Ok(())
}

/// Every changed byte of a state behind its header is in a column, and every number of a named column has a name.
pub(super) fn columns<G: Game>(game: &G, before: &G::State, state: &G::State, header: usize) -> Verdict {
    let spec = game.spec();
    if spec.state.is_empty() {
        return Ok(());
    }
    let (old, new) = (bytemuck::bytes_of(before), bytemuck::bytes_of(state));
    let mut shown = vec![false; new.len()];
    for column in &spec.state {
        column.offsets().for_each(|at| shown[at..at + column.item()].fill(true));
        let numbers: Vec<u64> = column.offsets().map(|at| column.read(new, at)).collect();
        let none = u64::MAX >> (64 - 8 * column.item());
        named(spec, &column.name, &column.shape, &column.values, &numbers, none)?;
    }
    match (header..new.len()).find(|&at| old[at] != new[at] && !shown[at]) {
        Some(at) => Err(format!("byte {at} of the state has changed and is in no column")),
        None => Ok(()),
    }
}
