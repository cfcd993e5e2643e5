//! Animated GIF files.

use ::gif::{DisposalMethod, Encoder, Frame as Image, Repeat};

use crate::engine::{Error, Result};
use crate::raster::Pixels;

/// Trade-off between quality and speed when choosing 256 colours: 1 is best, 30 is fastest.
const SPEED: i32 = 10;

/// An animated GIF in an endless loop, from pictures of equal size (at most 65,535 pixels per side), each with its
/// duration in seconds.
///
/// Delta coding: after the first picture, only the rectangle of changes since the previous picture is stored.
///
/// # Errors
/// [`Error::InvalidState`] if there is no picture, or sizes differ.
pub fn gif(pictures: impl IntoIterator<Item = Result<(Pixels, f64)>>) -> Result<Vec<u8>> {
    let fail = |what: String| Error::state(format!("animation: {what}"));
    let mut pictures = pictures.into_iter();
    let (first, seconds) = pictures.next().ok_or_else(|| fail("there is nothing to show".into()))??;
    let side = |pixels: u32| u16::try_from(pixels).map_err(|_| fail(format!("{pixels} pixels are too many")));
    let (width, height) = (side(first.width)?, side(first.height)?);
    let mut encoder =
        Encoder::new(Vec::new(), width, height, &[]).map_err(|error| fail(error.to_string()))?;
    encoder.set_repeat(Repeat::Infinite).map_err(|error| fail(error.to_string()))?;
    let mut write = |picture: &Pixels, [left, top, right, bottom]: [usize; 4], centiseconds: u16| {
        let row = |y: usize| &picture.rgb[3 * (y * usize::from(width) + left)..][..3 * (right - left)];
        let part: Vec<u8> = (top..bottom).flat_map(row).copied().collect();
        let mut image = Image::from_rgb_speed((right - left) as u16, (bottom - top) as u16, &part, SPEED);
        (image.left, image.top, image.delay) = (left as u16, top as u16, centiseconds);
        image.dispose = DisposalMethod::Keep;
        encoder.write_frame(&image).map_err(|error| fail(error.to_string()))
    };
    // Delays are whole hundredths of a second; the rounding error is carried over to the next picture.
    let (mut shown, mut due) = (0.0, 0.0);
    let mut centiseconds = |seconds: f64| {
        due += 100.0 * seconds;
        let delay: f64 = (due - shown).round().clamp(2.0, 65_535.0);
        shown += delay;
        delay as u16
    };
    write(&first, [0, 0, width.into(), height.into()], centiseconds(seconds))?;
    let mut last = first;
    for picture in pictures {
        let (picture, seconds) = picture?;
        if (picture.width, picture.height) != (last.width, last.height) {
            return Err(fail("the pictures are not of one size".into()));
        }
        // Without changes, a picture of one pixel carries the delay.
        write(&picture, difference(&last, &picture).unwrap_or([0, 0, 1, 1]), centiseconds(seconds))?;
        last = picture;
    }
    encoder.into_inner().map_err(|error| fail(error.to_string()))
}

/// Bounding box (left, top, right, bottom) of the differences of two pictures of equal size.
fn difference(a: &Pixels, b: &Pixels) -> Option<[usize; 4]> {
    let width = a.width as usize;
    let mut found: Option<[usize; 4]> = None;
    let rows = a.rgb.chunks_exact(3 * width).zip(b.rgb.chunks_exact(3 * width)).enumerate();
    for (y, (a, b)) in rows.filter(|(_, (a, b))| a != b) {
        let differs = |x: &usize| a[3 * x..3 * x + 3] != b[3 * x..3 * x + 3];
        let left = (0..width).find(differs).expect("the rows differ");
        let right = (0..width).rfind(differs).expect("the rows differ") + 1;
        let [l, t, r, _] = found.unwrap_or([left, y, right, y]);
        found = Some([l.min(left), t, r.max(right), y + 1]);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(at: usize) -> Pixels {
        let mut rgb = vec![255; 3 * 6 * 4];
        rgb[3 * at..3 * at + 3].copy_from_slice(&[200, 0, 0]);
        Pixels { width: 6, height: 4, rgb }
    }

    #[test]
    fn an_animation_stores_changes_and_durations() {
        assert_eq!(difference(&picture(0), &picture(0)), None);
        assert_eq!(difference(&picture(8), &picture(15)), Some([2, 1, 4, 3]));
        let bytes =
            gif([(0, 0.105), (8, 0.105), (8, 1.0)].map(|(at, time)| Ok((picture(at), time)))).unwrap();
        let mut options = ::gif::DecodeOptions::new();
        options.set_color_output(::gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).unwrap();
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            frames.push((frame.width, frame.height, frame.delay));
        }
        assert_eq!(frames, [(6, 4, 11), (3, 2, 10), (1, 1, 100)]);
        assert!(gif([]).is_err());
    }
}
