//! `perf --collectives`: measures collectives in graphs, on a stream and in kernels, beside other libraries.

mod goals;
mod page;
mod rows;

use anyhow::Result;

use super::alone::{self, Suite};
use super::results::Results;
use super::{Options, roster};
use xtask::place::Place;

/// The properties of this suite.
const SUITE: Suite = Suite {
    name: "collectives",
    legend: page::LEGEND,
    head: Results::head,
    targets: |results| alone::judged(goals::judge(results)),
    tables: page::tables,
    charts: page::charts,
    judge: |_, _| (),
};

/// Runs the task.
pub(super) fn task(place: &Place, options: &Options) -> Result<i32> {
    let on = roster::on(options.device, options.n);
    let rows = options.fitting(rows::rows(options.profile(), on))?;
    if options.list {
        rows.iter().for_each(|row| println!("{row}"));
        return Ok(0);
    }
    let peers = roster::enlist(place, options, on, &super::out_folder(place, options)?)?;
    Ok(SUITE.measure(place, options, (on, options.n), rows, peers)?.status(options))
}
