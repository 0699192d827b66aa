//! Commands to a progress thread: queues come, are connected, and go.

use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::sync::{Arc, PoisonError};

use oxshmem_rdma::fabric::Handle;

use super::{ProgressThread, context, table_and_index};
use crate::host::connection::link::Link;
use crate::host::counters::QueueCounts;
use crate::host::send_queue::{SendQueue, SendQueueParams};

/// A command to a progress thread.
pub(in crate::host) enum Command {
    /// Serve these queues, whose completions come to one completion queue.
    Add(Handle, Vec<(SendQueueParams, Arc<QueueCounts>)>),
    /// The queue with this number is connected.
    Connected(u32, Link),
    /// The queue with this number can't be connected: the reason.
    NotConnected(u32, String),
    /// Stop serving these queues, and answer when nothing of them is left.
    Remove(Vec<u32>, Sender<()>),
    Stop,
}

impl ProgressThread {
    /// Executes commands. Returns false if the thread is to stop.
    pub(super) fn take_commands(&mut self) -> bool {
        self.has_commands.store(false, Ordering::Relaxed);
        // After the store, so that a later command sets the flag again.
        std::sync::atomic::fence(Ordering::SeqCst);
        while let Ok(command) = self.commands.try_recv() {
            match command {
                Command::Add(cq, queues) => {
                    self.add_completion_queue(cq);
                    for (params, counts) in queues {
                        let place = self.queues.len();
                        let (of, index) = table_and_index(params.number);
                        let places = &mut self.places[of];
                        places.resize(places.len().max(index + 1), None);
                        places[index] = Some(place);
                        self.queues.push(Some(SendQueue::new(params, place as u64)));
                        self.counts.push(counts);
                        self.is_busy.push(false);
                    }
                }
                Command::Connected(number, link) => {
                    self.add_completion_queue(link.cq);
                    if let Some((place, queue)) = self.queue(number) {
                        queue.params.link = link;
                        self.busy(place);
                    }
                }
                Command::NotConnected(number, why) => self.refuse_connection(number, why),
                Command::Remove(numbers, done) => {
                    for number in numbers {
                        let (of, index) = table_and_index(number);
                        let place = self.places[of].get_mut(index).and_then(Option::take);
                        let queue = place.and_then(|place| self.queues[place].take());
                        if let Some(queue) = queue.filter(|queue| !queue.stopped) {
                            self.in_flight -= queue.posted - queue.completed;
                        }
                    }
                    self.last = (u32::MAX, 0);
                    // The caller may have given up waiting.
                    let _ = done.send(());
                }
                Command::Stop => return false,
            }
        }
        true
    }

    /// Polls this completion queue from now on; handle 0 is none.
    fn add_completion_queue(&mut self, cq: Handle) {
        if cq.0 != 0 && !self.cqs.contains(&cq) {
            self.cqs.push(cq);
        }
    }

    /// Returns the queue with this number, and its slot.
    fn queue(&mut self, number: u32) -> Option<(usize, &mut SendQueue)> {
        let (of, index) = table_and_index(number);
        let place = self.places[of].get(index).copied().flatten()?;
        Some((place, self.queues[place].as_mut()?))
    }

    fn refuse_connection(&mut self, number: u32, why: String) {
        let keys = self.parts.keys.read().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(place) = self.queue(number).map(|(place, _)| place) else { return };
        // Before the queue stops, so that a thread that finds it stopped finds the reason.
        self.counts[place].failure.get_or_init(|| why);
        self.counts[place].errors.store(1, Ordering::Relaxed);
        if let Some(queue) = &mut self.queues[place] {
            queue.refuse_connection(&mut context(&mut self.parts, &keys));
        }
    }
}
