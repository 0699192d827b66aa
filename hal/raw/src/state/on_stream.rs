//! The operations of the library's kernels on streams: numbers among the kernels' arguments.

macro_rules! numbered {
    ($($(#[$doc:meta])* $name:ident { $($(#[$of:meta])* $case:ident = $raw:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name {
            $($(#[$of])* $case = $raw,)*
        }

        impl $name {
            /// Returns the operation with this number, if there is one.
            #[inline(always)]
            pub const fn from_raw(raw: u32) -> Option<Self> {
                match raw {
                    $($raw => Some(Self::$case),)*
                    _ => None,
                }
            }
        }
    )* };
}

numbered! {
    /// An operation of the kernel that posts on a queue.
    QueueOp {
        /// Puts.
        Put = 0,
        /// Gets.
        Get = 1,
        /// Completes the operations issued before.
        Quiet = 2,
    }

    /// The signal of the kernel that puts and then signals.
    SignalMode {
        /// Sets the word.
        Set = 1,
        /// Adds to the word.
        Add = 2,
    }

    /// An operation of the kernel that moves single elements.
    ElementsOp {
        /// Writes the element with the given bits.
        P = 0,
        /// Puts elements at strides.
        Iput = 1,
        /// Gets elements at strides.
        Iget = 2,
    }
}

/// The modes of the kernel of barriers, which add up.
pub mod barrier {
    /// It counts itself when it ends.
    pub const COUNTS: u32 = 1;
    /// It completes earlier operations on queues.
    pub const COMPLETES: u32 = 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_found_by_its_number_and_another_number_is_none() {
        for op in [QueueOp::Put, QueueOp::Get, QueueOp::Quiet] {
            assert_eq!(QueueOp::from_raw(op as u32), Some(op));
        }
        for op in [ElementsOp::P, ElementsOp::Iput, ElementsOp::Iget] {
            assert_eq!(ElementsOp::from_raw(op as u32), Some(op));
        }
        for mode in [SignalMode::Set, SignalMode::Add] {
            assert_eq!(SignalMode::from_raw(mode as u32), Some(mode));
        }
        assert_eq!((QueueOp::from_raw(3), ElementsOp::from_raw(u32::MAX), SignalMode::from_raw(0)), (None, None, None));
    }
}
