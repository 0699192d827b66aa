//! An image of iteration counts, beside a map of the PE that computed each tile.

use std::path::Path;

use oxshmem_core::{Error, ErrorKind, Result};

use super::canvas::{Anchor, Canvas, Rgb, text_width};
use super::colour::{mix, of_pe, viridis};
use super::field::{GAP, LABEL, SCALE_WIDTH, TICK, TITLE, draw_scale};
use super::reduce::area_average;

/// The longer side of each panel, in pixels.
const LONG: f64 = 640.0;
/// PEs that the legend names one by one.
const NAMED: u32 = 64;
const INSIDE: Rgb = [0x0b, 0x0b, 0x10];
const NOBODY: Rgb = [0xe4, 0xe4, 0xe6];

/// A mosaic to draw: an image of escape iterations, made of square tiles.
#[derive(Clone, Copy, Debug)]
pub struct Mosaic<'a> {
    /// Iterations of each pixel, indexed by row, then column; `limit` means that it did not escape.
    pub counts: &'a [u32],
    /// The fraction to add to each count for colours without steps, in the same order; nothing is added if this is
    /// empty.
    pub fractions: &'a [f32],
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Iterations after which a pixel counts as inside.
    pub limit: u32,
    /// Columns and rows of a tile.
    pub tile: u32,
    /// The PE that computed each tile, counted along rows from the top left; `None` if no PE did.
    pub owners: &'a [Option<u32>],
    /// PEs in the legend.
    pub n_pes: u32,
    /// The line above the panels.
    pub title: &'a str,
}

impl Mosaic<'_> {
    fn check(&self) -> Result<()> {
        let refuse = |kind, reason: String| {
            Err(Error::new(kind, format!("draw an image of {} x {} pixels", self.width, self.height)).because(reason))
        };
        if self.width == 0 || self.height == 0 || self.tile == 0 {
            return refuse(ErrorKind::InvalidArgument, format!("there is nothing in it, in tiles of {}", self.tile));
        }
        if self.counts.len() as u64 != u64::from(self.width) * u64::from(self.height) {
            return refuse(ErrorKind::Mismatch, format!("there are {} iteration counts", self.counts.len()));
        }
        if !self.fractions.is_empty() && self.fractions.len() != self.counts.len() {
            let reason = format!("{} fractions for {} iteration counts", self.fractions.len(), self.counts.len());
            return refuse(ErrorKind::Mismatch, reason);
        }
        let tiles = u64::from(self.tile_columns()) * u64::from(self.height.div_ceil(self.tile));
        if self.owners.len() as u64 != tiles {
            return refuse(ErrorKind::Mismatch, format!("there are owners for {} of {tiles} tiles", self.owners.len()));
        }
        if let Some(stranger) = self.owners.iter().flatten().find(|owner| **owner >= self.n_pes) {
            let reason = format!("a tile is of PE {stranger}, and there are {} PEs", self.n_pes);
            return refuse(ErrorKind::OutOfRange, reason);
        }
        Ok(())
    }

    fn tile_columns(&self) -> u32 {
        self.width.div_ceil(self.tile)
    }

    /// Returns the iterations of a pixel with its fraction, or `None` if it did not escape.
    fn escaped(&self, at: usize) -> Option<f64> {
        let fraction = self.fractions.get(at).copied().unwrap_or(0.0);
        let iterations = f64::from(self.counts[at]) + f64::from(fraction);
        // Far outside the set, iterations plus fraction may be zero or less, which has no logarithm.
        (self.counts[at] < self.limit).then_some(iterations.max(0.5))
    }

    fn owner(&self, row: u32, column: u32) -> Option<u32> {
        self.owners[(row / self.tile * self.tile_columns() + column / self.tile) as usize]
    }

    /// Returns the legend: each entry's colour and text.
    fn legend(&self) -> Vec<(Rgb, String)> {
        let tiles_of = |owner: Option<u32>| self.owners.iter().filter(|other| **other == owner).count();
        let entry = |name: String, tiles: usize| {
            let share = tiles as f64 / self.owners.len() as f64 * 100.0;
            format!("{name}: {tiles} {} ({share:.1} %)", if tiles == 1 { "tile" } else { "tiles" })
        };
        let named = self.n_pes.min(NAMED);
        let mut legend: Vec<_> =
            (0..named).map(|pe| (of_pe(pe), entry(format!("PE {pe}"), tiles_of(Some(pe))))).collect();
        if named < self.n_pes {
            let tiles = self.owners.iter().flatten().filter(|owner| **owner >= named).count();
            legend.push((NOBODY, entry(format!("PEs {named} to {}", self.n_pes - 1), tiles)));
        }
        if tiles_of(None) > 0 {
            legend.push((NOBODY, entry("nobody".into(), tiles_of(None))));
        }
        if self.counts.iter().any(|count| *count >= self.limit) {
            legend.push((INSIDE, format!("not escaped after {} iterations", self.limit)));
        }
        legend
    }
}

/// A scale of iteration counts: logarithmic, since half of all pixels escape within a few iterations.
struct Iterations {
    low: f64,
    high: f64,
}

impl Iterations {
    /// Returns the scale from the fewest iterations to nearly the most. The few pixels beside the set that took more
    /// have the colour of its upper end, which leaves contrast for the others.
    fn of(mosaic: &Mosaic<'_>) -> Self {
        let mut escaped: Vec<_> = (0..mosaic.counts.len()).filter_map(|at| mosaic.escaped(at)).collect();
        if escaped.is_empty() {
            return Self { low: 1.0, high: 2.0 };
        }
        let low = escaped.iter().copied().fold(f64::INFINITY, f64::min);
        let nearly_all = (escaped.len() - 1) * 995 / 1000;
        let (_, high, _) = escaped.select_nth_unstable_by(nearly_all, f64::total_cmp);
        Self { low, high: high.max(low + 1.0) }
    }

    fn share(&self, count: f64) -> f64 {
        (count.max(self.low) / self.low).ln() / (self.high / self.low).ln()
    }

    /// Returns 1, 2 and 5 times the powers of ten.
    fn ticks(&self) -> Vec<(f64, String)> {
        (0..10)
            .flat_map(|power| [1u64, 2, 5].map(|times| times * 10u64.pow(power)))
            .filter(|value| (self.low..=self.high).contains(&(*value as f64)))
            .map(|value| (value as f64, value.to_string()))
            .collect()
    }
}

/// Draws the counts and, beside them, the PE of each tile, to a PNG file.
///
/// # Errors
///
/// [`ErrorKind::InvalidArgument`], [`ErrorKind::Mismatch`] or [`ErrorKind::OutOfRange`] if the parts of the mosaic
/// don't fit together; [`ErrorKind::NotFound`] or [`ErrorKind::System`] if the file can't be written.
pub fn image_png(path: impl AsRef<Path>, mosaic: &Mosaic<'_>) -> Result<()> {
    mosaic.check()?;
    let longest = f64::from(mosaic.width.max(mosaic.height));
    let side = |pixels: u32| (f64::from(pixels) / longest * LONG).max(200.0).round() as i32;
    let (width, height) = (side(mosaic.width), side(mosaic.height));
    let iterations = Iterations::of(mosaic);
    let ticks = iterations.ticks();

    let top = GAP + TITLE + GAP + LABEL + GAP / 2;
    let scale = GAP + width + GAP;
    let ticks_wide = ticks.iter().map(|(_, text)| text_width(text, LABEL)).max().unwrap_or(0);
    let second = scale + SCALE_WIDTH + TICK + 4 + ticks_wide + 2 * GAP;
    let whole_width = (second + width + GAP).max(text_width(mosaic.title, TITLE) + 2 * GAP);

    let legend = mosaic.legend();
    let entry_width =
        LABEL + GAP / 2 + legend.iter().map(|(_, text)| text_width(text, LABEL)).max().unwrap_or(0) + 2 * GAP;
    let across = ((whole_width - GAP) / entry_width).max(1);
    let line = LABEL + GAP / 2;
    let legend_top = top + height + GAP;
    let lines = (legend.len() as i32 + across - 1) / across;
    let mut canvas = Canvas::new(whole_width, legend_top + lines * line + GAP / 2);

    canvas.text(mosaic.title, TITLE, (whole_width / 2, GAP + TITLE / 2), Anchor::Middle);
    let heading = top - GAP / 2 - LABEL / 2;
    canvas.text("iterations until escape", LABEL, (GAP + width / 2, heading), Anchor::Middle);
    canvas.text("who computed which tile", LABEL, (second + width / 2, heading), Anchor::Middle);

    let share = |at| mosaic.escaped(at).map(|taken| iterations.share(taken).min(1.0));
    paint(&mut canvas, (GAP, top), (width, height), mosaic, |at, _| share(at).map_or(INSIDE, viridis));
    draw_scale(&mut canvas, (scale, top), height, viridis, &ticks, |count| iterations.share(count));
    paint(&mut canvas, (second, top), (width, height), mosaic, |at, owner| {
        let colour = owner.filter(|pe| *pe < NAMED).map_or(NOBODY, of_pe);
        // The set shines through, so that a tile can be found in the other panel.
        mix(colour, INSIDE, share(at).map_or(0.55, |share| 0.35 * share))
    });

    for (at, (colour, text)) in legend.iter().enumerate() {
        let (x, y) = (GAP + at as i32 % across * entry_width, legend_top + at as i32 / across * line);
        canvas.fill((x, y), (LABEL, LABEL), *colour, 1.0);
        canvas.text(text, LABEL, (x + LABEL + GAP / 2, y + LABEL / 2), Anchor::Left);
    }
    canvas.write(path.as_ref())
}

/// Paints the image's pixels, each in the colour for its index and owner, into `width` by `height` pixels of the
/// picture, averaging colours where it is larger.
fn paint(
    canvas: &mut Canvas,
    (left, top): (i32, i32),
    (width, height): (i32, i32),
    mosaic: &Mosaic<'_>,
    colour: impl Fn(usize, Option<u32>) -> Rgb,
) {
    let (nx, ny) = (mosaic.width as usize, mosaic.height as usize);
    let channels = [0, 1, 2].map(|channel| {
        let plane: Vec<f32> = (0..mosaic.height)
            .flat_map(|row| (0..mosaic.width).map(move |column| (row, column)))
            .enumerate()
            .map(|(at, (row, column))| f32::from(colour(at, mosaic.owner(row, column))[channel]))
            .collect();
        area_average(&plane, nx, ny, (width as usize, height as usize))
    });
    for y in 0..height {
        for x in 0..width {
            let row = y as usize * channels[0].ny / height as usize;
            let column = x as usize * channels[0].nx / width as usize;
            let at = row * channels[0].nx + column;
            canvas.set(left + x, top + y, [0, 1, 2].map(|channel| channels[channel].values[at].round() as u8));
        }
    }
    canvas.frame((left, top), (width, height));
}
