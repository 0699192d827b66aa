//! The program's requests, one line each.

use crate::peer::{self, number};
use oxshmem_raw::state::WorldState;

use super::engine::MOST_QUEUES;

/// The queues of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Default queues toward the other PE.
    pub(super) qps: u32,
    /// Basic blocks of each.
    pub(super) depth: u32,
    /// Index of the first block.
    pub(super) start: u64,
    /// [`WorldState::BY_CTA`] or one of its alternatives.
    pub(super) map_by: u32,
}

/// A row to measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) test: String,
    pub(super) shape: Shape,
    pub(super) ctas: u32,
    pub(super) threads: u32,
    /// Whether each thread's element is in a line of its own.
    pub(super) line: bool,
    /// Blocks for each doorbell of `nic_engine`; 0: half of the depth.
    pub(super) batch: u32,
    pub(super) iters: u32,
    pub(super) repeat: u32,
    /// For tests of the program itself. `nic_engine`: the number of the rule that the first batch breaks. `nic_p_rate`:
    /// the error of the expected value.
    pub(super) corrupt: u32,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            test: String::new(),
            shape: Shape { qps: 1, depth: 1024, start: 0, map_by: WorldState::BY_CTA },
            ctas: 1,
            threads: 256,
            line: false,
            batch: 0,
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
    let Some(request) = peer::parse(line, take)? else { return Ok(None) };
    if u64::from(request.ctas) * u64::from(request.threads) > 1 << 22 {
        return Err(format!(
            "{} threads in the grid: at most {} fit the heap",
            request.ctas * request.threads,
            1 << 22
        ));
    }
    Ok(Some(request))
}

fn take(request: &mut Request, key: &str, value: &str) -> Result<(), String> {
    match key {
        "test" => request.test = value.into(),
        "qps" => request.shape.qps = number(key, value, 1, MOST_QUEUES.into())? as u32,
        "depth" => {
            request.shape.depth = number(key, value, 64, 32_768)? as u32;
            if !request.shape.depth.is_power_of_two() {
                return Err(format!("depth={value}: it is a power of two"));
            }
        }
        "start" => request.shape.start = number(key, value, 0, 1 << 48)?,
        "map" => {
            request.shape.map_by = match value {
                "cta" => WorldState::BY_CTA,
                "sm" => WorldState::BY_SM,
                "warp" => WorldState::BY_WARP,
                _ => return Err(format!("map={value}: it is one of cta, sm, warp")),
            }
        }
        "ctas" => request.ctas = number(key, value, 1, 65_535)? as u32,
        "threads" => request.threads = number(key, value, 1, 1024)? as u32,
        "line" => request.line = number(key, value, 0, 1)? == 1,
        "batch" => request.batch = number(key, value, 0, 32_768)? as u32,
        "iters" => request.iters = number(key, value, 1, u32::MAX.into())? as u32,
        "repeat" => request.repeat = number(key, value, 1, 1000)? as u32,
        "corrupt" => request.corrupt = number(key, value, 0, 100)? as u32,
        _ => {}
    }
    Ok(())
}
