//! Checks of the arguments of calls on a batch (ids, actions, bots), for local batches and fleets alike.

use std::borrow::Cow;

use crate::contract::options::OnIllegal;
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};
use crate::dynamic::config::{AutoReset, BatchConfig};

/// Rejects ids out of range; any order and repetition is allowed.
pub fn check_range(ids: &[u32], games: usize) -> Result<()> {
    match ids.iter().find(|&&id| id as usize >= games) {
        Some(id) => Err(Error::config(format!("game {id}: games 0 to {} exist", games - 1))),
        None => Ok(()),
    }
}

/// Rejects ids out of range or not strictly increasing.
pub fn check_ids(ids: &[u32], games: usize) -> Result<()> {
    check_range(ids, games)?;
    match ids.windows(2).find(|pair| pair[0] >= pair[1]) {
        Some(pair) => Err(Error::config(format!(
            "game ids must increase strictly: {} comes before {}",
            pair[0], pair[1]
        ))),
        None => Ok(()),
    }
}

/// Rejects a seat out of range.
pub fn check_seat(seat: usize, players: usize) -> Result<()> {
    match seat < players {
        true => Ok(()),
        false => Err(Error::config(format!("player {seat}: players are 0 to {}", players - 1))),
    }
}

/// Rejects ids out of range. There must be one source, or as many sources as targets.
pub fn check_fork(src: &[u32], dst: &[u32], games: usize) -> Result<()> {
    check_range(src, games)?;
    check_range(dst, games)?;
    if src.len() != dst.len() && src.len() != 1 {
        return Err(Error::config(format!(
            "{} games to fork, {} to fork into: 1 or as many are needed",
            src.len(),
            dst.len()
        )));
    }
    Ok(())
}

/// Game ids in increasing order, and an action for each.
type ByGame<'a> = (Cow<'a, [u32]>, Cow<'a, [ActionId]>);

/// Sorts the actions of some games by game id.
///
/// # Errors
/// [`Error::InvalidConfig`] for a game that does not exist or appears twice, and unless there is exactly one action
/// per game.
pub fn by_game<'a>(ids: &'a [u32], actions: &'a [ActionId], games: usize) -> Result<ByGame<'a>> {
    check_range(ids, games)?;
    check_actions(actions.len(), ids.len())?;
    if ids.is_sorted_by(|a, b| a < b) {
        return Ok((ids.into(), actions.into()));
    }
    let mut pairs: Vec<(u32, ActionId)> = ids.iter().copied().zip(actions.iter().copied()).collect();
    pairs.sort_unstable_by_key(|&(id, _)| id);
    match pairs.windows(2).find(|two| two[0].0 == two[1].0) {
        Some(two) => Err(Error::config(format!("game {} was given two actions: one is needed", two[0].0))),
        None => {
            let (ids, actions): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
            Ok((ids.into(), actions.into()))
        }
    }
}

/// Rejects any number of actions other than one per game.
pub fn check_actions(given: usize, needed: usize) -> Result<()> {
    if given != needed {
        return Err(Error::config(format!("{given} actions were given, {needed} are needed")));
    }
    Ok(())
}

/// Rejects any number of lists of chance outcomes other than one per game.
pub fn check_scripts(given: usize, needed: usize) -> Result<()> {
    if given != needed {
        return Err(Error::config(format!(
            "{given} lists of chance outcomes were given, {needed} are needed"
        )));
    }
    Ok(())
}

/// Rejects any number of `who` (players or bots) other than one per seat.
pub fn check_seats(who: &str, named: usize, seats: usize) -> Result<()> {
    if named != seats {
        return Err(Error::config(format!("{named} {who} were named, {seats} seats need one")));
    }
    Ok(())
}

/// Whether an illegal action is rejected. Otherwise it loses a running game and resets a finished one.
#[must_use]
pub fn refuses_illegal(config: &BatchConfig, on_illegal: OnIllegal, finished: bool) -> bool {
    if finished { config.autoreset == AutoReset::Disabled } else { on_illegal == OnIllegal::Raise }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_ids_actions_and_seats_name_the_allowed_values() {
        let said = |checked: Result<()>| checked.unwrap_err().to_string();
        assert!(check_range(&[3, 0, 3], 4).is_ok() && check_ids(&[0, 3], 4).is_ok());
        assert!(said(check_range(&[0, 4], 4)).contains("games 0 to 3"));
        assert!(said(check_ids(&[1, 1], 4)).contains("increase"));
        assert!(said(check_fork(&[1, 2], &[0], 4)).contains("2 games to fork, 1"));
        assert!(check_fork(&[1, 1], &[0, 0], 4).is_ok() && check_fork(&[1], &[0, 2, 3], 4).is_ok());
        assert!(said(by_game(&[1, 3, 1], &[5, 6, 7], 4).map(|_| ())).contains("game 1"));
        assert!(said(by_game(&[1, 4], &[5, 6], 4).map(|_| ())).contains("games 0 to 3"));
        assert!(said(by_game(&[1, 2], &[5], 4).map(|_| ())).contains("2 are needed"));
        let (ids, actions) = by_game(&[3, 0, 2], &[5, 6, 7], 4).unwrap();
        assert_eq!((&ids[..], &actions[..]), (&[0, 2, 3][..], &[6, 7, 5][..]));
        assert!(said(check_actions(3, 4)).contains("4 are needed"));
        assert!(said(check_seats("bots", 1, 2)).contains("1 bots were named, 2 seats"));
    }

    #[test]
    fn an_illegal_action_is_refused_unless_it_loses_or_resets() {
        let config = |autoreset| BatchConfig { autoreset, ..BatchConfig::default() };
        for autoreset in [AutoReset::SameStep, AutoReset::NextStep, AutoReset::Disabled] {
            assert!(refuses_illegal(&config(autoreset), OnIllegal::Raise, false));
            assert!(!refuses_illegal(&config(autoreset), OnIllegal::Lose, false));
            let finished = refuses_illegal(&config(autoreset), OnIllegal::Raise, true);
            assert_eq!(finished, autoreset == AutoReset::Disabled);
        }
    }
}
