//! What a case works with besides the world.

use std::cell::RefCell;

use oxshmem_conformance_kernels::place;
use oxshmem_hal::{
    Config, Element, Error, ErrorKind, Kernel, KernelArgs, Launch, Module, Pe, QpHandle, SymAddr, SymPtr, World,
};
use oxshmem_raw::state::RESERVED_BYTES;

use super::rng::{Rng, hash};
use super::session::{Mode, own_world};
use super::{Failure, Options};

/// The crate of the kernels.
const KERNELS: &str = "oxshmem-conformance-kernels";

/// One PE's part of one run of a case.
pub struct Ctx<'a> {
    world: &'a World,
    module: &'a Module,
    options: &'a Options,
    mode: &'a Mode,
    seed: u64,
    /// What was found wrong, in order. A case goes on after a finding, so that the PEs stay in step.
    findings: RefCell<Vec<String>>,
    /// What was allocated, to be freed.
    allocated: RefCell<Vec<SymPtr<u8>>>,
    qps: RefCell<Vec<QpHandle>>,
}

/// The kernels, loaded into a world.
pub(super) fn load(world: &World) -> Result<Module, Failure> {
    Ok(world.load(KERNELS)?)
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

    /// Whether load and store don't reach a PE.
    pub(super) fn is_remote(&self, pe: Pe) -> bool {
        let somewhere = SymPtr::<u64>::new(SymAddr::new(RESERVED_BYTES));
        self.world.ptr(somewhere, pe).is_ok_and(|at| at.is_none())
    }

    /// A number that all PEs have alike, and that differs from case to case and from repeat to repeat.
    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Numbers that all PEs draw alike.
    pub(super) fn rng(&self) -> Rng {
        Rng::new(self.seed)
    }

    /// `usual` rounds, or as many times more or fewer as the options say; at least one.
    pub(super) fn rounds(&self, usual: usize) -> usize {
        ((usual as f64 * self.options.rounds) as usize).max(1)
    }

    /// `usual` of something that is best done at once for all; fewer where less than a tenth of the rounds is asked for.
    pub(super) fn up_to(&self, usual: usize) -> usize {
        self.rounds(10 * usual).min(usual)
    }

    /// Rounds of something that takes microseconds: `usual` on host PEs, eight times as many on GPUs, which are
    /// faster at them.
    pub(super) fn many_rounds(&self, usual: usize) -> usize {
        self.rounds(if self.world.on_host() { usual } else { 8 * usual })
    }

    /// Zeroed symmetric memory, which is freed when the case is over. Collective.
    pub(super) fn calloc<T: Element>(&self, count: usize) -> Result<SymPtr<T>, Failure> {
        let at = self.world.calloc::<T>(count.max(1)).map_err(|error| self.for_want_of_room(error))?;
        self.allocated.borrow_mut().push(at.cast());
        Ok(at)
    }

    /// What an allocation's error says of the case: nothing, if the heap was too small and can't grow.
    pub(super) fn for_want_of_room(&self, error: Error) -> Failure {
        match error.kind() {
            ErrorKind::Exhausted if !self.world.heap_can_grow() => Failure::skip(error.to_string()),
            _ => error.into(),
        }
    }

    /// A custom queue, which is destroyed when the case is over. Collective.
    pub(super) fn custom_qp(&self) -> Result<QpHandle, Failure> {
        let handles = self.world.qp_create(1)?;
        self.qps.borrow_mut().extend(&handles);
        handles.first().copied().ok_or_else(|| Failure::wrong("qp_create(1) gave no handle"))
    }

    /// A kernel of the suite.
    pub(super) fn kernel(&self, name: &str) -> Result<Kernel, Failure> {
        Ok(self.module.kernel(name)?)
    }

    /// Launches a kernel of the suite on the world's own stream.
    pub(super) fn launch(&self, name: &str, launch: Launch, args: impl KernelArgs) -> Result<(), Failure> {
        Ok(self.world.launch(&self.kernel(name)?, launch, args)?)
    }

    /// Every PE's atomics on one word are atomic with each other. Where a PE changes its own words by its GPU's atomics,
    /// and others change them by a NIC's, they are not; on host PEs both are the processor's, unless a NIC is told apart.
    pub(super) fn one_kind_of_atomics(&self, world: &World) -> Result<(), Failure> {
        let far = world.pes().any(|pe| self.is_remote(pe));
        if far && !world.on_host() {
            return Err(Failure::skip("a GPU's atomics on its own words are not atomic with those of other PEs' NICs"));
        }
        if far && self.options.nic_atomics_apart {
            return Err(Failure::skip("a processor's atomics on its own words are not atomic with those of this NIC"));
        }
        Ok(())
    }

    /// Writes to this PE's own part.
    pub(super) fn write<T: Element>(&self, at: SymPtr<T>, values: &[T]) -> Result<(), Failure> {
        Ok(self.world.write(at, values)?)
    }

    /// Reads from this PE's own part.
    pub(super) fn read<T: Element>(&self, at: SymPtr<T>, count: usize) -> Result<Vec<T>, Failure> {
        let mut values = vec![T::default(); count];
        self.world.read(at, &mut values)?;
        Ok(values)
    }

    /// Memory for what a kernel finds wrong. Collective.
    pub(super) fn record(&self) -> Result<SymPtr<u64>, Failure> {
        self.calloc(place::RECORD)
    }

    /// Reports what kernels found wrong; `step` says what their steps mean.
    pub(super) fn check_record(&self, record: SymPtr<u64>, step: impl Fn(u64) -> String) -> Result<(), Failure> {
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

    /// Something is wrong. The case goes on, so that the other PEs don't wait for this one.
    pub(super) fn wrong(&self, what: impl Into<String>) {
        self.findings.borrow_mut().push(what.into());
    }

    /// Something is wrong unless `ok`.
    pub(super) fn check(&self, ok: bool, what: impl FnOnce() -> String) {
        if !ok {
            self.wrong(what());
        }
    }

    /// Something is wrong unless the two are equal, element by element.
    pub(super) fn check_same<T: PartialEq + std::fmt::Debug>(
        &self,
        what: impl FnOnce() -> String,
        seen: &[T],
        expected: &[T],
    ) {
        if seen.len() != expected.len() {
            return self.wrong(format!("{}: {} elements, where {} are expected", what(), seen.len(), expected.len()));
        }
        let differ = seen.iter().zip(expected).filter(|(seen, expected)| seen != expected).count();
        if let Some(at) = seen.iter().zip(expected).position(|(seen, expected)| seen != expected) {
            self.wrong(format!(
                "{}: element {at} is {:?}, where {:?} is expected ({differ} of {} differ)",
                what(),
                seen[at],
                expected[at],
                seen.len()
            ));
        }
    }

    /// Runs `body` on every PE of a world of its own, made for this: a fault in it stays in it. Collective.
    pub(super) fn own_world(
        &self,
        change: impl FnOnce(Config) -> Config,
        body: impl Fn(&World, &Ctx<'_>) -> Result<(), Failure> + Sync,
    ) -> Result<(), Failure> {
        let config = change(self.world.config().clone());
        let (options, mode) = (self.options, self.mode);
        let told = own_world(mode, options, self.world, &config, |world| {
            let module = load(world)?;
            let ctx = Ctx::new(world, &module, options, mode, "own world", 0);
            let outcome = body(world, &ctx);
            ctx.end(outcome)
        })?;
        let skipped = told.skipped;
        told.wrong.into_iter().for_each(|finding| self.wrong(finding));
        skipped.map_or(Ok(()), |why| Err(Failure::Skip(why)))
    }

    /// Gives back what the case took. Collective.
    pub(super) fn tidy(&self) -> Result<(), Failure> {
        let qps = self.qps.take();
        if !qps.is_empty() {
            self.world.qp_destroy(&qps)?;
        }
        for at in self.allocated.take() {
            self.world.free(at)?;
        }
        Ok(())
    }

    /// How the case ended on this PE.
    pub(super) fn end(&self, outcome: Result<(), Failure>) -> Result<(), Failure> {
        let findings = self.findings.take();
        match (outcome, findings.len()) {
            (outcome, 0) => outcome,
            // What was found before the end is nearer to the cause.
            (Ok(()), 1) | (Err(_), 1) => Err(Failure::Wrong(findings[0].clone())),
            (_, n) => Err(Failure::Wrong(format!("{} (and {} more)", findings[0], n - 1))),
        }
    }

    /// The PE that is `distance` before this one, around the start.
    pub(super) fn pe_before(&self, distance: u32) -> Pe {
        self.world.pe_after(self.world.n_pes() - distance % self.world.n_pes())
    }
}
