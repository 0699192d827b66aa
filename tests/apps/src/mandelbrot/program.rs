//! The program `oxshmem-mandelbrot`: computes the image, compares it with the serial one, draws and prints.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use oxshmem_core::Result;
use oxshmem_hal::World;

use super::parallel::{Image, image};
use super::serial::{self, Geometry, fractions};
use crate::picture::{Mosaic, image_png};
use crate::progress::Progress;
use crate::start::{largest, place, warn_of_times};
use crate::table::time;

/// Options of the program.
#[derive(Args, Clone, Debug)]
pub struct Options {
    /// Columns of the image (default: 1024 on host threads, 3072 on GPUs).
    #[arg(long, value_name = "PIXELS")]
    pub width: Option<u32>,
    /// Rows of the image (default: three quarters of --width's).
    #[arg(long, value_name = "PIXELS")]
    pub height: Option<u32>,
    /// Columns and rows of a tile.
    #[arg(long, value_name = "PIXELS", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub tile: u32,
    /// Iterations after which a point counts as inside.
    #[arg(short, long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub iterations: u32,
    /// The complex number in the middle of the image, as REAL,IMAGINARY (default: the whole set is shown).
    #[arg(long, value_name = "RE,IM", value_parser = complex, requires = "span", allow_hyphen_values = true)]
    pub centre: Option<(f64, f64)>,
    /// Width of the image along the real axis.
    #[arg(long, value_name = "WIDTH", requires = "centre")]
    pub span: Option<f64>,
    /// Compare the image with the serial one (the default).
    #[arg(long, overrides_with = "no_check")]
    pub check: bool,
    /// Skip the comparison.
    #[arg(long, overrides_with = "check")]
    pub no_check: bool,
    /// File of the picture.
    #[arg(long, value_name = "PATH", default_value = "mandelbrot.png")]
    pub picture: PathBuf,
    /// Draw no picture.
    #[arg(long)]
    pub no_picture: bool,
    /// PEs on host threads, when started without a launcher (default: 4).
    #[arg(short, long, value_name = "PES", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub pes: Option<u32>,
}

fn complex(text: &str) -> std::result::Result<(f64, f64), String> {
    let refused = || format!("{text:?} is not two numbers with a comma between, as in -0.75,0.1");
    let (re, im) = text.split_once(',').ok_or_else(refused)?;
    re.trim().parse().ok().zip(im.trim().parse().ok()).ok_or_else(refused)
}

/// Runs one PE's part of the program. Returns, on every PE alike, whether the image is right. Collective.
///
/// # Errors
///
/// The options make no image, a kernel reported a fault, a PE died, or the picture can't be written.
pub fn run(world: &World, options: &Options) -> Result<bool> {
    let width = options.width.unwrap_or(if world.on_host() { 1024 } else { 3072 });
    let height = options.height.unwrap_or((width / 4).saturating_mul(3).max(1));
    let geometry = match options.centre.zip(options.span) {
        Some((centre, span)) => Geometry::new(width, height, options.tile, options.iterations, centre, span)?,
        None => Geometry::whole_set(width, height, options.tile, options.iterations)?,
    };
    let Some(image) = image(world, &geometry)? else {
        return Ok(largest(world, "whether the image is right", 0)? == 0);
    };
    println!(
        "Mandelbrot image: {width} x {height} pixels, {} tiles of {}, {}",
        geometry.n_tiles(),
        options.tile,
        place(world)
    );
    println!("Computed in {}.", time(image.elapsed.as_secs_f64()));
    warn_of_times(world);
    print_shares(&image, world.n_pes());
    let right = options.no_check || is_serial(&image, &geometry);
    if !options.no_picture {
        draw(&options.picture, &image, &geometry, world)?;
    }
    Ok(largest(world, "whether the image is right", u64::from(!right))? == 0)
}

/// Prints the number of tiles that each PE computed.
fn print_shares(image: &Image, n_pes: u32) {
    let of_pes = image.tiles_of_pes(n_pes);
    for (pe, tiles) in of_pes.iter().enumerate() {
        let share = *tiles as f64 / image.owners.len() as f64 * 100.0;
        println!("PE {pe:<4} {tiles:>7} {} ({share:.1} %)", if *tiles == 1 { "tile " } else { "tiles" });
    }
}

/// Returns whether every tile was computed and every pixel equals the serial one, and describes the first difference.
fn is_serial(image: &Image, geometry: &Geometry) -> bool {
    let left_out = image.owners.iter().filter(|owner| owner.is_none()).count();
    if left_out > 0 {
        eprintln!("{left_out} of {} tiles were computed by nobody", image.owners.len());
    }
    let (mut wrong, mut spent) = (0, Duration::ZERO);
    let tiles = geometry.n_tiles();
    let mut progress = Progress::new(true, "serial image", tiles.into());
    let mut expected = vec![0; geometry.pixels()];
    for index in 0..tiles {
        let started = Instant::now();
        let counts = serial::tile(index, geometry);
        spent += started.elapsed();
        serial::place(&mut expected, index, &counts, geometry);
        progress.at(index.into(), String::new);
    }
    drop(progress);
    for (at, (found, expected)) in image.counts.iter().zip(&expected).enumerate() {
        if found != expected {
            if wrong == 0 {
                let width = geometry.width() as usize;
                eprintln!("row {}, column {}: {found} iterations, and {expected} serially", at / width, at % width);
            }
            wrong += 1;
        }
    }
    if wrong > 0 {
        eprintln!("{wrong} of {} pixels differ from the serial image", geometry.pixels());
    } else {
        println!("Every pixel is as in the serial image, which took {} on one core.", time(spent.as_secs_f64()));
    }
    wrong == 0 && left_out == 0
}

fn draw(path: &Path, image: &Image, geometry: &Geometry, world: &World) -> Result<()> {
    let title = format!("{} tiles claimed by {}", geometry.n_tiles(), place(world));
    let mosaic = Mosaic {
        counts: &image.counts,
        fractions: &fractions(&image.counts, geometry),
        width: geometry.width(),
        height: geometry.height(),
        limit: geometry.limit(),
        tile: geometry.tile(),
        owners: &image.owners,
        n_pes: world.n_pes(),
        title: &title,
    };
    image_png(path, &mosaic)?;
    println!("The image is in {}.", path.display());
    Ok(())
}
