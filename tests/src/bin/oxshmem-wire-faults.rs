//! What PEs say of a wire that breaks between them, and of a PE that is killed at the other end of it.

fn main() -> std::process::ExitCode {
    oxshmem_tests::wire_faults::run()
}
