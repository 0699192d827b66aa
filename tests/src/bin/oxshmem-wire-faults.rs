//! The errors of PEs when the wire between them breaks, and when a PE at its other end is killed.

fn main() -> std::process::ExitCode {
    oxshmem_tests::wire_faults::run()
}
