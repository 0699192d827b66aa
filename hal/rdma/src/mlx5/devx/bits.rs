//! Fields of mailboxes. The bits of a mailbox are counted from the highest bit of its first byte.

use oxshmem_core::host::{Error, ErrorKind, Result};

/// A field: its place within a mailbox or a context, and its width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in the programmer's reference.
    pub name: &'static str,
    /// Its first (highest) bit.
    pub at: usize,
    /// Its width in bits, 1 to 64.
    pub bits: usize,
}

impl Field {
    /// Returns a field of `bits` bits at bit `at`.
    pub const fn new(name: &'static str, at: usize, bits: usize) -> Self {
        Self { name, at, bits }
    }

    /// Returns the same field in a context that begins at bit `start`.
    pub const fn within(self, start: usize) -> Self {
        Self { at: self.at + start, ..self }
    }
}

/// Declares the fields of one context, in order, and a table of all of them if that is given a name.
macro_rules! fields {
    ($($name:ident = $text:literal, $at:literal, $bits:literal;)*) => {
        $(pub(in crate::mlx5::devx) const $name: Field = Field::new($text, $at, $bits);)*
    };
    ($(#[$about:meta])* table $table:ident; $($name:ident = $text:literal, $at:literal, $bits:literal;)*) => {
        fields! { $($name = $text, $at, $bits;)* }
        $(#[$about])*
        pub(in crate::mlx5::devx) const $table: &[Field] = &[$($name),*];
    };
}
pub(super) use fields;

/// Reads a field. Bits after the end of the mailbox are 0.
pub fn get(mailbox: &[u8], field: Field) -> u64 {
    (field.at..field.at + field.bits).fold(0, |value, bit| value << 1 | u64::from(get_bit(mailbox, bit)))
}

fn get_bit(mailbox: &[u8], bit: usize) -> bool {
    mailbox.get(bit / 8).is_some_and(|byte| byte & 0x80 >> (bit % 8) != 0)
}

/// Writes a field.
///
/// # Panics
/// The value has more bits than the field, or the mailbox ends before it. Both are mistakes of the caller.
pub fn set(mailbox: &mut [u8], field: Field, value: u64) {
    let Field { name, at, bits } = field;
    assert!(bits == 64 || value >> bits == 0, "{name} is {value}, and has {bits} bits");
    assert!(at + bits <= mailbox.len() * 8, "{name} is at bit {at} of a mailbox of {} bytes", mailbox.len());
    for (nth, bit) in (at..at + bits).enumerate() {
        let mask = 0x80 >> (bit % 8);
        if value >> (bits - 1 - nth) & 1 == 1 {
            mailbox[bit / 8] |= mask;
        } else {
            mailbox[bit / 8] &= !mask;
        }
    }
}

/// A mailbox under construction.
pub(super) struct Mailbox(Vec<u8>);

impl Mailbox {
    /// Returns a mailbox of zeros with the command's opcode.
    pub(super) fn new(opcode: u16, bytes: usize) -> Self {
        let mut mailbox = Self(vec![0; bytes]);
        mailbox.put(OPCODE, opcode);
        mailbox
    }

    /// Sets a field, as [`set`] does.
    pub(super) fn put(&mut self, field: Field, value: impl Into<u64>) -> &mut Self {
        set(&mut self.0, field, value.into());
        self
    }

    /// Copies bytes to the offset of a field of bytes.
    pub(super) fn put_bytes(&mut self, at: usize, bytes: &[u8]) -> &mut Self {
        self.0[at / 8..at / 8 + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Returns the bytes.
    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// The opcode, of every input.
pub(super) const OPCODE: Field = Field::new("opcode", 0x00, 16);
/// The variant of the command.
pub(super) const OP_MOD: Field = Field::new("op_mod", 0x30, 16);
/// The number of the object, of commands on an object.
pub(super) const OBJECT: Field = Field::new("object number", 0x48, 24);
/// The status, of every output; 0 is success.
const STATUS: Field = Field::new("status", 0x00, 8);
/// The syndrome: the firmware's check that failed.
const SYNDROME: Field = Field::new("syndrome", 0x20, 32);

/// The length of outputs that have a status only, or a status and an object's number.
pub const REPLY_BYTES: usize = 16;

/// The first 16 bytes of a command's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The status; 0 is success.
    pub status: u8,
    /// The syndrome: the firmware's check that failed.
    pub syndrome: u32,
    /// The number of the object that was created.
    pub object: u32,
}

impl Reply {
    /// Parses an output.
    pub fn parse(output: &[u8]) -> Self {
        Self {
            status: get(output, STATUS) as u8,
            syndrome: get(output, SYNDROME) as u32,
            object: get(output, OBJECT) as u32,
        }
    }

    /// Returns the description of the status.
    pub fn words(self) -> &'static str {
        match self.status {
            0x00 => "success",
            0x01 => "internal error",
            0x02 => "unknown command or modifier",
            0x03 => "bad parameter",
            0x04 => "bad state of the system",
            0x05 => "no such object",
            0x06 => "the object is in use",
            0x07 => "the firmware is not ready",
            0x08 => "a limit is exceeded",
            0x09 => "the object is in a bad state",
            0x0a => "bad index",
            0x0f => "no resources left",
            0x10 => "bad state of the queue pair",
            0x30 => "bad packet",
            0x40 => "too many outstanding completions",
            0x50 => "bad length of the input",
            0x51 => "bad length of the output",
            _ => "unknown status",
        }
    }

    /// Returns the error "cannot `action`" unless the command succeeded.
    ///
    /// # Errors
    /// The firmware refused the command; its status and syndrome are in the reason.
    pub fn check(self, action: &str) -> Result<Self> {
        let kind = match self.status {
            0 => return Ok(self),
            0x08 | 0x0f => ErrorKind::Exhausted,
            0x03 | 0x0a => ErrorKind::InvalidArgument,
            0x02 | 0x50 | 0x51 => ErrorKind::Incompatible,
            _ => ErrorKind::System,
        };
        let (status, syndrome) = (self.status, self.syndrome);
        let reason = format!(
            "the NIC's firmware refused it: {} (status {status:#04x}, syndrome {syndrome:#010x})",
            self.words()
        );
        Err(Error::new(kind, action).because(reason))
    }
}

/// Checks that the output has at least the length of the command's output.
pub(super) fn long_enough(action: &str, output: &[u8], bytes: usize) -> Result<()> {
    if output.len() >= bytes {
        return Ok(());
    }
    let reason = format!("its answer has {} bytes of the {bytes} that are needed", output.len());
    Err(Error::new(ErrorKind::Malformed, action).because(reason))
}
