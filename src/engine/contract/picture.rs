//! Pictures of a game: terminal text and drawings.

use crate::contract::defaults;
use crate::contract::rules::Status;
use crate::contract::show::beside::Beside;
use crate::contract::show::drawing::escape;
use crate::contract::show::view::{Place, SEAT_COLOURS, Theme, View};
use crate::contract::spec::ActionId;
use crate::contract::words::{Step, Words};

/// The caption of a picture: the players and the state of the game.
#[derive(Debug, Clone, Copy)]
pub struct Caption<'a> {
    /// The names of the players by seat.
    pub names: &'a [String],
    /// The state of the game in one line: [`Picture::standing`], or a note that the game stopped at its step limit.
    pub standing: &'a str,
    /// Whether the game is running. Otherwise no current player is shown.
    pub running: bool,
}

/// Pictures of a game.
///
/// Both pictures depend only on the information visible to [`View::seat`]. The defaults print the observation.
///
/// ```
/// use ludovec_engine::{Caption, Dialect, Guide, Picture, Step, View, Words};
/// # mod nim { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/doc/nim.rs")); }
/// # use nim::*;
///
/// impl Picture for Nim {
///     fn to_text(&self, state: &State, _: Option<&Step<State>>, _: View, _: Caption<'_>) -> String {
///         "|".repeat(state.left.into())
///     }
/// }
/// # impl Words for Nim {}
/// # impl Guide for Nim {}
/// # impl Dialect for Nim {}
/// # let game: Arc<dyn AnyGame> = Arc::new(Nim::new(&options()));
///
/// let mut game = game.single(0);
/// game.step(2)?;
/// assert!(game.to_text(View::default())?.contains("||||||||||||||||||"));
/// # Ok::<(), Error>(())
/// ```
pub trait Picture: Words {
    /// The position as lines of text, optionally with the last step marked.
    fn to_text(
        &self,
        state: &Self::State,
        _last: Option<&Step<Self::State>>,
        view: View,
        _caption: Caption<'_>,
    ) -> String {
        let seen = match view.seat {
            Some(seat) => self.observation_to_json(state, seat),
            None => self.state_to_json(state),
        };
        match seen {
            serde_json::Value::Object(fields) => {
                fields.iter().map(|(name, value)| format!("{name}: {value}")).collect::<Vec<_>>().join("\n")
            }
            other => other.to_string(),
        }
    }
    /// The title of a picture: the game's name and the options relevant to the viewer.
    fn title(&self) -> String {
        self.spec().env.into()
    }
    /// The state of the game in one line: the current player or the winner. `names` are the players' names by seat.
    fn standing(&self, state: &Self::State, names: &[String]) -> String {
        defaults::standing(self, state, names)
    }
    /// The winner of a terminated game and the scores, best first.
    fn result(&self, state: &Self::State, names: &[String]) -> String {
        defaults::result(self, state, names)
    }
    /// The position as one SVG document that begins with `<svg` and a `viewBox`, optionally with the last step
    /// marked.
    ///
    /// The engine adds size, title and description.
    fn to_svg(
        &self,
        state: &Self::State,
        last: Option<&Step<Self::State>>,
        view: View,
        caption: Caption<'_>,
    ) -> String {
        text_as_svg(&self.to_text(state, last, View { ansi: false, ..view }, caption), view.theme)
    }
    /// The clickable parts of the drawing, which actions refer to; none by default.
    fn places(&self, _state: &Self::State, _view: View) -> Vec<Place> {
        Vec::new()
    }
    /// The board within the drawing, and what is beside it as text, for small screens; `None` (the default) for a
    /// drawing that fits them.
    fn beside(&self, _state: &Self::State, _view: View, _caption: Caption<'_>) -> Option<Beside> {
        None
    }
    /// The outline of what a legal action would put on the drawing, as SVG path data, for a preview; none by default.
    fn footprint(&self, _state: &Self::State, _action: ActionId) -> Option<String> {
        None
    }
    /// The colours of the seats in drawings, as `#rrggbb`, at least one per seat.
    fn seat_colours(&self, _theme: Theme) -> Vec<&'static str> {
        SEAT_COLOURS.to_vec()
    }
}

/// Calls `draw` with a caption without player names, for a game without a step limit.
pub fn with_caption<G: Picture, T>(game: &G, state: &G::State, draw: impl FnOnce(Caption<'_>) -> T) -> T {
    let (names, running) = (game.seat_names(), game.status(state) == Status::Running);
    draw(Caption { names: &names, standing: &game.standing(state, &names), running })
}

/// The text and the drawing of a position with the caption of [`with_caption`].
pub fn pictures<G: Picture>(game: &G, state: &G::State, view: View) -> [String; 2] {
    with_caption(game, state, |caption| {
        [game.to_text(state, None, view, caption), game.to_svg(state, None, view, caption)]
    })
}

/// The text and the drawing of a position after a step, with a given caption.
pub(crate) fn pictures_after<G: Picture>(
    game: &G,
    state: &G::State,
    last: Option<&Step<G::State>>,
    view: View,
    caption: Caption<'_>,
) -> [String; 2] {
    [game.to_text(state, last, view, caption), game.to_svg(state, last, view, caption)]
}

/// Lines of text as a drawing in a monospaced font, the default of [`Picture::to_svg`].
#[must_use]
pub fn text_as_svg(text: &str, theme: Theme) -> String {
    const LINE: usize = 20;
    const CHARACTER: usize = 9;
    let columns = text.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    let (width, height) = ((columns + 2) * CHARACTER, (text.lines().count() + 1) * LINE);
    let (ground, ink) = (theme.pick("#ffffff", "#16181d"), theme.pick("#16181d", "#e8e8e8"));
    let lines = text.lines().enumerate().map(|(i, line)| {
        format!(
            "<text x=\"{CHARACTER}\" y=\"{}\" xml:space=\"preserve\">{}</text>",
            (i + 1) * LINE,
            escape(line)
        )
    });
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" \
         font-size=\"15\" fill=\"{ink}\"><rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>{}</svg>",
        lines.collect::<String>()
    )
}
