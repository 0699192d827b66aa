//! The program.

use std::io::{BufRead, Write};

use crate::peer::{Options, Program, serve};
use oxshmem_hal::Result;
use oxshmem_nic_kernels as _;

use super::KERNELS;
use super::request::parse;
use super::session::measure;

/// Serves until `quit` or the end of the input. Returns the exit status.
///
/// # Errors
/// There is no such machine, or the answers can't be written.
pub fn run(options: &Options, input: impl BufRead, output: impl Write) -> Result<i32> {
    serve(&Program { kernels: KERNELS, parse, measure }, options, input, output)
}
