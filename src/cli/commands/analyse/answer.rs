//! The analysis of a position, as JSON in the words of KataGo's analysis engine.

use std::time::Instant;

use serde_json::{Value, json};

use super::query::Task;
use ludovec::engine::{Analysis, Error, Interrupt, Result};
use ludovec::play::named_line::line_of_labels;
use ludovec::play::review::{ReviewedAction, Unit, of_analysis};

/// Maximum length of a line of play.
const LONGEST_LINE: usize = 32;
/// Largest factor of the simulations of the first search within a time.
const MOST_EFFORT: u32 = 1 << 14;

/// The answer about a position: its analysis, or an error.
pub(super) fn of_task(task: &Task) -> Value {
    let found = if task.is_over() { Ok(None) } else { analysis(task).map(Some) };
    match found.and_then(|found| written(task, found.as_ref())) {
        Ok(answer) => answer,
        Err(Error::Interrupted(_)) => without_results(task),
        Err(error) => json!({
            "error": crate::output::one_line(&error.to_string()), "field": "player", "id": task.id,
            "turnNumber": task.turn,
        }),
    }
}

/// The answer about a position that was terminated before its analysis.
pub(super) fn without_results(task: &Task) -> Value {
    json!({ "id": task.id, "turnNumber": task.turn, "isDuringSearch": false, "noResults": true })
}

/// The analysis of a running game. Within a time, the search is repeated with twice the simulations, and the last
/// complete one counts.
fn analysis(task: &Task) -> Result<Analysis> {
    let Some(time) = task.time else { return task.player.advise(&task.game, 1, &task.interrupt) };
    let begun = Instant::now();
    let mut found = task.player.advise(&task.game, 1, &task.interrupt)?;
    let mut effort = 1;
    while begun.elapsed() < time && effort < MOST_EFFORT {
        effort *= 2;
        let stop = task.interrupt.clone();
        let watched = Interrupt::watching(move || stop.is_raised() || begun.elapsed() >= time);
        match task.player.advise(&task.game, effort, &watched) {
            Ok(deeper) => found = deeper,
            Err(Error::Interrupted(_)) if !task.interrupt.is_raised() => break,
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Writes an analysis; `None` for a game that is over.
fn written(task: &Task, found: Option<&Analysis>) -> Result<Value> {
    let game = &task.game;
    let mut answer = json!({
        "id": task.id, "turnNumber": task.turn, "isDuringSearch": false, "player": task.player.name(),
    });
    let Some(found) = found else {
        answer["rootInfo"] =
            json!({ "currentPlayer": null, "values": game.returns(), "scores": game.scores() });
        answer["moveInfos"] = json!([]);
        return Ok(answer);
    };
    let position = of_analysis(game, task.played, found, None)?;
    let mover = game.current_player();
    let best = position.best.as_ref().and_then(|best| best.value);
    let win = |value: f32| (position.unit == Unit::Outcome).then_some((value + 1.0) / 2.0);
    let mut root = json!({
        "currentPlayer": mover,
        "values": position.values,
        "unit": position.unit,
        "unitWords": position.unit.words(),
        "visits": found.visits.iter().sum::<u32>(),
    });
    if let Some(share) = position.values.get(mover).copied().and_then(win) {
        root["winrate"] = json!(share);
    }
    answer["rootInfo"] = root;
    let earned =
        position.values.get(mover).zip(found.values.get(mover)).map_or(0.0, |(now, ahead)| now - ahead);
    let described = |action: ReviewedAction| {
        let mut info = json!({
            "move": action.label, "words": action.words, "action": action.action, "share": action.share,
        });
        if let Some(visits) = action.visits {
            info["visits"] = visits.into();
        }
        if let Some(value) = action.value {
            info["value"] = json!(value);
            info["loss"] = json!(best.map(|best| (best - value).max(0.0)));
            if let Some(share) = win(value) {
                info["winrate"] = json!(share);
            }
        }
        info
    };
    let mut infos = Vec::new();
    for (order, (action, _)) in found.best(task.max_moves).into_iter().enumerate() {
        let mut info = described(ReviewedAction::new(game, found, action, earned)?);
        let line = if order == 0 { &found.line[..] } else { &[action] };
        info["order"] = order.into();
        info["pv"] = json!(line_of_labels(game, line, LONGEST_LINE)?);
        infos.push(info);
    }
    answer["moveInfos"] = Value::Array(infos);
    if let Some(played) = position.played {
        answer["played"] = described(played);
    }
    Ok(answer)
}

/// An answer as a line for people.
pub(super) fn in_words(answer: &Value) -> String {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), String::from);
    let id = text(answer.get("id").unwrap_or(&Value::Null));
    if let Some(error) = answer.get("error") {
        return format!("{id}: error: {}", text(error));
    }
    if answer.get("action").is_some() {
        return answer.to_string();
    }
    let turn = &answer["turnNumber"];
    if answer.get("noResults").is_some() {
        return format!("{id} turn {turn}: terminated");
    }
    let Some(best) = answer["moveInfos"].as_array().and_then(|infos| infos.first()) else {
        return format!("{id} turn {turn}: the game is over: {}", answer["rootInfo"]["values"]);
    };
    let line: Vec<String> = best["pv"].as_array().into_iter().flatten().map(text).collect();
    let value = best["value"].as_f64().or_else(|| {
        let mover = answer["rootInfo"]["currentPlayer"].as_u64()? as usize;
        answer["rootInfo"]["values"][mover].as_f64()
    });
    let value = value.map_or("?".into(), |value| format!("{value:+.2}"));
    format!("{id} turn {turn}: {} ({value}, {} visits)", line.join(" "), answer["rootInfo"]["visits"])
}
