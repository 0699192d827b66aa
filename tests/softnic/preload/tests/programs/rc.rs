//! Checks the devices of libibverbs; `--from FOLDER` names where libibverbs is, if not where the system's loader looks.

fn main() -> std::process::ExitCode {
    oxshmem_kit::main("oxshmem-rc-selftest", oxshmem_raw::rdma::verbs::rc::LibVerbs::open_from)
}
