//! The trial: a kernel of three lines that shows whether a toolchain can build PTX.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

const MANIFEST: &str = r#"[package]
name = "oxshmem-ptx-trial"
version = "0.0.0"
edition = "2024"

[lib]

[workspace]
"#;

/// It uses the features that real kernels use: the kernel ABI, inline PTX, and an instruction of the PTX memory model.
const SOURCE: &str = r#"#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn oxshmem_trial(word: *mut u64, value: u64) {
    unsafe {
        core::arch::asm!("st.release.sys.global.u64 [{word}], {value};", word = in(reg64) word, value = in(reg64) value);
    }
}
"#;

/// Compiles the trial kernel for sm_80 by `cargo`, a toolchain's command, and checks the PTX.
pub(super) fn compile(mut cargo: Command, target: &Path) -> Result<()> {
    let folder = target.join("toolchain/trial");
    std::fs::create_dir_all(folder.join("src"))
        .and_then(|()| std::fs::write(folder.join("Cargo.toml"), MANIFEST))
        .and_then(|()| std::fs::write(folder.join("src/lib.rs"), SOURCE))
        .with_context(|| format!("cannot write the trial kernel to {}", folder.display()))?;
    let made = folder.join("trial.s");
    // A file that another toolchain left must not be taken for the result of this one.
    let _ = std::fs::remove_file(&made);
    cargo.arg("--quiet").current_dir(&folder).arg("--");
    // The flag makes the command new to cargo each time, so that it never considers the trial fresh.
    cargo.arg(format!("--emit=asm={}", made.display())).args(["--cfg", &format!("trial_{}", std::process::id())]);
    shell::capture(&mut cargo).context("it can't compile the trial kernel")?;
    let ptx = std::fs::read_to_string(&made).context("it compiled the trial kernel and left no PTX")?;
    judge(&ptx)
}

fn judge(ptx: &str) -> Result<()> {
    for wanted in [".visible .entry oxshmem_trial(", "st.release.sys.global.u64", ".target sm_80"] {
        if !ptx.contains(wanted) {
            bail!("its PTX of the trial kernel lacks `{wanted}`");
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_without_the_kernel_is_refused() {
        let good =
            ".version 7.0\n.target sm_80\n.visible .entry oxshmem_trial(\n st.release.sys.global.u64 [%rd1], %rd2;";
        assert!(judge(good).is_ok());
        let error = judge(".version 7.0\n.target sm_80\n").unwrap_err().to_string();
        assert!(error.contains(".entry oxshmem_trial"), "{error}");
    }
}
