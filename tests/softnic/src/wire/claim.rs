//! LIDs of a folder: the owner of a LID's socket owns the LID.

use std::fs;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use oxshmem_core::host::{Error, ErrorKind, Result};
use oxshmem_raw::os::private::{open_lock, own_folder};

const HINT: &str = "it must be a folder that this user alone may enter (mode 700), with a path of at most 90 bytes";

/// Returns the socket of a LID.
pub(super) fn path(folder: &Path, lid: u16) -> PathBuf {
    folder.join(format!("lid-{lid}.sock"))
}

/// Takes the first free LID. `taken`: those of this process, which need no check.
pub(super) fn claim(folder: &Path, taken: impl Fn(u16) -> bool) -> Result<(u16, UnixListener)> {
    let action = || format!("use the folder {} as a wire", folder.display());
    let failed = |call: &'static str, e: io::Error| {
        Error::new(ErrorKind::System, action())
            .call(call, e.raw_os_error().unwrap_or(0).into(), e.to_string())
            .hint(HINT)
    };
    own_folder(folder, action, HINT)?;
    // One process at a time, so that none removes a socket that another has just created.
    let lock = open_lock(&folder.join("lock")).map_err(|e| failed("open", e))?;
    lock.lock().map_err(|e| failed("flock", e))?;
    for lid in (1..0xc000).filter(|lid| !taken(*lid)) {
        let path = path(folder, lid);
        match UnixListener::bind(&path) {
            Ok(listener) => return Ok((lid, listener)),
            Err(e) if e.kind() == io::ErrorKind::AddrInUse => {
                let left = matches!(UnixStream::connect(&path), Err(e) if e.kind() == io::ErrorKind::ConnectionRefused);
                if left {
                    // Its process died without removing it.
                    fs::remove_file(&path).map_err(|e| failed("unlink", e))?;
                    return UnixListener::bind(&path).map(|listener| (lid, listener)).map_err(|e| failed("bind", e));
                }
            }
            Err(e) => return Err(failed("bind", e)),
        }
    }
    Err(Error::new(ErrorKind::Exhausted, format!("find a free LID in {}", folder.display())))
}
