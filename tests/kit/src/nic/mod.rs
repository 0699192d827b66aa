//! Checks that a NIC does everything that the transport needs, with one line for each check, on real hardware and on
//! the software ConnectX.
//!
//! On each port it connects two queue pairs with each other, as the transport does, and posts the operations of kernels
//! to one of them. No other machine takes part.
//!
//! | file | contents |
//! |---|---|
//! | `poster`, `pair`, `queue` | a queue with checks of its completions; two connected ones; both with keys of memory |
//! | `objects`, `context` | objects that commands make; the NIC's view of queue pairs |
//! | `payload` | inline data |
//! | `atomics`, `order`, `wrap`, `errors` | operations, beside those that verbs have too |
//! | `times` | durations |

mod atomics;
mod context;
mod errors;
mod objects;
mod order;
mod pair;
mod payload;
mod poster;
mod queue;
mod times;
mod wrap;

use std::fmt::Debug;
use std::sync::Arc;

use oxshmem_core::Pe;
use oxshmem_core::host::{ErrorKind, Result};
use oxshmem_raw::gpu::cuda::{self, Context, Device};
use oxshmem_raw::memory::Memory;
use oxshmem_rdma::hca::{Found, Port, Provider};
use oxshmem_rdma::wire::{self, HcaList, NicParams, WireParams};
use oxshmem_transport_ibgda::host::IbgdaConfig;
use oxshmem_transport_ibgda::host::for_tests::{Nic, choose};

use crate::moves;
use crate::report::{Fine, Outcome, Report, noted, passed, skipped, wrong};
use pair::QueueKind;
use queue::{NicBench, bench};

/// The advice if a NIC can't be tested.
const DOCTOR: &str =
    "`cargo oxshmem doctor` says what of a NIC is not ready (in oxshmem's checkout `cargo xtask doctor`)";

/// 4.096 us * 2^this: 67 ms, and eight times that in the worst case.
const LOST_AFTER: u8 = 14;

/// The NICs to test, and the settings of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTest {
    /// The NICs and ports to test; an empty list stands for all active ports.
    pub nics: HcaList,
    /// The least number of active ports; fewer are a failure.
    pub least: u32,
    /// The number of times that the 16-bit index of entries wraps.
    pub laps: u32,
    /// The seed of all data and offsets.
    pub seed: u64,
    /// Settings of the queues; its lists of NICs are ignored.
    pub config: IbgdaConfig,
}

impl Default for SelfTest {
    /// Returns the settings for all active ports: the transport's own, but for the time after which packets count as
    /// lost. On a path to the same port a loss is certain sooner, so that its error arrives before a check gives up.
    fn default() -> Self {
        let wire = WireParams { ack_timeout: LOST_AFTER, ..WireParams::default() };
        let config = IbgdaConfig { wire, ..IbgdaConfig::default() };
        Self { nics: HcaList::default(), least: 0, laps: 3, seed: 1, config }
    }
}

impl SelfTest {
    /// Tests the NICs of `provider`, and returns the outcomes. `print` prints the line of each check as it ends, and at
    /// last the counts.
    pub fn run(&self, provider: &dyn Provider, print: fn(&str)) -> Report {
        let mut report = Report::new(print);
        let mut found = Vec::new();
        report.check("", "NICs", || {
            found = provider.list()?;
            let names: Vec<&str> = found.iter().map(|nic| nic.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_string() } else { names.join(", ") };
            noted(format!("{names}, by {}", provider.describe()))
        });
        let gpu = gpu();
        let mut ports = 0;
        for nic in &found {
            ports += self.nic(&mut report, provider, nic, &gpu);
        }
        let least = match self.nics.is_empty() || self.nics.excludes {
            true => self.least,
            false => self.least.max(self.nics.entries.len() as u32),
        };
        report.check("", "active ports", || match ports {
            _ if ports < least => Err(wrong("ports that were tested", format!("{least} at least"), ports, DOCTOR)),
            0 => skipped(format!("none: nothing was tested; {DOCTOR}")),
            _ => noted(ports.to_string()),
        });
        print(&report.to_string());
        report
    }

    /// Tests the active ports of a NIC and returns their number.
    fn nic(&self, report: &mut Report, provider: &dyn Provider, nic: &Found, gpu: &Result<Memory, String>) -> u32 {
        if !self.nics.may_allow(&nic.name) {
            return 0;
        }
        if !nic.is_mlx5 {
            report.check(&nic.name, "all", || skipped("it is not driven by mlx5, so a GPU can't write its queues"));
            return 0;
        }
        let mut ports: Vec<Port> = Vec::new();
        report.check(&nic.name, "open", || {
            ports = provider.open(&nic.name)?.ports()?;
            passed()
        });
        ports.retain(|port| self.nics.allows(&nic.name, port.number));
        let mut tested = 0;
        for port in ports {
            let name = format!("{} port {}", nic.name, port.number);
            if port.state != wire::ACTIVE {
                report.check(&name, "all", || skipped(format!("it is {}, not active", wire::state_text(port.state))));
                continue;
            }
            tested += 1;
            self.port(report, provider, (&nic.name, port.number), gpu);
        }
        tested
    }

    fn port(
        &self,
        report: &mut Report,
        provider: &dyn Provider,
        (nic, port): (&str, u8),
        gpu: &Result<Memory, String>,
    ) {
        let hcas = HcaList { excludes: false, entries: vec![(nic.to_string(), Some(port))] };
        let nics = NicParams { hcas, prefix: None, ..self.config.nics.clone() };
        let config = IbgdaConfig { nics, ..self.config.clone() };
        let name = format!("{nic} port {port}");
        let mut opened = None;
        report.check(&name, "as the transport opens it", || {
            config.check()?;
            // The list names this port alone.
            let chosen = choose(&config, provider, &Memory::Host, Pe::new(0))?.ports.into_iter().next();
            let nic = Nic::new(&config, chosen.ok_or("it is not chosen")?)?;
            opened = Some(nic.clone());
            objects::capabilities(&nic)
        });
        let Some(nic) = opened else { return };
        report.check(&name, "memory", || objects::memory(&nic));
        report.check(&name, "memory for commands", || objects::umem(&nic));
        report.check(&name, "doorbell pages", || objects::doorbell_pages(&nic));
        report.check(&name, "event queue", || noted(nic.hca.query_eqn()?.to_string()));
        report.check(&name, "a command that is none", || objects::no_command(&nic));
        report.check(&name, "QUERY_QP beside verbs", || context::compare(&nic, &config));
        self.kind(report, &nic, &config, &QueueKind::Host);
        self.kind(report, &nic, &config, &QueueKind::Verbs);
        match gpu {
            Ok(memory) => self.kind(report, &nic, &config, &QueueKind::Gpu(memory.clone())),
            Err(why) => drop(report.check(&name, "GPU memory", || skipped(why))),
        }
        report.check(&name, "all given back", || {
            let nic = Arc::into_inner(nic);
            nic.ok_or("something still holds the NIC: a check before has failed, or leaks")?.close()?;
            passed()
        });
    }

    /// Runs all checks that post operations.
    fn kind(&self, report: &mut Report, nic: &Arc<Nic>, config: &IbgdaConfig, kind: &QueueKind) {
        let name = format!("{}, {}", nic.name(), kind.text());
        let mut tested = None;
        let make = || bench(nic, config, kind, self.seed);
        report.check(&name, "two queue pairs, connected with each other", || {
            let made = match (make(), kind) {
                // The driver has no path between this NIC and GPUs; `doctor` has more on that.
                (Err(error), QueueKind::Gpu(_)) if error.kind() == ErrorKind::Unreachable => {
                    return skipped(error.to_string());
                }
                (made, _) => made?,
            };
            let pair = &made.queue.pair;
            let note = format!("{} blocks, {}", pair.poster.depth(), pair.place());
            tested = Some(made);
            noted(note)
        });
        if tested.is_none() {
            return;
        }
        let laps = self.laps.into();
        let wrap = move |bench: &mut NicBench| wrap::indices(bench, laps);
        let (copies, words) = moves::checks();
        let mut checks: Vec<Check<'_>> = vec![("nop", &order::nop)];
        checks.extend(copies.iter().chain(&words).map(|(what, check)| (*what, check as _)));
        let others: [Check<'_>; 13] = [
            ("masked atomics of 4 bytes", &|bench| atomics::masked(bench, 4)),
            ("masked atomics of 8 bytes", &|bench| atomics::masked(bench, 8)),
            ("put with a signal", &order::put_signal),
            ("dump", &order::dump),
            ("index of 16 bits", &wrap),
            ("bad key", &errors::bad_key),
            ("no right", &errors::no_right),
            ("beyond the region", &errors::beyond),
            ("bad local key", &errors::bad_local_key),
            ("put of 8 bytes to its completion", &times::put),
            ("doorbells", &times::doorbells),
            ("writes of 8 bytes", &times::messages),
            ("writes of 1 MiB", &times::throughput),
        ];
        checks.extend(others);
        let mut any = false;
        for (place, (what, check)) in checks.into_iter().enumerate() {
            if place > 0 && !any {
                report.check(&name, what, || skipped("not even an entry that does nothing completes"));
                continue;
            }
            // A failed check may have stopped the queue and written anywhere.
            if tested.is_none() {
                tested = make().ok();
            }
            let Some(mut here) = tested.take() else {
                report.check(&name, what, || skipped("there are no queue pairs"));
                continue;
            };
            let well = report.check(&name, what, || {
                here.own.poison()?;
                here.target.poison()?;
                check(&mut here)
            });
            any |= well;
            if well {
                tested = Some(here);
            }
        }
        if let Some(bench) = tested {
            report.check(&name, "destroyed", || {
                bench.queue.pair.destroy()?;
                passed()
            });
        }
    }
}

/// The name of a check, and the check.
type Check<'a> = (&'a str, &'a dyn Fn(&mut NicBench) -> Outcome);

/// Fails unless both values are the same.
fn same<T: PartialEq + Debug>(at: &str, expected: T, found: T, todo: &str) -> Fine<()> {
    if expected == found { Ok(()) } else { Err(wrong(at, format!("{expected:?}"), format!("{found:?}"), todo)) }
}

/// Returns the memory of this machine's first GPU, or the reason for having none.
fn gpu() -> Result<Memory, String> {
    let count = cuda::device_count().map_err(|error| error.to_string())?;
    if count == 0 {
        return Err("this machine has no GPU".into());
    }
    let context = Device::get(0).and_then(Context::primary);
    context.map(Memory::Gpu).map_err(|error| error.to_string())
}
