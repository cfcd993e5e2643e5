//! Rasterization of drawings, always with the fonts in `assets/fonts/`, independent of the system's fonts.
//!
//! ```
//! let game = ludovec_games::find("tilewe")?.make([("players", 2.into())])?.single(0);
//! let picture = ludovec_raster::draw(&game.to_svg(Default::default())?)?;
//! assert_eq!(picture.width.max(picture.height), ludovec_engine::View::SIZE);
//! let png = picture.png()?;
//! # Ok::<(), ludovec_engine::Error>(())
//! ```

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb::Database};

use ludovec_engine::{Error, Result, memory};

/// Name of a picture's memory in error messages.
const WHAT: &str = "the pixels of a drawing";
/// Upper bounds above all measurements: bytes of a document's shapes per byte of its text, and bytes of the fonts.
const TREE_BYTES: usize = 32;
const FONT_BYTES: usize = 16 << 20;
/// The only font family.
const FAMILY: &str = "Ludovec Sans";

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(ludovec_assets::fonts::REGULAR.to_vec());
    fonts.load_font_data(ludovec_assets::fonts::BOLD.to_vec());
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
    Arc::new(fonts)
});

/// A picture of pixels, row by row from the top.
#[derive(Debug, Clone, PartialEq)]
pub struct Pixels {
    /// Number of pixels per row.
    pub width: u32,
    /// Number of rows.
    pub height: u32,
    /// Red, green and blue of each pixel, 0 to 255.
    pub rgb: Vec<u8>,
}

/// Options of the SVG parser, with the fonts of this module.
pub fn options() -> Options<'static> {
    Options { fontdb: FONTS.clone(), font_family: FAMILY.into(), ..Options::default() }
}

/// Renders an SVG document at its own width and height, on white.
///
/// # Errors
/// [`Error::InvalidState`] if the text is not an SVG document, [`Error::OutOfMemory`].
pub fn draw(svg: &str) -> Result<Pixels> {
    let tree = read(svg)?;
    let size = tree.size().to_int_size();
    paint(&tree, size.width(), size.height())
}

/// Renders the drawing as large as fits into this many pixels (at least 1 by 1), centred.
///
/// # Errors
/// As for [`draw`].
pub fn draw_within(svg: &str, width: u32, height: u32) -> Result<Pixels> {
    paint(&read(svg)?, width, height)
}

fn read(svg: &str) -> Result<Tree> {
    memory::check(TREE_BYTES.saturating_mul(svg.len()).saturating_add(FONT_BYTES), WHAT)?;
    Tree::from_str(svg, &options()).map_err(|error| Error::state(format!("drawing: {error}")))
}

fn paint(tree: &Tree, width: u32, height: u32) -> Result<Pixels> {
    memory::check(pixel_bytes(width, height), WHAT)?;
    let (own_width, own_height) = (tree.size().width(), tree.size().height());
    let mut pixmap = Pixmap::new(width.max(1), height.max(1)).expect("a picture has pixels");
    pixmap.fill(Color::WHITE);
    let (mut across, mut down) = (width as f32 / own_width, height as f32 / own_height);
    let scale = across.min(down);
    let margins = [width as f32 - own_width * scale, height as f32 - own_height * scale];
    // A margin of less than two pixels is a rounding error: the drawing is stretched to cover it.
    let [left, top] = margins.map(|margin| if margin < 2.0 { 0.0 } else { margin / 2.0 });
    if left + top > 0.0 {
        (across, down) = (scale, scale);
    }
    resvg::render(tree, Transform::from_row(across, 0.0, 0.0, down, left, top), &mut pixmap.as_mut());
    let rgb = pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect();
    Ok(Pixels { width: width.max(1), height: height.max(1), rgb })
}

/// Peak memory of a picture in bytes: pixels, layers of the same size, colours, the encoded file.
fn pixel_bytes(width: u32, height: u32) -> usize {
    (width as usize).saturating_mul(height as usize).saturating_mul(16)
}

impl Pixels {
    /// The picture as a PNG file.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn png(&self) -> Result<Vec<u8>> {
        memory::check(pixel_bytes(self.width, self.height), WHAT)?;
        let mut pixmap = Pixmap::new(self.width, self.height).expect("a picture has pixels");
        for (to, from) in pixmap.data_mut().chunks_exact_mut(4).zip(self.rgb.chunks_exact(3)) {
            to.copy_from_slice(&[from[0], from[1], from[2], 255]);
        }
        Ok(pixmap.encode_png().expect("a picture of this size is a PNG file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: &str = "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2' viewBox='0 0 4 2'>\
                       <rect width='2' height='2' fill='#ff0000'/></svg>";

    #[test]
    fn pixels_match_the_drawing() {
        let picture = draw(RED).unwrap();
        assert_eq!((picture.width, picture.height), (4, 2));
        assert_eq!(picture.rgb[..12], [255, 0, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255]);
        assert_eq!(picture.png().unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
        let larger = draw_within(RED, 8, 8).unwrap();
        let pixel = |x: usize, y: usize| &larger.rgb[3 * (8 * y + x)..][..3];
        assert_eq!((pixel(1, 4), pixel(6, 4), pixel(1, 0)), (&[255, 0, 0][..], &[255; 3][..], &[255; 3][..]));
        assert!(draw("<p>").unwrap_err().to_string().contains("drawing"));
    }

    #[test]
    fn letters_of_any_family_are_drawn() {
        let svg = |text| {
            format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='200' height='20'>\
                 <text y='15' font-family='Georgia, monospace'>{text}</text></svg>"
            )
        };
        let pixels = |text| draw(&svg(text)).unwrap().rgb;
        assert!(pixels("").iter().all(|&part| part == 255));
        // Missing glyphs are drawn as a box.
        let unknown = pixels("\u{e000}");
        for text in ["A", "ß", "Ж", "Ω", "ł", "→", "…"] {
            let drawn = pixels(text);
            assert!(drawn != unknown && drawn.iter().any(|&part| part < 100), "{text}");
        }
    }
}
