//! Settings from the environment.

/// Operations that `OXSHMEM_SOFTNIC_DENY` can refuse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Opening the device file: no permission.
    Open,
    /// Contexts with DEVX: the firmware does not support it.
    Devx,
    /// Memory for DEVX: its pages can't be pinned.
    Umem,
    /// DMA buffers, for DEVX and for registrations: the kernel is too old.
    DmaBuf,
    /// Registrations: the limit of locked memory is reached.
    Mr,
}

impl Deny {
    fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Devx => "devx",
            Self::Umem => "umem",
            Self::DmaBuf => "dmabuf",
            Self::Mr => "mr",
        }
    }

    /// Reports whether the environment requests it now.
    pub(crate) fn is_asked(self) -> bool {
        std::env::var("OXSHMEM_SOFTNIC_DENY")
            .is_ok_and(|list| list.split([',', '|']).any(|word| word.trim() == self.word()))
    }
}

/// The parts of a NIC that exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Device and driver.
    Device,
    /// The driver, with no device.
    DriverOnly,
    /// Neither.
    Nothing,
}

impl Presence {
    /// Reads the environment.
    pub(crate) fn asked() -> Self {
        match std::env::var("OXSHMEM_SOFTNIC_ABSENT").as_deref() {
            Ok("driver") => Self::Nothing,
            Ok("" | "0") | Err(_) => Self::Device,
            Ok(_) => Self::DriverOnly,
        }
    }
}

/// Returns the number of NICs: `OXSHMEM_SOFTNIC_NICS`, read as the software NIC reads it.
pub(crate) fn nics() -> u32 {
    let said = std::env::var("OXSHMEM_SOFTNIC_NICS").ok().and_then(|text| text.parse().ok());
    said.filter(|count| (1..=64).contains(count)).unwrap_or(1)
}
