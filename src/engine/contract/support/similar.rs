//! Suggestions for mistyped words.

/// Minimum similarity (Jaro-Winkler) of a suggested word.
const SIMILAR: f64 = 0.8;

/// The most similar of the `known` words, if it is similar enough; capitals do not count.
///
/// ```
/// use ludovec_engine::similar::similar;
/// assert_eq!(similar("ches", ["chess", "tilewe"]), Some("chess"));
/// ```
pub fn similar<T: AsRef<str>>(word: &str, known: impl IntoIterator<Item = T>) -> Option<T> {
    let word = word.to_lowercase();
    let likeness = |known: T| (strsim::jaro_winkler(&word, &known.as_ref().to_lowercase()), known);
    // The first of equals: lists begin with the usual words.
    let better = |best: (f64, T), next: (f64, T)| if next.0 > best.0 { next } else { best };
    let best = known.into_iter().map(likeness).reduce(better)?;
    (best.0 >= SIMILAR).then_some(best.1)
}

/// The suggestion after a mistyped `word` in an error message: " (did you mean smallworld?)", or an empty text.
///
/// ```
/// use ludovec_engine::similar::did_you_mean;
/// assert_eq!(did_you_mean("ches", ["chess"]), " (did you mean chess?)");
/// assert_eq!(did_you_mean("go", ["chess"]), "");
/// ```
pub fn did_you_mean<T: AsRef<str>>(word: &str, known: impl IntoIterator<Item = T>) -> String {
    similar(word, known).map_or(String::new(), |known| format!(" (did you mean {}?)", known.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_word_and_another_word_finds_none() {
        let known = ["chess", "empires", "smallworld", "starwars_risk", "tilewe"];
        for (word, meant) in [
            ("smallword", "smallworld"),
            ("SmallWorld", "smallworld"),
            ("small_world", "smallworld"),
            ("ches", "chess"),
            ("star_wars", "starwars_risk"),
            ("tilwe", "tilewe"),
        ] {
            assert_eq!(similar(word, known), Some(meant));
            assert_eq!(did_you_mean(word, known), format!(" (did you mean {meant}?)"));
        }
        for word in ["", "go", "backgammon", "\u{202e}", "x"] {
            assert_eq!((similar(word, known), did_you_mean(word, known)), (None, String::new()), "{word}");
        }
        assert_eq!(similar("x", [""; 0]), None);
        assert_eq!(similar("ab", ["abc", "abd"]), Some("abc"));
    }
}
