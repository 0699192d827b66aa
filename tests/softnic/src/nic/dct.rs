//! The responding side of dynamic connections (DCT): any requester with its key reaches it.

use std::sync::Arc;

use oxshmem_rdma::hca::LinkLayer;

use crate::decode::Service;
use crate::decode::mailbox::CreateDct;

use super::caps;
use super::keys::Target;
use super::objects::{Nic, Object, Objects};
use super::qp::{Answer, bad, missing};
use super::receive::Receiver;
use super::state::{self, QpState};

impl Nic {
    /// Executes `CREATE_DCT`.
    pub(super) fn create_dct(
        &self,
        objects: &mut Objects,
        context: u64,
        asked: CreateDct,
    ) -> Answer<(Object, u32, Vec<u32>)> {
        if self.core.plane.is_some() {
            return bad("the engine that executes the queues has reliable connections only");
        }
        if !matches!(objects.get(context, asked.pd.into()), Some(Object::Pd)) {
            return missing(format!("there is no protection domain {:#x}", asked.pd));
        }
        let Some(Object::Cq(cq)) = objects.get(context, asked.cqn.into()) else {
            return missing(format!("there is no completion queue {:#x}", asked.cqn));
        };
        let Some(Object::Srq(queue)) = objects.get(context, asked.srqn.into()) else {
            return missing(format!("there is no shared receive queue {:#x}", asked.srqn));
        };
        if asked.port != 1 {
            return bad(format!("port {} of a NIC with one", asked.port));
        }
        if u32::from(asked.pkey_index) >= caps::PKEYS {
            return bad(format!("partition {} of {}", asked.pkey_index, caps::PKEYS));
        }
        if !(1..=5).contains(&asked.mtu) {
            return bad(format!("mtu {} is none of 1 to 5", asked.mtu));
        }
        if asked.remote_atomic && asked.atomic_mode == 0 {
            return bad("remote atomics are allowed, and atomic_mode says that there are none");
        }
        if self.core.options.link == LinkLayer::Ethernet && asked.hop_limit == 0 {
            return bad("a hop limit of 0 leads nowhere");
        }
        if self.core.own_gid(asked.source_index).is_none() {
            return bad(format!("there is no GID with index {}", asked.source_index));
        }
        let (queue, cq) = (queue.clone(), cq.clone());
        let number = objects.number(self.core.lid());
        let service = Service::Dct;
        let receiver =
            Receiver { qpn: number, service, user_index: asked.user_index, queue, cq, arriving: Default::default() };
        let responds = QpState::default();
        responds.set(state::RTR);
        let target = Target {
            pd: asked.pd,
            service,
            from: (0, 0),
            read: asked.remote_read,
            write: asked.remote_write,
            atomic: asked.remote_atomic,
            state: Arc::new(responds),
            receiver: Some(Arc::new(receiver)),
            key: asked.key,
            min_rnr_nak: asked.min_rnr_nak,
        };
        self.core.responder.set_target(number, Some(target));
        Ok((Object::Dct, number, vec![asked.pd, asked.cqn, asked.srqn]))
    }
}
