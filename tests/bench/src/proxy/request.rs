//! The program's requests, one line each.

use crate::peer::{self, number};

/// A row to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) test: String,
    pub(super) ctas: u32,
    pub(super) threads: u32,
    pub(super) proxies: u32,
    /// 0: as many as proxies.
    pub(super) qps: u32,
    pub(super) ring: u32,
    /// Whether threads' elements are in lines of their own.
    pub(super) line: bool,
    pub(super) bytes: u64,
    pub(super) idle_ms: u64,
    pub(super) iters: u32,
    pub(super) repeat: u32,
    /// For tests of the program itself: the error of the expected value.
    pub(super) corrupt: u64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            test: String::new(),
            ctas: 1,
            threads: 256,
            proxies: 1,
            qps: 0,
            ring: 4096,
            line: false,
            bytes: 1 << 20,
            idle_ms: 1000,
            iters: 1000,
            repeat: 5,
            corrupt: 0,
        }
    }
}

/// Parses one line; `None` is `quit`. Ignores unknown keys.
///
/// # Errors
/// The wrong word, and why.
pub(super) fn parse(line: &str) -> Result<Option<Request>, String> {
    let Some(mut request) = peer::parse(line, take)? else { return Ok(None) };
    if !request.ring.is_power_of_two() {
        return Err(format!("ring={}: it is a power of two", request.ring));
    }
    if u64::from(request.ctas) * u64::from(request.threads) > 1 << 20 {
        return Err(format!("{} threads in the grid: at most {} fit", request.ctas * request.threads, 1 << 20));
    }
    if request.qps == 0 {
        request.qps = request.proxies;
    }
    Ok(Some(request))
}

fn take(request: &mut Request, key: &str, value: &str) -> Result<(), String> {
    match key {
        "test" => request.test = value.into(),
        "ctas" => request.ctas = number(key, value, 1, 65_535)? as u32,
        "threads" => request.threads = number(key, value, 1, 1024)? as u32,
        "proxies" => request.proxies = number(key, value, 1, 64)? as u32,
        "qps" => request.qps = number(key, value, 1, 4096)? as u32,
        "ring" => request.ring = number(key, value, 64, 65_536)? as u32,
        "line" => request.line = number(key, value, 0, 1)? == 1,
        "bytes" => request.bytes = number(key, value, 64, 16 << 20)?,
        "idle_ms" => request.idle_ms = number(key, value, 0, 60_000)?,
        "iters" => request.iters = number(key, value, 1, u32::MAX.into())? as u32,
        "repeat" => request.repeat = number(key, value, 1, 1000)? as u32,
        "corrupt" => request.corrupt = number(key, value, 0, 100)?,
        _ => {}
    }
    Ok(())
}
