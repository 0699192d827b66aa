//! One operation of the protocol, made weaker than it is: the model must notice.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::Ordering;

/// What becomes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It keeps its effect and loses its order.
    Relaxed,
    /// It is not done: a fence or store does nothing, a load gives 0, a compare-and-swap says that it won.
    Dropped,
}

/// An operation, by where it is called.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// End of the path of the file.
    pub file: &'static str,
    /// Line of the call, from 1.
    pub line: u32,
    /// Function that is called, as the text has it. What it calls in its turn is the instruction.
    pub operation: &'static str,
    /// What becomes of it.
    pub how: How,
}

impl Site {
    /// The `nth` call (from 0) of `operation` in `function` of the file with this end and text.
    ///
    /// # Panics
    /// There is none: the protocol has changed, and who weakens it must look again.
    pub fn find(file: &'static str, text: &str, function: &str, operation: &'static str, nth: usize, how: How) -> Self {
        let heads = [format!("fn {function}("), format!("fn {function}<")];
        let call = format!("{operation}(");
        let mut lines = text.lines().enumerate().skip_while(|(_, line)| !heads.iter().any(|head| line.contains(head)));
        let (_, first) = lines.next().unwrap_or_else(|| panic!("no function {function} in {file}"));
        let end = format!("{}}}", &first[..first.len() - first.trim_start().len()]);
        let (number, _) = lines
            .take_while(|(_, line)| *line != end)
            .filter(|(_, line)| line.contains(&call) && !line.trim_start().starts_with("//"))
            .nth(nth)
            .unwrap_or_else(|| panic!("no call {nth} of {operation} in {function} of {file}"));
        Self { file, line: number as u32 + 1, operation, how }
    }

    fn is_at(&self, operation: &str, at: &Location<'_>) -> bool {
        // Who posts on a queue chooses the instruction for a word of it: those have other names where they are called.
        let chosen = matches!(
            self.operation,
            "load" | "load_acquire" | "store" | "store_release" | "raise_release" | "swap_acq_rel" | "store_mark"
        );
        (chosen || operation.starts_with(self.operation)) && self.line == at.line() && at.file().ends_with(self.file)
    }
}

thread_local! {
    static SITE: Cell<Option<Site>> = const { Cell::new(None) };
    static BRANCH: Cell<Option<Site>> = const { Cell::new(None) };
}

/// From now on models on this thread have this operation weakened, or none.
pub fn set(site: Option<Site>) {
    SITE.set(site);
}

/// From now on models on this thread take this load for one that acquires: it is relaxed, but a branch on it stands
/// before all that needs its order, which C++ knows nothing of.
pub fn order_by_branch(site: Site) {
    BRANCH.set(Some(site));
}

/// Whether the operation called there is weakened.
pub(crate) fn how(operation: &str, at: &Location<'_>) -> Option<How> {
    SITE.get().filter(|site| site.is_at(operation, at)).map(|site| site.how)
}

/// The order that the operation called there has, of the one that it should have; `None`: it is not done.
pub(crate) fn order(operation: &str, at: &Location<'_>, order: Ordering) -> Option<Ordering> {
    match how(operation, at) {
        None if BRANCH.get().is_some_and(|site| site.is_at(operation, at)) => Some(Ordering::Acquire),
        None => Some(order),
        Some(How::Relaxed) => Some(Ordering::Relaxed),
        Some(How::Dropped) => None,
    }
}
