//! Reviews of games: the value of every position, the best action, and the price of what was played.

#[cfg(all(test, feature = "networks"))]
mod known;
mod page;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

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
    fn earned(self, game: &SingleGame) -> Vec<f32> {
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

/// An action in a review or a hint.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReviewedAction {
    /// The index of the action.
    pub action: u32,
    /// The action as text.
    pub label: String,
    /// The action as a sentence for people.
    pub words: String,
    /// The action as an object.
    #[serde(rename = "move")]
    pub object: Value,
    /// What it would put on the board, as the outline of an SVG path, if it puts something there.
    pub footprint: Option<String>,
    /// Its share of the simulations, or its probability.
    pub share: f32,
    /// Its simulations; `None` without a search.
    pub visits: Option<u32>,
    /// Its value for the player who chooses, in the unit of the review; `None` without simulations.
    pub value: Option<f32>,
}

impl ReviewedAction {
    /// An action of an analysis; `earned` is the part of its value that the player has already.
    ///
    /// # Errors
    /// [`Error::Refused`] for an index out of range.
    pub fn new(game: &SingleGame, analysis: &Analysis, action: u32, earned: f32) -> Result<Self> {
        let index = analysis.shares.iter().position(|(other, _)| *other == action);
        let value = index.and_then(|index| analysis.action_values.get(index).copied().flatten());
        Ok(Self {
            action,
            label: game.action_to_string(action)?,
            words: game.action_in_words(action)?,
            object: game.action_to_json(action)?,
            footprint: game.footprint(action),
            share: index.map_or(0.0, |index| analysis.shares[index].1),
            visits: index.and_then(|index| analysis.visits.get(index).copied()),
            value: value.map(|value| value + earned),
        })
    }
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
    /// The legal actions with their values for the current player; empty without simulations.
    pub action_values: Vec<(u32, f32)>,
}

impl ReviewedPosition {
    /// Whether the best action was played and wins by force: the next position has the same values.
    fn is_on_winning_line(&self) -> bool {
        let is_won =
            self.unit == Unit::Outcome && self.player.is_some_and(|player| self.values[player] == 1.0);
        let best = self.best.as_ref().map(|best| best.action);
        is_won && best.is_some() && best == self.played.as_ref().map(|played| played.action)
    }
}

/// The price of an action.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// The value that the action lost against the best one, at least 0.
    pub loss: f32,
    /// The grade of the loss.
    pub grade: Grade,
    /// Whether a search with [`DEEPER`] times the simulations agrees that the action lost something. Without it, a mark
    /// is a doubt.
    pub confirmed: bool,
}

impl Judgement {
    fn of(loss: f32, unit: Unit) -> Self {
        Self { loss, grade: Grade::of(loss, unit), confirmed: true }
    }

    /// The mark of a confirmed grade in chess books; empty for a good action and for a doubt.
    #[must_use]
    pub fn mark(self) -> &'static str {
        if self.confirmed { self.grade.mark() } else { "" }
    }

    /// Whether the action lost something, without a doubt.
    #[must_use]
    pub fn is_mistake(self) -> bool {
        self.confirmed && self.grade != Grade::Good
    }
}

impl Serialize for Judgement {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(4))?;
        map.serialize_entry("loss", &self.loss)?;
        map.serialize_entry("grade", &self.grade)?;
        map.serialize_entry("confirmed", &self.confirmed)?;
        map.serialize_entry("mark", self.grade.mark())?;
        map.end()
    }
}

/// Factor of the simulations of the search that confirms a mistake.
pub const DEEPER: u32 = 4;

/// Least simulations of an action whose value counts where values of positions do not compare.
const LEAST_VISITS: u32 = 3;

/// Reviews a position in which `played` was chosen, if anything was.
///
/// # Errors
/// As for [`Player::analyse`].
pub fn review_position(
    game: &SingleGame,
    played: Option<u32>,
    reviewer: &Player,
    unit: Unit,
    interrupt: &Interrupt,
) -> Result<ReviewedPosition> {
    review_deeply(game, played, reviewer, unit, 1, interrupt)
}

/// [`review_position`] by `effort` times the simulations.
fn review_deeply(
    game: &SingleGame,
    played: Option<u32>,
    reviewer: &Player,
    unit: Unit,
    effort: u32,
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
            action_values: Vec::new(),
        });
    }
    let analysis = reviewer.advise(game, effort, interrupt)?;
    of_analysis(game, played, &analysis, Some(unit))
}

/// The review of a running game from an analysis. `None` takes the unit of the analysis.
///
/// # Errors
/// [`Error::Refused`] for an action of the analysis that is out of range.
pub fn of_analysis(
    game: &SingleGame,
    played: Option<u32>,
    analysis: &Analysis,
    unit: Option<Unit>,
) -> Result<ReviewedPosition> {
    let unit = unit.unwrap_or_else(|| analysis.forecast.into());
    let player = game.current_player();
    let earned = unit.earned(game);
    let named = |action| ReviewedAction::new(game, analysis, action, earned[player]);
    let best = named(analysis.action)?;
    let actions = analysis.shares.iter().zip(&analysis.action_values);
    let action_values =
        actions.filter_map(|(&(action, _), value)| Some((action, (*value)? + earned[player]))).collect();
    let values = analysis.values.iter().zip(&earned).map(|(value, earned)| value + earned).collect();
    Ok(ReviewedPosition {
        unit,
        player: Some(player),
        values,
        best: Some(best),
        line: line_in_words(game, &analysis.line, LONGEST_LINE)?,
        played: played.map(named).transpose()?,
        action_values,
    })
}

/// Maximum length of a line of play.
const LONGEST_LINE: usize = 8;

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
    Some(Judgement::of(loss, before.unit))
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
    /// The last position that was searched more deeply, by its index.
    #[serde(skip)]
    deeper: Option<(usize, ReviewedPosition)>,
}

impl GameReview {
    /// A review without positions.
    ///
    /// # Errors
    /// As for [`Player::analyse`].
    pub fn new(first: &SingleGame, reviewer: &Player, interrupt: &Interrupt) -> Result<Self> {
        let unit = unit_of(first, reviewer, interrupt)?;
        let (positions, prices) = (Vec::new(), Vec::new());
        Ok(Self { reviewer: reviewer.name().into(), unit, positions, prices, deeper: None })
    }

    /// Reviews a recorded game; `each` is called after every position.
    ///
    /// # Errors
    /// As for [`Player::analyse`] and [`replay`], and the errors of `each`.
    pub fn of_record(
        record: &Record,
        reviewer: &Player,
        interrupt: &Interrupt,
        mut each: impl FnMut(&SingleGame, &Self) -> Result<()>,
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

    /// Adds the next position, in which `played` was chosen, if anything was, and the price of the step to it.
    ///
    /// # Errors
    /// As for [`Player::analyse`].
    pub fn push(
        &mut self,
        game: &SingleGame,
        played: Option<u32>,
        reviewer: &Player,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let mut now = review_position(game, played, reviewer, self.unit, interrupt)?;
        if let Some(before) = self.positions.last().filter(|before| before.is_on_winning_line()) {
            now.values.clone_from(&before.values);
        }
        if let Some(before) = self.positions.last() {
            let first = judge(before, &now);
            let price = match first {
                Some(first) if first.grade != Grade::Good => {
                    Some(self.confirmed(first, game, &now, reviewer, interrupt)?)
                }
                first => first,
            };
            self.prices.push(price);
        }
        self.positions.push(now);
        Ok(())
    }

    /// The price of the last step by a deeper search of the positions before and after it; `after` is the position of
    /// `game`, the next one of the review. The milder grade counts. If the deeper search finds no loss, the first price
    /// stays as a doubt.
    fn confirmed(
        &mut self,
        first: Judgement,
        game: &SingleGame,
        after: &ReviewedPosition,
        reviewer: &Player,
        interrupt: &Interrupt,
    ) -> Result<Judgement> {
        let index = self.positions.len() - 1;
        let played = self.positions[index].played.as_ref().map(|played| played.action);
        let before = match self.deeper.take() {
            Some((known, before)) if known == index => before,
            _ => {
                let mut before = game.clone();
                before.undo();
                review_deeply(&before, played, reviewer, self.unit, DEEPER, interrupt)?
            }
        };
        let next = after.played.as_ref().map(|played| played.action);
        let after = review_deeply(game, next, reviewer, self.unit, DEEPER, interrupt)?;
        let second = judge(&before, &after);
        self.deeper = Some((index + 1, after));
        Ok(match second {
            Some(second) if second.grade != Grade::Good => {
                if second.loss < first.loss {
                    second
                } else {
                    first
                }
            }
            _ => Judgement { confirmed: false, ..first },
        })
    }

    /// The steps that cost most, by decreasing loss, with their positions and prices; good ones and doubts are left out.
    #[must_use]
    pub fn mistakes(&self) -> Vec<(usize, &ReviewedPosition, Judgement)> {
        let priced = self.prices.iter().enumerate().filter_map(|(step, price)| {
            let price = price.filter(|price| price.is_mistake())?;
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
pub fn unit_of(game: &SingleGame, reviewer: &Player, interrupt: &Interrupt) -> Result<Unit> {
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
            positions.push(review_position(&play, Some(action), &reviewer, Unit::Outcome, &never).unwrap());
            play.step(action).unwrap();
        }
        positions.push(review_position(&play, None, &reviewer, Unit::Outcome, &never).unwrap());
        assert_eq!(positions[2].values, [-1.0, 1.0]);
        assert_eq!(positions[1].best.as_ref().unwrap().words, "Qh4#");
        let [white, black] = [0, 1].map(|i| judge(&positions[i], &positions[i + 1]).unwrap());
        assert_eq!((white.grade, black.grade), (Grade::Blunder, Grade::Good), "{white:?} {black:?}");
        assert_eq!(black.loss, 0.0);
        let prices = vec![Some(white), Some(black)];
        let review =
            GameReview { reviewer: "search".into(), unit: Unit::Outcome, positions, prices, deeper: None };
        let told = serde_json::to_value(&review).unwrap();
        assert_eq!((&told["unit"], &told["unit_words"]), (&"outcome".into(), &Unit::Outcome.words().into()));
        let mistakes = review.mistakes();
        assert_eq!(mistakes.iter().map(|mistake| mistake.0).collect::<Vec<_>>(), [0]);
    }

    #[test]
    #[cfg(feature = "networks")]
    fn a_loss_that_a_deeper_search_does_not_see_is_a_doubt() {
        let game = crate::games::find("chess").unwrap().make([] as [(&str, OptionValue); 0]).unwrap();
        let never = Interrupt::default();
        let (mut doubts, mut sure) = (0, 0);
        // Few playouts make losses that more of them do not see.
        for (text, seed) in (0..6).map(|seed| ("search:8", seed)).chain([("net:champion:2", 0)]) {
            let reviewer = Player::parse(&*game, text, DEFAULT_TIME_LIMIT).unwrap();
            let mut play = game.single(seed);
            let mut review = GameReview::new(&play, &reviewer, &never).unwrap();
            let legal = |play: &SingleGame, step: usize| {
                let legal = play.legal_actions();
                if step % 4 < 3 {
                    play.bot_action("search:30").unwrap()
                } else {
                    legal[7 * step % legal.len()]
                }
            };
            for step in 0..40 {
                let action = legal(&play, step);
                review.push(&play, Some(action), &reviewer, &never).unwrap();
                play.step(action).unwrap();
            }
            let deeper = |action: u32, play: &SingleGame| {
                let found =
                    review_deeply(play, Some(action), &reviewer, Unit::Outcome, DEEPER, &never).unwrap();
                // Every legal action has a value.
                assert_eq!(found.action_values.len(), play.legal_actions().len());
                found
            };
            let mut of_game = 0;
            for (step, price) in review.prices.iter().enumerate() {
                let Some(price) = price.filter(|price| price.grade != Grade::Good) else { continue };
                let mut before = play.clone();
                (step..play.steps()).for_each(|_| assert!(before.undo()));
                let action = legal(&before, step);
                let mut after = before.clone();
                after.step(action).unwrap();
                let pair = [deeper(action, &before), deeper(legal(&after, step + 1), &after)];
                let second = judge(&pair[0], &pair[1]).unwrap();
                assert_eq!(price.confirmed, second.grade != Grade::Good, "step {step}");
                assert!(!price.confirmed || price.loss <= second.loss, "step {step}");
                assert_eq!(price.mark().is_empty(), !price.confirmed);
                *if price.confirmed { &mut of_game } else { &mut doubts } += 1;
            }
            assert_eq!(review.mistakes().len(), of_game);
            sure += of_game;
            if doubts > 0 && sure > 0 {
                break;
            }
        }
        assert!(doubts > 0 && sure > 0, "{doubts} doubts, {sure} mistakes");
    }

    #[test]
    #[cfg(feature = "networks")]
    fn every_game_is_reviewed_and_its_choices_are_free() {
        let never = Interrupt::default();
        for entry in crate::games::GAMES {
            let game = entry.make([] as [(&str, OptionValue); 0]).unwrap();
            let reviewer = Player::parse(&*game, "net:champion:8", DEFAULT_TIME_LIMIT).unwrap();
            let mut play = game.clone().single(3);
            let unit = unit_of(&play, &reviewer, &never).unwrap();
            let mut before: Option<ReviewedPosition> = None;
            for step in 0..6 {
                let best = reviewer.advise(&play, 1, &never).unwrap().action;
                let legal = play.legal_actions();
                let action = if step % 2 == 0 { best } else { legal[legal.len() / 2] };
                let now = review_position(&play, Some(action), &reviewer, unit, &never).unwrap();
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
