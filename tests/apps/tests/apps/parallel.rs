use std::num::NonZeroU32;

use oxshmem_apps::jacobi::method::{Method, Variant};
use oxshmem_apps::jacobi::parallel::Solver;
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
fn steps_in_graphs_of_any_size_give_the_bits_of_steps_without_at_the_same_reports() {
    // Graphs that are shorter than, as long as and longer than the steps between two reports, whose number is odd, even
    // and 1, so that graphs begin at steps of either parity.
    let graphs = [1, 2, 3, 7, 100].map(|steps| NonZeroU32::new(steps).unwrap());
    for (n_pes, iterations, reports) in [(2, 21, 3), (3, 20, 3), (3, 17, 1), (2, 5, 5), (1, 9, 2)] {
        let (nx, ny) = (70, 37);
        World::threads(n_pes, &config(iterations), |world| {
            let solver = Solver::new(world, nx, ny)?;
            let solve = |method: Method| {
                let mut heard = Vec::new();
                let outcome = solver.run(method, iterations, true, reports, |taken, _| heard.push(taken))?;
                let bits = |value: &f32| value.to_bits();
                let field = solver.gather(iterations)?.map(|field| field.values.iter().map(bits).collect::<Vec<_>>());
                Ok::<_, oxshmem_core::Error>((heard, outcome.residuals, field))
            };
            for variant in Variant::RECORDABLE {
                let (heard, residuals, field) = solve(variant.into())?;
                // The first graphs are recorded in the first of the runs, and launched again in the second.
                for steps in graphs.into_iter().chain(graphs) {
                    let case = format!("{variant:?}, {n_pes} PEs, {iterations} steps, graphs of {steps}");
                    let (heard_of_graphs, of_graphs, in_graphs) = solve(variant.in_graphs(steps))?;
                    assert_eq!(heard_of_graphs, heard, "{case}");
                    assert!(in_graphs == field, "{case}");
                    assert_eq!(of_graphs.len(), residuals.len(), "{case}");
                    for ((taken, found), (at, expected)) in of_graphs.into_iter().zip(&residuals) {
                        assert!(
                            taken == *at && (found - expected).abs() <= 1e-12 * expected,
                            "{case}: {found} at {taken}"
                        );
                    }
                }
                let (heard_of_whole, _, whole) = solve(variant.in_graphs(Method::WHOLE))?;
                assert_eq!(heard_of_whole, [iterations], "a run in one graph has one report");
                assert!(whole == field, "{variant:?}, {n_pes} PEs, {iterations} steps in one graph");
            }
            solver.free()
        })
        .unwrap();
    }
}

#[test]
fn without_the_exchange_graphs_keep_to_their_pe_also_after_a_run_with_it() {
    World::threads(2, &config(3), |world| {
        let solver = Solver::new(world, 30, 24)?;
        let alone = |method: Method| {
            solver.run(method, 10, true, 1, |_, _| ())?;
            solver.run(method, 10, false, 1, |_, _| ())?;
            Ok::<_, oxshmem_core::Error>(solver.gather(10)?.map(|field| field.values))
        };
        for variant in Variant::RECORDABLE {
            assert!(alone(variant.in_graphs(Method::PAIR))? == alone(variant.into())?, "{variant:?}");
        }
        solver.free()
    })
    .unwrap();
}

#[test]
fn a_variant_of_many_steps_a_kernel_is_refused_in_graphs_and_the_solver_goes_on() {
    World::threads(2, &config(2), |world| {
        let solver = Solver::new(world, 10, 4)?;
        let refused = solver.run(Variant::Persistent.in_graphs(Method::PAIR), 4, true, 1, |_, _| ()).unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::InvalidArgument);
        assert!(refused.to_string().contains("one kernel takes many steps"), "{refused}");
        solver.run(Variant::Persistent, 4, true, 1, |_, _| ())?;
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
        let before = world.heap().allocated;
        Solver::new(world, 10, 3)?.free()?;
        assert_eq!(world.heap().allocated, before);
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
