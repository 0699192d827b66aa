//! `perf --collectives`: measures collectives in graphs, on a stream and in kernels, beside other libraries.

mod page;
pub(crate) mod rows;

use super::results::Results;
use super::roster;
use super::suite::Suite;

/// The properties of this suite.
pub(crate) const SUITE: Suite = Suite {
    name: "collectives",
    option: " --collectives",
    legend: page::LEGEND,
    goals: include_str!("../../goals/collectives.toml"),
    on: roster::on,
    is_alone: false,
    rows: rows::rows,
    enlist: roster::enlist,
    head: Results::head,
    tables: |results, _| page::tables(results),
    charts: page::charts,
};
