//! Applications as rows.

use clap::ValueEnum;
use oxshmem_core::Result;

use super::answer::Answer;
use super::request::Request;
use super::session::Session;
use oxshmem_apps::jacobi::method::{Method, Variant};
use oxshmem_apps::jacobi::parallel::{Outcome, Solver};
use oxshmem_apps::jacobi::serial;

/// The small instance that is compared with a serial solution: points in each direction, and steps; on GPUs, on host
/// PEs.
const SMALL: [(usize, u64); 2] = [(512, 50), (96, 20)];
/// Permitted relative difference of two variants' residuals, which are sums of the same numbers in different order.
const APART: f64 = 1e-6;

/// Facts about the solver's results that are kept from row to row.
#[derive(Default)]
pub(super) struct Solved {
    /// Methods whose small instance was compared, and the difference if any. PE 0 alone has the latter.
    compared: Vec<(Method, Option<String>)>,
    /// The first residual of a field after some steps, by columns, rows and steps. On PE 0.
    residuals: Vec<((usize, usize, u32), f64)>,
}

/// Returns the Jacobi solver's time for an iteration. Collective.
pub(super) fn jacobi(session: &mut Session<'_>, request: &Request) -> Result<Answer> {
    let Some(method) = method(&request.variant) else {
        return Ok(Answer::skip(format!("the solver has no variant {}", request.variant)));
    };
    let known = session.solved.compared.iter().find(|(of, _)| *of == method && !request.corrupt);
    let wrong = match known {
        Some((_, wrong)) => wrong.clone(),
        None => {
            let wrong = compare(session, method, request.corrupt)?;
            if !request.corrupt {
                session.solved.compared.push((method, wrong.clone()));
            }
            wrong
        }
    };
    let solver = Solver::new(session.world, request.nx, request.ny)?;
    let run = || solver.run(method, request.iters.into(), true, 1, |_, _| ());
    run()?;
    let outcomes = (0..request.repeat).map(|_| run()).collect::<Result<Vec<_>>>();
    solver.free()?;
    let outcomes = outcomes?;
    if let Some(wrong) = wrong.or_else(|| wrong_residual(&mut session.solved, request, &outcomes)) {
        return Ok(Answer::Wrong(wrong));
    }
    let each = |outcome: &Outcome| outcome.elapsed.as_nanos() as f64 / f64::from(request.iters);
    Ok(Answer::Times(outcomes.iter().map(each).collect()))
}

/// Returns the method of a variant's name, with `-graph` after it for pairs of steps in graphs.
fn method(name: &str) -> Option<Method> {
    let (name, in_graphs) = name.strip_suffix("-graph").map_or((name, false), |name| (name, true));
    // The variant may also be named by its call.
    let variant = Variant::from_str(if name == "put_nbi" { "put" } else { name }, false).ok()?;
    match in_graphs {
        true => Variant::RECORDABLE.contains(&variant).then(|| variant.in_graphs(Method::PAIR)),
        false => Some(variant.into()),
    }
}

/// Compares the method's field of a small instance with the serial solution, bit by bit. Returns the difference, on PE
/// 0. Collective.
fn compare(session: &Session<'_>, method: Method, corrupt: bool) -> Result<Option<String>> {
    let world = session.world;
    let (side, steps) = SMALL[usize::from(world.on_host())];
    let rows = side.max(world.n_pes() as usize);
    let solver = Solver::new(world, side, rows)?;
    let found = solver.run(method, steps, true, 1, |_, _| ()).and_then(|_| solver.gather(steps));
    solver.free()?;
    let compared = found?.map(|mut found| {
        let expected = serial::solve(side, rows, steps as usize)?.grid;
        if corrupt {
            let middle = found.values.len() / 2;
            found.values[middle] += 1.0;
        }
        let pairs = found.values.iter().zip(&expected.values).enumerate();
        let mut differ = pairs.filter(|(_, (found, expected))| found.to_bits() != expected.to_bits());
        Ok(differ.next().map(|(at, (is, should))| {
            let (row, column) = (at / found.columns(), at % found.columns());
            format!(
                "{} of {} points after {steps} steps of {side} x {rows}, first row {row}, column {column}: {is} for {should}",
                1 + differ.count(),
                found.values.len()
            )
        }))
    });
    Ok(session.meet("compare the solver's field", compared.transpose())?.flatten())
}

/// Compares the residuals of some runs with those of all earlier runs on this field. Returns the difference.
fn wrong_residual(solved: &mut Solved, request: &Request, outcomes: &[Outcome]) -> Option<String> {
    let field = (request.nx, request.ny, request.iters);
    let residuals: Vec<f64> =
        outcomes.iter().filter_map(|outcome| outcome.residuals.last()).map(|last| last.1).collect();
    let before = solved.residuals.iter().find(|(of, _)| *of == field).map(|(_, residual)| *residual);
    let expected = before.or(residuals.first().copied())?;
    // NaN is near nothing, and the boundaries change every field.
    let near = |residual: &f64| *residual > 0.0 && (residual - expected).abs() <= APART * expected.abs();
    if let Some(at) = residuals.iter().position(|residual| !near(residual)) {
        let found = residuals[at];
        return Some(format!("the residual of run {at} of {} is {found}, and was {expected}", residuals.len()));
    }
    if before.is_none() {
        solved.residuals.push((field, expected));
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_residual_that_another_run_on_the_field_did_not_have_is_wrong() {
        let outcome = |residual| Outcome { elapsed: Duration::ZERO, residuals: vec![(100, residual)] };
        let (mut solved, request) = (Solved::default(), Request::default());
        assert_eq!(wrong_residual(&mut solved, &request, &[outcome(0.5), outcome(0.5 + 1e-9)]), None);
        assert_eq!(wrong_residual(&mut solved, &Request { nx: 64, ..request.clone() }, &[outcome(0.7)]), None);
        for residual in [0.501, f64::NAN, f64::INFINITY, 0.0] {
            let wrong = wrong_residual(&mut solved, &request, &[outcome(0.5), outcome(residual)]);
            assert!(wrong.is_some_and(|wrong| wrong.contains("run 1 of 2")), "{residual}");
        }
        for first in [f64::NAN, 0.0] {
            assert!(wrong_residual(&mut Solved::default(), &request, &[outcome(first)]).is_some(), "{first}");
        }
    }
}
