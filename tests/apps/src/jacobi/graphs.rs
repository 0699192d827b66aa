//! Steps recorded in graphs.
//!
//! A kernel of a single step depends on the number of earlier steps only by the copy of the field that it reads: an
//! even or an odd number. A graph of steps therefore also takes later steps of the same parity. Its residual goes to
//! another word in each launch, which is an argument of its last kernel.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use oxshmem_core::Result;
use oxshmem_hal::Graph;
use oxshmem_test_kernels::jacobi::{Steps, jacobi_p_last, jacobi_put_last};

use super::method::{Method, Variant};
use super::parallel::{Solver, last_of};
use super::shape::Shape;

/// The recorded graphs of a solver, each with the word of its residual.
#[derive(Default)]
pub(super) struct Graphs<'w>(RefCell<HashMap<Key, (Graph<'w>, u32)>>);

/// The steps that a graph can take.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    variant: Variant,
    exchange: u32,
    starts_odd: bool,
    count: u32,
    residual: bool,
}

impl Key {
    fn of(variant: Variant, steps: Steps, residual: bool) -> Self {
        let Steps { taken, count, exchange, .. } = steps;
        Self { variant, exchange, starts_odd: !taken.is_multiple_of(2), count, residual }
    }
}

/// Splits steps for graphs of at most `most` steps. The last part alone has the residual.
fn parts(all: Steps, most: u32) -> impl Iterator<Item = (Steps, bool)> {
    (0..all.count.div_ceil(most)).map(move |number| {
        let before = number * most;
        let count = most.min(all.count - before);
        (Steps { taken: all.taken + u64::from(before), count, ..all }, before + count == all.count)
    })
}

impl Solver<'_> {
    /// Records the graphs that take these steps, except for recorded ones. Does nothing for a method without graphs.
    pub(super) fn record(&self, method: Method, shape: Shape, all: Steps) -> Result<()> {
        let Some(most) = method.graph else { return Ok(()) };
        let mut graphs = self.graphs.0.borrow_mut();
        for (steps, residual) in parts(all, most.get()) {
            if let Entry::Vacant(place) = graphs.entry(Key::of(method.variant, steps, residual)) {
                let stream = self.world.own_stream();
                let record = |_: &_| self.enqueue(method.variant, shape, steps, residual);
                place.insert((stream.capture(record)?, steps.slot));
            }
        }
        Ok(())
    }

    /// Launches the graphs that [`record`](Solver::record) made for these steps.
    pub(super) fn launch_recorded(&self, method: Method, shape: Shape, all: Steps) -> Result<()> {
        let mut graphs = self.graphs.0.borrow_mut();
        for (steps, residual) in method.graph.into_iter().flat_map(|most| parts(all, most.get())) {
            let (graph, slot) = graphs.get_mut(&Key::of(method.variant, steps, residual)).expect("it is recorded");
            if residual && *slot != steps.slot {
                let (index, slab, last) = (steps.count as usize - 1, self.slab_in(shape), last_of(steps));
                match method.variant {
                    Variant::P => graph.set_args(index, jacobi_p_last { slab, steps: last })?,
                    Variant::Put => graph.set_args(index, jacobi_put_last { slab, steps: last })?,
                    Variant::Persistent => unreachable!("`run` refuses its graphs"),
                }
                *slot = steps.slot;
            }
            graph.launch(&self.world.own_stream())?;
        }
        Ok(())
    }
}
