//! The host side of every transport with queues: rows, registered buffers, the messages between PEs, and faults.
//!
//! Keys and endpoints are opaque bytes here, so that transports over other libraries than verbs can use these modules.

mod buffer_table;
mod bytes;
pub mod connect_data;
pub mod extent_offer;
mod reported_faults;
mod row_table;

pub use buffer_table::{BufferTable, RegisteredBuffer};
pub use bytes::ByteReader;
pub use connect_data::{ConnectData, Magic, PeerConnectData};
pub use extent_offer::{ExtentOffer, RemoteKey};
pub use reported_faults::ReportedFaults;
pub use row_table::{KernelRows, Row, RowTable};
