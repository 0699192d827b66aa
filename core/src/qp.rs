//! Queue pairs.

/// A queue pair that the program made. One handle reaches every PE: it stands for a row of queues,
/// one for each target.
///
/// The value is the one of the C interface (`nvshmemx_qp_handle_t`, an `int`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct QpHandle(i32);

impl QpHandle {
    /// The default queue pairs. What `qp_create` hands out where a transport has nothing to create.
    pub const DEFAULT: Self = Self(1);

    /// The handle with the C interface's value.
    pub const fn from_raw(raw: i32) -> Self {
        Self(raw)
    }

    /// The C interface's value.
    pub const fn raw(self) -> i32 {
        self.0
    }
}

/// On which queue an operation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Qp {
    /// The default queues: the same as the call without a queue.
    Default,
    /// Whichever queue the transport likes, a default or a custom one. One call uses one queue.
    Any,
    /// A queue made by `qp_create`.
    Custom(QpHandle),
}

/// Which queues a fence or a quiet speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpSet<'a> {
    /// All default queues.
    Default,
    /// Every queue, default and custom.
    All,
    /// Exactly these.
    Of(&'a [QpHandle]),
}
