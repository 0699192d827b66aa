//! The tools of a case.

use std::cell::RefCell;
use std::time::Duration;

use oxshmem_conformance_kernels::place;
use oxshmem_hal::{Config, Element, Error, ErrorKind, Kernel, KernelArgs, Launch, Module, Pe, QpHandle, SymPtr, World};

use super::rng::{Rng, hash};
use super::session::{Mode, own_world};
use super::{Failure, Options, Outcome};

/// Crate of the kernels.
const KERNELS: &str = "oxshmem-conformance-kernels";

/// One PE's part of one run of a case.
pub struct Ctx<'a> {
    world: &'a World,
    module: &'a Module,
    options: &'a Options,
    mode: &'a Mode,
    seed: u64,
    /// Errors found so far, in order. A case goes on after an error, so that the PEs stay in step.
    findings: RefCell<Vec<String>>,
    /// Allocations to be freed at the end of the case.
    allocated: RefCell<Vec<SymPtr<u8>>>,
    qps: RefCell<Vec<QpHandle>>,
}

/// Loads the kernels into a world.
pub(super) fn load(world: &World) -> Result<Module, Failure> {
    Ok(world.modules().load(KERNELS)?)
}

impl<'a> Ctx<'a> {
    pub(super) fn new(
        world: &'a World,
        module: &'a Module,
        options: &'a Options,
        mode: &'a Mode,
        name: &str,
        repeat: u32,
    ) -> Self {
        let seed = place::bits(options.seed ^ hash(name)) ^ u64::from(repeat);
        Self {
            world,
            module,
            options,
            mode,
            seed,
            findings: RefCell::default(),
            allocated: RefCell::default(),
            qps: RefCell::default(),
        }
    }

    pub(super) fn options(&self) -> &Options {
        self.options
    }

    /// Returns whether a PE is remote: load and store don't reach it.
    pub(super) fn is_remote(&self, pe: Pe) -> bool {
        self.world.transport_to(pe).is_ok_and(|name| name != "nvlink")
    }

    /// Returns a number that is the same on all PEs and differs between cases and repeats.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns random numbers that are the same on all PEs.
    pub(super) fn rng(&self) -> Rng {
        Rng::new(self.seed)
    }

    /// Scales `usual` rounds by the option `--rounds`; at least one.
    pub(super) fn rounds(&self, usual: usize) -> usize {
        ((usual as f64 * self.options.rounds) as usize).max(1)
    }

    /// Returns `usual` for work that is best done in one batch, and less if fewer than a tenth of the rounds are
    /// asked for.
    pub(super) fn up_to(&self, usual: usize) -> usize {
        self.rounds(10 * usual).min(usual)
    }

    /// Returns all types or shapes from a fifth of the rounds on, or with `--every-shape`. With fewer rounds it returns
    /// some of them, and others for another seed or in a world of another size.
    pub(super) fn some<'b, T>(&self, all: &'b [T]) -> impl Iterator<Item = &'b T> + use<'b, T> {
        let rounds = if self.options.every_shape { 1.0 } else { self.options.rounds };
        some(all, rounds, (self.seed as usize).wrapping_add(self.world.n_pes() as usize))
    }

    /// Returns the rounds of an operation that takes microseconds: `usual` on host PEs and eight times as many on
    /// GPUs, which are faster.
    pub(super) fn many_rounds(&self, usual: usize) -> usize {
        self.rounds(if self.world.on_host() { usual } else { 8 * usual })
    }

    /// Allocates zeroed symmetric memory, which is freed at the end of the case. Collective.
    pub(super) fn calloc<T: Element>(&self, count: usize) -> Result<SymPtr<T>, Failure> {
        let at = self.world.calloc::<T>(count.max(1)).map_err(|error| self.for_want_of_room(error))?;
        self.allocated.borrow_mut().push(at.cast());
        Ok(at)
    }

    /// Turns the error of an allocation into a failure, or into a skip if the heap was too small and can't grow.
    pub(super) fn for_want_of_room(&self, error: Error) -> Failure {
        match error.kind() {
            ErrorKind::Exhausted if !self.world.heap().can_grow => Failure::skip(error.to_string()),
            _ => error.into(),
        }
    }

    /// Creates a custom queue, which is destroyed at the end of the case. Collective.
    pub(super) fn custom_qp(&self) -> Result<QpHandle, Failure> {
        let handles = self.world.qps().create(1)?;
        self.qps.borrow_mut().extend(&handles);
        handles.first().copied().ok_or_else(|| Failure::wrong("qp_create(1) gave no handle"))
    }

    /// Returns a kernel of the suite.
    pub(super) fn kernel(&self, name: &str) -> Result<Kernel, Failure> {
        Ok(self.module.kernel(name)?)
    }

    /// Loads the kernels of the suite for calls to these PEs.
    pub(super) fn load_for(&self, pes: &[Pe]) -> oxshmem_hal::Result<Module> {
        self.world.modules().load_for(KERNELS, pes)
    }

    /// Launches a kernel of the suite on the world's own stream.
    pub(super) fn launch(&self, name: &str, launch: Launch, args: impl KernelArgs) -> Outcome {
        Ok(self.world.own_stream().launch_kernel(&self.kernel(name)?, launch, args)?)
    }

    /// Skips the case unless the atomics of all PEs on one word are atomic with each other. They are not if a GPU
    /// changes its own words and NICs change the same words. On host PEs the processor does both, unless
    /// `--nic-atomics-apart` is given.
    pub(super) fn one_kind_of_atomics(&self, world: &World) -> Outcome {
        let far = world.pes().any(|pe| self.is_remote(pe));
        if far && !world.on_host() {
            return Err(Failure::skip("a GPU's atomics on its own words are not atomic with those of other PEs' NICs"));
        }
        if far && self.options.nic_atomics_apart {
            return Err(Failure::skip("a processor's atomics on its own words are not atomic with those of this NIC"));
        }
        Ok(())
    }

    /// Writes to this PE's part of symmetric memory.
    pub(super) fn write<T: Element>(&self, at: SymPtr<T>, values: &[T]) -> Outcome {
        Ok(self.world.write(at, values)?)
    }

    /// Reads from this PE's part of symmetric memory.
    pub(super) fn read<T: Element>(&self, at: SymPtr<T>, count: usize) -> Result<Vec<T>, Failure> {
        let mut values = vec![T::default(); count];
        self.world.read(at, &mut values)?;
        Ok(values)
    }

    /// Allocates memory for the errors that a kernel finds. Collective.
    pub(super) fn record(&self) -> Result<SymPtr<u64>, Failure> {
        self.calloc(place::RECORD)
    }

    /// Reports the errors that kernels found; `step` describes their step numbers.
    pub(super) fn check_record(&self, record: SymPtr<u64>, step: impl Fn(u64) -> String) -> Outcome {
        let found = self.read(record, place::RECORD)?;
        if found[0] != 0 {
            self.wrong(format!(
                "{}: expected {:#x}, seen {:#x} (the first of {})",
                step(found[1]),
                found[2],
                found[3],
                found[0]
            ));
        }
        Ok(())
    }

    /// Reports an error. The case goes on, so that the other PEs don't wait for this one.
    pub(super) fn wrong(&self, what: impl Into<String>) {
        self.findings.borrow_mut().push(what.into());
    }

    /// Reports an error unless `ok`.
    pub(super) fn check(&self, ok: bool, what: impl FnOnce() -> String) {
        if !ok {
            self.wrong(what());
        }
    }

    /// Reports an error unless the two slices are equal.
    pub(super) fn check_same<T: PartialEq + std::fmt::Debug>(
        &self,
        what: impl FnOnce() -> String,
        seen: &[T],
        expected: &[T],
    ) {
        if let Some(difference) = difference(seen, expected) {
            self.wrong(format!("{}: {difference}", what()));
        }
    }

    /// Runs `body` on every PE of a separate world, so that a fault stays in that world. Collective.
    pub(super) fn own_world(
        &self,
        change: impl FnOnce(Config) -> Config,
        body: impl Fn(&World, &Ctx) -> Outcome + Sync,
    ) -> Outcome {
        self.in_world_of(&change(self.world.config().clone()), &body)
    }

    fn in_world_of(&self, config: &Config, body: &(dyn Fn(&World, &Ctx) -> Outcome + Sync)) -> Outcome {
        let (options, mode) = (self.options, self.mode);
        let told = own_world(mode, options, self.world, config, &|world| {
            let module = load(world)?;
            let ctx = Ctx::new(world, &module, options, mode, "own world", 0);
            let outcome = body(world, &ctx);
            ctx.end(outcome)
        })?;
        let skipped = told.skipped;
        told.wrong.into_iter().for_each(|finding| self.wrong(finding));
        skipped.map_or(Ok(()), |why| Err(Failure::Skip(why)))
    }

    /// Returns the limit of the worlds in which a wait is to fail. It grows with the limit of the options, because over
    /// a wire that loses packets the preparations of a case take longer too.
    pub(super) fn short_limit(&self) -> Duration {
        Duration::from_millis(400).max(Duration::from_secs(self.options.limit) / 75)
    }

    /// Frees the resources of the case. Collective.
    pub(super) fn tidy(&self) -> Outcome {
        let qps = self.qps.take();
        if !qps.is_empty() {
            self.world.qps().destroy(&qps)?;
        }
        for at in self.allocated.take() {
            self.world.free(at)?;
        }
        Ok(())
    }

    /// Returns the outcome of the case on this PE.
    pub(super) fn end(&self, outcome: Outcome) -> Outcome {
        let findings = self.findings.take();
        match (outcome, findings.len()) {
            (outcome, 0) => outcome,
            // Errors found before the end are nearer to the cause.
            (Ok(()), 1) | (Err(_), 1) => Err(Failure::Wrong(findings[0].clone())),
            (_, n) => Err(Failure::Wrong(format!("{} (and {} more)", findings[0], n - 1))),
        }
    }

    /// Returns the PE `distance` before this one, modulo the number of PEs.
    pub(super) fn pe_before(&self, distance: u32) -> Pe {
        self.world.pe_after(self.world.n_pes() - distance % self.world.n_pes())
    }
}

/// Returns five times as large a part of `all` as the part of the rounds, at least one, from number `first` on.
fn some<T>(all: &[T], rounds: f64, first: usize) -> impl Iterator<Item = &T> {
    let count = (all.len() as f64 * (5.0 * rounds).min(1.0)).ceil() as usize;
    all.iter().cycle().skip(first % all.len()).take(count.max(1))
}

/// Describes how two slices differ. `None`: they are equal.
fn difference<T: PartialEq + std::fmt::Debug>(seen: &[T], expected: &[T]) -> Option<String> {
    if seen.len() != expected.len() {
        return Some(format!("{} elements, where {} are expected", seen.len(), expected.len()));
    }
    let at = seen.iter().zip(expected).position(|(seen, expected)| seen != expected)?;
    let differ = seen.iter().zip(expected).filter(|(seen, expected)| seen != expected).count();
    let (one, other, all) = (&seen[at], &expected[at], seen.len());
    Some(format!("element {at} is {one:?}, where {other:?} is expected ({differ} of {all} differ)"))
}

#[cfg(test)]
mod tests {
    use super::some;

    #[test]
    fn fewer_rounds_run_a_part_of_the_types_and_another_part_elsewhere() {
        let some = |rounds, first| some(&["a", "b", "c", "d"], rounds, first).copied().collect::<String>();
        assert_eq!([1.0, 0.3, 0.2].map(|rounds| some(rounds, 0)), ["abcd"; 3]);
        assert_eq!([0.1, 0.05, 0.003].map(|rounds| some(rounds, 0)), ["ab", "a", "a"]);
        assert_eq!([1, 3, 5].map(|first| some(0.1, first)), ["bc", "da", "bc"]);
        assert_eq!(some(1.0, 2), "cdab");
    }
}
