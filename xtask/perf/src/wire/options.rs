//! The options of `perf --wire`.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};
use xtask::run::{Device, nic};

/// The unit of a row's size: the last 8 bytes of a write announce its arrival.
const UNIT: u64 = 8;
/// The largest size of a row: verbs' largest message.
const LARGEST: u64 = 1 << 30;

/// Measures write, read, send and atomics between two PEs, from the GPU and from the host, in perftest's rows.
#[derive(Parser, Clone, Debug)]
#[command(name = "cargo xtask perf --wire", bin_name = "cargo xtask perf --wire", max_term_width = 100)]
pub(crate) struct Options {
    /// Chooses this measurement.
    #[arg(long, required = true)]
    pub wire: bool,
    /// Device of the kernels.
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    pub device: Device,
    /// Sizes in bytes: FROM..TO for the powers of two, or a list with commas. K, M and G are binary units [default:
    /// 8..8M; 8..64K on host PEs].
    #[arg(long, value_name = "SIZES", value_parser = parse_sizes)]
    pub sizes: Option<Sizes>,
    /// Operations of a row, of each queue pair in a bandwidth [default: 5000 for bandwidth, and fewer for large sizes;
    /// 1000 for latency; 100 on host PEs].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub iterations: Option<u32>,
    /// Queue pairs of the program's own in a bandwidth. A block of the kernel uses each; over load/store, where there
    /// are none, it is the number of blocks.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub qps: u32,
    /// Operations, with commas. A send is a put with a signal; atomics are fetch-add and compare-swap of 8 bytes.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Op::Write, Op::Read, Op::Send, Op::Atomic])]
    pub ops: Vec<Op>,
    /// Origin of the operations, with commas: kernels (which host PEs run, too), and the host's calls.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [From::Gpu, From::Host])]
    pub from: Vec<From>,
    #[command(flatten)]
    pub nic: nic::Options,
    /// Two sizes, and 20 operations of each.
    #[arg(long)]
    pub quick: bool,
    /// Measures this program in place of oxshmem-perf.
    #[arg(long, value_name = "PROGRAM")]
    pub ours: Option<PathBuf>,
    /// Time limit of one row; a program that exceeds it has failed the row.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub row_seconds: u64,
}

/// A kind of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Op {
    /// Puts.
    Write,
    /// Gets.
    Read,
    /// Puts with a signal.
    Send,
    /// Fetch-add and compare-swap.
    Atomic,
}

impl Op {
    /// Returns the program's names of its operations.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Write => &["write"],
            Self::Read => &["read"],
            Self::Send => &["send"],
            Self::Atomic => &["fetch_add", "compare_swap"],
        }
    }
}

/// The origin of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// Kernels.
    Gpu,
    /// The host.
    Host,
}

/// Sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sizes(pub Vec<u64>);

/// Parses `FROM..TO`, which stands for the powers of two, or a list with commas.
fn parse_sizes(text: &str) -> Result<Sizes, String> {
    let Some((from, to)) = text.split_once("..") else {
        return text.split(',').map(size).collect::<Result<Vec<_>, _>>().map(Sizes);
    };
    let (from, to) = (size(from)?, size(to)?);
    if from > to {
        return Err(format!("{from} is more than {to}; write the smaller size first, as in 8..8M"));
    }
    if !from.is_power_of_two() {
        return Err(format!("{from} is no power of two, and FROM..TO stands for these; write a list: {from},{to}"));
    }
    Ok(Sizes(std::iter::successors(Some(from), |size| Some(size * 2)).take_while(|size| *size <= to).collect()))
}

fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, unit) = match text.char_indices().last() {
        Some((at, 'K' | 'k')) => (&text[..at], 1 << 10),
        Some((at, 'M' | 'm')) => (&text[..at], 1 << 20),
        Some((at, 'G' | 'g')) => (&text[..at], 1 << 30),
        _ => (text, 1),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    let Some(bytes) = bytes else {
        return Err(format!("`{text}` is no size; write a number of bytes, with K, M or G if need be, as in 8 or 64K"));
    };
    if bytes == 0 || bytes % UNIT != 0 {
        let above = bytes.next_multiple_of(UNIT).max(UNIT);
        return Err(format!(
            "{bytes} is no multiple of {UNIT}, and the last {UNIT} bytes of a write announce its arrival; take {above}"
        ));
    }
    if bytes > LARGEST {
        return Err(format!("{bytes} is more than 1G, the largest message of a NIC; take at most 1G"));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two_between_two_or_a_list() {
        assert_eq!(parse_sizes("8..64"), Ok(Sizes(vec![8, 16, 32, 64])));
        assert_eq!(parse_sizes("1K..5K"), Ok(Sizes(vec![1024, 2048, 4096])));
        assert_eq!(parse_sizes("8, 24,1M"), Ok(Sizes(vec![8, 24, 1 << 20])));
        assert_eq!(parse_sizes("8..8M").unwrap().0.len(), 21);
    }

    #[test]
    fn a_wrong_size_is_named_with_what_to_write() {
        for (text, words) in [
            ("8..", "`` is no size; write a number of bytes, with K, M or G if need be, as in 8 or 64K"),
            ("many", "`many` is no size; write a number of bytes, with K, M or G if need be, as in 8 or 64K"),
            ("0", "0 is no multiple of 8, and the last 8 bytes of a write announce its arrival; take 8"),
            ("8,12", "12 is no multiple of 8, and the last 8 bytes of a write announce its arrival; take 16"),
            ("64..8", "64 is more than 8; write the smaller size first, as in 8..8M"),
            ("24..64", "24 is no power of two, and FROM..TO stands for these; write a list: 24,64"),
            ("2G", "2147483648 is more than 1G, the largest message of a NIC; take at most 1G"),
        ] {
            assert_eq!(parse_sizes(text), Err(words.to_string()), "{text}");
        }
    }

    #[test]
    fn a_wrong_option_is_refused_with_the_values_that_there_are() {
        let refused = |words: &[&str]| {
            let words = ["perf", "--wire"].iter().chain(words);
            Options::try_parse_from(words).map(|options| panic!("{options:?}")).unwrap_err().to_string()
        };
        assert!(refused(&["--ops", "write,sned"]).contains("[possible values: write, read, send, atomic]"));
        assert!(refused(&["--from", "nic"]).contains("[possible values: gpu, host]"));
        assert!(refused(&["--qps", "65"]).contains("65 is not in 1..=64"));
        assert!(refused(&["--iterations", "0"]).contains("0 is not in 1..=1000000"));
        assert!(refused(&["--nic", "hard"]).contains("soft"));
        assert!(refused(&["--collectives"]).contains("unexpected argument '--collectives'"));
    }
}
