//! What differs between a variant and chess, in sentences for readers that know chess.

use super::library::load;
use super::schema::{
    Castling, CastlingRule, DoubleStep, EndRule, EndWhen, Modality, Path, Piece, PieceKind, Primitive,
    Promotion, PromotionRegion, Role, SideResult, Square, Variant,
};
use ludovec_engine::Result;

/// Sentences on every rule of a variant that differs from chess: board, pieces, pawns, promotion, castling, further
/// rules, ends. Empty for chess itself.
///
/// # Errors
/// As for [`load`].
pub fn differences(variant: &Variant) -> Result<Vec<String>> {
    let usual = load::<&str>("chess", &[])?;
    let words = Words(variant);
    let mut said = Vec::new();
    words.board(&usual, &mut said);
    words.pieces(&usual, &mut said);
    words.pawns(&usual, &mut said);
    // The numbers of kinds differ between variants, their names do not.
    if words.castling() != Words(&usual).castling() {
        said.push(words.castling());
    }
    words.further(&mut said);
    if variant.end != usual.end {
        let ends: Vec<String> = variant.end.iter().map(|rule| words.end(rule)).collect();
        said.push(format!("The game ends, by the first of these that holds: {}.", ends.join("; ")));
    } else if words.progress() != Words(&usual).progress() {
        let drawn = |rule: &&EndRule| matches!(rule.when, EndWhen::MovesWithoutProgress(_));
        said.extend(variant.end.iter().find(drawn).map(|rule| capitalised(&words.end(rule)) + "."));
    }
    Ok(said)
}

/// The words of a variant.
struct Words<'a>(&'a Variant);

impl Words<'_> {
    fn board(&self, usual: &Variant, said: &mut Vec<String>) {
        let Self(v) = self;
        if (v.width, v.height) != (usual.width, usual.height) {
            said.push(format!("The board has {} files and {} ranks.", v.width, v.height));
        }
        if !v.holes.is_empty() {
            said.push(format!(
                "The board has holes, which nothing enters or crosses: {}.",
                self.squares(&v.holes)
            ));
        }
        if v.chess960 {
            said.push(
                "The pieces of the first rank start in a random order, the same for both sides.".into(),
            );
        }
    }

    fn pieces(&self, usual: &Variant, said: &mut Vec<String>) {
        let Self(v) = self;
        let own = |piece: &&Piece| !usual.pieces.contains(piece);
        for piece in v.pieces.iter().filter(own) {
            let known =
                usual.pieces.iter().find(|known| known.letter == piece.letter && known.name == piece.name);
            let name = format!("{} ({})", capitalised(&piece.name), piece.letter);
            match piece.role {
                Role::Neutral => {
                    said.push(format!("{name}: belongs to nobody, blocks everything, cannot be captured."))
                }
                _ if known.is_none_or(|known| known.moves != piece.moves) => {
                    said.push(format!("{name}: {}.", moves(&piece.moves)));
                }
                _ => {}
            }
            match (piece.role, known.map(|known| known.role)) {
                (Role::Ordinary, Some(Role::Royal)) => {
                    said.push(format!(
                        "{name}: an ordinary piece; there is no check, and it may be captured."
                    ));
                }
                (Role::Pawn, None) => said.push(format!("{name}: has the rules of a pawn.")),
                (Role::Royal, None) => said.push(format!("{name}: must not be left attacked, like a king.")),
                (Role::Ordinary, Some(Role::Pawn)) => {
                    said.push(format!("{name}: no rules of a pawn but its moves."))
                }
                _ => {}
            }
        }
        let missing =
            usual.pieces.iter().filter(|known| v.pieces.iter().all(|piece| piece.name != known.name));
        let missing: Vec<String> = missing.map(|piece| format!("{}s", piece.name)).collect();
        if !missing.is_empty() {
            said.push(format!("There are no {}.", missing.join(" and no ")));
        }
    }

    fn pawns(&self, usual: &Variant, said: &mut Vec<String>) {
        let Self(v) = self;
        if v.pieces.iter().all(|piece| piece.role != Role::Pawn) {
            return;
        }
        let resized = (v.width, v.height) != (usual.width, usual.height);
        match &v.pawn.double_step {
            DoubleStep::Never => said.push("Pawns make no double step.".into()),
            DoubleStep::Unmoved => said.push("A pawn may make a double step until it has moved.".into()),
            DoubleStep::Squares(squares) if squares.iter().all(|own| own.len() == v.cells()) => {
                said.push("Pawns may make double steps from anywhere.".into());
            }
            steps if resized || *steps == usual.pawn.double_step => {}
            DoubleStep::Squares(squares) => {
                said.push(format!("Pawns may make a double step {}.", self.by_side("from", squares)));
            }
        }
        if !v.pawn.en_passant {
            said.push("There is no capture en passant.".into());
        } else if v.pawn.en_passant_squares.iter().any(|squares| !squares.is_empty()) {
            said.push(format!(
                "A capture en passant is possible {}.",
                self.by_side("on", &v.pawn.en_passant_squares)
            ));
        }
        match &v.promotion {
            None => said.push("Pawns do not promote.".into()),
            Some(promotion) => self.promotion(promotion, usual, said),
        }
    }

    fn promotion(&self, promotion: &Promotion, usual: &Variant, said: &mut Vec<String>) {
        let Self(v) = self;
        let names = |variant: &Variant, kinds: &[PieceKind]| -> Vec<String> {
            kinds.iter().map(|&kind| variant.pieces[usize::from(kind)].name.clone()).collect()
        };
        let choices = names(v, &promotion.choices);
        if Some(&choices) != usual.promotion.as_ref().map(|known| names(usual, &known.choices)).as_ref() {
            said.push(format!("A pawn promotes to {}.", alternatives(&choices)));
        }
        for (denied, side) in promotion.denied.iter().zip(["white", "black"]) {
            if !denied.is_empty() {
                said.push(format!("A {side} pawn cannot become {}.", alternatives(&names(v, denied))));
            }
        }
        if promotion.region == PromotionRegion::EndOfColumn {
            said.push("A pawn promotes on the last square before the edge or a hole.".into());
        }
        if promotion.limit > 0 {
            said.push(format!("A side has at most {} of a piece by promotion.", promotion.limit));
        }
        if !promotion.mandatory {
            said.push("A pawn need not promote.".into());
        }
    }

    fn castling(&self) -> String {
        let Self(v) = self;
        let Some(Castling { king, rooks, rule, through_attack }) = &v.castling else {
            return "There is no castling.".into();
        };
        let mut text = match rule {
            CastlingRule::Files { right, left } => {
                let to = |(king, rook): (u8, u8)| format!("{} and {}", letter(king), letter(rook));
                format!(
                    "Castling puts {} and {} on the files {} or {}",
                    self.named(*king),
                    alternatives(&rooks.iter().map(|&kind| self.named(kind).to_string()).collect::<Vec<_>>()),
                    to(*right),
                    to(*left)
                )
            }
            CastlingRule::TwoSquares { vertical } => format!(
                "To castle, an unmoved {} goes two squares toward any unmoved {} of its rank{}, with at least two \
                 empty squares between them and nothing else",
                self.named(*king),
                alternatives(&rooks.iter().map(|&kind| self.named(kind).to_string()).collect::<Vec<_>>()),
                if *vertical { " or file" } else { "" }
            ),
        };
        if *through_attack {
            text += ", through attacked squares too";
        }
        text + "."
    }

    /// Filters, generators, effects, drops and the order of turns, none of which chess has.
    fn further(&self, said: &mut Vec<String>) {
        let Self(v) = self;
        let named = |kind| self.named(kind);
        for (kind, squares) in &v.filters.forbidden {
            said.push(format!("A {} may not go {}.", named(*kind), self.by_side("to", squares)));
        }
        if v.filters.must_capture {
            said.push("A player who can capture must capture.".into());
        }
        if v.filters.must_en_passant {
            said.push("A player who can capture en passant must do so.".into());
        }
        if v.filters.no_checks {
            said.push("No move may give check.".into());
        }
        for merge in &v.generators.merges {
            said.push(format!(
                "A {} may move onto an own {}, and they become a {}.",
                named(merge.mover),
                named(merge.onto),
                named(merge.into)
            ));
        }
        if let Some(summon) = v.generators.summon {
            let square = self.squares(&[summon.square]);
            let kind = named(summon.kind);
            said.push(format!(
                "A player may, as a move, replace an enemy piece on {square} by an own {kind}."
            ));
        }
        for leap in &v.generators.leap_captures {
            said.push(format!(
                "An unmoved {} may capture any enemy {} on its file, over all pieces between.",
                named(leap.kind),
                named(leap.victim)
            ));
        }
        for swap in &v.generators.swap_captures {
            said.push(format!(
                "Two own {}s, {} squares apart on a rank or file with only enemy pieces between, may swap and capture \
                 these.",
                named(swap.kind),
                swap.distance
            ));
        }
        if let Some(split) = &v.generators.split {
            let parts: Vec<String> = split.into.iter().map(|&kind| named(kind).to_string()).collect();
            said.push(format!(
                "A {} may split along an empty straight run: {} appear on its last squares, in this order.",
                named(split.kind),
                parts.join(", ")
            ));
        }
        if let Some(spawn) = v.effects.spawn_behind {
            said.push(format!(
                "When a {} leaves a square straight away from an adjacent enemy {}, an enemy {} appears on that \
                 square.",
                named(spawn.mover),
                named(spawn.watcher),
                named(spawn.spawn)
            ));
        }
        if let Some(blast) = &v.effects.blast {
            let immune: Vec<String> = blast.immune.iter().map(|&kind| format!("{}s", named(kind))).collect();
            let but =
                if immune.is_empty() { String::new() } else { format!(", but not {}", immune.join(" and ")) };
            said.push(format!(
                "A capture explodes: the capturing piece goes, and so do all pieces on the eight neighbouring \
                 squares{but}."
            ));
            if v.pieces.iter().any(|piece| piece.role == Role::Royal) {
                said.push("A capture that would explode the own king is not allowed.".into());
            }
        }
        if !v.effects.petrify.is_empty() {
            let kinds: Vec<String> = v.effects.petrify.iter().map(|&kind| named(kind).to_string()).collect();
            said.push(format!("A {} that captures turns to stone.", alternatives(&kinds)));
        }
        if let Some(drops) = &v.drops {
            let kinds: Vec<String> = drops.kinds.iter().map(|&kind| named(kind).to_string()).collect();
            let whence = if drops.captures_to_hand {
                "Captured pieces go to the capturer's hand, promoted ones as pawns. "
            } else {
                ""
            };
            said.push(format!(
                "{whence}Instead of moving, a player may drop a {} from the hand on an empty square.",
                alternatives(&kinds)
            ));
            for (kind, squares) in &drops.forbidden {
                said.push(format!("A {} may not be dropped {}.", named(*kind), self.by_side("on", squares)));
            }
        }
        if let Some(kind) = v.turn.place {
            let kind = named(kind);
            said.push(format!("After every move, the same player puts the {kind} on another empty square."));
            let placement = v.start.split(' ').next().unwrap_or_default();
            let letter = v.pieces.iter().find(|piece| piece.name == kind).map_or('?', |piece| piece.letter);
            if !placement.to_ascii_uppercase().contains(letter) {
                said.push(format!("The {kind} starts off the board."));
            }
        }
        if let Some(kind) = v.turn.boost {
            said.push(format!("A pawn that promotes to a {} moves once more at once.", named(kind)));
        }
        if v.turn.pass {
            said.push("A player may pass.".into());
        }
    }

    fn end(&self, EndRule { when, value }: &EndRule) -> String {
        let result = match value {
            SideResult::Win => "wins",
            SideResult::Loss => "loses",
            SideResult::Draw => "draws",
        };
        match when {
            EndWhen::Mate => format!("a player in check without a legal move {result}"),
            EndWhen::Stalemate => {
                let checked = self.0.pieces.iter().any(|piece| piece.role == Role::Royal);
                let not = if checked { " and not in check" } else { "" };
                format!("a player without a legal move{not} {result}")
            }
            EndWhen::Extinct { kinds, count, each, side, reply } => {
                let who = match side {
                    None => "a player",
                    Some(0) => "White",
                    Some(_) => "Black",
                };
                let plural = if *count == 1 { "" } else { "s" };
                let listed: Vec<String> =
                    kinds.iter().map(|&kind| format!("{}{plural}", self.named(kind))).collect();
                let what = match (listed.is_empty(), *each) {
                    (true, _) => format!("piece{plural}"),
                    (false, true) => format!("of one kind of {}", alternatives(&listed)),
                    (false, false) => listed.join(" and "),
                };
                let number = match (*count, *each) {
                    (0, true) => "none".into(),
                    (0, false) => "no".into(),
                    (count, _) => format!("at most {count}"),
                };
                let spared = if *reply { ", unless its next move does the same to the enemy" } else { "" };
                format!("{who} with {number} {what} left {result}{spared}")
            }
            EndWhen::Reach { kind, squares, reply } => {
                let place = self.by_side("on", squares);
                let answer = if *reply {
                    "; if White is first, Black has one more move to do so and draw"
                } else {
                    ""
                };
                format!("a player with a {} {place} {result}{answer}", self.named(*kind))
            }
            EndWhen::Checks(count) => format!("a player who has given {count} checks {result}"),
            EndWhen::Checkers(count) => format!("a player attacked by {count} pieces at once {result}"),
            EndWhen::Repetition(count) => format!("a position that occurs {count} times is a draw"),
            EndWhen::MovesWithoutProgress(count) => {
                format!("{count} moves of both players without {} are a draw", self.progress())
            }
            EndWhen::DeadPosition => {
                "a position in which no side has the material to mate is a draw, whatever its pawns block"
                    .into()
            }
            EndWhen::BareKings => "two bare kings are a draw".into(),
        }
    }

    /// The moves that are progress.
    fn progress(&self) -> &str {
        let Self(v) = self;
        let pawn = v.pieces.iter().position(|piece| piece.role == Role::Pawn);
        let Some(pawn) = pawn else { return "a capture" };
        let is_back = |p: &Primitive| p.modality != Modality::Capture && p.offset.1 < 0;
        if v.pieces[pawn].moves.iter().any(is_back) {
            return "a capture or promotion";
        }
        match &v.drops {
            Some(drops) if drops.kinds.contains(&(pawn as PieceKind)) => {
                "a capture, a pawn move or the drop of a pawn"
            }
            _ => "a capture or pawn move",
        }
    }

    fn named(&self, kind: PieceKind) -> &str {
        &self.0.pieces[usize::from(kind)].name
    }

    /// Squares of both sides, as `on rank 2 (White), rank 7 (Black)`.
    fn by_side(&self, preposition: &str, squares: &[Vec<Square>; 2]) -> String {
        let [white, black] = squares.each_ref().map(|own| self.squares(own));
        if white == black {
            return format!("{preposition} {white}");
        }
        format!("{preposition} {white} (White) or {black} (Black)")
    }

    /// Squares by name; whole ranks as such.
    fn squares(&self, squares: &[Square]) -> String {
        let Self(v) = self;
        let mut names = Vec::new();
        for rank in 0..v.height {
            let row: Vec<Square> =
                squares.iter().copied().filter(|square| square / v.width == rank).collect();
            let whole = (0..v.width).filter(|file| !v.holes.contains(&(rank * v.width + file))).count();
            if row.len() == whole && whole > 0 {
                names.push(format!("rank {}", rank + 1));
            } else {
                names.extend(row.iter().map(|square| format!("{}{}", letter(square % v.width), rank + 1)));
            }
        }
        if names.is_empty() { "nowhere".into() } else { names.join(", ") }
    }
}

impl Variant {
    /// Number of squares without holes.
    fn cells(&self) -> usize {
        usize::from(self.width) * usize::from(self.height) - self.holes.len()
    }
}

fn letter(file: u8) -> char {
    char::from(b'a' + file)
}

fn capitalised(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// `a, b or c`.
fn alternatives(names: &[String]) -> String {
    match names {
        [] => "nothing".into(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// The moves of a piece in words; equal ways of moving together.
fn moves(primitives: &[Primitive]) -> String {
    let mut ways: Vec<(Primitive, Vec<(i8, i8)>)> = Vec::new();
    for &primitive in primitives {
        let same =
            |way: &&mut (Primitive, Vec<_>)| Primitive { offset: primitive.offset, ..way.0 } == primitive;
        match ways.iter_mut().find(same) {
            Some((_, offsets)) => offsets.push(primitive.offset),
            None => ways.push((primitive, vec![primitive.offset])),
        }
    }
    let mut phrases: Vec<String> = Vec::new();
    for (way, offsets) in ways {
        let what = match way.modality {
            Modality::Move => "moves without capturing ",
            Modality::Capture => "captures ",
            Modality::Both => "moves and captures ",
        };
        let first = if way.initial { ", only as its first move" } else { "" };
        phrases.push(format!("{what}{}{first}", path(way.path, &offsets)));
    }
    if phrases.is_empty() { "does not move".into() } else { phrases.join("; ") }
}

fn path(path: Path, offsets: &[(i8, i8)]) -> String {
    let directions: Vec<(bool, String)> = directions(offsets);
    let join = |step: &str, leap: &str| {
        let each =
            directions.iter().map(|(is_step, name)| format!("{}{name}", if *is_step { step } else { leap }));
        each.collect::<Vec<_>>().join(" or ")
    };
    match path {
        Path::Leap => join("one step ", "by a leap "),
        Path::Lame { .. } => format!("{}, if the square between is empty", join("", "")),
        Path::Ride { max: 0 } => join("any distance ", "by any number of equal leaps "),
        Path::Ride { max } => join(&format!("up to {max} steps "), &format!("by up to {max} equal leaps ")),
        Path::Hop { beside: true } => format!("to the square right behind the first piece {}", join("", "")),
        Path::Hop { beside: false } => format!("over exactly one piece and on, {}", join("", "")),
    }
}

/// Offsets of equal lengths along the axes, and these lengths, the smaller one first.
type Class = ((u8, u8), Vec<(i8, i8)>);

/// Offsets in words, and whether they are steps to a neighbouring square.
fn directions(offsets: &[(i8, i8)]) -> Vec<(bool, String)> {
    let mut classes: Vec<Class> = Vec::new();
    for &(files, ranks) in offsets {
        let (a, b) = (files.unsigned_abs(), ranks.unsigned_abs());
        let class = (a.min(b), a.max(b));
        match classes.iter_mut().find(|(known, _)| *known == class) {
            Some((_, members)) => members.push((files, ranks)),
            None => classes.push((class, vec![(files, ranks)])),
        }
    }
    let mut found = Vec::new();
    for ((small, large), members) in classes {
        let has = |offset: (i8, i8)| members.contains(&offset);
        let all = if small == 0 || small == large { 4 } else { 8 };
        let is_step = large == 1;
        if members.len() == all {
            found.push((
                is_step,
                match (small, large) {
                    (0, 1) => "straight".into(),
                    (1, 1) => "diagonally".into(),
                    (1, 2) => "of a knight".into(),
                    (0, _) => format!("of {large} squares straight"),
                    _ if small == large => format!("of {large} squares diagonally"),
                    _ => format!("of {small} by {large} squares"),
                },
            ));
            continue;
        }
        let pairs: [(&[(i8, i8)], &str); 5] = [
            (&[(0, 1)], "forward"),
            (&[(0, -1)], "backward"),
            (&[(-1, 0), (1, 0)], "sideways"),
            (&[(-1, 1), (1, 1)], "diagonally forward"),
            (&[(-1, -1), (1, -1)], "diagonally backward"),
        ];
        let mut left = members.clone();
        for (pair, name) in pairs {
            if pair.iter().all(|&offset| has(offset)) {
                found.push((is_step, name.into()));
                left.retain(|offset| !pair.contains(offset));
            }
        }
        found.extend(left.into_iter().map(|(files, ranks)| {
            (false, format!("of {files:+} files and {ranks:+} ranks as White sees it"))
        }));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::library::{flags, variants};
    use super::*;

    fn told(name: &str, flags: &[&str]) -> String {
        differences(&load(name, flags).unwrap()).unwrap().join(" ")
    }

    #[test]
    fn every_variant_and_flag_says_what_differs() {
        assert_eq!(told("chess", &[]), "");
        for name in variants().filter(|name| *name != "chess") {
            let text = told(name, &[]);
            assert!(text.split_whitespace().count() < 260, "{name}: {text}");
        }
        // Start positions are visible on the board; these differ in nothing else.
        let silent: Vec<&str> = variants().filter(|name| told(name, &[]).is_empty()).collect();
        assert_eq!(silent, ["chess"]);
        for flag in flags() {
            assert!(!told("chess", &[flag]).is_empty(), "{flag}");
        }
    }

    #[test]
    fn rules_are_told_in_words() {
        for (name, words) in [
            ("atomic", &["capture explodes", "but not pawns", "no kings left loses"][..]),
            (
                "crazyhouse",
                &["hand", "pawn may not be dropped on rank 1, rank 8", "or the drop of a pawn are a draw"],
            ),
            ("antichess", &["must capture", "ordinary piece", "no pieces left wins", "There is no castling"]),
            ("3check", &["given 3 checks wins", "two bare kings are a draw"]),
            ("kingofthehill", &["king on d4, e4, d5, e5 wins"]),
            ("racingkings", &["No move may give check", "king on rank 8 wins"]),
            ("grasshopper", &["right behind the first piece straight or diagonally", "no double step"]),
            ("amazon", &["There are no queens. A pawn promotes to amazon, rook, bishop or knight."]),
            ("losers", &["at most 1 piece left wins"]),
            (
                "shatranj",
                &[
                    "leap of 2 squares diagonally",
                    "one step diagonally",
                    "There are no bishops and no queens",
                ],
            ),
            ("berolina", &["moves without capturing one step diagonally forward; captures one step forward"]),
            (
                "capablanca",
                &[
                    "10 files and 8 ranks",
                    "any distance diagonally; moves and captures by a leap of a knight",
                ],
            ),
            ("horde", &["White with no pieces left loses", "rank 1, rank 2 (White) or rank 7 (Black)"]),
            ("hole", &["holes", "c3", "last square before the edge or a hole"]),
            ("chigorin", &["A white pawn cannot become", "A black pawn cannot become"]),
            ("torpedo", &["double steps from anywhere"]),
            (
                "duck",
                &[
                    "belongs to nobody",
                    "puts the duck on another empty square",
                    "The duck starts off the board",
                    "a player without a legal move wins",
                ],
            ),
            ("pawnback", &["50 moves of both players without a capture or promotion are a draw"]),
            ("pawnsideways", &["one step sideways"]),
            ("extinction", &["with none of one kind of pawns, knights"]),
        ] {
            let text = told(name, &[]);
            words.iter().for_each(|word| assert!(text.contains(word), "{name}: {word}: {text}"));
        }
        let text = told("chess", &["knooks", "vertical_castling"]);
        assert!(text.contains("they become a knook") && text.contains("rank or file"), "{text}");
    }
}
