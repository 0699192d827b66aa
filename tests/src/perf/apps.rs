//! Rows that are applications.

use clap::ValueEnum;
use oxshmem_core::Result;

use super::answer::Answer;
use super::request::Request;
use super::session::Session;
use crate::apps::jacobi::parallel::{Solver, Variant};

/// The Jacobi solver's time for an iteration. Collective.
pub(super) fn jacobi(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    // By the name of the call that it makes, too.
    let name = if request.variant == "put_nbi" { "put" } else { &request.variant };
    let variant = match Variant::from_str(name, false) {
        Ok(variant) => variant,
        Err(_) => return Ok(Answer::skip(format!("the solver has no variant {}", request.variant))),
    };
    let solver = Solver::new(session.world, request.nx, request.ny)?;
    let run = || solver.run(variant, request.iters.into(), true, 1, |_, _| ());
    run()?;
    let outcomes = (0..request.repeat).map(|_| run()).collect::<Result<Vec<_>>>();
    solver.free()?;
    let outcomes = outcomes?;
    let residuals: Vec<f64> = outcomes.iter().flat_map(|outcome| &outcome.residuals).map(|last| last.1).collect();
    let spoilt = if request.corrupt { f64::NAN } else { 0.0 };
    if let Some(at) = residuals.iter().position(|residual| !(residual + spoilt).is_finite()) {
        return Ok(Answer::Wrong(format!("the residual of run {at} of {} is {}", residuals.len(), residuals[at])));
    }
    let each =
        |outcome: &crate::apps::jacobi::parallel::Outcome| outcome.elapsed.as_nanos() as f64 / f64::from(request.iters);
    Ok(Answer::Times(outcomes.iter().map(each).collect()))
}
