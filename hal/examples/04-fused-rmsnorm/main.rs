//! The end of a tensor-parallel layer: the sums over all PEs, the residual and RMSNorm, fused in one kernel, beside the
//! same in two kernels (the library's reduction on the stream, then a kernel for the rest).
//!
//! ```sh
//! cargo run -p oxshmem-hal --example 04-fused-rmsnorm            # 4 PEs as threads of this process, small tensors
//! cargo xtask run -n 2 -- 04-fused-rmsnorm                       # 2 processes, on GPUs if there are two
//! cargo xtask run -n 2 -- 04-fused-rmsnorm 1,16,128 4096 direct  # tokens, hidden sizes, and the way of the data
//! ```
//!
//! For GPUs, first: `cargo xtask ptx --arch sm_90 -p oxshmem-example-kernels -p oxshmem-collectives`.
//!
//! Every element of both variants is compared with a serial reference, after a call on the stream and after the
//! launches of graphs. Then PE 0 prints a row for each shape: the time of a call in a graph, the slowest PE's median of
//! launches in turn.

mod layer;
mod reference;

use oxshmem_collectives as _;
use oxshmem_example_kernels::fused_rmsnorm::Rows;
use oxshmem_hal::{Config, Error, ErrorKind, Graph, Result, Stream, World};

use layer::{Layer, rows_of};
use reference::{Call, try_calls};

/// The work of a run.
#[derive(Debug)]
struct Work {
    tokens: Vec<u32>,
    hidden: Vec<u32>,
    /// The way of the rows; `None`: as the amount of data suggests.
    rows: Option<Rows>,
    /// Calls in a graph.
    calls: u32,
    /// Launches of each graph.
    launches: usize,
}

impl Work {
    /// Reads the program's arguments.
    fn from_args(world: &World) -> Result<Self> {
        let host = world.on_host();
        let args: Vec<String> = std::env::args().skip(1).collect();
        let list = |at: usize, usual: &[u32]| match args.get(at) {
            None => Ok(usual.to_vec()),
            Some(list) => list.split(',').map(|number| number.parse().map_err(|_| bad_argument(list))).collect(),
        };
        Ok(Self {
            tokens: list(0, if host { &[1, 3] } else { &[1, 8, 64, 256] })?,
            hidden: list(1, if host { &[64, 1000] } else { &[4096, 8192] })?,
            rows: args.get(2).map(|name| rows_of(name)).transpose()?,
            calls: if host { 4 } else { 100 },
            launches: if host { 3 } else { 21 },
        })
    }
}

fn bad_argument(list: &str) -> Error {
    Error::new(ErrorKind::InvalidArgument, "read the arguments")
        .because(format!("`{list}` is no list of numbers, as in 1,8,64"))
        .hint("04-fused-rmsnorm [TOKENS[,..] [HIDDEN[,..] [packets|direct]]]")
}

fn main() -> Result<()> {
    World::run(4, &Config::from_env()?, |world| {
        let work = Work::from_args(world)?;
        let mut table = String::from("tokens  hidden      way   us fused     us in two   two / fused\n");
        for &hidden in &work.hidden {
            for &tokens in &work.tokens {
                table += &row(world, &work, tokens, hidden)?;
            }
        }
        if world.my_pe().number() == 0 {
            println!("{} PEs on {}; every element was compared\n{table}", world.n_pes(), world.machine());
            if world.on_host() {
                println!("These are times of host threads: they say nothing about GPUs.");
            }
        }
        Ok(())
    })?;
    Ok(())
}

/// Checks and times one shape, and returns its row of the table.
fn row(world: &World, work: &Work, tokens: u32, hidden: u32) -> Result<String> {
    let (layer, stream) = (Layer::new(world, tokens, hidden, work.rows)?, world.stream()?);
    let both: [Call<'_>; 2] = [&|stream| layer.fused(stream), &|stream| layer.in_two(stream)];
    try_calls(world, &layer, &stream, 0, &both)?;
    let record = |call: Call<'_>| stream.capture(|stream| (0..work.calls).try_for_each(|_| call(stream)));
    let graphs = [record(both[0])?, record(both[1])?];
    let mut times = [Vec::new(), Vec::new()];
    for launch in 0..=work.launches {
        for (graph, times) in graphs.iter().zip(&mut times) {
            let us = timed(&stream, &layer, graph)? / f64::from(work.calls);
            // The first launch of a graph also uploads it.
            if launch > 0 {
                times.push(us);
            }
        }
    }
    let replayed: [Call<'_>; 2] = [&|stream| graphs[0].launch(stream), &|stream| graphs[1].launch(stream)];
    try_calls(world, &layer, &stream, 1, &replayed)?;
    let [fused, two] = times.map(median);
    let (fused, two) = (slowest(world, fused)?, slowest(world, two)?);
    let way = layer.way();
    layer.free()?;
    Ok(format!("{tokens:6}  {hidden:6}  {way:>7}   {fused:8.2}      {two:8.2}      {:8.2}\n", two / fused))
}

/// Launches a graph when all PEs are ready for it, and returns its time in microseconds.
fn timed(stream: &Stream<'_>, layer: &Layer<'_>, graph: &Graph<'_>) -> Result<f64> {
    layer.meet(stream)?;
    let start = stream.record()?;
    graph.launch(stream)?;
    let end = stream.record()?;
    stream.synchronize()?;
    Ok(start.until(&end)?.as_nanos() as f64 / 1000.0)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Returns the largest time of all PEs.
fn slowest(world: &World, us: f64) -> Result<f64> {
    let all = world.all_gather("times of the fused RMSNorm", &us.to_le_bytes())?;
    Ok(all.iter().filter_map(|us| us.as_slice().try_into().ok()).map(f64::from_le_bytes).fold(0.0, f64::max))
}
