//! Lines of play in words.

use crate::engine::{Result, SingleGame, Status};

/// The first actions of a line in words: the first one always, and the others up to `most` while every action before
/// them has one outcome and hides nothing. The game's own chance is never drawn.
///
/// # Errors
/// [`Error::Refused`](crate::engine::Error::Refused) if the first action is not one of the game.
pub fn line_in_words(game: &SingleGame, line: &[u32], most: usize) -> Result<Vec<String>> {
    named_line(game, line, most, |game, action| game.action_in_words(action))
}

/// The same, in the texts that [`SingleGame::string_to_action`] reads.
///
/// # Errors
/// As for [`line_in_words`].
pub fn line_of_labels(game: &SingleGame, line: &[u32], most: usize) -> Result<Vec<String>> {
    named_line(game, line, most, |game, action| game.action_to_string(action))
}

fn named_line(
    game: &SingleGame,
    line: &[u32],
    most: usize,
    name: impl Fn(&SingleGame, u32) -> Result<String>,
) -> Result<Vec<String>> {
    let Some((&first, others)) = line.split_first() else { return Ok(Vec::new()) };
    let mut words = vec![name(game, first)?];
    if game.game().spec().hidden_information {
        return Ok(words);
    }
    let (mut now, mut last) = (game.clone(), first);
    for &action in others.iter().take(most.saturating_sub(1)) {
        let Ok(mut outcomes) = now.outcomes(last) else { break };
        let (Some(only), None) = (outcomes.next(), outcomes.next()) else { break };
        now = only.result;
        if now.status() != Status::Running || now.check(action).is_err() {
            break;
        }
        words.push(name(&now, action)?);
        last = action;
    }
    Ok(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_named_until_chance_or_hidden_information() {
        let single = |id: &str| crate::games::find(id).unwrap().make([]).unwrap().single(1);
        let chess = single("chess");
        let mut copy = chess.clone();
        let line: Vec<u32> = ["e2e4", "e7e5", "g1f3"]
            .map(|text| {
                let action = copy.string_to_action(text).unwrap();
                copy.step(action).unwrap();
                action
            })
            .into();
        assert_eq!(line_in_words(&chess, &line, 9).unwrap(), ["e4", "e5", "Nf3"]);
        assert_eq!(line_in_words(&chess, &line, 2).unwrap(), ["e4", "e5"]);
        assert_eq!(chess.steps(), 0);
        // The second action is not legal after the first one: it takes with a pawn of black that has not moved.
        copy.step(copy.string_to_action("d7d5").unwrap()).unwrap();
        let takes = copy.string_to_action("e4d5").unwrap();
        assert_eq!(line_in_words(&chess, &[line[0], takes], 9).unwrap(), ["e4"]);
        let hidden = single("starwars_risk");
        let legal = hidden.legal_actions();
        assert_eq!(line_in_words(&hidden, &[legal[0], legal[0]], 9).unwrap().len(), 1);
    }
}
