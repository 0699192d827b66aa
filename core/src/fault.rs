//! Faults, which device code reports in place of text.

use core::fmt;

use crate::{CallPart, Cmp, Pe, Waitable};

/// An error on the device, as fixed fields; the host turns it into an error with text.
///
/// A world keeps its first fault, and every waiting thread receives that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Fault {
    /// The operation that failed.
    pub step: FaultStep,
    /// The PE concerned: the target of the operation, or the PE that died. `u32::MAX`: none in particular.
    pub pe: u32,
    /// The raw queue handle; 0 if no queue is concerned.
    pub qp: i32,
    /// A code whose meaning depends on the step (the comparison of a wait, the syndrome of a completion).
    pub detail: u32,
    /// The location: a heap offset in bytes, or the index of a send queue entry.
    pub at: u64,
    /// The amount requested: bytes, or the value waited for.
    pub asked: u64,
    /// The amount present: bytes, or the value last seen.
    pub seen: u64,
}

/// The operation that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum FaultStep {
    /// A wait on a local word reached its limit.
    Wait = 1,
    /// A barrier reached its limit: `pe` had not arrived.
    Barrier = 2,
    /// `pe` died, or left, while this PE waited.
    PeerDied = 3,
    /// The host asked this PE's kernels to stop.
    Aborted = 4,
    /// There is no such PE: `asked` is its number, `seen` the number of PEs.
    NoSuchPe = 5,
    /// `asked` bytes at `at` leave the heap, or, with the detail [`Fault::OF_SLICE`], a slice; it has `seen`.
    OutOfHeap = 6,
    /// The address `at` is not aligned to `asked` bytes.
    Misaligned = 7,
    /// The signal word at `at` lies inside the data.
    SignalOverlap = 8,
    /// `qp` is not a queue of this world.
    NoSuchQp = 9,
    /// A local range of `asked` bytes leaves its allocation, which has `seen`.
    OutOfLocal = 10,
    /// Threads that must call together did not all arrive, or the kernel needs a collective launch.
    NotCollective = 11,
    /// An operation to `pe` on `qp` failed and stopped the queue: the send queue entry at index `at` completed in
    /// error. `detail` is [`Fault::completion_detail`].
    Completion = 12,
    /// The local range of `asked` bytes at address `at` is not registered for the NIC.
    NotRegistered = 13,
    /// The queue to `pe` made no progress within the limit: index `asked` was waited for, `seen` was complete.
    Queue = 14,
    /// The thread of the host that serves queue `qp` to `pe` is gone.
    HostThread = 15,
    /// Team `at` has `seen` slots, and slot `asked` was used.
    NoSuchSlot = 16,
    /// Team `at` has `seen` members, and member `asked` was named.
    NoSuchMember = 17,
    /// `pe` did not take part in round `asked` of team `at`: its last round there was `seen`.
    Collective = 18,
    /// The destination of `asked` bytes at `at` overlaps the source at `seen`.
    Overlap = 19,
    /// Team `at` is gone, because this PE has dropped it; or, with the detail [`Fault::OTHERS_HANDLE`], another PE's
    /// handle of a team was used.
    NoSuchTeam = 20,
    /// `asked` bytes were to be reduced in one round of team `at`, which carries `seen` for this group.
    RoundTooLarge = 21,
    /// `pe` and this PE made different calls on a slot of team `at`: the [`CallPart`] with number `detail` is `asked`
    /// on this PE and `seen` on that one.
    CallMismatch = 22,
    /// `pe` is a remote PE, and the kernel was loaded for load/store PEs alone.
    NotLoadStore = 23,
}

impl FaultStep {
    /// Returns the step with this number, if there is one.
    #[inline(always)]
    pub const fn from_raw(raw: u32) -> Option<Self> {
        Some(match raw {
            1 => Self::Wait,
            2 => Self::Barrier,
            3 => Self::PeerDied,
            4 => Self::Aborted,
            5 => Self::NoSuchPe,
            6 => Self::OutOfHeap,
            7 => Self::Misaligned,
            8 => Self::SignalOverlap,
            9 => Self::NoSuchQp,
            10 => Self::OutOfLocal,
            11 => Self::NotCollective,
            12 => Self::Completion,
            13 => Self::NotRegistered,
            14 => Self::Queue,
            15 => Self::HostThread,
            16 => Self::NoSuchSlot,
            17 => Self::NoSuchMember,
            18 => Self::Collective,
            19 => Self::Overlap,
            20 => Self::NoSuchTeam,
            21 => Self::RoundTooLarge,
            22 => Self::CallMismatch,
            23 => Self::NotLoadStore,
            _ => return None,
        })
    }
}

impl Fault {
    /// No PE in particular.
    pub const NO_PE: u32 = u32::MAX;
    /// The detail of a [`FaultStep::OutOfHeap`] whose range leaves the slice that the program gave.
    pub const OF_SLICE: u32 = 1;
    /// The detail of a [`FaultStep::NoSuchTeam`] whose handle another PE got.
    pub const OTHERS_HANDLE: u32 = 1;

    /// Returns a fault of this step with every other field empty.
    #[inline(always)]
    pub const fn new(step: FaultStep) -> Self {
        Self { step, pe: Self::NO_PE, qp: 0, detail: 0, at: 0, asked: 0, seen: 0 }
    }

    /// Encodes the detail of a [`FaultStep::Wait`]: the comparison (bits 7:0), whether the word is signed (bit 8) and
    /// its width in bytes (bits 23:16).
    #[inline(always)]
    pub fn wait_detail<T: Waitable>(cmp: Cmp) -> u32 {
        let signed = T::from_bits64(u64::MAX) < T::default();
        cmp as u32 | (signed as u32) << 8 | (T::WIDTH.bytes() as u32) << 16
    }

    /// Encodes the detail of a [`FaultStep::Completion`]: the syndrome (bits 7:0), the vendor's syndrome (bits 15:8),
    /// and the opcode of the send queue entry (bits 23:16).
    #[inline(always)]
    pub const fn completion_detail(syndrome: u8, vendor: u8, opcode: u8) -> u32 {
        syndrome as u32 | (vendor as u32) << 8 | (opcode as u32) << 16
    }

    /// Reports whether the fault is of a queue whose peer may be gone: it does not answer, or the cause was lost.
    pub const fn may_be_a_death(&self) -> bool {
        matches!(self.step, FaultStep::Completion) && matches!(self.detail & 0xff, NO_ANSWER | FLUSHED)
    }

    /// Reports whether the fault is the flush of an entry whose queue was already in error. In a collapsed completion
    /// queue the flush overwrites the completion that had the cause.
    pub const fn lost_its_cause(&self) -> bool {
        matches!(self.step, FaultStep::Completion) && self.detail & 0xff == FLUSHED
    }

    /// Returns the PE concerned, if any.
    pub const fn about(&self) -> Option<Pe> {
        if self.pe == Self::NO_PE { None } else { Some(Pe::new(self.pe)) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, pe, qp, detail, at, asked, seen } = *self;
        match step {
            FaultStep::Wait => {
                let cmp = ["==", "!=", ">", "<=", "<", ">="].get((detail & 0xff) as usize).unwrap_or(&"?");
                let (signed, above) = (detail & 0x100 != 0, 64 - 8 * (detail >> 16 & 0xf).clamp(1, 8));
                write!(f, "the wait for the word at heap offset {at:#x} to be {cmp} ")?;
                if signed {
                    let value = |bits: u64| ((bits << above) as i64) >> above;
                    write!(f, "{} reached its limit; it was {}", value(asked), value(seen))
                } else {
                    write!(f, "{asked} reached its limit; it was {seen}")
                }
            }
            FaultStep::Barrier => write!(
                f,
                "PE {pe} had not arrived at barrier {asked} when the wait reached its limit; it had arrived at {seen}"
            ),
            FaultStep::PeerDied => write!(f, "PE {pe} died"),
            FaultStep::Aborted => write!(f, "the host stopped this PE's kernels"),
            FaultStep::NoSuchPe => write!(f, "there is no PE {asked}: the world has {seen} PEs"),
            FaultStep::OutOfHeap if detail == Self::OF_SLICE => write!(
                f,
                "{asked} bytes at heap offset {at:#x} on PE {pe} leave the slice there, which has {seen} bytes"
            ),
            FaultStep::OutOfHeap => write!(
                f,
                "{asked} bytes at heap offset {at:#x} on PE {pe} are outside the program's part of the symmetric heap of {seen} bytes"
            ),
            FaultStep::Misaligned => write!(f, "heap offset {at:#x} is not aligned to {asked} bytes"),
            FaultStep::SignalOverlap => {
                write!(f, "the signal word at heap offset {at:#x} lies inside the {asked} bytes of data at {seen:#x}")
            }
            FaultStep::NoSuchQp => write!(f, "queue pair {qp} is not one of this world"),
            FaultStep::OutOfLocal => write!(f, "{asked} bytes were asked of local memory that has {seen}"),
            FaultStep::Completion => write!(
                f,
                "the operation {} to PE {pe} on queue pair {qp} failed: {} (syndrome {:#04x}, vendor {:#04x}, work queue entry {at}); the queue has stopped",
                opcode_text((detail >> 16) as u8),
                syndrome_text(detail as u8),
                detail as u8,
                (detail >> 8) as u8,
            ),
            FaultStep::NotRegistered => {
                write!(f, "{asked} bytes of local memory at address {at:#x} are not registered for the NIC")
            }
            FaultStep::Queue => write!(
                f,
                "queue pair {qp} to PE {pe} made no progress before the wait reached its limit: entry {asked} was waited for, {seen} were complete"
            ),
            FaultStep::HostThread => write!(f, "the thread of the host that serves queue pair {qp} to PE {pe} is gone"),
            FaultStep::NoSuchSlot => {
                write!(f, "slot {asked} of team {at} was used: the team has {seen} slots, and can be made with more")
            }
            FaultStep::NoSuchTeam if detail == Self::OTHERS_HANDLE => {
                write!(
                    f,
                    "another PE's handle of its team {at} was used, or one of another world: each member has a handle of its own"
                )
            }
            FaultStep::NoSuchTeam => write!(
                f,
                "the handle of team {at} is of no team that this PE has: it has dropped the team, or the handle was made in another world"
            ),
            FaultStep::RoundTooLarge => write!(
                f,
                "{asked} bytes were to be reduced in registers over team {at}, whose slot and group take {seen} at once: make the team with a larger payload, or launch more threads"
            ),
            FaultStep::NoSuchMember => write!(f, "team {at} has no member {asked}: it has {seen} members"),
            FaultStep::Collective => write!(
                f,
                "PE {pe} had not come to round {asked} of a slot of team {at} when the wait reached its limit; its last round was {seen}"
            ),
            FaultStep::CallMismatch => {
                let part = CallPart::from_raw(detail).unwrap_or(CallPart::Collective);
                write!(f, "PE {pe} makes another call on a slot of team {at} than this PE: ")?;
                part.write(f, seen)?;
                f.write_str(" there, ")?;
                part.write(f, asked)?;
                f.write_str(" here")
            }
            FaultStep::Overlap => {
                write!(f, "the destination of {asked} bytes at heap offset {at:#x} overlaps the source at {seen:#x}")
            }
            FaultStep::NotLoadStore => {
                write!(f, "PE {pe} is a remote PE, and the kernel was loaded for load/store PEs alone")
            }
            FaultStep::NotCollective => write!(f, "the kernel needs all its blocks resident: launch it collectively"),
        }
    }
}

/// The syndrome of a flushed entry. Source: mlx5dv.h, `MLX5_CQE_SYNDROME_WR_FLUSH_ERR`.
const FLUSHED: u32 = 0x05;
/// The syndrome of an operation that got no answer. Source: mlx5dv.h, `MLX5_CQE_SYNDROME_TRANSPORT_RETRY_EXC_ERR`.
const NO_ANSWER: u32 = 0x15;

/// Describes the syndrome of a completion. Source: mlx5dv.h, `MLX5_CQE_SYNDROME_*`.
fn syndrome_text(syndrome: u8) -> &'static str {
    match syndrome {
        0x01 => "local length error",
        0x02 => "local queue pair operation error",
        0x04 => "local protection error: the range is not in its memory key",
        0x05 => "flushed: the queue was in error before this entry, and the cause was lost",
        0x06 => "memory window bind error",
        0x10 => "bad response",
        0x11 => "local access error",
        0x12 => "remote invalid request",
        0x13 => "remote access error: the range or the right is not in the peer's memory key",
        0x14 => "remote operation error",
        0x15 => "transport retries exceeded: the peer or the way to it is gone",
        0x16 => "receiver-not-ready retries exceeded",
        0x22 => "remote aborted",
        0xe2 => "refused by the host's thread: not a request, or one that leaves the peer's heap",
        0xe3 => "the NIC completed it successfully without its data",
        0xe4 => "the queue pair could not be connected at its first use",
        _ => "unknown syndrome",
    }
}

/// Describes the operation of a send queue entry by its opcode.
fn opcode_text(opcode: u8) -> &'static str {
    match opcode {
        0x00 => "(no operation)",
        0x08 | 0x09 => "write",
        0x10 => "read",
        0x11 => "compare-and-swap",
        0x12 => "fetch-and-add",
        0x14 => "masked compare-and-swap",
        0x15 => "masked fetch-and-add",
        0x23 => "dump",
        _ => "(unknown)",
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::Element;
    use std::string::ToString;

    #[test]
    fn calls_that_differ_are_described_by_the_values_of_both() {
        let text = |detail: CallPart, asked, seen| {
            let mut fault = Fault::new(FaultStep::CallMismatch);
            (fault.pe, fault.at, fault.detail, fault.asked, fault.seen) = (1, 3, detail as u32, asked, seen);
            fault.to_string()
        };
        let size = text(CallPart::Bytes, 48, 40);
        assert!(size.contains("PE 1") && size.contains("40 bytes for each member there, 48"), "{size}");
        let op = text(CallPart::Op, 3, 0);
        assert!(op.contains("operation Sum there, operation Max here"), "{op}");
    }

    #[test]
    fn a_team_that_was_dropped_and_a_handle_of_another_pe_are_told_apart() {
        let text = |detail| Fault { detail, at: 7, ..Fault::new(FaultStep::NoSuchTeam) }.to_string();
        assert!(text(0).contains("team 7") && text(0).contains("dropped"), "{}", text(0));
        let of_another = text(Fault::OTHERS_HANDLE);
        assert!(of_another.contains("another PE's handle") && !of_another.contains("dropped"), "{of_another}");
    }

    #[test]
    fn a_wait_says_its_values_as_the_type_of_the_word_has_them() {
        let text = |detail, asked, seen| Fault { detail, asked, seen, ..Fault::new(FaultStep::Wait) }.to_string();
        let signed = text(Fault::wait_detail::<i32>(Cmp::Lt), (-5i32).to_bits64(), 7);
        assert!(signed.contains("to be < -5") && signed.contains("it was 7"), "{signed}");
        let unsigned = text(Fault::wait_detail::<u16>(Cmp::Eq), u16::MAX as u64, 0);
        assert!(unsigned.contains("to be == 65535"), "{unsigned}");
        let wide = text(Fault::wait_detail::<i64>(Cmp::Ge), i64::MIN as u64, u64::MAX);
        assert!(wide.contains("-9223372036854775808") && wide.contains("it was -1"), "{wide}");
    }
}
