//! The objects of a NIC: numbers, owners, and dependencies.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use oxshmem_core::host::Result;
use oxshmem_rdma::hca::Handle;

use crate::decode::Service;
use crate::decode::mailbox::QpContext;
use crate::engine::{Cq, Engine, Watched};
use crate::memory::{Pages, Span};

use super::core::{Alias, Core, Kept};
use super::receive::{Low, ReceiveQueue, Receiver};
use super::state::{QpState, Sink};

/// The object of a handle.
#[derive(Debug)]
pub(crate) enum Object {
    Pd,
    Mr {
        lkey: u32,
        _mapping: Kept,
    },
    Umem {
        span: Span,
        offsets: bool,
        _mapping: Kept,
    },
    Uar {
        words: Vec<Span>,
        _pages: Pages,
        /// The page at another address, for the engine: the program may unmap its own mapping first.
        _alias: Option<Alias>,
    },
    Cq(Arc<Cq>),
    Srq(Arc<ReceiveQueue>),
    Dct,
    Qp(Box<Qp>),
    VerbsQp(Box<Qp>, #[allow(dead_code)] Pages),
}

impl Object {
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Object::Pd => "protection domain",
            Object::Mr { .. } => "memory registration",
            Object::Umem { .. } => "umem",
            Object::Uar { .. } => "doorbell page",
            Object::Cq(_) => "completion queue",
            Object::Srq(_) => "shared receive queue",
            Object::Dct => "responder of dynamic connections",
            Object::Qp(_) => "queue pair",
            Object::VerbsQp(..) => "verbs queue pair",
        }
    }

    /// Returns its position in the order in which objects are given back when a program ends.
    fn order(&self) -> u8 {
        match self {
            Object::Qp(_) | Object::VerbsQp(..) | Object::Dct => 0,
            Object::Cq(_) | Object::Srq(_) => 1,
            Object::Umem { .. } => 2,
            Object::Uar { .. } => 3,
            Object::Mr { .. } => 4,
            Object::Pd => 5,
        }
    }
}

/// A queue pair, as commands see it.
#[derive(Debug)]
pub(crate) struct Qp {
    pub(crate) context: QpContext,
    pub(crate) service: Service,
    pub(crate) state: Arc<QpState>,
    pub(crate) cq: Arc<Cq>,
    /// The receiving side, if there is a receive queue.
    pub(crate) receiver: Option<Arc<Receiver>>,
    pub(crate) sq: Span,
    pub(crate) dbr: Span,
    pub(crate) uar: u32,
    /// Its number among the queue pairs of the NIC.
    pub(crate) order: u64,
}

/// An object with its number, which is also its handle: unique within a NIC, across kinds.
#[derive(Debug)]
pub(crate) struct Owned {
    pub(crate) context: u64,
    pub(crate) object: Object,
    /// The objects that it needs.
    uses: Vec<u32>,
    /// The number of objects that need it.
    users: u32,
}

#[derive(Debug, Default)]
pub(crate) struct Objects {
    pub(crate) all: HashMap<u32, Owned>,
    next: u32,
    pub(crate) contexts: u32,
    pub(crate) qps_made: u64,
}

/// The reason of a refused call: an errno, and words.
pub(crate) type Refused = (i32, String);

impl Objects {
    /// Returns a number for a new object: 24 bits, and for a long time different from those of other NICs.
    pub(crate) fn number(&mut self, lid: u16) -> u32 {
        loop {
            self.next = self.next.wrapping_add(1) & 0xff_ffff;
            let number = (u32::from(lid & 0xff) << 16 | 0x40).wrapping_add(self.next) & 0xff_ffff;
            if number != 0 && !self.all.contains_key(&number) {
                return number;
            }
        }
    }

    pub(crate) fn add(&mut self, number: u32, context: u64, object: Object, uses: Vec<u32>) -> Handle {
        for used in &uses {
            if let Some(used) = self.all.get_mut(used) {
                used.users += 1;
            }
        }
        self.all.insert(number, Owned { context, object, uses, users: 0 });
        Handle(number.into())
    }

    /// Returns an object of this context.
    pub(crate) fn get(&self, context: u64, number: u64) -> Option<&Object> {
        let owned = self.all.get(&u32::try_from(number).ok()?)?;
        (owned.context == context).then_some(&owned.object)
    }

    pub(crate) fn get_mut(&mut self, context: u64, number: u64) -> Option<&mut Object> {
        let owned = self.all.get_mut(&u32::try_from(number).ok()?)?;
        (owned.context == context).then_some(&mut owned.object)
    }

    /// Records that an object needs another instead of the one at this place of its list.
    pub(crate) fn uses_instead(&mut self, number: u32, place: usize, used: u32) {
        let Some(old) = self.all.get_mut(&number).and_then(|owned| owned.uses.get_mut(place)) else { return };
        let old = std::mem::replace(old, used);
        for (one, more) in [(old, false), (used, true)] {
            if let Some(one) = self.all.get_mut(&one) {
                one.users = if more { one.users + 1 } else { one.users - 1 };
            }
        }
    }

    /// Removes an object that no other uses.
    pub(crate) fn remove(&mut self, context: u64, handle: Handle, is: fn(&Object) -> bool) -> Result<Object, Refused> {
        let number = u32::try_from(handle.0).unwrap_or(0);
        let Some(owned) = self.all.get(&number).filter(|owned| owned.context == context) else {
            return Err((libc::ENOENT, format!("there is no object {:#x}", handle.0)));
        };
        if !is(&owned.object) {
            return Err((libc::EINVAL, format!("{number:#x} is a {}", owned.object.kind())));
        }
        if owned.users != 0 {
            let (kind, users) = (owned.object.kind(), owned.users);
            let mut by = self.all.iter().filter(|(_, other)| other.uses.contains(&number));
            let by =
                by.next().map_or(String::new(), |(n, other)| format!(", {} {n:#x} among them", other.object.kind()));
            return Err((libc::EBUSY, format!("{kind} {number:#x} is used by {users} others{by}")));
        }
        let Some(owned) = self.all.remove(&number) else {
            return Err((libc::ENOENT, format!("there is no object {number:#x}")));
        };
        for used in &owned.uses {
            if let Some(used) = self.all.get_mut(used) {
                used.users -= 1;
            }
        }
        Ok(owned.object)
    }

    /// Returns the objects of a context, those first that no other needs.
    fn of(&self, context: u64) -> Vec<u32> {
        let own = self.all.iter().filter(|(_, owned)| owned.context == context);
        let mut own: Vec<_> = own.map(|(number, owned)| (owned.object.order(), *number)).collect();
        own.sort_unstable();
        own.into_iter().map(|(_, number)| number).collect()
    }
}

/// A NIC.
#[derive(Debug)]
pub(crate) struct Nic {
    pub(crate) core: Arc<Core>,
    pub(crate) engine: Engine,
    objects: Mutex<Objects>,
}

impl Nic {
    pub(crate) fn new(core: Core) -> Self {
        let core = Arc::new(core);
        Self { engine: Engine::new(core.clone()), core, objects: Mutex::default() }
    }

    pub(crate) fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Stops executing a queue.
    pub(crate) fn stop(&self, qpn: u32) {
        match &self.core.plane {
            Some(plane) => plane.stop(self.core.lid(), qpn),
            None => self.engine.remove(qpn),
        }
    }

    /// Raises the events of a completion queue from now on.
    pub(crate) fn watch(&self, cqn: u32, sink: Box<dyn Fn() + Send>) -> Result<(), String> {
        if self.core.plane.is_some() {
            return Err("the engine that executes the queues raises no events".into());
        }
        let objects = self.objects();
        let Some(Object::Cq(cq)) = objects.all.get(&cqn).map(|owned| &owned.object) else {
            return Err("there is none".into());
        };
        let watched = Watched::new(&self.core.dma, cq.clone(), sink).map_err(|e| e.0)?;
        self.engine.watch(watched);
        Ok(())
    }

    /// Calls a function when a queue pair comes into error: its last receive entry has completed then.
    pub(crate) fn on_error(&self, qpn: u32, sink: Sink) -> Result<(), String> {
        match self.objects().all.get(&qpn).map(|owned| &owned.object) {
            Some(Object::Qp(qp) | Object::VerbsQp(qp, _)) => {
                qp.state.on_error(sink);
                Ok(())
            }
            _ => Err("there is none".into()),
        }
    }

    /// Calls a function once when fewer than `limit` entries of a shared receive queue are posted; 0: never.
    pub(crate) fn on_low(&self, number: u32, limit: u16, sink: Sink) -> Result<(), String> {
        match self.objects().all.get(&number).map(|owned| &owned.object) {
            Some(Object::Srq(queue)) => {
                *queue.low.lock().unwrap_or_else(|e| e.into_inner()) = (limit != 0).then_some(Low { limit, sink });
                Ok(())
            }
            _ => Err("there is none".into()),
        }
    }

    /// Handles the consequences of an object's removal.
    pub(crate) fn dropped(&self, number: u32, object: Object) {
        match &object {
            Object::Mr { lkey, .. } => {
                self.core.responder.deregister(*lkey);
                crate::plane::forget(self.core.lid(), *lkey);
            }
            Object::Qp(qp) | Object::VerbsQp(qp, _) => {
                qp.state.set(super::state::RESET);
                self.core.responder.set_target(number, None);
                self.stop(number);
            }
            Object::Dct => self.core.responder.set_target(number, None),
            Object::Cq(cq) => self.engine.forget(cq.cqn),
            _ => {}
        }
        // A mapping or a page goes only now, when nothing polls it.
        drop(object);
    }

    /// Closes a context: gives back everything that it still has, as the kernel does.
    pub(crate) fn close(&self, context: u64) {
        let mut objects = self.objects();
        for number in objects.of(context) {
            if let Ok(object) = objects.remove(context, Handle(number.into()), |_| true) {
                self.dropped(number, object);
            }
        }
        objects.contexts -= 1;
        let last = objects.contexts == 0;
        drop(objects);
        if last {
            self.engine.stop();
        }
    }
}
