//! The reference image on one core, tile by tile, with the arithmetic of the kernels.

use oxshmem_core::{Error, ErrorKind, Result};
use oxshmem_test_kernels::math::{escape, pixel};

/// An image of the complex plane, cut into tiles.
///
/// Coordinates are `f64`, computed by single multiplications and additions (never fused), so that a GPU and a
/// host give the same counts, pixel by pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Geometry {
    width: u32,
    height: u32,
    tile: u32,
    limit: u32,
    origin: (f64, f64),
    step: f64,
}

/// The pixels of one tile; those at the right and lower edge may be smaller than the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Its first column in the image.
    pub left: u32,
    /// Its first row in the image.
    pub top: u32,
    /// Its columns.
    pub width: u32,
    /// Its rows.
    pub height: u32,
}

impl Geometry {
    /// Returns an image of `width` by `height` pixels in square tiles of `tile` pixels, `limit` iterations a pixel,
    /// centred at `centre` (real, imaginary), whose columns span `span` along the real axis.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidArgument`] if a size or the limit is zero, or a coordinate is not finite, or the span is
    /// so small that neighbouring pixels would be the same number; [`ErrorKind::OutOfRange`] if the pixels can't
    /// be counted in 32 bits.
    pub fn new(width: u32, height: u32, tile: u32, limit: u32, centre: (f64, f64), span: f64) -> Result<Self> {
        let action = || format!("lay out a Mandelbrot image of {width} x {height} pixels");
        let refuse = |reason: String| Err(Error::new(ErrorKind::InvalidArgument, action()).because(reason));
        if width == 0 || height == 0 {
            return refuse("it has no pixel".into());
        }
        if tile == 0 || limit == 0 {
            return refuse(format!("tiles of {tile} pixels and {limit} iterations: both must be at least 1"));
        }
        let pixels = u64::from(width) * u64::from(height);
        if pixels > u64::from(u32::MAX) {
            return Err(Error::new(ErrorKind::OutOfRange, action()).amount(pixels, u32::MAX.into(), "pixels"));
        }
        if !(centre.0.is_finite() && centre.1.is_finite() && span.is_finite() && span > 0.0) {
            return refuse(format!("the centre ({}, {}) and the span {span} must be finite", centre.0, centre.1));
        }
        let step = span / f64::from(width);
        let half = |pixels: u32| f64::from(pixels - 1) * 0.5;
        let origin = (centre.0 - step * half(width), centre.1 - step * half(height));
        let far = origin.0.abs().max(origin.1.abs()).max(centre.0.abs()).max(centre.1.abs());
        if far + step == far {
            return refuse(format!("a span of {span} is finer than 64-bit numbers are there"));
        }
        Ok(Self { width, height, tile, limit, origin, step })
    }

    /// Returns the whole set.
    ///
    /// # Errors
    ///
    /// As [`Geometry::new`].
    pub fn whole_set(width: u32, height: u32, tile: u32, limit: u32) -> Result<Self> {
        // The set lies within 3 by 2.4, and must fit whether the image is wider or higher.
        let aspect = f64::from(width.max(1)) / f64::from(height.max(1));
        Self::new(width, height, tile, limit, (-0.65, 0.0), f64::max(3.0, 2.4 * aspect))
    }

    /// Returns the number of columns of the image.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the number of rows of the image.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the number of columns, and of rows, of a whole tile.
    pub fn tile(&self) -> u32 {
        self.tile
    }

    /// Returns the number of iterations after which a point counts as inside.
    pub fn limit(&self) -> u32 {
        self.limit
    }

    /// Returns the complex number (real, imaginary) of the first pixel's centre.
    pub fn origin(&self) -> (f64, f64) {
        self.origin
    }

    /// Returns the distance between neighbouring pixels, on both axes.
    pub fn step(&self) -> f64 {
        self.step
    }

    /// Returns the number of pixels of the image.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Returns the number of tiles side by side.
    pub fn tile_columns(&self) -> u32 {
        self.width.div_ceil(self.tile)
    }

    /// Returns the number of all tiles.
    pub fn n_tiles(&self) -> u32 {
        self.tile_columns() * self.height.div_ceil(self.tile)
    }

    /// Returns the place of tile `index`; tiles are counted along rows, from the top left.
    ///
    /// # Panics
    ///
    /// There is no such tile.
    pub fn tile_at(&self, index: u32) -> Tile {
        assert!(index < self.n_tiles(), "tile {index} is not one of {} tiles", self.n_tiles());
        let (left, top) = (index % self.tile_columns() * self.tile, index / self.tile_columns() * self.tile);
        Tile { left, top, width: self.tile.min(self.width - left), height: self.tile.min(self.height - top) }
    }
}

/// Returns the iterations of each pixel of tile `index`, indexed by row, then column, of that tile.
///
/// # Panics
///
/// There is no such tile.
pub fn tile(index: u32, geometry: &Geometry) -> Vec<u32> {
    let at = geometry.tile_at(index);
    let (re, im) = geometry.origin;
    (at.top..at.top + at.height)
        .flat_map(|row| {
            let c_im = pixel(im, geometry.step, row);
            (at.left..at.left + at.width)
                .map(move |column| escape(pixel(re, geometry.step, column), c_im, geometry.limit))
        })
        .collect()
}

/// Writes the counts of tile `index` into an image indexed by row, then column.
///
/// # Panics
///
/// There is no such tile, or the image or the counts have another size.
pub fn place(image: &mut [u32], index: u32, counts: &[u32], geometry: &Geometry) {
    let at = geometry.tile_at(index);
    assert_eq!(image.len(), geometry.pixels(), "the image has another size");
    assert_eq!(counts.len(), at.width as usize * at.height as usize, "tile {index} has another size");
    for (row, line) in (at.top..).zip(counts.chunks_exact(at.width as usize)) {
        let first = row as usize * geometry.width as usize + at.left as usize;
        image[first..first + line.len()].copy_from_slice(line);
    }
}

/// Returns the iterations of each pixel of the whole image, indexed by row, then column.
pub fn image(geometry: &Geometry) -> Vec<u32> {
    let mut image = vec![0; geometry.pixels()];
    for index in 0..geometry.n_tiles() {
        place(&mut image, index, &tile(index, geometry), geometry);
    }
    image
}

/// Returns the fraction to add to each count of an image so that counts grow evenly between whole numbers, for
/// pictures without steps; 0 where a pixel did not escape. Indexed as the image.
///
/// Far outside the set each iteration squares `|z|`, so the logarithm of its logarithm counts iterations.
///
/// # Panics
///
/// The image has another size.
pub fn fractions(image: &[u32], geometry: &Geometry) -> Vec<f32> {
    assert_eq!(image.len(), geometry.pixels(), "the image has another size");
    let (re, im) = geometry.origin;
    let pixels = (0..geometry.height).flat_map(|row| (0..geometry.width).map(move |column| (row, column)));
    pixels
        .zip(image)
        .map(|((row, column), &count)| {
            if count >= geometry.limit {
                return 0.0;
            }
            let c = (pixel(re, geometry.step, column), pixel(im, geometry.step, row));
            // A few more iterations after the escape, since the rule holds only far outside.
            let taken = count + 4;
            let mut z = (0.0, 0.0);
            for _ in 0..taken {
                z = (z.0 * z.0 - z.1 * z.1 + c.0, 2.0 * z.0 * z.1 + c.1);
            }
            let fraction = f64::from(taken - count) - f64::hypot(z.0, z.1).log2().log2();
            if fraction.is_finite() { fraction as f32 } else { 0.0 }
        })
        .collect()
}
