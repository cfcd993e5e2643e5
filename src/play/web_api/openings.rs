//! Names of openings of chess, by the first moves of a game.

/// One opening per line: its code in the Encyclopaedia of Chess Openings, its name, its moves.
const OPENINGS: &str = include_str!("openings.txt");

/// The code and the name of the opening with the most moves in common with a game from the standard start; `None` for
/// unknown first moves.
pub(super) fn opening(labels: &[String]) -> Option<String> {
    let rows = OPENINGS.lines().filter(|line| !line.starts_with('#'));
    let known = rows.filter_map(|row| {
        let (code, rest) = row.split_once("; ")?;
        let (name, moves) = rest.split_once("; ")?;
        let count = moves.split(' ').count();
        let begins =
            count <= labels.len() && moves.split(' ').zip(labels).all(|(known, label)| known == label);
        begins.then(|| (count, format!("{code} {name}")))
    });
    known.max_by_key(|(count, _)| *count).map(|(_, words)| words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_opening_is_legal_and_is_found_by_its_moves() {
        let rules = crate::games::find("chess").unwrap().make([]).unwrap();
        let mut names = 0;
        for row in OPENINGS.lines().filter(|line| !line.starts_with('#')) {
            let [code, name, moves] = row.split("; ").collect::<Vec<_>>()[..] else { panic!("{row}") };
            let mut game = rules.clone().single(0);
            let mut labels = Vec::new();
            for text in moves.split(' ') {
                game.step(game.string_to_action(text).unwrap()).unwrap();
                labels.push(text.to_string());
            }
            assert_eq!(opening(&labels), Some(format!("{code} {name}")), "{row}");
            // It keeps its name until a longer one is known.
            labels.push("a7a6".into());
            assert!(opening(&labels).is_some());
            names += 1;
        }
        assert!(names >= 100);
        assert_eq!((opening(&[]), opening(&["a2a3".into()])), (None, None));
    }
}
