//! Steps over Soft-RoCE, a real verbs stack, in a virtual machine of their own.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;

use crate::place::Place;
use crate::run::Output;
use crate::rxe::{self, Wire};
use crate::steps::{Done, Step, count_in, judge};

/// What a proxy needs of verbs.
const SELFTEST: &[&str] = &["oxshmem-rc-selftest", "--wire"];
/// From the machine's start, on a host with little time for it.
const LIMIT: Duration = Duration::from_secs(300);

/// The steps.
pub(super) fn steps(place: &Place) -> Vec<Step<'_>> {
    if let Place::Packed(_) = place {
        let why = "its virtual machine is made of packages, which a packed folder has not";
        return vec![Step::skipped("verbs over Soft-RoCE", why)];
    }
    let share = |text: &str| Some(text.to_string());
    let wires = [
        ("", Wire::default()),
        (", packets lost and doubled", Wire { loss: share("1%"), duplicate: share("2%"), ..Wire::default() }),
        (", packets out of order", Wire { reorder: share("10%"), ..Wire::default() }),
        (", packets corrupted", Wire { corrupt: share("2%"), ..Wire::default() }),
    ];
    wires.map(|(name, wire)| Step::new(format!("verbs over Soft-RoCE{name}"), || over(place, SELFTEST, wire))).into()
}

/// Runs a program that closes with a count, if this machine has or gets what that needs.
fn over(place: &Place, command: &[&str], wire: Wire) -> Result<Done> {
    if let Err(why) = rxe::at_hand(place) {
        return Ok(Done::Skipped(format!("{why:#}")));
    }
    let kept = Arc::default();
    let code = rxe::run(place, &rxe::Options::of(command, wire, LIMIT), Output::Kept(Arc::clone(&kept)))?;
    let said = String::from_utf8_lossy(&kept.lock().expect("the copier does not panic")).into_owned();
    Ok(judge(count_in(&said), (code != 0).then(|| format!("exit code {code}"))))
}
