//! The pictures of README.md and the documentation, drawn by the code.

use std::fs;

use ludovec::engine::{SingleGame, Status, Theme, View};
use ludovec::raster;
use ludovec::replay::film::{Pace, animated_svg};
use ludovec_cli::plot::{Bar, Labels, bars};

use crate::scenes::{Options, played};
use crate::{gallery, root, update};

/// Every game at its midpoint, between greedy bots.
fn games() -> Vec<SingleGame> {
    let positions: [(&str, Options, usize); 5] = [
        ("smallworld", &[("map", "board")], 70),
        ("chess", &[], 17),
        ("tilewe", &[], 44),
        ("starwars_risk", &[], 60),
        ("empires", &[("width", "20"), ("height", "20"), ("players", "4")], 700),
    ];
    positions.into_iter().map(|(id, options, steps)| played(id, options, "greedy", steps)).collect()
}

/// Boards of one height in a row.
fn strip(games: &[SingleGame]) -> String {
    const HEIGHT: f64 = 300.0;
    const GAP: f64 = 14.0;
    let mut x = 0.0;
    let mut boards = String::new();
    for (i, game) in games.iter().enumerate() {
        let svg = game.to_svg(View { board_only: true, ..View::default() }).unwrap();
        let number = |name: &str| {
            let (_, rest) = svg.split_once(&format!("{name}=\"")).unwrap();
            rest.split('"').next().unwrap().parse::<f64>().unwrap()
        };
        let width = HEIGHT * number("width") / number("height");
        let mut inner = svg.split_once(" role=\"img\"").unwrap().1.to_string();
        for before in [" id='", " id=\"", "href='#", "href=\"#", "url(#"] {
            inner = inner.replace(before, &format!("{before}board{i}-"));
        }
        let name = game.title().replace('&', "&amp;");
        boards += &format!(
            "<svg x=\"{x:.1}\" y=\"0\" width=\"{width:.1}\" height=\"{HEIGHT}\"{}\
             <text x=\"{:.1}\" y=\"{}\" font-size=\"15\" fill=\"#6b7280\" text-anchor=\"middle\">{}</text>",
            inner.trim_end(),
            x + width / 2.0,
            HEIGHT + 22.0,
            name.split(',').next().unwrap()
        );
        x += width + GAP;
    }
    let width = x - GAP;
    format!(
        "<svg width=\"{width:.0}\" height=\"{h}\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\" \
         viewBox=\"0 0 {width:.1} {h}\" font-family=\"Arial, Helvetica, sans-serif\">\
         <title>Small World, chess, Tilewe, Star Wars Risk and Terminal of Empires</title>{boards}</svg>\n",
        h = HEIGHT + 32.0
    )
}

/// A game between four greedy bots in ten seconds.
fn animation() -> String {
    let mut game = played("tilewe", &[], "greedy", 0);
    let mut drawings = Vec::new();
    let view = View { board_only: true, size: Some(360), ..View::default() };
    loop {
        drawings.push(game.to_svg(view).unwrap());
        if game.status() != Status::Running {
            break;
        }
        game.step(game.bot_action("greedy").unwrap()).unwrap();
    }
    let frames = Pace { fps: 5.0, duration: Some(10.0) }.frames(drawings.len());
    let shown: Vec<_> =
        frames.iter().map(|frame| (drawings[frame.position].clone(), frame.seconds)).collect();
    animated_svg(&shown).unwrap() + "\n"
}

/// The throughput table of a document as a plot: decisions per second with 4,096 games side by side.
fn throughput(document: &str) -> String {
    let mut rows = document
        .lines()
        .skip_while(|line| !line.starts_with("| environment | 256 |"))
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>());
    let column = rows.next().and_then(|heads| heads.iter().position(|head| *head == "4096")).unwrap();
    let bar = |cells: Vec<&str>| Bar {
        name: cells[0].trim_matches('`').into(),
        value: 1e6 * cells[column].split(' ').next().unwrap().parse::<f64>().unwrap(),
        interval: None,
    };
    let bars_of: Vec<Bar> = rows.skip(1).map(bar).collect();
    let labels = Labels { title: "4,096 games side by side, one thread", x: "decisions/s", y: "environment" };
    bars(labels, &bars_of, None, Theme::Light)
}

#[test]
fn the_pictures_of_the_documents_are_current() {
    let games = games();
    let whole = View { size: Some(720), ..View::default() };
    let mut pictures = vec![
        ("README.md".to_string(), "games.svg".to_string(), strip(&games)),
        ("README.md".to_string(), "animation.svg".to_string(), animation()),
    ];
    for game in &games {
        let id = game.game().spec().env;
        let page = format!("docs/environments/{id}.md");
        pictures.push((page, format!("{id}.svg"), game.to_svg(whole).unwrap() + "\n"));
    }
    let page = "docs/figures/engine.md";
    let speeds = fs::read_to_string(root().join(page)).unwrap();
    pictures.push((page.to_string(), "throughput.svg".to_string(), throughput(&speeds)));
    for (page, name, svg) in pictures {
        let file = root().join("docs/pictures").join(&name);
        if update() {
            fs::create_dir_all(root().join("docs/pictures")).unwrap();
            fs::write(&file, &svg).unwrap();
            fs::create_dir_all(gallery()).unwrap();
            let png = raster::draw(&svg).unwrap().png().unwrap();
            fs::write(gallery().join(format!("{name}.png")), png).unwrap();
        }
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(committed == svg, "{} is out of date: `make pictures` rewrites it", file.display());
        let text = fs::read_to_string(root().join(&page)).unwrap();
        assert!(text.contains(&format!("pictures/{name}")), "{page} does not show {name}");
        assert!(svg.len() < 1_500_000, "{name} has {} bytes", svg.len());
    }
}
