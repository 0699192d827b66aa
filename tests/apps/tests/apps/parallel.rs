use oxshmem_apps::jacobi::parallel::{Solver, Variant};
use oxshmem_apps::jacobi::serial::{compare, solve};
use oxshmem_apps::mandelbrot::parallel::image;
use oxshmem_apps::mandelbrot::serial::{self, Geometry};
use oxshmem_core::ErrorKind;
use oxshmem_hal::{Config, DeviceChoice, World};

fn config(seed: u64) -> Config {
    Config::new().with_device(DeviceChoice::Host).with_heap_bytes(1 << 20).with_seed(seed).with_yield_one_in(3)
}

#[test]
fn each_variant_gives_the_bits_of_the_serial_solution_on_any_number_of_pes() {
    // Fields of one tile and of many, with tiles away from the edges, with and without ragged edges, and with fewer
    // rows for a PE than a thread takes.
    for (n_pes, nx, ny, iterations) in [
        (1, 40, 20, 12),
        (2, 129, 37, 21),
        (3, 70, 64, 16),
        (4, 33, 5, 30),
        (5, 1, 5, 9),
        (2, 200, 150, 14),
        (1, 131, 70, 15),
    ] {
        let expected = solve(nx, ny, iterations).unwrap();
        let residual = *expected.residuals.last().unwrap();
        for seed in 0..4 {
            World::threads(n_pes, &config(seed), |world| {
                let solver = Solver::new(world, nx, ny)?;
                for variant in Variant::ALL {
                    let outcome = solver.run(variant, iterations as u64, true, 3, |_, _| ())?;
                    let Some(field) = solver.gather(iterations as u64)? else { continue };
                    let worst = compare(&field.values, &expected.grid.values, nx + 2)?;
                    let case = format!("{variant:?}, {n_pes} PEs, {nx} x {ny}, seed {seed}: {worst:?}");
                    assert_eq!(worst.max_abs, 0.0, "{case}");
                    let (taken, found) = *outcome.residuals.last().unwrap();
                    assert_eq!((taken, outcome.residuals.len()), (iterations as u64, 3), "{case}");
                    assert!((found - residual).abs() <= 1e-12 * residual, "{case}: {found} {residual}");
                }
                solver.free()
            })
            .unwrap();
        }
    }
}

#[test]
fn residuals_on_the_way_are_those_of_the_serial_solution() {
    let expected = solve(48, 30, 20).unwrap();
    World::threads(2, &config(7), |world| {
        let solver = Solver::new(world, 48, 30)?;
        for variant in Variant::ALL {
            let mut heard = Vec::new();
            let outcome = solver.run(variant, 20, true, 5, |taken, _| heard.push(taken))?;
            assert_eq!(heard, [4, 8, 12, 16, 20]);
            for (taken, found) in outcome.residuals {
                let residual = expected.residuals[taken as usize - 1];
                assert!((found - residual).abs() <= 1e-12 * residual, "{variant:?}, step {taken}: {found} {residual}");
            }
        }
        solver.free()
    })
    .unwrap();
}

#[test]
fn without_the_exchange_pes_keep_to_themselves() {
    let expected = solve(30, 24, 10).unwrap();
    World::threads(2, &config(1), |world| {
        let solver = Solver::new(world, 30, 24)?;
        for variant in Variant::ALL {
            solver.run(variant, 10, false, 1, |_, _| ())?;
            if let Some(field) = solver.gather(10)? {
                assert!(compare(&field.values, &expected.grid.values, 32)?.max_abs > 0.0, "{variant:?}");
            }
        }
        solver.free()
    })
    .unwrap();
}

#[test]
fn a_field_with_fewer_rows_than_pes_is_refused_on_every_pe_and_memory_is_given_back() {
    World::threads(3, &config(1), |world| {
        let error = Solver::new(world, 10, 2).err().expect("it is refused");
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains("3 rows asked, 2 available"), "{error}");
        let before = world.heap_bytes().0;
        Solver::new(world, 10, 3)?.free()?;
        assert_eq!(world.heap_bytes().0, before);
        Ok(())
    })
    .unwrap();
}

#[test]
fn claimed_tiles_make_the_serial_image_and_each_is_somebodys() {
    for (n_pes, width, height, tile) in [(1, 40, 30, 32), (3, 100, 75, 16), (4, 33, 70, 7), (2, 5, 3, 64)] {
        let geometry = Geometry::whole_set(width, height, tile, 200).unwrap();
        let expected = serial::image(&geometry);
        for seed in 0..3 {
            let images = World::threads(n_pes, &config(seed), |world| image(world, &geometry)).unwrap();
            let case = format!("{n_pes} PEs, {width} x {height}, tiles of {tile}, seed {seed}");
            let of_root = images[0].as_ref().expect("PE 0 has the image");
            assert!(of_root.counts == expected, "{case}");
            assert_eq!(of_root.tiles_of_pes(n_pes).iter().sum::<usize>(), geometry.n_tiles() as usize, "{case}");
            assert!(images[1..].iter().all(Option::is_none), "{case}");
        }
    }
}
