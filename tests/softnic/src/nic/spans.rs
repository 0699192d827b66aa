//! Parts of umems: queues and doorbell records.

use crate::check::{Rule, Violation};
use crate::memory::Span;

use super::core::Core;
use super::objects::{Object, Objects};
use super::qp::{Answer, bad, missing};

/// Returns the part of a umem at which a queue starts: its page is a multiple of the page size, and the offset in the
/// page a multiple of a 64th of it.
pub(super) fn queue_span(
    objects: &Objects,
    context: u64,
    umem: (u32, u64),
    page: (u8, u8),
    bytes: u64,
    of: &str,
) -> Answer<Span> {
    let (id, offset) = umem;
    let (log_page_size, page_offset) = page;
    let Some(Object::Umem { span, offsets, .. }) = objects.get(context, id.into()) else {
        return missing(format!("the {of} is in umem {id:#x}, which there is not"));
    };
    let page_size = 4096_u64 << log_page_size;
    let within = u64::from(page_offset) * (page_size / 64);
    if !offset.is_multiple_of(page_size) {
        return bad(format!(
            "the {of} begins {offset} bytes into its umem, which is no multiple of its page of {page_size} bytes; \
             the rest goes into page_offset, in units of {} bytes",
            page_size / 64
        ));
    }
    if offset + within != 0 && !offsets {
        return bad(format!(
            "the {of} begins {} bytes into its umem, which was registered without a pgsz_bitmap: its offset must be 0",
            offset + within
        ));
    }
    let Some(part) = span.part(offset + within, bytes) else {
        let (has, from) = (span.bytes(), offset + within);
        return bad(format!("the {of} has {bytes} bytes from {from} on, its umem {has}"));
    };
    if !part.at().is_multiple_of(64) {
        return bad(format!("the {of} is at {:#x}, which is not aligned to 64", part.at()));
    }
    Ok(part)
}

/// Returns a doorbell record: two words in a umem.
pub(super) fn record_span(objects: &Objects, context: u64, umem: (u32, u64), of: &str) -> Answer<Span> {
    let (id, offset) = umem;
    let Some(Object::Umem { span, offsets, .. }) = objects.get(context, id.into()) else {
        return missing(format!("the doorbell record of the {of} is in umem {id:#x}, which there is not"));
    };
    if offset != 0 && !offsets {
        return bad(format!(
            "the doorbell record of the {of} is {offset} bytes into its umem, which was registered without a \
             pgsz_bitmap: its offset must be 0"
        ));
    }
    match span.part(offset, 8) {
        Some(part) if part.at().is_multiple_of(8) => Ok(part),
        Some(part) => bad(format!("the doorbell record of the {of} is at {:#x}, which is not aligned to 8", part.at())),
        None => bad(format!("the doorbell record of the {of} is at {offset}, its umem has {} bytes", span.bytes())),
    }
}

/// The words of a doorbell record that a queue has. Drivers leave in the other what stood there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Both,
    /// That of a receive queue.
    First,
}

/// Checks that a doorbell record is zero: the queue would start at its value.
pub(super) fn record_is_zero(core: &Core, dbr: Span, words: Words, qpn: u32, of: &str) -> Answer<()> {
    let mask = if words == Words::First { u64::from(u32::MAX) } else { u64::MAX };
    let record = core.dma.load(dbr).unwrap_or(0) & mask;
    if record == 0 {
        return Ok(());
    }
    let what = format!("the doorbell record of the {of} is {:02x?}", record.to_le_bytes());
    core.violations.record(Violation {
        rule: Rule::DbrAtCreate,
        nic: core.name.clone(),
        qpn,
        index: 0,
        what: what.clone(),
        wqe: String::new(),
    });
    bad(format!("{what}: it must be zero"))
}
