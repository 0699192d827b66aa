//! Reads the files of `golden/`: bytes that rdma-core, UCX and NVSHMEM wrote for a ConnectX.

/// Work queue entries that rdma-core built in its two ways of posting, one JSON object a line.
pub(crate) const WQES: &str = include_str!("golden/mlx5-wqe-golden.jsonl");
/// Work queue entries that NVSHMEM's device code posted: opmod and opcode, then the bytes.
pub(crate) const NVSHMEM_WQES: &str = include_str!("golden/mlx5-wqe-nvshmem.txt");
/// Command mailboxes with a distinctive value in each field, one JSON object a line.
pub(crate) const MAILBOXES: &str = include_str!("golden/mlx5-devx-golden.jsonl");
/// Command mailboxes of UCX as it makes its end points: opcode, then the bytes.
pub(crate) const UCX_MAILBOXES: &str = include_str!("golden/mlx5-devx-ucx.txt");

/// Returns the bytes of a hexadecimal text.
pub(crate) fn unhex(digits: &str) -> Vec<u8> {
    assert!(digits.len().is_multiple_of(2), "an odd number of digits: {digits}");
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect(digits)).collect()
}

/// Returns a member of a flat JSON object, without its quotes.
pub(crate) fn member<'a>(line: &'a str, name: &str) -> &'a str {
    let key = format!("\"{name}\":");
    let at = line.find(&key).unwrap_or_else(|| panic!("no {name} in {line}")) + key.len();
    let rest = &line[at..];
    let end = rest.find([',', '}']).expect(line);
    rest[..end].trim_matches('"')
}

/// Returns a member that is a number.
pub(crate) fn number(line: &str, name: &str) -> u64 {
    member(line, name).parse().expect(line)
}
