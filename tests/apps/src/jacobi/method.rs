//! The solver's variants, and the launches of their steps.

use std::num::NonZeroU32;

use clap::ValueEnum;

/// The methods of the halo exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Variant {
    /// One step a kernel; `p` by each thread, and a barrier on the stream.
    P,
    /// One step a kernel; `put_nbi` by each block, and a barrier on the stream.
    Put,
    /// Many steps a kernel; `put_signal` and wait by each block.
    Persistent,
}

impl Variant {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::P, Self::Put, Self::Persistent];

    /// Those whose steps can be recorded in graphs.
    pub const RECORDABLE: [Self; 2] = [Self::P, Self::Put];

    /// Returns the variant's description, for tables.
    pub fn title(self) -> &'static str {
        match self {
            Self::P => "p per thread",
            Self::Put => "put_nbi per block",
            Self::Persistent => "persistent, put_signal",
        }
    }

    /// Returns the method that takes the variant's steps in graphs, at most `steps` in each.
    pub fn in_graphs(self, steps: NonZeroU32) -> Method {
        Method { variant: self, graph: Some(steps) }
    }
}

/// A variant, and the launches of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// The halo exchange.
    pub variant: Variant,
    /// The largest number of steps of a graph; `None` launches each kernel by itself.
    pub graph: Option<NonZeroU32>,
}

/// Reads the size of graphs from the command line: a number of steps, or `all` for [`Method::WHOLE`].
#[cfg(feature = "programs")]
pub(super) fn graph_size(text: &str) -> Result<NonZeroU32, String> {
    match text {
        "all" => Ok(Method::WHOLE),
        number => {
            number.parse().map_err(|_| "give a number of steps from 1, or `all` for one graph of the whole run".into())
        }
    }
}

impl Method {
    /// Steps of a graph unless another number is named: after two, the two copies of the field have swapped twice.
    pub const PAIR: NonZeroU32 = NonZeroU32::new(2).expect("2 is not 0");

    /// Size of a graph that takes all steps of a run. Such a run has one report, at its end.
    pub const WHOLE: NonZeroU32 = NonZeroU32::MAX;

    /// The most steps that a run in one graph takes unless it is asked for: each step has two nodes or more.
    pub const MOST_RECORDED: u64 = 20_000;

    /// Returns the method's description, for tables.
    pub fn title(self) -> String {
        let variant = self.variant.title();
        match self.graph {
            None => variant.into(),
            Some(Self::WHOLE) => format!("{variant}, one graph"),
            Some(steps) => format!("{variant}, graphs of up to {steps}"),
        }
    }

    /// Returns how often a run of this method reports its residual, of the number that is asked for.
    pub(super) fn reports(self, asked: u64) -> u64 {
        if self.graph == Some(Self::WHOLE) { 1 } else { asked }
    }
}

impl From<Variant> for Method {
    fn from(variant: Variant) -> Self {
        Self { variant, graph: None }
    }
}
