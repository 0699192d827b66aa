//! Posting of lists, and reports of completion.

use oxshmem_raw::fabric::{Operation, PostErrorKind};

use crate::host::counters::QueueCounts;
use crate::host::ring::reader::SharedWords;
use crate::host::ring::words::HostWords;
use crate::host::send_queue::SendQueue;
use crate::host::send_queue::context::PostContext;
use crate::host::send_queue::refusal::{Refusal, opcode};

impl SendQueue {
    /// Posts the list with one doorbell; its last work request is signalled. Returns the number that the device took.
    pub(in crate::host) fn send(&mut self, cx: &mut PostContext<'_>, counts: &QueueCounts) -> u64 {
        let Some(last) = self.list.last_mut() else { return 0 };
        last.signalled = true;
        if cx.staging.finish().is_err() {
            // The data are not in the bounce buffers that the list names.
            let index = self.releases.front().map_or(self.done, |first| first.index + 1 - first.count);
            self.refuse(cx, index, Refusal::Post(opcode(&Operation::Write)));
            return 0;
        }
        let (taken, refused) = match cx.device.post(self.current_endpoint().handle, &self.list) {
            Ok(()) => (self.list.len(), None),
            Err(refused) => (refused.posted, Some(refused)),
        };
        self.posted += taken as u64;
        let first_opcode = self.list.get(taken).map_or(0, |wr| opcode(&wr.op));
        self.list.drain(..taken);
        counts.posted(self.posted, self.bytes);
        while let Some(first) = self.releases.front_mut() {
            let stay = first.posted.saturating_sub(self.posted).min(first.count);
            cx.rings[self.params.ring].leave(first.index + 1 - first.count, first.count - stay);
            first.count = stay;
            if stay > 0 {
                break;
            }
            self.releases.pop_front();
        }
        // A full endpoint has room again when one of its requests completes. If no request is in flight, it never has.
        if let Some(refused) = refused
            && match refused.kind {
                PostErrorKind::Full => self.posted == self.completed,
                PostErrorKind::Again => false,
                PostErrorKind::Failed => true,
            }
        {
            let index = self.releases.front().map_or(self.done, |first| first.index + 1 - first.count);
            self.refuse(cx, index, Refusal::Post(first_opcode));
            return 0;
        }
        taken as u64
    }

    /// Publishes the number of complete requests, if it has changed.
    pub(in crate::host) fn report(&mut self, words: HostWords) {
        if self.done > self.reported && !self.stopped {
            self.reported = self.done;
            words.store_release(self.params.progress, self.done);
        }
    }
}
