//! Text stays in its frame, under every option of every game: in the picture, and in the box or disc around it. Widths are
//! those of the glyphs in the fonts of the pictures.

use std::sync::Arc;

use ludovec::engine::{AnyGame, Entry, OptionKind, OptionValue, SingleGame, Status, View};
use ludovec::games::GAMES;
use ludovec::raster;
use resvg::tiny_skia::{PathSegment, Point};
use resvg::usvg::{Group, Node, Path, Rect, Text, TextAnchor, Tree};

/// Units of a drawing of 900 pixels by which text may leave its frame: rims and rounding.
const SLACK: f32 = 1.0;

/// The parts of a drawing.
#[derive(Default)]
struct Parts {
    /// Rectangles, with and without round corners, and discs.
    frames: Vec<Rect>,
    /// Words with their first, middle or last point, as they are anchored.
    texts: Vec<(String, Rect, Point)>,
}

impl Parts {
    fn collect(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.collect(group),
                Node::Path(path) if is_frame(path) => self.frames.push(path.abs_bounding_box()),
                Node::Text(text) => self.texts.push((words(text), text.abs_bounding_box(), anchor(text))),
                _ => {}
            }
        }
    }
}

fn words(text: &Text) -> String {
    text.chunks().iter().map(|chunk| chunk.text()).collect()
}

/// Whether a filled path is a rectangle or a disc: four straight sides, four arcs, or both.
fn is_frame(path: &Path) -> bool {
    let [mut starts, mut lines, mut arcs] = [0; 3];
    for segment in path.data().segments() {
        match segment {
            PathSegment::MoveTo(_) => starts += 1,
            PathSegment::LineTo(_) => lines += 1,
            PathSegment::QuadTo(..) | PathSegment::CubicTo(..) => arcs += 1,
            PathSegment::Close => {}
        }
    }
    let outline = path.data().bounds();
    let is_box = path.data().points().iter().all(|point| {
        let on = |at: f32, low: f32, high: f32| (at - low).abs().min((at - high).abs()) < 0.01;
        on(point.x, outline.left(), outline.right()) || on(point.y, outline.top(), outline.bottom())
    });
    let is_rectangle = (3..=4).contains(&lines) && (arcs == 0 || arcs == 4) && is_box;
    starts == 1 && (is_rectangle || (lines == 0 && arcs == 4))
}

/// The point at which a text is anchored, half a letter above its base line.
fn anchor(text: &Text) -> Point {
    let at = text.abs_bounding_box();
    let inset = (at.width() / 2.0).min(1.0);
    let x = match text.chunks()[0].anchor() {
        TextAnchor::Start => at.left() + inset,
        TextAnchor::Middle => (at.left() + at.right()) / 2.0,
        TextAnchor::End => at.right() - inset,
    };
    Point::from_xy(x, (at.top() + at.bottom()) / 2.0)
}

/// Faults of a drawing, in words.
fn faults(svg: &str) -> Vec<String> {
    let tree = Tree::from_str(svg, &raster::options()).expect("a drawing is an SVG document");
    let mut parts = Parts::default();
    parts.collect(tree.root());
    let page = Rect::from_xywh(0.0, 0.0, tree.size().width(), tree.size().height()).expect("a size");
    let mut wrong = Vec::new();
    for (text, at, anchor) in &parts.texts {
        let holds = |frame: &&Rect| {
            (frame.left()..=frame.right()).contains(&anchor.x)
                && (frame.top()..=frame.bottom()).contains(&anchor.y)
                && frame.height() >= 0.6 * at.height()
        };
        let area = |frame: &Rect| frame.width() * frame.height();
        let inner = parts.frames.iter().filter(holds).min_by(|a, b| area(a).total_cmp(&area(b)));
        for (name, frame) in
            [("the picture", &page)].into_iter().chain(inner.map(|frame| ("its frame", frame)))
        {
            // The box of a text has the height of the font; most letters are lower.
            let high = 0.25 * at.height();
            let beyond = [
                frame.left() - at.left(),
                at.right() - frame.right(),
                frame.top() - at.top() - high,
                at.bottom() - frame.bottom() - high,
            ];
            let most = beyond.into_iter().fold(f32::MIN, f32::max);
            if most > SLACK {
                wrong.push(format!("{text:?} leaves {name} by {most:.1}"));
            }
        }
    }
    wrong
}

/// Values to try for an option, besides its default.
fn values(kind: &OptionKind) -> Vec<OptionValue> {
    match kind {
        OptionKind::Int { min, max } => vec![(*min).into(), (*max).into()],
        OptionKind::Choice { values } | OptionKind::Flags { values } => {
            values.iter().map(|value| value.as_str().into()).collect()
        }
        OptionKind::Bool => vec![true.into(), false.into()],
        _ => Vec::new(),
    }
}

/// Every option of a game with each of its values, and the combinations that bear on one another.
fn option_sets(entry: &Entry) -> Vec<Vec<(&'static str, OptionValue)>> {
    let mut sets = vec![Vec::new()];
    for option in entry.options() {
        let tried = values(&option.kind).into_iter().filter(|value| *value != option.default);
        sets.extend(tried.map(|value| vec![(option.name, value)]));
    }
    sets.extend((entry.combinations)());
    sets
}

/// The game after its beginning, in its middle and at its end, or after many steps.
fn positions(game: &Arc<dyn AnyGame>, name: Option<&str>) -> Vec<SingleGame> {
    const MOST: usize = 300;
    let mut play = game.clone().single(5);
    if let Some(name) = name {
        let names = (0..game.spec().players).map(|seat| format!("{name}{seat}")).collect::<Vec<_>>();
        play.set_names(&names).unwrap();
    }
    let mut shown = vec![play.clone()];
    while play.status() == Status::Running && play.steps() < MOST {
        let action = play.bot_action("random").unwrap();
        play.step(action).unwrap();
        if [1, 10, 60].contains(&play.steps()) {
            shown.push(play.clone());
        }
    }
    shown.push(play);
    shown
}

#[test]
fn text_stays_in_its_frame_under_all_options() {
    let view = View { size: Some(900), ..View::default() };
    let mut wrong = Vec::new();
    let mut pictures = 0;
    for entry in GAMES {
        for given in option_sets(entry) {
            let Ok(game) = entry.make(given.clone()) else { continue };
            // The longest names that are allowed have 60 letters; wide ones are the hardest to fit.
            let names = if given.is_empty() {
                &[None, Some("Wilhelmina Montgomery "), Some("WWWWWWWWWWWWWWWWWWWW")][..]
            } else {
                &[None]
            };
            for name in names {
                for play in positions(&game, *name) {
                    pictures += 1;
                    let found = faults(&play.to_svg(view).unwrap());
                    let told = |fault| format!("{} {given:?}, step {}: {fault}", entry.id, play.steps());
                    wrong.extend(found.into_iter().map(told));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(pictures > 500, "{pictures} pictures");
    assert!(wrong.is_empty(), "{} faults in {pictures} pictures:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn text_that_leaves_its_frame_is_found() {
    let svg = |x: u32, words: &str| {
        format!(
            "<svg xmlns='http://www.w3.org/2000/svg' width='300' height='60' viewBox='0 0 300 60'>\
             <rect x='10' y='10' width='80' height='30' rx='6' fill='#fff'/>\
             <text x='{x}' y='30' font-size='14'>{words}</text></svg>"
        )
    };
    assert_eq!(faults(&svg(14, "short")), [""; 0]);
    assert!(faults(&svg(14, "longer than its frame"))[0].contains("leaves its frame"));
    assert!(faults(&svg(200, "longer than the picture"))[0].contains("leaves the picture"));
}
