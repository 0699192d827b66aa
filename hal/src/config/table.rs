//! The table of settings: the world's, bootstrap's and NICs', then those that transports bring along.

use oxshmem_raw::settings::{Refusal, Variable};

use super::Config;
use super::bootstrap_variables::BOOTSTRAP_VARIABLES;
use super::field::ConfigField;
use super::nic_variables::NIC_VARIABLES;
use super::variables::VARIABLES;
use crate::transports;

/// One setting.
#[derive(Clone, Copy)]
pub(super) enum Setting {
    /// A field of the configuration.
    Field(&'static ConfigField),
    /// A variable that a transport brings along.
    OfTransport(&'static Variable),
}

/// Returns all settings. A setting that changes another one comes before it, so that the other one takes precedence.
pub(super) fn table() -> impl Iterator<Item = Setting> {
    let fields = VARIABLES.iter().chain(BOOTSTRAP_VARIABLES).chain(NIC_VARIABLES).map(Setting::Field);
    fields.chain(transports::linked().into_iter().flat_map(|transport| transport.settings()).map(Setting::OfTransport))
}

impl Setting {
    /// Returns its names; the first is the one shown.
    pub(super) fn names(self) -> &'static [&'static str] {
        match self {
            Self::Field(field) => field.names,
            Self::OfTransport(variable) => variable.names,
        }
    }

    /// Returns the name shown.
    pub(super) fn name(self) -> &'static str {
        self.names()[0]
    }

    /// Returns its meaning, in one sentence.
    pub(super) fn help(self) -> &'static str {
        match self {
            Self::Field(field) => field.help,
            Self::OfTransport(variable) => variable.help,
        }
    }

    /// Returns the accepted values, as text for users.
    pub(super) fn range(self) -> String {
        match self {
            Self::Field(field) => (field.range)(),
            Self::OfTransport(variable) => variable.range(),
        }
    }

    /// Reads a text into the configuration. Returns the reason if the value has no effect.
    pub(super) fn set(self, config: &mut Config, text: &str) -> Result<Option<String>, Refusal> {
        match self {
            Self::Field(field) => (field.set)(config, text),
            Self::OfTransport(variable) => config.transports.set(variable, text).map(|()| None),
        }
    }

    /// Fails with a clause if the value is out of range by itself.
    pub(super) fn check(self, config: &Config) -> Result<(), String> {
        match self {
            Self::Field(field) => (field.check)(config),
            // Checked by `set`, which is the only way to change it.
            Self::OfTransport(_) => Ok(()),
        }
    }

    /// Returns the value as a text that [`set`](Self::set) reads; `None` if there is no text for it.
    pub(super) fn show(self, config: &Config) -> Option<String> {
        match self {
            Self::Field(field) => (field.show)(config),
            Self::OfTransport(variable) => Some(config.transports.text(variable).into()),
        }
    }
}
