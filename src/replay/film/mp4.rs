//! Videos, encoded by ffmpeg.

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::engine::{Error, Result};
use crate::raster::Pixels;

/// Frame rate of the video, independent of the pace of the game.
const RATE: u32 = 25;

/// Writes a video from pictures of equal size with even side lengths, each with its duration in seconds.
///
/// # Errors
/// [`Error::InvalidConfig`] if ffmpeg is missing or fails; no file is left then.
pub fn mp4(
    file: &Path,
    [width, height]: [u32; 2],
    pictures: impl IntoIterator<Item = Result<(Pixels, f64)>>,
) -> Result<()> {
    let fail = |what: String| Error::config(format!("{}: {what}", file.display()));
    let mut ffmpeg = Command::new("ffmpeg")
        .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pixel_format", "rgb24"])
        .args(["-video_size", &format!("{width}x{height}"), "-framerate", &RATE.to_string(), "-i", "-"])
        .args(["-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4"])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => fail("no ffmpeg was found: videos need it, --gif does not".into()),
            _ => fail(format!("ffmpeg: {error}")),
        })?;
    let mut input = ffmpeg.stdin.take().expect("its input is a pipe");
    let mut wrong = None;
    let (mut due, mut shown) = (0.0, 0.0);
    'film: for picture in pictures {
        let (picture, seconds) = picture.inspect_err(|_| {
            let _ = std::fs::remove_file(file);
        })?;
        due += seconds * f64::from(RATE);
        while shown < due - 0.5 {
            // If ffmpeg has stopped reading, its own message is reported below.
            if let Err(error) = input.write_all(&picture.rgb) {
                wrong = Some(error.to_string());
                break 'film;
            }
            shown += 1.0;
        }
    }
    drop(input);
    let output = ffmpeg.wait_with_output().map_err(|error| fail(format!("ffmpeg: {error}")))?;
    if output.status.success() && wrong.is_none() {
        return Ok(());
    }
    let _ = std::fs::remove_file(file);
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().next_back().map(str::to_string).or(wrong);
    Err(fail(format!("ffmpeg: {}", said.unwrap_or_else(|| output.status.to_string()))))
}
