use oxshmem_apps::mandelbrot::serial::{Geometry, fractions, image, place, tile};
use oxshmem_core::ErrorKind;
use oxshmem_test_kernels::math::escape;

#[test]
fn points_inside_never_escape_and_points_outside_do_when_they_must() {
    for inside in [(0.0, 0.0), (-1.0, 0.0), (-2.0, 0.0), (0.25, 0.0), (0.0, 1.0)] {
        assert_eq!(escape(inside.0, inside.1, 1000), 1000, "{inside:?}");
    }
    // z runs 0, 3 for c = 3, and 0, 1, 2, 5 for c = 1.
    assert_eq!((escape(3.0, 0.0, 1000), escape(1.0, 0.0, 1000)), (1, 3));
    assert_eq!(escape(0.5, 0.5, 1000), 5);
    assert_eq!(escape(1.0, 0.0, 0), 0, "and never takes more than it may");
}

#[test]
fn tiles_cover_every_pixel_once_also_at_ragged_edges() {
    for (width, height, side) in [(64, 64, 32), (70, 33, 32), (5, 3, 32), (7, 7, 1)] {
        let geometry = Geometry::whole_set(width, height, side, 10).unwrap();
        let mut seen = vec![0u32; geometry.pixels()];
        for index in 0..geometry.n_tiles() {
            let at = geometry.tile_at(index);
            for row in at.top..at.top + at.height {
                for column in at.left..at.left + at.width {
                    seen[(row * width + column) as usize] += 1;
                }
            }
        }
        assert!(seen.iter().all(|count| *count == 1), "{width} x {height} in tiles of {side}");
    }
}

#[test]
fn the_image_does_not_depend_on_the_size_of_its_tiles() {
    let with = |side| image(&Geometry::whole_set(100, 75, side, 200).unwrap());
    let whole = with(100);
    assert_eq!(with(32), whole);
    assert_eq!(with(1), whole);
    assert!(whole.contains(&200) && whole.contains(&2), "it shows points inside and outside");
}

#[test]
fn the_image_is_its_own_mirror_at_the_real_axis() {
    let counts = image(&Geometry::whole_set(64, 48, 16, 300).unwrap());
    for (upper, lower) in (0..24).zip((24..48).rev()) {
        assert_eq!(counts[upper * 64..(upper + 1) * 64], counts[lower * 64..(lower + 1) * 64], "row {upper}");
    }
}

#[test]
fn placing_one_tile_touches_no_pixel_of_another() {
    let geometry = Geometry::whole_set(50, 40, 16, 50).unwrap();
    let mut placed = vec![u32::MAX; geometry.pixels()];
    place(&mut placed, 5, &tile(5, &geometry), &geometry);
    let at = geometry.tile_at(5);
    assert_eq!((at.left, at.top, at.width, at.height), (16, 16, 16, 16));
    assert_eq!(placed.iter().filter(|count| **count != u32::MAX).count(), 256);
    assert_ne!(placed[16 * 50 + 16], u32::MAX);
}

#[test]
fn a_geometry_that_makes_no_image_is_refused() {
    let kind = |geometry: oxshmem_core::Result<Geometry>| geometry.unwrap_err().kind();
    assert_eq!(kind(Geometry::whole_set(0, 5, 32, 10)), ErrorKind::InvalidArgument);
    assert_eq!(kind(Geometry::whole_set(5, 5, 0, 10)), ErrorKind::InvalidArgument);
    assert_eq!(kind(Geometry::whole_set(5, 5, 32, 0)), ErrorKind::InvalidArgument);
    assert_eq!(kind(Geometry::whole_set(1 << 17, 1 << 17, 32, 10)), ErrorKind::OutOfRange);
    assert_eq!(kind(Geometry::new(5, 5, 32, 10, (f64::NAN, 0.0), 1.0)), ErrorKind::InvalidArgument);
    assert_eq!(kind(Geometry::new(500, 500, 32, 10, (-0.7, 0.0), 1e-14)), ErrorKind::InvalidArgument);
}

#[test]
fn counts_with_their_fractions_fall_without_steps_away_from_the_set() {
    // Along the real axis, right of the set's tip at 0.25.
    let geometry = Geometry::new(400, 1, 32, 500, (1.0, 0.0), 1.2).unwrap();
    let counts = image(&geometry);
    let smooth: Vec<_> =
        counts.iter().zip(fractions(&counts, &geometry)).map(|(count, add)| *count as f32 + add).collect();
    assert!(smooth.is_sorted_by(|a, b| a > b), "{smooth:?}");
    let largest_step = smooth[100..].windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f32::max);
    assert!(largest_step < 0.05, "{largest_step}");
    assert!(counts[100] > counts[399], "while the counts themselves have steps");
}
