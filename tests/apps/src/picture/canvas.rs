//! A picture in progress: pixels, lines and text, and the file to which it is written.

use std::path::Path;
use std::sync::LazyLock;

use ab_glyph::{Font, FontRef, Glyph, OutlinedGlyph, PxScale, ScaleFont, point};
use oxshmem_core::{Error, ErrorKind, Result};
use plotters::backend::{BitMapBackend, DrawingBackend};
use plotters::style::{Color, RGBColor};

use super::colour::mix;

/// Red, green and blue, as the picture file has them (sRGB).
pub type Rgb = [u8; 3];

pub(super) const INK: Rgb = [0x26, 0x26, 0x2b];
pub(super) const PAPER: Rgb = [0xff, 0xff, 0xff];

/// The position of a text relative to its point.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    /// Begins at the point, and is centred on its height.
    Left,
    /// Ends at the point, and is centred on its height.
    Right,
    /// Centred on the point both ways.
    Middle,
    /// As `Middle`, turned to be read from the bottom up.
    Upward,
}

pub(super) struct Canvas {
    pixels: Vec<u8>,
    width: i32,
    height: i32,
}

impl Canvas {
    pub(super) fn new(width: i32, height: i32) -> Self {
        Self { pixels: PAPER.repeat((width * height) as usize), width, height }
    }

    fn with(&mut self, draw: impl FnOnce(&mut BitMapBackend<'_>)) {
        let size = (self.width as u32, self.height as u32);
        draw(&mut BitMapBackend::with_buffer(&mut self.pixels, size));
    }

    fn index(&self, x: i32, y: i32) -> usize {
        assert!((0..self.width).contains(&x) && (0..self.height).contains(&y), "pixel ({x}, {y}) is off the picture");
        ((y * self.width + x) * 3) as usize
    }

    fn get(&self, x: i32, y: i32) -> Rgb {
        let at = self.index(x, y);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    pub(super) fn set(&mut self, x: i32, y: i32, colour: Rgb) {
        let at = self.index(x, y);
        self.pixels[at..at + 3].copy_from_slice(&colour);
    }

    /// Fills `width` by `height` pixels; `opacity` is 0 to 1.
    pub(super) fn fill(&mut self, (x, y): (i32, i32), (width, height): (i32, i32), colour: Rgb, opacity: f64) {
        let style = rgb(colour).mix(opacity);
        // A filled rectangle ends before its second corner. Drawing into memory can't fail.
        self.with(|to| drop(to.draw_rect((x, y), (x + width, y + height), &style, true)));
    }

    /// Draws a line of one pixel from one point to the other, both included.
    pub(super) fn line(&mut self, from: (i32, i32), to: (i32, i32), colour: Rgb) {
        let style = rgb(colour).to_rgba();
        self.with(|backend| drop(backend.draw_line(from, to, &style)));
    }

    /// Draws a frame of one pixel just outside `width` by `height` pixels at `(x, y)`.
    pub(super) fn frame(&mut self, (x, y): (i32, i32), (width, height): (i32, i32)) {
        let style = rgb(INK).to_rgba();
        self.with(|to| drop(to.draw_rect((x - 1, y - 1), (x + width, y + height), &style, false)));
    }

    /// Writes a line of text in letters of `size` pixels.
    ///
    /// The plotting crate's own text ignores the room that a letter has at its left and puts each on a whole pixel,
    /// which tears words apart; so glyphs are set here, at fractions of a pixel.
    pub(super) fn text(&mut self, text: &str, size: i32, (x, y): (i32, i32), anchor: Anchor) {
        let width = text_width(text, size);
        let before = match anchor {
            Anchor::Left => 0,
            Anchor::Right => width,
            Anchor::Middle | Anchor::Upward => width / 2,
        };
        // Digits and capitals, which are about 0.73 of an em high in this font, are centred on the point.
        let baseline = (size as f32 * 0.73 / 2.0).round();
        for glyph in glyphs(text, size, baseline) {
            let bounds = glyph.px_bounds();
            glyph.draw(|column, row, opacity| {
                let along = bounds.min.x as i32 + column as i32 - before;
                let across = bounds.min.y as i32 + row as i32;
                let at = if anchor == Anchor::Upward { (x + across, y - along) } else { (x + along, y + across) };
                self.blend(at, INK, f64::from(opacity));
            });
        }
    }

    fn blend(&mut self, (x, y): (i32, i32), colour: Rgb, opacity: f64) {
        self.set(x, y, mix(self.get(x, y), colour, opacity.min(1.0)));
    }

    /// Returns the picture's bytes as a PNG file.
    fn encode(&self) -> std::result::Result<Vec<u8>, png::EncodingError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header()?.write_image_data(&self.pixels)?;
        Ok(file)
    }

    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let action = || format!("write the picture {}", path.display());
        let file =
            self.encode().map_err(|error| Error::new(ErrorKind::Malformed, action()).because(error.to_string()))?;
        std::fs::write(path, file).map_err(|error| {
            let kind =
                if error.kind() == std::io::ErrorKind::NotFound { ErrorKind::NotFound } else { ErrorKind::System };
            Error::new(kind, action())
                .call("write", error.raw_os_error().unwrap_or(0).into(), error.to_string())
                .hint("name a file in a folder that exists and that you may write to")
        })
    }
}

/// Returns the width of a text of this size in pixels.
pub(super) fn text_width(text: &str, size: i32) -> i32 {
    let font = font().as_scaled(em(size));
    pens(&font, text).last().map_or(0, |(end, _)| end.ceil() as i32)
}

/// Returns the font, which is part of this program.
fn font() -> &'static FontRef<'static> {
    static FONT: LazyLock<FontRef<'static>> = LazyLock::new(|| {
        FontRef::try_from_slice(dejavu::sans::regular()).expect("the font in this program is a TrueType font")
    });
    &FONT
}

/// Returns the scale at which an em of the font has this many pixels: the crate counts from ascender to descender
/// instead.
fn em(size: i32) -> PxScale {
    let height = font().height_unscaled() / font().units_per_em().unwrap_or(2048.0);
    PxScale::from(size as f32 * height)
}

/// Returns the end of each letter, kerning included, and its glyph with its position.
fn pens(font: &impl ScaleFont<&'static FontRef<'static>>, text: &str) -> Vec<(f32, Glyph)> {
    let (mut pen, mut last) = (0.0, None);
    text.chars()
        .map(|letter| {
            let id = font.glyph_id(letter);
            pen += last.replace(id).map_or(0.0, |last| font.kern(last, id));
            let glyph = id.with_scale_and_position(font.scale(), point(pen, 0.0));
            pen += font.h_advance(id);
            (pen, glyph)
        })
        .collect()
}

/// Returns the outlines of a text that begins at 0, with its baseline at this height.
fn glyphs(text: &str, size: i32, baseline: f32) -> Vec<OutlinedGlyph> {
    let font = font().as_scaled(em(size));
    let raised = |mut glyph: Glyph| {
        glyph.position.y = baseline;
        font.outline_glyph(glyph)
    };
    pens(&font, text).into_iter().filter_map(|(_, glyph)| raised(glyph)).collect()
}

fn rgb([red, green, blue]: Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}
