//! The host's vocabulary: errors with text, and the control-plane contract.

mod error;

pub use error::{Amount, Error, ErrorKind};

/// What can fail on the host.
pub type Result<T, E = Error> = core::result::Result<T, E>;
