//! Whether the values of a configuration hold.

use oxshmem_core::{Error, ErrorKind, Result};

use super::Config;
use super::note::shortened;
use super::size::size_text;
use super::table::table;

impl Config {
    /// Whether every value is in its range, and whether they agree.
    ///
    /// # Errors
    ///
    /// `OutOfRange`, naming the variable, the value and the range.
    pub fn check(&self) -> Result<()> {
        let fail = |name: &str, value: String, reason: String, range: String| {
            Err(Error::new(ErrorKind::OutOfRange, format!("use {name} = {value}"))
                .because(reason)
                .hint(format!("it takes {range}")))
        };
        for setting in table() {
            if let Err(reason) = setting.check(self) {
                let value = shortened(&setting.show(self).unwrap_or_default());
                return fail(setting.name(), value, reason, setting.range());
            }
        }
        match self.heap_limit_bytes {
            Some(limit) if limit < self.heap_bytes => fail(
                "OXSHMEM_HEAP_LIMIT",
                size_text(limit),
                format!("the first extent alone has {} (OXSHMEM_SYMMETRIC_SIZE)", size_text(self.heap_bytes)),
                format!("auto, or {} and more", size_text(self.heap_bytes)),
            ),
            _ => Ok(()),
        }
    }
}
