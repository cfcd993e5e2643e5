//! Measurements as SVG plots.

use plotters::chart::MeshStyle;
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use plotters::series::DashedLineSeries;

use ludovec::engine::Theme;
use ludovec::engine::escape::escape_hidden;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
/// An error of the crate plotters. Since the plots are written to strings, its only cause is a range of numbers
/// that plotters cannot divide into ticks.
type PlotError = Box<dyn std::error::Error>;

const SIZE: (u32, u32) = (640, 400);
const FONT: &str = "Arial, Helvetica, sans-serif";

/// The colours of series, as in `ludovec.plots`. They have a contrast of 3:1 and more against both themes.
const COLOURS: [&str; 8] =
    ["#5f7cf0", "#c9507f", "#2e8b3d", "#c77700", "#9a5bb5", "#148a97", "#a0713a", "#7d7d7d"];

/// The words of a plot.
#[derive(Debug, Clone, Copy)]
pub struct Labels<'a> {
    /// The title.
    pub title: &'a str,
    /// The quantity along the horizontal axis, with its unit.
    pub x: &'a str,
    /// The quantity along the vertical axis, with its unit.
    pub y: &'a str,
}

/// A named curve through points.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Its points from left to right.
    pub points: Vec<(f64, f64)>,
}

/// A named bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Its name, below it.
    pub name: String,
    /// Its end; it begins at 0.
    pub value: f64,
    /// The ends of the error bar.
    pub interval: Option<[f64; 2]>,
}

/// Curves over an axis of powers, from 0 up; empty ones are left out.
#[must_use]
pub fn curves(labels: Labels<'_>, curves: &[Curve], theme: Theme) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points).copied();
    let (low, high) = range(points().map(|(x, _)| x));
    let (_, top) = range(points().map(|(_, y)| y));
    drawn(theme, |area, ink| {
        let mut chart = framed(area, labels, ink)
            .build_cartesian_2d((low.max(1.0)..high.max(low + 1.0)).log_scale(), 0.0..top.max(1e-9) * 1.06)?;
        mesh(&mut chart.configure_mesh(), labels, ink)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .draw()?;
        for (i, curve) in curves.iter().enumerate() {
            let style = colour(i).stroke_width(2);
            let points = || curve.points.iter().copied();
            chart
                .draw_series(LineSeries::new(points(), style))?
                .label(&curve.name)
                .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 14, y)], style));
            chart.draw_series(points().map(|point| Circle::new(point, 3, colour(i).filled())))?;
        }
        if curves.len() > 1 {
            let mut legend = chart.configure_series_labels();
            legend.position(SeriesLabelPosition::LowerRight).label_font((FONT, 13).into_font().color(&ink));
            legend.draw()?;
        }
        Ok(())
    })
}

/// Bars below each other in one colour, with error bars where there are intervals and a dashed line at `reference`. The
/// drawing is as high as their number asks for.
#[must_use]
pub fn bars(labels: Labels<'_>, bars: &[Bar], reference: Option<f64>, theme: Theme) -> String {
    let count = bars.len().max(1);
    let ends = bars.iter().flat_map(|bar| bar.interval.into_iter().flatten().chain([0.0, bar.value]));
    let (low, high) = range(ends.chain(reference));
    let room = (high - low).max(1e-9) * 0.06;
    let left = if low < 0.0 { low - room } else { 0.0 };
    let name = |y: &f64| {
        let i = y.round();
        let bar = bars.get(i as usize).filter(|_| (y - i).abs() < 0.1 && i >= 0.0);
        bar.map_or(String::new(), |bar| shortened(&bar.name))
    };
    let longest = bars.iter().map(|bar| shortened(&bar.name).chars().count()).max().unwrap_or(0) as u32;
    let bottom = count as f64 - 0.5;
    drawn_in((SIZE.0, 110 + 28 * count as u32), theme, |area, ink| {
        let mut chart = framed(area, labels, ink)
            .y_label_area_size(40 + 8 * longest)
            .build_cartesian_2d(left..high + room, bottom..-0.5)?;
        mesh(&mut chart.configure_mesh(), labels, ink)
            .disable_y_mesh()
            .y_labels(2 * count + 1)
            .y_label_formatter(&name)
            .x_label_formatter(&|x| short(*x))
            .draw()?;
        for (i, bar) in bars.iter().enumerate() {
            let y = i as f64;
            chart.draw_series([Rectangle::new(
                [(0.0, y - 0.32), (bar.value, y + 0.32)],
                colour(0).filled(),
            )])?;
            if let Some([from, to]) = bar.interval {
                chart.draw_series([ErrorBar::new_horizontal(
                    y,
                    from,
                    bar.value,
                    to,
                    ink.stroke_width(2),
                    10,
                )])?;
            }
        }
        if let Some(x) = reference {
            let line = [(x, -0.5), (x, bottom)];
            chart.draw_series(DashedLineSeries::new(line, 5, 4, ink.stroke_width(1)))?;
        }
        Ok(())
    })
}

/// A name, shortened to leave space for a plot beside it.
fn shortened(name: &str) -> String {
    const MOST: usize = 28;
    let name = &escape_hidden(name);
    match name.chars().count() > MOST {
        true => name.chars().take(MOST - 3).chain("...".chars()).collect(),
        false => name.clone(),
    }
}

/// A histogram: `counts[i]` is the number of values in the bin from `start + i * width` on.
#[must_use]
pub fn histogram(labels: Labels<'_>, start: f64, width: f64, counts: &[u64], theme: Theme) -> String {
    let end = start + width * counts.len().max(1) as f64;
    let top = counts.iter().max().copied().unwrap_or(0).max(1) as f64;
    drawn(theme, |area, ink| {
        let mut chart = framed(area, labels, ink).build_cartesian_2d(start..end, 0.0..top * 1.06)?;
        mesh(&mut chart.configure_mesh(), labels, ink)
            .x_label_formatter(&|x| short(*x))
            .y_label_formatter(&|y| short(*y))
            .draw()?;
        chart.draw_series(counts.iter().enumerate().map(|(i, &count)| {
            let left = start + i as f64 * width;
            Rectangle::new([(left, 0.0), (left + width * 0.92, count as f64)], colour(0).filled())
        }))?;
        Ok(())
    })
}

/// Sets up the paper and draws on it.
fn drawn(theme: Theme, draw: impl FnOnce(&Area<'_>, RGBColor) -> Result<(), PlotError>) -> String {
    drawn_in(SIZE, theme, draw)
}

/// The same on paper of a given size.
fn drawn_in(
    size: (u32, u32),
    theme: Theme,
    draw: impl FnOnce(&Area<'_>, RGBColor) -> Result<(), PlotError>,
) -> String {
    let (paper, ink) =
        theme.pick((WHITE, RGBColor(34, 34, 34)), (RGBColor(24, 25, 28), RGBColor(230, 230, 230)));
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    area.fill(&paper)
        .map_err(PlotError::from)
        .and_then(|()| draw(&area, ink))
        .expect("the ranges are finite");
    area.present().expect("a String takes everything");
    drop(area);
    svg
}

fn framed<'a, 'b>(
    area: &'a Area<'b>,
    labels: Labels<'_>,
    ink: RGBColor,
) -> ChartBuilder<'a, 'b, SVGBackend<'b>> {
    let mut chart = ChartBuilder::on(area);
    chart
        .caption(labels.title, (FONT, 17).into_font().color(&ink))
        .margin(14)
        .x_label_area_size(44)
        .y_label_area_size(64);
    chart
}

/// The axes in the colours of the theme.
fn mesh<'m, 'a, 'b, 'c, X, Y>(
    mesh: &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'c>>,
    labels: Labels<'_>,
    ink: RGBColor,
) -> &'m mut MeshStyle<'a, 'b, X, Y, SVGBackend<'c>>
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    mesh.x_desc(labels.x)
        .y_desc(labels.y)
        .axis_style(ink)
        .bold_line_style(ink.mix(0.15))
        .light_line_style(TRANSPARENT)
        .label_style((FONT, 13).into_font().color(&ink))
        .axis_desc_style((FONT, 14).into_font().color(&ink))
}

/// The colour of series `i`.
fn colour(i: usize) -> RGBColor {
    let text = COLOURS[i % COLOURS.len()];
    let part =
        |at: usize| u8::from_str_radix(&text[at..at + 2], 16).expect("a colour is six hexadecimal digits");
    RGBColor(part(1), part(3), part(5))
}

/// Minimum and maximum of the numbers that are small enough for plotters to divide into ticks; 0 and 0 if there are
/// none.
fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let ends = |ends: Option<(f64, f64)>, x: f64| Some(ends.map_or((x, x), |(a, b)| (a.min(x), b.max(x))));
    numbers.filter(|x| x.abs() < 1e100).fold(None, ends).unwrap_or((0.0, 0.0))
}

/// A number of at most four digits with a unit prefix: 1.5 M.
fn short(number: f64) -> String {
    let (scaled, unit) = match number.abs() {
        x if x >= 1e9 => (number / 1e9, " G"),
        x if x >= 1e6 => (number / 1e6, " M"),
        x if x >= 1e4 => (number / 1e3, " k"),
        _ => (number, ""),
    };
    let text = format!("{scaled:.2}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELS: Labels<'static> = Labels { title: "a title & more", x: "games", y: "steps/s" };

    #[test]
    fn plots_show_their_words_and_numbers_in_either_theme() {
        for theme in [Theme::Light, Theme::Dark] {
            let points = vec![(1.0, 2e6), (16.0, 3e6), (4096.0, 5e6)];
            let two =
                ["one thread", "two threads"].map(|name| Curve { name: name.into(), points: points.clone() });
            let bar = |name: &str, value| {
                let interval = Some([value - 25.0, value + 25.0]);
                Bar { name: name.into(), value, interval }
            };
            let plots = [
                (curves(LABELS, &two, theme), "two threads"),
                (bars(LABELS, &[bar("random", -200.0), bar("greedy", 200.0)], Some(0.0), theme), "greedy"),
                (histogram(LABELS, 10.0, 5.0, &[1, 8, 3], theme), "games"),
            ];
            for (svg, word) in plots {
                assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
                assert!(svg.contains("a title &amp; more") && svg.contains(word), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn nothing_measured_is_an_empty_plot() {
        let nan = Curve { name: "nan".into(), points: vec![(f64::NAN, f64::NAN)] };
        for svg in [
            curves(LABELS, &[], Theme::Light),
            curves(LABELS, &[nan], Theme::Light),
            bars(LABELS, &[], None, Theme::Light),
            histogram(LABELS, 0.0, 1.0, &[], Theme::Light),
        ] {
            assert!(svg.contains("a title"));
        }
    }

    /// The places of the text elements with one of `words`: x, y, characters.
    fn places(svg: &str, words: &[String]) -> Vec<(f64, f64, usize)> {
        let number = |element: &str, name: &str| {
            let value = element.split_once(&format!(" {name}=\"")).unwrap().1.split_once('"').unwrap().0;
            value.parse::<f64>().unwrap()
        };
        let texts = svg
            .split("<text")
            .skip(1)
            .filter(|text| words.iter().any(|w| text.contains(&format!("\n{w}\n"))));
        texts.map(|text| (number(text, "x"), number(text, "y"), words[0].len())).collect()
    }

    #[test]
    fn the_names_of_many_bars_do_not_touch() {
        for count in [1, 2, 7, 40] {
            let names: Vec<String> = (0..count).map(|i| format!("search:{}", 1000 + i)).collect();
            let bar = |(i, name): (usize, &String)| Bar {
                name: name.clone(),
                value: i as f64,
                interval: Some([i as f64 - 0.5, i as f64 + 0.5]),
            };
            let bars_of = names.iter().enumerate().map(bar).collect::<Vec<_>>();
            let svg = bars(LABELS, &bars_of, Some(1.0), Theme::Light);
            let mut at = places(&svg, &names);
            assert_eq!(at.len(), count, "{svg}");
            at.sort_by(|a, b| a.1.total_cmp(&b.1));
            // A line of 13 pixels plus spacing.
            assert!(at.windows(2).all(|pair| pair[1].1 - pair[0].1 >= 18.0), "{at:?}");
            assert!(at.iter().all(|(x, _, characters)| x - 7.0 * *characters as f64 > 14.0), "{at:?}");
        }
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 0.25, 7.0, 950.0, 12_000.0, 2_500_000.0, 3e9, -4.5].map(short);
        assert_eq!(shown, ["0", "0.25", "7", "950", "12 k", "2.5 M", "3 G", "-4.5"]);
    }
}
