//! What the environment asks the stand-in to do.

/// What can be refused by `OXSHMEM_SOFTNIC_DENY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deny {
    /// Opening the device file: no permission.
    Open,
    /// Contexts with DEVX: the firmware has none.
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

    /// Whether the environment asks for it now.
    pub(crate) fn is_asked(self) -> bool {
        std::env::var("OXSHMEM_SOFTNIC_DENY")
            .is_ok_and(|list| list.split([',', '|']).any(|word| word.trim() == self.word()))
    }
}

/// What of a NIC is there.
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
    /// What the environment asks for.
    pub(crate) fn asked() -> Self {
        match std::env::var("OXSHMEM_SOFTNIC_ABSENT").as_deref() {
            Ok("driver") => Self::Nothing,
            Ok("" | "0") | Err(_) => Self::Device,
            Ok(_) => Self::DriverOnly,
        }
    }
}

/// How many NICs there are: `OXSHMEM_SOFTNIC_NICS`, as the software NIC itself reads it.
pub(crate) fn nics() -> u32 {
    let said = std::env::var("OXSHMEM_SOFTNIC_NICS").ok().and_then(|text| text.parse().ok());
    said.filter(|count| (1..=64).contains(count)).unwrap_or(1)
}
