//! The reason why a queue of any transport stopped.

/// The reason why a queue stopped: the error completion's fields, which fit in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped {
    /// Low 39 bits of the index of the failed work queue entry.
    pub index: u64,
    /// Opcode of that entry.
    pub opcode: u8,
    /// The completion's syndrome.
    pub syndrome: u8,
    /// Low 7 bits of the vendor's own syndrome.
    pub vendor: u8,
}

impl Stopped {
    /// Mask of the index.
    const INDEX: u64 = (1 << 39) - 1;

    /// Encodes the reason as a word, which is not 0.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        1 << 63
            | (self.vendor as u64 & 0x7f) << 55
            | (self.syndrome as u64) << 47
            | (self.opcode as u64) << 39
            | self.index & Self::INDEX
    }

    /// Decodes a word that is not 0.
    #[inline(always)]
    pub const fn from_word(word: u64) -> Self {
        Self {
            index: word & Self::INDEX,
            opcode: (word >> 39) as u8,
            syndrome: (word >> 47) as u8,
            vendor: (word >> 55) as u8 & 0x7f,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stopped_a_queue_survives_its_word() {
        for (index, syndrome, vendor) in [(0, 0x13, 0x68), ((1 << 39) - 1, 0xff, 0x7f), (65_536, 5, 0)] {
            let stopped = Stopped { index, opcode: 0x15, syndrome, vendor };
            assert_ne!(stopped.word(), 0);
            assert_eq!(Stopped::from_word(stopped.word()), stopped);
        }
    }
}
