//! Reviews of games: the value of every position, the best action, and the price of what was played.

mod page;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::named_line::line_in_words;
use super::player::Player;
use crate::engine::{
    Analysis, Error, Forecast, Interrupt, Record, Result, SingleGame, Status, margins_from_scores,
};
use crate::replay::replay;

pub use page::page;

/// The unit of values in a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Unit {
    /// The expected outcome of the game, in [-1, 1].
    Outcome,
    /// The expected score at the end of the game.
    Points,
    /// The expected score at the end of the game minus the mean of the others'.
    Margin,
    /// The expected change of the lead in the next rounds, in (-1/2, 1/2). Values of different positions do not compare.
    Lead,
}

impl Unit {
    /// The losses from which an action counts as an inaccuracy, a mistake and a blunder.
    fn thresholds(self) -> [f32; 3] {
        match self {
            Self::Outcome => [0.1, 0.2, 0.3],
            Self::Points | Self::Margin => [1.0, 2.0, 4.0],
            Self::Lead => [0.05, 0.1, 0.15],
        }
    }

    /// The part of a value that the players have already: networks predict only what is to come.
    fn earned(self, game: &dyn SingleGame) -> Vec<f32> {
        let mut scores = game.scores();
        match self {
            Self::Points => {}
            Self::Margin => margins_from_scores(&mut scores),
            Self::Outcome | Self::Lead => scores.fill(0.0),
        }
        scores
    }

    /// The unit in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Outcome => "expected outcome, -1 to 1",
            Self::Points => "expected final score",
            Self::Margin => "expected final score minus the mean of the others'",
            Self::Lead => "expected change of the lead, -1/2 to 1/2",
        }
    }
}

/// Serializes a unit, flattened into its owner, as `unit` and, in words, `unit_words`.
pub(crate) fn with_words<S: Serializer>(unit: &Unit, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("unit", unit)?;
    map.serialize_entry("unit_words", unit.words())?;
    map.end()
}

impl From<Forecast> for Unit {
    fn from(forecast: Forecast) -> Self {
        match forecast {
            Forecast::Outcome => Self::Outcome,
            Forecast::Score => Self::Points,
            Forecast::Margin => Self::Margin,
            _ => Self::Lead,
        }
    }
}

/// How much worse an action was than the best one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Grade {
    /// Less than half a mistake.
    Good,
    /// Half a mistake.
    Inaccuracy,
    /// A mistake.
    Mistake,
    /// At least one and a half mistakes.
    Blunder,
}

impl Grade {
    fn of(loss: f32, unit: Unit) -> Self {
        let [inaccuracy, mistake, blunder] = unit.thresholds();
        match loss {
            _ if loss >= blunder => Self::Blunder,
            _ if loss >= mistake => Self::Mistake,
            _ if loss >= inaccuracy => Self::Inaccuracy,
            _ => Self::Good,
        }
    }

    /// The annotation of chess books: `?!`, `?` or `??`; empty for good actions.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Good => "",
            Self::Inaccuracy => "?!",
            Self::Mistake => "?",
            Self::Blunder => "??",
        }
    }
}

/// An action in a review.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewedAction {
    /// The index of the action.
    pub action: u32,
    /// The action as a sentence for people.
    pub words: String,
    /// Its share of the simulations, or its probability.
    pub share: f32,
    /// Its simulations; `None` without a search.
    pub visits: Option<u32>,
    /// Its value for the player who chooses, in the unit of the review; `None` without simulations.
    pub value: Option<f32>,
}

/// The review of a position.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewedPosition {
    /// The unit of the values.
    pub unit: Unit,
    /// The current player; `None` at the end of the game.
    pub player: Option<usize>,
    /// The expected value for every player.
    pub values: Vec<f32>,
    /// The reviewer's choice.
    pub best: Option<ReviewedAction>,
    /// The choice and the moves expected after it, in words.
    pub line: Vec<String>,
    /// The action that was played.
    pub played: Option<ReviewedAction>,
}

/// The price of an action.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Judgement {
    /// The value that the action lost against the best one, at least 0.
    pub loss: f32,
    /// The grade of the loss.
    pub grade: Grade,
}

/// Least simulations of an action whose value counts where values of positions do not compare.
const LEAST_VISITS: u32 = 3;

/// Reviews a position in which `played` was chosen, if anything was.
///
/// # Errors
/// As for [`Player::analyse`].
pub fn review_position(
    game: &dyn SingleGame,
    played: Option<u32>,
    reviewer: &Player,
    unit: Unit,
    interrupt: &Interrupt,
) -> Result<ReviewedPosition> {
    if game.status() != Status::Running {
        let values = match unit {
            Unit::Points | Unit::Margin => unit.earned(game),
            Unit::Outcome | Unit::Lead => game.returns(),
        };
        return Ok(ReviewedPosition {
            unit,
            player: None,
            values,
            best: None,
            line: Vec::new(),
            played: None,
        });
    }
    let analysis = reviewer.analyse(game, interrupt)?;
    let player = game.current_player();
    let earned = unit.earned(game);
    let named = |action| reviewed_action(game, &analysis, action, earned[player]);
    let best = named(analysis.action)?;
    let values = analysis.values.iter().zip(&earned).map(|(value, earned)| value + earned).collect();
    Ok(ReviewedPosition {
        unit,
        player: Some(player),
        values,
        best: Some(best),
        line: line_in_words(game, &analysis.line, LONGEST_LINE)?,
        played: played.map(named).transpose()?,
    })
}

/// Maximum length of a line of play.
const LONGEST_LINE: usize = 8;

fn reviewed_action(
    game: &dyn SingleGame,
    analysis: &Analysis,
    action: u32,
    earned: f32,
) -> Result<ReviewedAction> {
    let share = analysis.shares.iter().find(|(other, _)| *other == action).map_or(0.0, |(_, share)| *share);
    let searched = analysis.searched(action);
    Ok(ReviewedAction {
        action,
        words: game.action_in_words(action)?,
        share,
        visits: searched.map(|(visits, _)| visits),
        value: searched.and_then(|(_, value)| value).map(|value| value + earned),
    })
}

/// The price of the action played in `before`; `after` is the position that it led to. `None` where values do not say:
/// without an action, or without values that compare.
#[must_use]
pub fn judge(before: &ReviewedPosition, after: &ReviewedPosition) -> Option<Judgement> {
    let (player, best, played) = (before.player?, before.best.as_ref()?, before.played.as_ref()?);
    let loss = if best.action == played.action {
        0.0
    } else {
        let reached = match before.unit {
            // Its own search tells more about a position than the few simulations that came by before.
            Unit::Outcome | Unit::Points | Unit::Margin => after.values[player],
            Unit::Lead if played.visits? >= LEAST_VISITS => played.value?,
            Unit::Lead => return None,
        };
        (best.value.unwrap_or(before.values[player]) - reached).max(0.0)
    };
    Some(Judgement { loss, grade: Grade::of(loss, before.unit) })
}

/// The review of a whole game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GameReview {
    /// The reviewer.
    pub reviewer: String,
    /// The unit of all values; in JSON `unit` and, in words, `unit_words`.
    #[serde(flatten, serialize_with = "with_words")]
    pub unit: Unit,
    /// The positions, from the first to the last.
    pub positions: Vec<ReviewedPosition>,
    /// The price of each step; `None` where the values do not say.
    pub prices: Vec<Option<Judgement>>,
}

impl GameReview {
    /// A review without positions.
    ///
    /// # Errors
    /// As for [`Player::analyse`].
    pub fn new(first: &dyn SingleGame, reviewer: &Player, interrupt: &Interrupt) -> Result<Self> {
        let unit = unit_of(first, reviewer, interrupt)?;
        Ok(Self { reviewer: reviewer.name().into(), unit, positions: Vec::new(), prices: Vec::new() })
    }

    /// Reviews a recorded game; `each` is called after every position.
    ///
    /// # Errors
    /// As for [`Player::analyse`] and [`replay`], and the errors of `each`.
    pub fn of_record(
        record: &Record,
        reviewer: &Player,
        interrupt: &Interrupt,
        mut each: impl FnMut(&dyn SingleGame, &Self) -> Result<()>,
    ) -> Result<Self> {
        let mut found: Option<Self> = None;
        replay(record, |game, step| {
            let review = match &mut found {
                Some(review) => review,
                None => found.insert(Self::new(game, reviewer, interrupt)?),
            };
            let position = step.map_or(0, |step| step + 1);
            review.push(game, record.actions.get(position).copied(), reviewer, interrupt)?;
            each(game, review)
        })?;
        found.ok_or_else(|| Error::state("record: it has no position"))
    }

    /// Adds the next position, in which `played` was chosen, if anything was.
    ///
    /// # Errors
    /// As for [`Player::analyse`].
    pub fn push(
        &mut self,
        game: &dyn SingleGame,
        played: Option<u32>,
        reviewer: &Player,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let now = review_position(game, played, reviewer, self.unit, interrupt)?;
        if let Some(before) = self.positions.last() {
            self.prices.push(judge(before, &now));
        }
        self.positions.push(now);
        Ok(())
    }

    /// The steps that cost most, by decreasing loss, with their positions and prices; good ones are left out.
    #[must_use]
    pub fn mistakes(&self) -> Vec<(usize, &ReviewedPosition, Judgement)> {
        let priced = self.prices.iter().enumerate().filter_map(|(step, price)| {
            let price = price.filter(|price| price.grade != Grade::Good)?;
            Some((step, &self.positions[step], price))
        });
        let mut mistakes: Vec<_> = priced.collect();
        mistakes.sort_by(|a, b| b.2.loss.total_cmp(&a.2.loss));
        mistakes
    }
}

/// The unit of a reviewer's values in a game, found out by one analysis.
///
/// # Errors
/// As for [`Player::analyse`].
pub fn unit_of(game: &dyn SingleGame, reviewer: &Player, interrupt: &Interrupt) -> Result<Unit> {
    Ok(reviewer.analyse(game, interrupt)?.forecast.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::OptionValue;
    use crate::player::DEFAULT_TIME_LIMIT;

    #[test]
    fn a_mated_player_has_blundered_and_the_best_action_costs_nothing() {
        let game = crate::games::find("chess").unwrap().make([] as [(&str, OptionValue); 0]).unwrap();
        let reviewer = Player::parse(&*game, "search:400", DEFAULT_TIME_LIMIT).unwrap();
        let mut play = game.single(0);
        for text in ["f2f3", "e7e5"] {
            play.step(play.string_to_action(text).unwrap()).unwrap();
        }
        let never = Interrupt::default();
        // White allows the fool's mate, and black plays it.
        let mut positions = Vec::new();
        for text in ["g2g4", "d8h4"] {
            let action = play.string_to_action(text).unwrap();
            positions.push(review_position(&*play, Some(action), &reviewer, Unit::Outcome, &never).unwrap());
            play.step(action).unwrap();
        }
        positions.push(review_position(&*play, None, &reviewer, Unit::Outcome, &never).unwrap());
        assert_eq!(positions[2].values, [-1.0, 1.0]);
        assert_eq!(positions[1].best.as_ref().unwrap().words, "Qh4#");
        let [white, black] = [0, 1].map(|i| judge(&positions[i], &positions[i + 1]).unwrap());
        assert_eq!((white.grade, black.grade), (Grade::Blunder, Grade::Good), "{white:?} {black:?}");
        assert_eq!(black.loss, 0.0);
        let prices = vec![Some(white), Some(black)];
        let review = GameReview { reviewer: "search".into(), unit: Unit::Outcome, positions, prices };
        let told = serde_json::to_value(&review).unwrap();
        assert_eq!((&told["unit"], &told["unit_words"]), (&"outcome".into(), &Unit::Outcome.words().into()));
        let mistakes = review.mistakes();
        assert_eq!(mistakes.iter().map(|mistake| mistake.0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    #[cfg(feature = "networks")]
    fn every_game_is_reviewed_and_its_choices_are_free() {
        let never = Interrupt::default();
        for entry in crate::games::GAMES {
            let game = entry.make([] as [(&str, OptionValue); 0]).unwrap();
            let reviewer = Player::parse(&*game, "net:champion:8", DEFAULT_TIME_LIMIT).unwrap();
            let mut play = game.clone().single(3);
            let unit = unit_of(&*play, &reviewer, &never).unwrap();
            let mut before: Option<ReviewedPosition> = None;
            for step in 0..6 {
                let best = reviewer.analyse(&*play, &never).unwrap().action;
                let legal = play.legal_actions();
                let action = if step % 2 == 0 { best } else { legal[legal.len() / 2] };
                let now = review_position(&*play, Some(action), &reviewer, unit, &never).unwrap();
                assert_eq!(now.best.as_ref().unwrap().action, best, "{}", entry.id);
                assert_eq!(now.values.len(), game.spec().players);
                assert!(!now.line.is_empty() && now.line[0] == now.best.as_ref().unwrap().words);
                if let Some(before) = before {
                    let price = judge(&before, &now).unwrap();
                    assert!(price.loss >= 0.0 && (step % 2 == 0 || price.loss == 0.0), "{}", entry.id);
                }
                before = Some(now);
                play.step(action).unwrap();
            }
        }
    }
}
