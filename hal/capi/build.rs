//! Names the shared object as programs of NVSHMEM look for it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libnvshmem_host.so.3");
}
