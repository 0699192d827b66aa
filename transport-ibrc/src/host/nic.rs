//! An opened device: which port and address, and what it can.

use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::hca::{AhAttr, Gid, GidKind, Handle, LinkLayer, Port, VerbsConnect};
use oxshmem_raw::rc::{Atomics, RcCaps, RcDevice, RcProvider};

use super::card::Card;
use super::config::IbrcConfig;

/// `enum ibv_port_state`: active.
const ACTIVE: u8 = 4;

/// A device, its port and its protection domain.
#[derive(Debug)]
pub(super) struct Nic {
    pub(super) device: Arc<dyn RcDevice>,
    pub(super) caps: RcCaps,
    pub(super) port: Port,
    pub(super) gid: Option<Gid>,
    pub(super) pd: Handle,
}

impl Nic {
    /// The device that the configuration names, or the first whose port is up.
    ///
    /// # Errors
    /// There is none that can be used: each is said why.
    pub(super) fn open(config: &IbrcConfig, provider: &dyn RcProvider) -> Result<Self> {
        let mut why = Vec::new();
        let found = provider.list()?;
        for found in found.iter().filter(|found| config.device.as_ref().is_none_or(|name| *name == found.name)) {
            match provider.open(&found.name).and_then(|device| Self::of(config, device)) {
                Ok(nic) => return Ok(nic),
                Err(error) => why.push(format!("{}: {error}", found.name)),
            }
        }
        let asked = config.device.as_ref().map_or(String::new(), |name| format!(" called {name}"));
        let none = format!("{} has none{asked}", provider.describe());
        Err(Error::new(ErrorKind::NotFound, "open an InfiniBand or RoCE device").because(if why.is_empty() {
            none
        } else {
            why.join("; ")
        }))
    }

    fn of(config: &IbrcConfig, device: Arc<dyn RcDevice>) -> Result<Self> {
        let fail = |reason: &str| {
            Err(Error::new(ErrorKind::NotFound, format!("use {}", device.name())).because(reason.to_string()))
        };
        let caps = device.caps()?;
        if caps.atomics == Atomics::None {
            return fail("it has no atomics");
        }
        let Some(port) = device.ports()?.into_iter().find(|port| port.state == ACTIVE) else {
            return fail("none of its ports is active");
        };
        let gids = device.gids(port.number)?;
        let gid = match config.gid_index {
            Some(index) => gids.iter().find(|gid| gid.index == index).copied(),
            None => gids.iter().rfind(|gid| matches!(gid.kind, GidKind::RoceV2 | GidKind::InfiniBand)).copied(),
        };
        if gid.is_none() && (port.link == LinkLayer::Ethernet || config.gid_index.is_some()) {
            return fail("it has no such entry in its GID table");
        }
        let pd = device.alloc_pd()?;
        Ok(Self { device, caps, port, gid, pd })
    }

    /// What a queue pair to the peer with this card is connected with.
    ///
    /// # Errors
    /// Its port is of another kind.
    pub(super) fn toward(&self, config: &IbrcConfig, pe: Pe, card: &Card, qpn: u32) -> Result<VerbsConnect> {
        if card.link != self.port.link {
            return Err(Error::new(ErrorKind::Mismatch, format!("connect queue pairs with {pe}"))
                .because(format!("its port is {:?} and this PE's {:?}", card.link, self.port.link))
                .about(pe));
        }
        let global = self.gid.filter(|_| self.port.link == LinkLayer::Ethernet).map(|gid| (card.gid, gid.index));
        let rd_atomic = self.caps.max_rd_atom_requester.min(card.rd_atomic).min(16);
        Ok(VerbsConnect {
            ah: AhAttr {
                port: self.port.number,
                dlid: card.lid,
                sl: config.service_level,
                global,
                hop_limit: 64,
                traffic_class: config.traffic_class,
            },
            remote_qpn: qpn,
            mtu: self.port.active_mtu.min(card.mtu),
            pkey_index: config.pkey_index,
            timeout: config.ack_timeout,
            retry_cnt: config.retry_count,
            rnr_retry: config.rnr_retry,
            rd_atomic,
            min_rnr_timer: 12,
        })
    }
}

impl Drop for Nic {
    fn drop(&mut self) {
        // What was not given back goes with the device.
        let _ = self.device.dealloc_pd(self.pd);
    }
}
