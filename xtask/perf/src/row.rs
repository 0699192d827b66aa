//! A row: the request to every peer, and the unit of its time.

use std::fmt;

/// The test without a request: the task starts the peers again for it.
pub(crate) const INIT: &str = "init";

/// One measurement. `None` is a key that the test does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Row {
    /// The test's name.
    pub test: &'static str,
    /// The scope of the calls.
    pub scope: Option<&'static str>,
    /// Blocks, and threads of each.
    pub grid: Option<(u64, u64)>,
    /// Bytes of one iteration, of all groups together.
    pub bytes: Option<u64>,
    /// Bytes from a 256-byte boundary to the start of one side: the side that is read remotely, or the local side.
    pub skew: u64,
    /// Whether both PEs do it to each other.
    pub both: bool,
    /// The atomic, or `put` or `get`.
    pub op: Option<&'static str>,
    /// Whether each element has a line of 128 bytes of its own.
    pub line: bool,
    /// Points in x and y of the solver's grid, and its variant.
    pub solver: Option<(u64, u64, &'static str)>,
    /// The number of a NIC's queues to the other PE, and basic blocks of each.
    pub queues: Option<(u64, u64)>,
    /// Threads of the host that post.
    pub proxies: Option<u64>,
    /// The quantile of single calls.
    pub stat: Option<&'static str>,
    /// Whether each PE's process is bound to one core.
    pub bound: bool,
    /// Iterations of a repetition.
    pub iters: u64,
}

/// The meaning of a row's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// GB/s, of 10^9 bytes.
    Bandwidth,
    /// G/s: 10^9 elements of this many bytes a second.
    Elements(u64),
    /// M/s: 10^6 calls a second, with this many in an iteration.
    Calls(u64),
    /// us.
    Time,
    /// ns.
    ShortTime,
    /// The share of a core, from a time that is ns of a second.
    Share,
}

impl Unit {
    /// Returns the unit's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bandwidth => "GB/s",
            Self::Elements(_) => "G/s",
            Self::Calls(_) => "M/s",
            Self::Time => "us",
            Self::ShortTime => "ns",
            Self::Share => "% of a core",
        }
    }
}

impl Row {
    /// Returns a row of this test without other keys.
    pub(crate) fn of(test: &'static str) -> Self {
        Self { test, iters: 1, ..Self::default() }
    }

    /// Sets the scope of the calls, and a grid of this many blocks and threads.
    pub(crate) fn by(self, scope: &'static str, ctas: u64, threads: u64) -> Self {
        Self { scope: Some(scope), grid: Some((ctas, threads)), ..self }
    }

    /// Sets the bytes.
    pub(crate) fn bytes(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// Sets the operation.
    pub(crate) fn op(self, op: &'static str) -> Self {
        Self { op: Some(op), ..self }
    }

    /// Sets the number of queues and their basic blocks.
    pub(crate) fn queues(self, qps: u64, depth: u64) -> Self {
        Self { queues: Some((qps, depth)), ..self }
    }

    /// Sets the iterations.
    pub(crate) fn iters(self, iters: u64) -> Self {
        Self { iters, ..self }
    }

    /// Returns the number of blocks, 0 for a row of the host.
    pub(crate) fn ctas(&self) -> u64 {
        self.grid.map_or(0, |(ctas, _)| ctas)
    }

    /// Returns the number of groups that call in an iteration.
    pub(crate) fn groups(&self) -> u64 {
        let (ctas, threads) = self.grid.unwrap_or((1, 1));
        match self.scope {
            Some("thread") => ctas * threads,
            Some("warp") => ctas * (threads / 32).max(1),
            _ => ctas,
        }
    }

    /// Returns the keys of the test with their values, by which rows differ.
    pub(crate) fn keys(&self) -> Vec<(&'static str, String)> {
        let mut keys = Vec::new();
        keys.extend(self.op.map(|op| ("op", op.to_string())));
        keys.extend(self.scope.map(|scope| ("scope", scope.to_string())));
        if let Some((ctas, threads)) = self.grid {
            keys.push(("ctas", ctas.to_string()));
            keys.push(("threads", threads.to_string()));
        }
        if let Some((qps, depth)) = self.queues {
            keys.push(("qps", qps.to_string()));
            keys.push(("depth", depth.to_string()));
        }
        keys.extend(self.proxies.map(|proxies| ("proxies", proxies.to_string())));
        keys.extend(self.bytes.map(|bytes| ("bytes", bytes.to_string())));
        if self.skew > 0 {
            keys.push(("skew", self.skew.to_string()));
        }
        if self.both {
            keys.push(("both", "1".to_string()));
        }
        if self.line {
            keys.push(("line", "1".to_string()));
        }
        if self.bound {
            keys.push(("bound", "1".to_string()));
        }
        keys.extend(self.stat.map(|stat| ("stat", stat.to_string())));
        if let Some((nx, ny, variant)) = self.solver {
            keys.push(("nx", nx.to_string()));
            keys.push(("ny", ny.to_string()));
            keys.push(("variant", variant.to_string()));
        }
        keys
    }

    /// Returns the value of a key, `test` among them; 0 if it has none.
    pub(crate) fn value(&self, key: &str) -> String {
        let keys = [("test", self.test.to_string())].into_iter().chain(self.keys());
        keys.into_iter().find_map(|(name, value)| (name == key).then_some(value)).unwrap_or("0".into())
    }

    /// Returns the line that requests it from a peer.
    pub(crate) fn request(&self, repeat: u32) -> String {
        let keys: String = self.keys().into_iter().map(|(key, value)| format!(" {key}={value}")).collect();
        format!("run test={}{keys} iters={} repeat={repeat}", self.test, self.iters)
    }

    /// Returns whether every word of `text` matches. A word with `=` must be one of the row's keys, as printed or as
    /// requested; any other word must occur in the row's name.
    pub(crate) fn fits(&self, text: &str) -> bool {
        let name = self.to_string();
        let asked = self.request(1);
        text.split_whitespace().all(|word| match word.contains('=') {
            true => name.split(' ').chain(asked.split(' ')).any(|part| part == word),
            false => name.contains(word),
        })
    }

    /// Returns the meaning of its time.
    pub(crate) fn unit(&self) -> Unit {
        match self.test {
            "shmem_put_bw" | "shmem_get_bw" | "bw" => Unit::Bandwidth,
            "shmem_p_bw" | "shmem_g_bw" | "shmem_st_bw" => Unit::Elements(4),
            "shmem_atomic_bw" => Unit::Elements(8),
            "shmem_put_nbi_rate" => Unit::Calls(self.groups()),
            "nic_p_rate" | "nic_p_own_rate" => Unit::Calls(self.grid.map_or(1, |(ctas, threads)| ctas * threads)),
            // One doorbell of the engine's row is for half of a queue.
            "nic_engine" => Unit::Calls(self.queues.map_or(1, |(qps, depth)| qps * depth / 2)),
            test if test.starts_with("nic_") => Unit::ShortTime,
            "proxy_p_rate" => Unit::Calls(self.grid.map_or(1, |(ctas, threads)| ctas * threads)),
            "proxy_put_rate" => Unit::Calls(self.ctas().max(1)),
            "proxy_put_bw" => Unit::Bandwidth,
            "proxy_idle" | "proxy_stay" | "proxy_put_copies" => Unit::Share,
            "proxy_wake_latency" | "proxy_wake_untold_latency" | "proxy_core_wake_latency" => Unit::Time,
            test if test.starts_with("proxy_") => Unit::ShortTime,
            _ => Unit::Time,
        }
    }

    /// Converts the time of an iteration in ns to the row's unit.
    pub(crate) fn figure(&self, ns: f64) -> f64 {
        let bytes = self.bytes.unwrap_or(0) as f64;
        match self.unit() {
            Unit::Bandwidth => bytes / ns,
            Unit::Elements(size) => bytes / size as f64 / ns,
            Unit::Calls(calls) => calls as f64 * 1e3 / ns,
            Unit::Time => ns / 1e3,
            Unit::ShortTime => ns,
            Unit::Share => ns / 1e7,
        }
    }
}

/// Formats the row for a table: the test, and its keys with sizes in binary units.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.test)?;
        for (key, value) in self.keys() {
            match (key, self.bytes) {
                ("bytes", Some(bytes)) => write!(f, " bytes={}", size(bytes))?,
                _ => write!(f, " {key}={value}")?,
            }
        }
        Ok(())
    }
}

/// Formats a size in the largest binary unit that divides it.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0 => "0B".to_string(),
        _ if bytes.is_multiple_of(1 << 20) => format!("{}MiB", bytes >> 20),
        _ if bytes.is_multiple_of(1 << 10) => format!("{}KiB", bytes >> 10),
        _ => format!("{bytes}B"),
    }
}

/// Formats as [`size`] does, for people: with a space before the unit.
pub(crate) fn in_words(bytes: u64) -> String {
    let size = size(bytes);
    let unit = size.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(size.len());
    format!("{} {}", &size[..unit], &size[unit..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put() -> Row {
        Row::of("shmem_put_bw").by("block", 8, 1024).bytes(1 << 20).iters(100)
    }

    #[test]
    fn a_request_is_the_line_of_the_protocol() {
        let skewed = Row { skew: 4, both: true, ..put() };
        assert_eq!(
            skewed.request(5),
            "run test=shmem_put_bw scope=block ctas=8 threads=1024 bytes=1048576 skew=4 both=1 iters=100 repeat=5"
        );
        assert_eq!(Row::of("barrier_on_stream").iters(20).request(3), "run test=barrier_on_stream iters=20 repeat=3");
    }

    #[test]
    fn a_row_is_found_by_a_part_of_its_name_and_by_whole_keys() {
        let row = put();
        for text in ["put_bw", "ctas=8", "bytes=1MiB", "bytes=1048576", "put ctas=8", ""] {
            assert!(row.fits(text), "{text}");
        }
        for text in ["get_bw", "ctas=1", "bytes=1", "put ctas=1", "tas=8"] {
            assert!(!row.fits(text), "{text}");
        }
    }

    #[test]
    fn a_size_has_the_largest_unit_that_divides_it() {
        assert_eq!([size(3), size(1536), size(64 << 10), size(1 << 28)], ["3B", "1536B", "64KiB", "256MiB"]);
        assert_eq!(in_words(64 << 10), "64 KiB");
    }

    #[test]
    fn a_time_becomes_the_figure_of_its_row() {
        assert_eq!(put().figure(2048.0), 512.0);
        assert_eq!(Row::of("shmem_atomic_bw").by("thread", 1, 1024).bytes(8192).figure(512.0), 2.0);
        assert_eq!(Row::of("shmem_put_nbi_rate").by("warp", 2, 64).bytes(32).figure(1000.0), 4.0);
        assert_eq!(Row::of("shmem_p_latency").figure(1500.0), 1.5);
        assert_eq!(Row::of("nic_p_call_latency").figure(1500.0), 1500.0);
        assert_eq!(Row { grid: Some((8, 256)), ..Row::of("nic_p_rate") }.figure(1000.0), 2048.0);
        assert_eq!(Row::of("proxy_idle").figure(5e6), 0.5);
        assert_eq!(Row::of("nic_engine").queues(8, 1024).figure(4096.0), 1000.0);
    }
}
