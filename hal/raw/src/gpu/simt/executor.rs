//! The loop that resumes coroutines, and what runs on each of them.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use oxshmem_core::{Error, ErrorKind};

use super::here::{self, Here};
use super::place::Place;
use super::state::{Next, State};
use super::{Grid, Schedule, Stats, collective, stacks};

/// Threads of a block at most.
const MOST_THREADS: u64 = 1024;

/// What coroutines and their scheduler share.
pub(super) struct Executor {
    pub(super) state: RefCell<State>,
    /// Every coroutine that is resumed from now on unwinds.
    stopping: Cell<bool>,
    /// The thread that the next coroutine to be resumed starts.
    start: Cell<Option<Place>>,
    /// What the coroutine that suspended last drew to be next.
    drawn: Cell<Option<Next>>,
    /// Coroutines that have no thread.
    idle: RefCell<Vec<u32>>,
    pub(super) yield_one_in: u32,
}

type Worker = Coroutine<(), (), (), DefaultStack>;

impl Executor {
    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.get()
    }

    /// A coroutine's life: thread after thread, until it is resumed without one.
    fn work(&self, yielder: &Yielder<(), ()>, worker: u32, body: &dyn Fn()) {
        while let Some(mut place) = self.start.take() {
            loop {
                place.worker = worker;
                let here = Here::new(place, self, yielder);
                let ended = here.enter(|| catch_unwind(AssertUnwindSafe(body)));
                if self.is_stopping() {
                    return;
                }
                let mut state = self.state.borrow_mut();
                match ended {
                    Ok(()) => state.exited(&place),
                    Err(panic) => state.stop(panicked(&place, &*panic)),
                }
                match state.next() {
                    Next::Start(next) => place = next,
                    other => {
                        self.drawn.set(Some(other));
                        break;
                    }
                }
            }
            self.idle.borrow_mut().push(worker);
            yielder.suspend(());
        }
    }

    /// Runs the grid until nobody can run.
    fn drive<'a>(&'a self, body: &'a dyn Fn(), workers: &mut Vec<Worker>) -> Result<(), Error> {
        loop {
            let next = self.drawn.take().unwrap_or_else(|| self.state.borrow_mut().next());
            let worker = match next {
                Next::End => return self.state.borrow_mut().take_stopped().map_or(Ok(()), Err),
                Next::Resume(worker) => worker,
                Next::Start(place) => {
                    self.start.set(Some(place));
                    let idle = self.idle.borrow_mut().pop();
                    match idle {
                        Some(worker) => worker,
                        None => self.hire(body, workers)?,
                    }
                }
            };
            self.state.borrow_mut().stats.switches += 1;
            workers[worker as usize].resume(());
        }
    }

    /// Makes one more coroutine.
    fn hire<'a>(&'a self, body: &'a dyn Fn(), workers: &mut Vec<Worker>) -> Result<u32, Error> {
        let stack = stacks::take()?;
        let worker = workers.len() as u32;
        let life = move |yielder: &Yielder<(), ()>, ()| self.work(yielder, worker, body);
        // SAFETY: `run` ends every coroutine, by resuming it until it is done, before the executor and the
        // borrow of the body end.
        workers.push(unsafe { Coroutine::with_stack_unchecked(stack, life) });
        self.state.borrow_mut().add_worker();
        Ok(worker)
    }

    /// Ends every coroutine, unwinding those that are suspended in a thread, and keeps their stacks.
    fn dismiss(&self, mut workers: Vec<Worker>) {
        self.start.set(None);
        self.stopping.set(true);
        // Unwinding runs the kernel's own code, so the pool is not held meanwhile.
        for worker in &mut workers {
            while !worker.done() {
                worker.resume(());
            }
        }
        stacks::put(workers.into_iter().map(Coroutine::into_stack));
    }
}

fn panicked(place: &Place, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(ErrorKind::Fault, "run the grid to its end").because(format!(
        "thread {:?} of block {:?} panicked: {}",
        place.thread,
        place.block,
        text.unwrap_or("with something that is not text")
    ))
}

fn check(grid: &Grid) -> Result<(), Error> {
    let refuse = |reason: String| {
        Err(Error::new(ErrorKind::InvalidArgument, format!("launch a grid of {:?} blocks", grid.blocks))
            .because(reason))
    };
    if here::with(|here| here.is_some()) {
        return refuse("a GPU thread can't run a grid of its own".into());
    }
    if grid.blocks.contains(&0) || grid.threads.contains(&0) {
        return refuse(format!("{:?} blocks of {:?} threads: no number may be 0", grid.blocks, grid.threads));
    }
    let product = |of: [u32; 3]| of.iter().try_fold(1u64, |all, &n| all.checked_mul(n.into()));
    let threads = product(grid.threads).unwrap_or(u64::MAX);
    if threads > MOST_THREADS {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("launch blocks of {:?} threads", grid.threads))
            .amount(threads, MOST_THREADS, "threads of a block"));
    }
    let Some(all) = product(grid.blocks).and_then(|blocks| blocks.checked_mul(threads)) else {
        return refuse("the number of threads doesn't fit in 64 bits".into());
    };
    let most = stacks::most_resident_threads() as u64;
    if grid.collective && all > most {
        let action = format!("launch {:?} blocks of {:?} threads collectively", grid.blocks, grid.threads);
        return Err(Error::new(ErrorKind::Exhausted, action)
            .amount(all, most, "resident threads")
            .hint(format!("{} blocks of this size fit", most / threads)));
    }
    Ok(())
}

/// Runs `body` once as each thread of the grid, on the calling OS thread, and returns when all ended.
///
/// # Errors
///
/// - `Fault` if a GPU thread panicked (its coordinates and the panic's text are given), or if all live
///   threads of a block wait for each other (it says who waits where). The other threads are unwound.
/// - `InvalidArgument` if a size is 0, a block has more than 1024 threads, [`STACK_VARIABLE`](super::STACK_VARIABLE)
///   is no size, or the caller is a GPU thread itself.
/// - `Exhausted` if a collective grid has more threads than [`most_resident_threads`](super::most_resident_threads),
///   or the process has no stack for one more suspended thread.
pub fn run(grid: &Grid, schedule: &Schedule, body: &dyn Fn()) -> Result<Stats, Error> {
    check(grid)?;
    let executor = Executor {
        state: RefCell::new(State::new(grid, schedule)),
        stopping: Cell::new(false),
        start: Cell::new(None),
        drawn: Cell::new(None),
        idle: RefCell::new(Vec::new()),
        yield_one_in: schedule.yield_one_in,
    };
    collective::set_countdown(&executor);
    let mut workers = Vec::new();
    let ended = executor.drive(body, &mut workers);
    let stacks = workers.len();
    executor.dismiss(workers);
    let stats = executor.state.borrow().stats;
    ended.map(|()| Stats { stacks, ..stats })
}
