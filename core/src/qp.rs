//! Queue pairs.

/// A queue pair that the program created. One handle reaches every PE: it stands for a row of queues, one for each
/// target.
///
/// The value is that of the C interface (`nvshmemx_qp_handle_t`, an `int`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct QpHandle(i32);

impl QpHandle {
    /// The default queue pairs. `qp_create` returns it if the transport has nothing to create.
    pub const DEFAULT: Self = Self(1);

    /// Returns the handle with this value of the C interface.
    pub const fn from_raw(raw: i32) -> Self {
        Self(raw)
    }

    /// Returns the C interface's value.
    pub const fn raw(self) -> i32 {
        self.0
    }
}

/// The queue of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qp {
    /// The default queues, as in the call without a queue.
    Default,
    /// Any queue of the transport's choice, default or custom. One call uses one queue.
    Any,
    /// A queue created by `qp_create`.
    Custom(QpHandle),
}

/// The queues of a fence or a quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpSet<'a> {
    /// All default queues.
    Default,
    /// Every queue, default and custom.
    All,
    /// Exactly these queues.
    Of(&'a [QpHandle]),
}
