//! Memory of one execution of a model: the word at each address.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::fmt;
use std::rc::Rc;

use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicU32, AtomicU64};

/// The word at an address.
#[derive(Debug)]
pub enum Word {
    /// 8 bytes that threads access concurrently.
    U64(AtomicU64),
    /// 4 bytes that threads access concurrently.
    U32(AtomicU32),
    /// 16 bytes that one thread at a time may use: an access that happens neither before nor after every write of
    /// another thread is reported.
    Plain(UnsafeCell<[u64; 2]>),
    /// A count that influences nothing: no interleaving is tried for it.
    Count(Cell<u64>),
}

impl Word {
    /// Makes a [`Word::U64`].
    pub fn u64(value: u64) -> Self {
        Self::U64(AtomicU64::new(value))
    }

    /// Makes a [`Word::U32`].
    pub fn u32(value: u32) -> Self {
        Self::U32(AtomicU32::new(value))
    }

    /// Makes a [`Word::Plain`].
    pub fn plain() -> Self {
        Self::Plain(UnsafeCell::new([0; 2]))
    }

    /// Makes a [`Word::Count`].
    pub fn count() -> Self {
        Self::counting(0)
    }

    /// Makes a [`Word::Count`] that begins with a value.
    pub fn counting(from: u64) -> Self {
        Self::Count(Cell::new(from))
    }
}

type Check = Rc<dyn Fn(u64)>;

/// All words of an execution, and the checks of values stored to them.
#[derive(Default)]
pub struct Memory {
    words: RefCell<HashMap<u64, Rc<Word>>>,
    checks: RefCell<HashMap<u64, Check>>,
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words", self.words.borrow().len())
    }
}

thread_local! {
    // The checker runs all threads of a model on one thread of the system.
    static MEMORY: RefCell<Option<Rc<Memory>>> = const { RefCell::new(None) };
}

impl Memory {
    /// Creates the memory of a new execution, in place of the last one's.
    pub fn fresh() -> Rc<Self> {
        let memory = Rc::new(Self::default());
        MEMORY.set(Some(memory.clone()));
        memory
    }

    /// Puts `word` at `at`.
    pub fn put(&self, at: u64, word: Word) {
        assert!(self.words.borrow_mut().insert(at, Rc::new(word)).is_none(), "two words at {at:#x}");
    }

    /// Calls `check` with each value that is stored at `at`, before the store, in the order of the execution.
    pub fn check(&self, at: u64, check: impl Fn(u64) + 'static) {
        self.checks.borrow_mut().insert(at, Rc::new(check));
    }
}

fn current() -> Rc<Memory> {
    MEMORY.with_borrow(|memory| memory.clone()).expect("no memory: outside of a model")
}

/// Returns the word at `at`.
pub fn word(at: u64) -> Rc<Word> {
    let found = current().words.borrow().get(&at).cloned();
    found.unwrap_or_else(|| panic!("nothing is at {at:#x}"))
}

pub(crate) fn checked(at: u64, value: u64) {
    let check = current().checks.borrow().get(&at).cloned();
    if let Some(check) = check {
        check(value);
    }
}

/// Reads [`Word::Plain`].
pub fn read(at: u64) -> [u64; 2] {
    match &*word(at) {
        // SAFETY: the cell reports a racing access before this read.
        Word::Plain(cell) => cell.with(|value| unsafe { *value }),
        other => panic!("a plain read of {other:?}"),
    }
}

/// Writes [`Word::Plain`].
pub fn write(at: u64, value: [u64; 2]) {
    match &*word(at) {
        // SAFETY: the cell reports a racing access before this write.
        Word::Plain(cell) => cell.with_mut(|at| unsafe { *at = value }),
        other => panic!("a plain write of {other:?}"),
    }
}
