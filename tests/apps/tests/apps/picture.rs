use std::path::{Path, PathBuf};

use oxshmem_apps::jacobi::serial as jacobi;
use oxshmem_apps::mandelbrot::serial as mandelbrot;
use oxshmem_apps::picture::{Field, Limits, Mosaic, Rgb, area_average, field_png, image_png, of_pe, ticks, viridis};
use oxshmem_core::ErrorKind;

/// A picture file of this test, removed with it unless `OXSHMEM_KEEP_PICTURES` is set.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Self(Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}.png", std::process::id())))
    }

    fn read(&self) -> Picture {
        let file = std::io::BufReader::new(std::fs::File::open(&self.0).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        assert_eq!(info.color_type, png::ColorType::Rgb);
        let pixels = bytes.as_chunks().0.to_vec();
        Picture { width: info.width as usize, height: info.height as usize, pixels }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::env::var_os("OXSHMEM_KEEP_PICTURES").is_none() {
            let _ = std::fs::remove_file(&self.0);
        }
    }
}

struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<Rgb>,
}

impl Picture {
    fn count(&self, colour: Rgb) -> usize {
        self.pixels.iter().filter(|pixel| **pixel == colour).count()
    }

    /// Counts the pixels that are neither paper nor on the rim's inside, within 4 pixels of the rim.
    fn ink_at_the_rim(&self) -> usize {
        let rim = |at: usize, size: usize| at < 4 || at + 4 >= size;
        (0..self.pixels.len())
            .filter(|at| rim(at % self.width, self.width) || rim(at / self.width, self.height))
            .filter(|at| self.pixels[*at] != [255; 3])
            .count()
    }

    /// Counts the pixels in this colour or in one of its darker shades, as tiles have.
    fn shades(&self, colour: Rgb) -> usize {
        let shade = |step: u32| colour.map(|channel| f64::from(channel) * (1.0 - f64::from(step) * 0.005) + 0.3);
        let shades: Vec<_> = (0..=110).map(shade).collect();
        let near = |pixel: &Rgb, shade: &[f64; 3]| (0..3).all(|i| (f64::from(pixel[i]) - shade[i]).abs() < 8.0);
        self.pixels.iter().filter(|pixel| shades.iter().any(|shade| near(pixel, shade))).count()
    }

    /// Counts the dark grey pixels in a box: the strokes of letters.
    fn letters(&self, columns: std::ops::Range<usize>, rows: std::ops::Range<usize>) -> usize {
        let dark = |pixel: Rgb| pixel.iter().all(|channel| *channel < 0x60) && pixel[0].abs_diff(pixel[2]) < 12;
        rows.flat_map(|row| columns.clone().map(move |column| row * self.width + column))
            .filter(|at| dark(self.pixels[*at]))
            .count()
    }
}

fn field<'a>(values: &'a [f32], nx: usize, ny: usize, borders: &'a [usize]) -> Field<'a> {
    Field {
        values,
        nx,
        ny,
        title: "Jacobi: 96 x 94 points on 4 PEs, 600 iterations",
        caption: "field",
        borders,
        labels: &[],
    }
}

#[test]
fn the_ends_of_the_scale_are_the_ends_of_the_map_and_its_lightness_only_rises() {
    assert_eq!((viridis(0.0), viridis(1.0)), ([0x44, 0x01, 0x54], [0xfd, 0xe7, 0x25]));
    assert_eq!((viridis(-3.0), viridis(7.0)), (viridis(0.0), viridis(1.0)), "values outside take the nearer end");
    let light = |[red, green, blue]: Rgb| {
        let linear = |channel: u8| (f64::from(channel) / 255.0).powf(2.2);
        0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    };
    let steps: Vec<_> = (0..=100).map(|step| light(viridis(f64::from(step) / 100.0))).collect();
    assert!(steps.is_sorted_by(|a, b| a < b), "{steps:?}");
}

#[test]
fn no_two_of_the_first_pes_have_nearly_the_same_colour() {
    let distance = |a: Rgb, b: Rgb| a.iter().zip(b).map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>();
    for one in 0..16 {
        for other in 0..one {
            let apart = distance(of_pe(one), of_pe(other));
            assert!(apart > 24, "PEs {other} and {one} are {apart} apart: {:?} {:?}", of_pe(other), of_pe(one));
        }
    }
}

#[test]
fn ticks_are_round_and_lie_within_the_scale() {
    let texts = |low, high, wanted| ticks(low, high, wanted).into_iter().map(|tick| tick.1).collect::<Vec<_>>();
    assert_eq!(texts(-1.0, 1.0, 4), ["-1.0", "-0.5", "0.0", "0.5", "1.0"]);
    assert_eq!(texts(0.0, 1026.0, 6), ["0", "200", "400", "600", "800", "1000"]);
    assert_eq!(texts(0.12, 0.17, 5), ["0.12", "0.13", "0.14", "0.15", "0.16", "0.17"]);
    for (value, _) in ticks(-3.7e-9, 8.1e-9, 7) {
        assert!((-3.7e-9..=8.1e-9).contains(&value));
    }
}

#[test]
fn making_a_field_smaller_keeps_its_mean_also_where_the_sizes_do_not_divide() {
    let (nx, ny) = (173, 58);
    let values: Vec<f32> = (0..nx * ny).map(|at| ((at * at) % 1009) as f32 - 300.0).collect();
    let mean = |sum: f64, count: usize| sum / count as f64;
    let before = mean(values.iter().map(|value| f64::from(*value)).sum(), values.len());
    for most in [(1, 1), (7, 5), (100, 58), (172, 57), (173, 58), (1, 58)] {
        let small = area_average(&values, nx, ny, most);
        assert_eq!((small.nx, small.ny), most);
        assert_eq!(small.values.len(), most.0 * most.1);
        let after = mean(small.values.iter().sum(), small.values.len());
        assert!((after - before).abs() < 1e-9, "{most:?}: {before} became {after}");
    }
}

#[test]
fn each_value_of_a_smaller_field_is_the_mean_of_its_own_area() {
    let small = area_average(&[0.0, 3.0, 6.0, 0.0, 3.0, 6.0], 3, 2, (2, 2));
    // Half of the middle column belongs to each side.
    assert_eq!(small.values, [1.0, 5.0, 1.0, 5.0]);
    let same = area_average(&[1.0, 2.0], 2, 1, (900, 900));
    assert_eq!((same.nx, same.ny, same.values), (2, 1, vec![1.0, 2.0]), "a field that fits is not touched");
}

#[test]
fn a_field_is_drawn_with_both_ends_of_its_scale_with_letters_and_with_nothing_cut_off() {
    let scratch = Scratch::new("field");
    let solution = jacobi::solve(96, 94, 600).unwrap().grid;
    let borders = jacobi::borders(4, 94);
    let picture = |borders: &[usize]| {
        let field = field(&solution.values, 98, 96, borders);
        field_png(&scratch.0, &field, Limits::Between(-1.0, 1.0)).unwrap();
        scratch.read()
    };
    let alone = picture(&[]);
    let with_pes = picture(&borders);
    assert!(with_pes.count(viridis(0.0)) > 0 && with_pes.count(viridis(1.0)) > 0);
    assert_eq!(with_pes.ink_at_the_rim(), 0);
    let (width, height) = (with_pes.width, with_pes.height);
    assert!(with_pes.letters(width / 3..2 * width / 3, 10..44) > 100, "a title");
    assert!(with_pes.letters(0..40, height / 3..2 * height / 3) > 20, "the name of the rows");
    assert!(alone.width < width, "one PE needs no room for labels");
}

#[test]
fn a_value_that_is_no_number_is_grey_and_a_constant_field_stands_mid_scale() {
    let scratch = Scratch::new("odd");
    field_png(&scratch.0, &field(&[2.0, f32::NAN, 2.0, 2.0], 2, 2, &[]), Limits::Data).unwrap();
    let picture = scratch.read();
    let quarter = 450 * 450;
    assert_eq!(picture.count([0x9a; 3]), quarter);
    assert!(picture.count(viridis(0.5)) >= 3 * quarter);
}

#[test]
fn many_pes_on_a_flat_field_get_labels_only_where_there_is_room() {
    let scratch = Scratch::new("many");
    let (nx, ny) = (3000, 64);
    let values: Vec<f32> = (0..nx * ny).map(|at| (at % nx) as f32).collect();
    let borders: Vec<_> = (1..64).collect();
    field_png(&scratch.0, &field(&values, nx, ny, &borders), Limits::Data).unwrap();
    assert_eq!(scratch.read().ink_at_the_rim(), 0);
}

#[test]
fn a_field_that_does_not_fit_together_is_refused_with_both_numbers() {
    let path = Scratch::new("refused");
    let kind_and_text = |field: Field<'_>, limits| {
        let error = field_png(&path.0, &field, limits).unwrap_err();
        (error.kind(), error.to_string())
    };
    let (kind, text) = kind_and_text(field(&[0.0; 5], 2, 3, &[]), Limits::Data);
    assert_eq!(kind, ErrorKind::Mismatch);
    assert!(text.contains("2 x 3") && text.contains("5 values"), "{text}");
    assert_eq!(kind_and_text(field(&[0.0; 6], 2, 3, &[4]), Limits::Data).0, ErrorKind::OutOfRange);
    assert_eq!(kind_and_text(field(&[], 0, 3, &[]), Limits::Data).0, ErrorKind::InvalidArgument);
    assert_eq!(kind_and_text(field(&[f32::NAN; 6], 2, 3, &[]), Limits::Data).0, ErrorKind::InvalidArgument);
    assert_eq!(kind_and_text(field(&[0.0; 6], 2, 3, &[]), Limits::Between(1.0, 1.0)).0, ErrorKind::InvalidArgument);
    assert!(!path.0.exists(), "and leaves no file");
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no such folder/jacobi.png");
    let error = field_png(&path, &field(&[0.0, 1.0], 2, 1, &[]), Limits::Data).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("no such folder/jacobi.png"), "{error}");
}

#[test]
fn a_mosaic_shows_the_set_and_every_pe_that_computed_a_tile() {
    let scratch = Scratch::new("mosaic");
    let geometry = mandelbrot::Geometry::whole_set(512, 400, 32, 500).unwrap();
    let counts = mandelbrot::image(&geometry);
    let owners: Vec<_> = (0..geometry.n_tiles()).map(|tile| Some((tile * tile + tile / 3) % 11 % 4)).collect();
    let mosaic = Mosaic {
        counts: &counts,
        fractions: &mandelbrot::fractions(&counts, &geometry),
        width: 512,
        height: 400,
        limit: 500,
        tile: 32,
        owners: &owners,
        n_pes: 5,
        title: "Mandelbrot set: 512 x 400 pixels in 208 tiles, claimed by 5 PEs",
    };
    image_png(&scratch.0, &mosaic).unwrap();
    let picture = scratch.read();
    assert_eq!(picture.ink_at_the_rim(), 0);
    let swatch = 15 * 15;
    for pe in 0..4 {
        assert!(picture.shades(of_pe(pe)) > 2000, "PE {pe} has tiles");
        assert!(picture.count(of_pe(pe)) >= swatch, "PE {pe} has a place in the legend");
    }
    assert_eq!(picture.count(of_pe(4)), swatch, "PE 4 has no tile, and only its place in the legend");
    assert!(picture.count([0x0b, 0x0b, 0x10]) > 640 * 500 / 10, "the set itself");
}

#[test]
fn a_tile_of_a_pe_that_is_not_there_is_refused() {
    let path = Scratch::new("stranger");
    let owners = [Some(0), Some(4)];
    let mosaic = Mosaic {
        counts: &[1, 2],
        fractions: &[],
        width: 2,
        height: 1,
        limit: 9,
        tile: 1,
        owners: &owners,
        n_pes: 4,
        title: "",
    };
    let error = image_png(&path.0, &mosaic).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfRange);
    assert!(error.to_string().contains("PE 4, and there are 4 PEs"), "{error}");
}
