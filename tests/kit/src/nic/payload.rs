//! Inline data of an entry.

use oxshmem_rdma::mlx5::{Segment, inline_head};

/// Returns the segments of inline data.
pub(super) fn payload(bytes: &[u8]) -> Vec<Segment> {
    let mut padded = bytes.to_vec();
    // The length comes before the data.
    padded.resize((4 + bytes.len()).next_multiple_of(size_of::<Segment>()) - 4, 0);
    let word = |at: usize| u32::from_ne_bytes([padded[at], padded[at + 1], padded[at + 2], padded[at + 3]]);
    let double = |at: usize| u64::from(word(at)) | u64::from(word(at + 4)) << 32;
    let head = inline_head(bytes.len() as u32, [word(0), word(4), word(8)]);
    let rest = (12..padded.len()).step_by(size_of::<Segment>()).map(|at| Segment(double(at), double(at + 8)));
    std::iter::once(head).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_payload_stands_behind_its_length_as_it_is_in_memory() {
        for bytes in [1_usize, 12, 13, 28, 29, 256] {
            let sent: Vec<u8> = (1..=bytes).map(|i| i as u8).collect();
            let words = payload(&sent).into_iter().flat_map(|Segment(first, second)| [first, second]);
            let stored: Vec<u8> = words.flat_map(u64::to_ne_bytes).collect();
            assert_eq!(stored.len(), (4 + bytes).next_multiple_of(16));
            assert_eq!(stored[..4], (1 << 31 | bytes as u32).to_be_bytes());
            assert_eq!(stored[4..4 + bytes], sent[..]);
            assert!(stored[4 + bytes..].iter().all(|&byte| byte == 0));
        }
    }
}
