//! Live views of games that run outside of the server: the games of a fleet, a tournament.

use serde::Deserialize;
use serde_json::{Value, json};

use ludovec::engine::{Result, SingleGame, Theme, View};
use ludovec::play::web_api::{Answer, status};

/// Maximum number of games shown at a time.
const MOST_GAMES: usize = 64;
/// Default number of games shown.
const GAMES: usize = 12;

/// A source of live games.
///
/// ```
/// use std::sync::Arc;
///
/// use ludovec::engine::Result;
/// use ludovec_cli::web::{ListenScope, Live, Scene, router};
///
/// /// The progress of a program of your own.
/// struct Progress;
///
/// impl Live for Progress {
///     fn scene(&self, _first: usize, _count: usize) -> Result<Scene> {
///         let progress = "7 of 10 games".into();
///         Ok(Scene { title: "my match".into(), progress, running: true, ..Scene::default() })
///     }
/// }
///
/// assert!(Progress.scene(0, 12)?.games.is_empty());
/// let page = router(ListenScope::Machine, Some(Arc::new(Progress)));
/// # drop(page);
/// # Ok::<(), ludovec::engine::Error>(())
/// ```
pub trait Live: Send + Sync {
    /// The current state, with at most `count` games, from game `first` on.
    ///
    /// # Errors
    /// Any error states why the games cannot be shown.
    fn scene(&self, first: usize, count: usize) -> Result<Scene>;
}

/// The state to show.
#[derive(Debug, Default)]
pub struct Scene {
    /// The kind of games.
    pub title: String,
    /// The progress, in words.
    pub progress: String,
    /// Whether it is in progress.
    pub running: bool,
    /// The standings, best first, below a row of headings; empty if no results are counted.
    pub table: Vec<Vec<String>>,
    /// The number of available games.
    pub total: usize,
    /// The games.
    pub games: Vec<LiveGame>,
}

/// A shown game.
#[derive(Debug)]
pub struct LiveGame {
    /// Its number.
    pub number: usize,
    /// The label above it.
    pub label: String,
    /// The game.
    pub game: SingleGame,
}

/// The part of the state in a request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// Light or dark drawings.
    theme: Option<String>,
    /// The first game.
    #[serde(default)]
    first: usize,
    /// The number of games.
    count: Option<usize>,
    /// The number of a game to draw in full.
    large: Option<usize>,
}

/// The state of a live view as JSON, or `null` without one.
pub(super) fn show(live: Option<&dyn Live>, wanted: &Wanted) -> Answer<Value> {
    let Some(live) = live else { return Ok(Value::Null) };
    let theme = wanted.theme.as_deref().map_or(Ok(Theme::default()), str::parse)?;
    let count = wanted.count.unwrap_or(GAMES).min(MOST_GAMES);
    let scene = live.scene(wanted.first, count)?;
    let game = |LiveGame { number, label, game }: &LiveGame| {
        let board_only = wanted.large != Some(*number);
        Ok(json!({
            "number": number,
            "label": label,
            "status": status(game.status()),
            "standing": game.standing(),
            "scores": game.scores(),
            "svg": game.to_svg(View { theme, board_only, ..View::default() })?,
        }))
    };
    Ok(json!({
        "title": scene.title,
        "progress": scene.progress,
        "running": scene.running,
        "table": scene.table,
        "total": scene.total,
        "games": scene.games.iter().map(game).collect::<Result<Vec<Value>>>()?,
    }))
}
