//! State that is kept from row to row.

use std::rc::Rc;

use oxshmem_hal::{Error, ErrorKind, Module, Pe, Result, Stream, SymPtr, Team, World};

use super::answer::Answer;
use super::buffers::{Buffer, Buffers};
use super::data::Data;
use super::limit::Limit;
use super::plan::{PAGE, Test};
use super::request::Request;
use super::{apps, calls, collectives, device, host, wire};

/// One PE of the measured world.
pub(super) struct Session<'a> {
    pub(super) world: &'a World,
    pub(super) module: &'a Module,
    pub(super) data: Data<'a>,
    pub(super) buffers: Buffers,
    /// Starts and ends of blocks, then sums of threads.
    pub(super) times: Buffer,
    /// [`FLAG`] and [`LINE`], in lines of their own.
    pub(super) words: SymPtr<u64>,
    /// Hand-written kernels, which are measured in place of the library's.
    pub(super) limit: Option<Rc<Limit>>,
    /// Packets, flags and rounds of hand-written collectives.
    pub(super) exchanges: Buffer,
    /// The stream of rows on a stream.
    pub(super) stream: Rc<Stream<'a>>,
    /// The team of rows of collectives, once there was one.
    pub(super) team: Option<Team<'a>>,
    /// Number of rows so far.
    pub(super) row: u64,
    /// Rounds that PE 0 and PE 1 have played.
    pub(super) rounds: u64,
    /// Signals that this PE has received at the line.
    pub(super) met: u64,
    /// Facts about the solver's results.
    pub(super) solved: apps::Solved,
    /// The program's own queue pairs.
    pub(super) queues: wire::Queues,
}

/// The words that announce rounds: the library's kernels use the first, hand-written ones all.
pub(super) const FLAG: usize = 0;
/// Their number.
pub(super) const FLAGS: usize = 64;
/// The word at which PEs meet before a kernel's start.
pub(super) const LINE: usize = FLAG + FLAGS;
/// The places of the words that announce rounds, and of small data at the peer, and the words from one to the next. A
/// GPU's L2 has two halves, and memory in the far one takes a fifth longer to reach: it changes from page to page of 4 KiB,
/// so that a single place would be luck. Eight pages in sequence are in both halves alike.
pub(super) const PLACES: usize = 8;
pub(super) const PLACE: usize = PAGE as usize / size_of::<u64>();
/// Number of words.
const WORDS: usize = PLACES * PLACE;
const _: () = assert!(LINE < PLACE);

impl<'a> Session<'a> {
    pub(super) fn new(world: &'a World, module: &'a Module, limit: Option<Rc<Limit>>) -> Result<Self> {
        let mut data = Data::new(world, module);
        data.prepare()?;
        Ok(Self {
            world,
            module,
            data,
            buffers: Buffers::default(),
            times: Buffer::default(),
            exchanges: Buffer::default(),
            limit,
            words: world.calloc(WORDS)?,
            stream: Rc::new(world.stream()?),
            team: None,
            row: 0,
            rounds: 0,
            met: 0,
            solved: apps::Solved::default(),
            queues: wire::Queues::default(),
        })
    }

    /// Measures one row. Every PE receives the same request.
    ///
    /// # Errors
    /// Something failed, here or on another PE.
    pub(super) fn measure(&mut self, request: &Request) -> Result<Answer> {
        self.row += 1;
        match Test::named(&request.test) {
            Some(test) => device::measure(self, test, request),
            None if request.lend > 0 => Ok(Answer::skip("it has nothing to lend memory for")),
            None if self.limit.is_some() && request.test != collectives::IN_GRAPH => {
                Ok(Answer::skip("hand-written kernels know no host"))
            }
            None => match request.test.as_str() {
                "jacobi" => apps::jacobi(self, request),
                _ => {
                    let known = wire::measure(self, request)
                        .or_else(|| collectives::measure(self, request))
                        .or_else(|| calls::measure(self, request));
                    known.unwrap_or_else(|| host::measure(self, request))
                }
            },
        }
    }

    /// Returns this PE's number.
    pub(super) fn me(&self) -> u32 {
        self.world.my_pe().number()
    }

    /// Meets all PEs. Returns this PE's own result if all succeeded, else the first error. Collective.
    pub(super) fn meet<T>(&self, what: &str, mine: Result<T>) -> Result<T> {
        let words = mine.as_ref().err().map(ToString::to_string).unwrap_or_default();
        let all = self.world.all_gather(what, words.as_bytes())?;
        let mine = mine?;
        match all.iter().position(|words| !words.is_empty()) {
            None => Ok(mine),
            Some(pe) => Err(Error::new(ErrorKind::InvalidArgument, what.to_string())
                .because(format!("PE {pe} {}", String::from_utf8_lossy(&all[pe])))
                .about(Pe::new(pe as u32))),
        }
    }

    /// Frees the memory. Collective.
    pub(super) fn end(mut self) -> Result<()> {
        self.queues.free(self.world)?;
        self.buffers.free(self.world)?;
        self.times.free(self.world)?;
        self.exchanges.free(self.world)?;
        self.data.free()?;
        self.world.free(self.words)
    }
}
