//! Selection and duration of the positions shown in a film.

use crate::engine::{Error, Named, Result};

/// Sampling of positions in a film.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Every {
    /// After every step.
    #[default]
    Step,
    /// After the last step of every turn: before another player moves, or another turn begins.
    Turn,
}

impl Named for Every {
    const NAMES: &'static [(&'static str, Self)] = &[("step", Self::Step), ("turn", Self::Turn)];
}

/// The pace of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Positions per second.
    pub fps: f64,
    /// Duration of the whole film in seconds; positions are skipped if there are too many.
    pub duration: Option<f64>,
}

/// A frame of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Frame {
    /// Index of the position.
    pub position: usize,
    /// Duration in seconds.
    pub seconds: f64,
}

impl Pace {
    /// Maximum number of positions per second.
    pub const MOST: f64 = 25.0;
    /// Duration of the last position in seconds.
    const END: f64 = 2.0;

    /// Creates a pace.
    ///
    /// # Errors
    /// [`Error::InvalidConfig`] for numbers out of range.
    pub fn new(fps: f64, duration: Option<f64>) -> Result<Self> {
        if !(fps > 0.0 && fps <= Self::MOST) {
            return Err(Error::config(format!(
                "fps {fps}: more than 0 and at most {} are allowed",
                Self::MOST
            )));
        }
        if let Some(seconds) = duration.filter(|seconds| !(0.5..=3600.0).contains(seconds)) {
            return Err(Error::config(format!("duration {seconds}: 0.5 to 3600 seconds are allowed")));
        }
        Ok(Self { fps, duration })
    }

    /// The frames for this many positions (at least one); the first and the last position are always included.
    #[must_use]
    pub fn frames(&self, positions: usize) -> Vec<Frame> {
        let last = positions - 1;
        let Some(total) = self.duration else {
            let seconds = |i| if i == last { Self::END } else { 1.0 / self.fps };
            return (0..positions).map(|position| Frame { position, seconds: seconds(position) }).collect();
        };
        // The last position stays for up to a third of the time.
        let end = Self::END.min(total / 3.0);
        let room = ((total - end) * Self::MOST).floor().max(1.0) as usize;
        let shown = last.min(room);
        let each = if shown == 0 { 0.0 } else { (total - end) / shown as f64 };
        let mut frames: Vec<Frame> =
            (0..shown).map(|i| Frame { position: i * last / shown, seconds: each }).collect();
        let seconds = if shown == 0 { total } else { end };
        frames.push(Frame { position: last, seconds });
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(frames: &[Frame]) -> f64 {
        frames.iter().map(|frame| frame.seconds).sum()
    }

    #[test]
    fn a_long_game_fits_into_the_time_and_begins_and_ends_whole() {
        let frames = Pace::new(5.0, Some(30.0)).unwrap().frames(2774);
        assert!((seconds(&frames) - 30.0).abs() < 1e-6, "{}", seconds(&frames));
        assert_eq!((frames[0].position, frames.last().unwrap().position), (0, 2773));
        assert!(frames.is_sorted_by(|a, b| a.position < b.position));
        assert!(frames.iter().all(|frame| frame.seconds >= 0.999 / Pace::MOST), "{frames:?}");
        assert!(frames.len() > 600);
    }

    #[test]
    fn a_short_game_is_stretched_or_shown_at_its_own_pace() {
        let frames = Pace::new(5.0, Some(9.0)).unwrap().frames(4);
        assert_eq!(frames.iter().map(|frame| frame.position).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert!((seconds(&frames) - 9.0).abs() < 1e-9);
        let frames = Pace::new(4.0, None).unwrap().frames(3);
        assert_eq!(frames.iter().map(|frame| frame.seconds).collect::<Vec<_>>(), [0.25, 0.25, 2.0]);
        assert_eq!(Pace::new(4.0, Some(5.0)).unwrap().frames(1), [Frame { position: 0, seconds: 5.0 }]);
        for (fps, duration) in
            [(0.0, None), (26.0, None), (f64::NAN, None), (5.0, Some(0.0)), (5.0, Some(9999.0))]
        {
            assert!(Pace::new(fps, duration).is_err(), "{fps} {duration:?}");
        }
    }
}
