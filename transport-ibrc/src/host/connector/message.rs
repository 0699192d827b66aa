//! Messages between the connectors of two PEs.
//!
//! ```text
//! magic [4] | kind u8 | batch u32 | row u32 | of the kind
//! kind 1, address: number of the NIC u8 | length u16 | address of the NIC | addresses of the endpoints
//! kind 2, ready:   nothing
//! kind 3, failed:  text
//! ```
//!
//! Numbers are little-endian.

use crate::host::connection::endpoint_pair::EndpointPair;

/// First bytes of a message; the last one is the version.
const MAGIC: [u8; 4] = *b"IBL\x01";
const ADDRESS: u8 = 1;
const READY: u8 = 2;
const FAILED: u8 = 3;

/// A message about the queue of a row between two PEs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Message {
    /// Batch and row, as in [`QueueKey`](super::QueueKey).
    pub(super) batch: u32,
    pub(super) row: u32,
    pub(super) body: Body,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// The sender's endpoints exist: the number and the address of their NIC, and their addresses.
    Address { nic: u8, device: Vec<u8>, endpoints: EndpointPair },
    /// The sender's endpoints are connected with the receiver's.
    Ready,
    /// The sender can't connect the queue: the reason.
    Failed(String),
}

impl Message {
    pub(super) fn encode(&self) -> Vec<u8> {
        let kind = match self.body {
            Body::Address { .. } => ADDRESS,
            Body::Ready => READY,
            Body::Failed(_) => FAILED,
        };
        let mut bytes = [&MAGIC[..], &[kind], &self.batch.to_le_bytes(), &self.row.to_le_bytes()].concat();
        match &self.body {
            Body::Address { nic, device, endpoints } => {
                bytes.push(*nic);
                // An address of a device has 65535 bytes at most.
                bytes.extend((device.len() as u16).to_le_bytes());
                bytes.extend(device);
                bytes.extend(endpoints.encode());
            }
            Body::Ready => {}
            Body::Failed(reason) => bytes.extend(reason.as_bytes()),
        }
        bytes
    }

    /// Decodes a message. `None`: it has another form.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let (kind, rest) = bytes.strip_prefix(&MAGIC)?.split_first()?;
        let (batch, rest) = rest.split_first_chunk()?;
        let (row, rest) = rest.split_first_chunk()?;
        let body = match *kind {
            ADDRESS => {
                let (nic, rest) = rest.split_first()?;
                let (length, rest) = rest.split_first_chunk()?;
                let (device, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
                Body::Address { nic: *nic, device: device.to_vec(), endpoints: EndpointPair::decode(rest)? }
            }
            READY if rest.is_empty() => Body::Ready,
            FAILED => Body::Failed(String::from_utf8_lossy(rest).into_owned()),
            _ => return None,
        };
        Some(Self { batch: u32::from_le_bytes(*batch), row: u32::from_le_bytes(*row), body })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_back_as_it_was_and_no_other_form_is_read() {
        let endpoints = EndpointPair { main: vec![1, 2, 3], fetch: Some(vec![4]) };
        for body in [
            Body::Address { nic: 3, device: vec![7; 300], endpoints },
            Body::Ready,
            Body::Failed("the NIC has no room".into()),
        ] {
            let message = Message { batch: 0x01020304, row: u32::MAX, body };
            let bytes = message.encode();
            assert_eq!(Message::decode(&bytes), Some(message));
            assert!((0..13).all(|end| Message::decode(&bytes[..end]).is_none()));
            assert_eq!(Message::decode(&[&[0], &bytes[..]].concat()), None);
        }
        let ready = Message { batch: 1, row: 2, body: Body::Ready }.encode();
        assert_eq!(Message::decode(&[&ready[..], &[0]].concat()), None);
    }
}
