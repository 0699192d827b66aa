//! Draws one chart as SVG and as PNG. The font is part of the program.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Once;

use anyhow::{Context, Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{KeyPointHint, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::{FontStyle, register_font};

use super::row::in_words;
use super::stats::number;

const FONT: &str = "DejaVu Sans";
/// Pixels of the SVG; the PNG has twice as many in each direction.
const SIZE: (u32, u32) = (900, 540);
const PNG_SCALE: u32 = 2;

const INK: RGBColor = RGBColor(0x26, 0x26, 0x2b);
const GRID: RGBColor = RGBColor(0xdd, 0xdd, 0xe2);
/// The colour of the hand-written kernel.
const LIMIT: RGBColor = RGBColor(0x77, 0x77, 0x80);
/// The colours of ours and of the known peers, the same on every plot, also distinguishable with colour blindness.
const COLOURS: [(&str, RGBColor); 7] = [
    ("oxshmem", RGBColor(0x00, 0x5a, 0xb5)),
    ("nvshmem", RGBColor(0xdc, 0x6a, 0x00)),
    ("nvshmem-tma", RGBColor(0x2a, 0x8a, 0x4a)),
    ("oxshmem-lend", RGBColor(0x8c, 0x4b, 0xb0)),
    ("c", RGBColor(0xb0, 0x2a, 0x4a)),
    ("nccl", RGBColor(0x00, 0x8c, 0x95)),
    ("nccl-symmetric", RGBColor(0x7a, 0x5a, 0x30)),
];
/// The colours of peers whose names are not known, in the order of their lines.
const OTHERS: [RGBColor; 4] =
    [RGBColor(0xe0, 0x5a, 0x9a), RGBColor(0x5a, 0x6a, 0x00), RGBColor(0x4a, 0x90, 0xe2), RGBColor(0x80, 0x30, 0x10)];

/// The contents of a chart.
pub(crate) struct Chart {
    /// The stem of the files' names.
    pub file: String,
    pub title: String,
    /// The device of the measurement.
    pub caption: String,
    /// Whether the horizontal axis is sizes in bytes, and numbers of blocks otherwise.
    pub over_sizes: bool,
    /// The title of the vertical axis.
    pub unit: &'static str,
    /// Whether the vertical axis is logarithmic.
    pub log_figures: bool,
    pub lines: Vec<Line>,
}

/// One peer's line.
pub(crate) struct Line {
    pub name: String,
    pub is_limit: bool,
    /// Pairs of size or blocks, and figure.
    pub points: Vec<(f64, f64)>,
}

/// An axis from `low` to `high` with its marks. A logarithmic axis has logarithms.
struct Axis {
    low: f64,
    high: f64,
    marks: Vec<f64>,
    show: fn(f64) -> String,
}

impl Ranged for Axis {
    type FormatOption = plotters::coord::ranged1d::NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value - self.low) / (self.high - self.low);
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        // Grid lines without a number beside them carry no information.
        if hint.weight().allow_light_points() { Vec::new() } else { self.marks.clone() }
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.low..self.high
    }
}

impl ValueFormatter<f64> for Axis {
    fn format(value: &f64) -> String {
        number(*value)
    }

    fn format_ext(&self, value: &f64) -> String {
        (self.show)(*value)
    }
}

impl Chart {
    /// Writes both files.
    pub(crate) fn write(&self, folder: &Path) -> Result<[PathBuf; 2]> {
        static FONTS: Once = Once::new();
        FONTS.call_once(|| {
            let _ = register_font(FONT, FontStyle::Normal, dejavu::sans::regular());
            let _ = register_font(FONT, FontStyle::Bold, dejavu::sans::bold());
        });
        let svg = folder.join(format!("{}.svg", self.file));
        self.draw(SVGBackend::new(&svg, SIZE).into_drawing_area(), 1)
            .with_context(|| format!("cannot draw {}", svg.display()))?;
        let png = folder.join(format!("{}.png", self.file));
        let (width, height) = (SIZE.0 * PNG_SCALE, SIZE.1 * PNG_SCALE);
        let mut pixels = vec![0; (width * height * 3) as usize];
        self.draw(BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area(), PNG_SCALE)
            .and_then(|()| write_png(&png, (width, height), &pixels))
            .with_context(|| format!("cannot draw {}", png.display()))?;
        Ok([svg, png])
    }

    fn draw<B: DrawingBackend>(&self, area: DrawingArea<B, Shift>, scale: u32) -> Result<()> {
        let font = |pixels: u32| (FONT, (pixels * scale) as i32);
        area.fill(&WHITE).map_err(drawing)?;
        let (head, body) = area.split_vertically(64 * scale);
        let at = |y: u32| (22 * scale as i32, (y * scale) as i32);
        head.draw(&Text::new(self.title.clone(), at(14), font(20).into_font().color(&INK))).map_err(drawing)?;
        head.draw(&Text::new(self.caption.clone(), at(42), font(13).into_font().color(&INK))).map_err(drawing)?;
        let (across, up) = self.axes();
        let mut context = ChartBuilder::on(&body)
            .margin(14 * scale)
            .margin_right(30 * scale)
            .x_label_area_size(48 * scale)
            .y_label_area_size(70 * scale)
            .build_cartesian_2d(across, up)
            .map_err(drawing)?;
        let mut mesh = context.configure_mesh();
        mesh.x_desc(if self.over_sizes { "bytes of an operation" } else { "CTAs" })
            .y_desc(self.unit)
            .axis_desc_style(font(14).into_font().color(&INK))
            .label_style(font(13).into_font().color(&INK))
            .bold_line_style(GRID.stroke_width(scale))
            .axis_style(INK.stroke_width(scale));
        mesh.draw().map_err(drawing)?;
        for (line, colour) in self.lines.iter().zip(self.colours()) {
            let points = line.points.iter().map(|(x, y)| (x.log2(), self.height(*y)));
            let style = colour.stroke_width(2 * scale);
            let radius = 3 * scale;
            let drawn = match line.is_limit {
                true => context.draw_series(DashedLineSeries::new(points, 8 * scale, 5 * scale, style)),
                false => context.draw_series(LineSeries::new(points, style.filled()).point_size(radius)),
            };
            let mark = move |(x, y)| PathElement::new([(x, y), (x + 22 * scale as i32, y)], style);
            drawn.map_err(drawing)?.label(line.name.clone()).legend(mark);
        }
        context
            .configure_series_labels()
            .position(if self.log_figures { SeriesLabelPosition::UpperLeft } else { SeriesLabelPosition::LowerRight })
            .legend_area_size(30 * scale)
            .margin(8 * scale)
            .background_style(WHITE.mix(0.85))
            .border_style(GRID.stroke_width(scale))
            .label_font(font(13).into_font().color(&INK))
            .draw()
            .map_err(drawing)?;
        area.present().map_err(drawing)
    }

    /// Returns the colour of each line: by its name, so that a library has one colour on all plots.
    fn colours(&self) -> Vec<RGBColor> {
        let mut others = OTHERS.iter().cycle();
        let known = |name: &str| COLOURS.iter().find(|(known, _)| *known == name).map(|(_, colour)| *colour);
        let of = |line: &Line| match line.is_limit {
            true => LIMIT,
            false => known(&line.name).unwrap_or_else(|| *others.next().unwrap_or(&INK)),
        };
        self.lines.iter().map(of).collect()
    }

    /// Returns the position of a figure on its axis.
    fn height(&self, figure: f64) -> f64 {
        if self.log_figures { figure.log10() } else { figure }
    }

    fn axes(&self) -> (Axis, Axis) {
        let points = || self.lines.iter().flat_map(|line| line.points.iter().copied());
        let ends = |values: &mut dyn Iterator<Item = f64>| {
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
        };
        let (first, last) = ends(&mut points().map(|(x, _)| x.log2()));
        let room = ((last - first) * 0.03).max(0.1);
        let marks = match self.over_sizes {
            true => every_second(first, last),
            false => distinct(points().map(|(x, _)| x)),
        };
        let show: fn(f64) -> String = match self.over_sizes {
            true => |x| in_words(x.exp2().round() as u64),
            false => |x| format!("{:.0}", x.exp2()),
        };
        let across = Axis { low: first - room, high: last + room, marks, show };
        let (least, most) = ends(&mut points().map(|(_, y)| y));
        let up = match self.log_figures {
            true => {
                let marks = decades(least, most);
                let low = marks.first().copied().unwrap_or(least.log10());
                let high = marks.last().copied().unwrap_or(most.log10());
                Axis { low, high: high.max(low + 0.1), marks, show: |y| shortest(10f64.powf(y)) }
            }
            false => {
                let step = round_step(most);
                let marks: Vec<f64> = (0..).map(|i| f64::from(i) * step).take_while(|y| *y <= most + step).collect();
                let high = marks.last().copied().unwrap_or(most);
                Axis { low: 0.0, high, marks, show: shortest }
            }
        };
        (across, up)
    }
}

/// Formats a number without zeros at its end.
fn shortest(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Returns whole powers of two, as many as fit beside each other.
fn every_second(first: f64, last: f64) -> Vec<f64> {
    let step = if last - first > 10.0 { 2 } else { 1 };
    (first.ceil() as i32..=last.floor() as i32).step_by(step).map(f64::from).collect()
}

/// Returns the logarithms of the numbers that are present.
fn distinct(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut all: Vec<f64> = values.map(f64::log2).collect();
    all.sort_by(f64::total_cmp);
    all.dedup();
    all
}

/// Returns the logarithms of 1, 2 and 5 times powers of ten, around `least` and `most`.
fn decades(least: f64, most: f64) -> Vec<f64> {
    let all = (-6..9).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(power)));
    let all: Vec<f64> = all.collect();
    let from = all.iter().rposition(|mark| *mark <= least).unwrap_or(0);
    let to = all.iter().position(|mark| *mark >= most).unwrap_or(all.len() - 1);
    all[from..=to.max(from)].iter().map(|mark| mark.log10()).collect()
}

/// Returns a step of 1, 2 or 5 times a power of ten, so that about six of them reach `most`.
fn round_step(most: f64) -> f64 {
    let rough = (most / 6.0).max(1e-9);
    let power = 10f64.powf(rough.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= rough).unwrap_or(10.0);
    digit * power
}

fn drawing(why: impl Display) -> anyhow::Error {
    anyhow!("{why}")
}

fn write_png(file: &Path, (width, height): (u32, u32), pixels: &[u8]) -> Result<()> {
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(std::fs::File::create(file)?), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_has_the_same_colour_whichever_others_are_on_the_plot() {
        let colours = |names: &[&str]| {
            let line = |name: &&str| Line { name: name.to_string(), is_limit: *name == "limit", points: Vec::new() };
            let lines = names.iter().map(line).collect();
            let (file, title, caption) = (String::new(), String::new(), String::new());
            Chart { file, title, caption, over_sizes: true, unit: "us", log_figures: true, lines }.colours()
        };
        let (few, many) = (colours(&["oxshmem", "nccl"]), colours(&["oxshmem", "limit", "mine", "nvshmem", "nccl"]));
        assert_eq!(few, [many[0], many[4]]);
        let distinct: std::collections::BTreeSet<_> =
            many.iter().map(|colour| (colour.0, colour.1, colour.2)).collect();
        assert_eq!(distinct.len(), many.len());
    }

    #[test]
    fn the_marks_of_an_axis_are_round_and_around_the_figures() {
        assert_eq!([round_step(365.0), round_step(1.3), round_step(50.0)], [100.0, 0.5, 10.0]);
        let around: Vec<String> = decades(0.76, 9.0).into_iter().map(|mark| shortest(10f64.powf(mark))).collect();
        assert_eq!(around, ["0.5", "1", "2", "5", "10"]);
        assert_eq!(every_second(2.0, 28.0).len(), 14);
    }
}
