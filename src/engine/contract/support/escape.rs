//! Escapes untrusted text (paths, names, metadata, replies) for errors, tables, plots and drawings.

/// Whether a character is invisible and may change the display of its neighbours: control characters, line separators,
/// direction marks (U+202E shows `gpj.exe` as `exe.jpg`), invisible operators. Joiners are not hidden, because scripts
/// and emoji need them.
///
/// ```
/// assert!(ludovec_engine::escape::is_hidden('\n'));
/// ```
#[must_use]
pub fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// Escapes hidden characters, including line breaks, as in Rust literals.
///
/// ```
/// assert_eq!(ludovec_engine::escape::escape_hidden("two\nlines"), "two\\nlines");
/// ```
#[must_use]
pub fn escape_hidden(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            letter if !is_hidden(letter) => out.push(letter),
            // Only hidden characters: `escape_default` would also escape all other non-ASCII characters.
            letter => out.extend(letter.escape_default()),
        }
    }
    out
}

/// Shortens text to at most `most` characters by cutting the middle. The end of an error message lists the allowed
/// values, so it is kept.
///
/// ```
/// let short = ludovec_engine::escape::shorten(&"x".repeat(99), 20);
/// assert!(short.contains("[...]") && short.chars().count() <= 20);
/// ```
#[must_use]
pub fn shorten(text: &str, most: usize) -> String {
    const GAP: &str = " [...] ";
    let count = text.chars().count();
    if count <= most {
        return text.into();
    }
    let kept = most.saturating_sub(GAP.len());
    let begin: String = text.chars().take(kept - kept / 2).collect();
    let end: String = text.chars().skip(count - kept / 2).collect();
    begin + GAP + &end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped_and_others_are_unchanged() {
        assert_eq!(escape_hidden("a\nb\t\u{1b}[31m\u{202e}gpj.exe"), "a\\nb\\t\\u{1b}[31m\\u{202e}gpj.exe");
        for letter in (0..=0x10_ffff).filter_map(char::from_u32) {
            let shown = escape_hidden(&letter.to_string());
            assert!(!shown.chars().any(is_hidden), "{letter:?}");
            assert!(is_hidden(letter) || shown == letter.to_string());
            let format =
                ('\u{202a}'..='\u{202e}').contains(&letter) || ('\u{2066}'..='\u{2069}').contains(&letter);
            assert!(!format || is_hidden(letter), "{letter:?} turns text around");
        }
        for text in ["Ünïcode 表 ♞", "👩\u{200d}👩\u{200d}👧", "می\u{200c}خواهم"] {
            assert_eq!(escape_hidden(text), text);
        }
    }

    #[test]
    fn long_text_keeps_its_beginning_and_its_end() {
        let long = format!("begin {} end", "x".repeat(10_000));
        let short = shorten(&long, 100);
        assert!(short.starts_with("begin ") && short.ends_with(" end") && short.contains("[...]"));
        assert_eq!(short.chars().count(), 100);
        assert_eq!(shorten("é", 1), "é");
        assert!(shorten(&"é".repeat(50), 20).chars().count() <= 20);
    }
}
