//! The progress thread: takes requests out of rings, posts them, polls completions, and reports them.
//!
//! Each round does the following.
//!
//! 1. Take up to [`BATCH`] requests out of each ring (`ring::consumer`).
//! 2. Hand each to its send queue (`dispatch`).
//! 3. Let each busy send queue build and post a list (`post`).
//! 4. Poll the completion queues, and let send queues finish requests (`poll`).
//! 5. Free the places of requests that were posted.

mod commands;

pub(in crate::host) use commands::Command;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::{Arc, PoisonError, RwLock};

use oxshmem_rdma::fabric::{Completion, FabricDevice, Handle, Status};

use crate::host::connection::connect_event::ConnectEvent;
use crate::host::counters::{QueueCounts, RingCounts};
use crate::host::host_ops::HOST_OPS;
use crate::host::memory::bounce::BouncePool;
use crate::host::memory::gpu_flush::GpuFlush;
use crate::host::memory::keys::Keys;
use crate::host::progress::backoff::IdleBackoff;
use crate::host::progress::waker::Waker;
use crate::host::ring::consumer::RingConsumer;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::refusal::Refusal;
use crate::host::send_queue::{SendQueue, WR_BITS};
use crate::request::Line;

/// Requests that are taken out of a ring at once.
const BATCH: usize = 128;
/// Completions that are polled at once.
const COMPLETIONS: usize = 64;

/// The parts that a progress thread owns or uses.
#[derive(Debug)]
pub(in crate::host) struct ProgressParts {
    pub(in crate::host) device: Arc<dyn FabricDevice>,
    pub(in crate::host) keys: Arc<RwLock<Arc<Keys>>>,
    pub(in crate::host) rings: Vec<RingConsumer>,
    pub(in crate::host) bounce: BouncePool,
    pub(in crate::host) flush: GpuFlush,
    pub(in crate::host) words: HostWords,
    pub(in crate::host) max_message: u64,
    /// Whether peers depend on its polls.
    pub(in crate::host) needs_progress: bool,
    /// The cores that it is kept on; `None`: any.
    pub(in crate::host) cores: Option<Vec<usize>>,
    /// Connects queues at their first request.
    pub(in crate::host) connector: Option<Sender<ConnectEvent>>,
}

/// State of a progress thread.
pub(in crate::host) struct ProgressThread {
    pub(in crate::host) parts: ProgressParts,
    commands: Receiver<Command>,
    has_commands: Arc<AtomicBool>,
    waker: Arc<Waker>,
    queues: Vec<Option<SendQueue>>,
    counts: Vec<Arc<QueueCounts>>,
    /// Slots of queues by number: kernels' queues, and the host's own.
    places: [Vec<Option<usize>>; 2],
    /// Number and slot of the last request's queue, which most often is the next one's too.
    last: (u32, usize),
    cqs: Vec<Handle>,
    /// Slots of queues that may have something to post.
    busy: Vec<usize>,
    is_busy: Vec<bool>,
    /// Requests that were taken, by ring; and the rings' counters.
    lines: Vec<Vec<Line>>,
    ring_counts: Vec<Arc<RingCounts>>,
    completions: Vec<Completion>,
    /// Work requests in flight on queues that have not stopped.
    in_flight: u64,
    /// The command to stop has come.
    is_stopping: bool,
}

impl ProgressThread {
    pub(in crate::host) fn new(
        parts: ProgressParts,
        commands: Receiver<Command>,
        has_commands: Arc<AtomicBool>,
        waker: Arc<Waker>,
        ring_counts: Vec<Arc<RingCounts>>,
    ) -> Self {
        let lines = parts.rings.iter().map(|_| Vec::with_capacity(BATCH)).collect();
        Self {
            parts,
            commands,
            has_commands,
            waker,
            queues: Vec::new(),
            counts: Vec::new(),
            places: Default::default(),
            last: (u32::MAX, 0),
            cqs: Vec::new(),
            busy: Vec::new(),
            is_busy: Vec::new(),
            lines,
            ring_counts,
            completions: vec![Completion::default(); COMPLETIONS],
            in_flight: 0,
            is_stopping: false,
        }
    }

    pub(in crate::host) fn run(&mut self) {
        let mut backoff = IdleBackoff::new(self.parts.needs_progress);
        let waker = self.waker.clone();
        loop {
            if self.is_stopping || (self.has_commands.load(Ordering::Relaxed) && !self.take_commands()) {
                self.end();
                return;
            }
            match self.round() {
                true => backoff.reset(),
                false => backoff.pause(&waker, || self.parts.rings.iter().any(|ring| ring.reader.is_there())),
            }
        }
    }

    /// Runs one round. Returns whether there was anything to do.
    fn round(&mut self) -> bool {
        let mut found = false;
        for (ring, lines) in self.parts.rings.iter_mut().zip(&mut self.lines) {
            found |= ring.reader.take(BATCH, lines) > 0;
        }
        if !found && self.busy.is_empty() && self.in_flight == 0 && !self.parts.needs_progress {
            return false;
        }
        // After the requests were read: memory that a request names was registered, and its queue added, before the
        // request was written.
        if found && self.has_commands.load(Ordering::Relaxed) {
            self.is_stopping = !self.take_commands();
        }
        let keys = self.parts.keys.read().unwrap_or_else(PoisonError::into_inner).clone();
        for ring in 0..self.parts.rings.len() {
            self.dispatch(ring, &keys);
        }
        found |= self.post(&keys);
        found |= self.poll(&keys);
        for ring in &mut self.parts.rings {
            ring.free();
        }
        found
    }

    /// Hands the requests that were taken out of a ring to their queues.
    fn dispatch(&mut self, ring: usize, keys: &Keys) {
        let lines = std::mem::take(&mut self.lines[ring]);
        if lines.is_empty() {
            self.lines[ring] = lines;
            return;
        }
        let first = self.parts.rings[ring].reader.next() - lines.len() as u64;
        self.ring_counts[ring].taken(lines.len());
        let mut stray = None;
        for (index, line) in (first..).zip(&lines) {
            let number = line.queue();
            if number != self.last.0 {
                let (of, at) = table_and_index(number);
                match self.places[of].get(at).copied().flatten() {
                    Some(place) => self.last = (number, place),
                    None => {
                        stray.get_or_insert(index);
                        let end = &mut self.parts.rings[ring];
                        end.answer(index, line, None);
                        end.leave(index, 1);
                        continue;
                    }
                }
            }
            let place = self.last.1;
            if let Some(queue) = &mut self.queues[place] {
                queue.add(index, line, &context(&mut self.parts, keys));
                self.busy(place);
            }
        }
        self.lines[ring] = lines;
        if let Some(index) = stray {
            self.stray(ring, index, keys);
        }
    }

    /// Stops all queues of a ring because a request named a queue that does not exist. The queue that has lost the
    /// request is unknown.
    #[cold]
    fn stray(&mut self, ring: usize, index: u64, keys: &Keys) {
        self.ring_counts[ring].strays.fetch_add(1, Ordering::Relaxed);
        for (queue, counts) in self.queues.iter_mut().zip(&self.counts) {
            let Some(queue) = queue.as_mut().filter(|queue| queue.params.ring == ring && !queue.stopped) else {
                continue;
            };
            self.in_flight -= queue.posted - queue.completed;
            queue.refuse(&mut context(&mut self.parts, keys), index, Refusal::Request);
            counts.errors.store(1, Ordering::Relaxed);
        }
    }

    #[inline]
    fn busy(&mut self, place: usize) {
        if !self.is_busy[place] {
            self.is_busy[place] = true;
            self.busy.push(place);
        }
    }

    /// Posts as many work requests as there is room for, one list a queue. Returns whether anything was posted.
    fn post(&mut self, keys: &Keys) -> bool {
        let mut posted = false;
        for place in std::mem::take(&mut self.busy) {
            self.is_busy[place] = false;
            let Some(queue) = &mut self.queues[place] else { continue };
            let cx = &mut context(&mut self.parts, keys);
            if queue.stopped {
                queue.drop_waiting(cx);
                continue;
            }
            if !queue.is_connected() {
                // The queue is busy again when it is connected.
                if let (true, Some(connector)) = (queue.has_more(), &self.parts.connector) {
                    queue.params.unconnected.take().map(|key| connector.send(ConnectEvent::Want(key)));
                }
                continue;
            }
            queue.advance(cx);
            let sent = queue.send(cx, &self.counts[place]);
            posted |= sent > 0;
            self.in_flight += sent;
            queue.report(cx.words);
            if queue.has_more() {
                self.busy(place);
            }
        }
        posted
    }

    /// Polls all completion queues. Returns whether there was a completion.
    fn poll(&mut self, keys: &Keys) -> bool {
        if self.in_flight == 0 && !self.parts.needs_progress {
            return false;
        }
        let mut found = false;
        let mut next = 0;
        while let Some(&cq) = self.cqs.get(next) {
            let Ok(count) = self.parts.device.poll(cq, &mut self.completions) else {
                // It was removed from the list: the next one has its place.
                self.lose_completion_queue(keys, cq);
                continue;
            };
            next += 1;
            found |= count > 0;
            for at in 0..count {
                let wc = self.completions[at];
                self.completed(keys, &wc);
            }
        }
        found
    }

    fn completed(&mut self, keys: &Keys, wc: &Completion) {
        let (place, low) = ((wc.id >> WR_BITS) as usize, wc.id & ((1 << WR_BITS) - 1));
        let Some(queue) = self.queues.get_mut(place).and_then(Option::as_mut) else { return };
        // The id has the low bits of the number: the first such number from the complete ones on.
        let wr = queue.completed + (low.wrapping_sub(queue.completed) & ((1 << WR_BITS) - 1));
        let cx = &mut context(&mut self.parts, keys);
        let before = queue.completed;
        if wc.status == Status::Success && !queue.stopped {
            queue.complete(cx, wr);
            self.in_flight -= queue.completed - before;
            if queue.stopped {
                // A fetch came without its data.
                self.in_flight -= queue.posted - queue.completed;
                self.counts[place].errors.store(1, Ordering::Relaxed);
            }
        } else {
            let was_stopped = queue.stopped;
            queue.failed(cx, wr, wc);
            if !was_stopped {
                let failure = &self.counts[place].failure;
                failure.get_or_init(|| cx.device.explain(wc));
                // Nothing waits for its other completions, except its bounce buffers.
                self.in_flight -= queue.posted - before;
                self.counts[place].errors.store(1, Ordering::Relaxed);
            }
        }
        queue.report(cx.words);
        self.counts[place].completed.store(queue.completed, Ordering::Relaxed);
        if queue.has_more() {
            self.busy(place);
        }
    }

    /// Stops all queues whose completions would have come to a completion queue that is lost.
    fn lose_completion_queue(&mut self, keys: &Keys, cq: Handle) {
        for queue in self.queues.iter_mut().flatten().filter(|queue| queue.params.link.cq == cq && !queue.stopped) {
            self.in_flight -= queue.posted - queue.completed;
            queue.lose_completions(&mut context(&mut self.parts, keys));
        }
        self.cqs.retain(|other| *other != cq);
    }

    /// Announces to waiting threads that no request will be taken any more.
    pub(in crate::host) fn end(&mut self) {
        self.parts.rings.iter_mut().for_each(RingConsumer::end);
    }

    /// Stops all queues after a panic, so that waiting threads get a fault.
    pub(in crate::host) fn abandon(&mut self) {
        let keys = Arc::new(Keys::default());
        while let Ok(command) = self.commands.try_recv() {
            if let Command::Add(_, queues) = command {
                let first = self.queues.len();
                self.queues.extend(
                    (first..).zip(queues).map(|(place, (params, _))| Some(SendQueue::new(params, place as u64))),
                );
            }
        }
        for queue in self.queues.iter_mut().flatten() {
            queue.abandon(&mut context(&mut self.parts, &keys));
        }
        self.counts.iter().for_each(|counts| counts.errors.store(1, Ordering::Relaxed));
    }
}

/// Returns the table of slots that has a queue, and its index there.
fn table_and_index(number: u32) -> (usize, usize) {
    (usize::from(number & HOST_OPS != 0), (number & !HOST_OPS) as usize)
}

fn context<'a>(parts: &'a mut ProgressParts, keys: &'a Keys) -> PostContext<'a> {
    let ProgressParts { device, rings, bounce, flush, words, max_message, .. } = parts;
    PostContext { device: &**device, keys, rings, bounce, flush, words: *words, max_message: *max_message }
}
