//! The host's vocabulary: errors with text, and the control-plane contract.

mod error;
mod transport;

pub use error::{Amount, Error, ErrorKind};
pub use transport::{Extent, HostAmo, Offer, PathView, QpCounters, Reach, Transport, TransportCounter};

/// The result of a call of the host.
pub type Result<T, E = Error> = core::result::Result<T, E>;
