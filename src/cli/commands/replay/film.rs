//! Pictures, animations and videos of a recorded game.

use super::Args;
use crate::failure::{CommandResult, Failure};
use crate::files;
use ludovec::engine::{SingleGame, View};
use ludovec::replay::film::{Every, Frame, Pace, animated_svg};

/// Refuses impossible requests before drawing.
pub(super) fn check(args: &Args, steps: usize) -> CommandResult {
    pace(args)?;
    #[cfg(feature = "raster")]
    if let Some(step) = args.step.filter(|&step| step > steps) {
        return Err(Failure::Usage(format!("--step {step}: the game has {steps} steps")));
    }
    _ = steps;
    Ok(())
}

fn pace(args: &Args) -> Result<Pace, Failure> {
    Ok(Pace::new(args.fps, args.duration)?)
}

/// The positions to show.
pub(super) struct Scenes {
    /// Whether there is an animation or video to write.
    moving: bool,
    every: Every,
    /// The position to draw as pixels, if it is not the last one.
    step: Option<usize>,
    shown: Vec<SingleGame>,
    still: Option<SingleGame>,
}

impl Scenes {
    pub(super) fn new(args: &Args) -> Self {
        #[cfg(feature = "raster")]
        let (pixels, step) = (args.gif.is_some() || args.mp4.is_some(), args.step);
        #[cfg(not(feature = "raster"))]
        let (pixels, step) = (false, None);
        let moving = pixels || args.svg_animation.is_some();
        Self { moving, every: args.every, step, shown: Vec::new(), still: None }
    }

    /// Adds a position; copies share the history.
    pub(super) fn push(&mut self, game: &SingleGame, position: usize) {
        if self.step.is_none_or(|step| step == position) {
            self.still = Some(game.clone());
        }
        if !self.moving {
            return;
        }
        let whose = |game: &SingleGame| (game.current_player(), game.turn());
        let same_turn = self.shown.last().is_some_and(|last| whose(last) == whose(game));
        if self.every == Every::Turn && same_turn && self.shown.len() > 1 {
            self.shown.pop();
        }
        self.shown.push(game.clone());
    }

    /// Writes all requested files.
    pub(super) fn write(&self, args: &Args, view: View) -> CommandResult {
        #[cfg(feature = "raster")]
        self.write_pixels(args, view)?;
        if let Some(file) = &args.svg_animation {
            let frames = self.frames(args)?;
            let bar = crate::output::progress("animation");
            bar.set_length(frames.len() as u64);
            let drawings = frames.iter().enumerate().map(|(i, &(game, seconds))| {
                bar.inc(1);
                bar.set_message(format!("picture {} of {}", i + 1, frames.len()));
                Ok((game.to_svg(view)?, seconds))
            });
            let drawings = drawings.collect::<Result<Vec<_>, Failure>>()?;
            bar.finish_and_clear();
            files::write(file, &animated_svg(&drawings)?)?;
        }
        Ok(())
    }

    /// The positions of an animation, each with its duration in seconds.
    fn frames(&self, args: &Args) -> Result<Vec<(&SingleGame, f64)>, Failure> {
        let frames = pace(args)?.frames(self.shown.len());
        Ok(frames.into_iter().map(|Frame { position, seconds }| (&self.shown[position], seconds)).collect())
    }

    #[cfg(feature = "raster")]
    fn write_pixels(&self, args: &Args, view: View) -> CommandResult {
        use ludovec::raster::{draw, draw_within};
        use ludovec::replay::film::{gif, mp4};

        if let (Some(file), Some(game)) = (&args.png, &self.still) {
            files::write(file, &draw(&game.to_svg(view)?)?.png()?)?;
        }
        if args.gif.is_none() && args.mp4.is_none() {
            return Ok(());
        }
        let frames = self.frames(args)?;
        let first = draw(&frames[0].0.to_svg(view)?)?;
        // Videos need even sides.
        let [width, height] = [first.width, first.height].map(|side| side.next_multiple_of(2));
        let bar = crate::output::progress("film");
        bar.set_length(frames.len() as u64);
        let pictures = || {
            bar.reset();
            frames.iter().enumerate().map(|(i, &(game, seconds))| {
                bar.inc(1);
                bar.set_message(format!("picture {} of {}", i + 1, frames.len()));
                Ok((draw_within(&game.to_svg(view)?, width, height)?, seconds))
            })
        };
        if let Some(file) = &args.gif {
            files::write(file, &gif(pictures())?)?;
        }
        if let Some(file) = &args.mp4 {
            mp4(file, [width, height], pictures())?;
        }
        bar.finish_and_clear();
        Ok(())
    }
}
