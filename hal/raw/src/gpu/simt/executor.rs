//! The scheduling loop that resumes coroutines, and the loop that runs GPU threads on each coroutine.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, Yielder};
use oxshmem_core::{Error, ErrorKind};

use super::running_thread::{self, RunningGrid, RunningThread};
use super::state::{NextStep, State};
use super::thread_index::ThreadIndex;
use super::{Grid, Schedule, Stats, by_fault, collective, stacks};

/// Largest number of threads in a block.
const MAX_BLOCK_THREADS: u64 = 1024;

/// The state shared by the coroutines and their scheduler.
struct Executor {
    grid: RunningGrid,
    /// The thread to start on the coroutine that is resumed next.
    start: Cell<Option<ThreadIndex>>,
    /// The next step, if the coroutine that suspended last has already drawn it.
    next_step: Cell<Option<NextStep>>,
    /// Coroutines that run no thread.
    idle: RefCell<Vec<u32>>,
}

type ThreadCoroutine = Coroutine<(), (), (), DefaultStack>;

impl Executor {
    /// Runs the body of a coroutine: one thread at a time, until it is resumed without a thread.
    fn run_threads(&self, yielder: &Yielder<(), ()>, coroutine: u32, body: &dyn Fn()) {
        while let Some(mut index) = self.start.take() {
            loop {
                index.coroutine = coroutine;
                let running = RunningThread::new(index, &self.grid, yielder);
                let ended = running.enter(|| catch_unwind(AssertUnwindSafe(body)));
                if self.grid.stopping.get() {
                    return;
                }
                let mut state = self.grid.state.borrow_mut();
                match ended {
                    Ok(()) => state.exited(&index),
                    Err(panic) => state.stop(panicked(&index, &*panic)),
                }
                match state.next() {
                    NextStep::Start(next) => index = next,
                    other => {
                        self.next_step.set(Some(other));
                        break;
                    }
                }
            }
            self.idle.borrow_mut().push(coroutine);
            yielder.suspend(());
        }
    }

    /// Runs the grid until no thread can run.
    fn run_grid<'a>(&'a self, body: &'a dyn Fn(), coroutines: &mut Vec<ThreadCoroutine>) -> Result<(), Error> {
        loop {
            let next = self.next_step.take().unwrap_or_else(|| self.grid.state.borrow_mut().next());
            let coroutine = match next {
                NextStep::End => return self.grid.state.borrow_mut().take_stopped().map_or(Ok(()), Err),
                NextStep::Resume(coroutine) => coroutine,
                NextStep::Start(index) => {
                    self.start.set(Some(index));
                    let idle = self.idle.borrow_mut().pop();
                    match idle {
                        Some(coroutine) => coroutine,
                        None => self.add_coroutine(body, coroutines)?,
                    }
                }
            };
            self.grid.state.borrow_mut().stats.switches += 1;
            coroutines[coroutine as usize].resume(());
        }
    }

    /// Creates one more coroutine.
    fn add_coroutine<'a>(&'a self, body: &'a dyn Fn(), coroutines: &mut Vec<ThreadCoroutine>) -> Result<u32, Error> {
        let stack = stacks::take()?;
        let coroutine = coroutines.len() as u32;
        let entry = move |yielder: &Yielder<(), ()>, ()| self.run_threads(yielder, coroutine, body);
        // SAFETY: the coroutine borrows `self` and `body`. `run` resumes every coroutine until it is done before the
        // executor and the borrow of the body end.
        coroutines.push(unsafe { Coroutine::with_stack_unchecked(stack, entry) });
        self.grid.state.borrow_mut().add_coroutine();
        Ok(coroutine)
    }

    /// Ends every coroutine, unwinding those that are suspended in a thread, and keeps their stacks.
    fn finish_coroutines(&self, mut coroutines: Vec<ThreadCoroutine>) {
        self.start.set(None);
        self.grid.stopping.set(true);
        // Unwinding runs the kernel's code, so the lock of the pool must not be held here.
        for coroutine in &mut coroutines {
            while !coroutine.done() {
                coroutine.resume(());
            }
        }
        stacks::put(coroutines.into_iter().map(Coroutine::into_stack));
    }
}

fn panicked(index: &ThreadIndex, panic: &(dyn Any + Send)) -> Error {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    Error::new(ErrorKind::Fault, "run the grid to its end").because(format!(
        "thread {:?} of block {:?} panicked: {}",
        index.thread,
        index.block,
        text.unwrap_or("with something that is not text")
    ))
}

fn check(grid: &Grid) -> Result<(), Error> {
    let refuse = |reason: String| {
        Err(Error::new(ErrorKind::InvalidArgument, format!("launch a grid of {:?} blocks", grid.blocks))
            .because(reason))
    };
    if running_thread::with(|running| running.is_some()) {
        return refuse("a GPU thread can't run a grid of its own".into());
    }
    if grid.blocks.contains(&0) || grid.threads.contains(&0) {
        return refuse(format!("{:?} blocks of {:?} threads: no number may be 0", grid.blocks, grid.threads));
    }
    let product = |of: [u32; 3]| of.iter().try_fold(1u64, |all, &n| all.checked_mul(n.into()));
    let threads = product(grid.threads).unwrap_or(u64::MAX);
    if threads > MAX_BLOCK_THREADS {
        return Err(Error::new(ErrorKind::InvalidArgument, format!("launch blocks of {:?} threads", grid.threads))
            .amount(threads, MAX_BLOCK_THREADS, "threads of a block"));
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

/// Runs a grid as [`run`] does, in which the lanes of a warp make each call of [`lanes_with`](super::lanes_with) together,
/// as they do on a GPU that executes them in step. Every lane of a warp must make the same calls of it.
///
/// # Errors
/// As [`run`].
pub fn run_together(grid: &Grid, schedule: &Schedule, body: &dyn Fn()) -> Result<Stats, Error> {
    collective::set_together(true);
    let ran = run(grid, schedule, body);
    collective::set_together(false);
    ran
}

/// Runs `body` once as each thread of the grid, on the calling OS thread, and returns when all have ended.
///
/// # Errors
///
/// - `Fault` if a GPU thread panicked (with its coordinates and the panic's text), or if all live threads of a block
///   wait for each other (with the threads that wait at each barrier). The other threads are unwound.
/// - `InvalidArgument` if a size is 0, a block has more than 1024 threads, [`STACK_VARIABLE`](super::STACK_VARIABLE) is
///   not a valid size, or the caller is a GPU thread itself.
/// - `Exhausted` if a collective grid has more threads than [`most_resident_threads`](super::most_resident_threads), or
///   the process has no stack for one more suspended thread.
pub fn run(grid: &Grid, schedule: &Schedule, body: &dyn Fn()) -> Result<Stats, Error> {
    check(grid)?;
    by_fault::begin_grid();
    let executor = Executor {
        grid: RunningGrid {
            state: RefCell::new(State::new(grid, schedule)),
            stopping: Cell::new(false),
            yield_one_in: schedule.yield_one_in,
        },
        start: Cell::new(None),
        next_step: Cell::new(None),
        idle: RefCell::new(Vec::new()),
    };
    collective::set_countdown(&executor.grid);
    let mut coroutines = Vec::new();
    let ended = executor.run_grid(body, &mut coroutines);
    let stacks = coroutines.len();
    executor.finish_coroutines(coroutines);
    let stats = executor.grid.state.borrow().stats;
    ended.map(|()| Stats { stacks, ..stats })
}
