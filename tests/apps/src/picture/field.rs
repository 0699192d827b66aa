//! A field of numbers over rows and columns, as an image with axes and a colour scale.

use std::path::Path;

use oxshmem_core::{Error, ErrorKind, Result};

use super::canvas::{Anchor, Canvas, INK, PAPER, text_width};
use super::colour::{Limits, ticks, viridis};
use super::reduce::area_average;

pub(super) const TITLE: i32 = 20;
pub(super) const LABEL: i32 = 15;
pub(super) const TICK: i32 = 6;
pub(super) const GAP: i32 = 14;
pub(super) const SCALE_WIDTH: i32 = 26;
/// The longer side of the image, and the least length of the other one, in pixels.
const LONG: f64 = 900.0;
const SHORT: f64 = 260.0;

/// A field to draw: `values` are indexed by row, then column, and row 0 is drawn on top.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    /// The values; NaNs are drawn in grey.
    pub values: &'a [f32],
    /// Columns.
    pub nx: usize,
    /// Rows.
    pub ny: usize,
    /// The line above the image.
    pub title: &'a str,
    /// The meaning of the values, with their unit; written beside the colour scale.
    pub caption: &'a str,
    /// Rows where one PE's slab ends and the next one's begins, rising.
    pub borders: &'a [usize],
    /// The text for each PE's slab; "PE k" if this is empty.
    pub labels: &'a [String],
}

impl Field<'_> {
    fn check(&self) -> Result<()> {
        let refuse = |kind, reason: String| {
            Err(Error::new(kind, format!("draw a field of {} x {} values", self.nx, self.ny)).because(reason))
        };
        if self.nx == 0 || self.ny == 0 {
            return refuse(ErrorKind::InvalidArgument, "there is nothing in it".into());
        }
        if self.nx.checked_mul(self.ny) != Some(self.values.len()) {
            return refuse(ErrorKind::Mismatch, format!("there are {} values", self.values.len()));
        }
        if !self.borders.is_sorted() || self.borders.last().is_some_and(|last| *last > self.ny) {
            let reason = format!("the borders {:?} must rise and not pass row {}", self.borders, self.ny);
            return refuse(ErrorKind::OutOfRange, reason);
        }
        if !self.labels.is_empty() && self.labels.len() != self.borders.len() + 1 {
            let reason = format!("{} labels for {} slabs", self.labels.len(), self.borders.len() + 1);
            return refuse(ErrorKind::Mismatch, reason);
        }
        Ok(())
    }

    /// Returns each slab's rows and its label, without the slabs that have no row.
    fn slabs(&self) -> Vec<(usize, usize, String)> {
        let ends = self.borders.iter().copied().chain([self.ny]);
        let starts = [0].into_iter().chain(self.borders.iter().copied());
        let label = |pe: usize| self.labels.get(pe).cloned().unwrap_or_else(|| format!("PE {pe}"));
        starts
            .zip(ends)
            .enumerate()
            .map(|(pe, (from, to))| (from, to, label(pe)))
            .filter(|slab| slab.0 < slab.1)
            .collect()
    }
}

/// Draws the field to a PNG file; one larger than the picture is averaged over the area of each pixel.
///
/// # Errors
///
/// [`ErrorKind::InvalidArgument`], [`ErrorKind::Mismatch`] or [`ErrorKind::OutOfRange`] if the field or the limits
/// don't fit together; [`ErrorKind::NotFound`] or [`ErrorKind::System`] if the file can't be written.
pub fn field_png(path: impl AsRef<Path>, field: &Field<'_>, limits: Limits) -> Result<()> {
    field.check()?;
    let (width, height) = image_size(field.nx, field.ny);
    let reduced = area_average(field.values, field.nx, field.ny, (width as usize, height as usize));
    let (low, high) = limits.of(&reduced.values)?;

    let rows = ticks(0.0, field.ny as f64, (height / 90) as usize);
    let columns = ticks(0.0, field.nx as f64, (width / 110) as usize);
    let values = ticks(low, high, (height / 80) as usize);
    let slabs = field.slabs();
    let widest =
        |texts: &mut dyn Iterator<Item = &String>| texts.map(|text| text_width(text, LABEL)).max().unwrap_or(0);

    let left = GAP + LABEL + GAP + widest(&mut rows.iter().map(|tick| &tick.1)) + TICK + 4;
    let top = GAP + TITLE + GAP + LABEL / 2;
    let labels = if slabs.len() > 1 { widest(&mut slabs.iter().map(|slab| &slab.2)) + GAP } else { 0 };
    let scale = left + width + GAP + labels + GAP;
    let caption = scale + SCALE_WIDTH + TICK + 4 + widest(&mut values.iter().map(|tick| &tick.1)) + GAP + LABEL / 2;
    let whole_width = (caption + LABEL / 2 + GAP).max(text_width(field.title, TITLE) + 2 * GAP);
    let bottom = top + height;
    let mut canvas = Canvas::new(whole_width, bottom + TICK + 4 + LABEL + GAP / 2 + LABEL + GAP);

    canvas.text(field.title, TITLE, (whole_width / 2, GAP + TITLE / 2), Anchor::Middle);
    let share = |value: f64| (value - low) / (high - low);
    for y in 0..height {
        for x in 0..width {
            let (row, column) = (y as usize * reduced.ny / height as usize, x as usize * reduced.nx / width as usize);
            let value = reduced.values[row * reduced.nx + column];
            let colour = if value.is_nan() { [0x9a; 3] } else { viridis(share(value)) };
            canvas.set(left + x, top + y, colour);
        }
    }
    let y_of = |row: f64| top + (row / field.ny as f64 * f64::from(height)).round() as i32;
    draw_slabs(&mut canvas, &slabs, y_of, (left, width));
    canvas.frame((left, top), (width, height));

    for (row, text) in &rows {
        let y = y_of(*row).min(bottom - 1);
        canvas.line((left - 1 - TICK, y), (left - 1, y), INK);
        canvas.text(text, LABEL, (left - 1 - TICK - 4, y), Anchor::Right);
    }
    for (column, text) in &columns {
        let x = (left + (column / field.nx as f64 * f64::from(width)).round() as i32).min(left + width - 1);
        canvas.line((x, bottom), (x, bottom + TICK), INK);
        canvas.text(text, LABEL, (x, bottom + TICK + 4 + LABEL / 2), Anchor::Middle);
    }
    canvas.text("row", LABEL, (GAP + LABEL / 2, top + height / 2), Anchor::Upward);
    let below = bottom + TICK + 4 + LABEL + GAP / 2 + LABEL / 2;
    canvas.text("column", LABEL, (left + width / 2, below), Anchor::Middle);

    draw_scale(&mut canvas, (scale, top), height, viridis, &values, share);
    canvas.text(field.caption, LABEL, (caption, top + height / 2), Anchor::Upward);
    canvas.write(path.as_ref())
}

/// Returns the image's size in pixels: of the field's shape, and not too thin to be seen.
fn image_size(nx: usize, ny: usize) -> (i32, i32) {
    let longest = nx.max(ny) as f64;
    let side = |cells: usize| (cells as f64 / longest * LONG).max(SHORT).round() as i32;
    (side(nx), side(ny))
}

/// Draws the ends of slabs, and the label of each slab that has room for one.
fn draw_slabs(
    canvas: &mut Canvas,
    slabs: &[(usize, usize, String)],
    y_of: impl Fn(f64) -> i32,
    (left, width): (i32, i32),
) {
    if slabs.len() < 2 {
        return;
    }
    // Lines closer than this would hide the field; then only the ticks beside it mark the slabs.
    let lines = (y_of(slabs[slabs.len() - 1].1 as f64) - y_of(0.0)) / slabs.len() as i32 >= 8;
    for (from, _, _) in &slabs[1..] {
        let y = y_of(*from as f64);
        if lines {
            canvas.fill((left, y - 1), (width, 1), INK, 0.35);
            canvas.fill((left, y), (width, 1), PAPER, 0.9);
        }
        canvas.line((left + width, y), (left + width + GAP / 2, y), INK);
    }
    let mut free_from = i32::MIN;
    for (from, to, label) in slabs {
        let middle = y_of((from + to) as f64 / 2.0);
        if middle - LABEL / 2 >= free_from {
            canvas.text(label, LABEL, (left + width + GAP, middle), Anchor::Left);
            free_from = middle + LABEL;
        }
    }
}

/// Draws a colour scale with its ticks; `colour` takes a height on the scale (0 to 1), and `share` returns the height
/// of a tick's value.
pub(super) fn draw_scale(
    canvas: &mut Canvas,
    (left, top): (i32, i32),
    height: i32,
    colour: impl Fn(f64) -> super::Rgb,
    ticks: &[(f64, String)],
    share: impl Fn(f64) -> f64,
) {
    let last = f64::from(height - 1);
    for y in 0..height {
        canvas.fill((left, top + y), (SCALE_WIDTH, 1), colour(1.0 - f64::from(y) / last), 1.0);
    }
    canvas.frame((left, top), (SCALE_WIDTH, height));
    for (value, text) in ticks {
        let y = top + ((1.0 - share(*value)) * last).round() as i32;
        canvas.line((left + SCALE_WIDTH, y), (left + SCALE_WIDTH + TICK, y), INK);
        canvas.text(text, LABEL, (left + SCALE_WIDTH + TICK + 4, y), Anchor::Left);
    }
}
