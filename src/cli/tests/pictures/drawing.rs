//! Sizes, legibility of text, and the mark of the last move.

use ludovec::engine::{Theme, View};
use ludovec::games;
use ludovec::raster::{self, Pixels};
use resvg::usvg::{Group, Node, Paint, Rect, Tree};

use crate::colours::contrast;
use crate::scenes::{self, Scene};
use crate::{gallery, update};

/// A line of text: its words, place and colour.
struct Words {
    text: String,
    at: Rect,
    colour: [u8; 3],
}

fn words(group: &Group, found: &mut Vec<Words>) {
    for node in group.children() {
        match node {
            Node::Group(group) => words(group, found),
            Node::Text(text) => {
                let span = &text.chunks()[0].spans()[0];
                let Some(Paint::Color(colour)) = span.fill().map(|fill| fill.paint()) else { continue };
                found.push(Words {
                    text: text.chunks().iter().map(|chunk| chunk.text()).collect(),
                    at: text.abs_bounding_box(),
                    colour: [colour.red, colour.green, colour.blue],
                });
            }
            _ => {}
        }
    }
}

fn read(scene: &Scene) -> (Tree, Vec<Words>) {
    let tree =
        Tree::from_str(&scene.svg, &raster::options()).unwrap_or_else(|e| panic!("{}: {e}", scene.name));
    let mut found = Vec::new();
    words(tree.root(), &mut found);
    (tree, found)
}

/// The drawing without its text.
fn without_text(svg: &str) -> String {
    let mut out = String::new();
    for (i, part) in svg.split("<text").enumerate() {
        out += if i == 0 { part } else { part.split_once("</text>").expect("text ends").1 };
    }
    out
}

/// The background of a rectangle: its most frequent colour.
fn ground(picture: &Pixels, at: Rect) -> [u8; 3] {
    let (mut counts, clamp) =
        (std::collections::BTreeMap::new(), |v: f32, most: u32| (v.max(0.0) as u32).min(most - 1));
    for y in clamp(at.top(), picture.height)..=clamp(at.bottom(), picture.height) {
        for x in clamp(at.left(), picture.width)..=clamp(at.right(), picture.width) {
            let pixel = 3 * (y * picture.width + x) as usize;
            *counts.entry([0, 1, 2].map(|part| picture.rgb[pixel + part])).or_insert(0) += 1;
        }
    }
    counts.into_iter().max_by_key(|&(_, count)| count).expect("a rectangle has pixels").0
}

/// Whether two boxes overlap by more than kerning and rims.
fn overlap(a: Rect, b: Rect) -> bool {
    let share = |a: (f32, f32), b: (f32, f32)| a.1.min(b.1) - a.0.max(b.0);
    let wide = share((a.left(), a.right()), (b.left(), b.right()));
    let high = share((a.top(), a.bottom()), (b.top(), b.bottom()));
    wide > 1.0 && high > 0.25 * a.height().min(b.height())
}

#[test]
fn every_picture_has_its_size_and_text_that_can_be_read() {
    let scenes = scenes::all();
    let mut wrong = Vec::new();
    if update() {
        std::fs::create_dir_all(gallery()).unwrap();
    }
    for scene in &scenes {
        let (tree, words) = read(scene);
        let (width, height) = (tree.size().width(), tree.size().height());
        let size = if scene.name.contains("-alone-") { 480.0 } else { 900.0 };
        assert!((width.max(height) - size).abs() < 1.0, "{}: {width} by {height}", scene.name);
        assert!(
            scene.svg.contains("role=\"img\"")
                && scene.svg.contains("<title>")
                && scene.svg.contains("<desc>")
        );
        let ids: Vec<&str> = scene
            .svg
            .split(" id=")
            .skip(1)
            .map(|rest| rest[1..].split(['"', '\'']).next().unwrap())
            .collect();
        let distinct: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
        assert_eq!(ids.len(), distinct.len(), "{}: a name is defined twice", scene.name);
        if update() {
            let file = gallery().join(format!("{}.png", scene.name));
            std::fs::write(file, raster::draw(&scene.svg).unwrap().png().unwrap()).unwrap();
        }
        let bare = raster::draw(&without_text(&scene.svg)).unwrap();
        for (i, a) in words.iter().enumerate() {
            let outside = a.at.left() < -1.0
                || a.at.top() < -1.0
                || a.at.right() > width + 1.0
                || a.at.bottom() > height + 1.0;
            // Text beside a board that is drawn alone is outside the picture.
            let hidden =
                a.at.right() < 0.0 || a.at.bottom() < 0.0 || a.at.left() > width || a.at.top() > height;
            if hidden {
                continue;
            }
            if outside {
                wrong.push(format!("{}: {:?} is cut off", scene.name, a.text));
            }
            // Marks cover the cells below them on purpose; only their own text must be legible.
            let marked = ["-weights-", "-legal-"].iter().any(|kind| scene.name.contains(kind));
            if marked && !a.text.ends_with('%') {
                continue;
            }
            let seen = contrast(a.colour, ground(&bare, a.at));
            if seen < 4.5 {
                wrong.push(format!("{}: {:?} has a contrast of {seen:.2}", scene.name, a.text));
            }
            for b in words[..i].iter().filter(|b| overlap(a.at, b.at)) {
                wrong.push(format!("{}: {:?} lies on {:?}", scene.name, a.text, b.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

/// The last move is marked in colours that differ from every background.
#[test]
fn the_last_move_shows_on_every_ground() {
    // Small pictures, except for the game with cells that would have only 9 pixels.
    let small = 360;
    let sizes = [
        ("smallworld", small),
        ("chess", small),
        ("tilewe", small),
        ("starwars_risk", small),
        ("empires", View::SIZE),
    ];
    for (id, size) in sizes {
        for theme in [Theme::Light, Theme::Dark] {
            let view = View { theme, board_only: true, size: Some(size), ..View::default() };
            let mut seen = 0;
            for steps in 1..40 {
                let game = scenes::played(id, &[], "random", steps);
                let fresh = games::find(id).unwrap().make(scenes::NO_OPTIONS).unwrap();
                let fresh = fresh.single_from_position(&game.position(), 0).unwrap();
                let marked = raster::draw(&game.to_svg(view).unwrap()).unwrap();
                let plain = raster::draw(&fresh.to_svg(view).unwrap()).unwrap();
                let differ = marked.rgb.iter().zip(&plain.rgb).filter(|(a, b)| a != b).count();
                let pixels = marked.rgb.chunks_exact(3).zip(plain.rgb.chunks_exact(3));
                let strong =
                    pixels.filter(|(a, b)| contrast([a[0], a[1], a[2]], [b[0], b[1], b[2]]) >= 3.0).count();
                // Not every step refers to a place of the board.
                if differ >= 60 {
                    assert!(strong >= 30, "{id}, step {steps}: only {strong} pixels of the mark stand out");
                    seen += 1;
                }
            }
            assert!(seen >= 5, "{id}: {seen} steps of 39 are marked");
        }
    }
}
