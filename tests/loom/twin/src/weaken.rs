//! Weakens one operation of the protocol, which the model must notice.

use std::cell::Cell;
use std::panic::Location;
use std::sync::atomic::Ordering;

/// The effect on the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It keeps its effect and loses its order.
    Relaxed,
    /// It is left out: a fence or store does nothing, a load returns 0, a compare-and-swap reports success.
    Dropped,
}

/// An operation, by the place of its call.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// End of the path of the file.
    pub file: &'static str,
    /// Line of the call, from 1.
    pub line: u32,
    /// The called function, as the text has it. The instruction is one that it calls.
    pub operation: &'static str,
    /// The effect on the operation.
    pub how: How,
}

impl Site {
    /// Finds the `nth` call (from 0) of `operation` in `function` of the file with this end of path and this text.
    ///
    /// # Panics
    /// There is no such call: the protocol has changed, and its weakened form must be revised.
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
        // The sharing of the queue chooses the instruction for a word of it, so that the call has another name.
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

/// Sets the weakened operation, or none, of later models on this thread.
pub fn set(site: Option<Site>) {
    SITE.set(site);
}

/// Makes later models on this thread treat this load as an acquiring one. The load is relaxed, but all accesses that
/// need its order depend on a branch on it, an order that C++ does not have.
pub fn order_by_branch(site: Site) {
    BRANCH.set(Some(site));
}

/// Returns the effect on the operation called there, if it is weakened.
pub(crate) fn how(operation: &str, at: &Location<'_>) -> Option<How> {
    SITE.get().filter(|site| site.is_at(operation, at)).map(|site| site.how)
}

/// Returns the effective order of the operation called there, given its proper order; `None`: it is left out.
pub(crate) fn order(operation: &str, at: &Location<'_>, order: Ordering) -> Option<Ordering> {
    match how(operation, at) {
        None if BRANCH.get().is_some_and(|site| site.is_at(operation, at)) => Some(Ordering::Acquire),
        None => Some(order),
        Some(How::Relaxed) => Some(Ordering::Relaxed),
        Some(How::Dropped) => None,
    }
}
