//! Injected failures.

use std::sync::Mutex;

use oxshmem_core::host::{Error, ErrorKind, Result};

/// A WQE that fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The queue pair; `None`: the first that reaches the index.
    pub qpn: Option<u32>,
    /// Fails the first WQE whose index, counted in blocks from the queue's start, is at least this.
    pub wqe: u64,
    /// The completion's syndrome.
    pub syndrome: u8,
}

impl Fault {
    /// Parses `qp=*,wqe=100,syndrome=0x13`, several separated by `;`.
    ///
    /// # Errors
    /// The text does not have this form.
    pub fn parse_all(text: &str) -> Result<Vec<Self>> {
        text.split(';').filter(|one| !one.trim().is_empty()).map(Self::parse).collect()
    }

    fn parse(text: &str) -> Result<Self> {
        let wrong = |why: String| {
            Error::new(ErrorKind::InvalidArgument, format!("understand the fault {text:?} (OXSHMEM_SOFTNIC_FAULT)"))
                .because(why)
                .hint("write qp=*,wqe=100,syndrome=0x13")
        };
        let mut fault = Self { qpn: None, wqe: 0, syndrome: 0 };
        for part in text.split(',') {
            let (name, value) = part.split_once('=').ok_or_else(|| wrong(format!("{part:?} has no '='")))?;
            let number = || {
                let value = value.trim();
                let parsed = match value.strip_prefix("0x") {
                    Some(hex) => u64::from_str_radix(hex, 16),
                    None => value.parse(),
                };
                parsed.map_err(|e| wrong(format!("{value:?} is no number: {e}")))
            };
            match name.trim() {
                "qp" if value.trim() == "*" => fault.qpn = None,
                "qp" => fault.qpn = Some(number()? as u32),
                "wqe" => fault.wqe = number()?,
                "syndrome" => {
                    fault.syndrome =
                        number()?.try_into().map_err(|_| wrong(format!("a syndrome is one byte, not {value}")))?;
                }
                other => return Err(wrong(format!("there is no {other:?}"))),
            }
        }
        if fault.syndrome == 0 {
            return Err(wrong("there is no syndrome".into()));
        }
        Ok(fault)
    }
}

/// The faults that have not occurred yet.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    pending: Mutex<Vec<Fault>>,
    any: std::sync::atomic::AtomicBool,
}

impl Faults {
    pub(crate) fn add(&self, fault: Fault) {
        self.pending.lock().unwrap_or_else(|e| e.into_inner()).push(fault);
        self.any.store(true, std::sync::atomic::Ordering::Release);
    }

    /// Returns the syndrome with which this WQE must fail, and removes the fault.
    pub(crate) fn take(&self, qpn: u32, index: u64) -> Option<u8> {
        if !self.any.load(std::sync::atomic::Ordering::Acquire) {
            return None;
        }
        let mut pending = self.pending.lock().unwrap_or_else(|e| e.into_inner());
        let at = pending.iter().position(|fault| fault.qpn.is_none_or(|q| q == qpn) && fault.wqe <= index)?;
        let fault = pending.swap_remove(at);
        self.any.store(!pending.is_empty(), std::sync::atomic::Ordering::Release);
        Some(fault.syndrome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_read_from_text_and_what_is_wrong_is_said() {
        let faults = Fault::parse_all("qp=*,wqe=100,syndrome=0x13; qp=0x41,wqe=2,syndrome=5").unwrap();
        assert_eq!(faults[0], Fault { qpn: None, wqe: 100, syndrome: 0x13 });
        assert_eq!(faults[1], Fault { qpn: Some(0x41), wqe: 2, syndrome: 5 });
        for (text, says) in
            [("wqe=1", "no syndrome"), ("qp", "no '='"), ("qp=x,syndrome=1", "no number"), ("a=1", "\"a\"")]
        {
            let error = Fault::parse_all(text).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_fault_is_used_up_by_the_first_wqe_that_it_fits() {
        let faults = Faults::default();
        faults.add(Fault { qpn: Some(7), wqe: 3, syndrome: 0x15 });
        assert_eq!(faults.take(7, 2), None, "too early");
        assert_eq!(faults.take(8, 3), None, "another queue");
        assert_eq!(faults.take(7, 4), Some(0x15));
        assert_eq!(faults.take(7, 5), None, "used up");
    }
}
