//! Effects that a NIC may have in more than one order.

/// The source from which the NIC gets new entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PiSource {
    /// From the doorbell.
    Doorbell,
    /// From the doorbell record, polled all the time.
    Record,
    /// From the doorbell record, some time after it changed.
    LateRecord,
}

/// The use that a NIC makes of its freedom. Chances are in 1024ths; times are upper limits, in microseconds.
///
/// The effects on a WQE are drawn from the seed, the number of its queue pair and its index, and are therefore the same
/// in every run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knobs {
    /// The seed of all draws.
    pub seed: u64,
    /// The source from which the NIC gets new entries.
    pub pi: PiSource,
    /// Delay before an entry is fetched.
    pub fetch_delay_us: u32,
    /// Whether entries are fetched as soon as the record covers them, before the doorbell.
    pub prefetch: bool,
    /// Chance that a doorbell is lost. The record is read after `recovery_us`.
    pub lost_doorbell: u16,
    /// Time until a lost doorbell is recovered.
    pub recovery_us: u32,
    /// Chance that the completion of a read or a fetch is visible before its data; only on NICs whose writes are not
    /// ordered ([`Options::dump_needed`](crate::Options::dump_needed)).
    pub early_cqe: u16,
    /// Chance that a completion is delayed.
    pub late_cqe: u16,
    /// The delay.
    pub late_cqe_us: u32,
    /// Chance that the bytes of a message arrive in any order.
    pub scatter: u16,
    /// Chance that the data of a read or fetch arrives late, while later entries proceed.
    pub read_delay: u16,
    /// The delay, unless a fenced entry waits for the data.
    pub read_delay_us: u32,
    /// Chance that a write to memory registered for relaxed ordering arrives late, after later writes and atomics of
    /// its queue, and before its completion.
    pub overtake: u16,
    /// The delay.
    pub overtake_us: u32,
    /// Chance that a message waits, as if its peer were not ready.
    pub stall: u16,
    /// The wait.
    pub stall_us: u32,
    /// Chance that a message for a receive queue is refused once, as if there were no entry, and repeated; only on queue
    /// pairs that repeat without limit.
    pub not_ready: u16,
    /// Chance that an event of a completion queue is raised late.
    pub late_event: u16,
    /// The delay.
    pub late_event_us: u32,
    /// Chance that a queue pair is not served for a while.
    pub pause: u16,
    /// The pause.
    pub pause_us: u32,
    /// Whether queue pairs are served in any order, instead of in turn.
    pub shuffle: bool,
}

impl Knobs {
    /// Returns knobs without delays and reordering.
    pub const fn calm() -> Self {
        Self {
            seed: 0,
            pi: PiSource::Doorbell,
            fetch_delay_us: 0,
            prefetch: false,
            lost_doorbell: 0,
            recovery_us: 1000,
            early_cqe: 0,
            late_cqe: 0,
            late_cqe_us: 0,
            scatter: 0,
            read_delay: 0,
            read_delay_us: 0,
            overtake: 0,
            overtake_us: 0,
            stall: 0,
            stall_us: 0,
            not_ready: 0,
            late_event: 0,
            late_event_us: 0,
            pause: 0,
            pause_us: 0,
            shuffle: false,
        }
    }

    /// Draws all knobs from a seed; 0 is [`calm`](Self::calm).
    pub fn from_seed(seed: u64) -> Self {
        if seed == 0 {
            return Self::calm();
        }
        let draw = Draw(seed);
        // About half of the effects are off in a world, so that each occurs with and without the others.
        let on = |what: u64| draw.number(what, 0).is_multiple_of(2);
        let chance = |what: u64| if on(what) { 1 << (draw.number(what, 1) % 10) } else { 0 };
        let time = |what: u64, most: u32| 1 << (draw.number(what, 2) % u64::from(most.ilog2() + 1));
        Self {
            seed,
            pi: match draw.number(1, 0) % 6 {
                0 => PiSource::Record,
                1 => PiSource::LateRecord,
                _ => PiSource::Doorbell,
            },
            fetch_delay_us: if on(2) { time(2, 64) } else { 0 },
            prefetch: on(3),
            lost_doorbell: chance(4) / 2,
            recovery_us: time(4, 512),
            early_cqe: chance(5),
            late_cqe: chance(6),
            late_cqe_us: time(6, 256),
            scatter: chance(7),
            read_delay: chance(8),
            read_delay_us: time(8, 256),
            overtake: chance(14),
            overtake_us: time(14, 256),
            stall: chance(9) / 8,
            stall_us: time(9, 1024),
            not_ready: chance(15) / 4,
            late_event: chance(16),
            late_event_us: time(16, 1024),
            pause: chance(10) / 16,
            pause_us: time(10, 2048),
            shuffle: on(11),
        }
    }

    /// Reports whether nothing is late or out of order, so that no draw is needed.
    pub(crate) fn is_calm(&self) -> bool {
        let calm = Self { seed: self.seed, recovery_us: self.recovery_us, ..Self::calm() };
        *self == calm
    }
}

/// Numbers drawn from a seed: the same arguments give the same number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn number(self, what: u64, index: u64) -> u64 {
        // SplitMix64's finalizer, over the arguments spread apart.
        let mut z = self
            .0
            .wrapping_add(what.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .wrapping_add(index.wrapping_mul(0xd1b5_4a32_d192_ed03))
            .wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Draws whether an effect with a chance of `chance` in 1024 occurs.
    pub(crate) fn happens(self, what: u64, index: u64, chance: u16) -> bool {
        chance != 0 && self.number(what, index) % 1024 < chance.into()
    }

    /// Draws a time of up to `most_us`.
    pub(crate) fn time(self, what: u64, index: u64, most_us: u32) -> std::time::Duration {
        std::time::Duration::from_micros(self.number(what, index.wrapping_add(1 << 40)) % (u64::from(most_us) + 1))
    }
}
