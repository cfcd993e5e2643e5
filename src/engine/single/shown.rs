//! Drawings, texts and names of a game.

use serde_json::Value;

use crate::contract::picture::Caption;
use crate::contract::rules::Status;
use crate::contract::show::beside::Beside;
use crate::contract::show::drawing::shortened;
use crate::contract::show::view::{Marks, Place, View};
use crate::contract::spec::ActionId;
use crate::contract::support::error::{Error, Result};
use crate::contract::support::escape::escape_hidden;
use crate::single::document;
use crate::single::game::{MAX_NAME, SingleGame};
use crate::single::overlay::{self, Marked};
use crate::single::refused_places;

/// Drawings, texts and names.
#[expect(clippy::must_use_candidate, reason = "nobody calls a query for its effect")]
impl SingleGame {
    /// The reason why no legal action refers to all of these places, each given by the keys and values of its
    /// [`Place`]: one sentence for the user who chose them.
    pub fn explain_places(&self, places: &[Vec<(String, Value)>]) -> String {
        if self.status() != Status::Running {
            return "the game is over".into();
        }
        if let Some(reason) = self.game.explain_places(&self.state, places) {
            return reason;
        }
        refused_places::explain(&*self.game, &self.state, &self.mask(), places)
            .unwrap_or_else(|| format!("nothing can be done there now: {}", self.standing()))
    }
    /// The position as lines of text.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] if the view's seat does not exist.
    pub fn to_text(&self, view: View) -> Result<String> {
        view.seat.map_or(Ok(()), |seat| self.check_seat(seat))?;
        let (names, standing) = (self.names(), self.standing());
        Ok(self.game.to_text(&self.state, self.history.last(), view, self.caption(&names, &standing)))
    }
    /// The position as an SVG document with size, title and description.
    ///
    /// # Errors
    /// As for [`SingleGame::to_text`], and for a size out of range.
    pub fn to_svg(&self, view: View) -> Result<String> {
        self.to_marked_svg(view, &Marks::default())
    }
    /// The same with marks.
    ///
    /// # Errors
    /// As for [`SingleGame::to_svg`]; [`Error::Refused`] for an illegal action;
    /// [`Error::InvalidConfig`] unless there is one weight for every action index,
    /// finite and at least 0.
    pub fn to_marked_svg(&self, view: View, marks: &Marks) -> Result<String> {
        view.seat.map_or(Ok(()), |seat| self.check_seat(seat))?;
        let size = view.size.unwrap_or(View::SIZE);
        if !View::SIZES.contains(&size) {
            let (least, most) = View::SIZES.into_inner();
            return Err(Error::config(format!("size={size}: {least} to {most} pixels are allowed")));
        }
        let marked = self.marked(marks)?;
        let (names, standing) = (self.names(), self.standing());
        let caption = self.caption(&names, &standing);
        let mut svg = self.game.to_svg(&self.state, self.history.last(), view, caption);
        if !marked.is_empty() {
            svg = overlay::lay(&svg, &self.places(view), &marked, view.theme);
        }
        let title = format!("{}: {standing}", self.title());
        Ok(document::complete(&svg, size, &title, &self.description(view.seat)))
    }
    /// The clickable parts of the drawing, which actions refer to; see [`Picture::places`](crate::Picture::places).
    pub fn places(&self, view: View) -> Vec<Place> {
        self.game.places(&self.state, view)
    }
    /// The board within the drawing, and what is beside it as text; see [`Picture::beside`](crate::Picture::beside).
    pub fn beside(&self, view: View) -> Option<Beside> {
        let (names, standing) = (self.names(), self.standing());
        self.game.beside(&self.state, view, self.caption(&names, &standing))
    }
    /// The outline of what a legal action would put on the drawing; see
    /// [`Picture::footprint`](crate::Picture::footprint).
    pub fn footprint(&self, action: ActionId) -> Option<String> {
        self.check(action).ok().and_then(|()| self.game.footprint(&self.state, action))
    }
    /// The title of the game; see [`Picture::title`](crate::Picture::title).
    pub fn title(&self) -> String {
        self.game.title()
    }
    /// The current player or the winner; see [`Picture::standing`](crate::Picture::standing).
    pub fn standing(&self) -> String {
        if self.status() != self.game.status(&self.state) {
            return format!("stopped without a result after {} steps", self.length());
        }
        self.game.standing(&self.state, &self.names())
    }
    /// The players' names, by seat.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.game.seat_names();
        for (name, given) in names.iter_mut().zip(&*self.names).filter(|(_, given)| !given.is_empty()) {
            name.clone_from(given);
        }
        names
    }
    /// Sets the players' names, shown in drawings and records; an empty name removes one.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] unless there is one name per seat, each of at most
    /// [`MAX_NAME`] characters.
    pub fn set_names(&mut self, names: &[String]) -> Result<()> {
        let seats = self.game.spec().players;
        if names.len() != seats {
            return Err(Error::config(format!(
                "{} names: one for each of {seats} seats is needed",
                names.len()
            )));
        }
        if let Some(name) = names.iter().find(|name| name.chars().count() > MAX_NAME) {
            let name = shortened(name, 20);
            return Err(Error::config(format!("name {name:?}: at most {MAX_NAME} characters are allowed")));
        }
        let nobody = names.iter().all(String::is_empty);
        let shown = || names.iter().map(|name| escape_hidden(name)).collect();
        self.names = if nobody { [].into() } else { shown() };
        Ok(())
    }

    /// The marked actions, with their shares of all weights.
    fn marked(&self, marks: &Marks) -> Result<Vec<Marked>> {
        let n = self.game.spec().num_actions as usize;
        if !marks.weights.is_empty() && marks.weights.len() != n {
            let given = marks.weights.len();
            return Err(Error::config(format!("{given} weights: one for each of {n} actions is needed")));
        }
        if let Some(weight) = marks.weights.iter().find(|weight| !(weight.is_finite() && **weight >= 0.0)) {
            return Err(Error::config(format!("weight {weight}: finite numbers from 0 on are allowed")));
        }
        let names = self.names();
        let marked = |action: u32, share| Marked {
            object: self.game.action_to_json(&self.state, action),
            words: self.game.action_in_words(&self.state, action, &names),
            share,
        };
        marks.actions.iter().try_for_each(|&action| self.check(action))?;
        let shown = marks.actions.iter().map(|&action| marked(action, None));
        // Weights of illegal actions are ignored.
        let weighed = || {
            let legal = if marks.weights.is_empty() { Vec::new() } else { self.legal_actions() };
            legal.into_iter().map(|action| (action, f64::from(marks.weights[action as usize])))
        };
        let total: f64 = weighed().map(|(_, weight)| weight).sum();
        let mut drawn: Vec<(u32, f64)> = weighed().filter(|(_, weight)| *weight > 0.0).collect();
        if let Some(most) = marks.largest {
            drawn.sort_by(|a, b| b.1.total_cmp(&a.1));
            drawn.truncate(most);
        }
        let weighed = drawn.into_iter().map(|(action, weight)| marked(action, Some(weight / total)));
        Ok(shown.chain(weighed).collect())
    }

    /// The position in words, without information hidden from the player.
    fn description(&self, seat: Option<usize>) -> String {
        let names = self.names();
        let mut words = Vec::new();
        if seat.is_none() || !self.game.spec().hidden_information {
            let scores = names.iter().zip(self.scores()).map(|(name, score)| format!("{name} {score}"));
            words.push(format!("Scores: {}.", scores.collect::<Vec<_>>().join(", ")));
        }
        if let Some(last) = self.history.last() {
            words.push(format!(
                "Last move, of {}: {}.",
                names[last.player],
                self.game.describe_step(last, seat, &names)
            ));
        }
        words.push(format!("{} moves were played.", self.history.len()));
        words.join(" ")
    }

    /// The caption of the game's pictures.
    fn caption<'a>(&self, names: &'a [String], standing: &'a str) -> Caption<'a> {
        Caption { names, standing, running: self.status() == Status::Running }
    }
}
