//! Parts of drawings that all games share.

use crate::contract::support::escape::is_hidden;

/// Escapes the special characters of XML; hidden characters become spaces.
///
/// ```
/// assert_eq!(ludovec_engine::drawing::escape("a < b"), "a &lt; b");
/// ```
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter if is_hidden(letter) => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// Truncates a text to at most `most` characters; a truncated text ends in `…`.
///
/// ```
/// assert_eq!(ludovec_engine::drawing::shortened("abcd", 3), "ab…");
/// ```
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.into();
    }
    text.chars().take(most.saturating_sub(1)).collect::<String>().trim_end().to_string() + "…"
}

/// Approximate width of a text in the drawing fonts at font size 1, rounded up a little so that laid-out text fits.
///
/// ```
/// use ludovec_engine::drawing::text_width;
/// assert!(text_width("WWW") > text_width("iii"));
/// ```
#[must_use]
pub fn text_width(text: &str) -> f64 {
    let width = |letter: char| match letter {
        'i' | 'j' | 'l' | 'I' | '\'' | '.' | ',' | ':' | ';' | '|' | '!' | ' ' | 't' | 'f' | '(' | ')' => 0.3,
        'r' | '-' => 0.36,
        'm' | 'M' | 'W' | '%' | '@' => 0.9,
        'w' | 'A'..='Z' | '&' => 0.72,
        _ => 0.57,
    };
    text.chars().map(width).sum()
}

/// A two-colour stroke along a path, so that at least one colour contrasts with any background.
///
/// ```
/// assert_eq!(ludovec_engine::drawing::marked_path("M0 0h9", 2.0).matches("<path").count(), 2);
/// ```
#[must_use]
pub fn marked_path(path: &str, width: f64) -> String {
    format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"#111111\" stroke-width=\"{}\" stroke-linejoin=\"round\" \
         stroke-linecap=\"round\"/><path d=\"{path}\" fill=\"none\" stroke=\"#ffffff\" stroke-width=\"{}\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
        width + 3.0,
        width
    )
}

/// An arrow with an outline, visible on any background; `width` is the width of its shaft.
///
/// ```
/// let arrow = ludovec_engine::drawing::arrow([0.0, 0.0], [50.0, 0.0], 6.0, "#f00", "#000", 0.8);
/// assert!(arrow.starts_with("<path") && arrow.contains("50.0 0.0"));
/// ```
#[must_use]
pub fn arrow(from: [f64; 2], to: [f64; 2], width: f64, fill: &str, rim: &str, opacity: f64) -> String {
    let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
    let length = dx.hypot(dy).max(1e-6);
    let (ux, uy) = (dx / length, dy / length);
    let head = (width * 2.4).min(length * 0.6);
    let at = |along: f64, aside: f64| {
        format!("{:.1} {:.1}", from[0] + ux * along - uy * aside, from[1] + uy * along + ux * aside)
    };
    let (half, wing, neck) = (width / 2.0, width * 1.25, length - head);
    format!(
        "<path d=\"M{}L{}L{}L{}L{}L{}L{}Z\" fill=\"{fill}\" stroke=\"{rim}\" stroke-width=\"2\" \
         stroke-linejoin=\"round\" opacity=\"{opacity:.2}\"/>",
        at(0.0, half),
        at(neck, half),
        at(neck, wing),
        at(length, 0.0),
        at(neck, -wing),
        at(neck, -half),
        at(0.0, -half)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_truncated_with_an_ellipsis() {
        assert_eq!(escape("a<b & \"c\">'\u{1}"), "a&lt;b &amp; &quot;c&quot;&gt;&#39; ");
        assert_eq!((shortened("abc", 3), shortened("abcd", 3)), ("abc".into(), "ab…".into()));
        assert_eq!(shortened("ab cd", 4), "ab…");
    }
}
