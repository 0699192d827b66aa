//! The fused RMSNorm of the examples on host PEs: in one kernel and in two, on streams and in graphs, and its errors.

#[path = "../examples/04-fused-rmsnorm/layer.rs"]
mod layer;
#[path = "../examples/04-fused-rmsnorm/reference.rs"]
mod reference;

use oxshmem_collectives as _;
use oxshmem_example_kernels::fused_rmsnorm::{MOST_HIDDEN, Rows, Shape, allreduce_rmsnorm_packets};
use oxshmem_hal::{Bf16, Config, DeviceChoice, Error, ErrorKind, FaultStep, Launch, Result, TeamOptions, World};

use layer::{EPS, Layer, rows_of};
use reference::{Call, try_calls};

fn config() -> Config {
    Config::new().with_device(DeviceChoice::Host).with_heap_bytes(16 << 20)
}

/// Runs `body` on worlds of two and of three PEs.
fn on_two_and_three(body: impl Fn(&World) -> Result<()> + Sync) {
    for n_pes in [2, 3] {
        World::threads(n_pes, &config(), &body).unwrap();
    }
}

/// Both ways of the data, and the one that the amount of data suggests.
const WAYS: [Option<Rows>; 3] = [Some(Rows::Packets), Some(Rows::Direct), None];

/// Makes both calls of a layer of this shape, and frees it.
fn try_both(world: &World, layer: Layer<'_>, trial: u32) -> Result<()> {
    let both: [Call<'_>; 2] = [&|stream| layer.fused(stream), &|stream| layer.in_two(stream)];
    try_calls(world, &layer, &world.stream()?, trial, &both)?;
    layer.free()
}

#[test]
fn one_kernel_and_two_give_the_reference_with_the_same_bits() {
    on_two_and_three(|world| {
        // One unit, less than a warp, a warp and more, and rows of which some threads hold more units than others.
        for (trial, (tokens, hidden)) in (0..).zip([(1, 4), (3, 36), (2, 1000), (2, 2564), (1, MOST_HIDDEN)]) {
            for way in WAYS {
                let layer = Layer::new(world, tokens, hidden, way)?;
                assert_eq!(rows_of(layer.way())?, way.unwrap_or(Rows::Packets), "small data goes by packets");
                try_both(world, layer, trial)?;
            }
        }
        Ok(())
    });
}

#[test]
fn blocks_that_take_several_rows_give_the_same() {
    on_two_and_three(|world| {
        for (trial, way) in (0..).zip(WAYS) {
            try_both(world, Layer::with_blocks(world, 7, 260, way, 2)?, trial)?;
        }
        Ok(())
    });
}

#[test]
fn a_graph_gives_the_results_of_the_tensors_of_each_launch() {
    on_two_and_three(|world| {
        for way in WAYS {
            let (layer, stream) = (Layer::new(world, 3, 520, way)?, world.stream()?);
            // The library loads the reduction's kernels at the first call, which is refused in a capture.
            layer.in_two(&stream)?;
            let fused = stream.capture(|stream| (0..3).try_for_each(|_| layer.fused(stream)))?;
            let two = stream.capture(|stream| layer.in_two(stream))?;
            for trial in 0..4 {
                let calls: [Call<'_>; 3] =
                    [&|stream| fused.launch(stream), &|stream| two.launch(stream), &|stream| layer.fused(stream)];
                try_calls(world, &layer, &stream, trial, &calls)?;
            }
            layer.free()?;
        }
        Ok(())
    });
}

#[test]
fn the_residual_may_be_replaced_in_place() {
    on_two_and_three(|world| {
        for way in WAYS {
            let (mut layer, stream) = (Layer::new(world, 2, 96, way)?, world.stream()?);
            let apart = layer.tensors;
            try_calls(world, &layer, &stream, 0, &[&|stream| layer.fused(stream)])?;
            let mut expected = vec![Default::default(); layer.shape().elements()];
            world.read(apart.residual_out, &mut expected)?;
            layer.tensors.residual_out = apart.residual;
            layer.meet(&stream)?;
            layer.fused(&stream)?;
            stream.synchronize()?;
            let mut seen = expected.clone();
            world.read(apart.residual, &mut seen)?;
            assert_eq!(seen, expected);
            layer.tensors = apart;
            layer.free()?;
        }
        Ok(())
    });
}

#[test]
fn a_shape_that_the_kernels_do_not_take_is_an_error_that_says_why() {
    World::threads(2, &config(), |world| {
        let refused = |tokens, hidden, why: &str| {
            let error = Layer::new(world, tokens, hidden, None).map(drop).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
            assert!(error.to_string().contains(why), "{error}");
        };
        refused(1, 66, "66 elements is no multiple of 4");
        refused(1, MOST_HIDDEN + 4, "8196 elements exceeds the 8192");
        refused(0, 64, "no tokens");
        refused(2, 0, "rows without elements");
        let error = rows_of("pigeons").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
        // Nothing of the refused ones is left.
        try_both(world, Layer::new(world, 1, 64, None)?, 0)
    })
    .unwrap();
}

/// Launches the fused kernel for a row of 512 elements alone, and returns its error.
fn alone(payload: u32, threads: u32, shared_bytes: u32, shift: usize) -> Error {
    let run = |world: &World| {
        let team = world.team(&[world.my_pe()], TeamOptions::default().with_slots(1).with_payload(payload))?;
        let at = world.calloc::<Bf16>(1024)?;
        let (team, partial) = (team.handle(), at.add(shift));
        let (out, residual_out, residual, weight) = (at, at, at, at);
        let (tokens, hidden, eps) = (1, 512, EPS);
        world.own_stream().launch(
            Launch::new(1, threads).shared_bytes(shared_bytes).collective(),
            allreduce_rmsnorm_packets { team, out, residual_out, partial, residual, weight, tokens, hidden, eps },
        )?;
        world.own_stream().synchronize()
    };
    World::threads(1, &config(), run).unwrap_err()
}

#[test]
fn a_launch_that_does_not_fit_the_row_is_a_fault_that_says_how_much_fits() {
    let shape = Shape::new(1, 512).unwrap();
    let (payload, threads, shared) = (shape.payload(), shape.threads(), shape.shared_bytes());
    let fault = |error: Error| (error.kind(), error.fault().map(|fault| (fault.step, fault.asked, fault.seen)));
    let small = alone(payload - 16, threads, shared, 0);
    assert!(small.to_string().contains("larger payload"), "{small}");
    assert_eq!(fault(small), (ErrorKind::OutOfRange, Some((FaultStep::RoundTooLarge, 1024, 1008))));
    let few = alone(payload, 31, shared, 0);
    assert_eq!(fault(few), (ErrorKind::OutOfRange, Some((FaultStep::RoundTooLarge, 1024, 4 * 8 * 31))));
    let without = alone(payload, threads, shared - 1, 0);
    assert_eq!(fault(without), (ErrorKind::OutOfRange, Some((FaultStep::OutOfLocal, 128, 127))));
    let odd = alone(payload, threads, shared, 1);
    assert_eq!(odd.fault().map(|fault| (fault.step, fault.asked)), Some((FaultStep::Misaligned, 8)));
}
