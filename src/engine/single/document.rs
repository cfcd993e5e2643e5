//! An SVG drawing as a document: its size in pixels, and a title and description for screen readers.

use crate::contract::show::drawing::escape;

/// Left, top, width and height of the visible area, from the document's `viewBox`.
pub(super) fn view_box(svg: &str) -> Option<[f64; 4]> {
    let (_, rest) = svg.split_once("viewBox=")?;
    let text = rest.get(1..)?.split(['"', '\'']).next()?;
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    <[f64; 4]>::try_from(numbers).ok().filter(|[_, _, width, height]| *width > 0.0 && *height > 0.0)
}

/// Adds sizes, with a longer side of `size` pixels, a title and a description.
pub(super) fn complete(svg: &str, size: u32, title: &str, description: &str) -> String {
    let Some(rest) = svg.strip_prefix("<svg") else { return svg.into() };
    let Some((attributes, body)) = rest.split_once('>') else { return svg.into() };
    let [_, _, width, height] = view_box(svg).unwrap_or([0.0, 0.0, 1.0, 1.0]);
    let scale = f64::from(size) / width.max(height);
    // Sides are not rounded to whole pixels, because this would change the aspect ratio.
    let side = |length: f64| (length * scale * 100.0).round() / 100.0;
    format!(
        "<svg width=\"{}\" height=\"{}\" role=\"img\"{attributes}><title>{}</title><desc>{}</desc>{body}",
        side(width).max(1.0),
        side(height).max(1.0),
        escape(title),
        escape(description)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_has_size_title_and_description() {
        let svg = complete("<svg viewBox='-5 0 20 10' fill='red'><g/></svg>", 300, "A & B", "1 < 2");
        assert_eq!(
            svg,
            "<svg width=\"300\" height=\"150\" role=\"img\" viewBox='-5 0 20 10' fill='red'>\
             <title>A &amp; B</title><desc>1 &lt; 2</desc><g/></svg>"
        );
        assert_eq!(view_box("<svg viewBox=\"0 0 0 5\">"), None);
    }
}
